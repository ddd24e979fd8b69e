//! Substrings of a text: its suffix automaton, in which every state accepts.

use crate::ByteClasses;
use grammask_work::narrow;
use std::sync::Arc;

/// The suffix automaton of a text. State 0 is the start.
pub(crate) struct FactorAutomaton {
    pub(crate) text: Arc<[u8]>,
    /// Start of the edges of each state; one entry more than states.
    starts: Vec<u32>,
    /// Sorted by byte within a state.
    edges: Vec<(u8, u32)>,
    /// Length of the longest continuation from each state.
    longest: Vec<u32>,
}

const NONE: u32 = u32::MAX;

/// The automaton under construction: edges are in linked lists, because states are copied.
#[derive(Default)]
struct Builder {
    length: Vec<u32>,
    link: Vec<u32>,
    head: Vec<u32>,
    edges: Vec<(u8, u32, u32)>,
}

impl Builder {
    fn state(&mut self, length: u32, link: u32) -> u32 {
        let id = narrow(self.length.len());
        self.length.push(length);
        self.link.push(link);
        self.head.push(NONE);
        id
    }

    fn find(&self, state: u32, byte: u8) -> Option<usize> {
        let mut edge = self.head[state as usize];
        while edge != NONE && self.edges[edge as usize].0 != byte {
            edge = self.edges[edge as usize].2;
        }
        (edge != NONE).then_some(edge as usize)
    }

    fn add(&mut self, state: u32, byte: u8, target: u32) {
        let next = std::mem::replace(&mut self.head[state as usize], narrow(self.edges.len()));
        self.edges.push((byte, target, next));
    }

    /// Appends a byte to the text: adds a state for the new suffixes, and splits the state whose strings now
    /// end at different sets of positions. Returns the new last state.
    fn extend(&mut self, last: u32, byte: u8) -> u32 {
        let current = self.state(self.length[last as usize] + 1, 0);
        let mut node = last;
        while node != NONE && self.find(node, byte).is_none() {
            self.add(node, byte, current);
            node = self.link[node as usize];
        }
        let Some(edge) = (node != NONE).then(|| self.find(node, byte)).flatten() else {
            return current;
        };
        let target = self.edges[edge].1;
        let length = self.length[node as usize] + 1;
        if self.length[target as usize] == length {
            self.link[current as usize] = target;
            return current;
        }
        let copy = self.state(length, self.link[target as usize]);
        let mut edge = self.head[target as usize];
        while edge != NONE {
            let (byte, to, next) = self.edges[edge as usize];
            self.add(copy, byte, to);
            edge = next;
        }
        while node != NONE
            && let Some(edge) = self.find(node, byte)
            && self.edges[edge].1 == target
        {
            self.edges[edge].1 = copy;
            node = self.link[node as usize];
        }
        self.link[target as usize] = copy;
        self.link[current as usize] = copy;
        current
    }
}

impl FactorAutomaton {
    /// Builds the automaton of a text of fewer than 2^31 bytes.
    ///
    /// # Complexity
    /// Fewer than 2n states and 3n edges for n bytes; time linear in n times the number of different bytes.
    ///
    /// # Source
    /// Blumer, Blumer, Haussler, Ehrenfeucht, Chen, Seiferas, *The smallest automaton recognizing the
    /// subwords of a text* (1985), built online.
    pub(crate) fn new(text: Arc<[u8]>) -> Self {
        let mut builder = Builder::default();
        let mut last = builder.state(0, NONE);
        for &byte in &*text {
            last = builder.extend(last, byte);
        }
        let states = builder.length.len();
        let mut starts = Vec::with_capacity(states + 1);
        let mut edges = Vec::with_capacity(builder.edges.len());
        for &head in &builder.head {
            let start = edges.len();
            starts.push(narrow(start));
            let mut edge = head;
            while edge != NONE {
                let (byte, target, next) = builder.edges[edge as usize];
                edges.push((byte, target));
                edge = next;
            }
            edges[start..].sort_unstable();
        }
        starts.push(narrow(edges.len()));
        // An edge leads to a greater length, so the order by length is topological.
        let mut order: Vec<u32> = (0..narrow(states)).collect();
        order.sort_unstable_by_key(|&state| std::cmp::Reverse(builder.length[state as usize]));
        let mut longest = vec![0; states];
        for state in order {
            let range = starts[state as usize] as usize..starts[state as usize + 1] as usize;
            longest[state as usize] =
                edges[range].iter().map(|&(_, target)| longest[target as usize] + 1).max().unwrap_or(0);
        }
        Self { text, starts, edges, longest }
    }

    /// Returns the edges of a state, sorted by byte.
    pub(crate) fn edges(&self, state: u32) -> &[(u8, u32)] {
        &self.edges[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }

    pub(crate) fn step(&self, state: u32, byte: u8) -> Option<u32> {
        let edges = self.edges(state);
        edges.binary_search_by_key(&byte, |edge| edge.0).ok().map(|index| edges[index].1)
    }

    /// Returns true if the state exists.
    pub(crate) fn has_state(&self, state: u32) -> bool {
        (state as usize) < self.longest.len()
    }

    /// Returns the length of the longest continuation from a state, in bytes.
    pub(crate) fn longest(&self, state: u32) -> u32 {
        self.longest[state as usize]
    }

    /// Returns the byte classes with equal next states.
    pub(crate) fn classes(&self, state: u32) -> ByteClasses {
        let mut targets = [NONE; 256];
        for &(byte, target) in self.edges(state) {
            targets[usize::from(byte)] = target;
        }
        ByteClasses::by_key(|byte| targets[usize::from(byte)])
    }

    pub(crate) fn bytes_used(&self) -> usize {
        self.text.len() + self.starts.len() * 8 + self.edges.len() * size_of::<(u8, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::FactorAutomaton;

    #[test]
    fn accepts_exactly_the_substrings() {
        for text in ["", "a", "aaaa", "abcbc", "abacabad", "aabbabab"] {
            let factors = FactorAutomaton::new(text.as_bytes().into());
            assert!(factors.starts.len() <= (2 * text.len()).max(2) + 1);
            for length in 0..7u32 {
                for number in 0..4u32.pow(length) {
                    let word: Vec<u8> = (0..length).map(|i| b'a' + (number >> (2 * i) & 3) as u8).collect();
                    let end = word.iter().try_fold(0, |state, &byte| factors.step(state, byte));
                    let is_factor = word.is_empty() || text.as_bytes().windows(word.len()).any(|w| w == word);
                    assert_eq!(end.is_some(), is_factor, "{text} {word:?}");
                }
            }
            assert_eq!(factors.longest(0) as usize, text.len());
        }
    }
}
