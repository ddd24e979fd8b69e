//! Equal values get equal ids.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

use crate::arena::Arena;
use crate::index::Index;
use crate::sync::constructor;

/// Values, each once, by id; and ids by value.
///
/// # Complexity
/// `get` is O(1) without a lock; `intern` of a known value is one hash and an expected O(1) probes without a lock.
pub struct Interner<T> {
    values: Arena<T>,
    index: Index,
}

impl<T> Interner<T> {
    constructor! {
        /// An interner without values. Allocates nothing.
        pub fn new() -> Self {
            Self { values: Arena::new(), index: Index::new() }
        }
    }

    /// The value with this id.
    ///
    /// # Panics
    /// When the id was not given by this interner.
    #[inline]
    pub fn get(&self, id: u32) -> &T {
        self.values.get(id)
    }

    /// The value with this id, if it is one of this interner.
    pub fn try_get(&self, id: u32) -> Option<&T> {
        self.values.try_get(id)
    }

    /// How many values there are. Ids are `0..len`.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The values with their ids, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.values.iter()
    }

    /// The id of the value that equals `key`, if it is in. Takes no lock.
    pub fn find<Q>(&self, key: &Q) -> Option<u32>
    where
        T: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.index.find(FxBuildHasher.hash_one(key), |id| self.values.get(id).borrow() == key)
    }

    /// The id of the value that equals `key`; where there is none, `make` makes it.
    ///
    /// # Panics
    /// When there are 2^32 - 1 values.
    pub fn intern<Q>(&self, key: &Q, make: impl FnOnce(&Q) -> T) -> u32
    where
        T: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let hash = FxBuildHasher.hash_one(key);
        let is_it = |id| self.values.get(id).borrow() == key;
        self.index.find_or_add(hash, is_it, || self.values.push(make(key))).0
    }

    /// The id of a value that is there already, as what it lends, and whether it is new: it is added, or dropped where an equal one is in. Nothing
    /// is copied, and hashed once.
    ///
    /// # Panics
    /// When there are 2^32 - 1 values.
    pub fn intern_value<Q>(&self, value: T) -> (u32, bool)
    where
        T: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let hash = FxBuildHasher.hash_one(value.borrow());
        let is_it = |value: &T, id| self.values.get(id).borrow() == value.borrow();
        self.index.find_or_add_from(hash, value, is_it, |value| self.values.push(value))
    }

    /// Adds a value under a new id, whether or not an equal one is in; [`find`](Self::find) will not find it.
    ///
    /// # Panics
    /// When there are 2^32 - 1 values.
    pub fn push(&self, value: T) -> u32 {
        self.values.push(value)
    }

    /// Bytes of the index; what the values hold is for the caller to count.
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
    fn equal_values_have_equal_ids_however_many_there_are() {
        let interner: Interner<String> = Interner::new();
        for round in 0..2 {
            for number in 0..10_000u32 {
                assert_eq!(interner.intern(&number.to_string(), String::clone), number, "round {round}");
            }
        }
        assert_eq!(interner.len(), 10_000);
        assert_eq!(interner.intern_value::<str>("777".to_owned()), (777, false));
        assert_eq!(interner.intern_value::<str>("nobody knows it".to_owned()), (10_000, true));
        assert_eq!(interner.find("777"), Some(777));
        assert_eq!(interner.find("nobody"), None);
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
