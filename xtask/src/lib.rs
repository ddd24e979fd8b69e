//! The chores of the workspace, as a library so that tests can call them: what `cargo xtask ci` runs, the rules that a
//! program can check, the comparison with other engines, counts of instructions, and fuzzing.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a chore tells what it does")]

pub mod bench;
pub mod ci;
pub mod count;
pub mod fuzz;
pub mod tidy;
pub mod workspace;
