//! An Earley recognizer whose states are plain numbers: interned sets, Leo when predicting, byte by byte.

mod automaton;
mod build;
mod config;
mod error;
mod ids;
mod network;
mod origins;
mod recognizer;
mod show;
mod workshop;

pub use config::Config;
pub use error::Error;
pub use grammask_regular::ByteSet;
pub use ids::{CalleeId, Class, Item, NodeId, OriginId, SetId};
pub use network::{Callee, Network, Node, Special};
pub use recognizer::{Parts, Recognizer, Successors};
pub use show::Violation;
