//! Where new sets are made: everything of a recognizer that is changed while it runs, behind its one lock.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use grammask_cache::LazyRow;
use grammask_regular::{ByteSet, RegularId, Store, analysis};
use rustc_hash::FxHashMap;

use crate::recognizer::Recognizer;
use crate::recognizer::dynamic_nodes::{Kind, MadeNode, NOWHERE};
use crate::recognizer::inspect::NodeFlags;
use crate::step::origins::{Caller, Cycle};
use crate::step::predict::Closing;
use crate::unordered::nodes::Choosing;
use crate::{Callee, CalleeId, Class, Error, Item, Network, NetworkNodeId, OriginId, SetId};

pub(crate) mod first_sets;
pub(crate) mod origins;
pub(crate) mod predict;

/// What making nodes and sets needs: languages, who has been made, and buffers.
pub(crate) struct Workshop {
    /// The languages of lexeme states.
    store: Store,
    lexeme_nodes: FxHashMap<RegularId, NetworkNodeId>,
    counter_nodes: FxHashMap<(CalleeId, u32), NetworkNodeId>,
    pub(crate) choosing: Choosing,
    /// Origins that call themselves, by what they are.
    pub(crate) cycles: FxHashMap<Cycle, u32>,
    /// The same by number: what they are, and the first of their origins.
    pub(crate) cycle_list: Vec<(Cycle, OriginId)>,
    pub(crate) closing: Closing,
    /// Callees of which it could not be found out which bytes they take, and why.
    pub(crate) unclear: FxHashMap<CalleeId, Error>,
    /// A cycle, and callers, that are being looked up.
    pub(crate) cycle: Vec<Caller>,
    pub(crate) known: Vec<Item>,
    arrivals: Vec<Item>,
    items: Vec<Item>,
    /// The origins that are complete, and have not told yet.
    finished: Vec<OriginId>,
    /// The last origin that was complete alone, and what remained then of those that were told.
    completed: (OriginId, Vec<Item>),
    /// What arrived last, and the set that it came to: in a lexeme that goes on alike, each byte leads to the same.
    settled: (Vec<Item>, SetId),
    /// The last completion in which an origin was told.
    told: Vec<u32>,
    /// The last completion in which an origin was to go on, and where then: in ambiguous grammars many say so.
    noted: Vec<(u32, NetworkNodeId)>,
    completions: u32,
    /// What has been looked at: items, callers, and what derivatives were made of. Loading bounds it.
    pub(crate) work: usize,
    /// Bytes of the store that have been spent.
    spent: usize,
    /// Whoever waits may not want to any more, and says so there.
    cancel: Option<Arc<AtomicBool>>,
}

/// The workshop, while a thread has it. What its store has grown by, whatever for, is spent when it is given back.
pub(crate) struct Entered<'a> {
    tables: &'a Recognizer,
    workshop: MutexGuard<'a, Workshop>,
}

impl<'a> Entered<'a> {
    pub(crate) fn new(tables: &'a Recognizer, workshop: &'a Mutex<Workshop>) -> Self {
        // What the workshop publishes is published whole, so a panic elsewhere leaves nothing half done.
        Self { tables, workshop: workshop.lock().unwrap_or_else(PoisonError::into_inner) }
    }
}

impl Deref for Entered<'_> {
    type Target = Workshop;

    fn deref(&self) -> &Workshop {
        &self.workshop
    }
}

impl DerefMut for Entered<'_> {
    fn deref_mut(&mut self) -> &mut Workshop {
        &mut self.workshop
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let bytes = self.workshop.store.bytes_used();
        let before = std::mem::replace(&mut self.workshop.spent, bytes);
        if bytes > before {
            self.tables.spend(bytes - before);
        }
    }
}

impl Workshop {
    pub(crate) fn new(network: &Network) -> Self {
        Self {
            spent: network.store.bytes_used(),
            store: network.store.clone(),
            lexeme_nodes: FxHashMap::default(),
            counter_nodes: FxHashMap::default(),
            choosing: Choosing::default(),
            cycles: FxHashMap::default(),
            cycle_list: Vec::new(),
            closing: Closing::new(network.callees.len()),
            unclear: FxHashMap::default(),
            cycle: Vec::new(),
            known: Vec::new(),
            arrivals: Vec::new(),
            items: Vec::new(),
            finished: Vec::new(),
            completed: (OriginId::ROOT, Vec::new()),
            settled: (Vec::new(), SetId::DEAD),
            told: Vec::new(),
            noted: Vec::new(),
            completions: 0,
            work: 0,
            cancel: None,
        }
    }

