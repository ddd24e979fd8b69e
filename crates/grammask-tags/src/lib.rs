//! Structural tags of XGrammar 0.2.8 as KBNF trees, with the older form of vLLM and SGLang.
//!
//! ```
//! use grammask_tags::{Config, translate};
//!
//! let text = r#"{"type": "structural_tag", "format": {
//!     "type": "triggered_tags", "triggers": ["<f="],
//!     "tags": [{"begin": "<f=add>", "content": {"type": "regex", "pattern": "[0-9]+"}, "end": "</f>"}]}}"#;
//! let outcome = translate(text, &Config::default())?;
//! assert_eq!(
//!     outcome.ast.to_string(),
//!     "%start root?;\nroot ::= (#re'(?s-u:.)*<f\\=' 'add>' #'[0-9]+' '</f>')* #rex'<f\\='?;\n",
//! );
//! assert!(outcome.empty_output);
//!
//! let errors = translate(r#"{"format": {"type": "tga"}}"#, &Config::default()).unwrap_err();
//! assert_eq!(errors.to_string(), "tags.json:1:21: `tga` is not a type of a format");
//! # Ok::<(), grammask_notation::Errors>(())
//! ```
//!
//! # Ends
//!
//! The text of `any_text` and `triggered_tags` contains no end of the nearest tag around it, so the first end
//! ends the tag. `dispatch`, `regex`, `grammar` and `json_schema` do not depend on the tag around them.
//!
//! # Differences from XGrammar
//!
//! - `json_schema` with `any_order` requires the properties that the schema requires, each once.
//! - `json_schema` keeps `pattern`, lengths and formats together with `excludes`.
//! - A single `exclude_token` is an error, as a grammar cannot demand where tokens of text end. `star` and
//!   `plus` of it, `any_tokens` and free text between tokens are any text, and special tokens that are not
//!   excluded.
//! - With [`Config::special_tokens`], a special token that a text spells is demanded as token.
//! - `max_tokens` is dropped with a note.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod config;
mod excludes;
mod fields;
mod format;
mod schema;
mod tags;
mod tokens;
mod xml;

pub use config::{Config, Limits};
pub use tokens::SpecialTokens;

use grammask_notation::json::{Document, Value};
use grammask_notation::{Builder, Errors, Outcome};
use grammask_syntax::{ExprId, Span, SpecialMember};

/// Translates the JSON text of a structural tag.
///
/// # Errors
/// All errors of the text at once, with places. A text that is not JSON has one.
///
/// # Complexity
/// Linear in the text, apart from JSON Schemas.
pub fn translate(text: &str, config: &Config) -> Result<Outcome, Errors> {
    let mut builder = Builder::new(&config.common);
    let base = builder.add_source(&config.file_name, text);
    let whole = Span::new(base, base + text.len());
    if builder.has_errors() {
        return Err(builder.into_errors());
    }
    let document = match Document::read(text, config.limits.max_json_nesting) {
        Ok(document) => document,
        Err((at, message)) => {
            let end = text[at..].chars().next().map_or(at, |char| at + char.len_utf8());
            let span = Span::new(base + at, base + end);
            let message = match message.starts_with("more than") {
                true => format!("{message} (limit `max_json_nesting`)"),
                false => format!("not JSON: {message}"),
            };
            builder.error(message, span);
            return Err(builder.into_errors());
        }
    };
    let name = builder.declare("root");
    let mut translator = Translator {
        builder: &mut builder,
        text,
        base,
        config,
        specials: &config.special_tokens,
        depth: 0,
        schemas: 0,
        xml_objects: 0,
    };
    let body = translator.top(document.root());
    match body {
        Some(body) => {
            builder.rule(&name, whole, body, whole);
            builder.finish(&name, whole)
        }
        None => Err(builder.into_errors()),
    }
}

/// State of translating one text.
struct Translator<'a, 'b> {
    builder: &'b mut Builder,
    text: &'a str,
    /// Offset of the text in the virtual text.
    base: usize,
    config: &'a Config,
    specials: &'a SpecialTokens,
    /// Levels of formats around the current one.
    depth: usize,
    /// Number of schemas and grammars so far, for names of rules.
    schemas: usize,
    /// Number of objects that are written as parameters.
    xml_objects: usize,
}

/// A translated format. `None` instead of it stands for an error that is reported.
struct Format {
    expr: ExprId,
    /// True if the format has free text that only the end of a tag can end.
    is_unlimited: bool,
}

/// The surroundings of a format.
#[derive(Clone, Copy)]
struct Around<'e> {
    /// The ends of the nearest tag that are not empty.
    ends: &'e [(String, Span)],
    /// The end of the nearest tag, if it is a token.
    end_token: Option<&'e SpecialMember>,
}

impl<'a> Translator<'a, '_> {
    /// Returns the place of a value.
    fn span(&self, value: Value<'_>) -> Span {
        let span = value.span();
        Span::new(span.start + self.base, span.end + self.base)
    }

    /// Returns the text of a value.
    fn source(&self, value: Value<'_>) -> &'a str {
        &self.text[value.span().range()]
    }

    fn fail<T>(&mut self, message: impl Into<String>, value: Value<'_>) -> Option<T> {
        let span = self.span(value);
        self.builder.error(message, span);
        None
    }

    fn fail_hint<T>(&mut self, message: impl Into<String>, value: Value<'_>, hint: &str) -> Option<T> {
        let span = self.span(value);
        self.builder.error_hint(message, span, hint);
        None
    }

    /// Translates the outermost object: a structural tag, the older form, or a format alone.
    fn top(&mut self, value: Value<'_>) -> Option<ExprId> {
        let around = Around { ends: &[], end_token: None };
        if let Some(format) = value.get("format") {
            if let Some(kind) = value.get("type")
                && kind.as_str() != Some("structural_tag")
            {
                return self.fail("the type must be \"structural_tag\"", kind);
            }
            return Some(self.format(format, around)?.expr);
        }
        if value.get("structures").is_some() {
            return self.legacy(value);
        }
        match value.get("type").and_then(Value::as_str) {
            Some("structural_tag") | None => self.fail_hint(
                "a structural tag needs a `format`",
                value,
                "write {\"type\": \"structural_tag\", \"format\": {…}}",
            ),
            Some(_) => Some(self.format(value, around)?.expr),
        }
    }
}
