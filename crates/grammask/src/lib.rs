//! Make a language model write only what a grammar allows: token masks from KBNF grammars and JSON Schemas.
//!
//! | piece | from → to | begin reading at |
//! | --- | --- | --- |
//! | [`Vocabulary`] | a model's tokens → a trie, shared by all grammars of the model | [`Vocabulary::new`], [`loaders`] |
//! | [`Grammar`] | a grammar's text, a vocabulary → tables that give masks | [`Grammar::compile`] |
//! | [`Matcher`] | one output: the tokens so far → a mask of the tokens that may come next | [`Matcher::mask`] |
//! | [`fill_masks`] | a batch of matchers → packed rows, on several threads | |
//! | [`GrammarCache`] | a key of a grammar → the grammar, compiled once for many requests | |
//! | [`Config`] | all options and limits, one field for each stage | |
//!
//! In each step of an inference loop, the matcher gives a mask, and accepts the token that the model picked:
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
//!     matcher.apply(&mut logits); // sets the logits of tokens that are not allowed to negative infinity
//!     let picked = logits.iter().rposition(|logit| logit.is_finite()).expect("some token is allowed");
//!     if matcher.accept(TokenId(picked as u32)) == Outcome::Finished {
//!         break;
//!     }
//!     logits.fill(1.0); // the model's next logits
//! }
//! assert_eq!(matcher.text(), b"()");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! - A mask is exact: a token is allowed if and only if some output continues with it.
//! - A mask depends on the text so far and on nothing else: not on caches, other matchers, rollbacks or
//!   threads.
//! - Every call does what it says, or fails and changes nothing. Limits bound the work of a call. Near a
//!   limit, a call may fail or not depending on what is cached; the content of a mask never depends on it.
//!
//! # Stages
//!
//! Each stage is a separate crate, which this crate re-exports:
//!
//! - [`syntax`][]: text → tree.
//! - [`normal`][]: tree → normal form.
//! - [`regular`][]: regular languages.
//! - [`earley`][]: recognizer.
//! - [`trie`][]: vocabularies.
//! - [`mask`](mod@mask): token masks.
//! - [`json_schema`][]: schema → tree.
//! - [`gbnf`][]: GBNF, EBNF, regexes and choices → tree.
//! - [`lark`][]: Lark → tree.
//! - [`tags`][]: structural tags → tree.
//!
//! This crate adds no parsing and no mask algorithm. It drives the stages, and keeps outputs, statistics and
//! threads.
//!
//! # Features
//!
//! - `loaders` (default): reading tokenizer files, [`Vocabulary::load`].
//! - `json-schema` (default): grammars from JSON Schemas, [`Grammar::from_json_schema`].
//! - `notations` (default): grammars in GBNF, EBNF, as regexes and as structural tags,
//!   [`Grammar::from_gbnf`] and others.
//! - `parallel` (default): [`fill_masks`] uses several threads.
//! - `save`: compiled grammars as bytes, [`Grammar::save`](Grammar) and `Grammar::load`.
//! - `serde`: configurations, trees and normal forms can be serialized.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod config;
mod error;
mod grammar;
mod grammar_cache;
mod matcher;
mod memory;
mod vocabulary;

pub use grammask_earley as earley;
#[cfg(feature = "notations")]
pub use grammask_gbnf as gbnf;
#[cfg(feature = "json-schema")]
pub use grammask_json_schema as json_schema;
#[cfg(feature = "notations")]
pub use grammask_lark as lark;
pub use grammask_mask as mask;
pub use grammask_normal as normal;
#[cfg(feature = "notations")]
pub use grammask_notation as notation;
pub use grammask_regular as regular;
pub use grammask_syntax as syntax;
#[cfg(feature = "notations")]
pub use grammask_tags as tags;
pub use grammask_trie as trie;
pub use grammask_work as work;

pub use config::{Config, Limits};
pub use error::{ConfigPart, Error, LimitError, LimitExceeded, Located, RollbackError};
pub use grammar::Grammar;
pub use grammar::begin::Begin;
#[cfg(feature = "json-schema")]
pub use grammar::embedded_schemas::translate_schemas;
pub use grammar::endings::GrammarNote;
#[cfg(feature = "save")]
pub use grammar::save::{LoadError, SAVED_MAGIC, Tables};
#[cfg(feature = "json-schema")]
pub use grammar::schema_remarks::SchemaRemarks;
pub use grammar::special_tokens::resolve_special_tokens;
pub use grammar::stats::{GrammarStats, MaskStats};
pub use grammar_cache::{CacheError, CacheStats, GrammarCache, Request};
#[cfg(feature = "notations")]
pub use grammask_gbnf::RegexDialect;
#[cfg(feature = "json-schema")]
pub use grammask_json_schema::{Config as JsonSchemaConfig, Relaxation};
pub use grammask_mask::{
    EndLimits, Ending, LexiconConfig, LexiconLimits, LexiconStats, Scratch, Stats, TokensToEnd, WarmLimits,
    WarmProgress,
};
#[cfg(feature = "loaders")]
pub use grammask_trie::loaders;
pub use grammask_trie::{Attributes, Error as VocabularyError, Mask, RowTooShort, TokenId};
pub use grammask_work::{CancelFlag, Stopped};
pub use matcher::Matcher;
pub use matcher::batch::{RowsError, fill_masks};
pub use matcher::draft::{Draft, DraftError, DraftMasks};
pub use matcher::forced::ForcedError;
pub use matcher::outcome::Outcome;
pub use matcher::state::{State, StateError};
pub use memory::{MemoryBudget, MemoryExceeded};
pub use vocabulary::Vocabulary;

/// The examples of the README, run as tests.
#[cfg(all(doctest, feature = "json-schema", feature = "loaders"))]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The example of the page on limits, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/limits.md")]
struct LimitsPage;

/// The examples of the page on JSON Schema, run as tests.
#[cfg(all(doctest, feature = "json-schema"))]
#[doc = include_str!("../../../docs/json-schema.md")]
struct JsonSchemaPage;
