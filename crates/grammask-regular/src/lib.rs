//! Regular languages as lazily built automata: literals, regexes, complements, intersections, counters.
//!
//! A [`Store`] contains regular expressions over bytes, each of them once. A [`RegularId`] names an
//! expression and thus a language: the strings that can still follow. It is also the state of an automaton,
//! which is built while it runs:
//!
//! - the next state after a byte is the [derivative](Store::derivative), cached per state and byte class;
//! - a state accepts iff its language [contains the empty string](Store::is_nullable);
//! - the only dead state is [`RegularId::EMPTY`]. An intersection that has become empty is this state at
//!   once.
//!
//! # An example with its states
//!
//! Any name except `if` and `else`. A byte that leaves both keywords leads to the state of a plain name.
//! After a whole keyword, the state does not accept, but it has successors:
//!
//! ```
//! use grammask_regular::{Limits, RegularId, Store};
//! let mut store = Store::new(&Limits::default());
//! let name = store.regex("[a-z]+")?;
//! let keywords = store.literals([&b"if"[..], b"else"])?;
//! let others = store.complement(keywords)?;
//! let start = store.intersection(&[name, others])?;
//!
//! let mut shown = Vec::new();
//! let mut state = start;
//! for byte in *b"ifx" {
//!     state = store.derivative(state, byte)?;
//!     let accepts = if store.is_nullable(state) { ", accepts" } else { "" };
//!     shown.push(format!("{}: {}{accepts}", char::from(byte), store.display(state)));
//! }
//! assert_eq!(shown, ["i: ~f&[a-z]*, accepts", "f: [a-z]+", "x: [a-z]*, accepts"]);
//! assert_eq!(store.derivative(name, b'q')?, state);
//! # Ok::<(), grammask_regular::Error>(())
//! ```
//!
//! # Why expressions and not tables
//!
//! A table for `.{0,1000}x` has thousands of states, a table for the intersection of two such languages has
//! millions, and a table for `(a|b)*a(a|b){20}` has two million. A text meets few of them. In a store, a
//! counter is a number in an expression, and a state exists once it has been reached.
//!
//! The price is that two expressions of one language may be two states. The constructors keep this rare:
//! unions and intersections are flat and sorted, adjacent counters are merged, and `x*` absorbs what it is
//! cheaply proven to contain. For common regexes the automaton is the minimal one.
//!
//! # What it costs
//!
//! A cached derivative is two look-ups, about 10 ns. A new one takes 50 to 200 ns for simple expressions, and
//! up to 1 us with complements and intersections. A state takes 40 bytes, and 4 for each byte class.
//!
//! Languages that are large on their own are leaves: long texts, sets of words, character classes, substrings
//! of a text, and exceptions. A leaf is an automaton inside the store; an expression refers to one of its
//! states.
//!
//! # Where to read
//!
//! | module | contents |
//! | --- | --- |
//! | `store` | hash-consed expressions, their attributes, and the public operations |
//! | `construct` | constructors, which return normal forms |
//! | `automaton` | derivatives |
//! | `leaf`, `number`, `json` | languages with an automaton of their own: words and classes, numbers, JSON strings |
//! | [`analysis`] | proofs about languages, for a lexer over a vocabulary |
//! | `bounded` | simpler languages that differ only in long, or only in short, strings |
//! | `serial` | saving, loading, copying, comparing across stores |

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod alphabet;
pub mod analysis;
mod automaton;
mod bounded;
mod construct;
mod error;
mod json;
mod leaf;
mod limits;
mod number;
mod serial;
mod store;

pub use alphabet::byte_classes::ByteClasses;
pub use alphabet::byte_set::ByteSet;
pub use error::Error;
pub use json::escapes::Escapes;
pub use limits::{Limit, LimitExceeded, Limits};
pub use number::comparison::Comparison;
pub use serial::saved::{Languages, LoadError};
pub use store::Store;
pub use store::invariants::Violation;
pub use store::node::RegularId;
pub use store::operations::Cancellable;

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
