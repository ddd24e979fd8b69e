//! The names and signatures of the crate `kbnf` (0.5), on top of this crate: a program that was written for that crate
//! changes its `use` lines and nothing else.
//!
//! `use kbnf::{Engine, EngineLike, …};` becomes `use grammask::kbnf::{self, Engine, EngineLike, …};`, where `self`
//! serves what the program calls by its full path, such as `kbnf::AcceptTokenResult::Ongoing`.
//!
//! ```
//! use ahash::AHashMap;
//! use grammask::kbnf::{self, Engine, EngineLike, Token, Vocabulary};
//!
//! let texts = ["yes", "no", "o", "!", "!!"];
//! let texts: AHashMap<u32, String> = (0..).zip(texts.map(String::from)).collect();
//! let tokens = texts.iter().map(|(&id, text)| (id, Token(text.as_bytes().into()))).collect();
//! let vocabulary = Vocabulary::new(tokens, texts)?;
//!
//! let mut engine = Engine::new("start ::= ('yes' | 'noo') '!'+;", vocabulary)?;
//! engine.compute_allowed_token_ids();
//! assert_eq!(engine.allowed_token_ids_from_last_computation().ones().collect::<Vec<_>>(), [0, 1]);
//!
//! let mut logits = [0.5; 5];
//! assert_eq!(engine.update_logits(1, &mut logits)?, kbnf::AcceptTokenResult::Ongoing);
//! assert_eq!(logits.map(f32::is_finite), [false, false, true, false, false]);
//! assert_eq!(engine.try_accept_new_token(2)?, kbnf::AcceptTokenResult::Ongoing);
//! assert_eq!(engine.try_accept_new_token(3)?, kbnf::AcceptTokenResult::Finished);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What differs
//!
//! - **Ending.** Both end as soon as the text is in the language, but `kbnf` from 0.4.1 on lets a token run past that
//!   place. Here no token does ([`Ending::Eager`](crate::Ending::Eager)): an engine is finished exactly where its text is
//!   in the language.
//! - **Right answers.** Where `kbnf` misreads a grammar, this module does not.
//! - **Refused calls** change nothing: neither a token that is rejected half-way, nor logits that are too short.
//! - **Limits.** When a limit of the recognizer is hit, nothing is allowed and tokens are
//!   [`Rejected`](engine_like::AcceptTokenError::Rejected); [`Matcher::error`](crate::Matcher::error) of
//!   [`Engine::matcher`] tells this from a token that the grammar does not allow.
//! - **Errors** hold this crate's diagnostics, all of them, with places.
//! - **Settings** that tune what is done in another way here are accepted and without effect; each says so.
//! - `EngineBase`, the generic engine inside of [`Engine`], and the methods of `Grammar` that hand out its tables are
//!   not here.
//!
//! What can be written beyond `kbnf`'s language (counted repetition, intersection, complement, ...) can be written here,
//! too, except for special tokens: a [`Vocabulary`] of this module has none.

pub mod config;
pub mod engine;
pub mod engine_base;
pub mod engine_like;
pub mod grammar;
pub mod vocabulary;

pub use config::Config;
pub use engine::Engine;
pub use engine_like::{AcceptTokenResult, EngineLike};
pub use grammar::Grammar;
pub use vocabulary::{Token, Vocabulary};
