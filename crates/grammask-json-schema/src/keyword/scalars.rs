//! The keywords about numbers and strings.

use serde_json::Value;

use super::MOST;
use crate::context::{Stop, Translator};
use crate::keyword::expand::Schema;
use crate::language::LanguageId;
use crate::language::{format, number};
use crate::pattern::PatternError;
use crate::{Formats, pattern};

/// What is said of a format that is none here.
pub(super) fn annotation(name: &str) -> String {
    format!("the format '{name}' is an annotation")
}

impl<'a> Translator<'a> {
    pub(super) fn numbers(&mut self, schema: Schema<'a>) -> Result<LanguageId, Stop> {
        let mut parts: Vec<LanguageId> = Vec::new();
        for (keyword, exclusive, is_least) in
            [("minimum", "exclusiveMinimum", true), ("maximum", "exclusiveMaximum", false)]
        {
            // Draft 4 has a boolean beside the bound, later drafts a bound of its own.
            let is_exclusive = schema.get(exclusive) == Some(&Value::Bool(true));
            for (keyword, is_exclusive) in [(keyword, is_exclusive), (exclusive, true)] {
                let bound = match schema.get(keyword) {
                    None | Some(Value::Bool(_)) => continue,
                    Some(Value::Number(bound)) => self.decimal(bound)?,
                    Some(_) => return Err(self.invalid(schema, keyword, "it is not a number")),
                };
                let languages = &mut self.languages;
                let part = match is_least {
                    true => number::at_least(languages, &bound, is_exclusive),
                    false => number::at_most(languages, &bound, is_exclusive),
                };
                self.bounds.insert(part, (is_least, bound));
                parts.push(part);
            }
        }
        if let Some(of) = schema.get("multipleOf") {
            let Value::Number(of) = of else {
                return Err(self.invalid(schema, "multipleOf", "it is not a number"));
            };
            let of = self.decimal(of)?;
            if of.is_zero() || of.is_negative() {
                return Err(self.invalid(schema, "multipleOf", "it is not greater than 0"));
            }
            if number::has_multiples(&of) {
                parts.push(number::multiple_of(&mut self.languages, &of));
                // Once such multiples are among the numbers, differences are exact among their spellings only.
                let among = number::among_multiples(&mut self.languages, &of);
                if among != self.constrained_number {
                    self.constrained_number = number::plain(&mut self.languages);
                }
            } else {
                self.refuse(schema.id, "multipleOf", "the number has too many digits")?;
            }
        }
        if parts.is_empty() {
            return Ok(self.any_number);
        }
        // All of them are within these spellings, unless they are fewer.
        let constrained = number::constrained(&mut self.languages);
        if self.constrained_number != constrained {
            parts.push(self.constrained_number);
        }
        Ok(self.languages.and(parts))
    }

    pub(super) fn strings(&mut self, schema: Schema<'a>) -> Result<LanguageId, Stop> {
        let mut parts: Vec<LanguageId> = Vec::new();
        let min = self.count(schema, "minLength")?;
        let max = self.count(schema, "maxLength")?;
        if min.is_some() || max.is_some() {
            let (min, max) = (min.unwrap_or(0).min(MOST), max.filter(|&max| max <= MOST));
            if max.is_some_and(|max| min > max) {
                return Ok(LanguageId::NONE);
            }
            parts.push(self.languages.length(min as u32, max.map(|max| max as u32)));
        }
        if let Some(source) = schema.get("pattern") {
            let Value::String(source) = source else {
                return Err(self.invalid(schema, "pattern", "it is not a string"));
            };
            parts.push(self.pattern(schema, "pattern", source)?.unwrap_or(LanguageId::ANY));
        }
        if let Some(name) = schema.get("format") {
            let Value::String(name) = name else {
                return Err(self.invalid(schema, "format", "it is not a string"));
            };
            let language = match self.asserts_format() {
                true => {
                    if format::is_rough(name, schema.draft) {
                        self.note_rough();
                    }
                    format::format(&mut self.languages, name, schema.draft, self.is_wide)
                }
                false => None,
            };
            match language {
                Some(language) => parts.push(language),
                // Their texts are no regular set: see `assertions`.
                None if name == "regex" && self.asserts_format() => {}
                None if name == "idn-hostname" && self.asserts_format() => {
                    let reason = "which labels of a host name are international ones, as Unicode says";
                    self.refuse(schema.id, "format", reason)?;
                }
                None => self.note(schema.id, "format", annotation(name)),
            }
        }
        Ok(self.languages.and(parts))
    }

    pub(super) fn asserts_format(&self) -> bool {
        self.config.formats == Formats::Asserted
    }

    /// The texts in which a pattern is found; nothing where it was left out.
    pub(super) fn pattern(
        &mut self,
        schema: Schema<'a>,
        keyword: &str,
        source: &str,
    ) -> Result<Option<LanguageId>, Stop> {
        match pattern::pattern(&mut self.languages, source) {
            Ok(language) => Ok(Some(language)),
            Err(PatternError::Invalid { offset, message }) => {
                let what =
                    format!("the pattern is no regular expression of ECMA-262: {message}, at byte {offset}");
                Err(self.invalid(schema, keyword, &what))
            }
            Err(PatternError::Unsupported { offset, message }) => {
                self.spend(1)?;
                self.refuse(schema.id, keyword, format!("{message}, at byte {offset} of the pattern"))?;
                Ok(None)
            }
        }
    }
}
