//! An Earley recognizer whose states are plain numbers.
//!
//! [`Network::build`] compiles a normal form to a network. A [`Recognizer`] runs it byte by byte. A state is
//! a [`SetId`]: the interned set of the items that are possible after a text. Texts with equal continuations
//! usually have equal states, so a step that was computed before is a look-up.
//!
//! | folder | contents |
//! | --- | --- |
//! | `ids.rs`, `config.rs`, `error.rs` | identifiers and items; limits; errors |
//! | `network/` | the compiled grammar, its text form, invariants and saved form |
//! | `build/` | from the normal form to the network: automata, inlining, loops |
//! | `recognizer/` | the tables of states; reading them takes no lock |
//! | `step/` | computes new states: prediction, scanning, completion |
//! | `permutation/` | items in any order, as `unordered!` writes them |
//! | `completion/` | shortest completions of a text |
//!
//! Begin with `network.rs`, `recognizer.rs` and `step.rs`.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod build;
mod completion;
mod config;
mod error;
mod ids;
mod network;
mod permutation;
mod recognizer;
mod step;
#[cfg(test)]
mod testing;

pub use build::BuildInput;
pub use completion::{CompletionLimits, CompletionStep, ShortestCompletion};
pub use config::{Config, Limit, LimitExceeded, Limits, Tuning};
pub use error::{BuildError, Error};
pub use grammask_normal::{SpecialMember, SpecialSet};
pub use grammask_regular::ByteSet;
pub use ids::{CalleeId, Class, Item, NetworkNodeId, OriginId, SetId};
pub use network::check::Violation;
pub use network::saved::{LoadError, Saved};
pub use network::{Callee, Edges, LexemeText, Network, Node, Special};
pub use permutation::distinct::{AfterDistinct, DistinctItem, DistinctPosition};
pub use permutation::plan::Choice;
pub use recognizer::inspect::{Inspector, NodeFlags, Permutation};
pub use recognizer::resumption::Resumption;
pub use recognizer::successors::Successors;
pub use recognizer::{Recognizer, SplitState};
