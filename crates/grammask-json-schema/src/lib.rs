//! Translates JSON Schema to KBNF: a grammar of exactly the documents that are valid under a schema.
//!
//! The input is a schema of any draft from 4 to 2020-12, the output a syntax tree of [`grammask_syntax`]. A
//! constraint that has no exact grammar is an error that names its location. With [`Unsupported::Relax`], it
//! is weakened and listed.
//!
//! ```
//! use grammask_json_schema::{Config, Whitespace, translate};
//! use serde_json::json;
//!
//! let schema = json!({
//!     "type": "object",
//!     "properties": {"kind": {"enum": ["cat", "dog"]}, "tame": {"type": "boolean"}},
//!     "required": ["kind"],
//!     "additionalProperties": false,
//! });
//! let config = Config { whitespace: Whitespace::Compact, ..Config::default() };
//! let translation = translate(&schema, &config)?;
//! assert!(translation.relaxations.is_empty());
//! assert!(translation.ast.to_string().contains("'cat' | 'dog'"));
//!
//! let error = translate(&json!({"properties": {"a": {"type": "text"}}}), &config).unwrap_err();
//! assert!(error.to_string().starts_with(r#"at '/properties/a', type: invalid schema: "text" is not a type"#));
//! # Ok::<(), grammask_json_schema::Error>(())
//! ```
//!
//! # Stages
//!
//! | module | from → to |
//! | --- | --- |
//! | `json`, `text` | JSON texts → values with all digits and in their order; places for errors |
//! | `document` | JSON documents → schemas, with their drafts, identifiers and references |
//! | `constraint` | "obeys A and not B" → a hash-consed conjunction |
//! | `keyword` | a schema → the values that its keywords allow, one level deep |
//! | `value` | conjunctions of schemas → Boolean algebra of value sets |
//! | `language` | strings, patterns and numbers → regular languages |
//! | `plan` | array and object shapes → members and items, each with a constraint |
//! | `emit` | plans → one KBNF rule for each constraint |
//!
//! All stages share the state in `context`.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod config;
mod constraint;
mod context;
mod document;
mod emit;
mod error;
mod json;
mod keyword;
mod language;
mod plan;
mod text;
mod value;

pub use config::{
    AdditionalProperties, Config, DateTimes, Document, Draft, Formats, IntegerSpelling, Limits,
    NumberSpelling, Profile, PropertyOrder, Unsupported, UntaggedUnions, Whitespace,
};
pub use error::{Error, Limit, LimitExceeded, Note, Reason, Relaxation};
pub use grammask_pattern::{Dialect as PatternDialect, unicode_version};
pub use grammask_regular::Escapes;
pub use text::{LocatedError, locate, translate_text};

use grammask_syntax::Ast;
use serde_json::Value;

use crate::constraint::ScopeId;
use crate::context::{Context, Stop};
use crate::document::{Documents, Inputs};
use crate::keyword::expand;

/// The result of a translation.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The grammar of the valid documents.
    pub ast: Ast,
    /// Constraints of the schema that the grammar does not assert. Schemas with equal text are translated
    /// once, and only the first of them is listed.
    pub relaxations: Vec<Relaxation>,
    /// Remarks about keywords that assert nothing, and about readings of the schema that its author may not
    /// expect, in the order of discovery.
    pub notes: Vec<Note>,
}

/// Translates a schema.
///
/// The order of keys matters for [`PropertyOrder::AsWritten`] and for the numbering of rules. It is that of
/// the value: the order of the text if `serde_json` has the feature `preserve_order`, else that of the keys.
/// Numbers count as the value stores them. [`translate_text`] needs no such features.
///
/// # Errors
/// - When the schema is invalid, or has no valid document.
/// - When it has no exact grammar, unless [`Config::unsupported`] relaxes it.
/// - When it exceeds one of [`Config::limits`].
/// - When [`Whitespace::Separators`] are not a comma and a colon.
/// - On cancellation.
///
/// # Complexity
/// Linear in the size of the schema if each value has one alternative. Alternatives for one value multiply;
/// work is bounded by [`Limits::max_work`].
pub fn translate(schema: &Value, config: &Config) -> Result<Translation, Error> {
    translate_inputs(&Inputs::of_value(schema, config)?, config)
}

fn translate_inputs(inputs: &Inputs, config: &Config) -> Result<Translation, Error> {
    if let Some((field, sign)) = config.whitespace.wrong_separator() {
        let what = format!("`Whitespace::Separators`: `{field}` must be a {sign} within white space");
        return Err(Error::new("", "", Reason::Invalid(what)));
    }
    let mut cx = Context::new(inputs, config)?;
    match translate_root(&mut cx) {
        Ok(ast) => Ok(Translation { ast, relaxations: cx.relaxations.list, notes: cx.notes }),
        Err(Stop::Error(error)) => Err(*error),
        // Unreachable in practice: cycles occur only in the evaluation of nested values, and its callers
        // handle them.
        Err(Stop::Cycle) => {
            Err(Error::new("", "", Reason::Unsupported("a schema that depends on itself".to_owned())))
        }
    }
}

