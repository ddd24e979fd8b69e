//! A hash index from hashes to ids: open addressing, lookups without a lock.
//!
//! The index grows by publishing a table of twice the size. Each later addition moves a few entries into it.

use std::sync::PoisonError;

use crate::sync::{AtomicU64, AtomicUsize, Mutex, MutexGuard, OnceLock, Ordering, array, constructor, zeros};

/// Binary logarithm of the size of the smallest table, in slots. Models use four slots, which the third id
/// outgrows.
const FIRST_TABLE_BITS: usize = if cfg!(loom) { 2 } else { 6 };
/// Number of table sizes; the largest table has 2^32 slots.
const TABLES: usize = 32 - FIRST_TABLE_BITS + 1;
/// A slot without an id: zero, so that the unused pages of a large table cost nothing. Other slots hold the
/// upper half of a mixed hash and an id plus one. So a table grows without hashing again, and few ids of
/// other hashes are compared.
const FREE: u64 = 0;
/// Number of slots of the old table that each addition moves: few, so that no addition takes long, and enough
/// that there is mostly one table to search. Two would suffice, because a table is outgrown when it is half
/// full, and the next one when half as many ids as this one has slots have been added. Models use two.
const SLOTS_MOVED_PER_ADDITION: usize = if cfg!(loom) { 2 } else { 64 };
/// Value of [`Index::moved`] when all slots have been moved.
const ALL_MOVED: usize = usize::MAX;

/// Finds ids by hash. The caller defines the owners of the ids, and equality, with each call.
///
/// Slots change only from free to used, and tables are freed with the index. A reader may therefore continue
/// in an outgrown table. If it misses a newer entry there, it takes the lock and searches again.
///
/// A larger table is empty when it is published. Each addition copies some slots of the old table, so that no
/// single addition copies all of them. Until all are copied, a reader that finds nothing in the new table
/// searches the old one as well.
pub(crate) struct Index {
    tables: [OnceLock<Box<[AtomicU64]>>; TABLES],
    /// Number of the table in use.
    current: AtomicUsize,
    /// Number of slots of the old table that have been copied, or [`ALL_MOVED`]. Reset before the next table
    /// is published.
    moved: AtomicUsize,
    /// Number of ids; locked while one is added.
    len: Mutex<usize>,
}

impl Index {
    constructor! {
        pub(crate) fn new() -> Self {
            Self {
                tables: array![OnceLock::new(); TABLES],
                current: AtomicUsize::new(0),
                moved: AtomicUsize::new(ALL_MOVED),
                len: Mutex::new(0),
            }
        }
    }

    fn table(&self, number: usize) -> &[AtomicU64] {
        self.tables[number].get_or_init(|| zeros(1 << (number + FIRST_TABLE_BITS)))
    }

    /// Returns true if the old table has slots that are not copied. Callers must check before they search the
    /// table in use: slots copied after that search are still found in the old table.
    #[inline]
    fn is_moving(&self) -> bool {
        self.moved.load(Ordering::Acquire) != ALL_MOVED
    }

    /// Returns the table before this one.
    fn outgrown(&self, current: usize) -> Option<&[AtomicU64]> {
        Some(self.tables[current.checked_sub(1)?].get()?)
    }

    /// Returns the id under `hash` for which `is_equal` returns true. Takes no lock.
    pub(crate) fn find(&self, hash: u64, is_equal: impl Fn(u32) -> bool) -> Option<u32> {
        let current = self.current.load(Ordering::Acquire);
        let table = self.tables[current].get()?;
        self.search_both(current, table, tag(hash), is_equal).ok()
    }

    /// Returns the id in a table or in the old one. If it is in neither, returns the free slot where the
    /// search ended as an error.
    #[inline]
    fn search_both(
        &self,
        number: usize,
        table: &[AtomicU64],
        tag: u32,
        is_equal: impl Fn(u32) -> bool,
    ) -> Result<u32, usize> {
        let is_moving = self.is_moving();
        let found = search(table, tag, &is_equal);
        if is_moving {
            found.or_else(|free| self.search_old(number, tag, &is_equal).ok_or(free))
        } else {
            found
        }
    }

    /// Returns the id in the table before this one.
    #[cold]
    fn search_old(&self, number: usize, tag: u32, is_equal: &dyn Fn(u32) -> bool) -> Option<u32> {
        search(self.outgrown(number)?, tag, is_equal).ok()
    }

    /// As [`find`](Self::find). If there is no id, takes the lock, searches again, and adds the id that
    /// `make` returns. Returns true with a new id.
    pub(crate) fn find_or_add(
        &self,
        hash: u64,
        is_equal: impl Fn(u32) -> bool,
        make: impl FnOnce() -> u32,
    ) -> (u32, bool) {
        self.find_or_add_value(hash, (), |(), id| is_equal(id), |()| make())
    }

