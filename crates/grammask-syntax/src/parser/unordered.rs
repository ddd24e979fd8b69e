//! What stands in the parentheses of `unordered!`: items, a separator, bounds and needs. Items and separator are read with everything
//! else that nests; this file knows where one ends and what may stand behind them.

use crate::ast::{ExprKind, Quantifier, Span, Unordered};
use crate::error::ErrorKind;
use crate::parser::Parser;
use crate::parser::expression::{After, Selection};
use crate::parser::lexer::{Bracket, TokenKind};

/// What stands behind the separator.
#[derive(Default)]
pub(crate) struct Limits {
    min: u32,
    max: Option<u32>,
    needs: Vec<(u32, u32)>,
}

impl Parser<'_> {
    /// Whether the innermost thing that is open is `unordered!`.
    pub(crate) fn in_selection(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.selection.is_some())
    }

    /// Whether a comma ends an item here.
    pub(crate) fn in_items(&self) -> bool {
        let selection = self.frames.last().and_then(|frame| frame.selection);
        selection.is_some_and(|selection| selection.separator.is_none())
    }

    /// Reads `unordered!(`; `false` when the first item must be read next, `true` when something stands for the whole.
    pub(crate) fn unordered(&mut self, after: &mut After) -> bool {
        if !self.may_nest() {
            return false;
        }
        let start = self.bump().span.start;
        if self.current.kind != TokenKind::Open(Bracket::Round) {
            self.malformed("`(`");
            self.push_stand_in();
            return true;
        }
        let span = self.bump().span;
        let items = self.values.len();
        self.open_frame(Some((Bracket::Round, span)));
        self.frame().selection = Some(Selection { start, items, separator: None });
        *after = After::Start;
        false
    }

    /// Ends an item at its comma, or the last one at its semicolon.
    pub(crate) fn next_part(&mut self) {
        let frame = *self.frame();
        self.close_alternatives(frame);
        self.bump();
        let here = self.values.len();
        let frame = self.frame();
        (frame.alternatives, frame.sequence, frame.conjunction) = (here, here, here);
    }

    /// Goes on behind a semicolon: to a separator, whose operand comes next; or to the end of the whole.
    pub(crate) fn next_section(&mut self) -> Option<After> {
        let mut selection = self.frame().selection?;
        let in_items = selection.separator.is_none();
        self.next_part();
        if in_items {
            if !matches!(self.current.kind, TokenKind::Semicolon | TokenKind::Close(Bracket::Round)) {
                selection.separator = Some(self.values.len());
                self.frame().selection = Some(selection);
                return Some(After::Start);
            }
            if self.current.kind == TokenKind::Semicolon {
                self.bump();
            }
        }
        let items = selection.separator.unwrap_or(self.values.len()) - selection.items;
        let limits = self.limits(items);
        match limits {
            Ok(limits) => {
                self.frames.pop();
                self.push_unordered(selection, limits);
            }
            Err(expected) => {
                self.malformed(expected);
                self.skip_parentheses(true);
                self.frames.pop();
                self.values.truncate(selection.items);
                self.push_stand_in();
            }
        }
        self.postfixes();
        None
    }

    /// Reads bounds and needs, and the parenthesis; or says what was expected in place of the current token.
    fn limits(&mut self, items: usize) -> Result<Limits, &'static str> {
        let mut limits = Limits::default();
        if self.at_bounds()
            && let Some(Quantifier::Bounds { min, max }) = self.postfix()
        {
            (limits.min, limits.max) = (min, max);
        }
        if self.current.kind == TokenKind::Semicolon {
            self.lexer.arrows = true;
            self.bump();
            let needs = self.needs(items);
            self.lexer.arrows = false;
            limits.needs = needs?;
        }
        if self.current.kind != TokenKind::Close(Bracket::Round) {
            return Err("`)`");
        }
        self.bump();
        Ok(limits)
    }

    fn needs(&mut self, items: usize) -> Result<Vec<(u32, u32)>, &'static str> {
        let mut needs = Vec::new();
        if self.current.kind == TokenKind::Close(Bracket::Round) {
            return Ok(needs);
        }
        loop {
            let from = self.item_number(items)?;
            if self.current.kind != TokenKind::Arrow {
                return Err("`->`");
            }
            self.bump();
            needs.push((from, self.item_number(items)?));
            if self.current.kind != TokenKind::Comma {
                return Ok(needs);
            }
            self.bump();
        }
    }

    fn item_number(&mut self, items: usize) -> Result<u32, &'static str> {
        let TokenKind::Integer(value) = self.current.kind else { return Err("the number of an item") };
        let index = value.unwrap_or(u64::MAX);
        let span = self.bump().span;
        if index >= items as u64 {
            self.error(ErrorKind::NoSuchItem { index, last: items.saturating_sub(1) as u32 }, span);
            return Ok(0);
        }
        Ok(index as u32)
    }

    /// Makes one value of the items and the separator.
    pub(crate) fn push_unordered(&mut self, selection: Selection, limits: Limits) {
        let parts = self.values.drain(selection.items..).map(|value| value.expr).collect();
        let Limits { min, max, needs } = limits;
        let has_separator = selection.separator.is_some();
        let kind = ExprKind::Unordered(Unordered { parts, has_separator, min, max, needs }.into());
        self.push_value(kind, Span::new(selection.start, self.previous_end));
    }

    fn malformed(&mut self, expected: &'static str) {
        let found = self.describe_current();
        self.error_here(ErrorKind::MalformedUnordered { expected, found });
    }
}
