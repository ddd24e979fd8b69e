//! Token masks from recognizer states and a vocabulary trie.

mod config;
mod continuation;
mod error;
mod masks;
mod walk;

pub use config::{Config, Ending};
pub use error::BindError;
pub use masks::{Masks, Stats};
