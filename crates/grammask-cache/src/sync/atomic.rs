//! The atomics of loom for models, wrapped so that loom explores every order of their accesses.
//!
//! To find the orders that matter, loom 0.7 keeps only the last access of an atomic. If a thread loads an
//! atomic before it stores, that load hides earlier loads of other threads, and the order in which they load
//! later is never explored. Here each access first adds zero to a second atomic. These additions depend on
//! each other, so none hides another. They are relaxed, so they make no other write visible.

use std::fmt;

pub(crate) use loom::Ordering;
use loom::sync::atomic as loom;

/// An atomic with a zero value.
pub(crate) trait Zero {
    fn zero() -> Self;
}

macro_rules! atomic {
    ($name:ident, $of:ty) => {
        pub(crate) struct $name {
            value: loom::$name,
            turn: loom::AtomicUsize,
        }

        #[allow(dead_code, reason = "not every atomic is used in every way")]
        impl $name {
            pub(crate) fn new(value: $of) -> Self {
                Self { value: loom::$name::new(value), turn: loom::AtomicUsize::new(0) }
            }

            fn in_turn(&self) -> &loom::$name {
                self.turn.fetch_add(0, Ordering::Relaxed);
                &self.value
            }

            pub(crate) fn load(&self, order: Ordering) -> $of {
                self.in_turn().load(order)
            }

            pub(crate) fn store(&self, value: $of, order: Ordering) {
                self.in_turn().store(value, order);
            }

            pub(crate) fn compare_exchange(
                &self,
                current: $of,
                new: $of,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$of, $of> {
                self.in_turn().compare_exchange(current, new, success, failure)
            }
        }

        impl Zero for $name {
            fn zero() -> Self {
                Self::new(<$of>::default())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.value.fmt(f)
            }
        }
    };
}

atomic!(AtomicBool, bool);
atomic!(AtomicU32, u32);
atomic!(AtomicU64, u64);
atomic!(AtomicUsize, usize);

impl AtomicUsize {
    pub(crate) fn fetch_add(&self, value: usize, order: Ordering) -> usize {
        self.in_turn().fetch_add(value, order)
    }
}
