//! One minimal acyclic DFA for all character classes and small sets of words. Its states are hash-consed.
//!
//! States with equal edges are one state: "one byte of 80 to BF, then the end" exists once for all classes.

use crate::construct::concat::concat_pair;
use crate::store::id_table::IdTable;
use crate::store::node::{Kind, RegularId};
use crate::{ByteSet, Error, Store};
use grammask_work::narrow;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// A state. Targets of its edges have smaller numbers.
#[derive(Clone, Copy)]
struct State {
    start: u32,
    len: u32,
    /// Length of the longest string, in bytes.
    longest: u32,
    is_final: bool,
    /// True if all strings are ASCII.
    is_ascii: bool,
}

/// An edge for the bytes `first..=last`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Edge {
    pub(crate) first: u8,
    pub(crate) last: u8,
    pub(crate) target: u32,
}

#[derive(Clone, Default)]
pub(crate) struct AcyclicDfa {
    states: Vec<State>,
    edges: Vec<Edge>,
    table: IdTable,
    /// Frames of [`build`](Self::build), kept to save allocations. Between two calls, none has edges or is
    /// final.
    frames: Vec<Frame>,
}

/// Number of frames that are kept between two calls.
const MAX_POOLED_FRAMES: usize = 64;

/// The final state without edges.
pub(crate) const SINK: u32 = 0;

impl AcyclicDfa {
    pub(crate) fn new() -> Self {
        let mut automaton = Self::default();
        automaton.state(true, &[]);
        automaton
    }

    /// Number of states.
    pub(crate) const fn len(&self) -> usize {
        self.states.len()
    }

    pub(crate) fn is_final(&self, state: u32) -> bool {
        self.states[state as usize].is_final
    }

    /// Returns true if all strings from a state are ASCII.
    pub(crate) fn is_ascii(&self, state: u32) -> bool {
        self.states[state as usize].is_ascii
    }

    /// Returns the edges of a state, in ascending order. Adjacent edges with one target are merged.
    pub(crate) fn edges(&self, state: u32) -> &[Edge] {
        let State { start, len, .. } = self.states[state as usize];
        &self.edges[start as usize..(start + len) as usize]
    }

    pub(crate) fn step(&self, state: u32, byte: u8) -> Option<u32> {
        let edges = self.edges(state);
        let edge = edges.get(edges.partition_point(|edge| edge.last < byte))?;
        (edge.first <= byte).then_some(edge.target)
    }

    /// Returns the state with these edges, which are sorted and disjoint.
    pub(crate) fn state(&mut self, is_final: bool, edges: &[Edge]) -> u32 {
        let start = self.edges.len();
        for &edge in edges {
            match self.edges[start..].last_mut() {
                Some(last) if last.target == edge.target && last.last + 1 == edge.first => {
                    last.last = edge.last;
                }
                _ => self.edges.push(edge),
            }
        }
        let mut hasher = FxHasher::default();
        (is_final, &self.edges[start..]).hash(&mut hasher);
        let hash = hasher.finish();
        let found = self
            .table
            .find(hash, |id| self.is_final(id) == is_final && self.edges(id) == &self.edges[start..]);
        if let Some(id) = found {
            self.edges.truncate(start);
            return id;
        }
        let id = narrow(self.states.len());
        let len = narrow(self.edges.len() - start);
        let longest = self.edges[start..].iter().map(|edge| self.longest(edge.target) + 1).max().unwrap_or(0);
        let is_ascii = self.edges[start..].iter().all(|edge| edge.last < 0x80 && self.is_ascii(edge.target));
        self.states.push(State { start: narrow(start), len, longest, is_final, is_ascii });
        self.table.insert(hash, id);
        id
    }

