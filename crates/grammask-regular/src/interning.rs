//! A hash table of ids: the values stand elsewhere, in a vector, and are looked up by content.

/// Slots of the outgrown table that are moved with each id that is added.
const MOVED_AT_ONCE: usize = 64;

/// A hash that is folded, and an id plus one.
type Slot = (u32, u32);

/// Nothing stands there.
const FREE: Slot = (0, 0);

/// Maps contents to ids. The caller hashes and compares, so nothing is stored twice.
///
/// A table that is half full is replaced by one twice as large. What it holds is moved bit by bit, each time that an id is added, so that no single
/// addition waits for all.
#[derive(Clone, Default)]
pub(crate) struct IdTable {
    /// The length is a power of two, at most half of it is taken.
    slots: Vec<Slot>,
    /// The table before, as long as some of it has not been moved.
    outgrown: Vec<Slot>,
    /// How many slots of it have been.
    moved: usize,
    len: usize,
}

impl IdTable {
    /// The id with this hash for which `is_same` holds.
    pub(crate) fn find(&self, hash: u64, mut is_same: impl FnMut(u32) -> bool) -> Option<u32> {
        let hash = fold(hash);
        let found = search(&self.slots, hash, &mut is_same);
        if found.is_none() && !self.outgrown.is_empty() {
            return search(&self.outgrown, hash, &mut is_same);
        }
        found
    }

    /// Adds an id that [`IdTable::find`] did not find. The id is below `u32::MAX`.
    pub(crate) fn insert(&mut self, hash: u64, id: u32) {
        if (self.len + 1) * 2 > self.slots.len() {
            self.grow((self.slots.len() * 2).max(64));
        }
        self.len += 1;
        self.place((fold(hash), id + 1));
        self.move_some(MOVED_AT_ONCE);
    }

    /// Makes room for so many more.
    pub(crate) fn reserve(&mut self, more: usize) {
        let len = ((self.len + more) * 2).next_power_of_two();
        if len > self.slots.len() {
            self.grow(len);
            self.move_some(self.outgrown.len());
        }
    }

    fn grow(&mut self, len: usize) {
        // Nothing is left of it, unless room was made in between.
        self.move_some(self.outgrown.len());
        self.outgrown = std::mem::replace(&mut self.slots, vec![FREE; len]);
        self.moved = 0;
    }

    /// Moves what is in the next slots of the outgrown table.
    fn move_some(&mut self, slots: usize) {
        if self.outgrown.is_empty() {
            return;
        }
        let until = self.outgrown.len().min(self.moved + slots);
        for slot in self.moved..until {
            let entry = self.outgrown[slot];
            if entry != FREE {
                self.place(entry);
            }
        }
        self.moved = until;
        if until == self.outgrown.len() {
            self.outgrown = Vec::new();
        }
    }

    fn place(&mut self, entry: Slot) {
        let mask = self.slots.len() - 1;
        let mut slot = entry.0 as usize & mask;
        while self.slots[slot] != FREE {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = entry;
    }

    /// Bytes on the heap.
    pub(crate) fn bytes_used(&self) -> usize {
        (self.slots.len() + self.outgrown.len()) * size_of::<Slot>()
    }
}

/// The id in a table that has this hash and is the right one.
fn search(slots: &[Slot], hash: u32, is_same: &mut impl FnMut(u32) -> bool) -> Option<u32> {
    let mask = slots.len().checked_sub(1)?;
    let mut slot = hash as usize & mask;
    loop {
        let (other, id) = slots[slot];
        if id == 0 {
            return None;
        }
        if other == hash && is_same(id - 1) {
            return Some(id - 1);
        }
        slot = (slot + 1) & mask;
    }
}

fn fold(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::IdTable;

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
}
