//! The contract of `Grammar`, `Matcher` and `Vocabulary`: each method, each ending, and masks against the
//! oracle.

mod budgets;
mod conditions;
mod distinct;
mod endings;
mod fixtures;
mod language;
mod matcher;
mod permutations;
mod random;
#[path = "../random_setup/mod.rs"]
mod random_setup;
mod shared;
mod stats;
mod vocabularies;
