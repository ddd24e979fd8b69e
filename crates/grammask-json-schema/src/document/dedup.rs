//! Schemas that say the same in the same words, apart from what is said to readers only: they are one goal, so that a grammar has one rule
//! for them, and what they exclude is seen at once.

use std::fmt::Write;

use serde_json::Value;

use crate::Draft;
use crate::context::Translator;
use crate::document::{Place, SchemaId, place};
use crate::keyword;

/// Longer schemas are not compared: they are rarely said twice, and comparing costs.
const LONGEST: usize = 2_000;
/// Nor are deeper ones.
const DEEPEST: usize = 12;

/// What stands in a place of a schema.
#[derive(Clone, Copy)]
enum Role {
    /// A schema, or a list of them, or anything that is no object.
    Schema,
    /// An object whose keys are of no meaning by themselves, of schemas.
    Map,
    /// A value that is meant literally.
    Literal,
}

impl Translator<'_> {
    /// The first schema that says the same as this one.
    pub fn first_alike(&mut self, id: SchemaId) -> SchemaId {
        self.words.clear();
        let draft = self.documents.draft(id);
        if !write_words(self.documents.value(id), draft, Role::Schema, 0, &mut self.words) {
            return id;
        }
        let alike = self.alike.entry((self.documents.resource(id), draft)).or_default();
        if let Some(&first) = alike.get(&self.words) {
            return first;
        }
        alike.insert(self.words.clone(), id);
        id
    }
}

/// Writes a schema without its annotations; `false` where it is too large, or names itself.
fn write_words(value: &Value, draft: Draft, role: Role, depth: usize, words: &mut String) -> bool {
    if words.len() > LONGEST || depth > DEEPEST {
        return false;
    }
    match value {
        Value::Object(entries) => {
            words.push('{');
            for (key, value) in entries {
                let inner = match role {
                    Role::Schema
                        if matches!(
                            key.as_str(),
                            "$id" | "id" | "$anchor" | "$dynamicAnchor" | "$recursiveAnchor"
                        ) =>
                    {
                        return false;
                    }
                    Role::Schema if keyword::is_annotation(key) => continue,
                    Role::Schema => match place(key, value, draft) {
                        Some(Place::Object) => Role::Map,
                        Some(Place::One | Place::Array) => Role::Schema,
                        // What is compared word by word is never taken for something else.
                        None => Role::Literal,
                    },
                    Role::Map => Role::Schema,
                    Role::Literal => Role::Literal,
                };
                write_number(key.len(), words);
                words.push(':');
                words.push_str(key);
                if !write_words(value, draft, inner, depth + 1, words) {
                    return false;
                }
            }
            words.push('}');
        }
        Value::Array(items) => {
            words.push('[');
            for item in items {
                if !write_words(item, draft, role, depth + 1, words) {
                    return false;
                }
                words.push(',');
            }
            words.push(']');
        }
        Value::String(text) => {
            write_number(text.len(), words);
            words.push('"');
            words.push_str(text);
        }
        Value::Null => words.push_str("null;"),
        Value::Bool(truth) => words.push_str(if *truth { "true;" } else { "false;" }),
        Value::Number(number) => {
            // A string takes all that is written.
            let _ = write!(words, "{number};");
        }
    }
    true
}

fn write_number(number: usize, words: &mut String) {
    if number >= 10 {
        write_number(number / 10, words);
    }
    words.push(char::from(b'0' + (number % 10) as u8));
}
