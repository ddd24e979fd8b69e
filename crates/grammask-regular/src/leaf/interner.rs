//! A table of values that are stored once and named by a number.

use grammask_work::narrow;
use rustc_hash::FxHashMap;
use std::borrow::Borrow;
use std::hash::Hash;
use std::ops::Index;

/// Values in the order in which they were interned, found by a key.
#[derive(Clone)]
pub(crate) struct Interner<K, T> {
    items: Vec<T>,
    ids: FxHashMap<K, u32>,
}

impl<K, T> Default for Interner<K, T> {
    fn default() -> Self {
        Self { items: Vec::new(), ids: FxHashMap::default() }
    }
}

impl<K: Hash + Eq, T> Interner<K, T> {
    /// Returns the number of the value with this key, and true if it has just been added.
    pub(crate) fn intern(&mut self, key: K, value: T) -> (u32, bool) {
        let next = narrow(self.len());
        let id = *self.ids.entry(key).or_insert(next);
        if id == next {
            self.items.push(value);
        }
        (id, id == next)
    }

    /// Returns the number of the value with this key, if there is one.
    pub(crate) fn find<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<u32>
    where
        K: Borrow<Q>,
    {
        self.ids.get(key).copied()
    }
}

impl<K, T> Interner<K, T> {
    /// Returns the number of values.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns a value by its number, if it exists.
    pub(crate) fn get(&self, id: u32) -> Option<&T> {
        self.items.get(id as usize)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

impl<K, T> Index<u32> for Interner<K, T> {
    type Output = T;

    fn index(&self, id: u32) -> &T {
        &self.items[id as usize]
    }
}
