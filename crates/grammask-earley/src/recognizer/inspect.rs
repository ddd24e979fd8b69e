//! Access to single nodes, states and origins of a recognizer, for algorithms that walk a vocabulary.
//!
//! A mask is computed rule by rule: "this node calls that rule, and continues at this other node". Plain
//! recognition does not need this access, so it has an interface of its own.

use grammask_regular::{ByteSet, RegularId, Store, analysis};

use crate::permutation::distinct::{self, DistinctState};
use crate::permutation::distinct_values;
use crate::permutation::plan::Choice;
use crate::recognizer::dynamic_nodes::{self, DynamicNode, NodeKind, PermutationState, Phase};
use crate::recognizer::{resumption, successors};
use crate::step::first_sets;
use crate::{
    AfterDistinct, Callee, CalleeId, Class, DistinctPosition, Error, Item, NetworkNodeId, OriginId,
    Recognizer, Resumption, SetId, SplitState, Successors,
};

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
/// Plain recognition needs only [`Recognizer`]. A vocabulary walk follows calls and completions itself and
/// needs these methods. All of them take node ids of the same recognizer, and most panic for other ids.
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
                let dynamic = self.recognizer.dynamic_nodes().get(node);
                NodeFlags { is_final: dynamic.is_final, goes_on: dynamic.goes_on }
            }
        }
    }

    /// Returns the scanning edges of a network node, sorted by class. Dynamic nodes, such as lexeme states
    /// and counters, have none.
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
        let dynamic = recognizer.dynamic_nodes().get(node);
        if let (NodeKind::Counter(counter, count), true) = (&dynamic.kind, dynamic.goes_on)
            && let Callee::Counter { element, .. } = *recognizer.network().callee(*counter)
        {
            let back =
                recognizer.lock().with(|stages, cx| stages.nodes.counter_node(cx, *counter, count + 1));
            calls.push((self.start_of(element)?, back));
        }
        for &(callee, back) in self.permutation_calls(dynamic)? {
            calls.push((self.start_of(callee)?, back));
        }
        match dynamic.kind {
            NodeKind::Distinct(DistinctState { after: Some(after), .. }) => self.calls(after, calls)?,
            NodeKind::AfterAnyText(from, Phase::AfterItem) if dynamic.goes_on => {
                if let Some(separator) = distinct::separator_after(recognizer, from) {
                    let back = recognizer.lock().with(|stages, cx| {
                        distinct::after_any_text_node(&mut stages.nodes, cx, from, Phase::BeforeItem)
                    });
                    calls.push((self.start_of(separator)?, back));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the calls of a permutation node. Other nodes have none.
    fn permutation_calls(self, dynamic: &'a DynamicNode) -> Result<&'a [(CalleeId, NetworkNodeId)], Error> {
        let NodeKind::Permutation(state) = &dynamic.kind else { return Ok(&[]) };
        match state.calls.get() {
            Some(known) => Ok(known),
            None => self.recognizer.lock().with(|stages, cx| stages.nodes.permutations.calls(cx, state)),
        }
    }

    /// Returns the possible continuations of a permutation at a node, without creating the node after each
    /// item as [`calls`](Self::calls) does. Returns `None` for other nodes, and where an item of `distinct!`
    /// may begin.
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Panics
    /// If the node does not belong to this recognizer.
    ///
    /// # Complexity
    /// O(1) if computed before, otherwise linear in the items and the requirements between them.
    pub fn permutation(self, node: NetworkNodeId) -> Result<Option<Permutation<'a>>, Error> {
        let recognizer = self.recognizer;
        if node.index() < recognizer.network().nodes.len() {
            return Ok(None);
        }
        let dynamic = recognizer.dynamic_nodes().get(node);
        let NodeKind::Permutation(state) = &dynamic.kind else { return Ok(None) };
        if state.distinct_start.is_some() {
            return Ok(None);
        }
        let Callee::Unordered { items, separator, .. } = recognizer.network().callee(state.callee) else {
            return Ok(None);
        };
        if state.phase == Phase::AfterItem && separator.is_some() {
            let &[(separator, back)] = self.permutation_calls(dynamic)? else { return Ok(None) };
            return Ok(Some(Permutation::Separator { start: self.start_of(separator)?, back }));
        }
        let choices = self.choices(state);
        Ok(Some(Permutation::Items { callee: state.callee, count: items.len(), choices }))
    }

    /// Returns the items that may come next in a permutation.
    fn choices(self, state: &'a PermutationState) -> &'a [Choice] {
        match state.choices.get() {
            Some(known) => known,
            None => self.recognizer.lock().with(|stages, cx| stages.nodes.permutations.choices(cx, state)),
        }
    }

    /// Returns the lexeme that a network node calls, if that call is the node's only edge: the lexeme's first
    /// state and the node that follows the call.
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
                self.recognizer.dynamic_nodes().get(node).kind,
                NodeKind::Permutation(_) | NodeKind::Distinct(_) | NodeKind::AfterAnyText(..)
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
            Some(_) => recognizer
                .lock()
                .with(|stages, cx| first_sets::of_network_node(&mut stages.nodes, cx, node))?,
            None => self.first_bytes_of_dynamic(node)?,
        };
        Ok(*cell.get_or_init(|| bytes))
    }

    fn first_bytes_of_dynamic(self, node: NetworkNodeId) -> Result<ByteSet, Error> {
        let recognizer = self.recognizer;
        match recognizer.dynamic_nodes().get(node).kind {
            NodeKind::Lexeme(ref state) => {
                recognizer.lock().with(|stages, _| stages.nodes.live_bytes(state.language))
            }
            NodeKind::Counter(counter, _) => self.first_bytes_of_callee(counter),
            NodeKind::Permutation(ref state) if state.distinct_start.is_none() => {
                self.first_bytes_of_permutation(state)
            }
            NodeKind::Permutation(ref state) => {
                let read = self.distinct_bytes(node)?;
                Ok(self.first_bytes_of_permutation(state)?.union(&read))
            }
            NodeKind::Distinct(ref state) => {
                let read = self.distinct_bytes(node)?;
                match state.after {
                    Some(after) => Ok(self.first_bytes(after)?.union(&read)),
                    None => Ok(read),
                }
            }
            NodeKind::AfterAnyText(from, phase) => match distinct::separator_after(recognizer, from) {
                Some(separator) if phase == Phase::AfterItem => self.first_bytes_of_callee(separator),
                _ => {
                    let after = recognizer.lock().with(|stages, cx| {
                        distinct::continuations_after_any_text(&mut stages.nodes, cx, from)
                    })?;
                    let start = after.start.map(|start| self.first_bytes(start)).transpose()?;
                    Ok(after.bytes.union(&start.unwrap_or(ByteSet::EMPTY)))
                }
            },
        }
    }

    /// Returns the FIRST set of a permutation's continuations, without the item of `distinct!`.
    fn first_bytes_of_permutation(self, state: &PermutationState) -> Result<ByteSet, Error> {
        let Callee::Unordered { items, separator, unordered, .. } =
            self.recognizer.network().callee(state.callee)
        else {
            return Ok(ByteSet::EMPTY);
        };
        if let (&Some(separator), Phase::AfterItem) = (separator, state.phase) {
            return self.first_bytes_of_callee(separator);
        }
        let choices = match state.choices.get() {
            Some(known) => known,
            None => self.recognizer.lock().with(|stages, cx| stages.nodes.permutations.choices(cx, state)),
        };
        let ordinary = choices.iter().filter(|choice| unordered.distinct != Some(choice.item));
        ordinary
            .map(|choice| self.first_bytes_of_callee(items[choice.item()]))
            .try_fold(ByteSet::EMPTY, |all, bytes| Ok(all.union(&bytes?)))
    }

    /// Returns the bytes by which an item of `distinct!` continues at a node, or begins there.
    fn distinct_bytes(self, node: NetworkNodeId) -> Result<ByteSet, Error> {
        self.recognizer.lock().with(|stages, cx| distinct::scanned_bytes(&mut stages.nodes, cx, node))
    }

    /// Returns the FIRST set of a callee.
    fn first_bytes_of_callee(self, callee: CalleeId) -> Result<ByteSet, Error> {
        match self.recognizer.callee_info(callee).first_bytes.get() {
            Some(bytes) => Ok(*bytes),
            None => {
                self.recognizer.lock().with(|stages, cx| first_sets::of_callee(&mut stages.nodes, cx, callee))
            }
        }
    }

    /// Returns the first node of a callee.
    fn start_of(self, callee: CalleeId) -> Result<NetworkNodeId, Error> {
        if let Callee::Nonterminal { start, .. } = *self.recognizer.network().callee(callee) {
            return Ok(start);
        }
        match self.recognizer.callee_info(callee).start.get() {
            Some(&start) => Ok(start),
            None => self.recognizer.lock().with(|stages, cx| stages.nodes.start(cx, callee)),
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
        Some(read(self.recognizer.lock().stages().nodes.store(), language))
    }

    /// Returns the language of a lexeme state.
    pub(super) fn language(self, node: NetworkNodeId) -> Option<RegularId> {
        if !self.is_lexeme(node) {
            return None;
        }
        match self.recognizer.dynamic_nodes().get(node).kind {
            NodeKind::Lexeme(ref state) => Some(state.language),
            NodeKind::Counter(..)
            | NodeKind::Permutation(_)
            | NodeKind::Distinct(_)
            | NodeKind::AfterAnyText(..) => None,
        }
    }

    /// Returns the lexeme state and the byte from which a lexeme state was first derived. Returns `None` for
    /// other nodes, and for lexeme states that were first reached without a byte.
    ///
    /// # Panics
    /// If the node does not belong to this recognizer.
    pub fn predecessor(self, node: NetworkNodeId) -> Option<(NetworkNodeId, u8)> {
        if !self.is_lexeme(node) {
            return None;
        }
        match self.recognizer.dynamic_nodes().get(node).kind {
            NodeKind::Lexeme(ref state) => state.predecessor,
            NodeKind::Counter(..)
            | NodeKind::Permutation(_)
            | NodeKind::Distinct(_)
            | NodeKind::AfterAnyText(..) => None,
        }
    }

    /// Returns true if a node is a lexeme state.
    ///
    /// # Panics
    /// If the node does not belong to this recognizer.
    #[inline]
    pub fn is_lexeme(self, node: NetworkNodeId) -> bool {
        node.index() >= self.recognizer.network().nodes.len()
            && matches!(self.recognizer.dynamic_nodes().get(node).kind, NodeKind::Lexeme(_))
    }

    /// Returns a node that is equivalent to `node` for continuations of at most `bytes` bytes. All counts of
    /// a counter that are farther than that from its bounds share one node.
    ///
    /// # Panics
    /// If the node does not belong to this recognizer.
    pub fn saturate(self, node: NetworkNodeId, bytes: u32) -> NetworkNodeId {
        let recognizer = self.recognizer;
        if node.index() < recognizer.network().nodes.len() {
            return node;
        }
        match recognizer.dynamic_nodes().get(node).kind {
            NodeKind::Counter(counter, count) => {
                let saturated =
                    dynamic_nodes::saturate_count(recognizer.network().callee(counter), count, bytes);
                if saturated == count {
                    node
                } else {
                    recognizer.lock().with(|stages, cx| stages.nodes.counter_node(cx, counter, saturated))
                }
            }
            NodeKind::Lexeme(_)
            | NodeKind::Permutation(_)
            | NodeKind::Distinct(_)
            | NodeKind::AfterAnyText(..) => node,
        }
    }

    /// Returns the text form of a node. A dynamic node is shown as the lexeme's language, the count, or the
    /// progress of the permutation.
    pub fn describe(self, node: NetworkNodeId) -> String {
        let recognizer = self.recognizer;
        if node.index() < recognizer.network().nodes.len() || node == NetworkNodeId::DONE {
            return node.to_string();
        }
        match &recognizer.dynamic_nodes().get(node).kind {
            NodeKind::Lexeme(state) => {
                recognizer.lock().stages().nodes.store().display(state.language).to_string()
            }
            NodeKind::Counter(counter, count) => {
                format!("{count} of {}", recognizer.network().callee_text(*counter))
            }
            NodeKind::Permutation(state) => {
                let text = recognizer.lock().with(|stages, cx| stages.nodes.permutations.describe(cx, state));
                let end = if state.phase == Phase::BeforeItem { " before an item" } else { "" };
                format!("{text} of {}{end}", recognizer.network().callee_text(state.callee))
            }
            NodeKind::Distinct(state) => {
                let text = distinct::describe(&recognizer.lock().stages().nodes.permutations.texts, state);
                format!("{text} after {}", self.describe(state.from))
            }
            NodeKind::AfterAnyText(from, _) => format!("some text after {}", self.describe(*from)),
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

    /// Returns the bytes after which the text of an item of `distinct!` may still become equal to a used JSON
    /// value, at a node inside the item or before it. By any other byte, the position allows what the item's
    /// rule allows. Empty for a lexeme. Linear in the used values that the text agrees with.
    pub fn compared_bytes(self, node: NetworkNodeId) -> ByteSet {
        distinct_values::compared_bytes(self.recognizer, node)
    }

    /// Returns whether the text of an item of `distinct!` is whole and unused at a node inside the item.
    /// Returns `None` for other nodes.
    pub fn is_inside_distinct(self, node: NetworkNodeId) -> Option<bool> {
        distinct::is_inside(self.recognizer, node)
    }

    /// Returns the continuations after an item of `distinct!` whose text is unknown. Returns `None` if `node`
    /// is not such a position, or if a separator must follow. See [`DistinctPosition::after`].
    ///
    /// # Errors
    /// If a limit is exceeded.
    pub fn after_distinct(self, node: NetworkNodeId) -> Result<Option<AfterDistinct>, Error> {
        distinct::after_any_text(self.recognizer, node)
    }

    /// Returns the bytes read so far inside an item of `distinct!`, or the empty text for other nodes.
    /// Returns `None` if there are more than `max_bytes`.
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
            Some(language) => Ok(self.recognizer.lock().with(|stages, _| {
                analysis::has_distinct_values(stages.nodes.store_mut(), language, least)
            })?),
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

    /// Splits the scanning items of a state by lexeme. The successors of the state are the unions of the
    /// parts' successors.
    ///
    /// # Errors
    /// If a limit is exceeded.
    pub fn split(self, state: SetId) -> Result<&'a SplitState, Error> {
        self.recognizer.split(state)
    }

    /// Returns the state in which `origin` has just completed and nothing else is in progress. For an
    /// outermost origin this is the set without items in which only that origin is complete.
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

    /// Returns an accessor for a few successors of one state. Does not compute the state's closure; as long
    /// as that is unknown, [`Successors::may_take`] returns true for every byte.
    #[inline]
    pub fn successors_lazy(self, state: SetId) -> Successors<'a> {
        successors::without_closure(self.recognizer, state)
    }
}
