//! JSON numbers by their values: comparison with a bound, multiples, and proofs about intersections of both.
//!
//! The states of these leaves are positions in a numeral: see `state::NumeralPosition`.

mod branches;
pub(crate) mod comparison;
mod congruence;
pub(crate) mod modular;
pub(crate) mod multiple;
pub(crate) mod samples;
pub(crate) mod state;
