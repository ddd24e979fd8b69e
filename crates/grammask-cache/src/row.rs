//! A short row of numbers that are filled in one by one.

use std::fmt;

use crate::sync::{AtomicU32, AtomicU64, OnceLock, Ordering, array, constructor};

/// Numbers below [`Row::LIMIT`] under the indices `0..len`, each unknown until it is stored.
///
/// This is the row of a lazy automaton: a state's successors by byte class.
#[derive(Debug)]
pub struct Row {
    slots: Box<[AtomicU32]>,
}

impl Row {
    /// Values are below this.
    pub const LIMIT: u32 = u32::MAX;

    /// A row of `len` unknown values.
    pub fn new(len: usize) -> Self {
        Self { slots: (0..len).map(|_| AtomicU32::new(Self::LIMIT)).collect() }
    }

    /// The value at `index`, if it is known. One load.
    ///
    /// # Panics
    /// When `index` is not below [`len`](Self::len).
    #[inline(always)]
    pub fn get(&self, index: usize) -> Option<u32> {
        let value = self.slots[index].load(Ordering::Acquire);
        (value != Self::LIMIT).then_some(value)
    }

    /// Stores a value. What was written before this call is visible to whoever reads the value.
    ///
    /// # Panics
    /// When `index` is not below [`len`](Self::len), or `value` not below [`Row::LIMIT`].
    pub fn set(&self, index: usize, value: u32) {
        assert!(value < Self::LIMIT, "the value says that it is unknown");
        self.slots[index].store(value, Ordering::Release);
    }

    /// How many values the row has room for.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether the row has room for none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Bytes of the row.
    pub fn bytes_used(&self) -> usize {
        size_of_val::<[AtomicU32]>(&self.slots)
    }
}

/// As [`Row`], with room for a few numbers at first: of the states that a text passes, most are left in one way only, and of those that
/// a vocabulary is walked with, in few.
///
/// All values that are stored under one index are the same; which of several comes first is not said.
pub struct LazyRow {
    /// The indices and the values that came first, from the front on.
    few: [AtomicU64; FEW],
    others: OnceLock<Row>,
}

/// Numbers for which a [`LazyRow`] allocates nothing. Models have two, so that they fill them.
const FEW: usize = if cfg!(loom) { 2 } else { 4 };

/// Nothing has been stored in a place of a [`LazyRow`]: no index has this upper half.
const NOTHING: u64 = u64::MAX;

impl LazyRow {
    constructor! {
        /// A row of unknown values. Allocates nothing.
        pub fn new() -> Self {
            Self { few: array![AtomicU64::new(NOTHING); FEW], others: OnceLock::new() }
        }
    }

    /// The value at `index`, if it is known. A load, or up to six.
    ///
    /// # Panics
    /// When `index` is not below the lengths given to [`set`](Self::set), once several indices have been stored.
    #[inline(always)]
    pub fn get(&self, index: usize) -> Option<u32> {
        for place in &self.few {
            let entry = place.load(Ordering::Acquire);
            if entry >> 32 == index as u64 {
                return Some(entry as u32);
            }
            if entry == NOTHING {
                return None;
            }
        }
        self.others.get()?.get(index)
    }

    /// Stores a value; gives the bytes that had to be allocated for it. What was written before this call is visible to
    /// whoever reads the value. `len` is the length of the whole row, the same each time.
    ///
    /// # Panics
    /// When `index` is not below `len`, or `value` not below [`Row::LIMIT`].
    pub fn set(&self, index: usize, value: u32, len: usize) -> usize {
        assert!(index < len && value < Row::LIMIT, "an index of the row, and a value that is one");
        let packed = (index as u64) << 32 | u64::from(value);
        for place in &self.few {
            match place.compare_exchange(NOTHING, packed, Ordering::AcqRel, Ordering::Acquire) {
                Err(known) if known >> 32 != index as u64 => {}
                _ => return 0,
            }
        }
        let mut allocated = 0;
        let others = self.others.get_or_init(|| {
            let row = Row::new(len);
            allocated = row.bytes_used();
            row
        });
        others.set(index, value);
        allocated
    }

    /// The known values with their indices, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, u32)> {
        let few = self.few.iter().map(|place| place.load(Ordering::Acquire));
        let few =
            few.take_while(|&entry| entry != NOTHING).map(|entry| ((entry >> 32) as usize, entry as u32));
        let others = self.others.get().into_iter();
        few.chain(others.flat_map(|row| (0..row.len()).filter_map(|index| Some((index, row.get(index)?)))))
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
    fn a_lazy_row_allocates_where_few_are_exceeded() {
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
    fn a_value_is_unknown_until_it_is_stored() {
        let row = Row::new(3);
        assert_eq!((row.get(0), row.get(2)), (None, None));
        row.set(2, 0);
        assert_eq!((row.get(1), row.get(2)), (None, Some(0)));
        assert_eq!((row.len(), row.bytes_used()), (3, 12));
    }
}
