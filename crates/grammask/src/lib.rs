//! Make a language model write only what a grammar allows: token masks from KBNF grammars.

mod config;
mod error;
mod grammar;
#[cfg(feature = "kbnf")]
pub mod kbnf;
mod matcher;
mod outcome;
mod vocabulary;

pub use config::Config;
pub use error::{Error, LimitError, RollbackError};
pub use grammar::Grammar;
pub use grammask_mask::{Ending, Stats};
#[cfg(feature = "loaders")]
pub use grammask_trie::loaders;
pub use grammask_trie::{Error as VocabularyError, Mask, RowTooShort, TokenId};
pub use matcher::{Matcher, State};
pub use outcome::Outcome;
pub use vocabulary::Vocabulary;

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
