//! A hash index from hashes to ids: open addressing, probed without a lock, grown by publishing a larger table, into which
//! entries are moved a few at a time.

use std::sync::PoisonError;

use crate::sync::{AtomicU64, AtomicUsize, Mutex, MutexGuard, OnceLock, Ordering, array, constructor, zeros};

/// Slots of the smallest table, as a power of two. Models begin with four slots, which the third id outgrows.
const FIRST_BITS: usize = if cfg!(loom) { 2 } else { 6 };
/// Sizes of tables: the largest has 2^32 slots.
const TABLES: usize = 32 - FIRST_BITS + 1;
/// A slot without an id: zero, so that a large table costs nothing before its pages are used. Others hold the upper half of a mixed hash and an
/// id plus one: so a table grows without hashing again, and ids of other hashes are mostly not looked at.
const FREE: u64 = 0;
/// Slots of the outgrown table that are moved with each id that is added: so few that nobody waits, so many that there is mostly one table to look
/// into. Two would do, and models have two: a table is half full when it is outgrown, and the next one is when half as many ids as this one has
/// slots have been added.
const MOVED_AT_ONCE: usize = if cfg!(loom) { 2 } else { 64 };
/// All has been moved.
const ALL: usize = usize::MAX;

/// Finds ids by hash. Who the ids belong to, and what "equal" means, the caller says with each call.
///
/// Tables are never changed but for free slots that become taken, and never freed before the index is: a reader
/// may go on in a table that has been outgrown. It then misses what was added since, takes the lock, and looks again.
///
/// A larger table is empty when it is published. What the one before it holds is copied to it bit by bit, each time that an id is added, so that no
/// single addition waits for all of them; until all is copied, a reader who finds nothing in the larger one looks into the other as well.
pub(crate) struct Index {
    tables: [OnceLock<Box<[AtomicU64]>>; TABLES],
    /// The table in use.
    current: AtomicUsize,
    /// How many slots of the table before it have been copied to it, or [`ALL`]. Reset before the next table is published.
    moved: AtomicUsize,
    /// How many ids are in; held while one is added.
    len: Mutex<usize>,
}

impl Index {
    constructor! {
        pub(crate) fn new() -> Self {
            Self {
                tables: array![OnceLock::new(); TABLES],
                current: AtomicUsize::new(0),
                moved: AtomicUsize::new(ALL),
                len: Mutex::new(0),
            }
        }
    }

    fn table(&self, number: usize) -> &[AtomicU64] {
        self.tables[number].get_or_init(|| zeros(1 << (number + FIRST_BITS)))
    }

    /// Whether some of what the table before the one in use holds has not been copied. To be asked before a look into the one in use: what is
    /// copied after that look is in the other one.
    #[inline]
    fn is_moving(&self) -> bool {
        self.moved.load(Ordering::Acquire) != ALL
    }

    /// The table before this one.
    fn outgrown(&self, current: usize) -> Option<&[AtomicU64]> {
        Some(self.tables[current.checked_sub(1)?].get()?)
    }

