//! A short row of numbers that are filled in one by one.

use crate::sync::{AtomicU32, Ordering};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_unknown_until_it_is_stored() {
        let row = Row::new(3);
        assert_eq!((row.get(0), row.get(2)), (None, None));
        row.set(2, 0);
        assert_eq!((row.get(1), row.get(2)), (None, Some(0)));
        assert_eq!((row.len(), row.bytes_used()), (3, 12));
    }
}
