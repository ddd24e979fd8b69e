//! Creates dynamic nodes, each once: states of lexemes, counters, and positions in permutations.

use grammask_cache::LazyRow;
use grammask_regular::{ByteSet, RegularId, Store, analysis};
use rustc_hash::FxHashMap;

use crate::permutation::distinct;
use crate::permutation::nodes::PermutationNodes;
use crate::recognizer::Recognizer;
use crate::recognizer::dynamic_nodes::{DynamicNode, LexemeState, NO_SUCCESSOR, NodeKind};
use crate::recognizer::inspect::NodeFlags;
use crate::step::origins::OriginInterner;
use crate::step::{Context, StepBuffers};
use crate::{Callee, CalleeId, Class, Error, Limit, LimitExceeded, NetworkNodeId};

/// Work of a derivative is counted as one unit for this many bytes of new expressions.
const STORE_BYTES_PER_WORK: usize = 4;

/// Creates dynamic nodes and finds them again.
pub(crate) struct NodeFactory {
    /// The languages of lexeme states.
    store: Store,
    lexemes: FxHashMap<RegularId, NetworkNodeId>,
    counters: FxHashMap<(CalleeId, u32), NetworkNodeId>,
    pub(crate) permutations: PermutationNodes,
    pub(crate) origins: OriginInterner,
    /// Buffers for steps within steps: an item of `distinct!` may have a state of its own.
    spare: Vec<StepBuffers>,
    /// Number of steps that are being computed, each within the one before.
    depth: usize,
    /// Callees whose FIRST set exceeded a limit, with that error.
    pub(crate) failed_first_sets: FxHashMap<CalleeId, Error>,
}

impl NodeFactory {
    pub(crate) fn new(store: Store) -> Self {
        Self {
            store,
            lexemes: FxHashMap::default(),
            counters: FxHashMap::default(),
            permutations: PermutationNodes::default(),
            origins: OriginInterner::default(),
            spare: Vec::new(),
            depth: 0,
            failed_first_sets: FxHashMap::default(),
        }
    }

    /// Returns the first node of a callee.
    pub(crate) fn start(&mut self, cx: Context<'_>, callee: CalleeId) -> Result<NetworkNodeId, Error> {
        let cell = &cx.tables.callee_info(callee).start;
        if let Some(&start) = cell.get() {
            return Ok(start);
        }
        let start = match *cx.tables.network().callee(callee) {
            Callee::Nonterminal { start, .. } => start,
            Callee::Lexeme { language, .. } => {
                self.lexeme_node(cx, language, None)?.expect("the language of a lexeme is not empty")
            }
            Callee::Counter { .. } => self.counter_node(cx, callee, 0),
            Callee::Unordered { .. } => self.permutations.start(cx, callee),
        };
        Ok(*cell.get_or_init(|| start))
    }

    /// Returns the node of a lexeme state. Returns `None` for the empty language.
    pub(crate) fn lexeme_node(
        &mut self,
        cx: Context<'_>,
        language: RegularId,
        predecessor: Option<(NetworkNodeId, u8)>,
    ) -> Result<Option<NetworkNodeId>, Error> {
        if language == RegularId::EMPTY {
            return Ok(None);
        }
        if let Some(&node) = self.lexemes.get(&language) {
            return Ok(Some(node));
        }
        let goes_on = self.store.has_nonempty_string(language)?;
        let is_final = self.store.is_nullable(language);
        let node = if goes_on {
            cx.tables.spend(size_of::<DynamicNode>());
            let first_bytes = analysis::first_bytes(&self.store, language);
            let state = LexemeState { language, row: LazyRow::new(), predecessor };
            let flags = NodeFlags { is_final, goes_on };
            cx.tables.dynamic_nodes().push(flags, NodeKind::Lexeme(state), first_bytes)
        } else {
            NetworkNodeId::END
        };
        self.lexemes.insert(language, node);
        Ok(Some(node))
    }

