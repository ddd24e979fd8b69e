//! The reference recognizer, random grammars, and the reader of the fixtures, for the tests of grammask.
//!
//! The engine is compared with the [`Oracle`], which is short, slow, and follows the definition of the
//! language word for word.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

pub mod fixtures;
mod oracle;
pub mod random;
pub mod worst;

pub use oracle::{Oracle, OracleError, Outcome, Run, Verdict, start_of};
