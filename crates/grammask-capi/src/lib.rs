//! The C interface of grammask, described by `include/grammask.h`.
//!
//! | file | contents |
//! | --- | --- |
//! | `vocabulary.rs` | `grammask_vocabulary_*` |
//! | `grammar.rs` | `grammask_grammar_*` |
//! | `matcher.rs` | `grammask_matcher_*` |
//! | `fill.rs` | masks: of one matcher, of a batch, along a tree of draft tokens |
//! | `error.rs` | the text of the last error of a thread |
//! | `memory.rs` | reading and writing the memory of the caller |
//!
//! # Rules for callers
//!
//! - Objects are made by `_new`, `_load` and `_clone`, which return `NULL` on errors, and freed once by
//!   `_free`, which takes `NULL` as well. A grammar keeps its vocabulary alive, and a matcher its grammar, so
//!   they may be freed in any order.
//! - Functions with a result of type `int` or `int64_t` return a negative number on errors:
//!   [`GRAMMASK_ERROR`]. `grammask_last_error` has the text.
//! - Vocabularies and grammars may be used by all threads. A matcher belongs to one thread at a time.
//! - Texts are UTF-8 with a length; they need no zero at the end. Memory for results belongs to the caller.
//! - A fault in the library is an error of the call; the process goes on. The object of the call must then be
//!   freed, and nothing else may be done with it.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod error;
mod fill;
mod grammar;
mod matcher;
mod memory;
mod vocabulary;

pub use error::{GRAMMASK_ERROR, grammask_last_error, grammask_version};
pub use fill::{grammask_matcher_fill, grammask_matcher_fill_batch, grammask_matcher_fill_tree};
pub use grammar::{
    Grammar, grammask_grammar_free, grammask_grammar_load, grammask_grammar_new, grammask_grammar_save,
};
pub use matcher::{
    Matcher, grammask_matcher_accept, grammask_matcher_accept_bytes, grammask_matcher_clone,
    grammask_matcher_forced_bytes, grammask_matcher_free, grammask_matcher_is_complete,
    grammask_matcher_is_finished, grammask_matcher_new, grammask_matcher_reset, grammask_matcher_rollback,
    grammask_matcher_validate,
};
pub use vocabulary::{
    Vocabulary, grammask_vocabulary_free, grammask_vocabulary_load, grammask_vocabulary_new,
    grammask_vocabulary_words,
};
