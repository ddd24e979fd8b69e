//! Parses the body of a rule. An operator-precedence parser with explicit stacks, so that nesting takes
//! memory and no recursion.
//!
//! # Source
//!
//! R. W. Floyd, "Syntactic analysis and operator precedence", Journal of the ACM 10 (1963).

use crate::ast::notation::MAX_REPETITIONS;
use crate::ast::{Escapes, ExprId, ExprKind, Quantifier, SchemaText, Span};
use crate::error::{ErrorKind, shorten};
use crate::parser::Parser;
use crate::parser::lexer::{Bracket, Quoted, TokenKind};
use crate::parser::unordered::Conditions;

/// An operand on the stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    pub(crate) expr: ExprId,
    /// Span of the expression, including its parentheses.
    outer: Span,
}

/// Constructor of an expression with one child.
pub(crate) type Wrapper = fn(ExprId) -> ExprKind;

/// An open group, or the body of a rule. Stack indices say where the operands of each level begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The opening bracket and its span. `None` for the body of a rule.
    open: Option<(Bracket, Span)>,
    /// Index into `values` of the first alternative.
    pub(crate) alternatives: usize,
    /// Index into `values` of the first part of the current sequence.
    pub(crate) sequence: usize,
    /// Index into `values` of the first operand of the current `&`.
    pub(crate) conjunction: usize,
    /// Index into `nots` of the first `~` in this group.
    nots: usize,
    /// Byte offset of `json!` or `distinct!` before the bracket, and the constructor of its expression.
    pub(crate) operator: Option<(usize, Wrapper)>,
    /// The name in `capture!`, if this is its group.
    pub(crate) capture: Option<Span>,
    /// The operands of `unordered!`, if this is its group.
    pub(crate) unordered: Option<OpenUnordered>,
}

/// An open `unordered!`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenUnordered {
    /// Byte offset of the operator.
    pub(crate) start: usize,
    /// Index into `values` of the first item.
    pub(crate) items: usize,
    /// Index into `values` of the separator, once it has begun.
    pub(crate) separator: Option<usize>,
}

/// The token before an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Preceding {
    /// The beginning of a body or of a group.
    Start,
    Bar,
    Comma,
    Ampersand,
    Tilde,
    /// Another operand.
    Operand,
    /// A token that was reported as an error.
    Reported,
}

