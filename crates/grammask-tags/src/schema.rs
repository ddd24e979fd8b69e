//! JSON Schemas inside of structural tags.

use grammask_json_schema::{Config as SchemaConfig, PropertyOrder, Whitespace};
use grammask_notation::json::{Kind, Value};
use grammask_syntax::{ExprId, Span};

use crate::excludes::without;
use crate::format::limited;
use crate::{Format, Translator};

impl Translator<'_, '_> {
    /// Translates `json_schema` and `qwen_xml_parameter`.
    pub(crate) fn json_schema(&mut self, value: Value<'_>) -> Option<Format> {
        let schema = self.required(value, "json_schema")?;
        if !matches!(schema.kind(), Kind::Object(_) | Kind::Boolean(_)) {
            return self.fail("`json_schema` must be an object or a boolean", schema);
        }
        let mut config = self.config.json_schema.clone();
        if self.flag(value, "any_order", false)? {
            config.property_order = PropertyOrder::Any;
        }
        match self.integer(value, "max_whitespace_cnt")? {
            None => {}
            Some(count) => match u32::try_from(count) {
                Ok(longest) if longest > 0 => config.whitespace = Whitespace::Flexible { longest },
                _ => return self.fail("`max_whitespace_cnt` must be positive", value),
            },
        }
        let is_deprecated = value.get("type").and_then(Value::as_str) == Some("qwen_xml_parameter");
        let style = match value.get("style") {
            None if is_deprecated => "qwen_xml",
            None => "json",
            Some(style) => match style.as_str() {
                Some(name) => name,
                None => return self.fail("`style` must be a string", style),
            },
        };
        let excludes = self.strings(value, "excludes")?;
        if style == "json" {
            if let Some((_, place)) = excludes.iter().find(|(text, _)| text.is_empty()) {
                self.builder.error("an excluded text must not be empty", *place);
                return None;
            }
            let excludes: Vec<String> = excludes.into_iter().map(|(text, _)| text).collect();
            let at = schema.span().start + self.base;
            let text = self.source(schema);
            let span = self.span(schema);
            return limited(self.schema_without(text, Some(at), &config, span, &excludes)?);
        }
        self.xml(value, schema, style, &config, &excludes)
    }

    /// Translates a schema that is a part of the text.
    pub(crate) fn schema_value(&mut self, schema: Value<'_>, config: &SchemaConfig) -> Option<ExprId> {
        let text = self.source(schema);
        let at = schema.span().start + self.base;
        let span = self.span(schema);
        self.schema_without(text, Some(at), config, span, &[])
    }

    /// Translates the text of a schema that is not a part of the text. Its rules have the place `span`.
    pub(crate) fn schema_text(&mut self, text: &str, config: &SchemaConfig, span: Span) -> Option<ExprId> {
        self.schema_without(text, None, config, span, &[])
    }

    /// As [`schema_text`](Self::schema_text), without documents whose strings contain one of the texts. `at` is
    /// the offset of the schema in the virtual text, if it is a part of it.
    fn schema_without(
        &mut self,
        text: &str,
        at: Option<usize>,
        config: &SchemaConfig,
        span: Span,
        excludes: &[String],
    ) -> Option<ExprId> {
        self.schemas += 1;
        let at = match at {
            Some(at) => at,
            None => {
                let name = format!("{} (schema {})", self.config.file_name, self.schemas);
                self.builder.add_source(&name, text)
            }
        };
        let edit = |ast| if excludes.is_empty() { ast } else { without(ast, excludes) };
        let name = self.builder.edited_schema(text, at, config, "json", span, edit)?;
        Some(self.builder.name(&name, span))
    }
}
