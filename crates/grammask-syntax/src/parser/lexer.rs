//! Splits a text into tokens, one at a time. Decodes escapes, and skips white space and comments. Reports
//! invalid tokens, and returns them as `Bad`, so that the parser does not report them again.

use crate::ast::notation::json_value_len;
use crate::ast::{Comparison, Escapes, Quantifier, Span};
use crate::error::{ErrorKind, ErrorSink, shorten};
use crate::parser::escape::{Escape, read_escape};

/// The three pairs of brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bracket {
    Round,
    Square,
    Curly,
}

impl Bracket {
    pub(crate) const fn open(self) -> char {
        match self {
            Self::Round => '(',
            Self::Square => '[',
            Self::Curly => '{',
        }
    }

    pub(crate) const fn close(self) -> char {
        match self {
            Self::Round => ')',
            Self::Square => ']',
            Self::Curly => '}',
        }
    }
}

/// The kind of a quoted form, by the prefix before its quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quoted {
    Text,
    Regex,
    PrefixMinimal,
    NotContaining,
    Substrings,
}

/// The kind of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Identifier,
    Quoted(Quoted, String),
    SpecialName,
    SpecialId(u32),
    /// `<[10-19]>`
    SpecialIds(u32, u32),
    /// `special!`
    Special,
    /// `marker!`
    Marker,
    /// `substrs!`
    ChunkRuns,
    /// `capture!`
    Capture,
    /// `schema!({...})`, with the span of the JSON text
    Schema(Span),
    /// `except!`
    Except,
    /// `unordered!`
    Unordered,
    /// `->`, if [`Lexer::arrows`] is set
    Arrow,
    /// `json!`, `json_short!`, `json_required!`
    Json(Escapes),
    /// `distinct!`
    Distinct,
    /// `multiple!`
    Multiple,
    /// `atleast!` and the other comparisons
    Compared(Comparison),
    /// `%name`
    Directive,
    /// Digits. `None` if the number does not fit in 64 bits.
    Integer(Option<u64>),
    /// Digits, a point and digits
    Decimal,
    Define,
    Semicolon,
    Bar,
    Comma,
    Tilde,
    Ampersand,
    Postfix(Quantifier),
    Open(Bracket),
    Close(Bracket),
    /// A token that was reported as an error.
    Bad,
    End,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// Reads the tokens of a text.
