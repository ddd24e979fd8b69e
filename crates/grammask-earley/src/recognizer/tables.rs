//! The tables of a recognizer as plain data, and how they are rebuilt.
//!
//! Loading interns every entry again, in the order of its ids, and takes every step again. Saved data
//! therefore cannot change the meaning of a state; damaged data is an error or harmless.

use std::sync::Arc;

use grammask_regular::RegularId;
use grammask_work::{charge, charge_len, narrow};

use crate::network::saved::LoadError;
use crate::recognizer::dynamic_nodes::{NodeKind, Phase};
use crate::recognizer::{Origin, Recognizer};
use crate::step::origins::{Caller, OriginInterner, Reference, add_member, members};
use crate::step::{Context, Stages};
use crate::{Callee, CalleeId, Class, Config, Error, Item, NetworkNodeId, OriginId, SetId};

/// Units of work for interning an entry again.
const UNITS_PER_ENTRY: u64 = 8;

/// Units of work for checking a counter of a permutation.
const UNITS_PER_COUNTER: u64 = 4;

/// Nodes, origins, sets and steps, each in the order of their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SavedTables {
    /// The nodes that are not in the network.
    nodes: Vec<SavedNode>,
    /// All origins but the root.
    origins: Vec<SavedOrigin>,
    /// The items of every set.
    sets: Vec<Vec<SavedItem>>,
    /// By set, the classes that have a successor which is not dead. Sets without such classes are omitted.
    steps: Vec<(u32, Vec<u16>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum SavedNode {
    /// A state of a lexeme. Its language is the next one in the list of languages.
    Lexeme,
    /// A counted repetition, and the number of complete elements.
    Counter(u32, u32),
    /// A permutation, its counters, and whether an item has just ended.
    Unordered(u32, Vec<u32>, bool),
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum SavedOrigin {
    /// The callers of one origin.
    Single(Vec<SavedItem>),
    /// Origins that call each other: the callers of each.
    Cycle(Vec<Vec<SavedCaller>>),
}

/// A node id plus 1, where 0 is [`NetworkNodeId::DONE`]; and a reference to an origin.
type SavedItem = (u32, SavedReference);
/// A reference to an origin: 0 is the root, 1 the open origin; other origins are their id plus 1.
type SavedReference = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum SavedCaller {
    Known(SavedItem),
    /// A node id plus 1, and the index of a member of the same cycle.
    Member(u32, u32),
}

const UNSORTED_OR_DANGLING: &str = "items are not sorted, or refer to a missing entry";
const DUPLICATE: &str = "an entry occurs twice";
const LANGUAGES_WITHOUT_NODES: &str = "there are languages without nodes";

/// Maximum work of recomputing steps while loading, in items; [`LOAD_WORK_PER_STEP`] is added for each step.
/// Beyond it, steps are computed on demand.
const LOAD_WORK: usize = 1 << 26;
const LOAD_WORK_PER_STEP: usize = 1 << 8;

/// Work that loading may spend on checking the counters of permutations, in items and requirements. Tables
/// that need more are not saved, because checking them would take longer than computing them again.
const PERMUTATION_CHECK_WORK: usize = 1 << 29;

/// Saving.
impl Recognizer {
    /// Returns all sets in the order of their creation: the dead one, the initial one, then the others.
    pub fn states(&self) -> impl Iterator<Item = SetId> {
        let known = (0..narrow(self.sets.len())).map_while(|index| Some((index, self.sets.try_get(index)?)));
        known.map(|(index, set)| set.id(index))
    }

    /// Returns true if [`save`](Self::save) can write tables. It cannot if the grammar uses `distinct!`, or
    /// if checking the progress of the permutations would take longer than computing it again.
    ///
    /// # Complexity
    /// Linear in the dynamic nodes.
    pub fn saves_tables(&self) -> bool {
        if self.network().has_distinct() {
            return false;
        }
        let mut guard = self.lock();
        let mut callees = self.dynamic_nodes.kinds().filter_map(|kind| match kind {
            NodeKind::Permutation(state) => Some(state.callee),
            _ => None,
        });
        // Half of the limit, because other threads may add nodes before the tables are written.
        guard.with(|stages, cx| {
            let mut cost = |callee| stages.nodes.permutations.plan(cx, callee).cost();
            callees
                .try_fold(PERMUTATION_CHECK_WORK / 2, |left, callee| left.checked_sub(cost(callee)))
                .is_some()
        })
    }

    /// Returns the tables, and appends the languages of their nodes to `languages`.
    pub(crate) fn save_tables(&self, stages: &Stages, languages: &mut Vec<RegularId>) -> SavedTables {
        let node = |kind: &NodeKind| match *kind {
            NodeKind::Lexeme(ref state) => {
                languages.push(state.language);
                SavedNode::Lexeme
            }
            NodeKind::Counter(counter, count) => SavedNode::Counter(counter.0, count),
            NodeKind::Permutation(ref state) => {
                let counters = stages.nodes.permutations.progress(state.progress).counters.to_vec();
                SavedNode::Unordered(state.callee.0, counters, state.phase == Phase::AfterItem)
            }
            NodeKind::Distinct(_) | NodeKind::AfterAnyText(..) => {
                unreachable!("tables with `distinct!` are not saved")
            }
        };
        let nodes = self.dynamic_nodes.kinds().map(node).collect();
        let origins = self.save_origins(&stages.nodes.origins);
        let mut sets = Vec::new();
        let mut steps = Vec::new();
        for (number, state) in self.states().enumerate() {
            let set = self.set(state);
            sets.push(set.items.iter().map(save_item).collect());
            let is_live = |&(_, raw): &(usize, u32)| !SetId::from_raw(raw).is_dead();
            let mut classes: Vec<u16> =
                set.row.iter().filter(is_live).map(|(class, _)| Class::new(class).0).collect();
            if !classes.is_empty() {
                classes.sort_unstable();
                steps.push((narrow(number), classes));
            }
        }
        SavedTables { nodes, origins, sets, steps }
    }

    /// Returns all origins but the root, in the order of their ids. The first member of a cycle stores the
    /// whole cycle.
    fn save_origins(&self, interner: &OriginInterner) -> Vec<SavedOrigin> {
        let mut origins = Vec::new();
        for (_, origin) in self.origins.iter().skip(1) {
            match origin.cycle {
                None => origins.push(SavedOrigin::Single(origin.callers.iter().map(save_item).collect())),
                Some((number, 0)) => {
                    let (cycle, _) = interner.cycle(number);
                    let members = members(cycle).map(|callers| callers.iter().map(save_caller).collect());
                    origins.push(SavedOrigin::Cycle(members.collect()));
                }
                // The entry of the first member holds all members.
                Some(_) => {}
            }
        }
        origins
    }
}

/// Loading.
impl Recognizer {
    /// Fills the tables of a new recognizer. `languages` are those of the nodes. Stops taking steps again
    /// once the tables use more than `max_bytes`.
    pub(crate) fn load_tables(
        &mut self,
        saved: &SavedTables,
        languages: &[RegularId],
        max_bytes: usize,
    ) -> Result<(), LoadError> {
        self.lock().with(|stages, cx| {
            self.load_nodes(stages, cx, &saved.nodes, languages)?;
            self.load_origins(&mut stages.nodes.origins, cx, &saved.origins)
        })?;
        self.load_sets(&saved.sets)?;
        self.load_steps(saved, max_bytes)
    }

    /// Creates the saved nodes. Each must get the next id, so a node that exists already is an error.
    fn load_nodes(
        &self,
        stages: &mut Stages,
        cx: Context<'_>,
        nodes: &[SavedNode],
        languages: &[RegularId],
    ) -> Result<(), LoadError> {
        let mut languages = languages.iter();
        let mut work_left = PERMUTATION_CHECK_WORK;
        for node in nodes {
            let counters = if let SavedNode::Unordered(_, counters, _) = node { counters.len() } else { 0 };
            charge(UNITS_PER_ENTRY + UNITS_PER_COUNTER * counters as u64).map_err(Error::from)?;
            let expected = self.dynamic_nodes.next_id();
            let node = match *node {
                SavedNode::Unordered(callee, ref counters, is_after_item) => {
                    let phase = if is_after_item { Phase::AfterItem } else { Phase::BeforeItem };
                    Some(self.load_permutation(stages, cx, callee, counters, phase, &mut work_left)?)
                }
                SavedNode::Lexeme => {
                    let language = languages.next().ok_or(LoadError::Tables("a node has no language"))?;
                    stages.nodes.lexeme_node(cx, *language, None)?
                }
                SavedNode::Counter(counter, count) => match self.network.callees.get(counter as usize) {
                    Some(&Callee::Counter { max, .. }) if count < max => {
                        Some(stages.nodes.counter_node(cx, CalleeId(counter), count))
                    }
                    _ => {
                        return Err(LoadError::Tables("a count has no counter, or is not below its maximum"));
                    }
                },
            };
            if node != Some(expected) {
                return Err(LoadError::Tables(DUPLICATE));
            }
        }
        if languages.next().is_none() { Ok(()) } else { Err(LoadError::Tables(LANGUAGES_WITHOUT_NODES)) }
    }

    /// Creates the node of a permutation. Its counters must be valid, and checking them must not exceed
    /// `work_left`.
    fn load_permutation(
        &self,
        stages: &mut Stages,
        cx: Context<'_>,
        callee: u32,
        counters: &[u32],
        phase: Phase,
        work_left: &mut usize,
    ) -> Result<NetworkNodeId, LoadError> {
        const INVALID: LoadError = LoadError::Tables("the progress of a permutation is not valid");
        let Some(Callee::Unordered { .. }) = self.network.callees.get(callee as usize) else {
            return Err(INVALID);
        };
        let callee = CalleeId(callee);
        let permutations = &mut stages.nodes.permutations;
        let plan = permutations.plan(cx, callee);
        *work_left = work_left
            .checked_sub(plan.cost())
            .ok_or(LoadError::Tables("the permutations have more items than tables are saved with"))?;
        if plan.has_distinct() || !plan.is_valid(counters) {
            return Err(INVALID);
        }
        let progress = plan.progress(counters.into());
        if phase == Phase::BeforeItem && !plan.goes_on(&progress.totals, || progress.clone()) {
            return Err(INVALID);
        }
        Ok(permutations.node(cx, callee, progress, phase))
    }

    /// Interns the saved origins. Each must get the next id, so an origin that exists already is an error.
    fn load_origins(
        &self,
        interner: &mut OriginInterner,
        cx: Context<'_>,
        origins: &[SavedOrigin],
    ) -> Result<(), LoadError> {
        for origin in origins {
            charge(UNITS_PER_ENTRY).map_err(Error::from)?;
            let expected = OriginId(narrow(self.origins.len()));
            let loaded = match origin {
                SavedOrigin::Single(callers) => {
                    charge_len(callers.len()).map_err(Error::from)?;
                    let callers = self.load_items(callers)?;
                    if callers.is_empty()
                        || callers.last().is_some_and(|item| item.node == NetworkNodeId::DONE)
                    {
                        return Err(LoadError::Tables(UNSORTED_OR_DANGLING));
                    }
                    self.spend(size_of::<Origin>() + size_of_val(&callers[..]));
                    OriginId(self.origins.intern(&callers[..], |callers| Origin::new(callers.into(), None)))
                }
                SavedOrigin::Cycle(saved) => interner.intern_cycle(cx, &self.load_cycle(saved)?),
            };
            if loaded != expected {
                return Err(LoadError::Tables(DUPLICATE));
            }
        }
        Ok(())
    }

    /// Returns the members of a saved cycle with their callers, which must be sorted.
    fn load_cycle(&self, saved: &[Vec<SavedCaller>]) -> Result<Vec<Caller>, LoadError> {
        let mut cycle = Vec::new();
        for callers in saved {
            charge_len(callers.len()).map_err(Error::from)?;
            let load = |&caller| self.load_caller(caller, saved.len());
            let callers: Option<Vec<Caller>> = callers.iter().map(load).collect();
            let is_sorted = |callers: &Vec<_>| !callers.is_empty() && callers.is_sorted_by(|a, b| a < b);
            let callers = callers.filter(is_sorted).ok_or(LoadError::Tables(UNSORTED_OR_DANGLING))?;
            add_member(&mut cycle, callers.into_iter());
        }
        if cycle.is_empty() { Err(LoadError::Tables(UNSORTED_OR_DANGLING)) } else { Ok(cycle) }
    }

    /// Interns the saved sets. Each must get the next id, so a set that exists already is an error.
    fn load_sets(&self, sets: &[Vec<SavedItem>]) -> Result<(), LoadError> {
        for (number, items) in sets.iter().enumerate() {
            charge(UNITS_PER_ENTRY + items.len() as u64).map_err(Error::from)?;
            let items = self.load_items(items)?;
            let kernel_len = items.partition_point(|item| item.node != NetworkNodeId::DONE);
            if items[kernel_len..].iter().any(|item| !item.origin.is_outermost()) {
                return Err(LoadError::Tables(UNSORTED_OR_DANGLING));
            }
            // The dead set and the initial one exist already and are found.
            if self.intern_set(&items)?.index() as usize != number {
                return Err(LoadError::Tables(DUPLICATE));
            }
        }
        if sets.len() == self.set_count() {
            Ok(())
        } else {
            Err(LoadError::Tables("the dead set or the initial set is missing"))
        }
    }

    /// Takes the steps again, within `max_bytes` and the work that they may have taken.
    fn load_steps(&self, saved: &SavedTables, max_bytes: usize) -> Result<(), LoadError> {
        let states: Vec<SetId> = self.states().collect();
        let steps = saved.steps.iter().map(|(_, classes)| classes.len()).sum::<usize>();
        let max_work = LOAD_WORK.saturating_add(steps.saturating_mul(LOAD_WORK_PER_STEP));
        for (number, classes) in &saved.steps {
            let Some(&state) = states.get(*number as usize) else {
                return Err(LoadError::Tables(UNSORTED_OR_DANGLING));
            };
            for &class in classes {
                charge(1).map_err(Error::from)?;
                if usize::from(class) >= self.network().classes() {
                    return Err(LoadError::Tables("a class does not exist"));
                }
                // A limit exceeded here will be exceeded again when the step is needed.
                let _ = self.step_class(state, Class(class));
            }
            if self.bytes_used() > max_bytes || self.lock().meter().work() > max_work {
                break;
            }
        }
        Ok(())
    }

    fn load_items(&self, items: &[SavedItem]) -> Result<Vec<Item>, LoadError> {
        let items: Option<Vec<Item>> = items.iter().map(|&item| self.load_item(item)).collect();
        let sorted = items.filter(|items| items.is_sorted_by(|a, b| a < b));
        sorted.ok_or(LoadError::Tables(UNSORTED_OR_DANGLING))
    }

    /// Returns a saved item. Returns `None` if its node or its origin does not exist.
    fn load_item(&self, (node, origin): SavedItem) -> Option<Item> {
        let origin = match origin {
            0 => OriginId::ROOT,
            1 => OriginId::open(0),
            known if known as usize <= self.origins.len() => OriginId(known - 1),
            _ => return None,
        };
        let node = match node {
            0 => NetworkNodeId::DONE,
            node => self.load_node(node)?,
        };
        Some(Item { node, origin })
    }

    fn load_node(&self, node: u32) -> Option<NetworkNodeId> {
        node.checked_sub(1).map(NetworkNodeId).filter(|&node| node < self.dynamic_nodes.next_id())
    }

    /// Returns a saved caller. Returns `None` if its node, its origin or its member does not exist.
    fn load_caller(&self, caller: SavedCaller, members: usize) -> Option<Caller> {
        match caller {
            SavedCaller::Known(item) => {
                let item = self.load_item(item).filter(|item| item.node != NetworkNodeId::DONE)?;
                Some(Caller { node: item.node, reference: Reference::Known(item.origin) })
            }
            SavedCaller::Member(node, member) => {
                let node = self.load_node(node)?;
                ((member as usize) < members).then_some(Caller { node, reference: Reference::Local(member) })
            }
        }
    }

    /// Sets the limits that hold after loading.
    pub(crate) fn set_limits(&mut self, config: &Config, regular: &grammask_regular::Limits) {
        self.config = config.clone();
        self.lock().set_limits(regular);
        if let Some(network) = Arc::get_mut(&mut self.network) {
            network.store.set_limits(regular);
        }
    }
}

fn save_item(item: &Item) -> SavedItem {
    let origin = match item.origin {
        OriginId::ROOT => 0,
        origin if origin.is_outermost() => 1,
        OriginId(known) => known + 1,
    };
    (item.node.0.wrapping_add(1), origin)
}

fn save_caller(caller: &Caller) -> SavedCaller {
    match caller.reference {
        Reference::Known(origin) => SavedCaller::Known(save_item(&Item { node: caller.node, origin })),
        Reference::Local(member) => SavedCaller::Member(caller.node.0 + 1, member),
    }
}

#[cfg(test)]
mod tests {
    use grammask_regular::{ByteSet, Store};
    use grammask_testkit::random::Rng;

    use super::*;
    use crate::{Network, Saved};

    const GRAMMAR: &str = "start ::= (item ','){2,7} '.' | cycle '#' | start '+' start | #'[a-c]+' \
        | '<' unordered!(item?, 'q'{2,3}, '!'*, cycle?; ','; {0,6}; 0 -> 2) '>'; \
        item ::= #'[a-z]{1,3}' & ~'if' | '(' start ')'; cycle ::= other 'a' | '0'; other ::= cycle 'b' | 'x';";
    const TEXTS: [&[u8]; 6] =
        [b"ab,if,(abc+c),x.+a", b"0bababa#", b"xa#+0#", b"((a),b,.),z,.", b"abcabc", b"<q,!,if,q,0b,!><"];

    fn recognizer() -> Recognizer {
        let ast = grammask_syntax::parse(GRAMMAR, &Default::default()).unwrap();
        let mut store = Store::new(&Default::default());
        let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
        let network = Network::build(&normal, store, &Config::default()).unwrap();
        Recognizer::new(Arc::new(network), &Config::default())
    }

    /// The live bytes and whether the text is complete, before and after every byte.
    fn behaviour(recognizer: &Recognizer) -> Vec<(ByteSet, bool)> {
        let mut behaviour = Vec::new();
        for text in TEXTS {
            let mut state = recognizer.initial();
            for byte in text.iter().map(Some).chain([None]) {
                behaviour.push((recognizer.live_bytes(state).unwrap(), state.completes()));
                state = byte.map_or(state, |&byte| recognizer.step(state, byte).unwrap());
            }
        }
        behaviour
    }

    /// Changes a number or an entry at a random place.
    fn tamper(rng: &mut Rng, tables: &mut SavedTables) {
        fn nudge(rng: &mut Rng, number: &mut u32) {
            *number = if rng.below(8) == 0 {
                u32::MAX
            } else {
                number.wrapping_add(rng.below(3) as u32).wrapping_sub(1)
            };
        }
        fn rearrange<T: Clone>(rng: &mut Rng, list: &mut Vec<T>) {
            let (a, b) = (rng.below(list.len()), rng.below(list.len()));
            match rng.below(3) {
                0 => list.swap(a, b),
                1 => list[a] = list[b].clone(),
                _ => drop(list.remove(a)),
            }
        }
        let item = |rng: &mut Rng, (node, origin): &mut SavedItem| match rng.below(2) {
            0 => nudge(rng, node),
            _ => nudge(rng, origin),
        };
        match rng.below(10) {
            0 => rearrange(rng, &mut tables.nodes),
            1 => rearrange(rng, &mut tables.origins),
            2 => rearrange(rng, &mut tables.sets),
            3 => rearrange(rng, &mut tables.steps),
            4 | 5 => {
                let place = rng.below(tables.sets.len());
                tables.sets[place].iter_mut().for_each(|saved| item(rng, saved));
            }
            6 => {
                let place = rng.below(tables.steps.len());
                let (state, classes) = &mut tables.steps[place];
                nudge(rng, state);
                classes.push(rng.below(20) as u16);
            }
            7 => {
                for node in &mut tables.nodes {
                    match node {
                        SavedNode::Counter(_, count) => nudge(rng, count),
                        SavedNode::Unordered(_, counters, _) if rng.below(4) == 0 => {
                            let place = rng.below(counters.len());
                            nudge(rng, &mut counters[place]);
                        }
                        SavedNode::Unordered(_, _, is_after_item) if rng.below(8) == 0 => {
                            *is_after_item ^= true;
                        }
                        SavedNode::Unordered(..) | SavedNode::Lexeme => {}
                    }
                }
            }
            _ => {
                let place = rng.below(tables.origins.len());
                match &mut tables.origins[place] {
                    SavedOrigin::Single(callers) => callers.iter_mut().for_each(|saved| item(rng, saved)),
                    SavedOrigin::Cycle(members) => {
                        for caller in members.iter_mut().flatten() {
                            match caller {
                                SavedCaller::Known(saved) => item(rng, saved),
                                SavedCaller::Member(_, member) => nudge(rng, member),
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn damaged_tables_never_change_the_meaning_of_a_text() {
        let original = recognizer();
        let expected = behaviour(&original);
        let saved = original.save(true);
        let is_cycle = |origin: &SavedOrigin| matches!(origin, SavedOrigin::Cycle(_));
        assert!(saved.tables().origins.iter().any(is_cycle), "the grammar has origins that call each other");
        let mut loaded = 0;
        for seed in 0..3_000 {
            let mut rng = Rng::new(seed);
            let mut tampered = saved.clone();
            for _ in 0..=rng.below(2) {
                tamper(&mut rng, tampered.tables_mut());
            }
            if let Ok(recognizer) = Recognizer::load(&tampered, 1 << 22) {
                loaded += 1;
                assert!(behaviour(&recognizer) == expected, "seed {seed}");
            }
        }
        assert!((100..2_900).contains(&loaded), "{loaded} are loaded");
    }

    impl Saved {
        fn tables(&self) -> &SavedTables {
            self.tables.as_ref().expect("tables were saved")
        }

        fn tables_mut(&mut self) -> &mut SavedTables {
            self.tables.as_mut().expect("tables were saved")
        }
    }
}
