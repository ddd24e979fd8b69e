//! Merges equivalent states of a deterministic automaton.
//!
//! # Source
//! E. Moore, "Gedanken-experiments on sequential machines", 1956: a partition is refined until it is stable.
//! J. Hopcroft, "An n log n algorithm for minimizing states in a finite automaton", 1971. As there, a round
//! looks only at the states with an edge to a state that has left its class.

use grammask_work::narrow;

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
    narrow(classes.intern(buffer))
}

/// Returns the predecessors of a state, once for each edge.
fn predecessors_of<'a>(ends: &[u32], predecessors: &'a [u32], state: u32) -> &'a [u32] {
    let start = if state == 0 { 0 } else { ends[state as usize - 1] };
    &predecessors[start as usize..ends[state as usize] as usize]
}

/// The states of a class with equal edges, in one round of the refinement.
struct Group {
    class: u32,
    /// Number of states.
    states: u32,
    /// The class of the states in the next partition.
    next_class: u32,
}

/// Merges equivalent states. Its buffers keep their capacity.
pub(super) struct Minimizer {
    /// By state, its class in the current partition.
    class_of: Vec<u32>,
    /// By class, its number of states.
    sizes: Vec<u32>,
    /// The states that the current round looks at, each with its group: a part of its class.
    open: Vec<(u32, u32)>,
    /// The states that the next round looks at.
    next_open: Vec<(u32, u32)>,
    /// By state, true if it is in `open`, or in `next_open`.
    is_open: Vec<bool>,
    /// The groups of the current round.
    groups: Vec<Group>,
    /// By class, its largest group in the current round. Only those of open states are valid.
    largest: Vec<u32>,
    /// By class, its number of open states in the current round.
    open_counts: Vec<u32>,
    /// Signatures of groups: the class as the target of an epsilon edge, then the edges to classes.
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
            sizes: Vec::new(),
            open: Vec::new(),
            next_open: Vec::new(),
            is_open: Vec::new(),
            groups: Vec::new(),
            largest: Vec::new(),
            open_counts: Vec::new(),
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
        let states = dfa.view().len();
        self.class_of.clear();
        self.class_of.extend(dfa.is_final.iter().map(|&is_final| u32::from(is_final)));
        let finals = dfa.is_final.iter().filter(|&&is_final| is_final).count();
        self.sizes.clear();
        self.sizes.extend([narrow(states - finals), narrow(finals)]);
        self.is_open.clear();
        self.is_open.resize(states, true);
        self.open.clear();
        self.open.extend((0..narrow(states)).map(|state| (state, 0)));
        for _ in 0..MAX_REFINEMENT_ROUNDS {
            if !self.refine(dfa) {
                if self.number_by_first_state() < states {
                    self.merge(dfa);
                }
                return;
            }
        }
    }

    /// Splits the classes of the open states by their edges, and opens the predecessors of the states that
    /// have left their class. Returns `false` if no class was split.
    fn refine(&mut self, dfa: &Dfa) -> bool {
        let Self { class_of, sizes, open, next_open, is_open, groups, largest, open_counts, .. } = self;
        self.classes.clear();
        groups.clear();
        largest.resize(sizes.len(), 0);
        open_counts.resize(sizes.len(), 0);
        for (state, group) in open.iter_mut() {
            let class = class_of[*state as usize];
            let edges = dfa.view().edges(*state as usize).iter();
            let edges = edges.map(|&(label, to)| (label, class_of[to as usize]));
            *group = classify(&mut self.classes, &mut self.class, (Label::Epsilon, class), edges);
            if *group as usize == groups.len() {
                groups.push(Group { class, states: 0, next_class: class });
            }
            groups[*group as usize].states += 1;
            open_counts[class as usize] += 1;
            is_open[*state as usize] = false;
        }
        for (number, group) in (0..).zip(&*groups) {
            let largest = &mut largest[group.class as usize];
            let best = groups.get(*largest as usize).filter(|best| best.class == group.class);
            if best.is_none_or(|best| best.states < group.states) {
                *largest = number;
            }
        }
        let before = sizes.len();
        for (number, group) in (0..).zip(groups.iter_mut()) {
            let class = group.class as usize;
            // States that are not open stay in the class together. None of them has an edge to a state that
            // has left its class, and each open one has.
            let stays = open_counts[class] == sizes[class] && largest[class] == number;
            if !stays {
                group.next_class = narrow(sizes.len());
                sizes.push(group.states);
            }
        }
        for group in &*groups {
            if group.next_class != group.class {
                sizes[group.class as usize] -= group.states;
            }
            open_counts[group.class as usize] = 0;
        }
        let is_split = sizes.len() > before;
        next_open.clear();
        for &(state, group) in &*open {
            let group = &groups[group as usize];
            if group.next_class == group.class {
                continue;
            }
            class_of[state as usize] = group.next_class;
            for &predecessor in predecessors_of(&self.ends, &self.predecessors, state) {
                if !std::mem::replace(&mut is_open[predecessor as usize], true) {
                    next_open.push((predecessor, 0));
                }
            }
        }
        std::mem::swap(open, next_open);
        is_split
    }

    /// Numbers the classes by their first state. Returns the number of classes.
    fn number_by_first_state(&mut self) -> usize {
        let numbers = &mut self.largest;
        numbers.clear();
        numbers.resize(self.sizes.len(), u32::MAX);
        let mut count = 0;
        for class in &mut self.class_of {
            let number = &mut numbers[*class as usize];
            if *number == u32::MAX {
                *number = count;
                count += 1;
            }
            *class = *number;
        }
        count as usize
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
            dfa.ends[kept] = narrow(end);
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
        missing.extend(states.clone().map(|state| narrow(dfa.view().edge_range(state).len())));
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
        for (number, state) in (0..).zip(states) {
            for &(_, to) in dfa.view().edges(state) {
                predecessors[ends[to as usize] as usize] = number;
                ends[to as usize] += 1;
            }
        }
        let order = &mut dfa.bottom_up;
        order.clear();
        order.extend((0..).zip(&*missing).filter(|(_, missing)| **missing == 0).map(|(state, _)| state));
        let mut next = 0;
        while let Some(&state) = order.get(next) {
            for &predecessor in predecessors_of(ends, predecessors, state) {
                missing[predecessor as usize] -= 1;
                if missing[predecessor as usize] == 0 {
                    order.push(predecessor);
                }
            }
            next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use grammask_testkit::random::Rng;

    use super::*;

    /// By state, the first state that is equivalent: the table-filling algorithm.
    fn first_equivalent(dfa: &Dfa) -> Vec<usize> {
        let (view, count) = (dfa.view(), dfa.view().len());
        let labels = |state| view.edges(state).iter().map(|edge| edge.0);
        let mut differ: Vec<Vec<bool>> = (0..count)
            .map(|p| {
                let differs = |q| view.is_final(p) != view.is_final(q) || !Iterator::eq(labels(p), labels(q));
                (0..count).map(differs).collect()
            })
            .collect();
        loop {
            let before = differ.clone();
            for (p, row) in differ.iter_mut().enumerate() {
                for (q, differs) in row.iter_mut().enumerate() {
                    let mut pairs = view.edges(p).iter().zip(view.edges(q));
                    *differs |= pairs.any(|(a, b)| before[a.1 as usize][b.1 as usize]);
                }
            }
            if differ == before {
                break;
            }
        }
        (0..count).map(|p| (0..count).find(|&q| !differ[p][q]).unwrap()).collect()
    }

    #[test]
    fn equivalent_states_are_merged_and_no_others() {
        let mut rng = Rng::new(2026);
        let mut below = |limit| rng.below(limit);
        let mut minimizer = Minimizer::new();
        let (mut merged, mut whole) = (0, 0);
        for _ in 0..20_000 {
            let count = 1 + below(12);
            let mut dfa = Dfa::with_capacity(0);
            let density = 1 + below(3);
            for state in 0..count {
                for byte in b'a'..=b'c' {
                    if below(3) < density {
                        // Mostly forward, so that long chains occur.
                        let to = if below(4) > 0 { (state + 1) % count } else { below(count) };
                        dfa.edges.push((Label::Byte(byte), to as u32));
                    }
                }
                dfa.end_state(below(5) == 0);
            }
            let first = first_equivalent(&dfa);
            let kept: Vec<usize> = (0..first.len()).filter(|&state| first[state] == state).collect();
            let number = |state: usize| kept.binary_search(&first[state]).unwrap() as u32;
            let expected: Vec<(bool, Vec<(Label, u32)>)> = kept
                .iter()
                .map(|&state| {
                    let edges = dfa.view().edges(state).iter();
                    let edges = edges.map(|&(label, to)| (label, number(to as usize)));
                    (dfa.view().is_final(state), edges.collect())
                })
                .collect();
            minimizer.minimize(&mut dfa);
            if dfa.bottom_up.len() == count {
                continue;
            }
            let found: Vec<(bool, Vec<(Label, u32)>)> = (0..dfa.view().len())
                .map(|state| (dfa.view().is_final(state), dfa.view().edges(state).to_vec()))
                .collect();
            assert_eq!(found, expected);
            *(if kept.len() < first.len() { &mut merged } else { &mut whole }) += 1;
        }
        assert!(merged > 2_000 && whole > 2_000, "{merged} {whole}");
    }
}