    /// As [`find_or_add`](Self::find_or_add), with a value that `is_equal` reads and `make` consumes.
    pub(crate) fn find_or_add_value<T>(
        &self,
        hash: u64,
        value: T,
        is_equal: impl Fn(&T, u32) -> bool,
        make: impl FnOnce(T) -> u32,
    ) -> (u32, bool) {
        let tag = tag(hash);
        let before = self.current.load(Ordering::Acquire);
        let mut table = self.table(before);
        let mut slot = match self.search_both(before, table, tag, |id| is_equal(&value, id)) {
            Ok(id) => return (id, false),
            Err(slot) => slot,
        };
        let mut len = self.lock();
        let current = self.current.load(Ordering::Acquire);
        if current != before {
            table = self.table(current);
        }
        // If the slot is still free, no entry has been added to the probe sequence before it.
        if current != before || table[slot].load(Ordering::Acquire) != FREE {
            match self.search_both(current, table, tag, |id| is_equal(&value, id)) {
                Ok(id) => return (id, false),
                Err(free) => slot = free,
            }
        }
        let larger = self.grow_if_full(*len + 1, current, table);
        let id = make(value);
        let entry = entry(tag, id);
        match larger {
            Some(larger) => insert(larger, entry),
            None => table[slot].store(entry, Ordering::Release),
        }
        *len += 1;
        self.move_slots(SLOTS_MOVED_PER_ADDITION);
        (id, true)
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        // The number is correct even if the caller's `make` has panicked.
        self.len.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes and returns a table of twice the size if `len` entries would fill more than half of the
    /// current one.
    fn grow_if_full(&self, len: usize, current: usize, table: &[AtomicU64]) -> Option<&[AtomicU64]> {
        if len * 2 <= table.len() {
            return None;
        }
        // All slots have been moved long ago, but correctness must not depend on that.
        debug_assert!(
            !self.is_moving(),
            "{len} ids: a table is outgrown while entries are being moved to it"
        );
        self.move_slots(table.len());
        let larger = self.table(current + 1);
        self.moved.store(0, Ordering::Release);
        self.current.store(current + 1, Ordering::Release);
        Some(larger)
    }

    /// Copies the next `slots` slots of the old table to the one in use. The caller holds the lock.
    fn move_slots(&self, slots: usize) {
        let moved = self.moved.load(Ordering::Acquire);
        if moved == ALL_MOVED {
            return;
        }
        let current = self.current.load(Ordering::Acquire);
        let Some(old) = self.outgrown(current) else { return };
        let until = old.len().min(moved + slots);
        let new = self.table(current);
        for entry in old[moved..until].iter().map(|slot| slot.load(Ordering::Acquire)) {
            if entry != FREE {
                insert(new, entry);
            }
        }
        self.moved.store(if until == old.len() { ALL_MOVED } else { until }, Ordering::Release);
    }

    /// Returns the bytes of all tables: the one in use, and all before it, each of half the size of the next.
    pub(crate) fn bytes_used(&self) -> usize {
        let current = self.current.load(Ordering::Acquire);
        match self.tables[current].get() {
            Some(table) => (2 * table.len() - (1 << FIRST_TABLE_BITS)) * size_of::<AtomicU64>(),
            None => 0,
        }
    }
}

/// Returns the tag of a hash, which gives its slots in tables of all sizes. It is the upper half of a
/// product, as in Fibonacci hashing, so that all bits of the hash contribute.
fn tag(hash: u64) -> u32 {
    (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
}

/// Returns the content of a slot.
fn entry(tag: u32, id: u32) -> u64 {
    u64::from(tag) << 32 | (u64::from(id) + 1)
}

/// Returns the tag and the id of an entry.
#[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
fn parts(entry: u64) -> (u32, u32) {
    ((entry >> 32) as u32, (entry as u32).wrapping_sub(1))
}

/// Returns the probe sequence of a tag: every slot once.
fn probe(slots: usize, tag: u32) -> impl Iterator<Item = usize> {
    (0..slots).map(move |step| (tag as usize + step) & (slots - 1))
}

/// Returns the id in a table. If there is none, returns the first free slot of the probe sequence as an
/// error.
fn search(table: &[AtomicU64], tag: u32, is_equal: impl Fn(u32) -> bool) -> Result<u32, usize> {
    for slot in probe(table.len(), tag) {
        let entry = table[slot].load(Ordering::Acquire);
        if entry == FREE {
            return Err(slot);
        }
        let (other, id) = parts(entry);
        if other == tag && is_equal(id) {
            return Ok(id);
        }
    }
    unreachable!("a table is at most half full")
}

/// Stores an entry in the first free slot of its probe sequence. A table is at most half full, so there is
/// one.
fn insert(table: &[AtomicU64], entry: u64) {
    for slot in probe(table.len(), parts(entry).0) {
        if table[slot].load(Ordering::Acquire) == FREE {
            table[slot].store(entry, Ordering::Release);
            return;
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// A hash with many collisions.
    fn hash(id: u32) -> u64 {
        u64::from(id % 61) << 40
    }

    #[test]
    fn all_ids_are_found_after_each_addition() {
        let index = Index::new();
        for id in 0..700 {
            assert_eq!(index.find(hash(id), |other| other == id), None);
            assert_eq!(index.find_or_add(hash(id), |other| other == id, || id), (id, true));
            for known in 0..=id {
                assert_eq!(index.find(hash(known), |other| other == known), Some(known), "{known} of {id}");
            }
            assert_eq!(
                index.find_or_add(hash(id / 2), |other| other == id / 2, || unreachable!()),
                (id / 2, false)
            );
        }
    }

    #[test]
    fn entries_are_moved_a_few_at_a_time() {
        let index = Index::new();
        let add = |id: u32| index.find_or_add(u64::from(id), |other| other == id, || id);
        (0..=512).for_each(|id| assert!(add(id).1));
        // The last id exceeds half of 1,024 slots.
        let current = index.current.load(Ordering::Acquire);
        assert_eq!(
            (index.table(current).len(), index.moved.load(Ordering::Acquire)),
            (2048, SLOTS_MOVED_PER_ADDITION)
        );
        let tables = index.tables.iter().filter_map(OnceLock::get);
        assert_eq!(index.bytes_used(), tables.map(|table| size_of_val::<[AtomicU64]>(table)).sum::<usize>());
        (513..=768).for_each(|id| assert!(add(id).1));
        assert!(!index.is_moving());
        let filled = index.table(current).iter().filter(|slot| slot.load(Ordering::Acquire) != FREE).count();
        assert_eq!(filled, 769);
    }
}
