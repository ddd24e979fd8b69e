//! Expressions in a simple form: flat sequences and alternatives, no empty parts, loops of a class as one
//! regex.

use grammask_syntax::{ExprId, ExprKind, MAX_REPETITIONS, Quantifier, Span, Text};

use super::Builder;
use crate::Class;
use crate::class::{ANY_CHAR, NEVER, is_class};

impl Builder {
    /// Adds an expression of any kind.
    ///
    /// Beyond [`max_expressions`](crate::Limits::max_expressions), it reports an error once, and returns an
    /// expression that is already in use.
    pub fn push(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let limit = self.config.limits.max_expressions.clamp(1, u32::MAX as usize - 1);
        if self.ast.exprs.len() >= limit {
            if !self.is_full {
                self.is_full = true;
                self.limit("max_expressions", limit, "expressions", span);
            }
            return ExprId(0);
        }
        self.ast.push(kind, span)
    }

    /// Returns a text.
    pub fn text(&mut self, text: &str, span: Span) -> ExprId {
        self.push(ExprKind::Text(text.into()), span)
    }

    /// Returns the empty text.
    pub fn empty(&mut self, span: Span) -> ExprId {
        self.text("", span)
    }

    /// Returns the empty language.
    pub fn never(&mut self, span: Span) -> ExprId {
        self.regex(NEVER, span)
    }

    /// Returns any character, line breaks included.
    pub fn any_char(&mut self, span: Span) -> ExprId {
        self.regex(ANY_CHAR, span)
    }

    /// Returns any number of any characters.
    pub fn any_text(&mut self, span: Span) -> ExprId {
        self.regex("(?s:.)*", span)
    }

    /// Returns a character of a class.
    pub fn class(&mut self, class: &Class, span: Span) -> ExprId {
        self.regex(&class.to_regex(), span)
    }

    /// Returns the texts that a regex of the Rust crate `regex` matches from end to end. It must be valid.
    pub fn regex(&mut self, pattern: &str, span: Span) -> ExprId {
        self.push(ExprKind::Regex(pattern.into()), span)
    }

    /// Returns the non-empty matches of a regex that have no shorter non-empty match as a prefix.
    pub fn prefix_minimal(&mut self, pattern: &str, span: Span) -> ExprId {
        self.push(ExprKind::PrefixMinimal(pattern.into()), span)
    }

    /// Returns a reference to a rule, by its identifier.
    pub fn name(&mut self, identifier: &str, span: Span) -> ExprId {
        self.push(ExprKind::Nonterminal(identifier.into()), span)
    }

    /// Returns the parts, one behind the other. Texts side by side become one text.
    pub fn sequence(&mut self, parts: Vec<ExprId>, span: Span) -> ExprId {
        let mut all: Vec<ExprId> = Vec::with_capacity(parts.len());
        for part in parts {
            match self.kind(part) {
                ExprKind::Sequence(inner) => {
                    let inner = inner.to_vec();
                    for part in inner {
                        self.push_part(part, &mut all);
                    }
                }
                _ => self.push_part(part, &mut all),
            }
        }
        match all[..] {
            [] => self.empty(span),
            [part] => part,
            _ => self.push(ExprKind::Sequence(all.into()), span),
        }
    }

    /// Appends a part of a sequence.
    fn push_part(&mut self, part: ExprId, all: &mut Vec<ExprId>) {
        let ExprKind::Text(text) = self.kind(part) else { return all.push(part) };
        if text.is_empty() {
            return;
        }
        if let Some(&last) = all.last()
            && let ExprKind::Text(before) = self.kind(last)
        {
            let joined: Text = [before.as_str(), text.as_str()].concat().into();
            let span = Span::new(self.span(last).start, self.span(part).end);
            all.pop();
            all.push(self.push(ExprKind::Text(joined), span));
            return;
        }
        all.push(part);
    }

    /// Returns the alternatives. None of them is the empty language.
    pub fn alternatives(&mut self, parts: Vec<ExprId>, span: Span) -> ExprId {
        let mut all: Vec<ExprId> = Vec::with_capacity(parts.len());
        for part in parts {
            match self.kind(part) {
                ExprKind::Alternatives(inner) => all.extend_from_slice(inner),
                ExprKind::Regex(regex) if *regex == NEVER => {}
                _ => all.push(part),
            }
        }
        match all[..] {
            [] => self.never(span),
            [part] => part,
            _ => self.push(ExprKind::Alternatives(all.into()), span),
        }
    }

    /// Returns a repetition. `None` is no upper bound.
    ///
    /// A bound above [`MAX_REPETITIONS`] is an error. `min` is at most `max`.
    pub fn repeat(&mut self, expr: ExprId, min: u64, max: Option<u64>, span: Span) -> ExprId {
        let limit = u64::from(MAX_REPETITIONS);
        if min > limit || max.is_some_and(|max| max > limit) {
            self.limit("MAX_REPETITIONS", limit as usize, "repetitions", span);
            return expr;
        }
        let (min, max) = (min as u32, max.map(|max| max as u32));
        let is_empty = matches!(self.kind(expr), ExprKind::Text(text) if text.is_empty());
        match (min, max) {
            (1, Some(1)) => return expr,
            (_, Some(0)) => return self.empty(span),
            _ if is_empty => return expr,
            _ => {}
        }
        let quantifier = quantifier(min, max);
        if let ExprKind::Regex(regex) = self.kind(expr)
            && is_class(regex)
        {
            let regex = format!("{regex}{quantifier}");
            return self.regex(&regex, span);
        }
        self.push(ExprKind::Repeat { expr, quantifier }, span)
    }

    /// Returns `a?`.
    pub fn optional(&mut self, expr: ExprId, span: Span) -> ExprId {
        self.repeat(expr, 0, Some(1), span)
    }

    /// Returns the texts that are in all parts. The parts are regular.
    pub fn and(&mut self, parts: Vec<ExprId>, span: Span) -> ExprId {
        match parts[..] {
            [] => self.any_text(span),
            [part] => part,
            _ => self.push(ExprKind::And(parts.into()), span),
        }
    }

    /// Returns the byte strings that are not in a regular expression.
    pub fn not(&mut self, expr: ExprId, span: Span) -> ExprId {
        self.push(ExprKind::Not(expr), span)
    }

    /// Returns the spellings in a JSON string of the texts of a regular expression.
    pub fn json(&mut self, expr: ExprId, span: Span) -> ExprId {
        self.push(ExprKind::Json(expr), span)
    }
}

/// Returns the shortest operator for these bounds.
pub(crate) const fn quantifier(min: u32, max: Option<u32>) -> Quantifier {
    match (min, max) {
        (0, Some(1)) => Quantifier::Option,
        (0, None) => Quantifier::Star,
        (1, None) => Quantifier::Plus,
        (min, max) => Quantifier::Bounds { min, max },
    }
}
