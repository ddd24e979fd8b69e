//! Deterministic automata: one under construction, and an arena of finished ones.
//!
//! The arena stores all automata in a few vectors. A grammar of 100,000 rules would need 400,000 allocations
//! otherwise, and freeing them would delay a cancellation.

use std::ops::Range;

use grammask_work::narrow;

use crate::CalleeId;
use crate::build::nfa::Label;

/// A deterministic automaton under construction. State 0 is the start. [`view`](Self::view) reads it.
pub(crate) struct Dfa {
    pub(crate) is_final: Vec<bool>,
    /// The edges of all states, and the end of each state's range.
    pub(crate) edges: Vec<(Label, u32)>,
    pub(crate) ends: Vec<u32>,
    /// The states from which no loop can be reached, each after all its successors.
    pub(crate) bottom_up: Vec<u32>,
}

impl Dfa {
    /// Creates an automaton without states, with capacity for this many states and edges.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self {
            is_final: Vec::with_capacity(capacity),
            edges: Vec::with_capacity(capacity),
            ends: Vec::with_capacity(capacity),
            bottom_up: Vec::with_capacity(capacity),
        }
    }

    /// Removes all states; keeps the capacity.
    pub(crate) fn clear(&mut self) {
        self.is_final.clear();
        self.edges.clear();
        self.ends.clear();
        self.bottom_up.clear();
    }

    /// Adds a state. Its edges are those added since the last state.
    pub(crate) fn end_state(&mut self, is_final: bool) {
        self.is_final.push(is_final);
        self.ends.push(narrow(self.edges.len()));
    }

    pub(crate) fn view(&self) -> DfaView<'_> {
        DfaView { is_final: &self.is_final, edges: &self.edges, ends: &self.ends, bottom_up: &self.bottom_up }
    }
}

/// A read-only deterministic automaton.
#[derive(Clone, Copy)]
pub(crate) struct DfaView<'a> {
    is_final: &'a [bool],
    edges: &'a [(Label, u32)],
    ends: &'a [u32],
    bottom_up: &'a [u32],
}

impl<'a> DfaView<'a> {
    pub(crate) const fn len(self) -> usize {
        self.is_final.len()
    }

    pub(crate) fn is_final(self, state: usize) -> bool {
        self.is_final[state]
    }

    /// Returns the range of a state's edges among [`all_edges`](Self::all_edges).
    pub(crate) fn edge_range(self, state: usize) -> Range<usize> {
        let start = if state == 0 { 0 } else { self.ends[state - 1] };
        start as usize..self.ends[state] as usize
    }

    /// Returns the edges of a state, sorted by label.
    pub(crate) fn edges(self, state: usize) -> &'a [(Label, u32)] {
        &self.edges[self.edge_range(state)]
    }

    /// Returns the edges of all states.
    pub(crate) const fn all_edges(self) -> &'a [(Label, u32)] {
        self.edges
    }

    /// Returns the callees of all edges, with repetitions.
    pub(crate) fn all_calls(self) -> impl Iterator<Item = CalleeId> + use<'a> {
        let call =
            |&(label, _): &(Label, u32)| if let Label::Call(callee) = label { Some(callee) } else { None };
        self.edges.iter().filter_map(call)
    }

    /// Returns the states from which no loop can be reached, each after all its successors.
    pub(crate) const fn loop_free_bottom_up(self) -> &'a [u32] {
        self.bottom_up
    }
}

/// Index of an automaton in a [`DfaArena`].
#[derive(Clone, Copy)]
pub(crate) struct DfaId(u32);

/// Stores finished automata.
pub(crate) struct DfaArena {
    all: Dfa,
    /// By automaton, the start of its states, its edges and its bottom-up order; one more entry holds the
    /// ends.
    starts: Vec<[usize; 3]>,
}

impl DfaArena {
    pub(crate) fn new() -> Self {
        Self { all: Dfa::with_capacity(0), starts: vec![[0; 3]] }
    }

    /// Stores a copy of an automaton.
    pub(crate) fn add(&mut self, DfaView { is_final, edges, ends, bottom_up }: DfaView<'_>) -> DfaId {
        let all = &mut self.all;
        all.is_final.extend_from_slice(is_final);
        all.edges.extend_from_slice(edges);
        all.ends.extend_from_slice(ends);
        all.bottom_up.extend_from_slice(bottom_up);
        self.starts.push([all.is_final.len(), all.edges.len(), all.bottom_up.len()]);
        DfaId(narrow(self.starts.len()) - 2)
    }

    pub(crate) fn get(&self, DfaId(number): DfaId) -> DfaView<'_> {
        let [from, to] = [0, 1].map(|more| self.starts[number as usize + more]);
        DfaView {
            is_final: &self.all.is_final[from[0]..to[0]],
            edges: &self.all.edges[from[1]..to[1]],
            ends: &self.all.ends[from[0]..to[0]],
            bottom_up: &self.all.bottom_up[from[2]..to[2]],
        }
    }
}
