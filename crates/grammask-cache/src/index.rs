//! A hash index from hashes to ids: open addressing, probed without a lock, grown by publishing a larger table.

use std::sync::PoisonError;

use crate::sync::{AtomicU64, AtomicUsize, Mutex, MutexGuard, OnceLock, Ordering, array, constructor};

/// Slots of the smallest table, as a power of two. Models begin with two slots, so that they outgrow them.
const FIRST_BITS: usize = if cfg!(loom) { 1 } else { 6 };
/// Sizes of tables: the largest has 2^32 slots.
const TABLES: usize = 32 - FIRST_BITS + 1;
/// A slot without an id. Others hold the upper half of a mixed hash and an id: so a table grows without hashing again, and ids of other
/// hashes are mostly not looked at.
const FREE: u64 = u64::MAX;

/// Finds ids by hash. Who the ids belong to, and what "equal" means, the caller says with each call.
///
/// Tables are never changed but for free slots that become taken, and never freed before the index is: a reader
/// may go on in a table that has been outgrown. It then misses what was added since, takes the lock, and looks again.
pub(crate) struct Index {
    tables: [OnceLock<Box<[AtomicU64]>>; TABLES],
    /// The table in use.
    current: AtomicUsize,
    /// How many ids are in; held while one is added.
    len: Mutex<usize>,
}

impl Index {
    constructor! {
        pub(crate) fn new() -> Self {
            Self { tables: array![OnceLock::new(); TABLES], current: AtomicUsize::new(0), len: Mutex::new(0) }
        }
    }

    fn table(&self, number: usize) -> &[AtomicU64] {
        self.tables[number]
            .get_or_init(|| (0..1usize << (number + FIRST_BITS)).map(|_| AtomicU64::new(FREE)).collect())
    }

    /// The id under `hash` that `is_it` recognizes. Takes no lock.
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        search(self.tables[self.current.load(Ordering::Acquire)].get()?, tag(hash), is_it).ok()
    }

    /// As [`find`](Self::find); where there is none, takes the lock, looks once more, and adds the id that `make`
    /// gives.
    pub(crate) fn find_or_add(
        &self,
        hash: u64,
        is_it: impl Fn(u32) -> bool,
        make: impl FnOnce() -> u32,
    ) -> (u32, bool) {
        let tag = tag(hash);
        let before = self.current.load(Ordering::Acquire);
        let mut slot = match search(self.table(before), tag, &is_it) {
            Ok(id) => return (id, false),
            Err(slot) => slot,
        };
        let mut len = self.lock();
        let current = self.current.load(Ordering::Acquire);
        // As long as the slot is free in the table in use, nothing has been added that would stand there or before it.
        if current != before || self.table(current)[slot].load(Ordering::Acquire) != FREE {
            match search(self.table(current), tag, &is_it) {
                Ok(id) => return (id, false),
                Err(free) => slot = free,
            }
        }
        let grown = self.make_room(*len + 1);
        let id = make();
        let table = self.table(self.current.load(Ordering::Acquire));
        let entry = u64::from(tag) << 32 | u64::from(id);
        if grown {
            place(table, entry);
        } else {
            table[slot].store(entry, Ordering::Release);
        }
        *len += 1;
        (id, true)
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        // The number stays right even where a `make` of the caller has panicked.
        self.len.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes a table twice as large where `len` entries would fill the current one by more than half; says whether it did.
    fn make_room(&self, len: usize) -> bool {
        let current = self.current.load(Ordering::Acquire);
        let old = self.table(current);
        if len * 2 <= old.len() {
            return false;
        }
        let new = self.table(current + 1);
        for entry in old.iter().map(|slot| slot.load(Ordering::Acquire)).filter(|&entry| entry != FREE) {
            place(new, entry);
        }
        self.current.store(current + 1, Ordering::Release);
        true
    }

    /// Bytes of all tables.
    pub(crate) fn bytes_used(&self) -> usize {
        self.tables.iter().filter_map(OnceLock::get).map(|table| size_of_val::<[AtomicU64]>(table)).sum()
    }
}

/// What of a hash says where it stands, in tables of all sizes. Fibonacci hashing takes the high bits, which the hashes of rustc-hash mix best.
fn tag(hash: u64) -> u32 {
    (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
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
        if (entry >> 32) as u32 == tag && is_it(entry as u32) {
            return Ok(entry as u32);
        }
    }
    unreachable!("a table is at most half full")
}

/// Puts an entry into the first free slot of its sequence. A table is at most half full, so there is one.
fn place(table: &[AtomicU64], entry: u64) {
    for slot in probe(table.len(), (entry >> 32) as u32) {
        if table[slot].load(Ordering::Acquire) == FREE {
            table[slot].store(entry, Ordering::Release);
            return;
        }
    }
}
