//! The reference recognizer, random grammars and the fixtures' reader that the tests of grammask use.
//!
//! Nothing here is made to be fast: the [`Oracle`] is what the engine is compared with, so it is short and follows
//! the definition of the language word for word.

pub mod fixtures;
mod oracle;
pub mod random;

pub use oracle::{Oracle, OracleError, Outcome, Run, Verdict, start_of};