#[derive(Debug)]
pub(crate) struct Lexer<'t> {
    text: &'t str,
    /// Byte offset of the next character.
    position: usize,
    pub(crate) errors: ErrorSink,
    /// True if the rest of the text belongs to an unclosed comment or quote, or lies beyond a limit. That is
    /// reported.
    pub(crate) truncated: bool,
    /// Byte offset from which the text was not read. The end of the text if all of it was read.
    pub(crate) unread: usize,
    /// The spans of all comments, which may begin or end at unintended places.
    pub(crate) comments: Vec<Span>,
    /// True if a quote is unclosed.
    pub(crate) quote_is_open: bool,
    /// True if `->` is a token of its own, and not a wrong `::=`.
    pub(crate) arrows: bool,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str, errors: ErrorSink) -> Self {
        // Skip a byte order mark.
        let position = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
        let unread = text.len();
        Self {
            text,
            position,
            errors,
            truncated: false,
            unread,
            comments: Vec::new(),
            quote_is_open: false,
            arrows: false,
        }
    }

    /// Returns the text of a span.
    pub(crate) fn slice(&self, span: Span) -> &'t str {
        &self.text[span.range()]
    }

    /// Returns the text before a byte offset.
    pub(crate) fn text_before(&self, position: usize) -> &'t str {
        &self.text[..position]
    }

    /// Skips the rest of the text. The text from `from` on counts as unread.
    pub(crate) fn skip_to_end(&mut self, from: usize) {
        self.unread = self.unread.min(from);
        self.position = self.text.len();
        self.truncated = true;
    }

    /// Reads the next token.
    pub(crate) fn next_token(&mut self) -> Token {
        self.skip_trivia();
        let start = self.position;
        let kind = match self.peek() {
            None => TokenKind::End,
            Some(byte) => self.token(byte),
        };
        Token { kind, span: Span::new(start, self.position) }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn rest(&self) -> &'t str {
        &self.text[self.position..]
    }

    /// Skips a prefix. Returns false if the text does not continue with it.
    fn eat(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.position += prefix.len();
        }
        found
    }

    /// Skips white space and comments.
    fn skip_trivia(&mut self) {
        loop {
            // Nearly all white space is ASCII. Other white space of Unicode begins with a non-ASCII byte.
            let bytes = &self.text.as_bytes()[self.position..];
            let is_token = |byte: &u8| !matches!(byte, b'\t'..=b'\r' | b' ');
            self.position += bytes.iter().position(is_token).unwrap_or(bytes.len());
            if self.peek().is_some_and(|byte| !byte.is_ascii()) {
                let rest = self.rest();
                self.position += rest.len() - rest.trim_start().len();
            }
            let start = self.position;
            if !self.eat("(*") {
                return;
            }
            match self.rest().find("*)") {
                Some(length) => {
                    self.position += length + 2;
                    self.comments.push(Span::new(start, self.position));
                }
                None => {
                    self.errors.push(ErrorKind::UnclosedComment, Span::new(start, start + 2));
                    self.skip_to_end(start);
                }
            }
        }
    }

    /// Reads the token that begins with `byte`.
    fn token(&mut self, byte: u8) -> TokenKind {
        let start = self.position;
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => return self.identifier(start),
            b'0'..=b'9' => return self.integer(start),
            b'\'' | b'"' => return self.quoted(Quoted::Text, start),
            b'#' => return self.pattern(start),
            b'<' => return self.angle(start),
            b'%' => {
                self.position += 1;
                self.skip_identifier();
                return TokenKind::Directive;
            }
            b':' | b'=' | b'-' | 0xE2 => {
                if let Some(kind) = self.definition(start) {
                    return kind;
                }
            }
            _ => {}
        }
        let kind = match byte {
            b';' => TokenKind::Semicolon,
            b'|' => TokenKind::Bar,
            b',' => TokenKind::Comma,
            b'~' => TokenKind::Tilde,
            b'&' => TokenKind::Ampersand,
            b'?' => TokenKind::Postfix(Quantifier::Option),
            b'*' => TokenKind::Postfix(Quantifier::Star),
            b'+' => TokenKind::Postfix(Quantifier::Plus),
            b'(' => TokenKind::Open(Bracket::Round),
            b'[' => TokenKind::Open(Bracket::Square),
            b'{' => TokenKind::Open(Bracket::Curly),
            b')' => TokenKind::Close(Bracket::Round),
            b']' => TokenKind::Close(Bracket::Square),
            b'}' => TokenKind::Close(Bracket::Curly),
            _ => return self.stray(start),
        };
        self.position += 1;
        kind
    }

    /// Skips letters, digits and underscores, and returns them.
    fn skip_identifier(&mut self) -> &'t str {
        let start = self.position;
        let bytes = &self.text.as_bytes()[start..];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        self.position += bytes.iter().position(|byte| !is_part(byte)).unwrap_or(bytes.len());
        &self.text[start..self.position]
    }

    /// Reads an identifier, or an operator such as `except!`.
    fn identifier(&mut self, start: usize) -> TokenKind {
        let name = self.skip_identifier();
        if !self.eat("!") {
            return TokenKind::Identifier;
        }
        match name {
            "capture" => return TokenKind::Capture,
            "distinct" => return TokenKind::Distinct,
            "except" => return TokenKind::Except,
            "marker" => return TokenKind::Marker,
            "multiple" => return TokenKind::Multiple,
            "schema" => return self.schema(start),
            "special" => return TokenKind::Special,
            "substrs" => return TokenKind::ChunkRuns,
            "unordered" => return TokenKind::Unordered,
            _ => {}
        }
        if let Some(escapes) = Escapes::ALL.into_iter().find(|escapes| escapes.operator() == name) {
            return TokenKind::Json(escapes);
        }
        if let Some(comparison) = Comparison::ALL.into_iter().find(|comparison| comparison.name() == name) {
            return TokenKind::Compared(comparison);
        }
        self.errors.push(ErrorKind::UnknownOperator { name: shorten(name) }, Span::new(start, self.position));
        TokenKind::Bad
    }

    /// Reads the rest of `schema!({...})`: a JSON value in parentheses. Its content is not looked at.
    fn schema(&mut self, start: usize) -> TokenKind {
        let blanks = |lexer: &mut Self| {
            let rest = lexer.rest();
            lexer.position += rest.len() - rest.trim_start().len();
        };
        blanks(self);
        if !self.eat("(") {
            let kind = ErrorKind::MalformedSchema { expected: "`(` after `schema!`" };
            self.errors.push(kind, Span::new(start, self.position));
            return TokenKind::Bad;
        }
        blanks(self);
        let from = self.position;
        let Some(length) = json_value_len(self.rest()) else {
            let is_open = matches!(self.peek(), Some(b'{' | b'[' | b'"'));
            let expected = if is_open { "the end of the JSON value" } else { "a JSON value" };
            let next = self.rest().chars().next().map_or(0, char::len_utf8);
            self.errors.push(ErrorKind::MalformedSchema { expected }, Span::new(from, from + next));
            if is_open {
                self.skip_to_end(start);
            }
            return TokenKind::Bad;
        };
        self.position += length;
        let json = Span::new(from, self.position);
        blanks(self);
        if !self.eat(")") {
            let kind = ErrorKind::MalformedSchema { expected: "`)` after the JSON value" };
            self.errors.push(kind, json);
            return TokenKind::Bad;
        }
        TokenKind::Schema(json)
    }

    /// Reads an integer, or a number with a point.
    fn integer(&mut self, start: usize) -> TokenKind {
        let digits = self.skip_identifier();
        let fraction = self.rest().strip_prefix('.').unwrap_or_default();
        if digits.bytes().chain(fraction.bytes().take(1)).all(|byte| byte.is_ascii_digit())
            && !fraction.is_empty()
        {
            self.position += 1;
            let fraction = self.skip_identifier();
            if fraction.bytes().all(|byte| byte.is_ascii_digit()) {
                return TokenKind::Decimal;
            }
            self.errors.push(ErrorKind::DigitFirst, Span::new(self.position - fraction.len(), self.position));
            return TokenKind::Bad;
        }
        if digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return TokenKind::Integer(digits.parse().ok());
        }
        self.errors.push(ErrorKind::DigitFirst, Span::new(start, self.position));
        TokenKind::Bad
    }

    /// Reads `::=` or `=`, or a definition sign of another notation, which it reports. Returns `None` for
    /// other tokens.
    fn definition(&mut self, start: usize) -> Option<TokenKind> {
        if self.eat("::=") || (self.peek() == Some(b'=') && self.eat("=")) {
            return Some(TokenKind::Define);
        }
        if self.arrows && self.eat("->") {
            return Some(TokenKind::Arrow);
        }
        let found = [":==", ":=", "::", ":", "->", "→"].into_iter().find(|wrong| self.eat(wrong))?;
        self.errors.push(ErrorKind::WrongDefinition { found }, Span::new(start, self.position));
        Some(TokenKind::Define)
    }

    /// Reads a pattern, which begins with `#`.
    fn pattern(&mut self, start: usize) -> TokenKind {
        self.position += 1;
        let tag = self.skip_identifier();
        let prefix = Span::new(start, self.position);
        if !matches!(self.peek(), Some(b'\'' | b'"')) {
            self.errors.push(ErrorKind::MissingPattern { tag: shorten(tag) }, prefix);
            return TokenKind::Bad;
        }
        let quoted = match tag {
            "" => Quoted::Regex,
            "e" => Quoted::PrefixMinimal,
            "ex" => Quoted::NotContaining,
            "substrs" => Quoted::Substrings,
            "r" => return self.raw_pattern(Quoted::Regex),
            "re" => return self.raw_pattern(Quoted::PrefixMinimal),
            "rex" => return self.raw_pattern(Quoted::NotContaining),
            _ => {
                self.errors.push(ErrorKind::UnknownPattern { tag: shorten(tag) }, prefix);
                self.quoted(Quoted::Regex, self.position);
                return TokenKind::Bad;
            }
        };
        self.quoted(quoted, self.position)
    }

    /// Reads a raw regex from its opening quote on, as in `#r'\d'`. Backslashes are part of the regex, and a
    /// quote after a backslash does not end it.
    fn raw_pattern(&mut self, quoted: Quoted) -> TokenKind {
        let start = self.position;
        let bytes = self.text.as_bytes();
        let quote = bytes[start];
        let mut position = start + 1;
        loop {
            let length = bytes[position..].iter().position(|&byte| byte == quote || byte == b'\\');
            match length.map(|length| position + length) {
                Some(at) if bytes[at] == quote => {
                    self.position = at + 1;
                    return TokenKind::Quoted(quoted, self.text[start + 1..at].to_owned());
                }
                Some(at) if at + 1 < bytes.len() => position = at + 2,
                _ => {
                    let kind = ErrorKind::UnclosedText { quote: char::from(quote) };
                    self.errors.push(kind, Span::new(start, start + 1));
                    self.quote_is_open = true;
                    self.skip_to_end(start);
                    return TokenKind::Bad;
                }
            }
        }
    }

    /// Reads a quoted form with its opening quote at `start`.
    fn quoted(&mut self, quoted: Quoted, start: usize) -> TokenKind {
        let bytes = self.text.as_bytes();
        let quote = bytes[start];
        let before = self.errors.mark();
        let in_regex = matches!(quoted, Quoted::Regex | Quoted::PrefixMinimal | Quoted::NotContaining);
        let mut content = String::new();
        let mut position = start + 1;
        loop {
            let Some(length) = bytes[position..].iter().position(|&byte| byte == quote || byte == b'\\')
            else {
                // The text after a wrong quote is not a quoted text, so drop the errors in its escapes.
                self.errors.rewind(before);
                let kind = ErrorKind::UnclosedText { quote: char::from(quote) };
                self.errors.push(kind, Span::new(start, start + 1));
                self.quote_is_open = true;
                self.skip_to_end(start);
                return TokenKind::Bad;
            };
            content.push_str(&self.text[position..position + length]);
            position += length;
            if bytes[position] == quote {
                break;
            }
            let (escape, length) = read_escape(&self.text[position..], in_regex);
            match escape {
                Escape::Character(character) => content.push(character),
                Escape::Wrong(kind) => self.errors.push(kind, Span::new(position, position + length)),
                // The backslash is the last character, so the next iteration finds the quote unclosed.
                Escape::Unfinished => {}
            }
            position += length;
        }
        self.position = position + 1;
        TokenKind::Quoted(quoted, content)
    }

    /// Reads `<|name|>` or `<[id]>`.
    fn angle(&mut self, start: usize) -> TokenKind {
        let rest = self.rest();
        // Stopping before the next `<` keeps a text with many unclosed special tokens linear.
        let is_end = |character: char| character.is_whitespace() || character == '<';
        let word = &rest[..rest[1..].find(is_end).map_or(rest.len(), |length| 1 + length)];
        let close = match rest.as_bytes().get(1) {
            Some(b'|') => "|>",
            Some(b'[') => "]>",
            _ => return self.stray(start),
        };
        let inside = word.get(2..).and_then(|inside| Some(&inside[..inside.find(close)?]));
        let Some(name) = inside.filter(|name| !name.is_empty()) else {
            self.position += 2;
            self.skip_identifier();
            let _ = self.eat(close) || self.eat("]") || self.eat(">");
            self.errors.push(ErrorKind::MalformedSpecial, Span::new(start, self.position));
            return TokenKind::Bad;
        };
        self.position += name.len() + 4;
        if close == "|>" {
            return TokenKind::SpecialName;
        }
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if let Some((first, last)) = name.split_once('-')
            && is_digits(first)
            && is_digits(last)
        {
            let kind = match (first.parse(), last.parse()) {
                (Ok(first), Ok(last)) if first <= last => return TokenKind::SpecialIds(first, last),
                (Ok(first), Ok(last)) => ErrorKind::IdsReversed { first, last },
                _ => ErrorKind::NumberTooLarge { maximum: u64::from(u32::MAX) },
            };
            self.errors.push(kind, Span::new(start, self.position));
            return TokenKind::Bad;
        }
        let is_number = is_digits(name);
        let kind = match name.parse() {
            Ok(id) if is_number => return TokenKind::SpecialId(id),
            Err(_) if is_number => ErrorKind::NumberTooLarge { maximum: u64::from(u32::MAX) },
            _ => ErrorKind::MalformedSpecial,
        };
        self.errors.push(kind, Span::new(start, self.position));
        TokenKind::Bad
    }

    /// Reads a run of characters with which no token begins, and reports it as one error.
    fn stray(&mut self, start: usize) -> TokenKind {
        let rest = self.rest();
        let is_stray = |character: char| {
            !character.is_whitespace()
                && !character.is_ascii_alphanumeric()
                && !"_'\"#<%:=;|,~&?*+()[]{}".contains(character)
        };
        let first = rest.chars().next().expect("a stray character is there");
        let others = &rest[first.len_utf8()..];
        self.position += first.len_utf8() + others.find(|c| !is_stray(c)).unwrap_or(others.len());
        self.errors.push(ErrorKind::StrayCharacter { character: first }, Span::new(start, self.position));
        TokenKind::Bad
    }
}
