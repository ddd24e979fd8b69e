//! Counts the bytes of a family of tables.

use crate::sync::{AtomicUsize, Ordering, constructor};

/// A limit in bytes and the number of bytes used.
///
/// A budget measures and does not prevent: tables report the bytes they store, and their owner checks from
/// time to time whether the budget is exceeded.
#[derive(Debug)]
pub struct Budget {
    limit: usize,
    used: AtomicUsize,
}

impl Budget {
    constructor! {
        /// Creates a budget of `limit` bytes, with no byte used.
        pub fn new(limit: usize) -> Self {
            Self { limit, used: AtomicUsize::new(0) }
        }
    }

    /// Adds to the bytes used.
    pub fn spend(&self, bytes: usize) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Returns the number of bytes used.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Returns the limit in bytes.
    pub const fn limit(&self) -> usize {
        self.limit
    }

    /// Returns true if more bytes are used than the limit allows.
    pub fn is_exceeded(&self) -> bool {
        self.used() > self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_is_exceeded_after_its_last_byte() {
        let budget = Budget::new(10);
        budget.spend(10);
        assert!(!budget.is_exceeded());
        budget.spend(1);
        assert!(budget.is_exceeded());
        assert_eq!((budget.used(), budget.limit()), (11, 10));
    }
}
