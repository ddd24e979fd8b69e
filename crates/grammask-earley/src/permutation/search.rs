//! The positions of a search among the texts of a `distinct!` item, which goes on byte by byte.

use std::collections::VecDeque;
use std::hash::Hash;

use rustc_hash::FxHashSet;

use crate::permutation::json_value::is_blank;

/// Work of one position.
pub(super) const UNITS_PER_POSITION: u64 = 32;

/// The positions that a search has found, and the order in which it expands them.
///
/// Positions after unescaped bytes come first: they lead directly to the next free part of the value, where
/// some byte differs. Positions after a backslash, which starts another spelling of a character, come next.
/// Positions after blanks come last, as blanks hardly ever lead to another value.
pub(super) struct Search<P> {
    /// Each position that has been found, with the index of its predecessor.
    positions: Vec<(P, usize)>,
    found: FxHashSet<P>,
    /// Indices of positions to be expanded, depth first: those after unescaped bytes.
    plain: Vec<usize>,
    /// As `plain`, for those after a backslash.
    escapes: Vec<usize>,
    /// Indices of positions to be expanded, breadth first: those after blanks.
    blanks: VecDeque<usize>,
}

impl<P: Clone + Eq + Hash> Search<P> {
    pub(super) fn from(start: P) -> Self {
        Self {
            positions: vec![(start.clone(), 0)],
            found: FxHashSet::from_iter([start]),
            plain: vec![0],
            escapes: Vec::new(),
            blanks: VecDeque::new(),
        }
    }

    /// Returns the number of positions found so far.
    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns the position of an index.
    pub(super) fn position(&self, number: usize) -> &P {
        &self.positions[number].0
    }

    /// Returns the positions found so far.
    pub(super) fn found(self) -> impl Iterator<Item = P> {
        self.found.into_iter()
    }

    /// Takes the index of the position that is to be expanded next.
    pub(super) fn next(&mut self) -> Option<usize> {
        self.plain.pop().or_else(|| self.escapes.pop()).or_else(|| self.blanks.pop_front())
    }

    /// Adds the position after a byte, unless it has been found before.
    pub(super) fn add(&mut self, position: P, before: usize, byte: u8) {
        if !self.found.insert(position.clone()) {
            return;
        }
        let number = self.positions.len();
        self.positions.push((position, before));
        match byte {
            b'\\' => self.escapes.push(number),
            byte if is_blank(byte) => self.blanks.push_back(number),
            _ => self.plain.push(number),
        }
    }

    /// Returns the positions on the path to a position, the last one first.
    pub(super) fn path_to(&self, number: usize) -> impl Iterator<Item = P> {
        let mut next = Some(number);
        std::iter::from_fn(move || {
            let (position, before) = &self.positions[next?];
            next = next.filter(|&number| number > 0).map(|_| *before);
            Some(position.clone())
        })
    }
}
