//! Fields of formats, with errors for missing and wrong ones.

use grammask_notation::json::Value;
use grammask_syntax::Span;

use crate::Translator;

impl Translator<'_, '_> {
    /// Returns a field that must exist.
    pub(crate) fn required<'d>(&mut self, value: Value<'d>, field: &str) -> Option<Value<'d>> {
        match value.get(field) {
            Some(found) => Some(found),
            None => self.fail(format!("the field `{field}` is missing"), value),
        }
    }

    /// Returns a text that must exist.
    pub(crate) fn text_field<'d>(&mut self, value: Value<'d>, field: &str) -> Option<(&'d str, Value<'d>)> {
        let found = self.required(value, field)?;
        match found.as_str() {
            Some(text) => Some((text, found)),
            None => self.fail(format!("`{field}` must be a string"), found),
        }
    }

    /// Returns a boolean, by default false.
    pub(crate) fn flag(&mut self, value: Value<'_>, field: &str, default: bool) -> Option<bool> {
        match value.get(field) {
            None => Some(default),
            Some(found) => match found.as_bool() {
                Some(flag) => Some(flag),
                None => self.fail(format!("`{field}` must be a boolean"), found),
            },
        }
    }

    /// Returns an integer. `None` inside for a field that is missing or null.
    pub(crate) fn integer(&mut self, value: Value<'_>, field: &str) -> Option<Option<i64>> {
        match value.get(field) {
            None => Some(None),
            Some(found) if *found.kind() == grammask_notation::json::Kind::Null => Some(None),
            Some(found) => match found.as_i64() {
                Some(number) => Some(Some(number)),
                None => self.fail(format!("`{field}` must be an integer"), found),
            },
        }
    }

    /// Returns a list that must exist and have items.
    pub(crate) fn list<'d>(&mut self, value: Value<'d>, field: &str) -> Option<Vec<Value<'d>>> {
        let found = self.required(value, field)?;
        match found.items() {
            Some(items) if items.is_empty() => self.fail(format!("`{field}` must not be empty"), found),
            Some(items) => Some(items),
            None => self.fail(format!("`{field}` must be an array"), found),
        }
    }

    /// Returns a list of strings with their places. Empty if the field is missing.
    pub(crate) fn strings(&mut self, value: Value<'_>, field: &str) -> Option<Vec<(String, Span)>> {
        let Some(found) = value.get(field) else { return Some(Vec::new()) };
        let Some(items) = found.items() else {
            return self.fail(format!("`{field}` must be an array of strings"), found);
        };
        let mut all = Vec::with_capacity(items.len());
        for item in items {
            match item.as_str() {
                Some(text) => all.push((text.to_owned(), self.span(item))),
                None => return self.fail(format!("`{field}` must be an array of strings"), item),
            }
        }
        Some(all)
    }
}
