//! Tokens to items. After an error, the parser goes on at the next line that begins a definition or a
//! statement, so one run reports all errors.

mod body;
mod head;
mod parameter;
mod text;

use grammask_notation::Builder;
use grammask_syntax::{Span, suggest};

use crate::lexer::{Directive, Kind, Token, lex};
use crate::tree::Item;

/// An error was reported.
pub(crate) struct Failed;

pub(crate) type Parsed<T> = Result<T, Failed>;

/// Reads a source. `base` is its offset in the virtual text; errors go to the builder.
pub(crate) fn parse(source: &str, base: usize, max_nesting: usize, builder: &mut Builder) -> Vec<Item> {
    let tokens = lex(source);
    let mut parser = Parser { source, base, tokens, at: 0, depth: 0, max_nesting, builder };
    parser.items(Kind::End)
}

struct Parser<'a> {
    source: &'a str,
    base: usize,
    tokens: Vec<Token>,
    at: usize,
    /// Open groups and nested grammars.
    depth: usize,
    max_nesting: usize,
    builder: &'a mut Builder,
}

impl Parser<'_> {
    fn kind(&self) -> Kind {
        self.tokens[self.at].kind
    }

    fn kind_at(&self, ahead: usize) -> Kind {
        self.tokens.get(self.at + ahead).map_or(Kind::End, |token| token.kind)
    }

    /// Returns the text of the current token.
    fn text(&self) -> &str {
        &self.source[self.tokens[self.at].span.clone()]
    }

    fn span(&self) -> Span {
        self.span_at(self.at)
    }

    fn span_at(&self, at: usize) -> Span {
        let span = &self.tokens[at.min(self.tokens.len() - 1)].span;
        Span::new(self.base + span.start, self.base + span.end)
    }

    /// Returns the span from a token to the last one that was read.
    fn span_from(&self, first: usize) -> Span {
        let start = self.span_at(first).start;
        let last = self.at.saturating_sub(1).max(first);
        let end = if self.at > first { self.span_at(last).end } else { start };
        Span::new(start, end.max(start))
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn take(&mut self, kind: Kind) -> bool {
        let is_there = self.kind() == kind;
        if is_there {
            self.advance();
        }
        is_there
    }

    fn skip_newlines(&mut self) {
        while self.kind() == Kind::Newline {
            self.advance();
        }
    }

    /// Reports an error at the current token.
    fn fail<T>(&mut self, message: impl Into<String>, hint: &str) -> Parsed<T> {
        self.fail_at(message, hint, self.span())
    }

    fn fail_at<T>(&mut self, message: impl Into<String>, hint: &str, span: Span) -> Parsed<T> {
        if hint.is_empty() {
            self.builder.error(message, span);
        } else {
            self.builder.error_hint(message, span, hint);
        }
        Err(Failed)
    }

    /// Reports that another token is needed here. A wrong token has a message of its own.
    fn expected<T>(&mut self, what: &str, hint: &str) -> Parsed<T> {
        match self.kind() {
            Kind::Wrong(message, hint) => {
                let shown = match message {
                    "unexpected character" => format!("unexpected character `{}`", self.text()),
                    message => message.to_owned(),
                };
                self.fail(shown, hint)
            }
            Kind::Directive(Directive::Unknown) => self.unknown_directive(),
            Kind::Newline | Kind::End => self.fail(format!("expected {what}, but the line ends"), hint),
            _ => {
                let found = self.text().to_owned();
                self.fail(format!("expected {what}, but found `{found}`"), hint)
            }
        }
    }

    fn unknown_directive<T>(&mut self) -> Parsed<T> {
        let word = self.text()[1..].to_owned();
        let known = Directive::ALL.map(|(name, _)| name);
        let hint = suggest(&word, known).map(|name| format!("did you mean `%{name}`?"));
        self.fail(format!("unknown directive `%{word}`"), &hint.unwrap_or_default())
    }

    fn expect(&mut self, kind: Kind, what: &str) -> Parsed<()> {
        if self.take(kind) { Ok(()) } else { self.expected(what, "") }
    }

    /// Reads items up to the token that ends them, which is not read.
    fn items(&mut self, end: Kind) -> Vec<Item> {
        let mut items = Vec::new();
        loop {
            self.skip_newlines();
            if self.kind() == Kind::End || self.kind() == end {
                return items;
            }
            let start = self.at;
            self.depth = 0;
            if self.item(&mut items).is_ok() && !self.ends_item(end) {
                let _ = self.expected::<()>("the end of the line", "");
                self.recover(start, end);
            } else if !self.ends_item(end) {
                self.recover(start, end);
            }
        }
    }

    fn ends_item(&self, end: Kind) -> bool {
        matches!(self.kind(), Kind::Newline | Kind::End) || self.kind() == end
    }

    /// Moves to the next line that begins an item, at least one token after `start`.
    fn recover(&mut self, start: usize, end: Kind) {
        self.at = self.at.max(start);
        let mut depth = 0usize;
        loop {
            let kind = self.kind();
            if kind == Kind::End || kind == Kind::Newline && self.begins_item(self.at + 1) {
                return;
            }
            match kind {
                Kind::OpenBrace => depth += 1,
                Kind::CloseBrace if depth == 0 && end == Kind::CloseBrace && self.at > start => return,
                Kind::CloseBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
    }

    /// Returns true if a line that begins with this token begins a definition or a statement.
    fn begins_item(&self, mut at: usize) -> bool {
        let kind = |at: usize| self.tokens.get(at).map_or(Kind::End, |token| token.kind);
        while matches!(kind(at), Kind::Newline) {
            at += 1;
        }
        if let Kind::Directive(directive) = kind(at) {
            return directive.is_statement();
        }
        while matches!(kind(at), Kind::Bang | Kind::Operator(b'?')) {
            at += 1;
        }
        if !matches!(kind(at), Kind::Rule | Kind::Terminal) {
            return false;
        }
        let mut depth = 0usize;
        for ahead in at + 1.. {
            match kind(ahead) {
                Kind::Colon if depth == 0 => return true,
                Kind::OpenBrace | Kind::OpenBracket => depth += 1,
                Kind::CloseBrace | Kind::CloseBracket => depth = depth.saturating_sub(1),
                Kind::Newline | Kind::End | Kind::Bar | Kind::OpenParen | Kind::CloseParen => return false,
                _ => {}
            }
        }
        false
    }

    /// Enters a group, unless the nesting exceeds the limit.
    fn enter(&mut self) -> Parsed<()> {
        if self.depth >= self.max_nesting {
            let (limit, span) = (self.max_nesting, self.span());
            self.builder.limit("max_nesting", limit, "nested groups", span);
            return Err(Failed);
        }
        self.depth += 1;
        Ok(())
    }
}
