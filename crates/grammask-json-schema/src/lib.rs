//! JSON Schema to KBNF: a grammar of exactly the documents that a schema calls valid.
//!
//! In goes a schema of any draft from 4 to 2020-12, out comes a syntax tree of [`grammask_syntax`]. What cannot be said exactly is
//! refused with its place, or, where [`Config::unsupported`] asks for that, weakened and listed.

mod config;
mod error;
#[allow(dead_code)]
mod format;
mod languages;
#[allow(dead_code)]
mod pattern;

pub use config::{AdditionalProperties, Config, Document, Draft, PropertyOrder, Unsupported, Whitespace};
pub use error::{Error, Reason, Relaxation};

use grammask_syntax::Ast;
use serde_json::Value;

/// What a schema comes to.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The grammar of the valid documents.
    pub ast: Ast,
    /// What the grammar does not hold the documents to, though the schema mentions it.
    pub relaxations: Vec<Relaxation>,
}

/// Translates a schema.
///
/// # Errors
/// When the schema is none, says what cannot be said exactly, or exceeds a limit.
pub fn translate(schema: &Value, config: &Config) -> Result<Translation, Error> {
    let _ = (schema, config);
    Err(Error::new("", "", Reason::Unsupported("everything".to_owned())))
}
