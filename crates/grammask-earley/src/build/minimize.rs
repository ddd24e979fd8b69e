//! Merges equivalent states of a deterministic automaton.
//!
//! # Source
//! E. Moore, "Gedanken-experiments on sequential machines", 1956: refine a partition until it is stable.

use crate::build::dfa::Dfa;
use crate::build::list_interner::ListInterner;
use crate::build::nfa::{INITIAL_CAPACITY, Label};

/// Maximum number of refinement rounds. A partition that still changes is abandoned: only long chains of
/// inequivalent states need more rounds, and these have little to merge.
const MAX_REFINEMENT_ROUNDS: usize = 64;

/// Returns the class of a state with this signature: `first`, then its edges to classes.
fn classify(
    classes: &mut ListInterner<(Label, u32)>,
    buffer: &mut Vec<(Label, u32)>,
    first: (Label, u32),
    edges: impl Iterator<Item = (Label, u32)>,
) -> u32 {
    buffer.clear();
    buffer.push(first);
    buffer.extend(edges);
    classes.intern(buffer) as u32
}

/// Merges equivalent states. Its buffers keep their capacity.
pub(super) struct Minimizer {
    /// By state, its class in the current partition; and in the next one.
    class_of: Vec<u32>,
    refined: Vec<u32>,
    /// Signatures of classes: the old class as the target of an epsilon edge, then the edges to old classes.
    classes: ListInterner<(Label, u32)>,
    class: Vec<(Label, u32)>,
    /// By state, the number of successors that are not in the bottom-up order yet.
    missing: Vec<u32>,
    /// The predecessors of all states, and the end of each state's range; while filling, the next free
    /// position.
    ends: Vec<u32>,
    predecessors: Vec<u32>,
}

impl Minimizer {
    pub(super) fn new() -> Self {
        Self {
            class_of: Vec::new(),
            refined: Vec::new(),
            classes: ListInterner::new(),
            class: Vec::new(),
            missing: Vec::with_capacity(INITIAL_CAPACITY),
            ends: Vec::with_capacity(INITIAL_CAPACITY),
            predecessors: Vec::with_capacity(INITIAL_CAPACITY),
        }
    }

    /// Merges equivalent states. Leaves the automaton unchanged if that needs more than
    /// [`MAX_REFINEMENT_ROUNDS`] rounds.
    pub(super) fn minimize(&mut self, dfa: &mut Dfa) {
        // Without a loop, the node builder merges states with equal continuations.
        self.find_bottom_up(dfa);
        if dfa.bottom_up.len() == dfa.view().len() {
            return;
        }
        self.class_of.clear();
        self.class_of.extend(dfa.is_final.iter().map(|&is_final| u32::from(is_final)));
        let mut count = 0;
        for _ in 0..MAX_REFINEMENT_ROUNDS {
            self.classes.clear();
            self.refined.clear();
            for state in 0..dfa.view().len() {
                let first = (Label::Epsilon, self.class_of[state]);
                let edges = dfa.view().edges(state).iter();
                let edges = edges.map(|&(label, to)| (label, self.class_of[to as usize]));
                self.refined.push(classify(&mut self.classes, &mut self.class, first, edges));
            }
            std::mem::swap(&mut self.class_of, &mut self.refined);
            if self.classes.len() == count {
                if count < dfa.view().len() {
                    self.merge(dfa);
                }
                return;
            }
            count = self.classes.len();
        }
    }

    /// Merges states with equal edges until no two are equal, for at most [`MAX_REFINEMENT_ROUNDS`] rounds.
    pub(super) fn merge_equal_states(&mut self, dfa: &mut Dfa) {
        self.find_bottom_up(dfa);
        for _ in 0..MAX_REFINEMENT_ROUNDS {
            self.classes.clear();
            self.class_of.clear();
            for state in 0..dfa.view().len() {
                let first = (Label::Epsilon, u32::from(dfa.view().is_final(state)));
                let edges = dfa.view().edges(state).iter().copied();
                self.class_of.push(classify(&mut self.classes, &mut self.class, first, edges));
            }
            if self.classes.len() == dfa.view().len() {
                return;
            }
            self.merge(dfa);
        }
    }

    /// Keeps one state of every class. Classes are numbered by their first state, so the start stays state 0.
    fn merge(&mut self, dfa: &mut Dfa) {
        let mut kept = 0;
        let mut end = 0;
        for state in 0..dfa.view().len() {
            if self.class_of[state] as usize != kept {
                continue;
            }
            let range = dfa.view().edge_range(state);
            let start = end;
            end += range.len();
            dfa.edges.copy_within(range, start);
            for (_, to) in &mut dfa.edges[start..end] {
                *to = self.class_of[*to as usize];
            }
            dfa.is_final[kept] = dfa.is_final[state];
            // Does not overwrite unread entries: kept states have at most as many edges before them as in the
            // input.
            dfa.ends[kept] = end as u32;
            kept += 1;
        }
        dfa.is_final.truncate(kept);
        dfa.ends.truncate(kept);
        dfa.edges.truncate(end);
        self.find_bottom_up(dfa);
    }

    /// Computes the bottom-up order of the states from which no loop can be reached (Kahn's algorithm).
    fn find_bottom_up(&mut self, dfa: &mut Dfa) {
        let Self { missing, ends, predecessors, .. } = self;
        let states = 0..dfa.view().len();
        missing.clear();
        missing.extend(states.clone().map(|state| dfa.view().edge_range(state).len() as u32));
        ends.clear();
        ends.resize(dfa.view().len() + 1, 0);
        for &(_, to) in &dfa.edges {
            ends[to as usize + 1] += 1;
        }
        for state in states.clone() {
            ends[state + 1] += ends[state];
        }
        predecessors.clear();
        predecessors.resize(dfa.edges.len(), 0);
        for state in states {
            for &(_, to) in dfa.view().edges(state) {
                predecessors[ends[to as usize] as usize] = state as u32;
                ends[to as usize] += 1;
            }
        }
        let order = &mut dfa.bottom_up;
        order.clear();
        order.extend((0..).zip(&*missing).filter(|(_, missing)| **missing == 0).map(|(state, _)| state));
        let mut next = 0;
        while let Some(&state) = order.get(next) {
            let start = if state == 0 { 0 } else { ends[state as usize - 1] };
            for &predecessor in &predecessors[start as usize..ends[state as usize] as usize] {
                missing[predecessor as usize] -= 1;
                if missing[predecessor as usize] == 0 {
                    order.push(predecessor);
                }
            }
            next += 1;
        }
    }
}
