//! JSON Schema to KBNF: a grammar of exactly the documents that a schema calls valid.
//!
//! In goes a schema of any draft from 4 to 2020-12, out comes a syntax tree of [`grammask_syntax`]. What cannot be said exactly is
//! refused with its place, or, where [`Config::unsupported`] asks for that, weakened and listed.
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
//! assert_eq!(error.to_string(), r#"at '/properties/a', type: invalid schema: "text" is no type"#);
//! # Ok::<(), grammask_json_schema::Error>(())
//! ```
//!
//! A schema becomes goals (conjunctions of what a value has to be), a goal a union of shapes one level deep, on which `allOf`, `anyOf`,
//! `oneOf` and `not` are a Boolean algebra, a shape a plan of members or items, and a plan a rule.

mod config;
mod conjunction;
mod context;
mod document;
mod emit;
mod error;
mod keyword;
mod language;
mod pattern;
mod plan;
mod value;

pub use config::{
    AdditionalProperties, Config, Document, Draft, Formats, PropertyOrder, Unsupported, Whitespace,
};
pub use error::{Error, Reason, Relaxation};

use grammask_syntax::Ast;
use serde_json::Value;

use crate::conjunction::ScopeId;
use crate::context::{Stop, Translator};

/// What a schema comes to.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The grammar of the valid documents.
    pub ast: Ast,
    /// What the grammar does not hold the documents to, though the schema mentions it. Schemas that say the same in the same words are
    /// translated once, and only the first of them is listed.
    pub relaxations: Vec<Relaxation>,
}

/// Translates a schema.
///
/// # Errors
/// When the schema is none, says what cannot be said exactly, or exceeds a limit; or when [`Whitespace::Separators`] are no comma and no colon.
///
/// # Complexity
/// Linear in the schema where it says one thing of each value; alternatives for one value multiply, up to [`Config::work`].
pub fn translate(schema: &Value, config: &Config) -> Result<Translation, Error> {
    if let Some((field, sign)) = config.whitespace.wrong_separator() {
        let what = format!(
            "`Whitespace::Separators`: `{field}` has to be a {sign} with nothing but white space around it"
        );
        return Err(Error::new("", "", Reason::Invalid(what)));
    }
    let mut translator = Translator::new(schema, config)?;
    let result = translator
        .goal(translator.documents.root(), ScopeId(0))
        .and_then(|root| emit::emit(&mut translator, root));
    match result {
        Ok(ast) => Ok(Translation { ast, relaxations: translator.relaxations }),
        Err(Stop::Error(error)) => Err(*error),
        // Only questions about what is inside of a value are left open, and none is asked from the outside.
        Err(Stop::Busy) => {
            Err(Error::new("", "", Reason::Unsupported("a schema that is its own part".to_owned())))
        }
    }
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
            assert!(error.contains(&format!("`{field}` has to be")), "{error}");
        }
    }

    #[test]
    fn more_members_than_there_may_be_are_no_object() {
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
