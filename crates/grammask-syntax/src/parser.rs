//! The parser: entry points, rules and directives. After an error it continues with a placeholder or at the
//! next rule, so that one pass reports all errors.

use grammask_work::charge;

use crate::ast::{Ast, ExprId, ExprKind, Name, Quantifier, Rule, Span};
use crate::config::{Config, Limits};
use crate::error::{ErrorKind, ErrorSink, Errors, Limit, LimitExceeded, shorten};
use crate::parser::expression::{Frame, Value};
use crate::parser::lexer::{Lexer, Quoted, Token, TokenKind};
use crate::parser::recovery::{Recovery, RecoveryLog};

mod escape;
mod expression;
mod lexer;
mod lists;
mod operator;
pub(crate) mod recovery;
mod unordered;

/// Parses a KBNF text.
///
/// # Errors
/// All errors of the text, each with its span, and limits of `config` that the text exceeds.
///
/// # Complexity
/// Linear in the length of the text, in time and memory.
///
/// # Example
///
/// ```
/// use grammask_syntax::{Config, parse};
///
/// let ast = parse("start ::= 'a' {B} | #\"[0-9]+\"; (* comment *) B = 'b'?;", &Config::default())?;
/// assert_eq!(ast.to_string(), "start ::= 'a' B* | #'[0-9]+';\nB ::= 'b'?;\n");
/// # Ok::<(), grammask_syntax::Errors>(())
/// ```
pub fn parse(text: &str, config: &Config) -> Result<Ast, Errors> {
    parse_or_recover(text, config).map_err(|recovery| recovery.errors)
}

/// Parses a KBNF text from bytes.
///
/// # Errors
/// As [`parse`], and an error for each sequence of bytes that is not UTF-8.
pub fn parse_bytes(bytes: &[u8], config: &Config) -> Result<Ast, Errors> {
    parse_bytes_or_recover(bytes, config).map_err(|recovery| recovery.errors)
}

/// Parses a KBNF text. If it has errors, also returns the part of the tree that can be used, so that later
/// stages can report their errors together with those of the parser.
///
/// # Errors
/// The errors of [`parse`], with the usable part of the tree.
///
/// # Complexity
/// Linear in the length of the text, in time and memory.
///
/// # Example
///
/// ```
/// use grammask_syntax::{Config, parse_or_recover};
///
/// let text = "start ::= 'a' b | c; b ::= 'x' d | ; e ::= #'\\d' f;";
/// let recovery = parse_or_recover(text, &Config::default()).unwrap_err();
/// assert_eq!(recovery.errors.len(), 2);
/// assert_eq!(recovery.ast.to_string(), "start ::= 'a' b | c;\nb ::= d;\ne ::= f;\n");
/// assert!(recovery.is_incomplete("b") && recovery.is_incomplete("e") && !recovery.is_incomplete("c"));
/// ```
pub fn parse_or_recover(text: &str, config: &Config) -> Result<Ast, Box<Recovery>> {
    read(text, config, ErrorSink::new(config.limits.max_errors))
}

/// Number of expressions from which a tree gives spare capacity back: up to half of its memory.
const MIN_EXPRS_TO_SHRINK: usize = 1 << 12;

/// Parses a text that may already have errors.
fn read(text: &str, config: &Config, mut errors: ErrorSink) -> Result<Ast, Box<Recovery>> {
    let maximum = config.limits.max_text_bytes;
    if text.len() > maximum {
        let start = text.floor_char_boundary(maximum);
        let kind = limit_exceeded(Limit::MaxTextBytes, maximum, text.len());
        errors.push(kind, Span::new(start, text.len()));
        let errors = errors.finish().expect("an error was reported");
        return Err(Box::new(Recovery::nothing(errors)));
    }
    let mut parser = Parser::new(text, config, errors);
    parser.file();
    let Parser { mut ast, lexer, mut log, .. } = parser;
    if ast.exprs.len() >= MIN_EXPRS_TO_SHRINK {
        ast.exprs.shrink_to_fit();
    }
    match lexer.errors.finish() {
        None => Ok(ast),
        // Recovery reads the rest of the text, which takes work that the call may not do.
        Some(errors) if errors.iter().any(|error| matches!(error.kind(), ErrorKind::Stopped(_))) => {
            Err(Box::new(Recovery::nothing(errors)))
        }
        Some(errors) => {
            log.comments = lexer.comments;
            log.unread = Span::new(lexer.unread, text.len());
            log.quote_is_open = lexer.quote_is_open;
            Err(Box::new(log.recover(text, ast, errors)))
        }
    }
}

/// Parses a KBNF text from bytes like [`parse_or_recover`]. Also reports errors around bytes that are not
/// UTF-8.
///
/// # Errors
/// The errors of [`parse_bytes`], with the usable part of the tree.
pub fn parse_bytes_or_recover(bytes: &[u8], config: &Config) -> Result<Ast, Box<Recovery>> {
    let mut errors = ErrorSink::new(config.limits.max_errors);
    if let Ok(text) = str::from_utf8(bytes) {
        return read(text, config, errors);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        let start = text.len();
        // One byte per invalid byte, so that spans in the text are spans in the bytes.
        text.extend(chunk.invalid().iter().map(|_| SUBSTITUTE));
        if text.len() > start {
            errors.push_unreadable(Span::new(start, text.len()));
        }
    }
    read(&text, config, errors)
}

