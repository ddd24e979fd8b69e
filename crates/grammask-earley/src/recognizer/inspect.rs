//! Nodes, states and origins of a recognizer seen one by one, for an algorithm that walks a vocabulary.
//!
//! A mask is computed rule by rule: "this node calls that rule, and continues at this other node". Plain recognition
//! never needs that, so it has an interface of its own.

use std::sync::OnceLock;

use grammask_regular::{ByteSet, RegularId, Store, analysis};

use crate::recognizer::dynamic_nodes::{self, Kind, MadeNode, Phase, Standing};
use crate::recognizer::{resumption, successors};
use crate::unordered::distinct::{self, Reading};
use crate::unordered::plan::Choice;
use crate::{
    AfterDistinct, Callee, CalleeId, Class, DistinctPosition, Error, Item, NetworkNodeId, OriginId,
    Recognizer, Resumption, SetId, SplitState, Successors,
};

/// Lazily computed facts about one callee.
pub(crate) struct CalleeInfo {
    /// First node of the callee.
    pub(crate) start: OnceLock<NetworkNodeId>,
    /// FIRST set: the bytes with which the callee's texts begin.
    pub(crate) first_bytes: OnceLock<ByteSet>,
}

impl CalleeInfo {
    pub(crate) const fn new() -> Self {
        Self { start: OnceLock::new(), first_bytes: OnceLock::new() }
    }
}

/// Properties of a node that need no computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeFlags {
    /// True if the rule may end at the node.
    pub is_final: bool,
    /// True if the rule may continue from the node.
    pub goes_on: bool,
}

/// Possible continuations of a permutation (`unordered!`) at one node.
#[derive(Clone, Copy, Debug)]
pub enum Permutation<'a> {
    /// The separator between two items.
    Separator {
        /// First node of the separator.
        start: NetworkNodeId,
        /// Node that follows the separator.
        back: NetworkNodeId,
    },
    /// One of several items.
    Items {
        /// The permutation.
        callee: CalleeId,
        /// Number of items of the permutation.
        count: usize,
        /// The items that may come next, in ascending order of their index.
        choices: &'a [Choice],
    },
}

/// View of a [`Recognizer`] that exposes its nodes, origins and sets one by one.
///
/// Plain recognition needs only [`Recognizer`]. A vocabulary walk follows calls and completions itself and needs
/// these methods. All of them take node ids of the same recognizer, and most panic if given another's.
///
/// ```
/// # use std::sync::Arc;
/// # use grammask_earley::{Config, Network, Recognizer};
/// # use grammask_regular::Store;
/// # let ast = grammask_syntax::parse("start ::= '(' start ')' | 'x';", &Default::default()).unwrap();
/// # let mut store = Store::new(&Default::default());
/// # let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
/// # let network = Network::build(&normal, store, &Config::default()).unwrap();
/// let recognizer = Recognizer::new(Arc::new(network), &Config::default());
/// let inspector = recognizer.inspect();
/// let start = recognizer.network().start;
/// assert!(!inspector.flags(start).is_final);
/// assert_eq!(inspector.first_bytes(start).unwrap().iter().collect::<Vec<u8>>(), b"(x");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Inspector<'a> {
    pub(crate) recognizer: &'a Recognizer,
}

impl Recognizer {
    /// Returns the view that exposes single nodes, origins and sets.
    #[inline]
    pub const fn inspect(&self) -> Inspector<'_> {
        Inspector { recognizer: self }
    }
}

/// Nodes.
impl<'a> Inspector<'a> {
    /// Returns whether a rule may end at a node and whether it may continue there.
    ///
    /// # Panics
    /// If the node does not belong to this recognizer.
    #[inline]
    pub fn flags(self, node: NetworkNodeId) -> NodeFlags {
        match self.recognizer.network().nodes.get(node.index()) {
            Some(known) => NodeFlags { is_final: known.is_final, goes_on: known.goes_on() },
            None => {
                let made = self.recognizer.made().get(node);
                NodeFlags { is_final: made.is_final, goes_on: made.goes_on }
            }
        }
    }

