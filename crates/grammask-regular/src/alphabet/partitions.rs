//! Interned byte partitions. The states of one automaton share few of them, so refining two is usually a
//! look-up.

use crate::alphabet::byte_classes::each_byte;
use crate::json::string::is_raw;
use crate::store::id_table::IdTable;
use crate::store::node::JsonPosition;
use crate::{ByteClasses, ByteSet};
use grammask_work::{count, narrow};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Id of an interned partition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PartitionId(u32);

impl PartitionId {
    /// The partition with one class of all bytes.
    pub(crate) const ONE: Self = Self(0);

    pub(crate) const fn number(self) -> u32 {
        self.0
    }
}

/// Number of classes up to which the class of a byte is found by linear search. A larger partition has a map
/// of 256 entries.
const MAX_CLASSES_WITHOUT_MAP: usize = 4;
const NO_MAP: u32 = u32::MAX;

/// The bytes that a JSON string contains unescaped.
const RAW_BYTES: ByteSet = {
    let mut set = ByteSet::EMPTY;
    let mut byte = u8::MAX;
    while byte > 0 {
        if is_raw(byte) {
            set.insert(byte);
        }
        byte -= 1;
    }
    set
};

/// Work of refining two partitions.
const UNITS_PER_REFINEMENT: u64 = 64;

#[derive(Clone, Copy)]
struct Partition {
    /// Index of the first class in `members` and `representatives`.
    start: u32,
    len: u32,
    map: u32,
}

#[derive(Clone)]
pub(crate) struct Partitions {
    items: Vec<Partition>,
    table: IdTable,
    /// The classes of all partitions; those of one are sorted by their smallest byte.
    members: Vec<ByteSet>,
    /// Smallest byte of each class.
    representatives: Vec<u8>,
    maps: Vec<[u8; 256]>,
    refined: FxHashMap<(u32, u32), u32>,
    /// Results of [`spelled`](Partitions::spelled), by partition and position in a spelling.
    spelled: FxHashMap<(u32, u8), u32>,
}

impl Partitions {
    pub(crate) fn new() -> Self {
        let mut partitions = Self {
            items: Vec::new(),
            table: IdTable::default(),
            members: Vec::new(),
            representatives: Vec::new(),
            maps: Vec::new(),
            refined: FxHashMap::default(),
            spelled: FxHashMap::default(),
        };
        partitions.intern_from(0, |members| members.push(ByteSet::ALL));
        partitions
    }

    /// Reserves address space for more partitions. See
    /// [`Store::reserve_address_space`](crate::Store::reserve_address_space).
    pub(crate) fn reserve_address_space(&mut self, partitions: usize) {
        let classes = partitions * 16;
        let _ = self.items.try_reserve(partitions);
        let _ = self.members.try_reserve(classes);
        let _ = self.representatives.try_reserve(classes);
        let _ = self.maps.try_reserve(partitions);
    }

    /// Returns the number of classes, 1 to 256.
    pub(crate) fn len(&self, id: PartitionId) -> usize {
        self.items[id.0 as usize].len as usize
    }

    /// Returns the class of a byte.
    pub(crate) fn class_of(&self, id: PartitionId, byte: u8) -> usize {
        let Partition { start, len, map } = self.items[id.0 as usize];
        if map != NO_MAP {
            return usize::from(self.maps[map as usize][usize::from(byte)]);
        }
        let members = &self.members[start as usize..(start + len) as usize];
        members.iter().position(|class| class.contains(byte)).unwrap_or(0)
    }

    /// Returns the classes of all bytes.
    pub(crate) fn classes(&self, id: PartitionId) -> [u8; 256] {
        let Partition { start, len, map } = self.items[id.0 as usize];
        if map != NO_MAP {
            return self.maps[map as usize];
        }
        let mut classes = [0; 256];
        let members = &self.members[start as usize..(start + len) as usize];
        for (class, bytes) in (0..).zip(members).skip(1) {
            for (first, last) in bytes.ranges() {
                classes[usize::from(first)..=usize::from(last)].fill(class);
            }
        }
        classes
    }

    /// Returns the bytes of a class.
    pub(crate) fn class(&self, id: PartitionId, class: usize) -> &ByteSet {
        &self.members[self.items[id.0 as usize].start as usize + class]
    }

