//! Vocabularies, token tries, token sets and packed token masks.
//!
//! A language model writes tokens; a grammar speaks of bytes. This crate holds what stands between: which bytes each
//! token is ([`Vocabulary`]), all tokens as one flat trie that a recognizer can be walked over ([`Trie`]), sets of tokens
//! to put masks together from ([`TokenSet`]), and the packed rows that inference engines take ([`Mask`]). It knows nothing
//! of grammars.
//!
//! ```
//! use grammask_trie::{Config, Mask, NodeId, TokenId, Vocabulary};
//!
//! let tokens = ["a", "an", "and", "b"];
//! let tokens = (0..).map(TokenId).zip(tokens.map(|text| text.as_bytes().to_vec()));
//! let vocabulary = Vocabulary::new(tokens, [(TokenId(9), "<end>".into())], &Config::default())?;
//!
//! // Allow what begins with "an".
//! let trie = vocabulary.trie();
//! let node = trie.find(b"an").unwrap_or(NodeId::ROOT);
//! let mut mask = Mask::new(vocabulary.id_count());
//! mask.extend(trie.subtree_tokens(node).iter().copied());
//! assert_eq!(mask.to_string(), "2 of 10: 1-2");
//! # Ok::<(), grammask_trie::Error>(())
//! ```
//!
//! # What it costs
//!
//! Measured by `examples/cost.rs` on one core of a shared server; memory is the vocabulary with its trie, which
//! takes 11 bytes a node and 4 bytes a token. To join a set into a mask takes 0.8 us at most for 128,000 ids.
//!
//! | vocabulary | ids | trie nodes | memory | made in | loaded in |
//! | --- | ---: | ---: | ---: | ---: | ---: |
//! | Llama 3, tiktoken | 128,000 | 274,521 | 5.0 MB | 18 ms | 22 ms |
//! | RWKV World, JSON | 65,530 | 116,079 | 2.2 MB | 7 ms | 9 ms |
//! | Llama 2, `tokenizer.json` | 32,001 | 61,423 | 1.2 MB | 4 ms | 7 ms |
//!
//! # Features
//!
//! `loaders` (on by default): vocabularies from files, in the module `loaders`.
//! `serde`: [`Config`] and [`TokenId`] can be serialized.

mod bits;
mod config;
mod display;
mod error;
mod index;
#[cfg(feature = "loaders")]
pub mod loaders;
mod set;
mod token;
mod trie;
mod vocabulary;

pub use bits::copy::{copied_row, copy_row};
pub use config::Config;
pub use error::{Broken, EntryPlace, Error, LineProblem, RowTooShort};
pub use index::{Below, BranchId, Child, Decoder, Edge, Encoding, Omission, Outline, Traits};
pub use set::mask::{Mask, Ones};
pub use set::{Members, TokenSet};
pub use token::TokenId;
pub use trie::{Children, NodeId, Trie};
pub use vocabulary::{Vocabulary, checksum};