    /// Returns the lexeme state after a class. Returns `None` if there is none, and for nodes that are not
    /// lexeme states.
    pub(crate) fn derive(
        &mut self,
        cx: Context<'_>,
        node: NetworkNodeId,
        class: Class,
    ) -> Result<Option<NetworkNodeId>, Error> {
        let network = cx.tables.network();
        let dynamic = cx.tables.dynamic_nodes().get(node);
        let (NodeKind::Lexeme(state), Some(byte)) = (&dynamic.kind, network.representative(class)) else {
            return Ok(None);
        };
        match state.row.get(class.index()) {
            Some(NO_SUCCESSOR) => return Ok(None),
            Some(next) => return Ok(Some(NetworkNodeId(next))),
            None => {}
        }
        if dynamic.first_bytes.get().is_some_and(|bytes| !bytes.contains(byte)) {
            return Ok(None);
        }
        let before = self.store.bytes_used();
        let next = self.store.derivative(state.language, byte)?;
        cx.meter.add_charged_work(self.store.bytes_used().saturating_sub(before) / STORE_BYTES_PER_WORK);
        let next = self.lexeme_node(cx, next, Some((node, byte)))?;
        let entry = next.map_or(NO_SUCCESSOR, |node| node.0);
        cx.tables.spend(state.row.set(class.index(), entry, network.byte_classes));
        Ok(next)
    }

    /// Returns the node of a counter after `count` complete elements.
    pub(crate) fn counter_node(&mut self, cx: Context<'_>, counter: CalleeId, count: u32) -> NetworkNodeId {
        let Callee::Counter { min, max, .. } = *cx.tables.network().callee(counter) else {
            unreachable!("only counters have counter nodes")
        };
        if count == max {
            return NetworkNodeId::END;
        }
        *self.counters.entry((counter, count)).or_insert_with(|| {
            cx.tables.spend(size_of::<DynamicNode>());
            let flags = NodeFlags { is_final: count >= min, goes_on: true };
            cx.tables.dynamic_nodes().push(flags, NodeKind::Counter(counter, count), None)
        })
    }

    /// Returns the node that corresponds to a node of another recognizer of the same network.
    pub(crate) fn import(
        &mut self,
        cx: Context<'_>,
        source: &Recognizer,
        from: &Self,
        node: NetworkNodeId,
    ) -> Result<NetworkNodeId, Error> {
        if node == NetworkNodeId::DONE || node.index() < cx.tables.network().nodes.len() {
            return Ok(node);
        }
        match source.dynamic_nodes().get(node).kind {
            NodeKind::Lexeme(ref state) => {
                let language = self.store.import(&from.store, state.language)?;
                Ok(self.lexeme_node(cx, language, None)?.expect("a state of a lexeme is not empty"))
            }
            NodeKind::Counter(counter, count) => Ok(self.counter_node(cx, counter, count)),
            NodeKind::Permutation(ref state) => Ok(self.permutations.import(cx, &from.permutations, state)),
            NodeKind::Distinct(ref state) => distinct::import(self, cx, source, from, state),
            NodeKind::AfterAnyText(start, phase) => {
                let start = self.import(cx, source, from, start)?;
                Ok(distinct::after_any_text_node(self, cx, start, phase))
            }
        }
    }

    /// Calls `operation` with buffers for a step within the current one.
    ///
    /// # Errors
    /// If too many steps are within each other, and the errors of `operation`.
    pub(crate) fn within<T>(
        &mut self,
        cx: Context<'_>,
        operation: impl FnOnce(&mut Self, &mut StepBuffers) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let most = cx.tables.config().limits.max_distinct_nesting;
        if self.depth >= most {
            return Err(LimitExceeded::new(Limit::MaxDistinctNesting, most, None).into());
        }
        let new = || StepBuffers::new(cx.tables.network());
        let mut buffers = self.spare.pop().unwrap_or_else(new);
        self.depth += 1;
        let result = operation(self, &mut buffers);
        self.depth -= 1;
        self.spare.push(buffers);
        result
    }

    /// Returns the bytes by which a language continues.
    pub(crate) fn live_bytes(&mut self, language: RegularId) -> Result<ByteSet, Error> {
        Ok(self.store.live_bytes(language)?)
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Sets the limits of the language store and forgets which FIRST sets exceeded the old ones.
    pub(crate) fn set_limits(&mut self, regular: &grammask_regular::Limits) {
        self.store.set_limits(regular);
        self.failed_first_sets.clear();
    }
}
