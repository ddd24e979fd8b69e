//! Regular operations, by nondeterministic automata with empty edges and the subset construction.

use grammask_syntax::Text;

use super::dfa::{Dfa, TooLarge};

#[derive(Clone, Debug, Default)]
struct Nfa {
    /// By state: ranges of bytes, with both ends included, and the state after them.
    edges: Vec<Vec<(u8, u8, usize)>>,
    /// By state: the states that its empty edges lead to.
    empty: Vec<Vec<usize>>,
}

impl Nfa {
    fn state(&mut self) -> usize {
        self.edges.push(Vec::new());
        self.empty.push(Vec::new());
        self.edges.len() - 1
    }

    /// Inserts a copy of `dfa` between two states.
    fn embed(&mut self, dfa: &Dfa, from: usize, to: usize) {
        let base = self.edges.len();
        for _ in 0..dfa.len() {
            self.state();
        }
        self.empty[from].push(base);
        for (state, number) in (base..).zip((0..).take(dfa.len())) {
            let ranges = dfa.ranges(number).into_iter();
            self.edges[state] = ranges.map(|(low, high, next)| (low, high, base + next as usize)).collect();
            if dfa.is_accepting(number) {
                self.empty[state].push(to);
            }
        }
    }

    /// Returns the states that are reachable by empty edges, in ascending order.
    fn closure(&self, mut states: Vec<usize>) -> Vec<usize> {
        let mut seen = vec![false; self.edges.len()];
        let mut all = Vec::new();
        while let Some(state) = states.pop() {
            if !std::mem::replace(&mut seen[state], true) {
                all.push(state);
                states.extend(&self.empty[state]);
            }
        }
        all.sort_unstable();
        all
    }

    fn determinize(&self, from: usize, to: usize) -> Result<Dfa, TooLarge> {
        // Bytes between two boundaries of ranges have equal successors.
        let mut differs = [false; 257];
        for &(low, high, _) in self.edges.iter().flatten() {
            differs[usize::from(low)] = true;
            differs[usize::from(high) + 1] = true;
        }
        let mut previous = None;
        Dfa::explore(
            self.closure(vec![from]),
            |set| set.binary_search(&to).is_ok(),
            |set, byte| {
                if byte == 0 || differs[usize::from(byte)] {
                    let edges = set.iter().flat_map(|&state| &self.edges[state]);
                    let taken = edges.filter(|&&(low, high, _)| low <= byte && byte <= high);
                    let next: Vec<usize> = taken.map(|&(_, _, next)| next).collect();
                    previous = if next.is_empty() { None } else { Some(self.closure(next)) };
                }
                previous.clone()
            },
        )
    }
}

/// Returns the concatenation of the parts.
pub(super) fn concatenation(parts: &[&Dfa]) -> Result<Dfa, TooLarge> {
    let mut nfa = Nfa::default();
    let start = nfa.state();
    let mut end = start;
    for part in parts {
        let next = nfa.state();
        nfa.embed(part, end, next);
        end = next;
    }
    nfa.determinize(start, end)
}

/// Returns the union of the parts.
pub(super) fn union(parts: &[&Dfa]) -> Result<Dfa, TooLarge> {
    let mut nfa = Nfa::default();
    let (start, end) = (nfa.state(), nfa.state());
    for part in parts {
        nfa.embed(part, start, end);
    }
    nfa.determinize(start, end)
}

/// Returns `min` to `max` repetitions of `part`.
pub(super) fn repetition(part: &Dfa, min: u32, max: Option<u32>) -> Result<Dfa, TooLarge> {
    let mut nfa = Nfa::default();
    let start = nfa.state();
    let mut last = start;
    // Empty edges lead to the end from every allowed number of repetitions.
    let end = nfa.state();
    for times in 0..max.unwrap_or(min) {
        if nfa.edges.len() > super::dfa::MAX_STATES {
            return Err(TooLarge);
        }
        if times >= min {
            nfa.empty[last].push(end);
        }
        let next = nfa.state();
        nfa.embed(part, last, next);
        last = next;
    }
    nfa.empty[last].push(end);
    if max.is_none() {
        let round = nfa.state();
        nfa.empty[last].push(round);
        nfa.embed(part, round, round);
        nfa.empty[round].push(end);
    }
    nfa.determinize(start, end)
}

/// Returns the strings that contain a string of `part`.
pub(super) fn containing(part: &Dfa) -> Result<Dfa, TooLarge> {
    let anything = Dfa::anything();
    concatenation(&[&anything, part, &anything])
}

/// Returns the substrings of `text`, including the empty one.
pub(super) fn pieces(text: &[u8]) -> Result<Dfa, TooLarge> {
    let mut nfa = Nfa::default();
    let (start, end) = (nfa.state(), nfa.state());
    let states: Vec<usize> = (0..=text.len()).map(|_| nfa.state()).collect();
    for (i, &state) in states.iter().enumerate() {
        nfa.empty[start].push(state);
        nfa.empty[state].push(end);
        if let Some(&byte) = text.get(i) {
            nfa.edges[state].push((byte, byte, states[i + 1]));
        }
    }
    nfa.determinize(start, end)
}

/// Returns the concatenations of consecutive texts, including the empty one.
pub(super) fn runs(chunks: &[Text]) -> Result<Dfa, TooLarge> {
    let mut nfa = Nfa::default();
    let (start, end) = (nfa.state(), nfa.state());
    let boundaries: Vec<usize> = (0..=chunks.len()).map(|_| nfa.state()).collect();
    for (i, &boundary) in boundaries.iter().enumerate() {
        nfa.empty[start].push(boundary);
        nfa.empty[boundary].push(end);
        if let Some(chunk) = chunks.get(i) {
            nfa.embed(&Dfa::text(chunk.as_bytes())?, boundary, boundaries[i + 1]);
        }
    }
    nfa.determinize(start, end)
}
