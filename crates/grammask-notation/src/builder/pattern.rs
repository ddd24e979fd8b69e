//! Regular expressions of several dialects as expressions.

use grammask_pattern::{Dialect, Extent, Language, LanguageId, Pattern, translate};
use grammask_syntax::{ExprId, ExprKind, Span};

use super::Builder;
use super::expression::quantifier;
use crate::class::NEVER;

impl Builder {
    /// Returns the texts in which a pattern matches. `at` is the offset of the pattern in the virtual text,
    /// where it stands without escapes, and `span` is that of the expression.
    ///
    /// Reports an error and returns `None` if the pattern has no language.
    pub fn pattern(
        &mut self,
        source: &str,
        dialect: Dialect,
        extent: Extent,
        at: usize,
        span: Span,
    ) -> Option<ExprId> {
        self.pattern_map(source, dialect, extent, &|offset| at + offset, span)
    }

    /// Returns true if a text is a regular expression of a dialect, supported here or not.
    pub fn is_pattern(&self, source: &str, dialect: Dialect) -> bool {
        grammask_pattern::is_pattern(source, dialect, &grammask_pattern::Limits::default())
    }

    /// As [`pattern`](Self::pattern), where `place` maps an offset in the pattern to one in the virtual text.
    pub fn pattern_map(
        &mut self,
        source: &str,
        dialect: Dialect,
        extent: Extent,
        place: &dyn Fn(usize) -> usize,
        span: Span,
    ) -> Option<ExprId> {
        let config = grammask_pattern::Config { dialect, extent, ..grammask_pattern::Config::default() };
        let at = |offset: usize| Span::new(place(offset), place(offset));
        match translate(source, &config, self.store()) {
            Ok(pattern) => {
                for note in &pattern.notes {
                    self.note(note.message.clone(), at(note.offset));
                }
                Some(self.languages(&pattern, span))
            }
            Err(error) => {
                self.error(format!("invalid regular expression: {}", error.message), at(error.offset));
                None
            }
        }
    }

    /// Returns the language of a pattern as an expression.
    pub fn languages(&mut self, pattern: &Pattern, span: Span) -> ExprId {
        enum Task {
            Visit(LanguageId),
            Make(LanguageId),
        }
        let mut done: Vec<ExprId> = Vec::new();
        let mut tasks = vec![Task::Visit(pattern.root)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(id) => {
                    tasks.push(Task::Make(id));
                    tasks.extend(pattern.get(id).operands().iter().rev().map(|&part| Task::Visit(part)));
                }
                Task::Make(id) => {
                    let language = pattern.get(id);
                    let parts = done.split_off(done.len() - language.operands().len());
                    let kind = match language {
                        Language::None => ExprKind::Regex(NEVER.into()),
                        Language::Text(text) => ExprKind::Text(text.into()),
                        Language::Regex(regex) => ExprKind::Regex(regex.into()),
                        Language::Sequence(_) => ExprKind::Sequence(parts.into()),
                        Language::Union(_) => ExprKind::Alternatives(parts.into()),
                        Language::And(_) => ExprKind::And(parts.into()),
                        Language::Not(_) => ExprKind::Not(parts[0]),
                        Language::Repeat(_, min, max) => {
                            ExprKind::Repeat { expr: parts[0], quantifier: quantifier(*min, *max) }
                        }
                    };
                    done.push(self.push(kind, span));
                    if self.is_full {
                        return ExprId(0);
                    }
                }
            }
        }
        done.pop().unwrap_or(ExprId(0))
    }
}