    /// See [`Recognizer::set_cancel_flag`].
    pub(crate) fn set_cancel_flag(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.cancel = cancel;
    }

    /// Asked before each of the steps of which a set may need 100,000.
    #[inline]
    pub(crate) fn go_on(&self) -> Result<(), Error> {
        match &self.cancel {
            Some(cancel) if cancel.load(Ordering::Relaxed) => Err(Error::Cancelled),
            _ => Ok(()),
        }
    }

    /// The set after a class of bytes, of which this is one, given the kernel.
    pub(crate) fn step_by(
        &mut self,
        tables: &Recognizer,
        kernel: &[Item],
        (class, byte): (Class, u8),
    ) -> Result<SetId, Error> {
        self.arrivals.clear();
        let mut taking = std::mem::take(&mut self.items);
        taking.clear();
        for &item in kernel {
            if self.may_go_on(tables, item.node, byte) {
                taking.push(item);
                self.arrive(tables, item, class)?;
            }
        }
        let result = self.predict_all(tables, &taking, Some(byte));
        self.items = taking;
        result?;
        let predicted = self.closing.locals.len();
        for place in 0..predicted {
            let node = self.closing.locals[place].start;
            self.arrive(tables, Item { node, origin: self.closing.origins[place] }, class)?;
        }
        self.work += kernel.len() + predicted;
        self.settle(tables)
    }

    /// Whether a node goes on by a byte, as far as that is clear.
    #[inline]
    fn may_go_on(&mut self, tables: &Recognizer, node: NetworkNodeId, byte: u8) -> bool {
        match tables.first_bytes_cell(node).get() {
            Some(takes) => takes.contains(byte),
            // Only nodes of the network are met so often that it pays to find it out.
            None => node.index() >= tables.network().nodes.len() || self.finds_to_go_on(tables, node, byte),
        }
    }

    #[cold]
    fn finds_to_go_on(&mut self, tables: &Recognizer, node: NetworkNodeId, byte: u8) -> bool {
        let place = tables.first_bytes_cell(node);
        self.takes(tables, node).map_or(true, |takes| place.get_or_init(|| takes).contains(byte))
    }

    /// The bytes by which a node of the network goes on, what it calls included.
    pub(crate) fn takes(&mut self, tables: &Recognizer, node: NetworkNodeId) -> Result<ByteSet, Error> {
        let mut takes = *tables.inspect().scanned_bytes(node);
        for &(callee, _) in &tables.network().node(node).calls {
            takes = takes.union(&self.taken_by(tables, callee)?);
        }
        Ok(takes)
    }

    /// Notes where an item is after a class, if it scans it.
    fn arrive(&mut self, tables: &Recognizer, item: Item, class: Class) -> Result<(), Error> {
        if let Some(node) = self.scan(tables, item.node, class)? {
            self.arrivals.push(Item { node, origin: item.origin });
        }
        Ok(())
    }

    /// The set after something of these classes, given the items that scan.
    pub(crate) fn step(
        &mut self,
        tables: &Recognizer,
        scanners: &[Item],
        classes: &[Class],
    ) -> Result<SetId, Error> {
        self.arrivals.clear();
        self.work += scanners.len();
        for item in scanners {
            for &class in classes {
                self.arrive(tables, *item, class)?;
            }
        }
        self.settle(tables)
    }

    /// The bytes that some of the scanners take.
    pub(crate) fn first_bytes(&mut self, tables: &Recognizer, scanners: &[Item]) -> Result<ByteSet, Error> {
        let network = tables.network();
        let mut bytes = ByteSet::default();
        for item in scanners {
            if let Some(node) = network.nodes.get(item.node.index()) {
                for &(class, _) in &node.scans {
                    bytes =
                        bytes.union(network.class_bytes.get(class.index()).unwrap_or(&ByteSet::default()));
                }
            } else if let Kind::Lexeme(language, ..) = tables.made().get(item.node).kind {
                bytes = bytes.union(&self.store.live_bytes(language)?);
            } else {
                bytes = bytes.union(&self.read_bytes(tables, item.node)?);
            }
        }
        Ok(bytes)
    }

