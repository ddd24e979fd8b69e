//! Parses the operators with operands in parentheses: `except!`, `json!`, `distinct!`, `multiple!` and
//! comparisons.

use crate::ast::notation::{
    MAX_COMPARISON_DIGITS, MAX_MULTIPLE_DIGITS, is_comparison_numeral, is_multiple_numeral,
};
use crate::ast::{Comparison, ExceptOperand, ExprKind, Span};
use crate::error::ErrorKind;
use crate::parser::Parser;
use crate::parser::expression::{Preceding, Wrapper};
use crate::parser::lexer::{Bracket, Quoted, TokenKind};

impl Parser<'_> {
    /// Parses `except!(X)` or `except!(X, n)`, and pushes it.
    pub(super) fn except(&mut self) {
        let start = self.bump().span.start;
        match self.except_parts() {
            Ok((operand, max)) => {
                let span = Span::new(start, self.previous_end);
                self.push_value(ExprKind::Except { operand: Box::new(operand), max }, span);
            }
            Err(expected) => {
                let found = self.describe_current();
                self.error_here(ErrorKind::MalformedExcept { expected, found });
                self.skip_parentheses(expected != "`(`");
                self.push_placeholder();
            }
        }
    }

    /// Parses the operands of `except!`. On failure, returns a description of the expected token.
    fn except_parts(&mut self) -> Result<(ExceptOperand, Option<u64>), &'static str> {
        if self.current.kind != TokenKind::Open(Bracket::Round) {
            return Err("`(`");
        }
        self.bump();
        let operand = match &mut self.current.kind {
            TokenKind::Quoted(Quoted::Text, content) => {
                let content = std::mem::take(content);
                self.bump();
                ExceptOperand::Text(content.into())
            }
            TokenKind::Identifier => ExceptOperand::Nonterminal(self.name()),
            _ => return Err("a text or a nonterminal"),
        };
        let mut max = None;
        if self.current.kind == TokenKind::Comma {
            self.bump();
            let TokenKind::Integer(value) = self.current.kind else { return Err("a number of bytes") };
            if value.is_none() {
                self.error(ErrorKind::NumberTooLarge { maximum: u64::MAX }, self.current.span);
            }
            self.bump();
            max = value.filter(|&value| value > 0);
        }
        if self.current.kind != TokenKind::Close(Bracket::Round) {
            return Err(if max.is_none() { "`,` or `)`" } else { "`)`" });
        }
        self.bump();
        Ok((operand, max))
    }

    /// Reads `json!(` or `distinct!(`, and opens its group. Returns true after an error, with a placeholder
    /// on the stack.
    pub(super) fn wrapping_operator(
        &mut self,
        name: &'static str,
        wrapper: Wrapper,
        preceding: &mut Preceding,
    ) -> bool {
        if !self.may_nest() {
            return false;
        }
        let start = self.bump().span.start;
        if self.current.kind != TokenKind::Open(Bracket::Round) {
            let found = self.describe_current();
            self.error_here(ErrorKind::MissingParenthesis { name, found });
            self.push_placeholder();
            return true;
        }
        let open = self.bump().span;
        self.open_frame(Some((Bracket::Round, open)));
        self.frame().operator = Some((start, wrapper));
        *preceding = Preceding::Start;
        false
    }

    /// Parses `multiple!(0.25)`, or a comparison such as `atleast!(0.25)`, and pushes it.
    pub(super) fn number(&mut self, comparison: Option<Comparison>) {
        let name = comparison.map_or("multiple", Comparison::name);
        let start = self.bump().span.start;
        let is_open = self.current.kind == TokenKind::Open(Bracket::Round);
        if is_open {
            self.bump();
        }
        let is_number = matches!(self.current.kind, TokenKind::Integer(_) | TokenKind::Decimal);
        if !is_open || !is_number {
            let found = self.describe_current();
            let expected = if is_open { "a decimal numeral" } else { "`(`" };
            self.error_here(ErrorKind::MalformedNumber { name, expected, found });
            self.skip_parentheses(is_open);
            self.push_placeholder();
            return;
        }
        let span = self.bump().span;
        let numeral = self.lexer.slice(span).to_owned();
        let (is_valid, maximum) = match comparison {
            None => (is_multiple_numeral(&numeral), MAX_MULTIPLE_DIGITS),
            Some(_) => (is_comparison_numeral(&numeral), MAX_COMPARISON_DIGITS),
        };
        if !is_valid {
            let digits = numeral.bytes().filter(u8::is_ascii_digit).count();
            let kind = if digits > maximum {
                ErrorKind::NumeralTooLong { digits, maximum }
            } else {
                ErrorKind::MultipleOfZero
            };
            self.error(kind, span);
        }
        if self.current.kind == TokenKind::Close(Bracket::Round) {
            self.bump();
        } else {
            let found = self.describe_current();
            self.error_here(ErrorKind::MalformedNumber { name, expected: "`)`", found });
            self.skip_parentheses(true);
        }
        let kind = match comparison {
            None => ExprKind::Multiple(numeral.into()),
            Some(comparison) => ExprKind::Compared(comparison, numeral.into()),
        };
        self.push_value(kind, Span::new(start, self.previous_end));
    }

    /// Skips a group in parentheses, but not beyond the end of the rule. `is_open` is true if its `(` was
    /// read already.
    pub(super) fn skip_parentheses(&mut self, is_open: bool) {
        let mut depth = usize::from(is_open);
        while depth > 0 && !self.at_body_end() {
            match self.bump().kind {
                TokenKind::Open(Bracket::Round) => depth += 1,
                TokenKind::Close(Bracket::Round) => depth -= 1,
                _ => {}
            }
        }
    }
}
