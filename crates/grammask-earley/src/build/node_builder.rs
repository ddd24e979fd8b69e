//! Nodes while bytes have no classes yet: those of all automata, shared as far as they have equal futures.

use grammask_regular::ByteSet;

use crate::build::automaton::Label;
use crate::build::dfa_arena::View;
use crate::build::list_interner::Slices;
use crate::{CalleeId, Class, Edges, Error, NetworkNodeId, Node};

/// The nodes of all automata, those with equal futures shared as far as no loop is involved.
pub(crate) struct Drafts {
    /// For each node whether it is final, as what [`finality`] says, and its edges, sorted by label. Only those that lead to no loop can be found.
    nodes: Slices<(Label, NetworkNodeId)>,
    limit: usize,
    /// The nodes of the states of an automaton, and a draft; kept for their room.
    ids: Vec<NetworkNodeId>,
    draft: Vec<(Label, NetworkNodeId)>,
}

/// Stands before the edges of a node.
const fn finality(is_final: bool) -> (Label, NetworkNodeId) {
    (Label::Nothing, NetworkNodeId(is_final as u32))
}

/// No node yet.
const NONE: NetworkNodeId = NetworkNodeId(u32::MAX);

impl Drafts {
    /// The end alone. There will not be more than `limit` nodes.
    pub(crate) fn new(limit: usize) -> Self {
        let mut nodes = Slices::new();
        nodes.intern(&[finality(true)]);
        Self { nodes, limit, ids: Vec::new(), draft: Vec::new() }
    }

    /// Adds an automaton and says which node its start became. `id` says what callees are called from now on, in the same order.
    pub(crate) fn add(
        &mut self,
        automaton: View<'_>,
        id: impl Fn(CalleeId) -> CalleeId,
    ) -> Result<NetworkNodeId, Error> {
        if self.nodes.len() + automaton.len() > self.limit {
            return Err(Error::TooManyNodes { limit: self.limit });
        }
        self.ids.clear();
        self.ids.resize(automaton.len(), NONE);
        // States whose successors all have nodes come first; what is left leads to a loop.
        for &state in automaton.loop_free_bottom_up() {
            self.draw(automaton, state as usize, &id);
            self.ids[state as usize] = NetworkNodeId(self.nodes.intern(&self.draft) as u32);
        }
        if automaton.loop_free_bottom_up().len() == automaton.len() {
            return Ok(self.ids[0]);
        }
        let first = self.nodes.len();
        let looping = self.ids.iter_mut().filter(|id| **id == NONE);
        (first..).zip(looping).for_each(|(node, id)| *id = NetworkNodeId(node as u32));
        for state in 0..automaton.len() {
            if self.ids[state].index() == self.nodes.len() {
                self.draw(automaton, state, &id);
                self.nodes.push(&self.draft);
            }
        }
        Ok(self.ids[0])
    }

    fn draw(&mut self, automaton: View<'_>, state: usize, id: impl Fn(CalleeId) -> CalleeId) {
        self.draft.clear();
        self.draft.push(finality(automaton.is_final(state)));
        let edges = automaton.edges(state).iter();
        self.draft.extend(edges.map(|&(label, to)| {
            let label = if let Label::Call(callee) = label { Label::Call(id(callee)) } else { label };
            (label, self.ids[to as usize])
        }));
    }

    /// The bytes on edges.
    pub(crate) fn bytes_scanned(&self) -> ByteSet {
        let mut bytes = ByteSet::default();
        for &(label, _) in self.nodes.iter().flatten() {
            if let Label::Byte(byte) = label {
                bytes.insert(byte);
            }
        }
        bytes
    }

    /// The nodes in their final form, given the classes of bytes and special tokens.
    pub(crate) fn finish(&self, class: impl Fn(Label) -> Class) -> Vec<Node> {
        let node = |draft: &[(Label, NetworkNodeId)]| {
            let (first, edges) = draft.split_first().expect("whether it is final stands before");
            // Calls come last in the order of labels.
            let count = edges.partition_point(|(label, _)| !matches!(label, Label::Call(_)));
            let (scans, calls) = edges.split_at(count);
            let mut scans: Edges<Class> = scans.iter().map(|&(label, to)| (class(label), to)).collect();
            scans.sort_unstable();
            let calls = calls.iter().map(|&(label, to)| match label {
                Label::Call(callee) => (callee, to),
                _ => unreachable!("scans stand before calls"),
            });
            Node { is_final: *first == finality(true), scans, calls: calls.collect() }
        };
        self.nodes.iter().map(node).collect()
    }
}
