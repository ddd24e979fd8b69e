//! Deterministic automata as dense tables, with the operations that the oracle needs.

use rustc_hash::FxHashMap;

/// States of an automaton. Beyond it, an operation returns [`TooLarge`].
pub(super) const MAX_STATES: usize = 50_000;

/// A missing edge.
const NONE: u32 = u32::MAX;

/// An automaton was about to get more than [`MAX_STATES`] states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// A deterministic automaton. State 0 is the start; a missing edge rejects.
#[derive(Clone, Debug)]
pub(super) struct Dfa {
    next: Vec<[u32; 256]>,
    accepting: Vec<bool>,
}

/// Length of a string that is listed. A longer one may belong to a loop.
const MAX_LISTED_BYTES: usize = 64;

impl Dfa {
    /// Returns an automaton of one state without edges.
    fn single(accepting: bool) -> Self {
        Self { next: vec![[NONE; 256]], accepting: vec![accepting] }
    }

    /// Returns the language of one string.
    pub(super) fn text(text: &[u8]) -> Result<Self, TooLarge> {
        let mut dfa = Self::single(text.is_empty());
        for (i, &byte) in text.iter().enumerate() {
            let to = dfa.add_state(i + 1 == text.len())?;
            dfa.next[i][usize::from(byte)] = to;
        }
        Ok(dfa)
    }

    /// Returns the language of all strings.
    pub(super) fn anything() -> Self {
        Self { next: vec![[0; 256]], accepting: vec![true] }
    }

    /// Returns the language of all strings of `min` to `max` bytes.
    pub(super) fn lengths(min: usize, max: Option<usize>) -> Result<Self, TooLarge> {
        let mut dfa = Self::single(min == 0);
        let mut last = 0;
        for length in 1..=max.unwrap_or(min) {
            last = dfa.add_state(length >= min)?;
            dfa.next[length - 1] = [last; 256];
        }
        if max.is_none() {
            dfa.next[min] = [last; 256];
        }
        Ok(dfa)
    }

    pub(super) fn add_state(&mut self, accepting: bool) -> Result<u32, TooLarge> {
        let state = self.next.len();
        if state == MAX_STATES {
            return Err(TooLarge);
        }
        self.next.push([NONE; 256]);
        self.accepting.push(accepting);
        u32::try_from(state).map_err(|_| TooLarge)
    }

    /// Returns the automaton whose states are the values reachable from `start` by `next`.
    pub(super) fn explore<S: Clone + Eq + std::hash::Hash>(
        start: S,
        accepting: impl Fn(&S) -> bool,
        mut next: impl FnMut(&S, u8) -> Option<S>,
    ) -> Result<Self, TooLarge> {
        let mut dfa = Self::single(accepting(&start));
        let mut ids = FxHashMap::from_iter([(start.clone(), 0)]);
        let mut states = vec![start];
        let mut from = 0;
        while from < states.len() {
            let state = states[from].clone();
            for byte in 0..=255 {
                let Some(to) = next(&state, byte) else { continue };
                let id = match ids.get(&to) {
                    Some(&id) => id,
                    None => {
                        let id = dfa.add_state(accepting(&to))?;
                        ids.insert(to.clone(), id);
                        states.push(to);
                        id
                    }
                };
                dfa.next[from][usize::from(byte)] = id;
            }
            from += 1;
        }
        Ok(dfa)
    }

    pub(super) fn len(&self) -> usize {
        self.next.len()
    }

    pub(super) fn next(&self, state: u32, byte: u8) -> Option<u32> {
        Some(self.next[state as usize][usize::from(byte)]).filter(|&to| to != NONE)
    }

    pub(super) fn is_accepting(&self, state: u32) -> bool {
        self.accepting[state as usize]
    }

