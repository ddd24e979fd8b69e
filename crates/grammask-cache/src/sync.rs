//! The primitives of synchronization that the tables are made of: those of `std`, and in models those of `loom`, which
//! tries the orders in which threads can meet and the values that a weakly ordered machine may let them see.

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

/// A table of atomics that are zero. Its pages are not touched: those that the system gives are zero already.
#[cfg(not(loom))]
pub(crate) fn zeros<A: bytemuck::Zeroable>(len: usize) -> Box<[A]> {
    bytemuck::allocation::zeroed_slice_box(len)
}
#[cfg(loom)]
pub(crate) fn zeros<A: atomic::Zero>(len: usize) -> Box<[A]> {
    (0..len).map(|_| A::zero()).collect()
}

/// A constructor that can run at compile time; not in models, as loom has to be told of every primitive that is made.
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

/// An array in which every entry is made for itself.
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
