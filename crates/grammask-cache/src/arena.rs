//! A vector that only grows and never moves what it holds, so that readers need no lock.

use std::fmt;

use crate::sync::constructor;

/// Values by the id that [`push`](Arena::push) gave them.
///
/// A growing `Vec` moves its values, which a concurrent reader must not see. Here the values stand in buckets of
/// doubling size that are allocated once and stay: it is the vector of [`boxcar`], with ids of 32 bits. An entry is published for
/// itself, so that a reader who has an id finds the value and waits for nobody.
///
/// # Complexity
/// `get` and `push` are O(1); most of the time less than half, and at most two thirds, of the allocated entries are unused.
pub struct Arena<T> {
    values: boxcar::Vec<T>,
}

impl<T> Arena<T> {
    constructor! {
        /// An arena without values. Allocates nothing.
        pub fn new() -> Self {
            Self { values: boxcar::Vec::new() }
        }
    }

    /// How many values there are; not those that are being stored right now.
    pub fn len(&self) -> usize {
        self.values.count()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Stores a value and gives its id: 0 for the first, then one more each time.
    ///
    /// # Panics
    /// When the arena holds 2^32 - 1 values.
    pub fn push(&self, value: T) -> u32 {
        u32::try_from(self.values.push(value))
            .ok()
            .filter(|&id| id < u32::MAX)
            .expect("an arena holds fewer than 2^32 values")
    }

    /// The value with this id; `None` where none was given, or where it is being stored right now.
    pub fn try_get(&self, id: u32) -> Option<&T> {
        self.values.get(id as usize)
    }

    /// The value with this id.
    ///
    /// # Panics
    /// When the id was not given by this arena.
    #[inline]
    pub fn get(&self, id: u32) -> &T {
        self.try_get(id).expect("an id of this arena")
    }

    /// The values with their ids, in the order of the ids.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.values.iter().map(|(id, value)| (id as u32, value))
    }
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for Arena<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_where_they_are() {
        let arena = Arena::new();
        let first = arena.push(String::from("first"));
        let address = std::ptr::from_ref(arena.get(first));
        for number in 1..10_000 {
            assert_eq!(arena.push(number.to_string()), number);
        }
        assert_eq!(std::ptr::from_ref(arena.get(first)), address);
        assert_eq!(arena.get(9_999), "9999");
        assert!(arena.try_get(10_000).is_none());
        assert_eq!(arena.iter().count(), 10_000);
    }

    #[test]
    fn threads_get_ids_of_their_own() {
        let arena = Arena::new();
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let arena = &arena;
                scope.spawn(move || {
                    for number in 0..5_000 {
                        let id = arena.push(thread * 10_000 + number);
                        assert_eq!(*arena.get(id), thread * 10_000 + number);
                    }
                });
            }
        });
        let mut values: Vec<u64> = arena.iter().map(|(_, &value)| value).collect();
        values.sort_unstable();
        values.dedup();
        assert_eq!(values.len(), 20_000);
    }
}
