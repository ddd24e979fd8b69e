//! The recognizer: states, steps between them, and what a mask needs to know about them.
//!
//! Reading what has been computed before takes no lock; computing something new takes the one lock of the
//! [`Workshop`].

use std::borrow::Borrow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use grammask_cache::{Budget, Interner, LazyRow};
use grammask_regular::ByteSet;
use smallvec::SmallVec;

use crate::recognizer::dynamic_nodes::MadeNodes;
use crate::recognizer::inspect::CalleeInfo;
use crate::recognizer::resumption::Resumption;
use crate::step::{Entered, Workshop};
use crate::{CalleeId, Class, Config, Error, Item, Network, NetworkNodeId, OriginId, SetId};

pub(crate) mod dynamic_nodes;
pub(crate) mod inspect;
pub(crate) mod resumption;
pub(crate) mod successors;
mod tables;

pub(crate) use tables::SavedTables;

/// Runs a [`Network`] over bytes.
///
/// A state is a [`SetId`]: copy it to fork, keep it to go back. Two texts after which the same can follow mostly have the
/// same state, whatever their lengths and nesting, so the tables stay small.
///
/// A recognizer can be shared between threads. It only grows; when [`is_over_budget`](Self::is_over_budget) says so, make a
/// [`successor`](Self::successor) and [`import`](Self::import) the states that are still in use.
///
/// # Source
/// J. Earley, "An efficient context-free parsing algorithm", 1970; J. Leo, "A general context-free parsing algorithm
/// running in linear time on every LR(k) grammar without using lookahead", 1991. Sets are interned by content
/// instead of numbered by position, and origins are the lists of callers instead of positions.
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
    made: MadeNodes,
    /// For every node of the network the bytes that it takes, once somebody asked.
    takes: Box<[OnceLock<ByteSet>]>,
    /// What is known of each callee.
    callee_infos: Box<[CalleeInfo]>,
    budget: Budget,
    /// Bytes of what was imported.
    imported: AtomicUsize,
    initial: SetId,
    workshop: Mutex<Workshop>,
}

/// A set: what identifies it, and what has been computed from it so far.
pub(crate) struct Set {
    /// The kernel, then an item with [`NetworkNodeId::DONE`] for every outermost origin that is complete; sorted.
    pub(crate) items: SmallVec<[Item; FEW]>,
    /// Where the kernel ends.
    kernel_len: u32,
    /// The successors that are known, by class.
    row: LazyRow,
    closure: OnceLock<Box<Closure>>,
    split: OnceLock<Box<SplitState>>,
}

/// What follows from a kernel.
struct Closure {
    /// All items that scan something: those of the kernel and predicted ones.
    scanners: Box<[Item]>,
    /// No scanner takes any other byte.
    bytes_bound: ByteSet,
    /// The bytes that the scanners take, once somebody asked.
    first_bytes: OnceLock<ByteSet>,
}

/// What a set scans, apart: everything that begins with a byte belongs to a lexeme or to the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitState {
    /// The states of lexemes that the set is in.
    pub lexemes: Box<[Item]>,
    /// The set that scans what the network's own nodes scan; [`SetId::DEAD`] where there is nothing.
    pub rest: SetId,
}

/// An origin: who is told when it is complete.
pub(crate) struct Origin {
    pub(crate) callers: Callers,
    /// Where the origin calls itself, the cycle that it belongs to and its place in it.
    pub(crate) cycle: Option<(u32, u32)>,
    after: OnceLock<SetId>,
    resumption: OnceLock<Box<Resumption>>,
}

/// After so many bytes at most the workshop is left to others.
const AT_ONCE: usize = 32;

/// So many items are kept without an allocation of their own: mostly there are no more.
const FEW: usize = 2;

/// Whom an origin tells; sorted.
pub(crate) type Callers = SmallVec<[Item; FEW]>;

impl Origin {
    pub(crate) fn new(callers: Callers, cycle: Option<(u32, u32)>) -> Self {
        Self { callers, cycle, after: OnceLock::new(), resumption: OnceLock::new() }
    }
}

