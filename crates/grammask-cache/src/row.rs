//! A row of numbers, each unknown until it is stored: the transitions of a lazily computed automaton state.

use std::fmt;

use crate::sync::{AtomicU32, AtomicU64, OnceLock, Ordering, array, constructor};

/// Numbers below [`Row::LIMIT`] by the indices `0..len`, each unknown until it is stored.
///
/// This is the row of a state of a lazy automaton: its successors by byte class.
#[derive(Debug)]
pub struct Row {
    slots: Box<[AtomicU32]>,
}

impl Row {
    /// Exclusive upper bound of the values.
    pub const LIMIT: u32 = u32::MAX;

    /// Creates a row of `len` unknown values.
    pub fn new(len: usize) -> Self {
        Self { slots: (0..len).map(|_| AtomicU32::new(Self::LIMIT)).collect() }
    }

    /// Returns the value at `index`. Returns `None` if it is unknown. One load.
    ///
    /// # Panics
    /// If `index` is not below [`len`](Self::len).
    #[inline(always)]
    pub fn get(&self, index: usize) -> Option<u32> {
        let value = self.slots[index].load(Ordering::Acquire);
        (value != Self::LIMIT).then_some(value)
    }

    /// Stores a value. A thread that reads the value sees all writes that precede this call.
    ///
    /// # Panics
    /// If `index` is not below [`len`](Self::len), or `value` is not below [`Row::LIMIT`].
    pub fn set(&self, index: usize, value: u32) {
        assert!(value < Self::LIMIT, "the value is reserved for unknown entries");
        self.slots[index].store(value, Ordering::Release);
    }

    /// Returns the length of the row.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns true if the length is 0.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the bytes of the row.
    pub fn bytes_used(&self) -> usize {
        size_of_val::<[AtomicU32]>(&self.slots)
    }
}

/// As [`Row`], but with inline space for `INLINE_VALUES` values; the row is allocated for more. Most states
/// of a recognizer are left by one or a few classes.
///
/// All values stored under one index must be equal.
pub struct LazyRow {
    /// The first indices and values: the index in the upper half, the value in the lower half.
    inline: [AtomicU64; INLINE_VALUES],
    rest: OnceLock<Row>,
}

/// Number of values that a [`LazyRow`] stores without an allocation. Models use two, so that they fill them.
const INLINE_VALUES: usize = if cfg!(loom) { 2 } else { 4 };

/// A free inline entry of a [`LazyRow`]: no index has this upper half.
const FREE: u64 = u64::MAX;

/// Returns the value of an inline entry.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
const fn value_of(entry: u64) -> u32 {
    entry as u32
}

impl LazyRow {
    constructor! {
        /// Creates a row of unknown values. Allocates nothing.
        pub fn new() -> Self {
            Self { inline: array![AtomicU64::new(FREE); INLINE_VALUES], rest: OnceLock::new() }
        }
    }

    /// Returns the value at `index`. Returns `None` if it is unknown. One to six loads.
    ///
    /// # Panics
    /// If `index` is not below the length given to [`set`](Self::set) and the row is allocated.
    #[inline(always)]
    pub fn get(&self, index: usize) -> Option<u32> {
        for slot in &self.inline {
            let entry = slot.load(Ordering::Acquire);
            if entry >> 32 == index as u64 {
                return Some(value_of(entry));
            }
            if entry == FREE {
                return None;
            }
        }
        self.rest.get()?.get(index)
    }

    /// Stores a value and returns the bytes that this call allocated. A thread that reads the value sees all
    /// writes that precede this call. `len` is the length of the row and must be equal in all calls.
    ///
    /// # Panics
    /// If `index` is not below `len`, or `value` is not below [`Row::LIMIT`].
    pub fn set(&self, index: usize, value: u32, len: usize) -> usize {
        assert!(index < len && value < Row::LIMIT, "the index or the value is out of range");
        let packed = (index as u64) << 32 | u64::from(value);
        for slot in &self.inline {
            match slot.compare_exchange(FREE, packed, Ordering::AcqRel, Ordering::Acquire) {
                Err(known) if known >> 32 != index as u64 => {}
                _ => return 0,
            }
        }
        let mut allocated = 0;
        let rest = self.rest.get_or_init(|| {
            let row = Row::new(len);
            allocated = row.bytes_used();
            row
        });
        rest.set(index, value);
        allocated
    }

    /// Returns the known values with their indices, in unspecified order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, u32)> {
        let inline = self.inline.iter().map(|slot| slot.load(Ordering::Acquire));
        let inline =
            inline.take_while(|&entry| entry != FREE).map(|entry| ((entry >> 32) as usize, value_of(entry)));
        let rest = self.rest.get().into_iter();
        inline.chain(rest.flat_map(|row| (0..row.len()).filter_map(|index| Some((index, row.get(index)?)))))
    }
}

impl fmt::Debug for LazyRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl Default for LazyRow {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lazy_row_allocates_after_its_inline_values() {
        let row = LazyRow::new();
        assert_eq!((row.get(0), row.get(7)), (None, None));
        for index in [7, 2, 3, 4] {
            assert_eq!(row.set(index, index as u32 - 2, 9), 0);
            assert_eq!((row.get(0), row.get(7)), (None, Some(5)));
            assert_eq!(row.set(7, 5, 9), 0);
        }
        assert_eq!(row.set(0, 5, 9), 36);
        assert_eq!(row.set(8, 6, 9), 0);
        assert_eq!([0, 1, 2, 7, 8].map(|index| row.get(index)), [Some(5), None, Some(0), Some(5), Some(6)]);
        let mut known: Vec<(usize, u32)> = row.iter().collect();
        known.sort_unstable();
        assert_eq!(known, [(0, 5), (2, 0), (3, 1), (4, 2), (7, 5), (8, 6)]);
    }

    #[test]
    fn value_is_unknown_until_it_is_stored() {
        let row = Row::new(3);
        assert_eq!((row.get(0), row.get(2)), (None, None));
        row.set(2, 0);
        assert_eq!((row.get(1), row.get(2)), (None, Some(0)));
        assert_eq!((row.len(), row.bytes_used()), (3, 12));
    }
}
