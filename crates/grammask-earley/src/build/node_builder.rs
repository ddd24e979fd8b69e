//! Builds nodes from automata, before bytes have classes. Nodes with equal continuations are shared
//! (hash-consing).

use grammask_regular::ByteSet;
use grammask_work::narrow;

use crate::build::dfa::DfaView;
use crate::build::list_interner::ListInterner;
use crate::build::nfa::Label;
use crate::{CalleeId, Class, Edges, Error, Limit, LimitExceeded, NetworkNodeId, Node};

/// The nodes of all automata so far. Nodes with equal continuations are shared, unless a loop can be reached
/// from them.
pub(crate) struct NodeBuilder {
    /// By node, its [finality marker](finality) and its edges, sorted by label. Nodes that lead to a loop are
    /// not interned.
    nodes: ListInterner<(Label, NetworkNodeId)>,
    max_nodes: usize,
    /// Buffers: the nodes of an automaton's states, and the node under construction.
    ids: Vec<NetworkNodeId>,
    draft: Vec<(Label, NetworkNodeId)>,
}

/// Returns the marker that precedes the edges of a node.
const fn finality(is_final: bool) -> (Label, NetworkNodeId) {
    (Label::Epsilon, NetworkNodeId(is_final as u32))
}

/// Sentinel: the state has no node yet.
const NO_NODE: NetworkNodeId = NetworkNodeId(u32::MAX);

impl NodeBuilder {
    /// Creates a builder with the end node only.
    pub(crate) fn new(max_nodes: usize) -> Self {
        let mut nodes = ListInterner::new();
        nodes.intern(&[finality(true)]);
        Self { nodes, max_nodes, ids: Vec::new(), draft: Vec::new() }
    }

    /// Adds the nodes of an automaton and returns its first node. `id` renumbers callees and must preserve
    /// their order.
    ///
    /// # Errors
    /// If there would be more than `max_nodes` nodes.
    pub(crate) fn add(
        &mut self,
        dfa: DfaView<'_>,
        id: impl Fn(CalleeId) -> CalleeId,
    ) -> Result<NetworkNodeId, Error> {
        let found = self.nodes.len() + dfa.len();
        if found > self.max_nodes {
            return Err(LimitExceeded::new(Limit::MaxNodes, self.max_nodes, Some(found)).into());
        }
        self.ids.clear();
        self.ids.resize(dfa.len(), NO_NODE);
        // Bottom-up, all successors of a state have nodes already. The remaining states lead to a loop.
        for &state in dfa.loop_free_bottom_up() {
            self.write_draft(dfa, state as usize, &id);
            self.ids[state as usize] = NetworkNodeId(narrow(self.nodes.intern(&self.draft)));
        }
        if dfa.loop_free_bottom_up().len() == dfa.len() {
            return Ok(self.ids[0]);
        }
        let first = self.nodes.len();
        let looping = self.ids.iter_mut().filter(|id| **id == NO_NODE);
        (narrow(first)..).zip(looping).for_each(|(node, id)| *id = NetworkNodeId(node));
        for state in 0..dfa.len() {
            if self.ids[state].index() == self.nodes.len() {
                self.write_draft(dfa, state, &id);
                self.nodes.push(&self.draft);
            }
        }
        Ok(self.ids[0])
    }

    fn write_draft(&mut self, dfa: DfaView<'_>, state: usize, id: impl Fn(CalleeId) -> CalleeId) {
        self.draft.clear();
        self.draft.push(finality(dfa.is_final(state)));
        let edges = dfa.edges(state).iter();
        self.draft.extend(edges.map(|&(label, to)| {
            let label = if let Label::Call(callee) = label { Label::Call(id(callee)) } else { label };
            (label, self.ids[to as usize])
        }));
    }

    /// Returns the bytes on all edges.
    pub(crate) fn bytes_scanned(&self) -> ByteSet {
        let mut bytes = ByteSet::default();
        for &(label, _) in self.nodes.iter().flatten() {
            if let Label::Byte(byte) = label {
                bytes.insert(byte);
            }
        }
        bytes
    }

    /// Returns the nodes in their final form. `class` maps bytes and special tokens to their classes.
    pub(crate) fn finish(&self, class: impl Fn(Label) -> Class) -> Vec<Node> {
        let node = |draft: &[(Label, NetworkNodeId)]| {
            let (first, edges) = draft.split_first().expect("the finality marker is first");
            // Calls come last in the order of labels.
            let count = edges.partition_point(|(label, _)| !matches!(label, Label::Call(_)));
            let (scans, calls) = edges.split_at(count);
            let mut scans: Edges<Class> = scans.iter().map(|&(label, to)| (class(label), to)).collect();
            scans.sort_unstable();
            let calls = calls.iter().map(|&(label, to)| match label {
                Label::Call(callee) => (callee, to),
                _ => unreachable!("calls follow all other labels"),
            });
            Node { is_final: *first == finality(true), scans, calls: calls.collect() }
        };
        self.nodes.iter().map(node).collect()
    }
}

/// Adds a copy without calls of every node that both scans and calls. Returns for every node the one without
/// calls: its copy, or the node itself.
pub(super) fn split_calls(nodes: &mut Vec<Node>) -> Vec<NetworkNodeId> {
    let count = nodes.len();
    let mut scan_only: Vec<NetworkNodeId> = (0..narrow(count)).map(NetworkNodeId).collect();
    for (index, copy) in scan_only.iter_mut().enumerate() {
        let node = &nodes[index];
        if !node.scans.is_empty() && !node.calls.is_empty() {
            let scans = node.scans.clone();
            *copy = NetworkNodeId(narrow(nodes.len()));
            nodes.push(Node { is_final: false, scans, calls: Edges::default() });
        }
    }
    scan_only.extend((narrow(count)..narrow(nodes.len())).map(NetworkNodeId));
    scan_only
}
