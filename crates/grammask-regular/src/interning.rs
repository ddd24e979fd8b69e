//! A hash table of ids: the values stand elsewhere, in a vector, and are looked up by content.

/// A table of so many slots is parted when it is full.
const LARGE: usize = 1 << 12;

/// So many bits of a hash say which part it belongs to.
const PART_BITS: u32 = 8;
const PARTS: usize = 1 << PART_BITS;

/// A hash that is folded, and an id plus one.
type Slot = (u32, u32);

/// Nothing stands there.
const FREE: Slot = (0, 0);

/// Maps contents to ids. The caller hashes and compares, so nothing is stored twice.
///
/// A large table is many small ones, of which each grows by itself. So no single addition waits for all that is in it to be moved, nor for memory for
/// twice as much, which may take longer.
#[derive(Clone, Default)]
pub(crate) struct IdTable {
    /// None, one, or [`PARTS`], by the highest bits of hashes.
    parts: Vec<Part>,
    /// Slots of all parts.
    slots: usize,
    len: usize,
}

impl IdTable {
    /// The id with this hash for which `is_same` holds.
    pub(crate) fn find(&self, hash: u64, is_same: impl FnMut(u32) -> bool) -> Option<u32> {
        let hash = fold(hash);
        self.parts.get(self.part_of(hash))?.find(hash, is_same)
    }

    /// Adds an id that [`IdTable::find`] did not find. The id is below `u32::MAX`.
    pub(crate) fn insert(&mut self, hash: u64, id: u32) {
        match &self.parts[..] {
            [] => self.parts.push(Part::default()),
            [part] if part.is_full() && part.slots.len() >= LARGE => self.part(0),
            _ => {}
        }
        self.len += 1;
        self.place((fold(hash), id + 1));
    }

    /// Makes room for so many more.
    pub(crate) fn reserve(&mut self, more: usize) {
        let ids = self.len + more;
        if self.parts.len() <= 1 && ids * 2 > LARGE {
            // Some parts get more than others; where that is not enough, they grow.
            self.part(ids / PARTS + ids / (4 * PARTS));
        } else if let [part] = &mut self.parts[..] {
            part.reserve(ids);
            self.slots = part.slots.len();
        }
    }

    /// Makes the parts, each with room for so many ids.
    fn part(&mut self, ids: usize) {
        let whole = std::mem::replace(&mut self.parts, vec![Part::default(); PARTS]);
        self.parts.iter_mut().for_each(|part| part.reserve(ids));
        self.slots = self.parts.iter().map(|part| part.slots.len()).sum();
        whole.iter().flat_map(Part::entries).for_each(|entry| self.place(entry));
    }

    fn part_of(&self, hash: u32) -> usize {
        if self.parts.len() > 1 { (hash >> (u32::BITS - PART_BITS)) as usize } else { 0 }
    }

    fn place(&mut self, entry: Slot) {
        let number = self.part_of(entry.0);
        let part = &mut self.parts[number];
        let before = part.slots.len();
        part.insert(entry);
        self.slots += part.slots.len() - before;
    }

    /// Bytes on the heap.
    pub(crate) fn bytes_used(&self) -> usize {
        self.slots * size_of::<Slot>() + self.parts.len() * size_of::<Part>()
    }
}

/// A table by itself: open addressing, linear probing.
#[derive(Clone, Default)]
struct Part {
    /// The length is a power of two, or nothing; at most half of it is taken.
    slots: Vec<Slot>,
    len: usize,
}

impl Part {
    /// The id that has this hash and is the right one.
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
        if self.is_full() {
            self.reserve(self.slots.len().max(8));
        }
        self.len += 1;
        self.place(entry);
    }

    /// Makes room for so many ids in all.
    fn reserve(&mut self, ids: usize) {
        let len = (ids * 2).next_power_of_two();
        if len > self.slots.len() {
            let before = std::mem::replace(self, Self { slots: vec![FREE; len], len: self.len });
            before.entries().for_each(|entry| self.place(entry));
        }
    }

    fn entries(&self) -> impl Iterator<Item = Slot> {
        self.slots.iter().copied().filter(|&entry| entry != FREE)
    }

    fn place(&mut self, entry: Slot) {
        let mask = self.slots.len() - 1;
        let mut slot = entry.0 as usize & mask;
        while self.slots[slot] != FREE {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = entry;
    }
}

fn fold(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::{IdTable, LARGE, PARTS, fold};

    #[test]
    fn finds_what_was_inserted_even_with_equal_hashes() {
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
    fn large_tables_are_parted_and_lose_nothing() {
        let hash = |id: u32| u64::from(id).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for reserved in [0, 10, LARGE, 8 * LARGE] {
            let mut table = IdTable::default();
            table.reserve(reserved);
            let ids = 3 * LARGE as u32;
            for id in 0..ids {
                assert_eq!(table.find(hash(id), |other| other == id), None);
                table.insert(hash(id), id);
            }
            assert_eq!(table.parts.len(), PARTS);
            assert!(table.parts.iter().all(|part| part.len * 2 <= part.slots.len()));
            assert!((0..ids).all(|id| table.find(hash(id), |other| other == id) == Some(id)));
            let slots: usize = table.parts.iter().map(|part| part.slots.len()).sum();
            assert_eq!(table.slots, slots);
            let is_in_its_part = |(number, entry): (usize, super::Slot)| table.part_of(entry.0) == number;
            let entries = table.parts.iter().enumerate();
            assert!(
                entries
                    .flat_map(|(number, part)| part.entries().map(move |entry| (number, entry)))
                    .all(is_in_its_part)
            );
            assert_eq!(table.find(hash(ids), |_| true), None, "{}", fold(hash(ids)));
        }
    }
}
