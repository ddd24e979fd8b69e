//! The commands of `cargo xtask`, as a library so that tests can call them.
//!
//! - Checks: [`checks`], [`tidy`].
//! - Measurements: [`measure`].
//! - Tests of the Python package: [`python`]; its adapters in real engines: [`engines`].
//! - Random tests: [`fuzz`], guided by coverage in [`coverage`], and `cases`, which the programs in `src/bin`
//!   share.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command reports what it does")]

pub mod book;
#[cfg(feature = "fuzz")]
pub mod cases;
pub mod checks;
pub mod coverage;
pub mod engines;
pub mod fuzz;
pub mod measure;
pub mod python;
pub mod tidy;
pub mod workspace;
