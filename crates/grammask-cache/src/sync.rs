//! Synchronization primitives: those of `std`, and in models those of `loom`.
//!
//! Loom explores the interleavings of threads, and the values that weakly ordered memory may return.

#[cfg(loom)]
mod atomic;
#[cfg(loom)]
mod once_lock;

#[cfg(not(loom))]
pub(crate) use std::sync::{
    Mutex, MutexGuard, OnceLock,
    atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering},
};

#[cfg(loom)]
pub(crate) use atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
#[cfg(loom)]
pub(crate) use loom::sync::{Mutex, MutexGuard};
#[cfg(loom)]
pub(crate) use once_lock::OnceLock;

/// Returns a table of zero atomics. Does not touch its pages, because new pages of the system are zero.
#[cfg(not(loom))]
pub(crate) fn zeros<A: bytemuck::Zeroable>(len: usize) -> Box<[A]> {
    bytemuck::allocation::zeroed_slice_box(len)
}
#[cfg(loom)]
pub(crate) fn zeros<A: atomic::Zero>(len: usize) -> Box<[A]> {
    (0..len).map(|_| A::zero()).collect()
}

/// Defines a constructor that is `const`, except in models, where loom registers every primitive at run time.
#[cfg(not(loom))]
macro_rules! constructor {
    ($(#[$attribute:meta])* $visibility:vis fn $($rest:tt)*) => {
        $(#[$attribute])* $visibility const fn $($rest)*
    };
}
#[cfg(loom)]
macro_rules! constructor {
    ($(#[$attribute:meta])* $visibility:vis fn $($rest:tt)*) => {
        $(#[$attribute])* $visibility fn $($rest)*
    };
}

/// Evaluates an expression for each entry of an array.
#[cfg(not(loom))]
macro_rules! array {
    ($entry:expr; $len:expr) => {
        [const { $entry }; $len]
    };
}
#[cfg(loom)]
macro_rules! array {
    ($entry:expr; $len:expr) => {
        std::array::from_fn::<_, { $len }, _>(|_| $entry)
    };
}

pub(crate) use {array, constructor};
