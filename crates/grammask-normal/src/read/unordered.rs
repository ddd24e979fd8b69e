//! Reading items in any order, and texts that differ from each other.

use grammask_regular::analysis;
use grammask_syntax::{ExprId, ExprKind, Span};

use super::{IS_ITEM, Part, Reader, UNDER};
use crate::error::{ErrorKind, describe};
use crate::grammar::{Atom, Factor, Selection};
use crate::unordered::{Unordered, UnorderedError};

impl Reader<'_> {
    /// Items, separator and limits of `unordered!` as a group.
    pub(super) fn unordered(
        &mut self,
        parts: &[ExprId],
        mut limits: Unordered,
        index: usize,
        span: Span,
    ) -> Part {
        let marks = self.marks[index];
        if marks & UNDER != 0 {
            self.not_regular(marks, "`unordered!`".to_owned(), span);
            return Part::Nothing;
        }
        let items = parts.len() - usize::from(limits.has_separator);
        let bounds = |item: &ExprId| match &self.ast.exprs[item.index()].kind {
            ExprKind::Repeat { quantifier, .. } => quantifier.bounds(),
            ExprKind::Distinct(_) => (0, None),
            _ => (1, Some(1)),
        };
        limits.items.reserve_exact(items);
        for item in &parts[..items] {
            if self.stop.after(1) {
                return Part::Nothing;
            }
            limits.items.push(bounds(item));
        }
        let is_distinct = |item: &ExprId| matches!(self.ast.exprs[item.index()].kind, ExprKind::Distinct(_));
        let mut distinct = (0..).zip(&parts[..items]).filter(|(_, item)| is_distinct(item));
        limits.distinct = distinct.next().map(|(item, _)| item);
        if distinct.next().is_some() {
            self.report(ErrorKind::Unordered(UnorderedError::SeveralDistinct), span);
        }
        if let Err(error) = limits.closures() {
            self.report(ErrorKind::Unordered(error), span);
        }
        let spans = parts.iter().map(|part| self.ast.exprs[part.index()].span).collect();
        let mut productions = Vec::with_capacity(parts.len());
        for &part in parts {
            if self.stop.after(1) {
                return Part::Nothing;
            }
            let factor = self.take_factor(part);
            let atom = match factor.as_nonterminal() {
                Some(id) => Atom::Nonterminal(id),
                None => self.group(vec![vec![factor]]),
            };
            productions.push(vec![Factor::once(atom)]);
        }
        let group = self.group(productions);
        if let Some(variable) = self.variables.last_mut() {
            variable.unordered = Some(Box::new(Selection { unordered: limits, spans, span }));
        }
        Part::Factor(Factor::once(group))
    }

    /// The operand of `distinct!`, which is a terminal that always has another text.
    pub(super) fn distinct(&mut self, child: ExprId, index: usize, span: Span) -> Part {
        let marks = self.marks[index];
        if marks & UNDER != 0 {
            self.not_regular(marks, "`distinct!`".to_owned(), span);
            return Part::Nothing;
        }
        if marks & IS_ITEM == 0 {
            self.report(ErrorKind::MisplacedDistinct, span);
            return Part::Nothing;
        }
        let Some(terminal) = self.take_terminal(child) else { return Part::Nothing };
        let has_many = match self.terminals.lower_unless(terminal, self.store, || self.stop.is_stopped()) {
            Ok(Some(language)) => {
                analysis::has_distinct_values(&mut self.store, language, analysis::MORE_THAN_ANY_LIST)
            }
            Ok(None) => Ok(false),
            Err(error) => Err(error),
        };
        match has_many {
            Ok(true) => {}
            Ok(false) => self.report(ErrorKind::FewTexts, span),
            Err(error) => self.report(describe(&error).0, span),
        }
        Part::Factor(Factor::terminal(terminal))
    }
}
