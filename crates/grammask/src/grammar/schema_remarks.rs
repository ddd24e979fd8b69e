//! Remarks of the translation of the JSON Schemas of a grammar.

#[cfg(feature = "json-schema")]
use grammask_json_schema::{Note, Relaxation};

/// Remarks of the translation of the JSON Schemas of a grammar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "save", derive(serde::Serialize, serde::Deserialize))]
pub struct SchemaRemarks {
    /// Constraints that the grammar does not assert.
    pub relaxations: Vec<Relaxation>,
    /// Remarks about keywords that assert nothing, and about readings that an author may not expect.
    pub notes: Vec<Note>,
}

/// A part of a JSON Schema that is not enforced. Without the feature `json-schema`, loading and saving a
/// grammar keeps the list.
#[cfg(not(feature = "json-schema"))]
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Relaxation {
    pointer: String,
    keyword: String,
    reason: String,
}

/// A remark about a JSON Schema, which is kept as well.
#[cfg(not(feature = "json-schema"))]
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Note {
    pointer: String,
    keyword: String,
    message: String,
}
