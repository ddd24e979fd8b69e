//! Subset construction: from the nondeterministic automaton of a nonterminal to a deterministic one.
//!
//! # Source
//! M. Rabin, D. Scott, "Finite automata and their decision problems", 1959.

use grammask_work::narrow;

use crate::build::dfa::{Dfa, DfaView};
use crate::build::list_interner::ListInterner;
use crate::build::minimize::Minimizer;
use crate::build::nfa::{INITIAL_CAPACITY, Label, Nfa};

/// Maximum number of edge visits of a subset construction, per edge of the input and per allowed state.
/// Usually two suffice. Nested repetitions need more, because their subsets have many members. So do
/// alternatives in one repetition, because each is followed by many subsets. Beyond it the construction gives
/// up, and callees stay calls.
const MAX_VISITS_PER_EDGE: usize = 8;

/// No subset.
const NO_SUBSET: u32 = u32::MAX;

/// Makes automata deterministic, one after the other. Its buffers keep their capacity.
pub(crate) struct Determinizer {
    dfa: Dfa,
    subsets: Subsets,
    subset: Vec<u32>,
    out: Vec<(Label, u32)>,
    minimizer: Minimizer,
}

impl Determinizer {
    pub(crate) fn new() -> Self {
        Self {
            dfa: Dfa::with_capacity(INITIAL_CAPACITY),
            subsets: Subsets::new(),
            subset: Vec::with_capacity(INITIAL_CAPACITY),
            out: Vec::with_capacity(INITIAL_CAPACITY),
            minimizer: Minimizer::new(),
        }
    }

    /// Returns the minimal deterministic automaton. Returns `None` if the subset construction needs more than
    /// `max_states` states or more than [`MAX_VISITS_PER_EDGE`] visits per edge.
    pub(crate) fn determinize(&mut self, nfa: &Nfa, max_states: usize) -> Option<DfaView<'_>> {
        if nfa.write_chain(&mut self.dfa) {
            return Some(self.dfa.view());
        }
        self.construct_subsets(nfa, max_states)?;
        self.minimizer.minimize(&mut self.dfa);
        Some(self.dfa.view())
    }

    /// As [`determinize`](Self::determinize), for an automaton composed of minimal ones. Few equivalent
    /// states arise, so states are merged only if their edges are equal.
    pub(crate) fn determinize_composed(&mut self, nfa: &Nfa, max_states: usize) -> Option<DfaView<'_>> {
        self.construct_subsets(nfa, max_states)?;
        self.minimizer.merge_equal_states(&mut self.dfa);
        Some(self.dfa.view())
    }

    /// Builds the automaton of all reachable subsets in `dfa`. Returns `None` beyond the limits.
    fn construct_subsets(&mut self, nfa: &Nfa, max_states: usize) -> Option<()> {
        self.dfa.clear();
        self.subsets.clear(nfa.len());
        self.subset.clear();
        self.subset.push(nfa.start());
        self.subsets.close(nfa, &mut self.subset);
        self.subsets.id(&self.subset);
        let max_edge_visits = max_states.saturating_add(nfa.edge_count()).saturating_mul(MAX_VISITS_PER_EDGE);
        let mut edge_visits = 0;
        while self.dfa.view().len() < self.subsets.len() {
            if self.subsets.len() > max_states {
                return None;
            }
            let states = self.subsets.get(self.dfa.view().len());
            let is_final = states.contains(&nfa.end());
            self.out.clear();
            for &state in states {
                self.out.extend(nfa.edges(state).filter(|(label, _)| *label != Label::Epsilon));
            }
            edge_visits += self.out.len();
            if self.out.len() > 1 {
                self.out.sort_unstable();
                self.out.dedup();
            }
            for chunk in self.out.chunk_by(|a, b| a.0 == b.0) {
                self.subset.clear();
                self.subset.extend(chunk.iter().map(|&(_, to)| to));
                edge_visits += self.subsets.close(nfa, &mut self.subset);
                // One subset may have an edge for every label, each to a subset as large.
                if edge_visits > max_edge_visits {
                    return None;
                }
                self.dfa.edges.push((chunk[0].0, self.subsets.id(&self.subset)));
            }
            self.dfa.end_state(is_final);
        }
        Some(())
    }
}

/// The subsets of states found by the subset construction. Most have one member and need no hashing.
struct Subsets {
    /// By state, the id of its singleton.
    of_one: Vec<u32>,
    /// The other subsets, and their ids.
    of_more: ListInterner<u32>,
    ids_of_more: Vec<u32>,
    /// The members of all subsets, and the end of each subset's range.
    members: Vec<u32>,
    ends: Vec<u32>,
    /// By state, the number of the last closure that reached it; and the number of closures.
    reached: Vec<u32>,
    closures: u32,
}