/// Replacement for a byte that is not UTF-8: the control character SUBSTITUTE, which occurs in no token
/// except in quotes.
const SUBSTITUTE: char = '\u{1A}';

/// Returns the error for `found` things, where a limit allows `maximum`.
fn limit_exceeded(limit: Limit, maximum: usize, found: usize) -> ErrorKind {
    ErrorKind::LimitExceeded(LimitExceeded { limit, value: maximum as u64, found: Some(found as u64) })
}

/// Text per expression in an ordinary grammar, in bytes, for the initial capacity of the tree.
const BYTES_PER_EXPRESSION: usize = 5;

/// Bytes of a token that are read with one unit of work.
const BYTES_PER_UNIT: u64 = 8;

/// Maximum initial capacity of the tree, in expressions. A larger tree grows.
const MAX_INITIAL_EXPRESSIONS: usize = 4096;

/// A recursive-descent parser for rules, with an operator-precedence parser for their bodies.
pub(crate) struct Parser<'t> {
    limits: &'t Limits,
    pub(crate) lexer: Lexer<'t>,
    pub(crate) current: Token,
    /// The token after `current`, if it was peeked.
    next: Option<Token>,
    /// Byte offset of the end of the last token.
    pub(crate) previous_end: usize,
    /// Byte offset at which a missing operand was reported. Nothing else is reported as missing there.
    pub(crate) missing_at: Option<usize>,
    pub(crate) ast: Ast,
    /// Stack of the operands of the current body.
    pub(crate) values: Vec<Value>,
    /// Stack of the open groups of the current body.
    pub(crate) frames: Vec<Frame>,
    /// Stack of the byte offsets of `~` without an operand yet.
    pub(crate) nots: Vec<usize>,
    log: RecoveryLog,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, config: &'t Config, errors: ErrorSink) -> Self {
        let mut lexer = Lexer::new(text, errors);
        let current = lexer.next_token();
        let expected = (text.len() / BYTES_PER_EXPRESSION)
            .min(MAX_INITIAL_EXPRESSIONS)
            .min(config.limits.max_expressions);
        let ast = Ast { exprs: Vec::with_capacity(expected), ..Ast::default() };
        Self {
            limits: &config.limits,
            lexer,
            current,
            next: None,
            previous_end: 0,
            missing_at: None,
            ast,
            values: Vec::new(),
            frames: Vec::new(),
            nots: Vec::new(),
            log: RecoveryLog::default(),
        }
    }

    /// Returns the current token, and advances to the next one.
    pub(crate) fn bump(&mut self) -> Token {
        let span = self.current.span;
        let units = 1 + (span.end - span.start) as u64 / BYTES_PER_UNIT;
        if let Err(stopped) = charge(units)
            && !self.lexer.truncated
        {
            self.stop(ErrorKind::Stopped(stopped), span);
        }
        let next = self.next.take().unwrap_or_else(|| self.lexer.next_token());
        self.previous_end = self.current.span.end;
        std::mem::replace(&mut self.current, next)
    }

    /// Returns the kind of the token after the current one.
    pub(crate) fn peek_second(&mut self) -> &TokenKind {
        &self.next.get_or_insert_with(|| self.lexer.next_token()).kind
    }

    pub(crate) fn error(&mut self, kind: ErrorKind, span: Span) {
        self.lexer.errors.push(kind, span);
    }

    /// Reports an error at the current token, unless the token was reported already or is the end of a
    /// truncated text.
    pub(crate) fn error_here(&mut self, kind: ErrorKind) {
        let is_reported = match self.current.kind {
            TokenKind::Bad => true,
            TokenKind::End => self.lexer.truncated,
            _ => false,
        };
        if !is_reported {
            self.error(kind, self.current.span);
        }
    }

    /// Reports an exceeded limit, and ends the text at the current token.
    pub(crate) fn stop(&mut self, kind: ErrorKind, span: Span) {
        self.error(kind, span);
        self.lexer.skip_to_end(self.current.span.start);
        self.next = None;
        self.current = self.lexer.next_token();
    }

    /// Adds an expression to the tree.
    pub(crate) fn push(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let maximum = self.limits.max_expressions.min(u32::MAX as usize);
        if self.ast.exprs.len() >= maximum {
            if !self.lexer.truncated {
                let kind = limit_exceeded(Limit::MaxExpressions, maximum, maximum.saturating_add(1));
                self.stop(kind, span);
            }
            // The tree is discarded, so any id will do.
            return ExprId(0);
        }
        self.ast.push(kind, span)
    }

    /// Parses the whole text.
    fn file(&mut self) {
        loop {
            match self.current.kind {
                TokenKind::End => return,
                TokenKind::Identifier => self.rule(),
                TokenKind::Directive => self.directive(),
                _ => {
                    let found = self.describe_current();
                    self.error_here(ErrorKind::ExpectedRule { found });
                    self.synchronize();
                }
            }
        }
    }

    /// Skips tokens up to and including the next semicolon, or up to the beginning of a rule or directive.
    fn synchronize(&mut self) {
        let start = self.current.span.start;
        while !self.at_rule_start() {
            match self.bump().kind {
                TokenKind::Semicolon | TokenKind::End => break,
                _ => {}
            }
        }
        self.log.skipped.push(Span::new(start, self.previous_end.max(start)));
    }

    /// Returns true if the current token begins a rule or a directive.
    fn at_rule_start(&mut self) -> bool {
        match self.current.kind {
            TokenKind::Directive => true,
            TokenKind::Identifier => *self.peek_second() == TokenKind::Define,
            _ => false,
        }
    }

    /// Returns true if the current token ends the body of a rule.
    pub(crate) fn at_body_end(&mut self) -> bool {
        match self.current.kind {
            // In `unordered!` it ends a section.
            TokenKind::Semicolon => !self.in_unordered(),
            TokenKind::End => true,
            _ => self.at_rule_start(),
        }
    }

    /// Returns true if one more group or `~` may be opened. Otherwise reports the limit.
    pub(crate) fn may_nest(&mut self) -> bool {
        let depth = self.frames.len() + self.nots.len();
        let maximum = self.limits.max_nesting;
        if depth > maximum {
            self.stop(limit_exceeded(Limit::MaxNesting, maximum, depth), self.current.span);
        }
        depth <= maximum
    }

    /// Reads an identifier.
    pub(crate) fn name(&mut self) -> Name {
        let span = self.bump().span;
        Name { text: self.lexer.slice(span).to_owned(), span }
    }

    /// Parses a rule.
    fn rule(&mut self) {
        let name = self.name();
        while self.current.kind == TokenKind::Bad {
            self.bump();
        }
        if self.current.kind == TokenKind::Define {
            self.bump();
        } else {
            // A stray character after the name is reported already: `my-rule` is one error.
            if self.previous_end == name.span.end && !self.lexer.truncated {
                let here = Span::new(name.span.end, name.span.end);
                self.error(ErrorKind::MissingDefinition { rule: shorten(&name.text) }, here);
            }
            if self.at_body_end() || !self.at_operand() {
                self.synchronize();
                self.log.names.push(name);
                return;
            }
        }
        let first_expr = self.ast.exprs.len();
        let body = self.body(&name.text);
        let is_closed = self.semicolon(|| format!("the rule `{}`", shorten(&name.text)));
        self.log.rules.push((first_expr, is_closed));
        let span = Span::new(name.span.start, self.previous_end);
        self.ast.rules.push(Rule { name, body, span });
        if !self.lexer.errors.has_omitted() {
            self.log.known = self.ast.rules.len();
        }
    }

    /// Reads a semicolon. Returns false if there is none.
    fn semicolon(&mut self, of: impl FnOnce() -> String) -> bool {
        let is_present = self.current.kind == TokenKind::Semicolon;
        if is_present {
            self.bump();
        } else if !self.lexer.truncated && self.missing_at != Some(self.current.span.start) {
            let here = Span::new(self.previous_end, self.previous_end);
            self.error(ErrorKind::MissingSemicolon { of: of() }, here);
        }
        is_present
    }

    /// Parses a directive, and logs if it has an error.
    fn directive(&mut self) {
        self.log.start_is_wrong |= !self.parse_directive();
    }

    /// Parses a directive. Returns false if it has an error.
    fn parse_directive(&mut self) -> bool {
        let span = self.bump().span;
        match self.lexer.slice(span) {
            "%start" => {}
            other => {
                self.error(ErrorKind::UnknownDirective { name: shorten(&other[1..]) }, span);
                self.synchronize();
                return false;
            }
        }
        if self.current.kind != TokenKind::Identifier || self.at_rule_start() {
            let found = self.describe_current();
            self.error_here(ErrorKind::MissingStart { found });
            self.synchronize();
            return false;
        }
        let name = self.name();
        let allows_empty = self.current.kind == TokenKind::Postfix(Quantifier::Option);
        if allows_empty {
            self.bump();
        }
        let is_first = self.ast.start.is_none();
        match &self.ast.start {
            Some(first) => {
                let first = first.span;
                self.error(ErrorKind::SecondStart { first }, Span::new(span.start, name.span.end));
            }
            None => (self.ast.start, self.ast.allows_empty) = (Some(name), allows_empty),
        }
        if !self.at_body_end() {
            let found = self.describe_current();
            self.error_here(ErrorKind::Unexpected { found });
            self.synchronize();
            return false;
        }
        self.semicolon(|| "`%start`".to_owned());
        is_first
    }

    /// Describes the current token for a message.
    pub(crate) fn describe_current(&self) -> String {
        let name = match &self.current.kind {
            TokenKind::End => return "the end of the text".to_owned(),
            TokenKind::Quoted(Quoted::Text, _) => return "a text".to_owned(),
            TokenKind::Quoted(..) => return "a pattern".to_owned(),
            _ => self.lexer.slice(self.current.span),
        };
        format!("`{}`", shorten(name))
    }
}
