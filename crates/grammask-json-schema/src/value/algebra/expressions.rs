//! Sets of strings with regular expressions among them. These are no regular set: what can be said of them is exact, the rest is refused.

use crate::context::{Stop, Translator};
use crate::language::{Language, LanguageId};
use crate::pattern;
use crate::value::{Expressions, Values};

impl Translator<'_> {
    /// The strings of both, given what their regular parts have in common.
    pub(super) fn both_expressions(
        &mut self,
        a: &Values,
        b: &Values,
        string: LanguageId,
    ) -> Result<(LanguageId, Expressions), Stop> {
        let mut all = (string, a.expressions.min(b.expressions));
        for (own, other) in [(a, b), (b, a)] {
            match (own.expressions, other.expressions) {
                (Expressions::None, _) => {}
                (own, Expressions::None) => {
                    let (texts, expressions) = self.among_expressions(own, other.string)?;
                    all = (self.languages.union([all.0, texts]), all.1.max(expressions));
                }
                (Expressions::All, Expressions::NotEmpty) if self.contains(other.string, "")? => {
                    all.0 = self.languages.union([all.0, LanguageId::EMPTY_TEXT]);
                }
                _ => {}
            }
        }
        Ok(all)
    }

    /// The strings of `a` without those of `b`, given what is left of the regular part without the other one.
    pub(super) fn without_expressions(
        &mut self,
        a: &Values,
        b: &Values,
        string: LanguageId,
    ) -> Result<(LanguageId, Expressions), Stop> {
        let mut left = (string, a.expressions);
        if b.expressions != Expressions::None && string != LanguageId::NONE {
            match self.texts(string) {
                Some(texts) => {
                    let others = texts.into_iter().filter(|&text| !self.is_expression(text, b.expressions));
                    let others = others.collect::<Vec<_>>();
                    left.0 = self.languages.union(others);
                }
                None => self.refuse(self.place, "format", "what is no regular expression")?,
            }
        }
        left.1 = match (a.expressions, b.expressions, b.string) {
            (Expressions::None, ..) | (_, Expressions::All, _) | (_, _, LanguageId::ANY) => Expressions::None,
            (own, Expressions::NotEmpty, other) => {
                if own == Expressions::All && !self.contains(other, "")? {
                    left.0 = self.languages.union([left.0, LanguageId::EMPTY_TEXT]);
                }
                Expressions::None
            }
            (own, Expressions::None, LanguageId::NONE) => own,
            (_, Expressions::None, LanguageId::EMPTY_TEXT) => Expressions::NotEmpty,
            (own, Expressions::None, _) => {
                self.refuse(self.place, "format", "regular expressions without some texts")?;
                own
            }
        };
        Ok(left)
    }

    /// The regular expressions among the texts of a language: some texts, or no list of them.
    fn among_expressions(
        &mut self,
        which: Expressions,
        language: LanguageId,
    ) -> Result<(LanguageId, Expressions), Stop> {
        if let Some(texts) = self.texts(language) {
            let texts = texts.into_iter().filter(|&text| self.is_expression(text, which)).collect::<Vec<_>>();
            return Ok((self.languages.union(texts), Expressions::None));
        }
        if language == LanguageId::ANY {
            return Ok((LanguageId::NONE, which));
        }
        if language == self.languages.length(1, None) {
            return Ok((LanguageId::NONE, Expressions::NotEmpty));
        }
        self.refuse(self.place, "format", "regular expressions beside other constraints")?;
        Ok((LanguageId::NONE, which))
    }

    fn is_expression(&self, text: LanguageId, which: Expressions) -> bool {
        match self.languages.get(text) {
            Language::Text(text) if text.is_empty() => which == Expressions::All,
            Language::Text(text) => pattern::is_pattern(text),
            _ => false,
        }
    }
}
