//! Counting what a family of tables holds.

use crate::sync::{AtomicUsize, Ordering, constructor};

/// A number of bytes that may be used, and how many are.
///
/// A budget is a measure, not a fence: tables tell it what they store, and whoever owns them asks from time to time
/// whether it is exceeded.
#[derive(Debug)]
pub struct Budget {
    limit: usize,
    used: AtomicUsize,
}

impl Budget {
    constructor! {
        /// A budget of `limit` bytes.
        pub fn new(limit: usize) -> Self {
            Self { limit, used: AtomicUsize::new(0) }
        }
    }

    /// Notes that `bytes` more are used.
    pub fn spend(&self, bytes: usize) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes in use.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Bytes that may be used.
    pub const fn limit(&self) -> usize {
        self.limit
    }

    /// Whether more bytes are used than may be.
    pub fn is_exceeded(&self) -> bool {
        self.used() > self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_exceeded_behind_its_last_byte() {
        let budget = Budget::new(10);
        budget.spend(10);
        assert!(!budget.is_exceeded());
        budget.spend(1);
        assert!(budget.is_exceeded());
        assert_eq!((budget.used(), budget.limit()), (11, 10));
    }
}
