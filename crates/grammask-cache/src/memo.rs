//! A memo table: the first value stored under a key stays.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

use crate::arena::Arena;
use crate::index::Index;
use crate::sync::constructor;

/// Values by key. The first value stored under a key stays.
///
/// # Complexity
/// `get` takes one hash and expected O(1) probes, without a lock.
pub struct Memo<K, V> {
    entries: Arena<(K, V)>,
    index: Index,
}

impl<K: Hash + Eq, V> Memo<K, V> {
    constructor! {
        /// Creates an empty memo. Allocates nothing.
        pub fn new() -> Self {
            Self { entries: Arena::new(), index: Index::new() }
        }
    }

    /// Returns the value under `key`.
    #[inline]
    pub fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.find(key).map(|id| self.value(id))
    }

    /// Returns the id of the entry under `key`. The id gives its [`value`](Self::value) without the key.
    #[inline]
    pub fn find<Q>(&self, key: &Q) -> Option<u32>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let is_equal = |id| self.entries.get(id).0.borrow() == key;
        self.index.find(FxBuildHasher.hash_one(key), is_equal)
    }

    /// Returns the value of the entry with this id.
    ///
    /// # Panics
    /// If the id does not belong to this memo.
    #[inline]
    pub fn value(&self, id: u32) -> &V {
        &self.entries.get(id).1
    }

    /// Stores `value` under `key` if there is no value yet. Returns the stored value, and true if this call
    /// stored it.
    pub fn insert(&self, key: K, value: V) -> (&V, bool) {
        let (id, fresh) = self.add(key, value);
        (self.value(id), fresh)
    }

    /// As [`insert`](Self::insert), but returns the id of the entry.
    pub fn add(&self, key: K, value: V) -> (u32, bool) {
        let hash = FxBuildHasher.hash_one(&key);
        let mut entry = Some((key, value));
        // `make` moves the key into the arena, after the last comparison.
        let cell = std::cell::RefCell::new(&mut entry);
        let is_equal =
            |id: u32| cell.borrow().as_ref().is_some_and(|(key, _)| self.entries.get(id).0 == *key);
        let make = || self.entries.push(cell.borrow_mut().take().expect("made once"));
        self.index.find_or_add(hash, is_equal, make)
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there is no key.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the entries, in the order in which they were stored.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter().map(|(_, (key, value))| (key, value))
    }

    /// Returns the bytes of the index. The caller counts the bytes of the entries.
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
    fn first_value_stays() {
        let memo: Memo<u32, &str> = Memo::new();
        assert_eq!(memo.get(&1), None);
        assert_eq!(memo.insert(1, "one"), (&"one", true));
        assert_eq!(memo.insert(1, "uno"), (&"one", false));
        assert_eq!(memo.get(&1), Some(&"one"));
        assert_eq!((memo.add(2, "two"), memo.add(1, "ein")), ((1, true), (0, false)));
        assert_eq!((memo.find(&2), memo.find(&3), *memo.value(1)), (Some(1), None, "two"));
    }

    #[test]
    fn memo_keeps_its_values_while_it_grows() {
        let memo: Memo<(u32, u32), u32> = Memo::new();
        for key in 0..20_000 {
            memo.insert((key, key + 1), key);
        }
        assert!((0..20_000).all(|key| memo.get(&(key, key + 1)) == Some(&key)));
        assert_eq!(memo.len(), 20_000);
    }
}