    /// The set in which just `origin` is complete.
    pub(crate) fn complete(&mut self, tables: &Recognizer, origin: OriginId) -> Result<SetId, Error> {
        self.arrivals.clear();
        self.arrivals.push(Item { node: NetworkNodeId::END, origin });
        self.settle(tables)
    }

    /// Completes what is complete among the arrivals, transitively, and interns what remains.
    fn settle(&mut self, tables: &Recognizer) -> Result<SetId, Error> {
        // Nothing has arrived before anything did, and leads nowhere.
        if self.arrivals == self.settled.0 {
            return Ok(self.settled.1);
        }
        if self.arrivals.is_empty() {
            return Ok(SetId::DEAD);
        }
        let config = tables.config();
        self.items.clear();
        self.finished.clear();
        for &item in &self.arrivals {
            self.finished.extend(note(tables, item, &mut self.items));
        }
        self.work += self.arrivals.len();
        // As long as a text goes on in a lexeme that could end at any byte, each byte completes the same.
        match self.finished[..] {
            [] => {}
            [origin] if self.completed.0 == origin => self.items.extend_from_slice(&self.completed.1),
            [origin] => {
                let first = self.items.len();
                self.tell(tables)?;
                self.completed.0 = origin;
                self.completed.1.clear();
                self.completed.1.extend_from_slice(&self.items[first..]);
            }
            _ => self.tell(tables)?,
        }
        self.items.sort_unstable();
        self.items.dedup();
        if self.items.len() > config.max_items_per_set {
            return Err(Error::TooManyItems { limit: config.max_items_per_set });
        }
        let set = tables.intern_set(&self.items)?;
        self.settled.0.clear();
        self.settled.0.extend_from_slice(&self.arrivals);
        self.settled.1 = set;
        Ok(set)
    }

    /// Tells whom the finished origins have to tell, transitively, and keeps what remains of them.
    fn tell(&mut self, tables: &Recognizer) -> Result<(), Error> {
        let limit = tables.config().max_work_per_byte;
        self.told.resize(tables.origin_count(), 0);
        self.noted.resize(tables.origin_count(), (0, NetworkNodeId::END));
        self.completions = self.completions.checked_add(1).unwrap_or_else(|| {
            // All of them have been told so long ago that the numbers come again.
            self.told.fill(0);
            self.noted.fill((0, NetworkNodeId::END));
            1
        });
        let mut work = 0;
        while let Some(origin) = self.finished.pop() {
            let told = &mut self.told[origin.0 as usize];
            if *told == self.completions {
                continue;
            }
            *told = self.completions;
            let callers = tables.callers(origin);
            work += callers.len();
            if work > limit {
                return Err(Error::TooMuchWork { limit });
            }
            for &caller in callers {
                let here = (self.completions, caller.node);
                match self.noted.get_mut(caller.origin.0 as usize) {
                    Some(noted) if *noted == here => continue,
                    Some(noted) => *noted = here,
                    // Nobody tells open origins.
                    None => {}
                }
                self.finished.extend(note(tables, caller, &mut self.items));
            }
        }
        self.work += work;
        Ok(())
    }

    /// Predicts to a fixpoint, and gives all items that scan, sorted.
    pub(crate) fn close(&mut self, tables: &Recognizer, kernel: &[Item]) -> Result<Vec<Item>, Error> {
        self.predict_all(tables, kernel, None)?;
        let mut scanners = Vec::with_capacity(kernel.len() + self.closing.locals.len());
        scanners.extend(kernel.iter().filter(|item| scans(tables, item.node)));
        let starts = self.closing.locals.iter().map(|local| local.start).zip(&self.closing.origins);
        let predicted = starts.map(|(node, &origin)| Item { node, origin });
        scanners.extend(predicted.filter(|item| scans(tables, item.node)));
        self.work += scanners.len();
        scanners.sort_unstable();
        scanners.dedup();
        Ok(scanners)
    }

