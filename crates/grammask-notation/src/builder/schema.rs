//! JSON Schemas inside of another notation.

use grammask_json_schema::{Config as SchemaConfig, locate, translate_text};
use grammask_syntax::{Ast, Diagnostic, Span, Text};

use super::{Builder, Place};

impl Builder {
    /// Translates the JSON text of a schema, and grafts its rules under a prefix. Returns the identifier of
    /// its start symbol.
    ///
    /// `at` is the offset of the text in the virtual text, and `span` the place of the expressions. Reports
    /// its errors and returns `None` if the schema has no grammar.
    pub fn schema(
        &mut self,
        text: &str,
        at: usize,
        config: &SchemaConfig,
        prefix: &str,
        span: Span,
    ) -> Option<Text> {
        self.edited_schema(text, at, config, prefix, span, |ast| ast)
    }

    /// As [`schema`](Self::schema), with a change to the tree of the schema before it is grafted.
    pub fn edited_schema(
        &mut self,
        text: &str,
        at: usize,
        config: &SchemaConfig,
        prefix: &str,
        span: Span,
        edit: impl FnOnce(Ast) -> Ast,
    ) -> Option<Text> {
        let moved =
            |inner: Option<Span>| inner.map_or(span, |inner| Span::new(inner.start + at, inner.end + at));
        match translate_text(text, config) {
            Ok(translation) => {
                for one in &translation.relaxations {
                    let place = locate(text, &one.pointer, &one.keyword);
                    self.note(format!("JSON Schema {one}"), moved(place));
                }
                for one in &translation.notes {
                    let place = locate(text, &one.pointer, &one.keyword);
                    self.note(format!("JSON Schema {one}"), moved(place));
                }
                Some(self.graft(&edit(translation.ast), prefix, Place::At(span)))
            }
            Err(errors) => {
                for located in errors {
                    let place = moved(located.span);
                    self.report(Diagnostic::new(format!("JSON Schema {}", located.error), place));
                }
                None
            }
        }
    }
}
