//! An Earley recognizer whose states are plain numbers: interned sets, Leo when predicting, byte by byte.
//!
//! [`Network::build`] compiles a normal form for running; a [`Recognizer`] runs it. A state is a [`SetId`]: the interned set
//! of the items that are possible after a text. Equal futures mostly mean equal numbers, whatever was read before, so that a step is
//! a look-up once it has been taken.
//!
//! The files, in the order in which they are best read: `ids.rs`, `network.rs` (the data), `build.rs`, `automaton.rs`, `automata.rs`, `inlining.rs`, `tails.rs`, `texts.rs`, `drafts.rs` and `slices.rs` (how it is made),
//! `recognizer.rs` (the tables and their readers), `workshop.rs` (steps and closures), `made.rs` (nodes that are made while running),
//! `origins.rs` (who waits for whom), `nodes.rs` and `resumption.rs` (what single nodes and origins tell), `show.rs` (texts and checks), `saved.rs` and `recognizer/tables.rs` (plain data to be stored, and back).

mod automata;
mod automaton;
mod build;
mod choosing;
mod closing;
mod config;
mod drafts;
mod entrances;
mod error;
mod ids;
mod inlining;
mod made;
mod network;
mod nodes;
mod origins;
mod places;
mod reading;
mod recognizer;
mod resumption;
mod saved;
mod selection;
mod show;
mod slices;
mod tails;
#[cfg(test)]
mod testing;
mod texts;
mod workshop;

pub use config::Config;
pub use error::{BuildError, Error};
pub use grammask_regular::ByteSet;
pub use ids::{CalleeId, Class, Item, NodeId, OriginId, SetId};
pub use network::{Callee, Edges, LexemeText, Network, Node, Special};
pub use nodes::Selection;
pub use reading::{Distinct, Others};
pub use recognizer::{Parts, Recognizer, Successors};
pub use resumption::Resumption;
pub use saved::{LoadError, Saved};
pub use selection::Choice;
pub use show::Violation;
