//! An interner: equal values get equal ids.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

use crate::arena::Arena;
use crate::index::Index;
use crate::sync::constructor;

/// Distinct values by id, and ids by value.
///
/// # Complexity
/// `get` is O(1). `intern` of a known value takes one hash and expected O(1) probes. Neither takes a lock.
pub struct Interner<T> {
    values: Arena<T>,
    index: Index,
}

impl<T> Interner<T> {
    constructor! {
        /// Creates an empty interner. Allocates nothing.
        pub fn new() -> Self {
            Self { values: Arena::new(), index: Index::new() }
        }
    }

    /// Returns the value with this id.
    ///
    /// # Panics
    /// If the id does not belong to this interner.
    #[inline]
    pub fn get(&self, id: u32) -> &T {
        self.values.get(id)
    }

    /// Returns the value with this id. Returns `None` if there is none.
    pub fn try_get(&self, id: u32) -> Option<&T> {
        self.values.try_get(id)
    }

    /// Returns the number of values. Ids are `0..len`.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns true if there is no value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the values with their ids, in the order of the ids.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.values.iter()
    }

    /// Returns the id of the value that equals `key`. Returns `None` if there is none. Takes no lock.
    pub fn find<Q>(&self, key: &Q) -> Option<u32>
    where
        T: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.index.find(FxBuildHasher.hash_one(key), |id| self.values.get(id).borrow() == key)
    }

    /// Returns the id of the value that equals `key`. If there is none, adds the value that `make` returns.
    ///
    /// # Panics
    /// If there are 2^32 - 1 values.
    pub fn intern<Q>(&self, key: &Q, make: impl FnOnce(&Q) -> T) -> u32
    where
        T: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let hash = FxBuildHasher.hash_one(key);
        let is_equal = |id| self.values.get(id).borrow() == key;
        self.index.find_or_add(hash, is_equal, || self.values.push(make(key))).0
    }

    /// Returns the id of an owned value, and true if the value is new. A new value is added; a known one is
    /// dropped.
    ///
    /// # Panics
    /// If there are 2^32 - 1 values.
    pub fn intern_value<Q>(&self, value: T) -> (u32, bool)
    where
        T: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let hash = FxBuildHasher.hash_one(value.borrow());
        let is_equal = |value: &T, id| self.values.get(id).borrow() == value.borrow();
        self.index.find_or_add_value(hash, value, is_equal, |value| self.values.push(value))
    }

    /// Adds a value under a new id, even if an equal one exists. [`find`](Self::find) will not find it.
    ///
    /// # Panics
    /// If there are 2^32 - 1 values.
    pub fn push(&self, value: T) -> u32 {
        self.values.push(value)
    }

    /// Returns the bytes of the index. The caller counts the bytes of the values.
    pub fn index_bytes(&self) -> usize {
        self.index.bytes_used()
    }
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for Interner<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_get_equal_ids() {
        let interner: Interner<String> = Interner::new();
        for round in 0..2 {
            for number in 0..10_000u32 {
                assert_eq!(interner.intern(&number.to_string(), String::clone), number, "round {round}");
            }
        }
        assert_eq!(interner.len(), 10_000);
        assert_eq!(interner.intern_value::<str>("777".to_owned()), (777, false));
        assert_eq!(interner.intern_value::<str>("a new value".to_owned()), (10_000, true));
        assert_eq!(interner.find("777"), Some(777));
        assert_eq!(interner.find("a missing value"), None);
    }

    #[test]
    fn threads_agree_on_ids() {
        let interner: Interner<u64> = Interner::new();
        let seen: Vec<Vec<u32>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| (0..5_000u64).map(|key| interner.intern(&(key * 7), |&key| key)).collect())
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert_eq!(interner.len(), 5_000);
        for ids in &seen {
            assert_eq!(ids, &seen[0]);
        }
    }
}
