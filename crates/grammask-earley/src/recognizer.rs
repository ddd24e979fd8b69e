//! The recognizer: states, and steps between them.
//!
//! Reading what is already in the tables takes no lock. Computing a new set takes the lock of the
//! [`Writer`](crate::step::Writer).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use grammask_cache::{Budget, Interner};
use grammask_regular::ByteSet;

use crate::recognizer::dynamic_nodes::DynamicNodes;
use crate::recognizer::set::{CalleeInfo, Closure, Set};
use crate::step::import::import;
use crate::step::{Writer, WriterGuard};
use crate::{
    CalleeId, Class, Config, Error, Item, Limit, LimitExceeded, Network, NetworkNodeId, OriginId, Resumption,
    SetId,
};

pub(crate) mod dynamic_nodes;
pub(crate) mod inspect;
pub(crate) mod rest;
pub(crate) mod resumption;
mod set;
pub(crate) mod successors;
mod tables;

pub use set::SplitState;
pub(crate) use set::{Callers, Origin};
pub(crate) use tables::SavedTables;

/// Number of new steps that [`Recognizer::step_bytes`] computes before it releases the lock, so that other
/// threads wait for at most that many.
const STEPS_PER_LOCK: usize = 32;

/// Runs a [`Network`] over bytes.
///
/// A state is a [`SetId`]: copy it to fork, keep it to go back. Texts with equal possible continuations
/// usually have equal states, whatever their lengths and nesting, so the tables stay small.
///
/// A recognizer can be shared between threads. It only grows. When [`is_over_budget`](Self::is_over_budget)
/// returns true, make a [`successor`](Self::successor) and [`import`](Self::import) the states that are still
/// in use.
///
/// # Source
/// J. Earley, "An efficient context-free parsing algorithm", 1970; J. Leo, "A general context-free parsing
/// algorithm running in linear time on every LR(k) grammar without using lookahead", 1991. Two changes: sets
/// are interned by content instead of numbered by position, and origins are lists of callers instead of
/// positions.
///
/// ```
/// use std::sync::Arc;
/// use grammask_earley::{Config, Network, Recognizer};
/// use grammask_regular::Store;
///
/// let ast = grammask_syntax::parse("start ::= '(' start ')' | 'x';", &Default::default()).unwrap();
/// let mut store = Store::new(&Default::default());
/// let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
/// let network = Network::build(&normal, store, &Config::default()).unwrap();
/// let recognizer = Recognizer::new(Arc::new(network), &Config::default());
///
/// let mut state = recognizer.initial();
/// for byte in *b"((x)" {
///     state = recognizer.step(state, byte).unwrap();
/// }
/// assert!(state.goes_on() && !state.completes());
/// assert!(recognizer.step(state, b')').unwrap().completes());
/// assert!(recognizer.step(state, b'x').unwrap().is_dead());
/// ```
pub struct Recognizer {
    network: Arc<Network>,
    config: Config,
    sets: Interner<Set>,
    origins: Interner<Origin>,
    dynamic_nodes: DynamicNodes,
    /// By node of the network, its FIRST set.
    first_bytes: Box<[OnceLock<ByteSet>]>,
    callee_infos: Box<[CalleeInfo]>,
    budget: Budget,
    /// Bytes that imports have added.
    imported: AtomicUsize,
    initial: SetId,
    writer: Mutex<Writer>,
}

/// Construction, configuration and size.
impl Recognizer {
    /// Creates a recognizer that knows only its initial state.
    pub fn new(network: Arc<Network>, config: &Config) -> Self {
        let writer = Writer::new(&network);
        let mut recognizer = Self {
            config: config.clone(),
            sets: Interner::new(),
            origins: Interner::new(),
            dynamic_nodes: DynamicNodes::new(&network),
            first_bytes: network.nodes.iter().map(|_| OnceLock::new()).collect(),
            callee_infos: network.callees.iter().map(|_| CalleeInfo::new()).collect(),
            network,
            budget: Budget::new(config.limits.budget),
            imported: AtomicUsize::new(0),
            initial: SetId::DEAD,
            writer: Mutex::new(writer),
        };
        // In both tables, index 0 is the entry without content: the dead set, and the root.
        recognizer.sets.intern(&[][..], Set::new);
        recognizer.origins.push(Origin::new(Callers::new(), None));
        let network = &recognizer.network;
        let is_continued = network.node(network.start).goes_on();
        let start = is_continued.then_some(network.start);
        // The empty output is complete before the first byte.
        let end = network.allows_empty.then_some(NetworkNodeId::DONE);
        let items = start.into_iter().chain(end).map(|node| Item { node, origin: OriginId::ROOT });
        let items: Vec<Item> = items.collect();
        recognizer.initial = recognizer.intern_set(&items).expect("there is room for the first set");
        recognizer
    }

