//! The automaton of one nonterminal over bytes and calls: first with empty edges, then deterministic.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::CalleeId;

/// What an edge takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Label {
    /// Nothing; only in a [`Fragment`].
    Nothing,
    /// One byte.
    Byte(u8),
    /// The special token with this index.
    Special(u16),
    /// All that the callee produces.
    Call(CalleeId),
}

/// A nondeterministic automaton with one start and one end.
pub(crate) struct Fragment {
    edges: Vec<Vec<(Label, u32)>>,
}

impl Fragment {
    pub(crate) fn new() -> Self {
        Self { edges: vec![Vec::new(), Vec::new()] }
    }

    pub(crate) const fn start(&self) -> u32 {
        0
    }

    pub(crate) const fn end(&self) -> u32 {
        1
    }

    pub(crate) fn len(&self) -> usize {
        self.edges.len()
    }

    pub(crate) fn add_state(&mut self) -> u32 {
        self.edges.push(Vec::new());
        (self.edges.len() - 1) as u32
    }

    pub(crate) fn connect(&mut self, from: u32, label: Label, to: u32) {
        self.edges[from as usize].push((label, to));
    }

    /// A chain of the bytes of a text, which is not empty.
    pub(crate) fn connect_text(&mut self, from: u32, text: &[u8], to: u32) {
        let mut at = from;
        for (place, &byte) in text.iter().enumerate() {
            let next = if place + 1 == text.len() { to } else { self.add_state() };
            self.connect(at, Label::Byte(byte), next);
            at = next;
        }
    }

    /// The same language of labels, deterministic, by the subset construction; `None` where that takes more than `limit` states.
    pub(crate) fn determinize(&self, limit: usize) -> Option<Automaton> {
        let mut automaton = Automaton { states: Vec::new() };
        let mut subsets: Vec<Vec<u32>> = Vec::new();
        let mut ids: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        let mut id_of = |subset: Vec<u32>, subsets: &mut Vec<Vec<u32>>| {
            *ids.entry(subset).or_insert_with_key(|subset| {
                subsets.push(subset.clone());
                subsets.len() - 1
            })
        };
        id_of(self.closed(vec![self.start()]), &mut subsets);
        while automaton.states.len() < subsets.len() {
            if subsets.len() > limit {
                return None;
            }
            let subset = &subsets[automaton.states.len()];
            let is_final = subset.contains(&self.end());
            let mut out: Vec<(Label, u32)> = subset
                .iter()
                .flat_map(|&state| &self.edges[state as usize])
                .copied()
                .filter(|(label, _)| *label != Label::Nothing)
                .collect();
            out.sort_unstable();
            out.dedup();
            let edges = out
                .chunk_by(|a, b| a.0 == b.0)
                .map(|chunk| {
                    let targets = chunk.iter().map(|&(_, to)| to).collect();
                    (chunk[0].0, id_of(self.closed(targets), &mut subsets))
                })
                .collect();
            automaton.states.push((is_final, edges));
        }
        Some(automaton.minimize())
    }

    /// The states and what they reach by empty edges; sorted.
    fn closed(&self, mut states: Vec<u32>) -> Vec<u32> {
        states.sort_unstable();
        states.dedup();
        let mut reached: FxHashSet<u32> = FxHashSet::default();
        let mut next = 0;
        while next < states.len() {
            for &(label, to) in &self.edges[states[next] as usize] {
                if label == Label::Nothing && reached.insert(to) {
                    states.push(to);
                }
            }
            next += 1;
        }
        states.sort_unstable();
        states.dedup();
        states
    }
}

/// A deterministic automaton; state 0 is the start.
pub(crate) struct Automaton {
    states: Vec<(bool, Vec<(Label, usize)>)>,
}

/// After this many rounds a partition that still changes is given up: only long chains of distinct states need more,
/// and these have little to merge.
const ROUNDS: usize = 64;

impl Automaton {
    /// The same language with equivalent states merged; the automaton as it is where that would take long.
    ///
    /// # Source
    /// E. Moore, "Gedanken-experiments on sequential machines", 1956: refine a partition until it is stable.
    fn minimize(self) -> Self {
        let mut class_of: Vec<usize> =
            self.states.iter().map(|(is_final, _)| usize::from(*is_final)).collect();
        let mut count = 0;
        for _ in 0..ROUNDS {
            let mut classes: FxHashMap<(usize, Vec<(Label, usize)>), usize> = FxHashMap::default();
            let refined: Vec<usize> = self
                .states
                .iter()
                .enumerate()
                .map(|(state, (_, edges))| {
                    let out = edges.iter().map(|&(label, to)| (label, class_of[to])).collect();
                    let next = classes.len();
                    *classes.entry((class_of[state], out)).or_insert(next)
                })
                .collect();
            class_of = refined;
            if classes.len() == count {
                return self.quotient(&class_of, count);
            }
            count = classes.len();
        }
        self
    }

    /// One state for every class. Classes are numbered by their first state, so the start stays state 0.
    fn quotient(self, class_of: &[usize], count: usize) -> Self {
        let mut states = Vec::with_capacity(count);
        for (state, (is_final, mut edges)) in self.states.into_iter().enumerate() {
            if class_of[state] == states.len() {
                for (_, to) in &mut edges {
                    *to = class_of[*to];
                }
                states.push((is_final, edges));
            }
        }
        Self { states }
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    pub(crate) fn is_final(&self, state: usize) -> bool {
        self.states[state].0
    }

    /// The edges, sorted by label.
    pub(crate) fn edges(&self, state: usize) -> &[(Label, usize)] {
        &self.states[state].1
    }

    /// The states from which no loop can be reached, each behind all its successors.
    pub(crate) fn loop_free_bottom_up(&self) -> Vec<usize> {
        let mut missing: Vec<usize> = self.states.iter().map(|(_, edges)| edges.len()).collect();
        let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); self.len()];
        for (state, (_, edges)) in self.states.iter().enumerate() {
            for &(_, to) in edges {
                predecessors[to].push(state);
            }
        }
        let mut order: Vec<usize> = (0..self.len()).filter(|&state| missing[state] == 0).collect();
        let mut next = 0;
        while next < order.len() {
            for &predecessor in &predecessors[order[next]] {
                missing[predecessor] -= 1;
                if missing[predecessor] == 0 {
                    order.push(predecessor);
                }
            }
            next += 1;
        }
        order
    }
}
