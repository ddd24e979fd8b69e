//! The chores of the workspace, as a library so that tests can call them: what `cargo xtask ci` runs, the rules that a
//! program can check, the comparison with other engines, counts of instructions, JSON Schemas with their documents, models of what threads share, and random
//! cases against the oracle, with what the programs in `src/bin` have in common.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a chore tells what it does")]

#[cfg(feature = "fuzz")]
pub mod agreement;
pub mod bench;
pub mod ci;
pub mod count;
pub mod fuzz;
pub mod loom;
pub mod python;
pub mod schemas;
pub mod tidy;
#[cfg(feature = "fuzz")]
pub mod watch;
pub mod workspace;
