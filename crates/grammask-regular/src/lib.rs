//! Regular languages as lazily made automata: literals, regexes, complements, intersections, counters.
//!
//! A [`Store`] holds regular expressions over bytes, each once. A [`RegularId`] names one, and with it a language: what can
//! still follow. So it is also the state of an automaton, and the automaton makes itself as it is run:
//!
//! - the next state after a byte is the [derivative](Store::derivative), remembered per state and class of bytes;
//! - a state accepts iff its language [contains the empty string](Store::is_nullable);
//! - the only dead state is [`RegularId::EMPTY`]. A combination that cannot be satisfied any more becomes it at once.
//!
//! # An example with its states
//!
//! Any name but `if` and `else`. After a byte that leaves both keywords, the state is that of a plain name; after a whole
//! keyword the state does not accept, but goes on:
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
//! A table for `.{0,1000}x` has thousands of states, one for the intersection of two such tables has millions, and one
//! for `(a|b)*a(a|b){20}` has two million, although a text meets few of them. Here a counter is a number in an expression, and a
//! state exists once it was met. The price is that two expressions for one language may be two states. The constructors
//! keep that rare: unions and intersections are flat and sorted, neighbouring counters are joined, `x*` takes in what it
//! contains where that is cheap to prove. For the usual regexes the automaton is the minimal one.
//!
//! # What it costs
//!
//! A derivative that is known is two look-ups, some 10 ns. A new one takes 50 to 200 ns for simple expressions, and up to 1 us
//! where complements and intersections are involved. A state takes 40 bytes, and 4 for each class of bytes that it tells apart. Leaves
//! that are large on their own, such as long texts, sets of words, character classes, the substrings of a text, and exceptions,
//! stay automata inside; an expression refers to one of their states.

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