impl Set {
    fn new(items: &[Item]) -> Self {
        let kernel_len = items.partition_point(|item| item.node != NetworkNodeId::DONE);
        Self {
            items: SmallVec::from_slice(items),
            kernel_len: kernel_len as u32,
            row: LazyRow::new(),
            closure: OnceLock::new(),
            split: OnceLock::new(),
        }
    }

    fn kernel(&self) -> &[Item] {
        &self.items[..self.kernel_len as usize]
    }

    fn completed(&self) -> &[Item] {
        &self.items[self.kernel_len as usize..]
    }

    fn id(&self, index: u32) -> SetId {
        SetId::new(index, self.kernel_len > 0, !self.completed().is_empty())
    }
}

impl Borrow<[Item]> for Set {
    fn borrow(&self) -> &[Item] {
        &self.items
    }
}

impl Borrow<[Item]> for Origin {
    fn borrow(&self) -> &[Item] {
        &self.callers
    }
}

impl Recognizer {
    /// A recognizer that knows its first state and nothing else.
    pub fn new(network: Arc<Network>, config: &Config) -> Self {
        let workshop = Workshop::new(&network);
        let mut recognizer = Self {
            config: config.clone(),
            sets: Interner::new(),
            origins: Interner::new(),
            made: MadeNodes::new(&network),
            takes: network.nodes.iter().map(|_| OnceLock::new()).collect(),
            callee_infos: network.callees.iter().map(|_| CalleeInfo::new()).collect(),
            network,
            budget: Budget::new(config.budget),
            imported: AtomicUsize::new(0),
            initial: SetId::DEAD,
            workshop: Mutex::new(workshop),
        };
        // Index 0 of both tables belongs to what has no content: the dead set, and the root.
        recognizer.sets.intern(&[][..], Set::new);
        recognizer.origins.push(Origin::new(Callers::new(), None));
        let start = Item { node: recognizer.network.start, origin: OriginId::ROOT };
        recognizer.initial = recognizer.intern_set(&[start]).expect("there is room for the first set");
        recognizer
    }

    /// An empty recognizer of the same network, with the same limits.
    pub fn successor(&self) -> Self {
        Self::new(Arc::clone(&self.network), &self.config)
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The state before the first byte.
    pub fn initial(&self) -> SetId {
        self.initial
    }

    /// The state after `byte`; [`SetId::DEAD`] where no text goes on so.
    ///
    /// # Errors
    /// When a limit is exceeded: nothing has changed then.
    ///
    /// # Panics
    /// When the state is not of this recognizer.
    ///
    /// # Complexity
    /// O(1) when the step was taken before; else linear in the items of the set and the callers that are told of completions.
    #[inline]
    pub fn step(&self, state: SetId, byte: u8) -> Result<SetId, Error> {
        self.step_class(state, self.network.class_of(byte))
    }

    /// The state after any byte of a class, or after a special token.
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

    /// The state after some bytes; [`SetId::DEAD`] where `passes` says no of a state between two of them. As [`step`](Self::step) by each, but what
    /// is new is made with less waiting in between.
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
        let mut here = state;
        let mut workshop: Option<Entered<'_>> = None;
        for (place, &byte) in bytes.iter().enumerate() {
            if !here.goes_on() || (place > 0 && !passes(here)) {
                return Ok(SetId::DEAD);
            }
            let class = self.network.class_of(byte);
            let known = self.set(here).row.get(class.index());
            // Others may be waiting.
            if known.is_some() || place % AT_ONCE == 0 {
                workshop = None;
            }
            here = match known {
                Some(raw) => SetId::from_raw(raw),
                None => self.step_within(here, class, workshop.get_or_insert_with(|| self.lock()))?,
            };
        }
        Ok(here)
    }

    #[cold]
    fn compute_step(&self, state: SetId, class: Class) -> Result<SetId, Error> {
        if !state.goes_on() {
            return Ok(SetId::DEAD);
        }
        self.step_within(state, class, &mut self.lock())
    }

    /// A step that is not known, from a state that goes on.
    fn step_within(&self, state: SetId, class: Class, workshop: &mut Entered<'_>) -> Result<SetId, Error> {
        let set = self.set(state);
        let next = match (set.closure.get(), self.network.representative(class)) {
            (None, Some(byte)) => workshop.step_by(self, set.kernel(), (class, byte))?,
            _ => {
                let closure = self.closure(set, workshop)?;
                workshop.step(self, &closure.scanners, &[class])?
            }
        };
        if self.config.keep_steps {
            self.spend(set.row.set(class.index(), next.raw(), self.network.classes()));
        }
        Ok(next)
    }

