//! A hash table of ids: the values are stored elsewhere, in a vector, and are found by content.

use grammask_work::narrow;
use std::sync::Arc;

/// Slots of a bucket that is split when it is full.
const MAX_BUCKET_SLOTS: usize = 1 << 9;

/// Largest depth of the directory, which has 2^depth entries. At this depth, buckets grow instead.
const MAX_DIRECTORY_DEPTH: u32 = 16;

/// A folded hash, and an id plus one.
type Slot = (u32, u32);

/// An empty slot.
const EMPTY_SLOT: Slot = (0, 0);

/// Maps contents to ids. The caller hashes and compares, so nothing is stored twice.
///
/// A large table consists of many small buckets, and grows by splitting a full one. So no single insertion
/// moves the whole table, or waits for memory of twice its size.
///
/// # Source
/// R. Fagin, J. Nievergelt, N. Pippenger, H. R. Strong, *Extendible hashing* (1979).
#[derive(Clone, Default)]
pub(crate) struct IdTable {
    buckets: Vec<Bucket>,
    /// Bucket of each hash, by the `depth` highest bits. Several entries in a row may name one bucket.
    directory: Vec<u32>,
    depth: u32,
    /// Number of slots of all buckets.
    slots: usize,
}

impl IdTable {
    /// Returns the id with this hash for which `is_same` holds.
    pub(crate) fn find(&self, hash: u64, is_same: impl FnMut(u32) -> bool) -> Option<u32> {
        let hash = fold(hash);
        let &bucket = self.directory.get(highest(hash, self.depth))?;
        self.buckets[bucket as usize].find(hash, is_same)
    }

    /// Inserts an id that [`IdTable::find`] did not find. The id is below `u32::MAX`.
    pub(crate) fn insert(&mut self, hash: u64, id: u32) {
        if self.buckets.is_empty() {
            self.buckets.push(Bucket::default());
            self.directory.push(0);
        }
        let hash = fold(hash);
        loop {
            let number = self.directory[highest(hash, self.depth)] as usize;
            let bucket = &mut self.buckets[number];
            if bucket.is_full() {
                if bucket.slots.len() >= MAX_BUCKET_SLOTS && self.split(number, hash) {
                    continue;
                }
                self.reserve_in(number, self.buckets[number].slots.len().max(8));
            }
            self.buckets[number].insert((hash, id + 1));
            return;
        }
    }

    /// Reserves slots for more ids while the table is one bucket.
    pub(crate) fn reserve(&mut self, more: usize) {
        if let [bucket] = &self.buckets[..] {
            self.reserve_in(0, (bucket.len + more).min(MAX_BUCKET_SLOTS / 2));
        }
    }

    fn reserve_in(&mut self, number: usize, ids: usize) {
        let bucket = &mut self.buckets[number];
        let before = bucket.slots.len();
        bucket.reserve(ids);
        self.slots += bucket.slots.len() - before;
    }

    /// Splits the bucket of a hash by the next bit. Returns false if that does not separate its hashes.
    fn split(&mut self, number: usize, hash: u32) -> bool {
        let bucket = &self.buckets[number];
        let depth = bucket.depth;
        let is_upper = |entry: &Slot| highest(entry.0, depth + 1) & 1 == 1;
        let count = bucket.entries().filter(is_upper).count();
        if count == 0 || count == bucket.len || depth == MAX_DIRECTORY_DEPTH {
            return false;
        }
        if depth == self.depth {
            self.directory = self.directory.iter().flat_map(|&bucket| [bucket, bucket]).collect();
            self.depth += 1;
        }
        let new = self.buckets.len();
        let empty = || Bucket { slots: free(bucket.slots.len()), len: 0, depth: depth + 1 };
        let (lower, upper) = (empty(), empty());
        let whole = std::mem::replace(&mut self.buckets[number], lower);
        self.slots += upper.slots.len();
        self.buckets.push(upper);
        for entry in whole.entries() {
            self.buckets[if is_upper(&entry) { new } else { number }].insert(entry);
        }
        // All directory entries that begin with the bits of the bucket, followed by a one.
        let width = self.depth - depth - 1;
        let start = (highest(hash, depth) << 1 | 1) << width;
        self.directory[start..start + (1 << width)].fill(narrow(new));
        true
    }

    /// Heap bytes.
    pub(crate) fn bytes_used(&self) -> usize {
        self.slots * size_of::<Slot>() + self.buckets.len() * size_of::<Bucket>() + self.directory.len() * 4
    }
}

