//! Deterministic automata: one while it is made, and many that are kept, in a few vectors for all of them. A grammar of 100,000 rules would make
//! 400,000 allocations else, and whoever stops it waits until they are given back.

use std::ops::Range;

use crate::CalleeId;
use crate::build::automaton::Label;

/// A deterministic automaton while it is made; state 0 is the start. Reading it is its [`view`](Self::view).
pub(crate) struct Automaton {
    pub(crate) is_final: Vec<bool>,
    /// The edges of all states, one after the other, and where those of each state end.
    pub(crate) edges: Vec<(Label, u32)>,
    pub(crate) ends: Vec<u32>,
    /// The states from which no loop can be reached, each behind all its successors.
    pub(crate) bottom_up: Vec<u32>,
}

impl Automaton {
    /// Without states; with room for so many of everything.
    pub(crate) fn with_capacity(room: usize) -> Self {
        Self {
            is_final: Vec::with_capacity(room),
            edges: Vec::with_capacity(room),
            ends: Vec::with_capacity(room),
            bottom_up: Vec::with_capacity(room),
        }
    }

    /// Forgets all states, and keeps their room.
    pub(crate) fn clear(&mut self) {
        self.is_final.clear();
        self.edges.clear();
        self.ends.clear();
        self.bottom_up.clear();
    }

    /// The edges that were added since the last state are those of the next.
    pub(crate) fn end_state(&mut self, is_final: bool) {
        self.is_final.push(is_final);
        self.ends.push(self.edges.len() as u32);
    }

    pub(crate) fn view(&self) -> View<'_> {
        View { is_final: &self.is_final, edges: &self.edges, ends: &self.ends, bottom_up: &self.bottom_up }
    }
}

/// A deterministic automaton as it is read, wherever it stands.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    is_final: &'a [bool],
    edges: &'a [(Label, u32)],
    ends: &'a [u32],
    bottom_up: &'a [u32],
}

impl<'a> View<'a> {
    pub(crate) const fn len(self) -> usize {
        self.is_final.len()
    }

    pub(crate) fn is_final(self, state: usize) -> bool {
        self.is_final[state]
    }

    /// Where the edges of a state stand among those of all.
    pub(crate) fn edge_range(self, state: usize) -> Range<usize> {
        let start = if state == 0 { 0 } else { self.ends[state - 1] };
        start as usize..self.ends[state] as usize
    }

    /// The edges, sorted by label.
    pub(crate) fn edges(self, state: usize) -> &'a [(Label, u32)] {
        &self.edges[self.edge_range(state)]
    }

    /// The edges of all states.
    pub(crate) const fn all_edges(self) -> &'a [(Label, u32)] {
        self.edges
    }

    /// What is called by the edges of all states, as often as it is.
    pub(crate) fn all_calls(self) -> impl Iterator<Item = CalleeId> + use<'a> {
        let call =
            |&(label, _): &(Label, u32)| if let Label::Call(callee) = label { Some(callee) } else { None };
        self.edges.iter().filter_map(call)
    }

    /// The states from which no loop can be reached, each behind all its successors.
    pub(crate) const fn loop_free_bottom_up(self) -> &'a [u32] {
        self.bottom_up
    }
}

/// The number of an automaton among [`Automata`].
#[derive(Clone, Copy)]
pub(crate) struct AutomatonId(u32);

/// Automata, one after the other.
pub(crate) struct Automata {
    all: Automaton,
    /// Where the states, the edges and the order of each begin; behind them, where the last one ends.
    starts: Vec<[usize; 3]>,
}

impl Automata {
    pub(crate) fn new() -> Self {
        Self { all: Automaton::with_capacity(0), starts: vec![[0; 3]] }
    }

    /// Keeps a copy.
    pub(crate) fn add(&mut self, View { is_final, edges, ends, bottom_up }: View<'_>) -> AutomatonId {
        let all = &mut self.all;
        all.is_final.extend_from_slice(is_final);
        all.edges.extend_from_slice(edges);
        all.ends.extend_from_slice(ends);
        all.bottom_up.extend_from_slice(bottom_up);
        self.starts.push([all.is_final.len(), all.edges.len(), all.bottom_up.len()]);
        AutomatonId(self.starts.len() as u32 - 2)
    }

    pub(crate) fn get(&self, AutomatonId(number): AutomatonId) -> View<'_> {
        let [from, to] = [0, 1].map(|more| self.starts[number as usize + more]);
        View {
            is_final: &self.all.is_final[from[0]..to[0]],
            edges: &self.all.edges[from[1]..to[1]],
            ends: &self.all.ends[from[0]..to[0]],
            bottom_up: &self.all.bottom_up[from[2]..to[2]],
        }
    }
}
