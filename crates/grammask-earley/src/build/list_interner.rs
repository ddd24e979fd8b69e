//! Many short lists in one vector, with numbers, and found again by content. Each list of its own would be an allocation.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};

/// No further list with the same hash.
const LAST: u32 = u32::MAX;
/// Room for so many lists from the beginning: most grammars need no more.
const ROOM: usize = 28;

/// Lists, one after the other, numbered in the order in which they come.
pub(crate) struct Slices<T> {
    items: Vec<T>,
    /// Where each list ends.
    ends: Vec<u32>,
    /// By hash: the newest list; `older` chains the others.
    newest: FxHashMap<u64, u32>,
    older: Vec<u32>,
}

impl<T: Copy + Eq + Hash> Slices<T> {
    pub(crate) fn new() -> Self {
        Self {
            items: Vec::with_capacity(4 * ROOM),
            ends: Vec::with_capacity(ROOM),
            newest: FxHashMap::with_capacity_and_hasher(ROOM, FxBuildHasher),
            older: Vec::with_capacity(ROOM),
        }
    }

    /// Forgets all lists, and keeps their room.
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

    /// Adds a list that [`intern`](Self::intern) will not find.
    pub(crate) fn push(&mut self, list: &[T]) -> usize {
        self.items.extend_from_slice(list);
        self.ends.push(self.items.len() as u32);
        self.older.push(LAST);
        self.len() - 1
    }

    /// The number of the list with this content; it is added if it is new.
    pub(crate) fn intern(&mut self, list: &[T]) -> usize {
        let mut hasher = FxHasher::default();
        list.hash(&mut hasher);
        let hash = hasher.finish();
        let newest = self.newest.get(&hash).copied().unwrap_or(LAST);
        let mut at = newest;
        while at != LAST {
            if self.get(at as usize) == list {
                return at as usize;
            }
            at = self.older[at as usize];
        }
        let id = self.push(list);
        self.older[id] = newest;
        self.newest.insert(hash, id as u32);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::Slices;

    #[test]
    fn equal_lists_have_one_number_unless_they_are_pushed() {
        let mut slices: Slices<u32> = Slices::new();
        assert_eq!([slices.intern(&[]), slices.intern(&[1, 2]), slices.push(&[3])], [0, 1, 2]);
        assert_eq!([slices.intern(&[3]), slices.intern(&[1, 2]), slices.intern(&[])], [3, 1, 0]);
        assert_eq!(slices.iter().collect::<Vec<_>>(), [&[][..], &[1, 2], &[3], &[3]]);
        slices.clear();
        assert_eq!((slices.len(), slices.intern(&[3])), (0, 0));
    }
}
