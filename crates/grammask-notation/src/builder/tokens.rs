//! Tokens: special ones by name and id, and tokens outside of a set.
//!
//! A grammar cannot demand where tokens of text end, so a single token outside of a set is not a language.
//! Any number of them is one: any bytes, and special tokens outside of the set.

use grammask_syntax::{ExprId, ExprKind, Span, SpecialMember, SpecialSet};

use super::Builder;

impl Builder {
    /// Returns one of these special tokens.
    pub fn tokens(&mut self, members: Vec<SpecialMember>, span: Span) -> ExprId {
        self.special_set(members, false, span)
    }

    /// Returns a part of text, or one special token outside of a set: repeated, any tokens outside of it.
    ///
    /// The vocabulary must spell each byte, as vocabularies of language models do.
    pub fn any_other_token(&mut self, members: Vec<SpecialMember>, span: Span) -> ExprId {
        let byte = self.regex("(?s-u:.)", span);
        let others = self.special_set(members, true, span);
        self.alternatives(vec![byte, others], span)
    }

    /// Returns one token outside of a set. Only its repetitions `*` and `+` have a language:
    /// [`repeat`](Self::repeat) makes it, and [`finish`](Self::finish) reports all others.
    pub fn other_token(&mut self, members: Vec<SpecialMember>, span: Span) -> ExprId {
        let id = self.special_set(members, true, span);
        self.other_tokens.insert(id);
        id
    }

    fn special_set(&mut self, members: Vec<SpecialMember>, is_complement: bool, span: Span) -> ExprId {
        self.push(ExprKind::SpecialSet(Box::new(SpecialSet { is_complement, members })), span)
    }

    /// Returns the operand of `*` or `+`, where tokens outside of a set become parts of text or special
    /// tokens.
    pub(super) fn repeated_tokens(&mut self, expr: ExprId) -> ExprId {
        let parts = match self.kind(expr) {
            _ if self.other_tokens.is_empty() => return expr,
            ExprKind::SpecialSet(_) => vec![expr],
            ExprKind::Alternatives(parts) => parts.to_vec(),
            _ => return expr,
        };
        if !parts.iter().any(|part| self.other_tokens.contains(part)) {
            return expr;
        }
        let span = self.span(expr);
        let parts = parts.into_iter().map(|part| match self.kind(part) {
            ExprKind::SpecialSet(set) if self.other_tokens.contains(&part) => {
                let (members, span) = (set.members.clone(), self.span(part));
                self.any_other_token(members, span)
            }
            _ => part,
        });
        let parts = parts.collect();
        self.alternatives(parts, span)
    }

    /// Reports the tokens outside of a set that are not repeated. `is_used` is true for the expressions that
    /// rules use.
    pub(super) fn report_other_tokens(&mut self, is_used: &[bool]) {
        let mut spans: Vec<Span> = self
            .other_tokens
            .iter()
            .filter(|id| is_used.get(id.index()).copied().unwrap_or(false))
            .map(|&id| self.span(id))
            .collect();
        spans.sort_unstable();
        spans.dedup();
        for span in spans {
            self.error_hint(
                "one token outside of a set is not a language: a grammar cannot demand where tokens of text end",
                span,
                "repeat it by `*` or `+`: any text, and all special tokens outside of the set",
            );
        }
    }
}
