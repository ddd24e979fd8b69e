//! The tables of a recognizer as plain data, and how they are made again: everything is interned anew, in the order of its ids,
//! and all steps are taken again, so that nothing that is read decides what a state means.

use std::sync::Arc;

use grammask_regular::RegularId;

use super::{Origin, Recognizer};
use crate::network::saved::LoadError;
use crate::recognizer::dynamic_nodes::{Kind, Phase};
use crate::step::Workshop;
use crate::step::origins::{Caller, Reference, add_member, members};
use crate::{Callee, CalleeId, Class, Config, Item, NetworkNodeId, OriginId, SetId};

/// Nodes, origins, sets and steps, each in the order of their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SavedTables {
    /// The nodes that are not in the network.
    nodes: Vec<SavedNode>,
    /// Those behind the root.
    origins: Vec<SavedOrigin>,
    /// The items of every set.
    sets: Vec<Vec<SavedItem>>,
    /// For some sets the classes after which they go on.
    steps: Vec<(u32, Vec<u16>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum SavedNode {
    /// A state of a lexeme; its language is the next one.
    Lexeme,
    /// A counted repetition, and how many are complete.
    Counter(u32, u32),
    /// Items in any order, the register of those that have been chosen, and whether one has just been.
    Unordered(u32, Vec<u32>, bool),
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum SavedOrigin {
    /// Its callers.
    Single(Vec<SavedItem>),
    /// Origins that call each other, and the callers of each.
    Cycle(Vec<Vec<SavedCaller>>),
}

/// A node plus 1, where 0 stands for [`NetworkNodeId::DONE`]; and an origin.
type SavedItem = (u32, SavedReference);
/// 0 for the root, 1 for the open origin, and the others plus 1.
type SavedReference = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum SavedCaller {
    Known(SavedItem),
    /// A node plus 1, and a member of the same cycle.
    Member(u32, u32),
}

const ITEMS: &str = "items are in order and refer to what is there";
const ONCE: &str = "everything is listed once";
/// Steps are taken again while the work stays below this, and so much for every step.
const WORK: usize = 1 << 26;
const WORK_PER_STEP: usize = 1 << 8;
/// So many items may be looked at to check registers.
const REGISTER_WORK: usize = 1 << 29;

impl Recognizer {
    /// All sets, the dead one and the initial one first, in the order in which they were made.
    pub fn states(&self) -> impl Iterator<Item = SetId> {
        let known = (0..self.sets.len() as u32).map_while(|index| Some((index, self.sets.try_get(index)?)));
        known.map(|(index, set)| set.id(index))
    }

    /// Whether [`save`](Self::save) writes tables: not where texts have to differ, nor where items in any order are so many, and chosen in so many ways, that
    /// to check them would take longer than to make them.
    ///
    /// # Complexity
    /// Linear in the nodes that were made.
    pub fn saves_tables(&self) -> bool {
        if self.network().has_distinct() {
            return false;
        }
        let mut workshop = self.lock();
        let mut callees = self.made.kinds().filter_map(|kind| match kind {
            Kind::Unordered(standing) => Some(standing.callee),
            _ => None,
        });
        // Half of what is checked, as others may make more before they are written.
        let left = callees
            .try_fold(REGISTER_WORK / 2, |left, callee| left.checked_sub(workshop.plan(self, callee).cost()));
        left.is_some()
    }

    /// The tables; adds the languages of their nodes.
    pub(crate) fn save_tables(&self, workshop: &Workshop, languages: &mut Vec<RegularId>) -> SavedTables {
        let node = |kind: &Kind| match *kind {
            Kind::Lexeme(language, ..) => {
                languages.push(language);
                SavedNode::Lexeme
            }
            Kind::Counter(counter, count) => SavedNode::Counter(counter.0, count),
            Kind::Unordered(ref standing) => {
                let register = workshop.choosing.chosen(standing.number).register.to_vec();
                SavedNode::Unordered(standing.callee.0, register, standing.phase == Phase::Behind)
            }
            Kind::Reading(_) | Kind::Pending(..) => unreachable!("tables with texts are not saved"),
        };
        let nodes = self.made.kinds().map(node).collect();
        let mut origins = Vec::new();
        for (_, origin) in self.origins.iter().skip(1) {
            match origin.cycle {
                None => origins.push(SavedOrigin::Single(origin.callers.iter().map(save_item).collect())),
                Some((number, 0)) => {
                    let (cycle, _) = &workshop.cycle_list[number as usize];
                    let members = members(cycle).map(|callers| callers.iter().map(save_caller).collect());
                    origins.push(SavedOrigin::Cycle(members.collect()));
                }
                // The first member stands for all.
                Some(_) => {}
            }
        }
        let mut sets = Vec::new();
        let mut steps = Vec::new();
        for (number, state) in self.states().enumerate() {
            let set = self.set(state);
            sets.push(set.items.iter().map(save_item).collect());
            let goes_on = |&(_, raw): &(usize, u32)| !SetId::from_raw(raw).is_dead();
            let mut classes: Vec<u16> =
                set.row.iter().filter(goes_on).map(|(class, _)| class as u16).collect();
            if !classes.is_empty() {
                classes.sort_unstable();
                steps.push((number as u32, classes));
            }
        }
        SavedTables { nodes, origins, sets, steps }
    }

    /// Fills the tables, which are new. `languages` are those of the nodes.
    pub(crate) fn load_tables(
        &mut self,
        saved: &SavedTables,
        languages: &[RegularId],
        room: usize,
    ) -> Result<(), LoadError> {
        let mut workshop = self.lock();
        self.load_nodes(&mut workshop, &saved.nodes, languages)?;
        self.load_origins(&mut workshop, &saved.origins)?;
        drop(workshop);
        self.load_sets(&saved.sets)?;
        self.load_steps(saved, room)
    }

    fn load_nodes(
        &self,
        workshop: &mut Workshop,
        nodes: &[SavedNode],
        mut languages: &[RegularId],
    ) -> Result<(), LoadError> {
        let mut cost = 0;
        for node in nodes {
            let expected = self.made.next();
            let made = match *node {
                SavedNode::Unordered(callee, ref register, is_behind) => {
                    let wrong = LoadError::Tables("a node chooses what is not to be chosen");
                    let Some(Callee::Unordered { .. }) = self.network.callees.get(callee as usize) else {
                        return Err(wrong);
                    };
                    let plan = workshop.plan(self, CalleeId(callee));
                    cost += plan.cost();
                    if cost > REGISTER_WORK {
                        return Err(LoadError::Tables("nodes choose from more items than are ever saved"));
                    }
                    if plan.has_distinct() || !plan.takes(register) {
                        return Err(wrong);
                    }
                    let phase = if is_behind { Phase::Behind } else { Phase::Item };
                    let chosen = plan.chosen(register[..].into());
                    if !is_behind && !plan.goes_on(&chosen.tally, || chosen.clone()) {
                        return Err(wrong);
                    }
                    Some(workshop.unordered_node(self, (CalleeId(callee), &plan), chosen, phase))
                }
                SavedNode::Lexeme => {
                    let (&language, rest) =
                        languages.split_first().ok_or(LoadError::Tables("a node has no language"))?;
                    languages = rest;
                    workshop.lexeme_node(self, language, None)?
                }
                SavedNode::Counter(counter, count) => match self.network.callees.get(counter as usize) {
                    Some(&Callee::Counter { max, .. }) if count < max => {
                        Some(workshop.counter_node(self, CalleeId(counter), count))
                    }
                    _ => return Err(LoadError::Tables("a node counts what is not counted")),
                },
            };
            if made != Some(expected) {
                return Err(LoadError::Tables(ONCE));
            }
        }
        if languages.is_empty() { Ok(()) } else { Err(LoadError::Tables("languages of no nodes")) }
    }

    fn load_origins(&self, workshop: &mut Workshop, origins: &[SavedOrigin]) -> Result<(), LoadError> {
        for origin in origins {
            let next = OriginId(self.origins.len() as u32);
            let made = match origin {
                SavedOrigin::Single(callers) => {
                    let callers = self.load_items(callers)?;
                    if callers.is_empty()
                        || callers.last().is_some_and(|item| item.node == NetworkNodeId::DONE)
                    {
                        return Err(LoadError::Tables(ITEMS));
                    }
                    self.spend(size_of::<Origin>() + size_of_val(&callers[..]));
                    OriginId(self.origins.intern(&callers[..], |callers| Origin::new(callers.into(), None)))
                }
                SavedOrigin::Cycle(saved) => {
                    let mut cycle = Vec::new();
                    for callers in saved {
                        let load = |&caller| self.load_caller(caller, saved.len());
                        let callers: Option<Vec<Caller>> = callers.iter().map(load).collect();
                        let sorted =
                            |callers: &Vec<_>| !callers.is_empty() && callers.is_sorted_by(|a, b| a < b);
                        let callers = callers.filter(sorted).ok_or(LoadError::Tables(ITEMS))?;
                        add_member(&mut cycle, callers.into_iter());
                    }
                    if cycle.is_empty() {
                        return Err(LoadError::Tables(ITEMS));
                    }
                    workshop.intern_cycle(self, &cycle)
                }
            };
            if made != next {
                return Err(LoadError::Tables(ONCE));
            }
        }
        Ok(())
    }

    fn load_sets(&self, sets: &[Vec<SavedItem>]) -> Result<(), LoadError> {
        for (number, items) in sets.iter().enumerate() {
            let items = self.load_items(items)?;
            let done = items.partition_point(|item| item.node != NetworkNodeId::DONE);
            if items[done..].iter().any(|item| !item.origin.is_outermost()) {
                return Err(LoadError::Tables(ITEMS));
            }
            // The dead set and the initial one are there.
            if self.intern_set(&items)?.index() as usize != number {
                return Err(LoadError::Tables(ONCE));
            }
        }
        if sets.len() == self.set_count() {
            Ok(())
        } else {
            Err(LoadError::Tables("the first sets are missing"))
        }
    }

    /// Takes the steps again, as long as there is room and it is no more work than it can have been.
    fn load_steps(&self, saved: &SavedTables, room: usize) -> Result<(), LoadError> {
        let states: Vec<SetId> = self.states().collect();
        let steps = saved.steps.iter().map(|(_, classes)| classes.len()).sum::<usize>();
        let limit = WORK.saturating_add(steps.saturating_mul(WORK_PER_STEP));
        for (number, classes) in &saved.steps {
            let Some(&state) = states.get(*number as usize) else { return Err(LoadError::Tables(ITEMS)) };
            for &class in classes {
                if usize::from(class) >= self.network().classes() {
                    return Err(LoadError::Tables("there is no such class"));
                }
                // A limit that is hit here will be hit again where the step is needed.
                let _ = self.step_class(state, Class(class));
            }
            if self.bytes_used() > room || self.lock().work > limit {
                break;
            }
        }
        Ok(())
    }

    fn load_items(&self, items: &[SavedItem]) -> Result<Vec<Item>, LoadError> {
        let items: Option<Vec<Item>> = items.iter().map(|&item| self.load_item(item)).collect();
        items.filter(|items| items.is_sorted_by(|a, b| a < b)).ok_or(LoadError::Tables(ITEMS))
    }

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
        node.checked_sub(1).map(NetworkNodeId).filter(|&node| node < self.made.next())
    }

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

    /// Sets the limits that hold from now on, after loading.
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

    /// What may follow and whether the text is complete, before and after every byte.
    fn readings(recognizer: &Recognizer) -> Vec<(ByteSet, bool)> {
        let mut readings = Vec::new();
        for text in TEXTS {
            let mut state = recognizer.initial();
            for byte in text.iter().map(Some).chain([None]) {
                readings.push((recognizer.live_bytes(state).unwrap(), state.completes()));
                state = byte.map_or(state, |&byte| recognizer.step(state, byte).unwrap());
            }
        }
        readings
    }

    /// Changes a number or an entry somewhere.
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
                        SavedNode::Unordered(_, register, _) if rng.below(4) == 0 => {
                            let place = rng.below(register.len());
                            nudge(rng, &mut register[place]);
                        }
                        SavedNode::Unordered(_, _, is_behind) if rng.below(8) == 0 => *is_behind ^= true,
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
    fn no_tables_change_what_a_text_means() {
        let original = recognizer();
        let expected = readings(&original);
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
                assert!(readings(&recognizer) == expected, "seed {seed}");
            }
        }
        assert!((100..2_900).contains(&loaded), "{loaded} are loaded");
    }

    impl Saved {
        fn tables(&self) -> &SavedTables {
            self.tables.as_ref().expect("they were saved")
        }

        fn tables_mut(&mut self) -> &mut SavedTables {
            self.tables.as_mut().expect("they were saved")
        }
    }
}
