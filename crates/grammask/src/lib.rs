//! Make a language model write only what a grammar allows: token masks from KBNF grammars.
//!
//! [`Grammar::compile`] makes a grammar for a [`Vocabulary`]; [`Grammar::matcher`] a [`Matcher`] for one output. In each step of an
//! inference loop the matcher says which tokens may come next, and takes the one that the model picked:
//!
//! ```
//! use grammask::{Config, Grammar, Outcome, TokenId, Vocabulary};
//!
//! let words = ["(", ")", "x", "()", "<|end|>"];
//! let tokens = (0..4).map(|id| (TokenId(id), words[id as usize].as_bytes().to_vec()));
//! let vocabulary = Vocabulary::new(tokens, [(TokenId(4), words[4].into())])?;
//! let config = Config::default().ending_with([TokenId(4)]);
//! let grammar = Grammar::compile("start ::= '(' start? ')' | 'x';", &vocabulary, &config)?;
//!
//! let mut matcher = grammar.matcher();
//! let mut logits = vec![1.0_f32; 5];
//! loop {
//!     matcher.apply(&mut logits); // what is not allowed becomes negative infinity
//!     let picked = logits.iter().rposition(|logit| logit.is_finite()).expect("something is allowed");
//!     if matcher.accept(TokenId(picked as u32)) == Outcome::Finished {
//!         break;
//!     }
//!     logits.fill(1.0); // the model's next logits
//! }
//! assert_eq!(matcher.text(), b"()");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A mask is exact: a token is allowed if and only if some output goes on with it. It depends on nothing but the text so
//! far: not on what was cached, on other matchers, on rollbacks or on threads. Limits bound work, and what is known takes none; so
//! close to a limit, whether it is hit may depend on what was asked before, but never what a mask says.
//!
//! The layers below are crates of their own and can be used alone: `grammask-syntax`, `grammask-normal`, `grammask-regular`,
//! `grammask-earley`, `grammask-trie`, `grammask-mask`, `grammask-cache`.
//!
//! # Features
//! - `loaders` (default): read tokenizer files, [`Vocabulary::load`].
//! - `kbnf` (default): the module [`kbnf`], the API of the crate of that name.
//! - `parallel` (default): [`fill_masks`] calls other threads for help.
//! - `save`: compiled grammars as bytes, [`Grammar::save`](Grammar) and `Grammar::load`.
//! - `serde`: configurations, trees and normal forms can be stored.

mod batch;
mod config;
mod draft;
mod error;
mod forced;
mod from_schema;
mod grammar;
mod history;
#[cfg(feature = "kbnf")]
pub mod kbnf;
mod matcher;
mod outcome;
mod placed;
mod position;
#[cfg(feature = "save")]
mod save;
mod state;
mod visits;
mod vocabulary;
mod warm;

/// What the configuration of JSON Schemas chooses from, and what their errors say.
///
/// ```
/// use grammask::json_schema::{AdditionalProperties, Unsupported, Whitespace};
///
/// let mut config = grammask::Config::default();
/// config.json_schema.whitespace = Whitespace::Compact;
/// config.json_schema.additional_properties = AdditionalProperties::Closed;
/// config.json_schema.unsupported = Unsupported::Relax;
/// ```
pub mod json_schema {
    pub use grammask_json_schema::{
        AdditionalProperties, Config, Document, Draft, Error, Formats, PropertyOrder, Reason, Relaxation,
        Translation, Unsupported, Whitespace, translate,
    };
}

pub use batch::{RowsError, fill_masks};
pub use config::Config;
pub use draft::{Draft, DraftError, DraftMasks};
pub use error::{Error, LimitError, RollbackError};
pub use forced::ForcedError;
pub use grammar::Grammar;
pub use grammask_mask::{Ending, LexiconConfig, LexiconStats, Scratch, Stats, WarmLimits, Warmth};
#[cfg(feature = "loaders")]
pub use grammask_trie::loaders;
pub use grammask_trie::{Error as VocabularyError, Mask, RowTooShort, TokenId};
pub use json_schema::{Config as JsonSchemaConfig, Relaxation};
pub use matcher::Matcher;
pub use outcome::Outcome;
pub use placed::Placed;
#[cfg(feature = "save")]
pub use save::{LoadError, Tables};
pub use state::{State, StateError};
pub use visits::{GrammarStats, Visits};
pub use vocabulary::Vocabulary;

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The examples of the page on JSON Schema, likewise.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/json-schema.md")]
struct JsonSchemaPage;