    /// Creates an empty recognizer with the same network and configuration.
    pub fn successor(&self) -> Self {
        Self::new(Arc::clone(&self.network), &self.config)
    }

    /// Returns the network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the approximate number of bytes of the tables.
    pub fn bytes_used(&self) -> usize {
        self.budget.used()
    }

    /// Returns true if the tables use more than [`Limits::budget`](crate::Limits::budget) bytes.
    pub fn is_over_budget(&self) -> bool {
        self.budget.is_exceeded()
    }

    /// Returns the number of sets, the dead one included.
    pub fn set_count(&self) -> usize {
        self.sets.len()
    }

    /// Returns the number of origins, the root included.
    pub fn origin_count(&self) -> usize {
        self.origins.len()
    }

    /// Sets or removes the cancellation flag. While the flag is true, long computations end with
    /// [`Error::Cancelled`]. Their partial results are kept and are correct.
    ///
    /// One byte may predict 100,000 rules, so a background thread that computes states in advance needs this
    /// to stop in time.
    pub fn set_cancel_flag(&self, cancel: Option<Arc<AtomicBool>>) {
        self.lock().set_cancel_flag(cancel);
    }
}

/// Steps.
impl Recognizer {
    /// Returns the state before the first byte.
    pub fn initial(&self) -> SetId {
        self.initial
    }

    /// Returns the state after `byte`, or [`SetId::DEAD`] if no text of the language continues with it.
    ///
    /// # Errors
    /// If a limit is exceeded. The recognizer can still be used.
    ///
    /// # Panics
    /// If the state does not belong to this recognizer.
    ///
    /// # Complexity
    /// O(1) if the step was taken before, otherwise linear in the items of the set and in the callers that
    /// completions advance.
    #[inline]
    pub fn step(&self, state: SetId, byte: u8) -> Result<SetId, Error> {
        self.step_class(state, self.network.class_of(byte))
    }

    /// Returns the state after any byte of a class, or after a special token.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    #[inline]
    pub fn step_class(&self, state: SetId, class: Class) -> Result<SetId, Error> {
        match self.set(state).row.get(class.index()) {
            Some(raw) => Ok(SetId::from_raw(raw)),
            None => self.compute_step(state, class),
        }
    }

    /// Takes steps from `state` as long as they are known. Returns the state after them, and the number of
    /// bytes. Ends with [`SetId::DEAD`] and all bytes if `passes` rejects a state between two bytes.
    #[inline]
    pub fn known_steps(&self, state: SetId, bytes: &[u8], passes: impl Fn(SetId) -> bool) -> (SetId, usize) {
        let mut here = state;
        for (offset, &byte) in bytes.iter().enumerate() {
            if !here.goes_on() || (offset > 0 && !passes(here)) {
                return (SetId::DEAD, bytes.len());
            }
            match self.set(here).row.get(self.network.class_of(byte).index()) {
                Some(raw) => here = SetId::from_raw(raw),
                None => return (here, offset),
            }
        }
        (here, bytes.len())
    }

    /// Returns the state after several bytes. Returns [`SetId::DEAD`] if `passes` rejects a state between two
    /// bytes.
    ///
    /// Equivalent to one [`step`](Self::step) per byte, but takes the lock once for several new steps.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    #[inline]
    pub fn step_bytes(
        &self,
        state: SetId,
        bytes: &[u8],
        passes: impl Fn(SetId) -> bool,
    ) -> Result<SetId, Error> {
        self.step_bytes_after(state, bytes, 0, passes)
    }

