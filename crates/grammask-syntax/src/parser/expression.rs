//! The right side of a rule to an expression. An operator-precedence parser with its own stacks, so that nesting costs
//! memory and no recursion.

use crate::ast::check::{is_bound, is_numeral};
use crate::ast::{Comparison, ExceptOperand, ExprId, ExprKind, Quantifier, Span};
use crate::error::{ErrorKind, MAX_BOUND, MAX_BOUND_DIGITS, MAX_DIGITS, shorten};
use crate::parser::lexer::{Bracket, Quoted, TokenKind};
use crate::parser::unordered::Limits;
use crate::parser::{Parser, limit};

/// An expression with the span that includes its parentheses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    pub(crate) expr: ExprId,
    outer: Span,
}

/// What makes an expression of the one that it is put around.
type Around = fn(ExprId) -> ExprKind;

/// An open group, or a rule's body. The numbers are places in the parser's stacks, where what belongs to it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The bracket and its place; `None` for a rule's body.
    open: Option<(Bracket, Span)>,
    pub(crate) alternatives: usize,
    pub(crate) sequence: usize,
    pub(crate) conjunction: usize,
    nots: usize,
    /// Where `json!` or `distinct!` stands before the bracket, and what it makes of the group.
    bang: Option<(usize, Around)>,
    /// For `unordered!`: where it begins, its first item, and its separator if that has begun.
    pub(crate) selection: Option<Selection>,
}

/// An open `unordered!`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection {
    pub(crate) start: usize,
    pub(crate) items: usize,
    pub(crate) separator: Option<usize>,
}

/// What an operand follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// The beginning of a body or group.
    Start,
    Bar,
    Comma,
    Ampersand,
    Tilde,
    /// Another operand.
    Operand,
    /// Something that was reported.
    Reported,
}

