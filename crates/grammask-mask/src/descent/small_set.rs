//! A set in insertion order: a list that is scanned while it is short, and a hash set beyond that.

use std::hash::Hash;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Number of elements that are scanned linearly; beyond it, elements are found by hash.
const MAX_SCANNED_LEN: usize = 16;

/// Set of elements in insertion order.
pub(crate) struct SmallIndexSet<T> {
    list: SmallVec<[T; 4]>,
    /// All elements, once there are `MAX_SCANNED_LEN`.
    many: FxHashSet<T>,
}

impl<T> Default for SmallIndexSet<T> {
    fn default() -> Self {
        Self { list: SmallVec::new(), many: FxHashSet::default() }
    }
}

impl<T: Copy + Eq + Hash> SmallIndexSet<T> {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.many.clear();
    }

    /// Inserts an element. Returns `true` if it is new.
    pub(crate) fn insert(&mut self, key: T) -> bool {
        let is_new =
            if self.list.len() < MAX_SCANNED_LEN { !self.list.contains(&key) } else { self.many.insert(key) };
        if is_new {
            self.list.push(key);
            if self.list.len() == MAX_SCANNED_LEN {
                self.many.extend(self.list.iter().copied());
            }
        }
        is_new
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        &self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_new_once_few_or_many() {
        let mut seen = SmallIndexSet::default();
        for _ in 0..2 {
            for number in 0..50 {
                assert!(seen.insert(number), "{number}");
                assert!((0..=number).all(|known| !seen.insert(known)), "{number}");
            }
            assert!(seen.as_slice().iter().copied().eq(0..50));
            seen.clear();
        }
    }
}