    /// The state after something that belongs to several classes at once, such as a special token that the grammar names in two ways.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn step_classes(&self, state: SetId, classes: &[Class]) -> Result<SetId, Error> {
        match *classes {
            [class] => self.step_class(state, class),
            _ if !state.goes_on() => Ok(SetId::DEAD),
            _ => {
                let set = self.set(state);
                let mut workshop = self.lock();
                let closure = self.closure(set, &mut workshop)?;
                workshop.step(self, &closure.scanners, classes)
            }
        }
    }

    /// The bytes after which a state is not dead. Makes no successor.
    ///
    /// # Errors
    /// When a limit is exceeded.
    pub fn live_bytes(&self, state: SetId) -> Result<ByteSet, Error> {
        if !state.goes_on() {
            return Ok(ByteSet::default());
        }
        let set = self.set(state);
        if let Some(known) = set.closure.get().and_then(|closure| closure.first_bytes.get()) {
            return Ok(*known);
        }
        let mut workshop = self.lock();
        let closure = self.closure(set, &mut workshop)?;
        let bytes = workshop.first_bytes(self, &closure.scanners)?;
        Ok(*closure.first_bytes.get_or_init(|| bytes))
    }

    /// The items of a state right after its last byte, sorted: what identifies it, with [`completed`](Self::completed).
    pub fn kernel(&self, state: SetId) -> &[Item] {
        self.set(state).kernel()
    }

    /// The outermost origins that are complete in a state: the root, or open ones.
    pub fn completed(&self, state: SetId) -> impl Iterator<Item = OriginId> {
        let set = self.set(state);
        set.completed().iter().map(|item| item.origin)
    }

    /// Whom to tell when `origin` is complete: where to go on, and whom to tell then. Empty for outermost origins.
    pub fn callers(&self, origin: OriginId) -> &[Item] {
        if origin.is_outermost() { &[] } else { &self.origins.get(origin.0).callers }
    }

    /// All items of a state that scan something, predicted ones included; sorted.
    ///
    /// # Errors
    /// When the set exceeds a limit.
    pub fn scanners(&self, state: SetId) -> Result<&[Item], Error> {
        let set = self.set(state);
        match set.closure.get() {
            Some(closure) => Ok(&closure.scanners),
            None => Ok(&self.closure(set, &mut self.lock())?.scanners),
        }
    }

    /// What a state scans, lexeme by lexeme. The successors of the parts together are those of the state.
    ///
    /// # Errors
    /// When a limit is exceeded.
    fn split(&self, state: SetId) -> Result<&SplitState, Error> {
        let set = self.set(state);
        if let Some(parts) = set.split.get() {
            return Ok(parts);
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

    /// The state in which `origin` has just been completed and nothing else is going on. For outermost origins: the
    /// set that has no items and completes just them.
    ///
    /// # Errors
    /// When a limit is exceeded.
    fn state_after(&self, origin: OriginId) -> Result<SetId, Error> {
        if origin.is_outermost() {
            return self.intern_set(&[Item { node: NetworkNodeId::DONE, origin }]);
        }
        let entry = self.origins.get(origin.0);
        if let Some(&set) = entry.after.get() {
            return Ok(set);
        }
        let set = self.lock().complete(self, origin)?;
        Ok(*entry.after.get_or_init(|| set))
    }

    /// The state of this recognizer that stands for a state of another one of the same network.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// Linear in the origins that can be reached from the state.
    pub fn import(&self, from: &Self, state: SetId) -> Result<SetId, Error> {
        if state.is_dead() || std::ptr::eq(self, from) {
            return Ok(state);
        }
        // In one order whichever way: another thread may import the other way at the same time.
        let (mut own, other) = if std::ptr::from_ref(self) < std::ptr::from_ref(from) {
            let own = self.lock();
            (own, from.lock())
        } else {
            let other = from.lock();
            (self.lock(), other)
        };
        // With the lock, hardly anybody else adds anything; what languages have grown by is counted when it is given back.
        let before = self.bytes_used();
        let imported = own.import(self, from, &other, &from.set(state).items);
        drop(own);
        self.imported.fetch_add(self.bytes_used() - before, Ordering::Relaxed);
        imported
    }

    /// Bytes that the tables have grown by through [`import`](Self::import).
    pub fn imported_bytes(&self) -> usize {
        self.imported.load(Ordering::Relaxed)
    }

    /// Bytes that the tables hold, roughly.
    pub fn bytes_used(&self) -> usize {
        self.budget.used()
    }

    /// Whether the tables hold more than `Config::budget` bytes.
    pub fn is_over_budget(&self) -> bool {
        self.budget.is_exceeded()
    }

    /// How many sets there are, the dead one included.
    pub fn set_count(&self) -> usize {
        self.sets.len()
    }

    /// How many origins there are, the root included.
    pub fn origin_count(&self) -> usize {
        self.origins.len()
    }

    #[inline]
    fn set(&self, id: SetId) -> &Set {
        self.sets.get(id.index())
    }

    /// The set with these items, which are sorted: a kernel, then what is complete.
    pub(crate) fn intern_set(&self, items: &[Item]) -> Result<SetId, Error> {
        if self.budget.used() > self.config.max_bytes {
            return Err(Error::TooManyBytes { limit: self.config.max_bytes });
        }
        let before = self.sets.len();
        let index = self.sets.intern(items, Set::new);
        if index > SetId::MAX_INDEX {
            return Err(Error::TooManySets { limit: SetId::MAX_INDEX as usize });
        }
        let set = self.sets.get(index);
        if index as usize >= before {
            self.spend(size_of::<Set>() + size_of_val(items));
        }
        Ok(set.id(index))
    }

    /// Where the bytes are kept that a node takes.
    pub(crate) fn first_bytes_cell(&self, node: NetworkNodeId) -> &OnceLock<ByteSet> {
        self.takes.get(node.index()).unwrap_or_else(|| &self.made.get(node).takes)
    }

    /// Where it is kept what follows an origin, which is no outermost one.
    pub(crate) fn resumption_cell(&self, origin: OriginId) -> &OnceLock<Box<Resumption>> {
        &self.origins.get(origin.0).resumption
    }

    pub(crate) fn callee_info(&self, callee: CalleeId) -> &CalleeInfo {
        &self.callee_infos[callee.index()]
    }

    pub(crate) fn made(&self) -> &MadeNodes {
        &self.made
    }

    pub(crate) fn origins(&self) -> &Interner<Origin> {
        &self.origins
    }

    pub(crate) fn spend(&self, bytes: usize) {
        self.budget.spend(bytes);
    }

    /// The bytes that a node scans, or some more.
    fn bytes_bound(&self, node: NetworkNodeId) -> ByteSet {
        match self.network.nodes.get(node.index()) {
            Some(_) => *self.inspect().scanned_bytes(node),
            None => self.made.get(node).takes.get().copied().unwrap_or(ByteSet::ALL),
        }
    }

    fn closure<'a>(&self, set: &'a Set, workshop: &mut Workshop) -> Result<&'a Closure, Error> {
        if let Some(closure) = set.closure.get() {
            return Ok(closure);
        }
        let scanners: Box<[Item]> = workshop.close(self, set.kernel())?.into();
        self.spend(size_of::<Closure>() + size_of_val::<[Item]>(&scanners));
        let bytes_bound =
            scanners.iter().fold(ByteSet::EMPTY, |all, item| all.union(&self.bytes_bound(item.node)));
        Ok(set
            .closure
            .get_or_init(|| Box::new(Closure { scanners, bytes_bound, first_bytes: OnceLock::new() })))
    }

    /// From now on, whatever takes long ends with [`Error::Cancelled`] once this flag is true; without one, nothing does. What has been found by
    /// then is kept, and right.
    ///
    /// For whoever makes states before anybody waits for them, as one byte may lead to 100,000 rules.
    pub fn set_cancel_flag(&self, cancel: Option<Arc<AtomicBool>>) {
        self.lock().set_cancel_flag(cancel);
    }

    pub(crate) fn lock(&self) -> Entered<'_> {
        Entered::new(self, &self.workshop)
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
