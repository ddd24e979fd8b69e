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

/// No edge, no subset.
const NONE: u32 = u32::MAX;

/// A nondeterministic automaton with one start and one end.
pub(crate) struct Fragment {
    /// The last edge out of every state.
    last: Vec<u32>,
    edges: Vec<Edge>,
}

struct Edge {
    label: Label,
    to: u32,
    /// Another edge out of the same state.
    before: u32,
}

impl Fragment {
    pub(crate) fn new() -> Self {
        Self { last: vec![NONE; 2], edges: Vec::new() }
    }

    pub(crate) const fn start(&self) -> u32 {
        0
    }

    pub(crate) const fn end(&self) -> u32 {
        1
    }

    pub(crate) fn len(&self) -> usize {
        self.last.len()
    }

    pub(crate) fn add_state(&mut self) -> u32 {
        self.last.push(NONE);
        (self.last.len() - 1) as u32
    }

    pub(crate) fn connect(&mut self, from: u32, label: Label, to: u32) {
        let before = std::mem::replace(&mut self.last[from as usize], self.edges.len() as u32);
        self.edges.push(Edge { label, to, before });
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

    fn edges(&self, state: u32) -> impl Iterator<Item = (Label, u32)> {
        let mut next = self.last[state as usize];
        std::iter::from_fn(move || {
            let edge = self.edges.get(next as usize)?;
            next = edge.before;
            Some((edge.label, edge.to))
        })
    }

    /// The same language of labels, deterministic and without equivalent states; `None` where the subset construction takes more
    /// than `limit` states.
    pub(crate) fn determinize(&self, limit: usize) -> Option<Automaton> {
        if let Some(chain) = self.chain() {
            return Some(chain);
        }
        let mut automaton = Automaton { states: Vec::new(), bottom_up: Vec::new() };
        let mut subsets = Subsets::new(self.len());
        let mut subset = vec![self.start()];
        self.close(&mut subset);
        subsets.id(&subset);
        let mut out: Vec<(Label, u32)> = Vec::new();
        while let Some(states) = subsets.get(automaton.states.len()) {
            if subsets.ends.len() > limit {
                return None;
            }
            let is_final = states.contains(&self.end());
            out.clear();
            out.extend(
                states
                    .iter()
                    .flat_map(|&state| self.edges(state))
                    .filter(|(label, _)| *label != Label::Nothing),
            );
            out.sort_unstable();
            out.dedup();
            let mut edges = Vec::with_capacity(out.len());
            for chunk in out.chunk_by(|a, b| a.0 == b.0) {
                subset.clear();
                subset.extend(chunk.iter().map(|&(_, to)| to));
                self.close(&mut subset);
                edges.push((chunk[0].0, subsets.id(&subset)));
            }
            automaton.states.push((is_final, edges));
        }
        Some(automaton.minimize())
    }

    /// The automaton of a single text: nothing is to be decided there, and most rules of some grammars are nothing else.
    fn chain(&self) -> Option<Automaton> {
        let is_step = |label| if label == Label::Nothing { None } else { Some(label) };
        let mut states = Vec::with_capacity(self.len());
        let mut at = self.start();
        while at != self.end() {
            let edge = self.edges.get(self.last[at as usize] as usize)?;
            if edge.before != NONE || states.len() + 1 >= self.len() {
                return None;
            }
            states.push((false, vec![(is_step(edge.label)?, states.len() + 1)]));
            at = edge.to;
        }
        if self.last[at as usize] != NONE {
            return None;
        }
        states.push((true, Vec::new()));
        Some(Automaton { bottom_up: (0..states.len()).rev().collect(), states })
    }

    /// Adds what the states reach by empty edges, and sorts them.
    fn close(&self, states: &mut Vec<u32>) {
        states.sort_unstable();
        states.dedup();
        let mut reached: FxHashSet<u32> = FxHashSet::default();
        let mut next = 0;
        while next < states.len() {
            for (label, to) in self.edges(states[next]) {
                if label == Label::Nothing && reached.insert(to) {
                    states.push(to);
                }
            }
            next += 1;
        }
        states.sort_unstable();
        states.dedup();
    }
}

/// The sets of states that the subset construction has met. Most have one member, and need no hashing.
struct Subsets {
    of_one: Vec<u32>,
    of_more: FxHashMap<Box<[u32]>, usize>,
    /// The members of all sets, one after the other, and where each set ends.
    members: Vec<u32>,
    ends: Vec<usize>,
}

impl Subsets {
    fn new(states: usize) -> Self {
        Self {
            of_one: vec![NONE; states],
            of_more: FxHashMap::default(),
            members: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn get(&self, id: usize) -> Option<&[u32]> {
        let end = *self.ends.get(id)?;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        Some(&self.members[start..end])
    }

    /// The number of a sorted set; it joins the list if it is new.
    fn id(&mut self, subset: &[u32]) -> usize {
        let new = self.ends.len();
        let id = match *subset {
            [state] => {
                let id = &mut self.of_one[state as usize];
                if *id == NONE {
                    *id = new as u32;
                }
                *id as usize
            }
            _ => match self.of_more.get(subset) {
                Some(&known) => known,
                None => {
                    self.of_more.insert(subset.into(), new);
                    new
                }
            },
        };
        if id == new {
            self.members.extend_from_slice(subset);
            self.ends.push(self.members.len());
        }
        id
    }
}

/// A deterministic automaton; state 0 is the start.
pub(crate) struct Automaton {
    states: Vec<(bool, Vec<(Label, usize)>)>,
    /// The states from which no loop can be reached, each behind all its successors.
    bottom_up: Vec<usize>,
}

/// After this many rounds a partition that still changes is given up: only long chains of distinct states need more,
/// and these have little to merge.
const ROUNDS: usize = 64;

impl Automaton {
    /// The same language with equivalent states merged; the automaton as it is where that would take long.
    ///
    /// # Source
    /// E. Moore, "Gedanken-experiments on sequential machines", 1956: refine a partition until it is stable.
    fn minimize(mut self) -> Self {
        // Where there is no loop, equal ends are found when the states become nodes.
        self.bottom_up = self.find_bottom_up();
        if self.bottom_up.len() == self.len() {
            return self;
        }
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
        let mut quotient = Self { states, bottom_up: Vec::new() };
        quotient.bottom_up = quotient.find_bottom_up();
        quotient
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
    pub(crate) fn loop_free_bottom_up(&self) -> &[usize] {
        &self.bottom_up
    }

    fn find_bottom_up(&self) -> Vec<usize> {
        let mut missing: Vec<u32> = self.states.iter().map(|(_, edges)| edges.len() as u32).collect();
        // The predecessors of all states in one list: where those of a state end, and, while filling, where the next one goes.
        let mut ends = vec![0u32; self.len() + 1];
        for (_, to) in self.states.iter().flat_map(|(_, edges)| edges) {
            ends[to + 1] += 1;
        }
        for state in 0..self.len() {
            ends[state + 1] += ends[state];
        }
        let mut predecessors = vec![0u32; ends[self.len()] as usize];
        for (state, (_, edges)) in self.states.iter().enumerate() {
            for &(_, to) in edges {
                predecessors[ends[to] as usize] = state as u32;
                ends[to] += 1;
            }
        }
        let mut order: Vec<usize> = (0..self.len()).filter(|&state| missing[state] == 0).collect();
        let mut next = 0;
        while let Some(&state) = order.get(next) {
            let start = if state == 0 { 0 } else { ends[state - 1] };
            for &predecessor in &predecessors[start as usize..ends[state] as usize] {
                missing[predecessor as usize] -= 1;
                if missing[predecessor as usize] == 0 {
                    order.push(predecessor as usize);
                }
            }
            next += 1;
        }
        order
    }
}
