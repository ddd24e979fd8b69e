//! Append-only tables: ids stay valid, reading takes no lock, and stored bytes are counted.
//!
//! A recognizer creates its states while it runs and shares them between threads. Nearly every access reads
//! an old entry, so reading costs a few loads. Creating an entry is rare and may take a lock.
//!
//! | piece | from → to | reading |
//! | --- | --- | --- |
//! | [`Arena`] | id → value | two loads; three after the first thousands |
//! | [`Interner`] | value → id → value | a probe; a lock when the value is new |
//! | [`Memo`] | key → value | a probe; a lock when the key is new |
//! | [`Column`] | id → `u32` | two loads; three from id 2,016 on |
//! | [`Row`], [`LazyRow`] | small index → `u32` | one load |
//!
//! [`Budget`] counts the bytes of a family of tables. Entries are never evicted. When the budget is exceeded,
//! the caller makes a new family and imports the entries still in use, so an id stays valid as long as its
//! family.
//!
//! # Verified properties
//!
//! This crate has no `unsafe` code of its own, so accesses are memory-safe; a fault would be a thread that
//! misses an entry. `tests/loom.rs` models the tables with loom: every interleaving of two or three threads
//! up to a bound on preemptions, and every value that weakly ordered memory may return.
//!
//! - Equal keys get one id, and different keys get different ids, also while the index grows.
//! - A lookup finds every entry that was stored before it began, with its value, also while the index grows.
//! - All threads get the first value stored under a key of a [`Memo`], and exactly one of them learns that it
//!   is new.
//! - A thread that reads a value from a [`Row`] or a [`LazyRow`] sees all writes that precede its storing. A
//!   [`LazyRow`] keeps both of two values stored simultaneously.
//! - All threads get the first number stored under an id of a [`Column`], and see all writes that precede its
//!   storing.
//! - An [`Arena`] returns each id once, and a thread that receives an id finds its value.
//! - A [`Budget`] counts all bytes.
//!
//! `cargo xtask loom` runs the models.
//!
//! # Example
//!
//! ```
//! use grammask_cache::Interner;
//!
//! let words: Interner<String> = Interner::new();
//! let a = words.intern("state", str::to_owned);
//! assert_eq!(words.intern("state", str::to_owned), a);
//! assert_eq!(words.get(a), "state");
//! ```

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod arena;
mod bucket;
mod budget;
mod column;
mod index;
mod interner;
mod memo;
mod row;
mod shared;
mod sync;

pub use arena::Arena;
pub use budget::Budget;
pub use column::Column;
pub use interner::Interner;
pub use memo::Memo;
pub use row::{LazyRow, Row};
pub use shared::{HeapSize, Shared};

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