    /// As [`step_bytes`](Self::step_bytes), from the state after the first `read` bytes.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn step_bytes_after(
        &self,
        state: SetId,
        bytes: &[u8],
        read: usize,
        passes: impl Fn(SetId) -> bool,
    ) -> Result<SetId, Error> {
        let mut here = state;
        let mut guard: Option<WriterGuard<'_>> = None;
        for (offset, &byte) in bytes.iter().enumerate().skip(read) {
            if !here.goes_on() || (offset > 0 && !passes(here)) {
                return Ok(SetId::DEAD);
            }
            let class = self.network.class_of(byte);
            let known = self.set(here).row.get(class.index());
            if known.is_some() || offset % STEPS_PER_LOCK == 0 {
                guard = None;
            }
            here = match known {
                Some(raw) => SetId::from_raw(raw),
                None => self.compute_step_locked(here, class, guard.get_or_insert_with(|| self.lock()))?,
            };
        }
        Ok(here)
    }

    /// Returns the state after a symbol that belongs to several classes at once, such as a special token that
    /// the grammar names in two ways.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn step_classes(&self, state: SetId, classes: &[Class]) -> Result<SetId, Error> {
        match *classes {
            [class] => self.step_class(state, class),
            _ if !state.goes_on() => Ok(SetId::DEAD),
            _ => {
                let set = self.set(state);
                let mut guard = self.lock();
                let closure = self.closure(set, &mut guard)?;
                guard.step(&closure.scanners, classes)
            }
        }
    }

    #[cold]
    fn compute_step(&self, state: SetId, class: Class) -> Result<SetId, Error> {
        if !state.goes_on() {
            return Ok(SetId::DEAD);
        }
        self.compute_step_locked(state, class, &mut self.lock())
    }

    /// Computes and stores a step from a state that has items.
    fn compute_step_locked(
        &self,
        state: SetId,
        class: Class,
        guard: &mut WriterGuard<'_>,
    ) -> Result<SetId, Error> {
        let set = self.set(state);
        let next = match (set.closure.get(), self.network.representative(class)) {
            (None, Some(byte)) => guard.step_by_byte(set.kernel(), class, byte)?,
            _ => {
                let closure = self.closure(set, guard)?;
                guard.step(&closure.scanners, &[class])?
            }
        };
        self.store_step(state, class, next);
        Ok(next)
    }
}

/// Sets and origins.
impl Recognizer {
    /// Returns the bytes whose successor is not dead. Computes no successor.
    ///
    /// # Errors
    /// If a limit is exceeded.
    pub fn live_bytes(&self, state: SetId) -> Result<ByteSet, Error> {
        if !state.goes_on() {
            return Ok(ByteSet::default());
        }
        let set = self.set(state);
        if let Some(known) = set.closure.get().and_then(|closure| closure.live_bytes.get()) {
            return Ok(*known);
        }
        let mut guard = self.lock();
        let closure = self.closure(set, &mut guard)?;
        let bytes = guard.live_bytes(&closure.scanners)?;
        Ok(*closure.live_bytes.get_or_init(|| bytes))
    }

    /// Returns the items right after the last byte, sorted. They and the [`completed`](Self::completed)
    /// origins identify the state.
    pub fn kernel(&self, state: SetId) -> &[Item] {
        self.set(state).kernel()
    }

    /// Returns the outermost origins that are complete in a state: the root, or open ones.
    pub fn completed(&self, state: SetId) -> impl Iterator<Item = OriginId> {
        self.set(state).completed()
    }

    /// Returns the items that continue when `origin` completes. Outermost origins have none.
    pub fn callers(&self, origin: OriginId) -> &[Item] {
        if origin.is_outermost() { &[] } else { &self.origins.get(origin.0).callers }
    }

    /// Returns all scanning items of a state, predicted ones included; sorted.
    ///
    /// # Errors
    /// If the set exceeds a limit.
    pub fn scanners(&self, state: SetId) -> Result<&[Item], Error> {
        let set = self.set(state);
        match set.closure.get() {
            Some(closure) => Ok(&closure.scanners),
            None => Ok(&self.closure(set, &mut self.lock())?.scanners),
        }
    }