    /// Where a callee begins.
    pub(crate) fn start(&mut self, tables: &Recognizer, callee: CalleeId) -> Result<NetworkNodeId, Error> {
        let place = &tables.callee_info(callee).start;
        if let Some(&start) = place.get() {
            return Ok(start);
        }
        let start = match *tables.network().callee(callee) {
            Callee::Nonterminal { start, .. } => start,
            Callee::Lexeme { language, .. } => {
                self.lexeme_node(tables, language, None)?.expect("the language of a lexeme is not empty")
            }
            Callee::Counter { .. } => self.counter_node(tables, callee, 0),
            Callee::Unordered { .. } => self.unordered_start(tables, callee),
        };
        Ok(*place.get_or_init(|| start))
    }

    /// The bytes that a lexeme in this state takes.
    pub(crate) fn live_bytes(&mut self, language: RegularId) -> Result<ByteSet, Error> {
        Ok(self.store.live_bytes(language)?)
    }

    /// Where a class leads from a node.
    pub(crate) fn scan(
        &mut self,
        tables: &Recognizer,
        node: NetworkNodeId,
        class: Class,
    ) -> Result<Option<NetworkNodeId>, Error> {
        let network = tables.network();
        if let Some(known) = network.nodes.get(node.index()) {
            let place = known.scans.binary_search_by_key(&class, |&(class, _)| class);
            return Ok(place.ok().map(|place| known.scans[place].1));
        }
        let made = tables.made().get(node);
        let (Kind::Lexeme(language, row, _), Some(byte)) = (&made.kind, network.representative(class)) else {
            return self.read(tables, node, class);
        };
        match row.get(class.index()) {
            Some(NOWHERE) => Ok(None),
            Some(next) => Ok(Some(NetworkNodeId(next))),
            None if made.takes.get().is_some_and(|takes| !takes.contains(byte)) => Ok(None),
            None => {
                let before = self.store.bytes_used();
                let next = self.store.derivative(*language, byte)?;
                self.work += self.store.bytes_used().saturating_sub(before) / 4;
                let next = self.lexeme_node(tables, next, Some((node, byte)))?;
                let next_raw = next.map_or(NOWHERE, |node| node.0);
                tables.spend(row.set(class.index(), next_raw, network.byte_classes));
                Ok(next)
            }
        }
    }

    /// The node of a lexeme state; none for the empty language.
    pub(crate) fn lexeme_node(
        &mut self,
        tables: &Recognizer,
        language: RegularId,
        before: Option<(NetworkNodeId, u8)>,
    ) -> Result<Option<NetworkNodeId>, Error> {
        if language == RegularId::EMPTY {
            return Ok(None);
        }
        if let Some(&node) = self.lexeme_nodes.get(&language) {
            return Ok(Some(node));
        }
        let goes_on = self.store.has_nonempty_string(language)?;
        let is_final = self.store.is_nullable(language);
        let node = if goes_on {
            tables.spend(size_of::<MadeNode>());
            let takes = analysis::first_bytes(&self.store, language);
            tables.made().push((is_final, goes_on), Kind::Lexeme(language, LazyRow::new(), before), takes)
        } else {
            NetworkNodeId::END
        };
        self.lexeme_nodes.insert(language, node);
        Ok(Some(node))
    }

    pub(crate) fn counter_node(
        &mut self,
        tables: &Recognizer,
        counter: CalleeId,
        count: u32,
    ) -> NetworkNodeId {
        let Callee::Counter { min, max, .. } = *tables.network().callee(counter) else {
            unreachable!("only counters have counter nodes")
        };
        if count == max {
            return NetworkNodeId::END;
        }
        if let Some(&node) = self.counter_nodes.get(&(counter, count)) {
            return node;
        }
        tables.spend(size_of::<MadeNode>());
        let node = tables.made().push((count >= min, true), Kind::Counter(counter, count), None);
        self.counter_nodes.insert((counter, count), node);
        node
    }