    /// Returns the smallest byte of a class.
    pub(crate) fn representative(&self, id: PartitionId, class: usize) -> u8 {
        self.representatives[self.items[id.0 as usize].start as usize + class]
    }

    /// Interns a partition. `add` appends its classes in any order; none is empty. `len` estimates their
    /// number.
    fn intern_from(&mut self, len: usize, add: impl FnOnce(&mut Vec<ByteSet>)) -> PartitionId {
        let start = self.members.len();
        self.members.reserve(len);
        add(&mut self.members);
        self.members[start..].sort_unstable_by_key(ByteSet::first);
        let classes = &self.members[start..];
        let mut hasher = FxHasher::default();
        classes.hash(&mut hasher);
        let hash = hasher.finish();
        let found = self.table.find(hash, |id| {
            let other = self.items[id as usize];
            &self.members[other.start as usize..(other.start + other.len) as usize] == classes
        });
        if let Some(id) = found {
            self.members.truncate(start);
            return PartitionId(id);
        }
        self.representatives.extend(classes.iter().filter_map(ByteSet::first));
        let mut map = NO_MAP;
        if classes.len() > MAX_CLASSES_WITHOUT_MAP {
            map = narrow(self.maps.len());
            // Usually one class is far larger than the others.
            let numbered = || each_byte().zip(classes);
            let largest = numbered().max_by_key(|(_, class)| class.len()).map_or(0, |(number, _)| number);
            let mut classes_of = [largest; 256];
            for (number, class) in numbered().filter(|&(number, _)| number != largest) {
                class.iter().for_each(|byte| classes_of[usize::from(byte)] = number);
            }
            self.maps.push(classes_of);
        }
        let id = narrow(self.items.len());
        self.items.push(Partition { start: narrow(start), len: narrow(classes.len()), map });
        self.table.insert(hash, id);
        PartitionId(id)
    }

    pub(crate) fn intern(&mut self, classes: &ByteClasses) -> PartitionId {
        self.intern_from(classes.len(), |members| {
            let start = members.len();
            members.resize(start + classes.len(), ByteSet::EMPTY);
            for byte in 0..=255 {
                members[start + usize::from(classes.class_of(byte))].insert(byte);
            }
        })
    }

    /// Returns the partition that separates the bytes of a set from all others.
    pub(crate) fn of_set(&mut self, set: &ByteSet) -> PartitionId {
        self.intern_from(2, |members| {
            members.extend([*set, set.complement()].into_iter().filter(|set| !set.is_empty()));
        })
    }

    /// Returns the partition that groups bytes by the target of their range. The ranges are ascending; bytes
    /// outside of all ranges are one class.
    pub(crate) fn of_targets<T: PartialEq>(
        &mut self,
        ranges: impl Iterator<Item = (u8, u8, T)>,
    ) -> PartitionId {
        self.intern_from(0, |members| {
            let start = members.len();
            let mut targets: Vec<T> = Vec::with_capacity(8);
            let mut rest = ByteSet::ALL;
            for (first, last, target) in ranges {
                let class = targets.iter().rposition(|known| *known == target).unwrap_or_else(|| {
                    targets.push(target);
                    members.push(ByteSet::EMPTY);
                    targets.len() - 1
                });
                members[start + class].insert_range(first, last);
                rest.remove_range(first, last);
            }
            if !rest.is_empty() {
                members.push(rest);
            }
        })
    }

    /// Returns the partition that separates one byte from all others.
    pub(crate) fn of_byte(&mut self, byte: u8) -> PartitionId {
        self.of_set(&ByteSet::single(byte))
    }

    /// Returns the coarsest partition that is finer than both.
    pub(crate) fn refine(&mut self, a: PartitionId, b: PartitionId) -> PartitionId {
        if a == b || b == PartitionId::ONE {
            return a;
        }
        if a == PartitionId::ONE {
            return b;
        }
        let key = (a.0.min(b.0), a.0.max(b.0));
        if let Some(&id) = self.refined.get(&key) {
            return PartitionId(id);
        }
        count(UNITS_PER_REFINEMENT);
        let (first, second) = (self.items[a.0 as usize], self.items[b.0 as usize]);
        let id = if first.len * second.len <= 64 {
            self.intern_from(first.len as usize + second.len as usize, |members| {
                for x in first.start as usize..(first.start + first.len) as usize {
                    for y in second.start as usize..(second.start + second.len) as usize {
                        let class = members[x].intersection(&members[y]);
                        if !class.is_empty() {
                            members.push(class);
                        }
                    }
                }
            })
        } else {
            let width = second.len;
            let classes = ByteClasses::by_pair(
                |byte| self.class_of(a, byte) * width as usize + self.class_of(b, byte),
                first.len as usize * width as usize,
            );
            self.intern(&classes)
        };
        self.refined.insert(key, id.0);
        id
    }

