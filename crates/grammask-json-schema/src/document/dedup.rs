//! Deduplication of schemas: schemas with equal text, apart from annotations, become one constraint. The
//! grammar then has one rule for them, and a difference between two of them is empty without a computation.

use std::fmt::Write;

use crate::json::Value;
use rustc_hash::FxHashMap;

use crate::Draft;
use crate::document::{Documents, ResourceId, SchemaId, Subschemas, subschemas};
use crate::keyword;

/// Bytes of canonical text of the largest schema that is compared. Larger schemas rarely occur twice.
const MAX_COMPARED_BYTES: usize = 2_000;
/// Levels of nesting of the deepest schema that is compared.
const MAX_COMPARED_DEPTH: usize = 12;

/// The first schema with each canonical text.
#[derive(Default)]
pub(crate) struct CanonicalSchemas {
    /// By resource and draft, which decide on the meaning of a text, then by canonical text.
    first: FxHashMap<(ResourceId, Draft), FxHashMap<String, SchemaId>>,
    /// Buffer for the text of the schema that is looked up.
    text: String,
}

impl CanonicalSchemas {
    /// Returns the first schema that was looked up with the canonical text of this one. Returns the schema
    /// itself if it is the first, too large to compare, or has an identifier of its own.
    pub(crate) fn first(&mut self, documents: &Documents<'_>, id: SchemaId) -> SchemaId {
        self.text.clear();
        let draft = documents.draft(id);
        if !write_canonical(documents.value(id), draft, Role::Schema, 0, &mut self.text) {
            return id;
        }
        let by_text = self.first.entry((documents.resource(id), draft)).or_default();
        if let Some(&first) = by_text.get(&self.text) {
            return first;
        }
        by_text.insert(self.text.clone(), id);
        id
    }
}

/// How a part of a schema is read.
#[derive(Clone, Copy)]
enum Role {
    /// A schema or a list of schemas: annotations are skipped.
    Schema,
    /// An object that maps names to schemas.
    Map,
    /// A value that is compared literally.
    Literal,
}

/// Appends the canonical text of a schema. Returns `false` if the schema is too large, or has an identifier.
fn write_canonical(value: &Value, draft: Draft, role: Role, depth: usize, out: &mut String) -> bool {
    if out.len() > MAX_COMPARED_BYTES || depth > MAX_COMPARED_DEPTH {
        return false;
    }
    match value {
        Value::Object(entries) => {
            out.push('{');
            for (key, value) in entries {
                let inner = match role {
                    Role::Schema if is_identifier(key) => return false,
                    Role::Schema if keyword::is_annotation(key) => continue,
                    Role::Schema => match subschemas(key, value, draft) {
                        Some(Subschemas::Map) => Role::Map,
                        Some(Subschemas::One | Subschemas::List) => Role::Schema,
                        // A literal comparison may miss a duplicate, but never merges different schemas.
                        None => Role::Literal,
                    },
                    Role::Map => Role::Schema,
                    Role::Literal => Role::Literal,
                };
                write_number(key.len(), out);
                out.push(':');
                out.push_str(key);
                if !write_canonical(value, draft, inner, depth + 1, out) {
                    return false;
                }
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                if !write_canonical(item, draft, role, depth + 1, out) {
                    return false;
                }
                out.push(',');
            }
            out.push(']');
        }
        Value::String(text) => {
            write_number(text.len(), out);
            out.push('"');
            out.push_str(text);
        }
        Value::Null => out.push_str("null;"),
        Value::Bool(truth) => out.push_str(if *truth { "true;" } else { "false;" }),
        Value::Number(number) => {
            // Writing to a string does not fail.
            let _ = write!(out, "{number};");
        }
    }
    true
}

/// Returns true for keywords that name a schema, so that it differs from schemas with equal text.
fn is_identifier(keyword: &str) -> bool {
    matches!(keyword, "$id" | "id" | "$anchor" | "$dynamicAnchor" | "$recursiveAnchor")
}

/// Appends a number in decimal, without the cost of formatting.
#[expect(clippy::cast_possible_truncation, reason = "a digit is below 10")]
fn write_number(number: usize, out: &mut String) {
    if number >= 10 {
        write_number(number / 10, out);
    }
    out.push(char::from(b'0' + (number % 10) as u8));
}