    /// The id under `hash` that `is_it` recognizes. Takes no lock.
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let current = self.current.load(Ordering::Acquire);
        let table = self.tables[current].get()?;
        self.look_up(current, table, tag(hash), is_it).ok()
    }

    /// The id in a table or in the one that it outgrows, or the free slot in the table at which its absence was seen.
    #[inline]
    fn look_up(
        &self,
        number: usize,
        table: &[AtomicU64],
        tag: u32,
        is_it: impl Fn(u32) -> bool,
    ) -> Result<u32, usize> {
        let is_moving = self.is_moving();
        let found = search(table, tag, &is_it);
        if is_moving { found.or_else(|free| self.look_back(number, tag, &is_it).ok_or(free)) } else { found }
    }

    /// The id in the table before this one.
    #[cold]
    fn look_back(&self, number: usize, tag: u32, is_it: &dyn Fn(u32) -> bool) -> Option<u32> {
        search(self.outgrown(number)?, tag, is_it).ok()
    }

    /// As [`find`](Self::find); where there is none, takes the lock, looks once more, and adds the id that `make`
    /// gives.
    pub(crate) fn find_or_add(
        &self,
        hash: u64,
        is_it: impl Fn(u32) -> bool,
        make: impl FnOnce() -> u32,
    ) -> (u32, bool) {
        self.find_or_add_from(hash, (), |(), id| is_it(id), |()| make())
    }

    /// The same with something that `make` takes and `is_it` looks at.
    pub(crate) fn find_or_add_from<T>(
        &self,
        hash: u64,
        it: T,
        is_it: impl Fn(&T, u32) -> bool,
        make: impl FnOnce(T) -> u32,
    ) -> (u32, bool) {
        let tag = tag(hash);
        let before = self.current.load(Ordering::Acquire);
        let mut table = self.table(before);
        let mut slot = match self.look_up(before, table, tag, |id| is_it(&it, id)) {
            Ok(id) => return (id, false),
            Err(slot) => slot,
        };
        let mut len = self.lock();
        let current = self.current.load(Ordering::Acquire);
        if current != before {
            table = self.table(current);
        }
        // As long as the slot is free in the table in use, nothing has been added that would stand there or before it.
        if current != before || table[slot].load(Ordering::Acquire) != FREE {
            match self.look_up(current, table, tag, |id| is_it(&it, id)) {
                Ok(id) => return (id, false),
                Err(free) => slot = free,
            }
        }
        let larger = self.make_room(*len + 1, current, table);
        let id = make(it);
        let entry = entry(tag, id);
        match larger {
            Some(larger) => place(larger, entry),
            None => table[slot].store(entry, Ordering::Release),
        }
        *len += 1;
        self.move_some(MOVED_AT_ONCE);
        (id, true)
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        // The number stays right even where a `make` of the caller has panicked.
        self.len.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes a table twice as large where `len` entries would fill the current one by more than half, and gives it.
    fn make_room(&self, len: usize, current: usize, table: &[AtomicU64]) -> Option<&[AtomicU64]> {
        if len * 2 <= table.len() {
            return None;
        }
        // All has been moved long before; that nothing is lost must not hang on it.
        debug_assert!(!self.is_moving(), "{len} ids: a table is outgrown before it is filled");
        self.move_some(table.len());
        let larger = self.table(current + 1);
        self.moved.store(0, Ordering::Release);
        self.current.store(current + 1, Ordering::Release);
        Some(larger)
    }

    /// Copies what is in the next `slots` slots of the table that has been outgrown to the one in use. The lock is held.
    fn move_some(&self, slots: usize) {
        let moved = self.moved.load(Ordering::Acquire);
        if moved == ALL {
            return;
        }
        let current = self.current.load(Ordering::Acquire);
        let Some(old) = self.outgrown(current) else { return };
        let until = old.len().min(moved + slots);
        let new = self.table(current);
        for entry in old[moved..until].iter().map(|slot| slot.load(Ordering::Acquire)) {
            if entry != FREE {
                place(new, entry);
            }
        }
        self.moved.store(if until == old.len() { ALL } else { until }, Ordering::Release);
    }

    /// Bytes of all tables: of that in use and all before it, each of which has half the slots of the next.
    pub(crate) fn bytes_used(&self) -> usize {
        let current = self.current.load(Ordering::Acquire);
        match self.tables[current].get() {
            Some(table) => (2 * table.len() - (1 << FIRST_BITS)) * size_of::<AtomicU64>(),
            None => 0,
        }
    }
}

/// What of a hash says where it stands, in tables of all sizes: the upper half of a product, as in Fibonacci hashing, to which all bits below contribute.
fn tag(hash: u64) -> u32 {
    (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
}

/// What stands in a slot.
fn entry(tag: u32, id: u32) -> u64 {
    u64::from(tag) << 32 | (u64::from(id) + 1)
}

/// The tag and the id of an entry.
fn parts(entry: u64) -> (u32, u32) {
    ((entry >> 32) as u32, (entry as u32).wrapping_sub(1))
}

/// The slots to look at for a tag, each once.
fn probe(slots: usize, tag: u32) -> impl Iterator<Item = usize> {
    (0..slots).map(move |step| (tag as usize + step) & (slots - 1))
}

/// The id in a table, or the free slot at which its absence was seen: it is where it would stand.
fn search(table: &[AtomicU64], tag: u32, is_it: impl Fn(u32) -> bool) -> Result<u32, usize> {
    for slot in probe(table.len(), tag) {
        let entry = table[slot].load(Ordering::Acquire);
        if entry == FREE {
            return Err(slot);
        }
        let (other, id) = parts(entry);
        if other == tag && is_it(id) {
            return Ok(id);
        }
    }
    unreachable!("a table is at most half full")
}

/// Puts an entry into the first free slot of its sequence. A table is at most half full, so there is one.
fn place(table: &[AtomicU64], entry: u64) {
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

    /// A hash that puts many ids into few sequences of slots.
    fn hash(id: u32) -> u64 {
        u64::from(id % 61) << 40
    }

    #[test]
    fn everything_is_found_after_each_addition() {
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
    fn a_table_is_filled_bit_by_bit() {
        let index = Index::new();
        let add = |id: u32| index.find_or_add(u64::from(id), |other| other == id, || id);
        (0..=512).for_each(|id| assert!(add(id).1));
        // The last one was one too many for half of 1,024 slots.
        let current = index.current.load(Ordering::Acquire);
        assert_eq!((index.table(current).len(), index.moved.load(Ordering::Acquire)), (2048, MOVED_AT_ONCE));
        let tables = index.tables.iter().filter_map(OnceLock::get);
        assert_eq!(index.bytes_used(), tables.map(|table| size_of_val::<[AtomicU64]>(table)).sum::<usize>());
        (513..=768).for_each(|id| assert!(add(id).1));
        assert!(!index.is_moving());
        let filled = index.table(current).iter().filter(|slot| slot.load(Ordering::Acquire) != FREE).count();
        assert_eq!(filled, 769);
    }
}
