//! Parses the operands of `unordered!`: items, a separator, bounds and requirements. The parser of bodies
//! reads the items and the separator like other groups, and calls this module at their ends.

use grammask_work::narrow;

use crate::ast::{ExprKind, Quantifier, Span, Unordered};
use crate::error::ErrorKind;
use crate::parser::Parser;
use crate::parser::expression::{OpenUnordered, Preceding};
use crate::parser::lexer::{Bracket, TokenKind};

/// The conditions after the separator: bounds on the number of items, and requirements between items.
#[derive(Default)]
pub(crate) struct Conditions {
    min: u32,
    max: Option<u32>,
    requires: Vec<(u32, u32)>,
}

impl Parser<'_> {
    /// Returns true if the innermost open group is that of `unordered!`.
    pub(crate) fn in_unordered(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.unordered.is_some())
    }

    /// Returns true if a comma ends an item of `unordered!` here.
    pub(crate) fn in_items(&self) -> bool {
        let unordered = self.frames.last().and_then(|frame| frame.unordered);
        unordered.is_some_and(|unordered| unordered.separator.is_none())
    }

    /// Reads `unordered!(`, and opens its group. Returns false if the first item must be read next. Returns
    /// true after an error, with a placeholder on the stack.
    pub(crate) fn unordered(&mut self, preceding: &mut Preceding) -> bool {
        if !self.may_nest() {
            return false;
        }
        let start = self.bump().span.start;
        if self.current.kind != TokenKind::Open(Bracket::Round) {
            self.malformed("`(`");
            self.push_placeholder();
            return true;
        }
        let span = self.bump().span;
        let items = self.values.len();
        self.open_frame(Some((Bracket::Round, span)));
        self.frame().unordered = Some(OpenUnordered { start, items, separator: None });
        *preceding = Preceding::Start;
        false
    }

    /// Ends an item at its comma, or the last item or the separator at its semicolon.
    pub(crate) fn next_part(&mut self) {
        let frame = *self.frame();
        self.close_alternatives(frame);
        self.bump();
        let here = self.values.len();
        let frame = self.frame();
        (frame.alternatives, frame.sequence, frame.conjunction) = (here, here, here);
    }

    /// Reads a semicolon. Returns the context of the separator if its operand comes next. Otherwise parses
    /// the rest of the `unordered!`, and returns `None`.
    pub(crate) fn next_section(&mut self) -> Option<Preceding> {
        let mut unordered = self.frame().unordered?;
        let in_items = unordered.separator.is_none();
        self.next_part();
        if in_items {
            if !matches!(self.current.kind, TokenKind::Semicolon | TokenKind::Close(Bracket::Round)) {
                unordered.separator = Some(self.values.len());
                self.frame().unordered = Some(unordered);
                return Some(Preceding::Start);
            }
            if self.current.kind == TokenKind::Semicolon {
                self.bump();
            }
        }
        let items = unordered.separator.unwrap_or(self.values.len()) - unordered.items;
        match self.conditions(items) {
            Ok(conditions) => {
                self.frames.pop();
                self.push_unordered(unordered, conditions);
            }
            Err(expected) => {
                self.malformed(expected);
                self.skip_parentheses(true);
                self.frames.pop();
                self.values.truncate(unordered.items);
                self.push_placeholder();
            }
        }
        self.postfixes();
        None
    }

    /// Parses bounds, requirements and the closing parenthesis, for a number of items. On failure, returns a
    /// description of the expected token.
    fn conditions(&mut self, items: usize) -> Result<Conditions, &'static str> {
        let mut conditions = Conditions::default();
        if self.at_bounds()
            && let Some(Quantifier::Bounds { min, max }) = self.postfix()
        {
            (conditions.min, conditions.max) = (min, max);
        }
        if self.current.kind == TokenKind::Semicolon {
            self.lexer.arrows = true;
            self.bump();
            let requires = self.requirements(items);
            self.lexer.arrows = false;
            conditions.requires = requires?;
        }
        if self.current.kind != TokenKind::Close(Bracket::Round) {
            return Err("`)`");
        }
        self.bump();
        Ok(conditions)
    }

    /// Parses the list of requirements `i -> j`.
    fn requirements(&mut self, items: usize) -> Result<Vec<(u32, u32)>, &'static str> {
        let mut requires = Vec::new();
        if self.current.kind == TokenKind::Close(Bracket::Round) {
            return Ok(requires);
        }
        loop {
            let from = self.item_number(items)?;
            if self.current.kind != TokenKind::Arrow {
                return Err("`->`");
            }
            self.bump();
            requires.push((from, self.item_number(items)?));
            if self.current.kind != TokenKind::Comma {
                return Ok(requires);
            }
            self.bump();
        }
    }

    /// Parses the number of an item. Reports a number that is not below `items`.
    fn item_number(&mut self, items: usize) -> Result<u32, &'static str> {
        let TokenKind::Integer(value) = self.current.kind else { return Err("the number of an item") };
        let index = value.unwrap_or(u64::MAX);
        let span = self.bump().span;
        match usize::try_from(index) {
            Ok(index) if index < items => Ok(narrow(index)),
            _ => {
                self.error(ErrorKind::UnknownItem { index, last: narrow(items.saturating_sub(1)) }, span);
                Ok(0)
            }
        }
    }

    /// Replaces the items and the separator by one operand.
    pub(crate) fn push_unordered(&mut self, unordered: OpenUnordered, conditions: Conditions) {
        let parts = self.values.drain(unordered.items..).map(|value| value.expr).collect();
        let Conditions { min, max, requires } = conditions;
        let has_separator = unordered.separator.is_some();
        let kind = ExprKind::Unordered(Unordered { parts, has_separator, min, max, requires }.into());
        self.push_value(kind, Span::new(unordered.start, self.previous_end));
    }

    /// Reports the current token in place of an expected one.
    fn malformed(&mut self, expected: &'static str) {
        let found = self.describe_current();
        self.error_here(ErrorKind::MalformedUnordered { expected, found });
    }
}
