//! Interns short lists: equal lists get equal ids. One vector holds all of them, so that a list is not an
//! allocation.

use std::hash::{Hash, Hasher};

use grammask_work::narrow;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};

/// Sentinel: there is no older list with this hash.
const NO_OLDER: u32 = u32::MAX;
/// Initial capacity in lists: most grammars need no more.
const INITIAL_CAPACITY: usize = 28;

/// Interns lists. Ids count up from 0.
pub(crate) struct ListInterner<T> {
    items: Vec<T>,
    /// The end of each list's range.
    ends: Vec<u32>,
    /// By hash, the newest list. `older` chains lists with equal hashes.
    newest: FxHashMap<u64, u32>,
    older: Vec<u32>,
}

impl<T: Copy + Eq + Hash> ListInterner<T> {
    pub(crate) fn new() -> Self {
        Self {
            items: Vec::with_capacity(4 * INITIAL_CAPACITY),
            ends: Vec::with_capacity(INITIAL_CAPACITY),
            newest: FxHashMap::with_capacity_and_hasher(INITIAL_CAPACITY, FxBuildHasher),
            older: Vec::with_capacity(INITIAL_CAPACITY),
        }
    }

    /// Removes all lists; keeps the capacity.
    pub(crate) fn clear(&mut self) {
        self.items.clear();
        self.ends.clear();
        self.newest.clear();
        self.older.clear();
    }

    pub(crate) const fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, id: usize) -> &[T] {
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.items[start as usize..self.ends[id] as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.len()).map(|id| self.get(id))
    }

    /// Adds a list that [`intern`](Self::intern) will not find, and returns its id.
    pub(crate) fn push(&mut self, list: &[T]) -> usize {
        self.items.extend_from_slice(list);
        self.ends.push(narrow(self.items.len()));
        self.older.push(NO_OLDER);
        self.len() - 1
    }

    /// Returns the id of the list with this content, which is added if it is new.
    pub(crate) fn intern(&mut self, list: &[T]) -> usize {
        let mut hasher = FxHasher::default();
        list.hash(&mut hasher);
        let hash = hasher.finish();
        let newest = self.newest.get(&hash).copied().unwrap_or(NO_OLDER);
        let mut at = newest;
        while at != NO_OLDER {
            if self.get(at as usize) == list {
                return at as usize;
            }
            at = self.older[at as usize];
        }
        let id = self.push(list);
        self.older[id] = newest;
        self.newest.insert(hash, narrow(id));
        id
    }
}

#[cfg(test)]
mod tests {
    use super::ListInterner;

    #[test]
    fn equal_interned_lists_have_equal_ids() {
        let mut lists: ListInterner<u32> = ListInterner::new();
        assert_eq!([lists.intern(&[]), lists.intern(&[1, 2]), lists.push(&[3])], [0, 1, 2]);
        assert_eq!([lists.intern(&[3]), lists.intern(&[1, 2]), lists.intern(&[])], [3, 1, 0]);
        assert_eq!(lists.iter().collect::<Vec<_>>(), [&[][..], &[1, 2], &[3], &[3]]);
        lists.clear();
        assert_eq!((lists.len(), lists.intern(&[3])), (0, 0));
    }
}