    /// Returns the state that accepts the given strings, each a row of byte ranges. They are in ascending
    /// order; two rows differ first in disjoint ranges.
    ///
    /// # Source
    /// J. Daciuk, S. Mihov, B. Watson, R. Watson, *Incremental construction of minimal acyclic finite-state
    /// automata* (2000), for sorted input, with ranges instead of letters.
    pub(crate) fn build<'a>(&mut self, rows: impl IntoIterator<Item = &'a [(u8, u8)]>) -> Option<u32> {
        // The path of the last row: a frame per state, with its finished edges and the range of the open one.
        let mut frames = std::mem::take(&mut self.frames);
        if frames.is_empty() {
            frames.push(Frame::default());
        }
        let mut depth = 0;
        let mut is_empty = true;
        for row in rows {
            is_empty = false;
            let common = (0..depth).take_while(|&i| row.get(i) == Some(&frames[i].open)).count();
            self.freeze(&mut frames, depth, common);
            for (i, &range) in row.iter().enumerate().skip(common) {
                frames[i].open = range;
                if frames.len() == i + 1 {
                    frames.push(Frame::default());
                }
            }
            depth = row.len();
            frames[depth].is_final = true;
        }
        let root = (!is_empty).then(|| {
            self.freeze(&mut frames, depth, 0);
            self.state_of(&mut frames[0])
        });
        frames.truncate(MAX_POOLED_FRAMES);
        self.frames = frames;
        root
    }

    fn freeze(&mut self, frames: &mut [Frame], from: usize, to: usize) {
        for depth in (to..from).rev() {
            let target = self.state_of(&mut frames[depth + 1]);
            let (first, last) = frames[depth].open;
            frames[depth].edges.push(Edge { first, last, target });
        }
    }

    /// Returns the state of a frame, and clears the frame.
    fn state_of(&mut self, frame: &mut Frame) -> u32 {
        let state = self.state(frame.is_final, &frame.edges);
        frame.edges.clear();
        frame.is_final = false;
        state
    }

    /// Returns the length of the longest string from a state.
    pub(crate) fn longest(&self, state: u32) -> u32 {
        self.states[state as usize].longest
    }

    pub(crate) fn bytes_used(&self) -> usize {
        self.states.len() * size_of::<State>()
            + self.edges.len() * size_of::<Edge>()
            + self.table.bytes_used()
    }
}

/// Returns the normal form of the language of a state: a concatenation of byte sets as long as all edges have
/// one target.
pub(crate) fn acyclic_leaf(store: &mut Store, mut state: u32) -> Result<RegularId, Error> {
    let mut heads = Vec::new();
    let last = loop {
        if state == SINK {
            break RegularId::EPSILON;
        }
        let edges = store.leaves.acyclic.edges(state);
        let target = edges.first().map_or(SINK, |edge| edge.target);
        let is_single = edges.iter().all(|edge| edge.target == target);
        if !is_single || store.leaves.acyclic.is_final(state) && target != SINK {
            break store.intern(Kind::Acyclic(state))?;
        }
        let mut set = ByteSet::EMPTY;
        edges.iter().for_each(|edge| set.insert_range(edge.first, edge.last));
        let head = store.bytes(set);
        if store.leaves.acyclic.is_final(state) {
            break store.repeat(head, 0, Some(1))?;
        }
        heads.push(head);
        state = target;
    };
    heads.into_iter().rev().try_fold(last, |tail, head| concat_pair(store, head, tail))
}

#[derive(Clone, Default)]
struct Frame {
    is_final: bool,
    edges: Vec<Edge>,
    open: (u8, u8),
}

#[cfg(test)]
mod tests {
    use super::{AcyclicDfa, SINK};

    fn words(automaton: &mut AcyclicDfa, words: &[&str]) -> u32 {
        let rows: Vec<Vec<(u8, u8)>> = words.iter().map(|w| w.bytes().map(|b| (b, b)).collect()).collect();
        automaton.build(rows.iter().map(Vec::as_slice)).unwrap()
    }

    #[test]
    fn common_endings_are_one_state() {
        let mut automaton = AcyclicDfa::new();
        let state = words(&mut automaton, &["tap", "taps", "top", "tops"]);
        // The end, before "s", before "p", before "a" and "o", before "t".
        assert_eq!(automaton.states.len(), 5);
        assert_eq!(words(&mut automaton, &["tap", "taps", "top", "tops"]), state);
        assert_eq!(automaton.states.len(), 5);
        let inside = automaton.step(state, b't').unwrap();
        assert_eq!(automaton.step(inside, b'a'), automaton.step(inside, b'o'));
        assert_eq!(automaton.step(inside, b'e'), None);
    }

    #[test]
    fn the_empty_word_is_the_sink() {
        let mut automaton = AcyclicDfa::new();
        assert_eq!(words(&mut automaton, &[""]), SINK);
        assert!(automaton.build([]).is_none());
    }

    #[test]
    fn prefixes_of_words_are_final() {
        let mut automaton = AcyclicDfa::new();
        let state = words(&mut automaton, &["", "a", "ab", "b"]);
        let a = automaton.step(state, b'a').unwrap();
        assert!(automaton.is_final(state) && automaton.is_final(a));
        assert_eq!(automaton.step(a, b'b'), Some(SINK));
        assert_eq!(automaton.step(state, b'b'), Some(SINK));
    }
}
