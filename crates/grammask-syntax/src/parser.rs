//! Tokens to a tree: the entry points, the rules and the directives. After an error the parser goes on with a stand-in or at
//! the next rule, so that one pass reports all of them.

use crate::ast::{Ast, ExprId, ExprKind, Name, Rule, Span};
use crate::config::Config;
use crate::error::{ErrorKind, ErrorSink, Errors, shorten};
use crate::parser::expression::{Frame, Value};
use crate::parser::lexer::{Lexer, Quoted, Token, TokenKind};
use crate::parser::recovery::{Recovered, Scars};

mod escape;
mod expression;
mod lexer;
pub(crate) mod recovery;
mod unordered;

/// Reads a KBNF text.
///
/// # Errors
/// All errors of the text, each with its place: what is not KBNF, and limits of `config` that the text exceeds.
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
    parse_or_recover(text, config).map_err(|recovered| recovered.errors)
}

/// Reads a KBNF text that may not be UTF-8.
///
/// # Errors
/// As [`parse`]; and each place where the bytes are no UTF-8.
pub fn parse_bytes(bytes: &[u8], config: &Config) -> Result<Ast, Errors> {
    parse_bytes_or_recover(bytes, config).map_err(|recovered| recovered.errors)
}

/// Reads a KBNF text; of one that is wrong, what can be read all the same, so that a later stage can report what is wrong with
/// the meaning of that in the same go.
///
/// # Errors
/// As [`parse`].
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
/// let recovered = parse_or_recover(text, &Config::default()).unwrap_err();
/// assert_eq!(recovered.errors.len(), 2);
/// assert_eq!(recovered.ast.to_string(), "start ::= 'a' b | c;\nb ::= d;\ne ::= f;\n");
/// assert!(recovered.is_incomplete("b") && recovered.is_incomplete("e") && !recovered.is_incomplete("c"));
/// ```
pub fn parse_or_recover(text: &str, config: &Config) -> Result<Ast, Box<Recovered>> {
    read(text, config, ErrorSink::new(config.max_errors))
}

fn read(text: &str, config: &Config, mut errors: ErrorSink) -> Result<Ast, Box<Recovered>> {
    if text.len() > config.max_text_bytes {
        let start = text.floor_char_boundary(config.max_text_bytes);
        errors.push(limit("max_text_bytes", config.max_text_bytes, text.len()), Span::new(start, text.len()));
        let errors = errors.finish().expect("an error was reported");
        return Err(Box::new(Recovered::nothing(errors)));
    }
    let mut parser = Parser::new(text, config, errors);
    parser.file();
    let Parser { ast, lexer, mut scars, .. } = parser;
    match lexer.errors.finish() {
        None => Ok(ast),
        Some(errors) => {
            scars.comments = lexer.comments;
            scars.unread = Span::new(lexer.unread, text.len());
            scars.quote_is_open = lexer.quote_is_open;
            Err(Box::new(scars.recover(text, ast, errors)))
        }
    }
}

/// [`parse_or_recover`] for a text that may not be UTF-8: what is wrong beside bytes that are none is found as well.
///
/// # Errors
/// As [`parse_bytes`].
pub fn parse_bytes_or_recover(bytes: &[u8], config: &Config) -> Result<Ast, Box<Recovered>> {
    let mut errors = ErrorSink::new(config.max_errors);
    if let Ok(text) = str::from_utf8(bytes) {
        return read(text, config, errors);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        let start = text.len();
        // As long as what it stands for, so that all places are those of the bytes.
        text.extend(chunk.invalid().iter().map(|_| STAND_IN));
        if text.len() > start {
            errors.push_unreadable(Span::new(start, text.len()));
        }
    }
    read(&text, config, errors)
}

/// Stands for a byte that is no UTF-8: the control character "substitute", of which nothing in a grammar is made outside of quotes.
const STAND_IN: char = '\u{1A}';

pub(crate) fn limit(limit: &'static str, maximum: usize, value: usize) -> ErrorKind {
    ErrorKind::LimitExceeded { limit, maximum, value }
}