    /// The node that stands for a node of another recognizer of the same network.
    pub(crate) fn import_node(
        &mut self,
        tables: &Recognizer,
        source: &Recognizer,
        from: &Self,
        node: NetworkNodeId,
    ) -> Result<NetworkNodeId, Error> {
        if node == NetworkNodeId::DONE || node.index() < tables.network().nodes.len() {
            return Ok(node);
        }
        match source.made().get(node).kind {
            Kind::Lexeme(language, ..) => {
                let language = self.store.import(&from.store, language)?;
                Ok(self.lexeme_node(tables, language, None)?.expect("a state of a lexeme is not empty"))
            }
            Kind::Counter(counter, count) => Ok(self.counter_node(tables, counter, count)),
            Kind::Unordered(ref standing) => Ok(self.import_unordered(tables, from, standing)),
            Kind::Reading(ref reading) => self.import_reading(tables, source, from, reading),
            Kind::Pending(place, phase) => {
                let place = self.import_node(tables, source, from, place)?;
                Ok(self.pending(tables, place, phase))
            }
        }
    }

    /// The languages of lexeme states.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Sets the limits of languages that hold from now on: what has exceeded others is tried again.
    pub(crate) fn set_limits(&mut self, regular: &grammask_regular::Limits) {
        self.store.set_limits(regular);
        self.unclear.clear();
    }
}

/// Keeps what remains of an item in a set; gives the origin that is complete by it, if that has to tell somebody.
fn note(tables: &Recognizer, item: Item, items: &mut Vec<Item>) -> Option<OriginId> {
    let NodeFlags { is_final, goes_on } = tables.inspect().flags(item.node);
    if goes_on {
        items.push(item);
    }
    if is_final && item.origin.is_outermost() {
        items.push(Item { node: NetworkNodeId::DONE, origin: item.origin });
        return None;
    }
    is_final.then_some(item.origin)
}

fn scans(tables: &Recognizer, node: NetworkNodeId) -> bool {
    match tables.network().nodes.get(node.index()) {
        Some(known) => !known.scans.is_empty(),
        None => match tables.made().get(node).kind {
            Kind::Lexeme(..) | Kind::Reading(_) => true,
            Kind::Unordered(ref standing) => standing.beginning.is_some(),
            Kind::Counter(..) | Kind::Pending(..) => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::recognizer;
    use crate::{Config, Recognizer};

    #[test]
    fn completions_may_be_as_many_as_one_likes() {
        let recognizer = recognizer("start ::= '(' start ')' | start 'y' | 'x';");
        let mut state = recognizer.initial();
        for (place, &byte) in b"(((xy)y)y)yyy".iter().enumerate() {
            if place == 2 {
                recognizer.lock().completions = u32::MAX - 2;
            }
            state = recognizer.step(state, byte).unwrap();
            assert!(!state.is_dead(), "byte {place}");
        }
        assert!(state.completes() && recognizer.lock().completions < 10);
    }

    #[test]
    fn what_completions_of_the_same_number_have_noted_is_forgotten() {
        let network = recognizer("start ::= '(' start ')' | start 'y' | 'x';").network().clone();
        let recognizer = Recognizer::new(network.into(), &Config { keep_steps: false, ..Config::default() });
        for round in 0..2 {
            let mut state = recognizer.initial();
            for &byte in b"(((xy)y)y)yyy" {
                state = recognizer.step(state, byte).unwrap();
            }
            assert!(state.completes(), "round {round}");
            recognizer.lock().completions = u32::MAX;
        }
    }

    #[test]
    fn all_that_the_store_grows_by_is_counted() {
        let recognizer = recognizer(
            "start ::= (#'[a-z]+x' & ~#'.*y.*' & ~#'.*bc.*') start | ~#'.*ab.*' & #'[a-f]*e' | #'[a-c]{2,30}d' & #'.*cb.*';",
        );
        let begin = recognizer.network().store.bytes_used();
        let mut state = recognizer.initial();
        for byte in *b"abx" {
            state = recognizer.step(state, byte).unwrap();
            recognizer.live_bytes(state).unwrap();
        }
        let grown = recognizer.lock().store.bytes_used() - begin;
        assert!(grown > 1_000 && recognizer.bytes_used() > grown, "{grown} of {}", recognizer.bytes_used());
    }
}