    /// Returns the partition for the JSON spellings of a language that has the partition `id`. Between
    /// characters, the backslash is a class, and all bytes that a spelling cannot contain are one class.
    /// Inside an escape, letters and digits are classes.
    pub(crate) fn spelled(&mut self, id: PartitionId, at: JsonPosition) -> PartitionId {
        // Inside an escape, the partition does not depend on the text.
        let key = match at {
            JsonPosition::Character => (id.0, 0),
            JsonPosition::AfterBackslash => (0, 1),
            JsonPosition::AfterU => (0, 2),
        };
        if let Some(&known) = self.spelled.get(&key) {
            return PartitionId(known);
        }
        let spelled = match at {
            JsonPosition::Character => self.spelled_text(id),
            JsonPosition::AfterBackslash => {
                self.of_targets(b"\"/\\bfnrtu".iter().map(|&byte| (byte, byte, byte)))
            }
            JsonPosition::AfterU => {
                let digits = b"0123456789ABCDEFabcdef".iter();
                self.of_targets(digits.map(|&byte| (byte, byte, char::from(byte).to_digit(16))))
            }
        };
        self.spelled.insert(key, spelled.0);
        spelled
    }

    /// Returns the partition for spellings between two characters: the classes of the text without bytes that
    /// need an escape, the backslash, and all bytes that cannot occur.
    fn spelled_text(&mut self, id: PartitionId) -> PartitionId {
        let Partition { start, len, .. } = self.items[id.0 as usize];
        self.intern_from(len as usize + 2, |members| {
            let backslash = ByteSet::single(b'\\');
            for place in start as usize..(start + len) as usize {
                let raw = members[place].intersection(&RAW_BYTES);
                if !raw.is_empty() {
                    members.push(raw);
                }
            }
            members.extend([backslash, RAW_BYTES.union(&backslash).complement()]);
        })
    }

    pub(crate) fn bytes_used(&self) -> usize {
        self.items.len() * size_of::<Partition>()
            + self.table.bytes_used()
            + self.members.len() * 33
            + self.maps.len() * 256
            + (self.refined.len() + self.spelled.len()) * 16
    }
}

#[cfg(test)]
mod tests {
    use super::{PartitionId, Partitions};
    use crate::{ByteClasses, ByteSet};

    #[test]
    fn refinement_separates_classes_of_both() {
        let mut partitions = Partitions::new();
        let sets = [ByteSet::range(0, 99), ByteSet::range(50, 150), ByteSet::single(200)];
        let mut small = PartitionId::ONE;
        for set in sets {
            let one = partitions.of_set(&set);
            small = partitions.refine(small, one);
        }
        let fine = partitions.intern(&ByteClasses::by_key(|byte| u32::from(byte % 60)));
        let both = partitions.refine(small, fine);
        assert_eq!(partitions.refine(fine, small), both);
        assert_eq!(partitions.len(small), 5);
        for a in 0..=255u8 {
            for b in 0..=255u8 {
                let alike = |id| partitions.class_of(id, a) == partitions.class_of(id, b);
                let expected = sets.iter().all(|set| set.contains(a) == set.contains(b));
                assert_eq!(alike(small), expected, "{a} {b}");
                assert_eq!(alike(both), expected && a % 60 == b % 60, "{a} {b}");
            }
        }
        for id in [small, fine, both] {
            let classes = (0..=u8::MAX).map(|byte| partitions.class_of(id, byte) as u8);
            assert!(classes.eq(partitions.classes(id)));
            for class in 0..partitions.len(id) {
                assert_eq!(partitions.class(id, class).first(), Some(partitions.representative(id, class)));
                assert_eq!(partitions.class_of(id, partitions.representative(id, class)), class);
            }
        }
    }
}