    /// Returns the state of this recognizer that corresponds to a state of another recognizer of the same
    /// network.
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Complexity
    /// Linear in the origins that are reachable from the state.
    pub fn import(&self, from: &Self, state: SetId) -> Result<SetId, Error> {
        if state.is_dead() || std::ptr::eq(self, from) {
            return Ok(state);
        }
        // Both locks are taken in the order of their addresses: another thread may import in the other
        // direction.
        let (mut own, other) = if std::ptr::from_ref(self) < std::ptr::from_ref(from) {
            let own = self.lock();
            (own, from.lock())
        } else {
            let other = from.lock();
            (self.lock(), other)
        };
        // The lock is held, so nearly all added bytes belong to this import. Dropping the guard charges the
        // growth of the language store.
        let before = self.bytes_used();
        let items = &from.set(state).items;
        let imported =
            own.with(|stages, cx| import(&mut stages.nodes, cx, from, &other.stages().nodes, items));
        drop(own);
        self.imported.fetch_add(self.bytes_used() - before, Ordering::Relaxed);
        imported
    }

    /// Returns the number of bytes that [`import`](Self::import) has added to the tables.
    pub fn imported_bytes(&self) -> usize {
        self.imported.load(Ordering::Relaxed)
    }

    /// See [`Inspector::split`](crate::Inspector::split).
    fn split(&self, state: SetId) -> Result<&SplitState, Error> {
        let set = self.set(state);
        if let Some(known) = set.split.get() {
            return Ok(known);
        }
        let mut lexemes = Vec::new();
        let mut rest = Vec::new();
        for item in self.scanners(state)? {
            match self.network.scan_only.get(item.node.index()) {
                Some(&node) => rest.push(Item { node, origin: item.origin }),
                None => lexemes.push(*item),
            }
        }
        rest.sort_unstable();
        rest.dedup();
        let rest = self.intern_set(&rest)?;
        self.budget.spend(size_of_val(&lexemes[..]));
        Ok(set.split.get_or_init(|| Box::new(SplitState { lexemes: lexemes.into(), rest })))
    }

    /// See [`Inspector::state_after`](crate::Inspector::state_after).
    fn state_after(&self, origin: OriginId) -> Result<SetId, Error> {
        if origin.is_outermost() {
            return self.intern_set(&[Item { node: NetworkNodeId::DONE, origin }]);
        }
        let entry = self.origins.get(origin.0);
        if let Some(&known) = entry.state_after.get() {
            return Ok(known);
        }
        let set = self.lock().complete(origin)?;
        Ok(*entry.state_after.get_or_init(|| set))
    }

    /// Returns the closure of a set, which is computed if it is unknown.
    fn closure<'a>(&self, set: &'a Set, guard: &mut WriterGuard<'_>) -> Result<&'a Closure, Error> {
        if let Some(closure) = set.closure.get() {
            return Ok(closure);
        }
        let scanners = guard.close(set.kernel())?;
        Ok(self.add_closure(set, scanners))
    }

    /// Stores the closure of a set with these scanning items.
    fn add_closure<'a>(&self, set: &'a Set, scanners: Vec<Item>) -> &'a Closure {
        let scanners: Box<[Item]> = scanners.into();
        self.spend(size_of::<Closure>() + size_of_val::<[Item]>(&scanners));
        let bytes_of = |item: &Item| self.bytes_bound(item.node);
        let bytes_bound = scanners.iter().fold(ByteSet::EMPTY, |all, item| all.union(&bytes_of(item)));
        let closure = Closure { scanners, bytes_bound, live_bytes: OnceLock::new() };
        set.closure.get_or_init(|| Box::new(closure))
    }

    /// Returns a superset of the bytes that a node scans.
    fn bytes_bound(&self, node: NetworkNodeId) -> ByteSet {
        match self.network.scanned.get(node.index()) {
            Some(scanned) => *scanned,
            None => self.dynamic_nodes.get(node).first_bytes.get().copied().unwrap_or(ByteSet::ALL),
        }
    }
}

/// Steps of states inside of items of `distinct!`, while the lock is held.
impl Recognizer {
    /// Returns the items that identify a state.
    pub(crate) fn items(&self, state: SetId) -> &[Item] {
        &self.set(state).items
    }

