//! Vocabularies, token tries, token sets and packed token masks.
//!
//! A language model writes tokens, and a grammar describes bytes. This crate has the data structures between
//! the two, and knows nothing of grammars:
//!
//! | item | content |
//! | --- | --- |
//! | [`Vocabulary`] | the bytes of each token id, and the special tokens |
//! | [`Trie`] | all tokens as one flat trie, over which a recognizer walks |
//! | [`TokenSet`] | immutable sets of tokens, from which masks are assembled |
//! | [`Mask`] | packed rows of one bit per token, as inference engines take them |
//! | `loaders` | vocabularies from files |
//! | [`index`] | a second interface, for engines that compute masks |
//!
//! ```
//! use grammask_trie::{Config, Mask, TokenId, TrieNodeId, Vocabulary};
//!
//! let tokens = ["a", "an", "and", "b"];
//! let tokens = (0..).map(TokenId).zip(tokens.map(|text| text.as_bytes().to_vec()));
//! let vocabulary = Vocabulary::new(tokens, [(TokenId(9), "<end>".into())], &Config::default())?;
//!
//! // Allow all tokens that begin with "an".
//! let trie = vocabulary.trie();
//! let node = trie.find(b"an").unwrap_or(TrieNodeId::ROOT);
//! let mut mask = Mask::new(vocabulary.id_count());
//! mask.extend(trie.subtree_tokens(node).iter().copied());
//! assert_eq!(mask.to_string(), "2 of 10: 1-2");
//! # Ok::<(), grammask_trie::Error>(())
//! ```
//!
//! # Cost
//!
//! Measured by `examples/cost.rs` on one core of a shared server. The memory is that of the vocabulary with
//! its trie: 6.25 bytes a node and 4 bytes a token. Adding a set to a mask takes at most 0.8 us for 128,000
//! ids.
//!
//! | vocabulary | ids | trie nodes | memory | built in | loaded in |
//! | --- | ---: | ---: | ---: | ---: | ---: |
//! | Llama 3, tiktoken | 128,000 | 274,521 | 3.6 MB | 18 ms | 22 ms |
//! | RWKV World, JSON | 65,530 | 116,079 | 1.6 MB | 7 ms | 9 ms |
//! | Llama 2, `tokenizer.json` | 32,001 | 61,423 | 0.9 MB | 4 ms | 7 ms |
//!
//! # Features
//!
//! - `loaders` (on by default): vocabularies from files, in the module `loaders`;
//! - `roaring`: conversion of [`TokenSet`] to and from `RoaringBitmap`, also in the portable serialization
//!   format;
//! - `serde`: [`Config`], [`Limits`] and [`TokenId`] implement `Serialize` and `Deserialize`.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod bits;
mod config;
mod cursor;
mod display;
mod error;
pub mod index;
#[cfg(feature = "loaders")]
pub mod loaders;
mod set;
mod token;
mod trie;
mod vocabulary;

pub use bits::copy::{clone_row, copy_row};
pub use config::{Config, Limits};
pub use error::{
    BinaryProblem, EntryPlace, Error, Limit, LimitExceeded, LineProblem, RowTooShort, Violation,
};
pub use set::{Mask, Members, SetBits, TokenSet};
pub use token::TokenId;
pub use trie::{Children, Trie, TrieNodeId};
pub use vocabulary::ends::looks_like_end;
pub use vocabulary::stable_tokens::TokenizerMismatch;
pub use vocabulary::{Attributes, Vocabulary, checksum};

/// A number of nodes, tokens or words of a row in 32 bits. The limits of a vocabulary keep these below 2^32.
#[inline]
#[track_caller]
#[expect(clippy::cast_possible_truncation, reason = "the assertion before it compares")]
const fn narrow(value: usize) -> u32 {
    assert!(value <= u32::MAX as usize, "a table has more entries than 32 bits can number");
    value as u32
}