    /// Returns the scanning edges of a network node, sorted by class. Dynamic nodes, such as lexeme states and
    /// counters, have none.
    #[inline]
    pub fn scans(self, node: NetworkNodeId) -> &'a [(Class, NetworkNodeId)] {
        self.recognizer.network().nodes.get(node.index()).map_or(&[], |node| &node.scans)
    }

    /// Returns the bytes on the scanning edges of a network node. Dynamic nodes have none.
    #[inline]
    pub fn scanned_bytes(self, node: NetworkNodeId) -> &'a ByteSet {
        self.recognizer.network().scanned.get(node.index()).unwrap_or(&ByteSet::EMPTY)
    }

    /// Appends the calls of a node: pairs of the callee's first node and the node that follows the call.
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Panics
    /// If the node does not belong to this recognizer.
    pub fn calls(
        self,
        node: NetworkNodeId,
        calls: &mut Vec<(NetworkNodeId, NetworkNodeId)>,
    ) -> Result<(), Error> {
        let recognizer = self.recognizer;
        if let Some(known) = recognizer.network().nodes.get(node.index()) {
            for &(callee, back) in &known.calls {
                calls.push((self.start_of(callee)?, back));
            }
            return Ok(());
        }
        let made = recognizer.made().get(node);
        if let (Kind::Counter(counter, count), true) = (&made.kind, made.goes_on)
            && let Callee::Counter { element, .. } = *recognizer.network().callee(*counter)
        {
            let back = recognizer.lock().counter_node(recognizer, *counter, count + 1);
            calls.push((self.start_of(element)?, back));
        }
        for &(callee, back) in self.permutation_calls(made)? {
            calls.push((self.start_of(callee)?, back));
        }
        match made.kind {
            Kind::Reading(Reading { behind: Some(behind), .. }) => self.calls(behind, calls)?,
            Kind::Pending(from, Phase::Behind) if made.goes_on => {
                if let Some(separator) = distinct::separator_after(recognizer, from) {
                    let back = recognizer.lock().pending(recognizer, from, Phase::Item);
                    calls.push((self.start_of(separator)?, back));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the calls of a permutation node. Other nodes have none.
    fn permutation_calls(self, made: &'a MadeNode) -> Result<&'a [(CalleeId, NetworkNodeId)], Error> {
        let Kind::Unordered(standing) = &made.kind else { return Ok(&[]) };
        match standing.calls.get() {
            Some(known) => Ok(known),
            None => self.recognizer.lock().selection_calls(self.recognizer, standing),
        }
    }

    /// Returns the possible continuations of a permutation at a node, without creating the node after each item as
    /// [`calls`](Self::calls) does. Returns `None` for other nodes, and where an item of `distinct!` may begin.
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Panics
    /// If the node does not belong to this recognizer.
    ///
    /// # Complexity
    /// O(1) if computed before, otherwise linear in the items and the implications between them.
    pub fn permutation(self, node: NetworkNodeId) -> Result<Option<Permutation<'a>>, Error> {
        let recognizer = self.recognizer;
        if node.index() < recognizer.network().nodes.len() {
            return Ok(None);
        }
        let made = recognizer.made().get(node);
        let Kind::Unordered(standing) = &made.kind else { return Ok(None) };
        if standing.beginning.is_some() {
            return Ok(None);
        }
        let Callee::Unordered { items, separator, .. } = recognizer.network().callee(standing.callee) else {
            return Ok(None);
        };
        if standing.phase == Phase::Behind && separator.is_some() {
            let &[(separator, back)] = self.permutation_calls(made)? else { return Ok(None) };
            return Ok(Some(Permutation::Separator { start: self.start_of(separator)?, back }));
        }
        let choices = self.choices(standing);
        Ok(Some(Permutation::Items { callee: standing.callee, count: items.len(), choices }))
    }

    /// Returns the items that may come next in a permutation.
    fn choices(self, standing: &'a Standing) -> &'a [Choice] {
        match standing.items.get() {
            Some(known) => known,
            None => self.recognizer.lock().items(self.recognizer, standing),
        }
    }

    /// Returns the lexeme that a network node calls, if that call is the node's only edge: the lexeme's first state
    /// and the node that follows the call.
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Complexity
    /// O(1), apart from the first use of the lexeme.
    pub fn only_lexeme(self, node: NetworkNodeId) -> Result<Option<(NetworkNodeId, NetworkNodeId)>, Error> {
        let network = self.recognizer.network();
        let Some(known) = network.nodes.get(node.index()) else { return Ok(None) };
        match *known.calls {
            [(callee, back)] if known.scans.is_empty() => match network.callee(callee) {
                Callee::Lexeme { .. } => Ok(Some((self.start_of(callee)?, back))),
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// Returns the first state of each lexeme of the grammar, in the order of the network's callees.
    ///
    /// # Errors
    /// For each lexeme, if a limit is exceeded.
    pub fn lexeme_starts(self) -> impl Iterator<Item = Result<NetworkNodeId, Error>> + use<'a> {
        let callees = (0..).map(CalleeId).zip(&self.recognizer.network().callees);
        let lexemes = callees.filter(|(_, callee)| matches!(callee, Callee::Lexeme { .. }));
        lexemes.map(move |(id, _)| self.start_of(id))
    }

    /// Returns the first node of an item of a permutation.
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Complexity
    /// O(1).
    ///
    /// # Panics
    /// If `callee` is not a permutation, or has no item of this index.
    pub fn item_start(self, callee: CalleeId, item: usize) -> Result<NetworkNodeId, Error> {
        let Callee::Unordered { items, .. } = self.recognizer.network().callee(callee) else {
            panic!("only a permutation has items");
        };
        self.start_of(items[item])
    }

    /// Returns true if a node is inside a permutation, or inside an item of `distinct!`.
    ///
    /// # Panics
    /// If the node does not belong to this recognizer.
    #[inline]
    pub fn is_permutation(self, node: NetworkNodeId) -> bool {
        node.index() >= self.recognizer.network().nodes.len()
            && matches!(
                self.recognizer.made().get(node).kind,
                Kind::Unordered(_) | Kind::Reading(_) | Kind::Pending(..)
            )
    }

    /// Returns the FIRST set of a node: the bytes by which its rule may continue there, through calls or by
    /// scanning.
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Panics
    /// If the node does not belong to this recognizer.
    ///
    /// # Complexity
    /// O(1) if computed before, otherwise linear in the rules that may begin here.
    pub fn first_bytes(self, node: NetworkNodeId) -> Result<ByteSet, Error> {
        let recognizer = self.recognizer;
        let cell = recognizer.first_bytes_cell(node);
        if let Some(bytes) = cell.get() {
            return Ok(*bytes);
        }
        let bytes = match recognizer.network().nodes.get(node.index()) {
            Some(_) => recognizer.lock().takes(recognizer, node)?,
            None => self.first_bytes_of_dynamic(node)?,
        };
        Ok(*cell.get_or_init(|| bytes))
    }

    fn first_bytes_of_dynamic(self, node: NetworkNodeId) -> Result<ByteSet, Error> {
        let recognizer = self.recognizer;
        match recognizer.made().get(node).kind {
            Kind::Lexeme(language, ..) => recognizer.lock().live_bytes(language),
            Kind::Counter(counter, _) => self.first_bytes_of_callee(counter),
            Kind::Unordered(ref standing) if standing.beginning.is_none() => {
                self.first_bytes_of_permutation(standing)
            }
            Kind::Unordered(ref standing) => {
                let read = recognizer.lock().read_bytes(recognizer, node)?;
                Ok(self.first_bytes_of_permutation(standing)?.union(&read))
            }
            Kind::Reading(ref reading) => {
                let read = recognizer.lock().read_bytes(recognizer, node)?;
                match reading.behind {
                    Some(behind) => Ok(self.first_bytes(behind)?.union(&read)),
                    None => Ok(read),
                }
            }
            Kind::Pending(from, phase) => match distinct::separator_after(recognizer, from) {
                Some(separator) if phase == Phase::Behind => self.first_bytes_of_callee(separator),
                _ => {
                    let after = recognizer.lock().others(recognizer, from)?;
                    let start = after.start.map(|start| self.first_bytes(start)).transpose()?;
                    Ok(after.bytes.union(&start.unwrap_or(ByteSet::EMPTY)))
                }
            },
        }
    }

    /// Returns the FIRST set of a permutation's continuations, without the item of `distinct!`.
    fn first_bytes_of_permutation(self, standing: &Standing) -> Result<ByteSet, Error> {
        let Callee::Unordered { items, separator, unordered, .. } =
            self.recognizer.network().callee(standing.callee)
        else {
            return Ok(ByteSet::EMPTY);
        };
        if let (&Some(separator), Phase::Behind) = (separator, standing.phase) {
            return self.first_bytes_of_callee(separator);
        }
        let choices = match standing.items.get() {
            Some(known) => known,
            None => self.recognizer.lock().items(self.recognizer, standing),
        };
        let ordinary = choices.iter().filter(|choice| unordered.distinct != Some(choice.item));
        ordinary
            .map(|choice| self.first_bytes_of_callee(items[choice.item()]))
            .try_fold(ByteSet::EMPTY, |all, bytes| Ok(all.union(&bytes?)))
    }

    /// Returns the FIRST set of a callee.
    fn first_bytes_of_callee(self, callee: CalleeId) -> Result<ByteSet, Error> {
        match self.recognizer.callee_info(callee).first_bytes.get() {
            Some(bytes) => Ok(*bytes),
            None => self.recognizer.lock().taken_by(self.recognizer, callee),
        }
    }

    /// Returns the first node of a callee.
    fn start_of(self, callee: CalleeId) -> Result<NetworkNodeId, Error> {
        if let Callee::Nonterminal { start, .. } = *self.recognizer.network().callee(callee) {
            return Ok(start);
        }
        match self.recognizer.callee_info(callee).start.get() {
            Some(&start) => Ok(start),
            None => self.recognizer.lock().start(self.recognizer, callee),
        }
    }

    /// Calls `read` with the language of a lexeme state. Returns `None` for other nodes.
    ///
    /// `read` runs while the recognizer's lock is held, so it must not call the recognizer.
    ///
    /// # Panics
    /// If the node does not belong to this recognizer.
    pub fn lexeme<T>(self, node: NetworkNodeId, read: impl FnOnce(&Store, RegularId) -> T) -> Option<T> {
        let language = self.language(node)?;
        Some(read(self.recognizer.lock().store(), language))
    }

    /// Returns the language of a lexeme state.
    fn language(self, node: NetworkNodeId) -> Option<RegularId> {
        if !self.is_lexeme(node) {
            return None;
        }
        match self.recognizer.made().get(node).kind {
            Kind::Lexeme(language, ..) => Some(language),
            Kind::Counter(..) | Kind::Unordered(_) | Kind::Reading(_) | Kind::Pending(..) => None,
        }
    }

    /// Returns a lexeme state and a byte such that this lexeme state is its derivative by that byte. Returns `None`
    /// for other nodes, and for lexeme states that were not reached by a byte first.
    ///
    /// # Panics
    /// If the node does not belong to this recognizer.
    pub fn predecessor(self, node: NetworkNodeId) -> Option<(NetworkNodeId, u8)> {
        if !self.is_lexeme(node) {
            return None;
        }
        match self.recognizer.made().get(node).kind {
            Kind::Lexeme(_, _, predecessor) => predecessor,
            Kind::Counter(..) | Kind::Unordered(_) | Kind::Reading(_) | Kind::Pending(..) => None,
        }
    }

    /// Returns true if a node is a lexeme state.
    ///
    /// # Panics
    /// If the node does not belong to this recognizer.
    #[inline]
    pub fn is_lexeme(self, node: NetworkNodeId) -> bool {
        node.index() >= self.recognizer.network().nodes.len()
            && matches!(self.recognizer.made().get(node).kind, Kind::Lexeme(..))
    }

    /// Returns a node that is equivalent to `node` for continuations of at most `bytes` bytes. All counts of a
    /// counter that are farther than that from its bounds share one node.
    ///
    /// # Panics
    /// If the node does not belong to this recognizer.
    pub fn saturate(self, node: NetworkNodeId, bytes: u32) -> NetworkNodeId {
        let recognizer = self.recognizer;
        if node.index() < recognizer.network().nodes.len() {
            return node;
        }
        match recognizer.made().get(node).kind {
            Kind::Counter(counter, count) => {
                let saturated = dynamic_nodes::saturated(recognizer.network().callee(counter), count, bytes);
                if saturated == count {
                    node
                } else {
                    recognizer.lock().counter_node(recognizer, counter, saturated)
                }
            }
            Kind::Lexeme(..) | Kind::Unordered(_) | Kind::Reading(_) | Kind::Pending(..) => node,
        }
    }

    /// Returns the text form of a node. A dynamic node is shown as the lexeme's language, the count, or the
    /// progress of the permutation.
    pub fn describe(self, node: NetworkNodeId) -> String {
        let recognizer = self.recognizer;
        if node.index() < recognizer.network().nodes.len() || node == NetworkNodeId::DONE {
            return node.to_string();
        }
        match &recognizer.made().get(node).kind {
            Kind::Lexeme(language, ..) => recognizer.lock().store().display(*language).to_string(),
            Kind::Counter(counter, count) => {
                format!("{count} of {}", recognizer.network().callee_text(*counter))
            }
            Kind::Unordered(Standing { callee, number, phase, .. }) => {
                let text = recognizer.lock().chosen_text(recognizer, *callee, *number);
                let end = if *phase == Phase::Item { " before an item" } else { "" };
                format!("{text} of {}{end}", recognizer.network().callee_text(*callee))
            }
            Kind::Reading(reading) => {
                let text = recognizer.lock().text_of(reading);
                format!("{text} after {}", self.describe(reading.from))
            }
            Kind::Pending(from, _) => format!("some text after {}", self.describe(*from)),
        }
    }
}

/// Items of `distinct!`, whose texts must differ from each other.
impl<'a> Inspector<'a> {
    /// Returns the position inside, or before, an item of `distinct!`. Returns `None` for other nodes.
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Complexity
    /// O(1), apart from the first call for a node before the item.
    pub fn distinct(self, node: NetworkNodeId) -> Result<Option<DistinctPosition>, Error> {
        distinct::position(self.recognizer, node)
    }

    /// Returns what may follow an item of `distinct!` whose text is unknown, if `node` represents that situation
    /// and no separator is due. See [`DistinctPosition::after`].
    ///
    /// # Errors
    /// If a limit is exceeded.
    pub fn after_distinct(self, node: NetworkNodeId) -> Result<Option<AfterDistinct>, Error> {
        distinct::after_any_text(self.recognizer, node)
    }

    /// Returns the bytes read so far inside an item of `distinct!`, or the empty text for other nodes. Returns
    /// `None` if there are more than `max_bytes`.
    ///
    /// # Complexity
    /// Linear in the text.
    pub fn read_text(self, node: NetworkNodeId, max_bytes: usize) -> Option<Vec<u8>> {
        distinct::read_text(self.recognizer, node, max_bytes)
    }

    /// Returns true if a lexeme state is known to accept at least `least` distinct texts.
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Panics
    /// If the node does not belong to this recognizer.
    pub fn has_distinct_texts(self, node: NetworkNodeId, least: u64) -> Result<bool, Error> {
        match self.language(node) {
            Some(language) => {
                Ok(analysis::has_distinct_values(self.recognizer.lock().store_mut(), language, least)?)
            }
            None => Ok(false),
        }
    }
}

/// Sets and origins.
impl<'a> Inspector<'a> {
    /// Returns true if the scanning items of a state are known, so that [`Recognizer::scanners`] is O(1).
    pub fn has_closure(self, state: SetId) -> bool {
        self.recognizer.set(state).closure.get().is_some()
    }

    /// Returns the state whose only item is `node` with an open origin.
    ///
    /// # Errors
    /// If there are too many sets.
    pub fn open_state(self, node: NetworkNodeId) -> Result<SetId, Error> {
        self.recognizer.intern_set(&[Item { node, origin: OriginId::open(0) }])
    }

    /// Splits the scanning items of a state by lexeme. The successors of the state are the unions of the parts'
    /// successors.
    ///
    /// # Errors
    /// If a limit is exceeded.
    pub fn split(self, state: SetId) -> Result<&'a SplitState, Error> {
        self.recognizer.split(state)
    }

    /// Returns the state in which `origin` has just completed and nothing else is in progress. For an outermost
    /// origin this is the set without items in which only that origin is complete.
    ///
    /// # Errors
    /// If a limit is exceeded.
    pub fn state_after(self, origin: OriginId) -> Result<SetId, Error> {
        self.recognizer.state_after(origin)
    }

    /// Returns the items that continue after `origin` completes. Returns `None` for outermost origins.
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Complexity
    /// O(1) if computed before, otherwise linear in the callers that complete transitively.
    pub fn resumption(self, origin: OriginId) -> Result<Option<&'a Resumption>, Error> {
        resumption::find(self, origin)
    }

    /// Returns an accessor for several successors of one state. Computes the state's closure.
    ///
    /// # Errors
    /// If the closure exceeds a limit.
    pub fn successors(self, state: SetId) -> Result<Successors<'a>, Error> {
        successors::with_closure(self.recognizer, state)
    }

    /// Returns an accessor for a few successors of one state. Does not compute the state's closure; as long as
    /// that is unknown, [`Successors::may_take`] returns true for every byte.
    #[inline]
    pub fn successors_lazy(self, state: SetId) -> Successors<'a> {
        successors::without_closure(self.recognizer, state)
    }
}