    /// Returns the complement.
    pub(super) fn complement(&self) -> Result<Self, TooLarge> {
        let mut dfa = self.clone();
        let sink = dfa.add_state(false)?;
        for to in dfa.next.iter_mut().flatten() {
            if *to == NONE {
                *to = sink;
            }
        }
        for accepting in &mut dfa.accepting {
            *accepting = !*accepting;
        }
        Ok(dfa)
    }

    /// Returns the intersection.
    pub(super) fn intersection(&self, other: &Self) -> Result<Self, TooLarge> {
        Self::explore(
            (0, 0),
            |&(one, two)| self.is_accepting(one) && other.is_accepting(two),
            |&(one, two), byte| Some((self.next(one, byte)?, other.next(two, byte)?)),
        )
    }

    /// Returns the non-empty strings of the language that have no non-empty proper prefix in it.
    pub(super) fn earliest(&self) -> Result<Self, TooLarge> {
        // The flag is true after the first byte: an empty match does not count.
        Self::explore(
            (0, false),
            |&(state, begun)| begun && self.is_accepting(state),
            |&(state, begun), byte| {
                if begun && self.is_accepting(state) { None } else { Some((self.next(state, byte)?, true)) }
            },
        )
    }

    /// Returns the automaton without edges to states that reach no accepting one.
    pub(super) fn trimmed(&self) -> Self {
        let mut useful = self.accepting.clone();
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.len()];
        for (from, row) in (0..).zip(&self.next) {
            for &to in row.iter().filter(|&&to| to != NONE) {
                before[to as usize].push(from);
            }
        }
        let mut agenda: Vec<usize> = (0..self.len()).filter(|&state| useful[state]).collect();
        while let Some(state) = agenda.pop() {
            for &from in &before[state] {
                if !std::mem::replace(&mut useful[from as usize], true) {
                    agenda.push(from as usize);
                }
            }
        }
        let mut dfa = self.clone();
        for to in dfa.next.iter_mut().flatten() {
            if *to != NONE && !useful[*to as usize] {
                *to = NONE;
            }
        }
        dfa
    }

    /// Returns the state after some bytes.
    pub(super) fn after(&self, state: u32, bytes: &[u8]) -> Option<u32> {
        bytes.iter().try_fold(state, |state, &byte| self.next(state, byte))
    }

    /// Returns all strings. `None` if there are more than `max`. The automaton must be [trimmed](Self::trimmed).
    pub(super) fn strings(&self, max: usize) -> Option<Vec<Vec<u8>>> {
        let mut strings = Vec::new();
        let mut open: Vec<(u32, Vec<u8>)> = vec![(0, Vec::new())];
        while let Some((state, string)) = open.pop() {
            if self.is_accepting(state) {
                strings.push(string.clone());
            }
            // Each open state leads to a string of its own.
            if strings.len() + open.len() > max || string.len() > MAX_LISTED_BYTES {
                return None;
            }
            for (low, high, next) in self.ranges(state) {
                if usize::from(high - low) > max {
                    return None;
                }
                open.extend((low..=high).map(|byte| (next, [&string[..], &[byte]].concat())));
            }
        }
        strings.sort_unstable();
        Some(strings)
    }

    /// Returns true if the language contains the empty string.
    pub(super) fn is_nullable(&self) -> bool {
        self.accepting[0]
    }

    /// Returns true if the language contains a non-empty string. The automaton must be trimmed.
    pub(super) fn has_bytes(&self) -> bool {
        self.next[0].iter().any(|&to| to != NONE)
    }

    /// Returns the edges of a state: ranges of bytes, with both ends included, and the state after them.
    pub(super) fn ranges(&self, state: u32) -> Vec<(u8, u8, u32)> {
        let mut ranges: Vec<(u8, u8, u32)> = Vec::new();
        for byte in 0..=255 {
            let Some(to) = self.next(state, byte) else { continue };
            match ranges.last_mut() {
                Some(last) if last.1.checked_add(1) == Some(byte) && last.2 == to => last.1 = byte,
                _ => ranges.push((byte, byte, to)),
            }
        }
        ranges
    }
}
