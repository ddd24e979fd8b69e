//! Measures grammask beside the crates `kbnf` and `llguidance`: the same grammars, texts and vocabulary, on one thread, one
//! engine after the other in one run; and what no other engine is asked for: batches, long bounds, vocabularies of several sizes.

#![allow(clippy::print_stderr, reason = "a tool that says how far it is")]

pub mod arguments;
pub mod bars;
pub mod batch;
pub mod bounds;
pub mod case;
pub mod compare;
pub mod digest;
pub mod engine;
pub mod hard;
pub mod hour;
pub mod known;
pub mod linear;
pub mod machine;
pub mod measure;
pub mod random;
pub mod recursion;
pub mod report;
pub mod schemas;
pub mod timing;
pub mod vocabulary;
pub mod worker;