impl Parser<'_> {
    /// Parses alternatives up to the end of the rule.
    pub(crate) fn body(&mut self, rule: &str) -> ExprId {
        self.values.clear();
        self.frames.clear();
        self.nots.clear();
        self.open_frame(None);
        let mut preceding = Preceding::Start;
        loop {
            if !self.operand(&mut preceding, rule) {
                continue;
            }
            if let Some(next) = self.operators() {
                preceding = next;
                continue;
            }
            if let [_, opened @ ..] = &self.frames[..]
                && let Some((bracket, span)) = opened.last().and_then(|frame| frame.open)
            {
                let more = opened.len() - 1;
                if !self.lexer.truncated {
                    self.error(ErrorKind::UnclosedGroup { open: bracket.open(), more }, span);
                }
            }
            let frame = self.frames[0];
            self.close_alternatives(frame);
            return self.values.first().map_or(ExprId(0), |value| value.expr);
        }
    }

    /// Adds an expression to the tree and to the stack of operands.
    pub(crate) fn push_value(&mut self, kind: ExprKind, span: Span) {
        let expr = self.push(kind, span);
        self.values.push(Value { expr, outer: span });
    }

    /// Pushes a placeholder for an operand that was reported as wrong or missing.
    pub(crate) fn push_placeholder(&mut self) {
        let here = Span::new(self.previous_end, self.previous_end);
        self.push_value(ExprKind::Text(String::new().into()), here);
    }

    /// Opens a group.
    pub(crate) fn open_frame(&mut self, open: Option<(Bracket, Span)>) {
        let here = self.values.len();
        let nots = self.nots.len();
        self.frames.push(Frame {
            open,
            alternatives: here,
            sequence: here,
            conjunction: here,
            nots,
            unordered: None,
            operator: None,
            capture: None,
        });
    }

    /// Returns the innermost open group.
    pub(crate) fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the frame of the body is at the bottom")
    }

    /// Returns true if the current token begins an operand.
    pub(crate) fn at_operand(&self) -> bool {
        matches!(
            self.current.kind,
            TokenKind::Identifier
                | TokenKind::Quoted(..)
                | TokenKind::SpecialName
                | TokenKind::SpecialId(_)
                | TokenKind::SpecialIds(..)
                | TokenKind::Special
                | TokenKind::Marker
                | TokenKind::ChunkRuns
                | TokenKind::Capture
                | TokenKind::Schema(_)
                | TokenKind::Except
                | TokenKind::Unordered
                | TokenKind::Json(_)
                | TokenKind::Distinct
                | TokenKind::Multiple
                | TokenKind::Compared(_)
                | TokenKind::Tilde
                | TokenKind::Open(_)
                | TokenKind::Bad
        )
    }

    /// Reads the beginning of an operand. Returns true if the operand is complete and on the stack, and false
    /// if another operand must be read first.
    fn operand(&mut self, preceding: &mut Preceding, rule: &str) -> bool {
        if self.at_body_end() {
            self.missing_operand(*preceding, rule);
            return true;
        }
        if let TokenKind::Quoted(quoted, content) = &mut self.current.kind {
            let content = std::mem::take(content);
            let kind = match quoted {
                Quoted::Text => ExprKind::Text(content.into()),
                Quoted::Regex => ExprKind::Regex(content.into()),
                Quoted::PrefixMinimal => ExprKind::PrefixMinimal(content.into()),
                Quoted::NotContaining => ExprKind::NotContaining(content.into()),
                Quoted::Substrings => ExprKind::Substrings(content.into()),
            };
            let span = self.bump().span;
            self.push_value(kind, span);
            return true;
        }
        let at_bounds = self.at_bounds();
        match self.current.kind {
            TokenKind::Identifier => {
                let name = self.name();
                self.push_value(ExprKind::Nonterminal(name.text.into()), name.span);
            }
            TokenKind::SpecialName => {
                let span = self.bump().span;
                self.push_value(ExprKind::SpecialName(self.lexer.slice(span).into()), span);
            }
            TokenKind::SpecialId(id) => {
                let span = self.bump().span;
                self.push_value(ExprKind::SpecialId(id), span);
            }
            TokenKind::SpecialIds(first, last) => {
                let span = self.current.span;
                self.error(ErrorKind::IdsOutsideSpecial { first, last }, span);
                self.bump();
                self.push_placeholder();
            }
            TokenKind::Special => self.special_set(),
            TokenKind::Marker => self.marker(),
            TokenKind::ChunkRuns => self.chunk_runs(),
            TokenKind::Capture => return self.capture(preceding),
            TokenKind::Schema(json) => {
                let span = self.bump().span;
                let text = self.lexer.slice(json).into();
                self.push_value(ExprKind::Schema(Box::new(SchemaText { text, span: json })), span);
            }
            TokenKind::Except => self.except(),
            TokenKind::Unordered => return self.unordered(preceding),
            TokenKind::Multiple => self.number(None),
            TokenKind::Compared(comparison) => self.number(Some(comparison)),
            TokenKind::Json(escapes) => {
                let wrapper = match escapes {
                    Escapes::Any => |expr| ExprKind::Json(expr, Escapes::Any),
                    Escapes::Short => |expr| ExprKind::Json(expr, Escapes::Short),
                    Escapes::Required => |expr| ExprKind::Json(expr, Escapes::Required),
                };
                return self.wrapping_operator(escapes.operator(), wrapper, preceding);
            }
            TokenKind::Distinct => return self.wrapping_operator("distinct", ExprKind::Distinct, preceding),
            TokenKind::Tilde => {
                if self.may_nest() {
                    self.nots.push(self.current.span.start);
                    self.bump();
                    *preceding = Preceding::Tilde;
                }
                return false;
            }
            TokenKind::Open(_) if at_bounds => {
                self.error(ErrorKind::NothingToRepeat, self.current.span);
                self.postfix();
                self.push_placeholder();
            }
            TokenKind::Open(bracket) => {
                if self.may_nest() {
                    let span = self.bump().span;
                    self.open_frame(Some((bracket, span)));
                    *preceding = Preceding::Start;
                }
                return false;
            }
            TokenKind::Postfix(_) => {
                self.error(ErrorKind::NothingToRepeat, self.current.span);
                self.bump();
                self.push_placeholder();
            }
            TokenKind::Comma => {
                self.error(ErrorKind::MissingLeftOperand { before: ',' }, self.current.span);
                self.bump();
                *preceding = Preceding::Reported;
                return false;
            }
            TokenKind::Ampersand => {
                self.error(ErrorKind::MissingLeftOperand { before: '&' }, self.current.span);
                self.push_placeholder();
            }
            TokenKind::Bar | TokenKind::Close(_) | TokenKind::Semicolon => {
                self.missing_operand(*preceding, rule);
            }
            TokenKind::Bad => {
                let span = self.bump().span;
                if self.lexer.slice(span).ends_with('!')
                    && self.current.kind == TokenKind::Open(Bracket::Round)
                {
                    // The operands of an unknown operator have an unknown form.
                    self.bump();
                    self.skip_parentheses(true);
                }
                self.push_placeholder();
            }
            _ => {
                let found = self.describe_current();
                self.error_here(ErrorKind::Unexpected { found });
                self.bump();
                self.push_placeholder();
            }
        }
        true
    }

    /// Reports that an operand is missing before the current token.
    fn missing_operand(&mut self, preceding: Preceding, rule: &str) {
        let span = self.current.span;
        let group = self.frame().open;
        let kind = match (preceding, &self.current.kind) {
            (Preceding::Reported | Preceding::Operand, _) => None,
            (Preceding::Comma, _) => Some(ErrorKind::MissingOperand { after: ',' }),
            (Preceding::Ampersand, _) => Some(ErrorKind::MissingOperand { after: '&' }),
            (Preceding::Tilde, _) => Some(ErrorKind::MissingOperand { after: '~' }),
            (Preceding::Bar, _) | (Preceding::Start, TokenKind::Bar) => Some(ErrorKind::EmptyAlternative),
            (Preceding::Start, _) if group.is_none() => Some(ErrorKind::EmptyRule { rule: shorten(rule) }),
            (Preceding::Start, TokenKind::Close(_) | TokenKind::Semicolon) => Some(ErrorKind::EmptyGroup),
            // The unclosed group is reported elsewhere.
            (Preceding::Start, _) => None,
        };
        match (kind, group) {
            (Some(ErrorKind::EmptyGroup), Some((_, open))) => {
                self.error(ErrorKind::EmptyGroup, Span::new(open.start, span.end));
            }
            (Some(kind), _) => self.error_here(kind),
            (None, _) => {}
        }
        self.missing_at = Some(span.start);
        self.push_placeholder();
    }

    /// Reads postfixes, operators and closing brackets after an operand, up to the next operand. Returns
    /// `None` at the end of the rule.
    fn operators(&mut self) -> Option<Preceding> {
        self.postfixes();
        loop {
            if self.at_body_end() {
                return None;
            }
            let here = self.values.len();
            match self.current.kind {
                TokenKind::Ampersand => {
                    self.bump();
                    return Some(Preceding::Ampersand);
                }
                TokenKind::Comma if self.in_items() => {
                    self.next_part();
                    return Some(Preceding::Comma);
                }
                TokenKind::Semicolon => {
                    if let Some(after) = self.next_section() {
                        return Some(after);
                    }
                }
                TokenKind::Comma => {
                    self.close_conjunction();
                    self.bump();
                    self.frame().conjunction = self.values.len();
                    return Some(Preceding::Comma);
                }
                TokenKind::Bar => {
                    self.close_sequence();
                    self.bump();
                    let here = self.values.len();
                    let frame = self.frame();
                    (frame.sequence, frame.conjunction) = (here, here);
                    return Some(Preceding::Bar);
                }
                TokenKind::Close(bracket) if self.frames.len() > 1 => self.close_group(bracket),
                TokenKind::Close(bracket) => {
                    self.unmatched_close(bracket);
                }
                _ if self.at_operand() => {
                    self.close_conjunction();
                    self.frame().conjunction = self.values.len();
                    return Some(Preceding::Operand);
                }
                _ => {
                    let found = self.describe_current();
                    self.error_here(ErrorKind::Unexpected { found });
                    self.bump();
                }
            }
            debug_assert!(self.values.len() <= here, "closing only shortens the stack of values");
        }
    }

    /// Reports a closing bracket without an open one.
    fn unmatched_close(&mut self, found: Bracket) {
        let span = self.current.span;
        if found == Bracket::Round && self.lexer.text_before(span.start).ends_with('*') {
            let star = Span::new(span.start - 1, span.end);
            self.error(ErrorKind::UnmatchedCommentEnd, star);
        } else {
            self.error(ErrorKind::UnmatchedClose { found: found.close() }, span);
        }
        self.bump();
    }

    /// Reads a closing bracket, and closes the innermost group.
    fn close_group(&mut self, found: Bracket) {
        let close = self.bump().span;
        let Some(frame) = self.frames.pop() else { return };
        self.close_alternatives(frame);
        if let (Some(unordered), Bracket::Round) = (frame.unordered, found) {
            self.push_unordered(unordered, Conditions::default());
        } else if let Some((bracket, open)) = frame.open {
            if bracket != found {
                let (found, open_character) = (found.close(), bracket.open());
                self.error(ErrorKind::MismatchedClose { found, open: open_character, opened: open }, close);
            }
            let outer = Span::new(open.start, close.end);
            match bracket {
                Bracket::Round => match (frame.operator, frame.capture) {
                    (Some((start, _)), Some(name)) => {
                        let name = self.lexer.slice(name).into();
                        let span = Span::new(start, close.end);
                        self.wrap(span, |expr| ExprKind::Capture { name, expr });
                    }
                    (Some((start, wrapper)), None) => self.wrap(Span::new(start, close.end), wrapper),
                    (None, _) => self.top().outer = outer,
                },
                Bracket::Square => self.wrap(outer, |expr| repeat(expr, Quantifier::Option)),
                Bracket::Curly => self.wrap(outer, |expr| repeat(expr, Quantifier::Star)),
            }
        }
        self.postfixes();
    }

    /// Returns the last operand.
    fn top(&mut self) -> &mut Value {
        self.values.last_mut().expect("an operand is on the stack")
    }

    /// Replaces the last operand by an expression with it as its child.
    fn wrap(&mut self, span: Span, kind: impl FnOnce(ExprId) -> ExprKind) {
        let inner = self.top().expr;
        let expr = self.push(kind(inner), span);
        *self.top() = Value { expr, outer: span };
    }

    /// Reads the postfixes of the last operand, and applies them and its prefixes.
    pub(crate) fn postfixes(&mut self) {
        let mut count = 0;
        while matches!(self.current.kind, TokenKind::Postfix(_)) || self.at_bounds() {
            let start = self.current.span.start;
            let quantifier = self.postfix();
            count += 1;
            if count > 1 {
                self.error(ErrorKind::SecondPostfix, Span::new(start, self.previous_end));
            } else if let Some(quantifier) = quantifier {
                let span = Span::new(self.top().outer.start, self.previous_end);
                self.wrap(span, |expr| repeat(expr, quantifier));
            }
        }
        while self.nots.len() > self.frame().nots {
            let Some(start) = self.nots.pop() else { return };
            let span = Span::new(start, self.top().outer.end);
            self.wrap(span, ExprKind::Not);
        }
    }

    /// Returns true if the current token is a brace that opens bounds: no group begins with a digit or a
    /// comma.
    pub(crate) fn at_bounds(&mut self) -> bool {
        self.current.kind == TokenKind::Open(Bracket::Curly)
            && matches!(self.peek_second(), TokenKind::Integer(_) | TokenKind::Comma)
    }

    /// Reads a postfix. Returns `None` for bounds with an error, which it reports.
    pub(crate) fn postfix(&mut self) -> Option<Quantifier> {
        let first = self.bump();
        if let TokenKind::Postfix(quantifier) = first.kind {
            return Some(quantifier);
        }
        let min = self.bound();
        let has_comma = self.current.kind == TokenKind::Comma;
        if has_comma {
            self.bump();
        }
        let max = if has_comma { self.bound() } else { min };
        let is_closed = self.current.kind == TokenKind::Close(Bracket::Curly);
        while self.current.kind != TokenKind::Close(Bracket::Curly) && !self.at_body_end() {
            self.bump();
        }
        if self.current.kind == TokenKind::Close(Bracket::Curly) {
            self.bump();
        }
        let span = Span::new(first.span.start, self.previous_end);
        let Some((min, min_span)) = min.filter(|_| is_closed) else {
            self.error(ErrorKind::MalformedBounds, span);
            return None;
        };
        let (max, max_span) = max.map_or((None, min_span), |(max, span)| (Some(max), span));
        match max {
            _ if min > MAX_REPETITIONS => self.error(ErrorKind::BoundTooLarge, min_span),
            Some(max) if max > MAX_REPETITIONS => self.error(ErrorKind::BoundTooLarge, max_span),
            Some(max) if min > max => self.error(ErrorKind::BoundsReversed { min, max }, span),
            _ => return Some(Quantifier::Bounds { min, max }),
        }
        None
    }

    /// Reads a bound and its span. Returns `None` if there is no number. A number beyond 32 bits becomes
    /// `u32::MAX`, which is too large as well.
    fn bound(&mut self) -> Option<(u32, Span)> {
        let TokenKind::Integer(value) = self.current.kind else { return None };
        let value = value.and_then(|value| u32::try_from(value).ok()).unwrap_or(u32::MAX);
        Some((value, self.bump().span))
    }

    /// Replaces the operands of the current `&` by one operand.
    fn close_conjunction(&mut self) {
        let base = self.frame().conjunction;
        self.collapse(base, |parts| ExprKind::And(parts.into()));
    }

    /// Replaces the parts of the current sequence by one operand.
    fn close_sequence(&mut self) {
        self.close_conjunction();
        let base = self.frame().sequence;
        self.collapse(base, |parts| ExprKind::Sequence(parts.into()));
    }

    /// Replaces the operands of a group by one operand.
    pub(crate) fn close_alternatives(&mut self, frame: Frame) {
        self.collapse(frame.conjunction, |parts| ExprKind::And(parts.into()));
        self.collapse(frame.sequence, |parts| ExprKind::Sequence(parts.into()));
        self.collapse(frame.alternatives, |parts| ExprKind::Alternatives(parts.into()));
    }

    /// Replaces the operands from index `base` on by one operand, if there are at least two.
    fn collapse(&mut self, base: usize, kind: impl FnOnce(Vec<ExprId>) -> ExprKind) {
        let [first, .., last] = self.values[base..] else { return };
        let span = Span::new(first.outer.start, last.outer.end);
        let parts = self.values.drain(base..).map(|value| value.expr).collect();
        self.push_value(kind(parts), span);
    }
}

/// Returns a repetition of an expression.
fn repeat(expr: ExprId, quantifier: Quantifier) -> ExprKind {
    ExprKind::Repeat { expr, quantifier }
}