/// Returns the highest bits of a hash.
fn highest(hash: u32, bits: u32) -> usize {
    (u64::from(hash) << bits >> u32::BITS) as usize
}

/// A table with open addressing and linear probing.
#[derive(Clone, Default)]
struct Bucket {
    /// The length is zero or a power of two, and at most half of the slots are occupied. Clones share the
    /// slots until one of them inserts.
    slots: Arc<[Slot]>,
    len: usize,
    /// Number of highest bits that all hashes of the bucket have in common.
    depth: u32,
}

impl Bucket {
    /// Returns the id with this hash for which `is_same` holds.
    fn find(&self, hash: u32, mut is_same: impl FnMut(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = hash as usize & mask;
        loop {
            let (other, id) = self.slots[slot];
            if id == 0 {
                return None;
            }
            if other == hash && is_same(id - 1) {
                return Some(id - 1);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn is_full(&self) -> bool {
        (self.len + 1) * 2 > self.slots.len()
    }

    fn insert(&mut self, entry: Slot) {
        self.len += 1;
        self.place(entry);
    }

    /// Reserves slots for a total number of ids.
    fn reserve(&mut self, ids: usize) {
        let len = (ids * 2).next_power_of_two();
        if len > self.slots.len() {
            let before = std::mem::replace(&mut self.slots, free(len));
            before.iter().copied().filter(|&entry| entry != EMPTY_SLOT).for_each(|entry| self.place(entry));
        }
    }

    fn entries(&self) -> impl Iterator<Item = Slot> {
        self.slots.iter().copied().filter(|&entry| entry != EMPTY_SLOT)
    }

    /// Writes an entry into the first empty slot from its hash on. The caller ensures that a slot is empty.
    fn place(&mut self, entry: Slot) {
        let slots = Arc::make_mut(&mut self.slots);
        let mask = slots.len() - 1;
        let mut slot = entry.0 as usize & mask;
        while slots[slot] != EMPTY_SLOT {
            slot = (slot + 1) & mask;
        }
        slots[slot] = entry;
    }
}

/// Returns empty slots.
fn free(slots: usize) -> Arc<[Slot]> {
    std::iter::repeat_n(EMPTY_SLOT, slots).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "both halves contribute to the lower one")]
fn fold(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::{IdTable, MAX_BUCKET_SLOTS, highest};

    #[test]
    fn finds_inserted_ids_with_equal_hashes() {
        let mut table = IdTable::default();
        for id in 0..1000 {
            if id == 100 {
                table.reserve(300);
            }
            assert_eq!(table.find(u64::from(id % 7), |other| other == id), None);
            table.insert(u64::from(id % 7), id);
            assert!((0..=id).all(|id| table.find(u64::from(id % 7), |other| other == id) == Some(id)));
        }
        for id in 0..1000 {
            assert_eq!(table.find(u64::from(id % 7), |other| other == id), Some(id));
        }
    }

    #[test]
    fn splitting_large_tables_keeps_all_ids() {
        // Hashes that differ in all bits, in the highest ones only, and so little that buckets have to grow.
        let hashes: [fn(u32) -> u64; 3] = [
            |id| u64::from(id).wrapping_mul(0x9E37_79B9_7F4A_7C15),
            |id| u64::from(id.reverse_bits()),
            |id| u64::from(id % 50),
        ];
        for (hash, ids) in hashes.into_iter().zip([20_000, 20_000, 3_000]) {
            let mut table = IdTable::default();
            for id in 0..ids {
                assert_eq!(table.find(hash(id), |other| other == id), None);
                table.insert(hash(id), id);
            }
            assert!((0..ids).all(|id| table.find(hash(id), |other| other == id) == Some(id)));
            assert_eq!(table.find(hash(ids), |id| id >= ids), None);
            assert_eq!(table.slots, table.buckets.iter().map(|bucket| bucket.slots.len()).sum::<usize>());
            assert_eq!(table.directory.len(), 1 << table.depth);
            for (number, bucket) in table.buckets.iter().enumerate() {
                assert!(bucket.len == bucket.entries().count() && bucket.len * 2 <= bucket.slots.len());
                let is_here =
                    |entry: super::Slot| table.directory[highest(entry.0, table.depth)] == number as u32;
                assert!(bucket.entries().all(is_here));
            }
            let largest = table.buckets.iter().map(|bucket| bucket.slots.len()).max();
            assert_eq!(largest == Some(MAX_BUCKET_SLOTS), ids > 3_000);
        }
    }
}
