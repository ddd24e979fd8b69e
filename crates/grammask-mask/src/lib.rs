//! Token masks from recognizer states and a vocabulary trie.
//!
//! [`Masks`] binds a recognizer to a vocabulary. The mask of a state is the union of the tokens that its
//! items accept below the root of the trie. If an origin completes inside a token, the tokens that its
//! callers accept from there are added. Each such summary depends on a network node and a set of trie nodes
//! only, so it is computed once.
//!
//! ```
//! use std::sync::Arc;
//! use grammask_earley::{Network, Recognizer};
//! use grammask_mask::{Config, Ending, Lexicon, LexiconConfig, Masks, Scratch};
//! use grammask_regular::Store;
//! use grammask_trie::{TokenId, Vocabulary};
//!
//! let ast = grammask_syntax::parse("start ::= '(' start ')' | 'x';", &Default::default())?;
//! let mut store = Store::new(&Default::default());
//! let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default())?;
//! let network = Arc::new(Network::build(&normal, store, &Default::default())?);
//! let words = ["(", ")", "x", "(x", "((", "x)"];
//! let tokens = (0..6).map(|id| (TokenId(id), words[id as usize].as_bytes().to_vec()));
//! let vocabulary = Arc::new(Vocabulary::new(tokens, [], &Default::default())?);
//!
//! let recognizer = Recognizer::new(network, &Default::default());
//! let lexicon = Arc::new(Lexicon::new(vocabulary, &LexiconConfig::default()));
//! let masks = Masks::new(recognizer, lexicon, &Ending::default(), &Config::default())?;
//! let mut scratch = Scratch::new(6);
//! let mask = masks.mask(masks.recognizer().initial(), &mut scratch)?;
//! assert_eq!(mask.iter().map(|id| words[id.index()]).collect::<Vec<_>>(), ["(", "x", "(x", "(("]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod completion;
mod config;
mod descent;
mod error;
mod lexicon;
mod masks;
mod node_set;
#[cfg(test)]
mod testing;

pub use completion::{Completions, EndLimits, TokensToEnd};
#[doc(hidden)]
pub use config::Tuning;
pub use config::{Config, Ending, Limit, LimitExceeded, Limits};
pub use error::{BindError, BindErrors};
#[doc(hidden)]
pub use lexicon::LexiconTuning;
pub use lexicon::{Lexicon, LexiconConfig, LexiconLimits, LexiconStats, STRATEGIES, Strategy, StrategyUses};
pub use masks::{
    DamagedMasks, MaskRef, Masks, Prefetch, SavedMasks, Scratch, StateMask, Stats, WarmLimits, WarmProgress,
    tokens_of_set,
};