    /// Returns the stored step of a state by a class; the step of a state without items is known.
    pub(crate) fn known_step(&self, state: SetId, class: Class) -> Option<SetId> {
        if !state.goes_on() {
            return Some(SetId::DEAD);
        }
        self.set(state).row.get(class.index()).map(SetId::from_raw)
    }

    /// Stores a step, if steps are kept.
    pub(crate) fn store_step(&self, state: SetId, class: Class, next: SetId) {
        if self.config.tuning.keep_steps {
            self.spend(self.set(state).row.set(class.index(), next.raw(), self.network.classes()));
        }
    }

    /// Returns the scanning items of a state whose closure is known.
    pub(crate) fn known_scanners(&self, state: SetId) -> Option<&[Item]> {
        self.set(state).closure.get().map(|closure| &*closure.scanners)
    }

    /// Returns the live bytes of a state if they are known.
    pub(crate) fn known_live_bytes(&self, state: SetId) -> Option<ByteSet> {
        self.set(state).closure.get()?.live_bytes.get().copied()
    }

    /// Stores the closure of a state with these scanning items, and returns the items.
    pub(crate) fn store_closure(&self, state: SetId, scanners: Vec<Item>) -> &[Item] {
        &self.add_closure(self.set(state), scanners).scanners
    }

    /// Stores the live bytes of a state whose closure is known, and returns them.
    pub(crate) fn store_live_bytes(&self, state: SetId, bytes: ByteSet) -> ByteSet {
        let closure = self.set(state).closure.get();
        closure.map_or(bytes, |closure| *closure.live_bytes.get_or_init(|| bytes))
    }
}

/// Tables.
impl Recognizer {
    #[inline]
    fn set(&self, id: SetId) -> &Set {
        self.sets.get(id.index())
    }

    /// Returns the set with these items, which must be sorted: a kernel, then the complete outermost origins.
    pub(crate) fn intern_set(&self, items: &[Item]) -> Result<SetId, Error> {
        let limits = &self.config.limits;
        if self.budget.used() > limits.max_bytes {
            let exceeded = LimitExceeded::new(Limit::MaxBytes, limits.max_bytes, None);
            return Err(exceeded.into());
        }
        let before = self.sets.len();
        let index = self.sets.intern(items, Set::new);
        if index > SetId::MAX_INDEX {
            return Err(LimitExceeded::new(Limit::MaxSets, SetId::MAX_INDEX as usize, None).into());
        }
        let set = self.sets.get(index);
        if index as usize >= before {
            self.spend(size_of::<Set>() + size_of_val(items));
        }
        Ok(set.id(index))
    }

    /// Returns the cell for the FIRST set of a node.
    pub(crate) fn first_bytes_cell(&self, node: NetworkNodeId) -> &OnceLock<ByteSet> {
        self.first_bytes.get(node.index()).unwrap_or_else(|| &self.dynamic_nodes.get(node).first_bytes)
    }

    /// Returns the cell for the resumption of an origin that is not outermost.
    pub(crate) fn resumption_cell(&self, origin: OriginId) -> &OnceLock<Box<Resumption>> {
        &self.origins.get(origin.0).resumption
    }

    pub(crate) fn callee_info(&self, callee: CalleeId) -> &CalleeInfo {
        &self.callee_infos[callee.index()]
    }

    pub(crate) fn dynamic_nodes(&self) -> &DynamicNodes {
        &self.dynamic_nodes
    }

    pub(crate) fn origins(&self) -> &Interner<Origin> {
        &self.origins
    }

    /// Adds to the number of bytes that the tables use.
    pub(crate) fn spend(&self, bytes: usize) {
        self.budget.spend(bytes);
    }

    pub(crate) fn lock(&self) -> WriterGuard<'_> {
        WriterGuard::new(self, &self.writer)
    }
}

impl std::fmt::Debug for Recognizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recognizer")
            .field("sets", &self.set_count())
            .field("origins", &self.origin_count())
            .field("bytes_used", &self.bytes_used())
            .finish_non_exhaustive()
    }
}
