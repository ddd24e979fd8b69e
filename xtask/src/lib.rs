//! The commands of `cargo xtask`, as a library so that tests can call them.
//!
//! - Gate: [`ci`], [`tidy`], [`loom`], [`audit`], [`msrv`].
//! - Measurements: [`measure`].
//! - Tests of the Python package: [`python`].
//! - Random tests: [`fuzz`], and `cases`, which the programs in `src/bin` share.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command reports what it does")]

pub mod audit;
#[cfg(feature = "fuzz")]
pub mod cases;
pub mod ci;
pub mod fuzz;
pub mod loom;
pub mod measure;
pub mod msrv;
pub mod python;
pub mod tidy;
pub mod workspace;
