//! Tables that only grow: ids stay stable, reading takes no lock, and what is stored is counted.
//!
//! A recognizer makes its states while it runs and shares them between threads. Nearly every access reads an entry
//! that was made long ago, so reading must cost a load; making an entry is rare and may take a lock. The
//! pieces here are what the layers above are made of:
//!
//! | piece | from → to | reading |
//! | --- | --- | --- |
//! | [`Arena`] | id → value | two loads; three behind the first thousands |
//! | [`Interner`] | value → id → value | a probe; a lock when the value is new |
//! | [`Memo`] | key → value | a probe; a lock when the key is new |
//! | [`Column`] | id → `u32` | two loads; three behind the first two thousand |
//! | [`Row`], [`LazyRow`] | small index → `u32` | one load |
//!
//! [`Budget`] counts the bytes that a family of tables holds. Nothing is ever evicted in place: whoever exceeds the
//! budget makes a fresh family and carries over what is still in use. That keeps every id valid for as long as the
//! family that made it lives.
//!
//! # What is shown about threads
//!
//! There is no `unsafe` here (that of [`boxcar`] is its own, and is run in the models with the rest), so no access is undefined; what could go wrong is that a thread sees too little. Models in
//! `tests/loom.rs` run the tables, made of the primitives of loom, in every order in which two or three threads can meet,
//! up to a bound on interruptions, and with every value that weakly ordered memory may let a thread see:
//!
//! - equal keys get one id, and different keys different ones, also while the index grows;
//! - what was in before a look-up began is found, at any moment of a growth, which goes step by step, and its value is there;
//! - the first value under a key of a [`Memo`] is what every thread gets, and exactly one is told that it is fresh;
//! - who reads a value from a [`Row`] or a [`LazyRow`] sees all that was written before it was stored, and of two values that are stored
//!   at once in a [`LazyRow`] none is lost;
//! - the first number under an id of a [`Column`] is what every thread gets, with all that was written before it was stored;
//! - an [`Arena`] gives each id once, and who learns of an id that is in finds its value;
//! - a [`Budget`] loses nothing.
//!
//! `cargo xtask loom` runs them.
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

mod arena;
mod bucket;
mod budget;
mod column;
mod index;
mod interner;
mod memo;
mod row;
mod sync;

pub use arena::Arena;
pub use budget::Budget;
pub use column::Column;
pub use interner::Interner;
pub use memo::Memo;
pub use row::{LazyRow, Row};

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
