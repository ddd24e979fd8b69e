//! A hash table of ids: the values stand elsewhere, in a vector, and are looked up by content.

/// Maps contents to ids. The caller hashes and compares, so nothing is stored twice.
#[derive(Clone, Default)]
pub(crate) struct IdTable {
    /// Pairs of hash and id + 1; 0 is a free slot. The length is a power of two, at most half of it is taken.
    slots: Vec<(u32, u32)>,
    len: usize,
}

impl IdTable {
    /// The id with this hash for which `is_same` holds.
    pub(crate) fn find(&self, hash: u64, mut is_same: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let hash = fold(hash);
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

    /// Adds an id that [`IdTable::find`] did not find. The id is below `u32::MAX`.
    pub(crate) fn insert(&mut self, hash: u64, id: u32) {
        if (self.len + 1) * 2 > self.slots.len() {
            self.grow((self.slots.len() * 2).max(64));
        }
        self.len += 1;
        self.place((fold(hash), id + 1));
    }

    /// Makes room for so many more.
    pub(crate) fn reserve(&mut self, more: usize) {
        let len = ((self.len + more) * 2).next_power_of_two();
        if len > self.slots.len() {
            self.grow(len);
        }
    }

    fn grow(&mut self, len: usize) {
        let old = std::mem::replace(&mut self.slots, vec![(0, 0); len]);
        for entry in old.into_iter().filter(|entry| entry.1 != 0) {
            self.place(entry);
        }
    }

    fn place(&mut self, entry: (u32, u32)) {
        let mask = self.slots.len() - 1;
        let mut slot = entry.0 as usize & mask;
        while self.slots[slot].1 != 0 {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = entry;
    }

    /// Bytes on the heap.
    pub(crate) fn bytes_used(&self) -> usize {
        self.slots.len() * size_of::<(u32, u32)>()
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
        }
        for id in 0..1000 {
            assert_eq!(table.find(u64::from(id % 7), |other| other == id), Some(id));
        }
    }
}
