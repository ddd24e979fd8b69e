//! The values of XML-like parameters: texts without quotes, and parts of schemas.

use grammask_notation::json::{Kind, Value};
use grammask_notation::{Dialect, Extent};
use grammask_syntax::ExprId;

use super::{JSON_TYPES, Options, Type};
use crate::Translator;

impl Translator<'_, '_> {
    /// Returns a text without quotes and escapes, which does not contain what ends a value.
    pub(super) fn raw_text(&mut self, schema: Value<'_>, options: &Options<'_>) -> Option<ExprId> {
        let place = options.place;
        let mut parts = vec![self.raw(options)?];
        if let Some(pattern) = schema.get("pattern")
            && let Some(text) = pattern.as_str()
        {
            let span = self.span(pattern);
            parts.push(self.builder.pattern_map(
                text,
                Dialect::Auto,
                Extent::Search,
                &|offset| (span.start + 1 + offset).min(span.end),
                span,
            )?);
        }
        let bound =
            |field| schema.get(field).and_then(Value::as_i64).and_then(|count| u64::try_from(count).ok());
        let (min, max) = (bound("minLength"), bound("maxLength"));
        if min.is_some() || max.is_some() {
            let any = self.builder.any_char(place);
            parts.push(self.builder.repeat(any, min.unwrap_or(0), max, place));
        }
        if let Some(format) = schema.get("format") {
            let span = self.span(format);
            self.builder.note("`format` does not apply to texts without quotes", span);
        }
        let has_conditions = parts.len() > 1;
        let text = self.builder.and(parts, place);
        Some(if has_conditions { self.within_blanks(text, options) } else { text })
    }

    /// Returns the JSON documents of one type of a schema.
    pub(super) fn typed_part(
        &mut self,
        root: Value<'_>,
        schema: Value<'_>,
        kind: Type,
        options: &Options<'_>,
    ) -> Option<ExprId> {
        if matches!(schema.get("type").map(Value::kind), Some(Kind::String(_))) {
            return self.schema_part(root, schema, options);
        }
        let name = JSON_TYPES[kind as usize];
        let restricted = match self.source(schema).trim().strip_prefix('{') {
            Some(rest) => format!("{{\"allOf\": [{{\"type\": \"{name}\"}}, {{{rest}]}}"),
            None => format!("{{\"type\": \"{name}\"}}"),
        };
        self.derived_schema(root, &restricted, schema, options)
    }

    /// Returns the JSON documents of a schema inside of another one.
    pub(super) fn schema_part(
        &mut self,
        root: Value<'_>,
        schema: Value<'_>,
        options: &Options<'_>,
    ) -> Option<ExprId> {
        let text = self.source(schema);
        if !text.contains("\"$ref\"") {
            return self.schema_value(schema, options.config);
        }
        self.derived_schema(root, text, schema, options)
    }

    /// Translates a schema that is made from another one. Its references lead to the definitions of `root`.
    pub(super) fn derived_schema(
        &mut self,
        root: Value<'_>,
        text: &str,
        place: Value<'_>,
        options: &Options<'_>,
    ) -> Option<ExprId> {
        let mut text = text.trim().to_owned();
        if text.contains("\"$ref\"") && text.ends_with('}') {
            text.pop();
            for name in ["$defs", "definitions"] {
                if let Some(definitions) = root.get(name) {
                    let separator = if text.trim_end().ends_with('{') { "" } else { ", " };
                    text.push_str(&format!("{separator}\"{name}\": {}", self.source(definitions)));
                }
            }
            text.push('}');
        }
        let span = self.span(place);
        self.schema_text(&text, options.config, span)
    }
}
