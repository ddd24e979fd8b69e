//! Measures grammask side by side with the crates `kbnf` and `llguidance`.
//!
//! - Command line: [`arguments`]; `main.rs` runs the comparison, `bin/` holds the other programs.
//! - Inputs: [`input`] has the grammars with their texts, the vocabulary, and random numbers.
//! - Engines: [`engine`] puts them under one interface.
//! - Timing: [`run`] measures each engine in a process of its own.
//! - Workloads: [`workload`] has what only grammask is measured on, such as batches, long bounds and deep
//!   nesting.
//! - Tables: [`report`].
//! - Search for expensive inputs: [`cliffs`].
//! - JSON Schema: [`schemas`]. Hashes of masks: [`digest`].

#![allow(clippy::print_stderr, reason = "a tool that reports its progress")]

pub mod arguments;
pub mod cliffs;
pub mod digest;
pub mod engine;
pub mod input;
pub mod report;
pub mod run;
pub mod schemas;
pub mod workload;
