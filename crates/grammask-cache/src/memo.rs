//! Results by key, each computed once.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

use crate::arena::Arena;
use crate::index::Index;
use crate::sync::constructor;

/// Values by key. The first value that is stored under a key stays.
///
/// # Complexity
/// `get` is one hash and an expected O(1) probes, without a lock.
pub struct Memo<K, V> {
    entries: Arena<(K, V)>,
    index: Index,
}

impl<K: Hash + Eq, V> Memo<K, V> {
    constructor! {
        /// A memo without values. Allocates nothing.
        pub fn new() -> Self {
            Self { entries: Arena::new(), index: Index::new() }
        }
    }

    /// The value under `key`.
    #[inline]
    pub fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let is_it = |id| self.entries.get(id).0.borrow() == key;
        let id = self.index.find(FxBuildHasher.hash_one(key), is_it)?;
        Some(&self.entries.get(id).1)
    }

    /// Stores `value` under `key` unless another thread was faster, and gives what is stored; and whether it was stored now.
    pub fn insert(&self, key: K, value: V) -> (&V, bool) {
        let hash = FxBuildHasher.hash_one(&key);
        let mut entry = Some((key, value));
        let (id, fresh) = {
            // The key moves into the arena only when `make` is called, which is after the last comparison.
            let cell = std::cell::RefCell::new(&mut entry);
            let is_it =
                |id: u32| cell.borrow().as_ref().is_some_and(|(key, _)| self.entries.get(id).0 == *key);
            let make = || self.entries.push(cell.borrow_mut().take().expect("made once"));
            self.index.find_or_add(hash, is_it, make)
        };
        (&self.entries.get(id).1, fresh)
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter().map(|(_, (key, value))| (key, value))
    }

    /// Bytes of the index; what the entries hold is for the caller to count.
    pub fn index_bytes(&self) -> usize {
        self.index.bytes_used()
    }
}

impl<K: Hash + Eq, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Memo<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.entries.iter().map(|(_, (key, value))| (key, value))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_stays() {
        let memo: Memo<u32, &str> = Memo::new();
        assert_eq!(memo.get(&1), None);
        assert_eq!(memo.insert(1, "one"), (&"one", true));
        assert_eq!(memo.insert(1, "uno"), (&"one", false));
        assert_eq!(memo.get(&1), Some(&"one"));
    }

    #[test]
    fn a_memo_grows() {
        let memo: Memo<(u32, u32), u32> = Memo::new();
        for key in 0..20_000 {
            memo.insert((key, key + 1), key);
        }
        assert!((0..20_000).all(|key| memo.get(&(key, key + 1)) == Some(&key)));
        assert_eq!(memo.len(), 20_000);
    }
}
