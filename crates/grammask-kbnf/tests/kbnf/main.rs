//! The interface of the crate `kbnf`: its methods, the examples of its documentation, the end of an output,
//! and grammars that it misreads.

mod endings;
mod engine;
mod examples;
mod known_faults;