/// Returns all errors of a schema at once, that of [`translate`] first. Empty if there is none.
///
/// After the first error, the schema is translated once more with [`Unsupported::Relax`], and each constraint
/// that is omitted then is an error as well. At most 100 errors are returned.
///
/// ```
/// use grammask_json_schema::{Config, all_errors};
/// use serde_json::json;
///
/// let schema = json!({"properties": {"a": {"type": "int"}, "b": {"required": null}}});
/// let errors = all_errors(&schema, &Config::default());
/// let places: Vec<&str> = errors.iter().map(|error| &*error.pointer).collect();
/// assert_eq!(places, ["/properties/a", "/properties/b"]);
/// ```
pub fn all_errors(schema: &Value, config: &Config) -> Vec<Error> {
    let inputs = match Inputs::of_value(schema, config) {
        Ok(inputs) => inputs,
        Err(error) => return vec![error],
    };
    match translate_inputs(&inputs, config) {
        Ok(_) => Vec::new(),
        Err(first) => with_further_errors(first, &inputs, config),
    }
}

/// Returns the first error of a schema and all others.
fn with_further_errors(first: Error, inputs: &Inputs, config: &Config) -> Vec<Error> {
    let mut errors = vec![first];
    let relaxing = Config { unsupported: Unsupported::Relax, ..config.clone() };
    if let Ok(mut cx) = Context::new(inputs, &relaxing)
        && cx.may_relax(&errors[0])
    {
        // The grammar is not needed: every omitted constraint on the way to it is collected.
        if let Err(Stop::Error(last)) = translate_root(&mut cx)
            && cx.may_relax(&last)
        {
            cx.relaxations.errors.push(*last);
        }
        for error in cx.relaxations.errors {
            if !errors.contains(&error) {
                errors.push(error);
            }
        }
    }
    errors
}

/// Returns the URIs to which a schema or [`Config::documents`] refer and which no document has, each once.
///
/// [`translate`] refuses a reference to one of them. It may pass over a reference that applies to no value.
///
/// ```
/// use grammask_json_schema::{Config, missing_documents};
/// use serde_json::json;
///
/// let schema = json!({"$id": "https://a.example/b.json", "items": {"$ref": "c.json#/$defs/d"}});
/// assert_eq!(missing_documents(&schema, &Config::default())?, ["https://a.example/c.json"]);
/// # Ok::<(), grammask_json_schema::Error>(())
/// ```
///
/// # Errors
/// When a document is neither an object nor a boolean, when it nests too deep, when URIs are too long, or on
/// cancellation.
pub fn missing_documents(schema: &Value, config: &Config) -> Result<Vec<String>, Error> {
    let inputs = Inputs::of_value(schema, config)?;
    Ok(Documents::new(&inputs, config)?.missing())
}

fn translate_root(cx: &mut Context<'_>) -> Result<Ast, Stop> {
    let root = cx.documents.root();
    let root = expand::constraint_of_schema(cx, root, ScopeId::EMPTY)?;
    emit::emit(cx, root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_a_comma_and_a_colon() {
        let translate_with = |item: &str, key: &str| {
            let whitespace = Whitespace::Separators { item: item.to_owned(), key: key.to_owned() };
            translate(&Value::Bool(true), &Config { whitespace, ..Config::default() })
        };
        for (item, key) in [(",", ":"), (", ", ": "), ("\n ,\t", "\r:")] {
            assert!(translate_with(item, key).is_ok(), "{item:?} {key:?}");
        }
        for (item, key, field) in [
            ("", ":", "item"),
            (",,", ":", "item"),
            (";", ":", "item"),
            (",", "", "key"),
            (",", ":\u{a0}", "key"),
        ] {
            let error = translate_with(item, key).unwrap_err().to_string();
            assert!(error.contains(&format!("`{field}` must be a")), "{error}");
        }
    }

    #[test]
    fn contradicting_property_counts_are_unsatisfiable() {
        for text in [
            r#"{"type":"object","required":["a"],"maxProperties":1,"minProperties":2}"#,
            r#"{"type":"object","required":["a"],"maxProperties":0}"#,
        ] {
            let schema: Value = serde_json::from_str(text).expect("JSON");
            let error = translate(&schema, &Config::default()).expect_err("no document is valid");
            assert!(matches!(error.reason, Reason::Unsatisfiable(_)), "{error}");
        }
    }
}
