//! The names and signatures of the crate `kbnf` (0.5), on top of [`grammask`]. A program written for that
//! crate changes its `use` lines and nothing else.
//!
//! `use kbnf::{Engine, EngineLike, …};` becomes `use grammask_kbnf::{Engine, EngineLike, …};`. A program that
//! also writes full paths, such as `kbnf::AcceptTokenResult::Ongoing`, adds `use grammask_kbnf as kbnf;`.
//!
//! ```
//! use ahash::AHashMap;
//! use grammask_kbnf::{self as kbnf, Engine, EngineLike, Token, Vocabulary};
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
//! # When an output ends
//!
//! An engine follows the rule of `kbnf` 0.5.7. Let *w* be the text so far, and *t* the bytes of a token, or
//! the bytes given to [`try_accept_new_bytes`](EngineLike::try_accept_new_bytes):
//!
//! 1. *t* is accepted if and only if *wt* is a prefix of some text of the language.
//! 2. The result is [`Finished`](AcceptTokenResult::Finished) if the text is in the language after at least
//!    one of the bytes of *t*, not necessarily the last. Otherwise, it is
//!    [`Ongoing`](AcceptTokenResult::Ongoing).
//! 3. A finished engine accepts nothing, and no id is allowed.
//! 4. A new engine is not finished, even if the empty text is in the language.
//! 5. Without bytes, *t* is accepted and changes nothing. A token without bytes is never in the set of
//!    allowed ids.
//! 6. [`update_logits`](EngineLike::update_logits) with a token that finishes the output leaves the logits
//!    and the ids of the last computation as they are.
//!
//! So a token may run past the first complete text, as long as its last bytes lead towards a longer one:
//!
//! ```
//! use ahash::AHashMap;
//! use grammask_kbnf::{AcceptTokenResult, Engine, EngineLike, Token, Vocabulary, engine_like::AcceptTokenError};
//!
//! let tokens = ["ab", "ax"].map(|text| Token(text.as_bytes().into()));
//! let vocabulary = Vocabulary::new((0..).zip(tokens).collect(), AHashMap::new())?;
//! let engine = Engine::new("start ::= 'a' | 'abc';", vocabulary)?;
//!
//! // `a` is a complete text. `ab` is not, but can become one.
//! assert_eq!(engine.clone().try_accept_new_token(0), Ok(AcceptTokenResult::Finished));
//! // Nothing in the language begins with `ax`.
//! assert_eq!(engine.clone().try_accept_new_token(1), Err(AcceptTokenError::Rejected));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An engine whose text never runs past the first complete one is a [`grammask::Matcher`] with
//! [`Ending::Eager`](grammask::Ending::Eager).
//!
//! # What differs
//!
//! - **Masks and grammars.** `kbnf` misreads some grammars, and its masks lack ids that it accepts. This
//!   crate does neither.
//! - **Refused calls** change nothing: neither a token that is rejected half-way, nor logits that are too
//!   short.
//! - **Limits.** If a limit of the recognizer is exceeded, nothing is allowed and tokens are
//!   [`Rejected`](engine_like::AcceptTokenError::Rejected). [`Engine::matcher`] has the reason in
//!   [`Matcher::error`](grammask::Matcher::error).
//! - **Errors** hold all diagnostics of `grammask`, with their places.
//! - **Settings** that tune an algorithm of `kbnf` are accepted without effect; each says so.
//! - `EngineBase`, the generic engine inside of [`Engine`], and the methods of `Grammar` that give its tables
//!   are missing.
//!
//! Grammars may use all of `grammask`'s KBNF (counted repetition, intersection, complement, ...) except for
//! special tokens: a [`Vocabulary`] of this crate has none.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

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
