//! Reads `unordered!` and `distinct!`.

use grammask_regular::analysis;
use grammask_syntax::{ExprId, ExprKind, Span};

use super::flags::REGULAR;
use super::{IS_ITEM, Part, Reader, UNDER};
use crate::config::{Limit, LimitExceeded};
use crate::error::{ErrorKind, describe};
use crate::form::{Terminal, TerminalId};
use crate::grammar::{Atom, Factor, SpannedUnordered};
use crate::unordered::{Unordered, UnorderedError};

impl Reader<'_> {
    /// Reads the parts of an `unordered!` (items, then the separator) into a group. The items of `limits` are
    /// empty yet.
    pub(super) fn unordered(
        &mut self,
        parts: &[ExprId],
        mut limits: Unordered,
        index: usize,
        span: Span,
    ) -> Part {
        let flags = self.flags[index];
        if flags & UNDER != 0 {
            self.not_regular(flags, "`unordered!`".to_owned(), span);
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
            if self.cancellation.poll_after(1) {
                return Part::Nothing;
            }
            limits.items.push(bounds(item));
        }
        let is_distinct = |item: &ExprId| matches!(self.ast.exprs[item.index()].kind, ExprKind::Distinct(_));
        let mut distinct = (0..).zip(&parts[..items]).filter(|(_, item)| is_distinct(item));
        let first = distinct.next();
        limits.distinct = first.map(|(item, _)| item);
        limits.distinct_values = first.is_some_and(|(_, item)| match self.ast.exprs[item.index()].kind {
            ExprKind::Distinct(child) => self.flags[child.index()] & REGULAR == 0,
            _ => false,
        });
        if distinct.next().is_some() {
            self.report(ErrorKind::Unordered(UnorderedError::SeveralDistinct), span);
        }
        if let Err(kind) = self.check_requirements(&limits) {
            self.report(kind, span);
        }
        let spans = parts.iter().map(|part| self.ast.exprs[part.index()].span).collect();
        let mut productions = Vec::with_capacity(parts.len());
        for (number, &part) in (0..).zip(parts) {
            if self.cancellation.poll_after(1) {
                return Part::Nothing;
            }
            let factor = self.take_factor(part);
            if limits.distinct == Some(number)
                && !limits.distinct_values
                && let Some(terminal) = factor.as_terminal()
                // An operand with an error has become the empty text.
                && !matches!(self.terminals.get(terminal), Terminal::Text(text) if text.is_empty())
            {
                let span = self.ast.exprs[part.index()].span;
                self.check_distinct_texts(terminal, limits.max, span);
            }
            let atom = match factor.as_nonterminal() {
                Some(id) => Atom::Nonterminal(id),
                None => self.group(vec![vec![factor]]),
            };
            productions.push(vec![Factor::once(atom)]);
        }
        let group = self.group(productions);
        if let Some(variable) = self.variables.last_mut() {
            variable.unordered = Some(Box::new(SpannedUnordered { unordered: limits, spans, span }));
        }
        Part::Factor(Factor::once(group))
    }

    /// Checks that the requirements are within the limit.
    fn check_requirements(&self, unordered: &Unordered) -> Result<(), ErrorKind> {
        let (limit, value) = (Limit::MaxRequirements, self.config.limits.max_requirements);
        match unordered.requirement_closures() {
            Ok(closures) => {
                let found = closures.iter().map(|closure| closure.len()).sum();
                if found > value { Err(LimitExceeded::new(limit, value, found).into()) } else { Ok(()) }
            }
            Err(UnorderedError::TooManyRequirements { limit: value }) => {
                Err(LimitExceeded { limit, value: value as u64, found: None }.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Checks that the operand of `distinct!` has as many texts as an output can have items. So an unused
    /// text always remains.
    fn check_distinct_texts(&mut self, terminal: TerminalId, max: Option<u32>, span: Span) {
        let least = max.map_or(analysis::MORE_THAN_ANY_LIST, u64::from);
        let has_enough =
            match self.terminals.lower_cancellable(terminal, self.store, || self.cancellation.is_cancelled())
            {
                Ok(Some(language)) => analysis::has_distinct_values(self.store, language, least),
                Ok(None) => Ok(true),
                Err(error) => Err(error),
            };
        match has_enough {
            Ok(true) => {}
            Ok(false) => self.report(ErrorKind::TooFewDistinctTexts { least }, span),
            Err(error) => self.report(describe(&error).0, span),
        }
    }

    /// Reads the operand of `distinct!`.
    pub(super) fn distinct(&mut self, child: ExprId, index: usize, span: Span) -> Part {
        let flags = self.flags[index];
        if flags & UNDER != 0 {
            self.not_regular(flags, "`distinct!`".to_owned(), span);
            return Part::Nothing;
        }
        if flags & IS_ITEM == 0 {
            self.report(ErrorKind::MisplacedDistinct, span);
            return Part::Nothing;
        }
        if self.flags[child.index()] & REGULAR == 0 {
            return Part::Factor(self.take_factor(child));
        }
        let Some(terminal) = self.take_terminal(child) else { return Part::Nothing };
        Part::Factor(Factor::terminal(terminal))
    }
}
