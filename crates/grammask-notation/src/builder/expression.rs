//! Expressions in a simple form: flat sequences and alternatives, no empty parts, loops of a class as one
//! regex.

use grammask_syntax::{Escapes, ExprId, ExprKind, InlineList, MAX_REPETITIONS, Quantifier, Span};

use super::Builder;
use crate::Class;
use crate::class::{ANY_CHAR, NEVER, is_class};

/// Parts of a list up to which it becomes a part of the list around it. Copying longer ones at each level of
/// deep groups would take quadratic time.
const MAX_FLATTENED_PARTS: usize = 16;

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

    /// Returns the parts, one after the other. Texts side by side become one text.
    pub fn sequence(&mut self, parts: Vec<ExprId>, span: Span) -> ExprId {
        let parts = self.flattened(parts, |kind| match kind {
            ExprKind::Sequence(inner) => Some(inner),
            _ => None,
        });
        let mut all: Vec<ExprId> = Vec::with_capacity(parts.len());
        // The texts at the end of `all`, joined from the second one on.
        let mut joined: Option<(String, Span)> = None;
        for part in parts {
            let ExprKind::Text(text) = self.kind(part) else {
                self.replace_last(&mut all, joined.take());
                all.push(part);
                continue;
            };
            if text.is_empty() {
                continue;
            }
            let end = self.span(part).end;
            if let Some((before, place)) = &mut joined {
                before.push_str(text);
                place.end = end;
            } else if let Some(&last) = all.last()
                && let ExprKind::Text(before) = self.kind(last)
            {
                joined = Some(([before, text.as_str()].concat(), Span::new(self.span(last).start, end)));
            } else {
                all.push(part);
            }
        }
        self.replace_last(&mut all, joined);
        match all[..] {
            [] => self.empty(span),
            [part] => part,
            _ => self.push(ExprKind::Sequence(all.into()), span),
        }
    }

    /// Replaces the last part of a sequence by a longer text.
    fn replace_last(&mut self, all: &mut [ExprId], joined: Option<(String, Span)>) {
        if let Some((text, span)) = joined
            && let Some(last) = all.last_mut()
        {
            *last = self.push(ExprKind::Text(text.into()), span);
        }
    }

    /// Replaces short lists among the parts by their members.
    fn flattened(
        &self,
        parts: Vec<ExprId>,
        list: impl Fn(&ExprKind) -> Option<&InlineList<ExprId>>,
    ) -> Vec<ExprId> {
        let is_short =
            |part: &ExprId| list(self.kind(*part)).filter(|inner| inner.len() <= MAX_FLATTENED_PARTS);
        if !parts.iter().any(|part| is_short(part).is_some()) {
            return parts;
        }
        let mut all = Vec::with_capacity(parts.len());
        for part in parts {
            match is_short(&part) {
                Some(inner) => all.extend_from_slice(inner),
                None => all.push(part),
            }
        }
        all
    }

    /// Returns the alternatives. None of them is the empty language.
    pub fn alternatives(&mut self, parts: Vec<ExprId>, span: Span) -> ExprId {
        let mut all = self.flattened(parts, |kind| match kind {
            ExprKind::Alternatives(inner) => Some(inner),
            _ => None,
        });
        all.retain(|part| !matches!(self.kind(*part), ExprKind::Regex(regex) if *regex == NEVER));
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
        let expr = if min <= 1 && max.is_none() { self.repeated_tokens(expr) } else { expr };
        let bounded = |bound| u32::try_from(bound).ok().filter(|&bound| bound <= MAX_REPETITIONS);
        let max = max.map_or(Some(None), |max| bounded(max).map(Some));
        let (Some(min), Some(max)) = (bounded(min), max) else {
            self.limit("MAX_REPETITIONS", MAX_REPETITIONS as usize, "repetitions", span);
            return expr;
        };
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
        self.push(ExprKind::Json(expr, Escapes::Any), span)
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
