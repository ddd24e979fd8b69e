//! An Earley recognizer whose states are plain numbers: interned sets, Leo when predicting, byte by byte.
//!
//! [`Network::build`] compiles a normal form for running; a [`Recognizer`] runs it. A state is a [`SetId`]: the interned set
//! of the items that are possible after a text. Equal futures mostly mean equal numbers, whatever was read before, so that a step is
//! a look-up once it has been taken.
//!
//! # Map
//!
//! | folder | contents |
//! | --- | --- |
//! | `ids.rs`, `config.rs`, `error.rs` | identifiers, limits, errors |
//! | `network/` | the compiled grammar: nodes, edges, callees; its text form, its invariants, its saved form |
//! | `build/` | normal form to network: automata, inlining, loops |
//! | `recognizer/` | the tables of states and their readers, which take no lock |
//! | `step/` | the writer: prediction, scanning, completion |
//! | `unordered/` | items in any order: permutations |

mod build;
mod config;
mod error;
mod ids;
mod network;
mod recognizer;
mod step;
#[cfg(test)]
mod testing;
mod unordered;

pub use config::Config;
pub use error::{BuildError, Error};
pub use grammask_regular::ByteSet;
pub use ids::{CalleeId, Class, Item, NetworkNodeId, OriginId, SetId};
pub use network::check::Violation;
pub use network::saved::{LoadError, Saved};
pub use network::{Callee, Edges, LexemeText, Network, Node, Special};
pub use recognizer::inspect::{Inspector, NodeFlags, Permutation};
pub use recognizer::resumption::Resumption;
pub use recognizer::successors::Successors;
pub use recognizer::{Recognizer, SplitState};
pub use unordered::distinct::{AfterDistinct, DistinctPosition};
pub use unordered::plan::Choice;