impl Parser<'_> {
    /// Reads alternatives up to the end of the rule.
    pub(crate) fn body(&mut self, rule: &str) -> ExprId {
        self.values.clear();
        self.frames.clear();
        self.nots.clear();
        self.open_frame(None);
        let mut after = After::Start;
        loop {
            if !self.operand(&mut after, rule) {
                continue;
            }
            if let Some(next) = self.operators() {
                after = next;
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

    pub(crate) fn push_value(&mut self, kind: ExprKind, span: Span) {
        let expr = self.push(kind, span);
        self.values.push(Value { expr, outer: span });
    }

    /// Stands for an operand that was reported as wrong or missing.
    pub(crate) fn push_stand_in(&mut self) {
        let here = Span::new(self.previous_end, self.previous_end);
        self.push_value(ExprKind::Text(String::new().into()), here);
    }

    pub(crate) fn open_frame(&mut self, open: Option<(Bracket, Span)>) {
        let here = self.values.len();
        let nots = self.nots.len();
        self.frames.push(Frame {
            open,
            alternatives: here,
            sequence: here,
            conjunction: here,
            nots,
            selection: None,
            bang: None,
        });
    }

    pub(crate) fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the body's frame is at the bottom")
    }

    /// Whether one more group or `~` may be opened.
    pub(crate) fn may_nest(&mut self) -> bool {
        let depth = self.frames.len() + self.nots.len();
        let maximum = self.config.max_nesting;
        if depth > maximum {
            self.stop(limit("max_nesting", maximum, depth), self.current.span);
        }
        depth <= maximum
    }

    pub(crate) fn at_operand(&self) -> bool {
        matches!(
            self.current.kind,
            TokenKind::Identifier
                | TokenKind::Quoted(..)
                | TokenKind::SpecialName
                | TokenKind::SpecialId(_)
                | TokenKind::Except
                | TokenKind::Unordered
                | TokenKind::Json
                | TokenKind::Distinct
                | TokenKind::Multiple
                | TokenKind::Compared(_)
                | TokenKind::Tilde
                | TokenKind::Open(_)
                | TokenKind::Bad
        )
    }

    /// Reads what begins an operand; `true` when the operand is the last value, `false` when more must be read first.
    fn operand(&mut self, after: &mut After, rule: &str) -> bool {
        if self.at_body_end() {
            self.missing_operand(*after, rule);
            return true;
        }
        if let TokenKind::Quoted(quoted, content) = &mut self.current.kind {
            let content = std::mem::take(content);
            let kind = match quoted {
                Quoted::Text => ExprKind::Text(content.into()),
                Quoted::Regex => ExprKind::Regex(content.into()),
                Quoted::Early => ExprKind::Early(content.into()),
                Quoted::Without => ExprKind::Without(content.into()),
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
            TokenKind::Except => self.except(),
            TokenKind::Unordered => return self.unordered(after),
            TokenKind::Multiple => self.multiple(None),
            TokenKind::Compared(comparison) => self.multiple(Some(comparison)),
            TokenKind::Json => return self.banged("json", ExprKind::Json, after),
            TokenKind::Distinct => return self.banged("distinct", ExprKind::Distinct, after),
            TokenKind::Tilde => {
                if self.may_nest() {
                    self.nots.push(self.current.span.start);
                    self.bump();
                    *after = After::Tilde;
                }
                return false;
            }
            TokenKind::Open(_) if at_bounds => {
                self.error(ErrorKind::NothingToRepeat, self.current.span);
                self.postfix();
                self.push_stand_in();
            }
            TokenKind::Open(bracket) => {
                if self.may_nest() {
                    let span = self.bump().span;
                    self.open_frame(Some((bracket, span)));
                    *after = After::Start;
                }
                return false;
            }
            TokenKind::Postfix(_) => {
                self.error(ErrorKind::NothingToRepeat, self.current.span);
                self.bump();
                self.push_stand_in();
            }
            TokenKind::Comma => {
                self.error(ErrorKind::MissingLeft { before: ',' }, self.current.span);
                self.bump();
                *after = After::Reported;
                return false;
            }
            TokenKind::Ampersand => {
                self.error(ErrorKind::MissingLeft { before: '&' }, self.current.span);
                self.push_stand_in();
            }
            TokenKind::Bar | TokenKind::Close(_) | TokenKind::Semicolon => self.missing_operand(*after, rule),
            TokenKind::Bad => {
                let span = self.bump().span;
                if self.lexer.slice(span).ends_with('!')
                    && self.current.kind == TokenKind::Open(Bracket::Round)
                {
                    // What an unknown operator takes is unknown as well.
                    self.bump();
                    self.skip_parentheses(true);
                }
                self.push_stand_in();
            }
            _ => {
                let found = self.describe_current();
                self.error_here(ErrorKind::Unexpected { found });
                self.bump();
                self.push_stand_in();
            }
        }
        true
    }

    /// Reports that an operand is missing before the current token.
    fn missing_operand(&mut self, after: After, rule: &str) {
        let span = self.current.span;
        let group = self.frame().open;
        let kind = match (after, &self.current.kind) {
            (After::Reported | After::Operand, _) => None,
            (After::Comma, _) => Some(ErrorKind::MissingOperand { after: ',' }),
            (After::Ampersand, _) => Some(ErrorKind::MissingOperand { after: '&' }),
            (After::Tilde, _) => Some(ErrorKind::MissingOperand { after: '~' }),
            (After::Bar, _) | (After::Start, TokenKind::Bar) => Some(ErrorKind::EmptyAlternative),
            (After::Start, _) if group.is_none() => Some(ErrorKind::EmptyRule { rule: shorten(rule) }),
            (After::Start, TokenKind::Close(_) | TokenKind::Semicolon) => Some(ErrorKind::EmptyGroup),
            // The group is unclosed, which is said elsewhere.
            (After::Start, _) => None,
        };
        match (kind, group) {
            (Some(ErrorKind::EmptyGroup), Some((_, open))) => {
                self.error(ErrorKind::EmptyGroup, Span::new(open.start, span.end));
            }
            (Some(kind), _) => self.error_here(kind),
            (None, _) => {}
        }
        self.missing_at = Some(span.start);
        self.push_stand_in();
    }

    /// Goes on behind an operand, through postfixes, operators and closing brackets, to the next operand; `None` at the
    /// end of the rule.
    fn operators(&mut self) -> Option<After> {
        self.postfixes();
        loop {
            if self.at_body_end() {
                return None;
            }
            let here = self.values.len();
            match self.current.kind {
                TokenKind::Ampersand => {
                    self.bump();
                    return Some(After::Ampersand);
                }
                TokenKind::Comma if self.in_items() => {
                    self.next_part();
                    return Some(After::Comma);
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
                    return Some(After::Comma);
                }
                TokenKind::Bar => {
                    self.close_sequence();
                    self.bump();
                    let here = self.values.len();
                    let frame = self.frame();
                    (frame.sequence, frame.conjunction) = (here, here);
                    return Some(After::Bar);
                }
                TokenKind::Close(bracket) if self.frames.len() > 1 => self.close_group(bracket),
                TokenKind::Close(bracket) => {
                    self.unmatched_close(bracket);
                }
                _ if self.at_operand() => {
                    self.close_conjunction();
                    self.frame().conjunction = self.values.len();
                    return Some(After::Operand);
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

    fn close_group(&mut self, found: Bracket) {
        let close = self.bump().span;
        let Some(frame) = self.frames.pop() else { return };
        self.close_alternatives(frame);
        if let (Some(selection), Bracket::Round) = (frame.selection, found) {
            self.push_unordered(selection, Limits::default());
        } else if let Some((bracket, open)) = frame.open {
            if bracket != found {
                let (found, open_character) = (found.close(), bracket.open());
                self.error(ErrorKind::MismatchedClose { found, open: open_character, opened: open }, close);
            }
            let outer = Span::new(open.start, close.end);
            match bracket {
                Bracket::Round => match frame.bang {
                    Some((start, kind)) => self.wrap(Span::new(start, close.end), kind),
                    None => self.top().outer = outer,
                },
                Bracket::Square => self.wrap(outer, |expr| repeat(expr, Quantifier::Option)),
                Bracket::Curly => self.wrap(outer, |expr| repeat(expr, Quantifier::Star)),
            }
        }
        self.postfixes();
    }

    fn top(&mut self) -> &mut Value {
        self.values.last_mut().expect("an operand is on the stack")
    }

    /// Puts an expression around the last value.
    fn wrap(&mut self, span: Span, kind: impl FnOnce(ExprId) -> ExprKind) {
        let inner = self.top().expr;
        let expr = self.push(kind(inner), span);
        *self.top() = Value { expr, outer: span };
    }

    /// Applies the postfix and the prefixes of the last value.
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

    /// Whether a brace opens bounds: no group of KBNF begins with a digit or a comma.
    pub(crate) fn at_bounds(&mut self) -> bool {
        self.current.kind == TokenKind::Open(Bracket::Curly)
            && matches!(self.peek_second(), TokenKind::Integer(_) | TokenKind::Comma)
    }

    /// Reads a postfix; `None` for bounds that were reported.
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
            _ if min > MAX_BOUND => self.error(ErrorKind::BoundTooLarge, min_span),
            Some(max) if max > MAX_BOUND => self.error(ErrorKind::BoundTooLarge, max_span),
            Some(max) if min > max => self.error(ErrorKind::BoundsReversed { min, max }, span),
            _ => return Some(Quantifier::Bounds { min, max }),
        }
        None
    }

    /// Reads a bound and its place, if there is one; what does not fit becomes a number that is too large as well.
    fn bound(&mut self) -> Option<(u32, Span)> {
        let TokenKind::Integer(value) = self.current.kind else { return None };
        let value = value.and_then(|value| u32::try_from(value).ok()).unwrap_or(u32::MAX);
        Some((value, self.bump().span))
    }

    fn close_conjunction(&mut self) {
        let base = self.frame().conjunction;
        self.collapse(base, |parts| ExprKind::And(parts.into()));
    }

    fn close_sequence(&mut self) {
        self.close_conjunction();
        let base = self.frame().sequence;
        self.collapse(base, |parts| ExprKind::Sequence(parts.into()));
    }

    /// Leaves one value of what belongs to a frame.
    pub(crate) fn close_alternatives(&mut self, frame: Frame) {
        self.collapse(frame.conjunction, |parts| ExprKind::And(parts.into()));
        self.collapse(frame.sequence, |parts| ExprKind::Sequence(parts.into()));
        self.collapse(frame.alternatives, |parts| ExprKind::Alternatives(parts.into()));
    }

    /// Makes one value of all from `base` on.
    fn collapse(&mut self, base: usize, kind: impl FnOnce(Vec<ExprId>) -> ExprKind) {
        let [first, .., last] = self.values[base..] else { return };
        let span = Span::new(first.outer.start, last.outer.end);
        let parts = self.values.drain(base..).map(|value| value.expr).collect();
        self.push_value(kind(parts), span);
    }

    /// Reads `except!(X)` or `except!(X, n)`, and pushes it.
    fn except(&mut self) {
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
                self.push_stand_in();
            }
        }
    }

    /// The parts of `except!`, or what was expected in place of the current token.
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

    /// Reads `json!(` or its like, and leaves what follows to the group; `true` where it is reported, and stood for.
    fn banged(&mut self, name: &'static str, kind: Around, after: &mut After) -> bool {
        if !self.may_nest() {
            return false;
        }
        let start = self.bump().span.start;
        if self.current.kind != TokenKind::Open(Bracket::Round) {
            let found = self.describe_current();
            self.error_here(ErrorKind::NoParenthesis { name, found });
            self.push_stand_in();
            return true;
        }
        let open = self.bump().span;
        self.open_frame(Some((Bracket::Round, open)));
        self.frame().bang = Some((start, kind));
        *after = After::Start;
        false
    }

    /// Reads `multiple!(0.25)`, or `atleast!(0.25)` and its like, and pushes it.
    fn multiple(&mut self, comparison: Option<Comparison>) {
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
            self.error_here(ErrorKind::MalformedMultiple { name, expected, found });
            self.skip_parentheses(is_open);
            self.push_stand_in();
            return;
        }
        let span = self.bump().span;
        let numeral = self.lexer.slice(span).to_owned();
        let (is_right, most) = match comparison {
            None => (is_numeral(&numeral), MAX_DIGITS),
            Some(_) => (is_bound(&numeral), MAX_BOUND_DIGITS),
        };
        if !is_right {
            let digits = numeral.bytes().filter(u8::is_ascii_digit).count();
            let is_long = digits > most;
            let kind =
                if is_long { ErrorKind::NumeralTooLong { digits, most } } else { ErrorKind::MultipleOfZero };
            self.error(kind, span);
        }
        if self.current.kind == TokenKind::Close(Bracket::Round) {
            self.bump();
        } else {
            let found = self.describe_current();
            self.error_here(ErrorKind::MalformedMultiple { name, expected: "`)`", found });
            self.skip_parentheses(true);
        }
        let kind = match comparison {
            None => ExprKind::Multiple(numeral.into()),
            Some(comparison) => ExprKind::Compared(comparison, numeral.into()),
        };
        self.push_value(kind, Span::new(start, self.previous_end));
    }

    /// Skips to behind the parenthesis that closes an open one, but not over the end of the rule.
    pub(crate) fn skip_parentheses(&mut self, is_open: bool) {
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

fn repeat(expr: ExprId, quantifier: Quantifier) -> ExprKind {
    ExprKind::Repeat { expr, quantifier }
}