impl Subsets {
    fn new() -> Self {
        Self {
            of_one: Vec::with_capacity(INITIAL_CAPACITY),
            of_more: ListInterner::new(),
            ids_of_more: Vec::new(),
            members: Vec::with_capacity(INITIAL_CAPACITY),
            ends: Vec::with_capacity(INITIAL_CAPACITY),
            reached: Vec::with_capacity(INITIAL_CAPACITY),
            closures: 0,
        }
    }

    fn clear(&mut self, states: usize) {
        self.of_one.clear();
        self.of_one.resize(states, NO_SUBSET);
        self.of_more.clear();
        self.ids_of_more.clear();
        self.members.clear();
        self.ends.clear();
        self.reached.clear();
        self.reached.resize(states, 0);
        self.closures = 0;
    }

    const fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, id: usize) -> &[u32] {
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.members[start as usize..self.ends[id] as usize]
    }

    /// Adds the states reachable by epsilon edges and sorts. Returns the number of edges visited.
    fn close(&mut self, nfa: &Nfa, states: &mut Vec<u32>) -> usize {
        let mut edge_visits = 0;
        if nfa.has_epsilon {
            self.closures += 1;
            let reached = &mut self.reached;
            let closure = self.closures;
            let mut is_new = |state: u32| std::mem::replace(&mut reached[state as usize], closure) != closure;
            states.retain(|&state| is_new(state));
            let mut next = 0;
            while next < states.len() {
                for (label, to) in nfa.edges(states[next]) {
                    edge_visits += 1;
                    if label == Label::Epsilon && is_new(to) {
                        states.push(to);
                    }
                }
                next += 1;
            }
        }
        if states.len() > 1 {
            states.sort_unstable();
            states.dedup();
        }
        edge_visits
    }

    /// Returns the id of a sorted subset, which is added if it is new.
    fn id(&mut self, subset: &[u32]) -> u32 {
        let new = narrow(self.ends.len());
        let id = match *subset {
            [state] => {
                let id = &mut self.of_one[state as usize];
                if *id == NO_SUBSET {
                    *id = new;
                }
                *id
            }
            _ => {
                let index = self.of_more.intern(subset);
                if index == self.ids_of_more.len() {
                    self.ids_of_more.push(new);
                }
                self.ids_of_more[index]
            }
        };
        if id == new {
            self.members.extend_from_slice(subset);
            self.ends.push(narrow(self.members.len()));
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CalleeId;

    /// Returns whether the construction gives up with this many allowed states, and the number of subset
    /// members by then.
    fn is_given_up(nfa: &Nfa, max_states: usize) -> (bool, usize) {
        let mut determinizer = Determinizer::new();
        let is_given_up = determinizer.determinize(nfa, max_states).is_none();
        (is_given_up, determinizer.subsets.members.len())
    }

    #[test]
    fn many_consecutive_optionals_are_given_up() {
        let count = 1_000;
        let mut nfa = Nfa::new();
        let mut at = nfa.start();
        for number in 0..count {
            let next = nfa.add_state();
            nfa.connect(at, Label::Call(CalleeId(number)), next);
            nfa.connect(at, Label::Epsilon, next);
            at = next;
        }
        nfa.connect(at, Label::Byte(b'.'), nfa.end());
        // There would be one subset per state; the first has one edge per state, each to a subset nearly as
        // large.
        let (is_given_up, members) = is_given_up(&nfa, nfa.len() + 1);
        assert!(is_given_up && members < 50 * nfa.len(), "{members}");
    }

    #[test]
    fn many_alternatives_after_many_subsets_are_given_up() {
        let count = 1_000;
        let mut nfa = Nfa::new();
        let hub = nfa.start();
        nfa.connect(hub, Label::Byte(b'.'), nfa.end());
        (0..count).for_each(|number| nfa.connect(hub, Label::Call(CalleeId(number)), hub));
        let (mut at, mut label) = (hub, Label::Byte(b'y'));
        for _ in 0..count {
            let next = nfa.add_state();
            nfa.connect(at, label, next);
            nfa.connect(at, label, hub);
            (at, label) = (next, Label::Byte(b'x'));
        }
        // Every subset contains the hub: few members, few subsets, and a million edges.
        let (is_given_up, members) = is_given_up(&nfa, nfa.len() + 1);
        assert!(is_given_up && members < 50 * nfa.len(), "{members}");
    }
}
