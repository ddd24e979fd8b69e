//! Sets of strings, truncated at a length.

use std::collections::BTreeSet;

/// The compared strings: all strings over these bytes up to this length.
#[derive(Clone, Copy, Debug)]
pub struct Space {
    pub bytes: &'static [u8],
    pub length: usize,
}

impl Space {
    pub fn strings(self) -> Vec<Vec<u8>> {
        strings(self.bytes, self.length)
    }
}

/// Returns all strings over these bytes of at most this length.
pub fn strings(bytes: &[u8], length: usize) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..length {
        last = last
            .iter()
            .flat_map(|one| bytes.iter().map(move |&byte| [one.as_slice(), &[byte]].concat()))
            .collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// The strings of a language, truncated at a length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strings {
    pub length: usize,
    /// The strings up to that length.
    pub whole: BTreeSet<Vec<u8>>,
    /// The prefixes of that length of the longer strings.
    pub cut: BTreeSet<Vec<u8>>,
}

impl Strings {
    pub fn none(length: usize) -> Self {
        Self { length, whole: BTreeSet::new(), cut: BTreeSet::new() }
    }

    pub fn empty_string(length: usize) -> Self {
        Self { length, whole: BTreeSet::from([Vec::new()]), cut: BTreeSet::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.whole.is_empty() && self.cut.is_empty()
    }

    pub fn insert(&mut self, mut string: Vec<u8>) {
        if string.len() <= self.length {
            self.whole.insert(string);
        } else {
            string.truncate(self.length);
            self.cut.insert(string);
        }
    }

    pub fn union(mut self, other: &Self) -> Self {
        self.whole.extend(other.whole.iter().cloned());
        self.cut.extend(other.cut.iter().cloned());
        self
    }

    pub fn then(&self, other: &Self) -> Self {
        let mut all = Self::none(self.length);
        if other.is_empty() {
            return all;
        }
        all.cut = self.cut.clone();
        for one in &self.whole {
            for two in &other.whole {
                all.insert([one.as_slice(), two].concat());
            }
            for two in &other.cut {
                all.cut.insert([one.as_slice(), two].concat()[..self.length].to_vec());
            }
        }
        all
    }

    /// Returns `min` to `max` repetitions.
    pub fn times(&self, min: u32, max: Option<u32>) -> Self {
        let mut exactly = Self::empty_string(self.length);
        for _ in 0..min {
            exactly = exactly.then(self);
        }
        let mut all = exactly.clone();
        for _ in min..max.unwrap_or(u32::MAX) {
            exactly = exactly.then(self);
            let more = all.clone().union(&exactly);
            // Stop at the first repetition that adds nothing. No later one adds anything, because each
            // depends on `exactly` alone. With the empty string, `exactly` grows; without it, its strings get
            // longer.
            if more == all && max.is_none() {
                break;
            }
            all = more;
        }
        all
    }
}

/// The prefixes of endless strings, all of the length at which strings are truncated.
pub type Endless = BTreeSet<Vec<u8>>;

/// Returns the prefixes of endless strings that follow a string of `before`.
pub fn after(before: &Strings, endless: &Endless) -> Endless {
    if endless.is_empty() {
        return Endless::new();
    }
    let mut all = before.cut.clone();
    for one in &before.whole {
        all.extend(endless.iter().map(|two| [one.as_slice(), two].concat()[..before.length].to_vec()));
    }
    all
}