pub(crate) struct Parser<'t> {
    pub(crate) config: &'t Config,
    pub(crate) lexer: Lexer<'t>,
    pub(crate) current: Token,
    ahead: Option<Token>,
    /// Where the last token ended.
    pub(crate) previous_end: usize,
    /// Where a missing operand was reported; nothing else is reported as missing there.
    pub(crate) missing_at: Option<usize>,
    pub(crate) ast: Ast,
    pub(crate) values: Vec<Value>,
    pub(crate) frames: Vec<Frame>,
    /// The places of the `~` that wait for their operand.
    pub(crate) nots: Vec<usize>,
    scars: Scars,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, config: &'t Config, errors: ErrorSink) -> Self {
        let mut lexer = Lexer::new(text, errors);
        let current = lexer.next_token();
        // About what an ordinary grammar of this length needs; a text with more expressions grows the vector.
        let expected = (text.len() / 5).min(4096).min(config.max_expressions);
        let ast = Ast { exprs: Vec::with_capacity(expected), ..Ast::default() };
        Self {
            config,
            lexer,
            current,
            ahead: None,
            previous_end: 0,
            missing_at: None,
            ast,
            values: Vec::new(),
            frames: Vec::new(),
            nots: Vec::new(),
            scars: Scars::default(),
        }
    }

    pub(crate) fn bump(&mut self) -> Token {
        let next = self.ahead.take().unwrap_or_else(|| self.lexer.next_token());
        self.previous_end = self.current.span.end;
        std::mem::replace(&mut self.current, next)
    }

    pub(crate) fn peek_second(&mut self) -> &TokenKind {
        &self.ahead.get_or_insert_with(|| self.lexer.next_token()).kind
    }

    pub(crate) fn error(&mut self, kind: ErrorKind, span: Span) {
        self.lexer.errors.push(kind, span);
    }

    /// Reports the current token, unless it was reported or is the end of a truncated text.
    pub(crate) fn error_here(&mut self, kind: ErrorKind) {
        let silent = match self.current.kind {
            TokenKind::Bad => true,
            TokenKind::End => self.lexer.truncated,
            _ => false,
        };
        if !silent {
            self.error(kind, self.current.span);
        }
    }

    /// Reports a breached limit and ends the text here.
    pub(crate) fn stop(&mut self, kind: ErrorKind, span: Span) {
        self.error(kind, span);
        self.lexer.skip_to_end(self.current.span.start);
        self.ahead = None;
        self.current = self.lexer.next_token();
    }

    pub(crate) fn push(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let maximum = self.config.max_expressions.min(u32::MAX as usize);
        if self.ast.exprs.len() >= maximum {
            if !self.lexer.truncated {
                self.stop(limit("max_expressions", maximum, maximum.saturating_add(1)), span);
            }
            // The tree is lost, so its last expression, if any, can stand for all others.
            return ExprId(0);
        }
        self.ast.push(kind, span)
    }

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

    /// Skips to behind the next semicolon, or to what begins a rule or directive.
    fn synchronize(&mut self) {
        let start = self.current.span.start;
        while !self.at_rule_start() {
            match self.bump().kind {
                TokenKind::Semicolon | TokenKind::End => break,
                _ => {}
            }
        }
        self.scars.skipped.push(Span::new(start, self.previous_end.max(start)));
    }

    fn at_rule_start(&mut self) -> bool {
        match self.current.kind {
            TokenKind::Directive => true,
            TokenKind::Identifier => *self.peek_second() == TokenKind::Define,
            _ => false,
        }
    }

    pub(crate) fn at_body_end(&mut self) -> bool {
        match self.current.kind {
            // Inside of `unordered!` it ends a section.
            TokenKind::Semicolon => !self.in_selection(),
            TokenKind::End => true,
            _ => self.at_rule_start(),
        }
    }

    pub(crate) fn name(&mut self) -> Name {
        let span = self.bump().span;
        Name { text: self.lexer.slice(span).to_owned(), span }
    }

    fn rule(&mut self) {
        let name = self.name();
        while self.current.kind == TokenKind::Bad {
            self.bump();
        }
        if self.current.kind == TokenKind::Define {
            self.bump();
        } else {
            // After a stray character nothing more is said: `my-rule` is one mistake.
            if self.previous_end == name.span.end && !self.lexer.truncated {
                let here = Span::new(name.span.end, name.span.end);
                self.error(ErrorKind::MissingDefinition { rule: shorten(&name.text) }, here);
            }
            if self.at_body_end() || !self.at_operand() {
                self.synchronize();
                self.scars.names.push(name);
                return;
            }
        }
        let first_expr = self.ast.exprs.len();
        let body = self.body(&name.text);
        let is_closed = self.semicolon(|| format!("the rule `{}`", shorten(&name.text)));
        self.scars.rules.push((first_expr, is_closed));
        let span = Span::new(name.span.start, self.previous_end);
        self.ast.rules.push(Rule { name, body, span });
        if !self.lexer.errors.has_omitted() {
            self.scars.known = self.ast.rules.len();
        }
    }

    /// Reads a semicolon; says whether there is one.
    fn semicolon(&mut self, of: impl FnOnce() -> String) -> bool {
        let is_there = self.current.kind == TokenKind::Semicolon;
        if is_there {
            self.bump();
        } else if !self.lexer.truncated && self.missing_at != Some(self.current.span.start) {
            let here = Span::new(self.previous_end, self.previous_end);
            self.error(ErrorKind::MissingSemicolon { of: of() }, here);
        }
        is_there
    }

    fn directive(&mut self) {
        self.scars.start_is_wrong |= !self.is_right_directive();
    }

    fn is_right_directive(&mut self) -> bool {
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
        let is_first = self.ast.start.is_none();
        match &self.ast.start {
            Some(first) => {
                let first = first.span;
                self.error(ErrorKind::SecondStart { first }, Span::new(span.start, name.span.end));
            }
            None => self.ast.start = Some(name),
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

    /// The current token, as a reader would call it.
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
