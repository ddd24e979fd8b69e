//! Commands that measure: each builds a program of the package of benchmarks with optimization and runs it.

pub mod bench;
pub mod count;
pub mod overview;
pub mod schemas;
pub mod tokenizers;
