//! Tokens of a Lark text. The lexer never fails: a wrong character or an unclosed text is a token of its own,
//! with the reason.

use std::ops::Range;

/// A token and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: Kind,
    /// Bytes of the source.
    pub span: Range<usize>,
    /// True if white space or a comment precedes the token.
    pub is_spaced: bool,
}

/// Kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `name`
    Rule,
    /// `NAME`
    Terminal,
    /// `"text"` or `"text"i`
    Text,
    /// `/regex/flags`
    Regex,
    /// `12`, `-1`, `0.5`
    Number,
    /// `0x1f`
    Hex,
    /// `<name>`
    Special,
    /// `@name`
    Grammar,
    /// `?`, `*` or `+`
    Operator(u8),
    /// `%name`
    Directive(Directive),
    /// The JSON value after a directive that takes one.
    Json,
    Newline,
    Colon,
    DoubleColon,
    Equals,
    Comma,
    Dot,
    DotDot,
    Arrow,
    Bang,
    Tilde,
    Underscore,
    Bar,
    And,
    OpenParen,
    CloseParen,
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    /// A wrong piece of the text, with the reason and a hint, which may be empty.
    Wrong(&'static str, &'static str),
    End,
}

/// Words after `%`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Directive {
    Declare,
    Extend,
    If,
    Ignore,
    Import,
    Json,
    Lark,
    LlGuidance,
    Override,
    Regex,
    /// `%grammar_options`
    Options,
    Unknown,
}

impl Directive {
    pub(crate) const ALL: [(&'static str, Self); 11] = [
        ("declare", Self::Declare),
        ("extend", Self::Extend),
        ("grammar_options", Self::Options),
        ("if", Self::If),
        ("ignore", Self::Ignore),
        ("import", Self::Import),
        ("json", Self::Json),
        ("lark", Self::Lark),
        ("llguidance", Self::LlGuidance),
        ("override", Self::Override),
        ("regex", Self::Regex),
    ];

    /// Returns true if a JSON value follows.
    const fn takes_json(self) -> bool {
        matches!(self, Self::Json | Self::LlGuidance | Self::Options | Self::Regex)
    }

    /// Returns true for the beginning of a statement.
    pub(crate) const fn is_statement(self) -> bool {
        !matches!(self, Self::If | Self::Json | Self::Lark | Self::Regex)
    }
}

/// Returns the tokens of a source. The last one is [`Kind::End`].
pub(crate) fn lex(source: &str) -> Vec<Token> {
    let mut lexer = Lexer { source, bytes: source.as_bytes(), at: 0, tokens: Vec::new() };
    if source.starts_with('\u{feff}') {
        lexer.at = 3;
    }
    loop {
        let start = lexer.at;
        lexer.skip_blanks();
        let is_spaced = lexer.at > start;
        let start = lexer.at;
        let Some(kind) = lexer.next() else { break };
        lexer.tokens.push(Token { kind, span: start..lexer.at, is_spaced });
        if let Kind::Directive(directive) = kind
            && directive.takes_json()
        {
            lexer.json();
        }
    }
    let end = source.len();
    lexer.tokens.push(Token { kind: Kind::Newline, span: end..end, is_spaced: false });
    lexer.tokens.push(Token { kind: Kind::End, span: end..end, is_spaced: false });
    lexer.tokens
}

struct Lexer<'a> {
    source: &'a str,
    bytes: &'a [u8],
    at: usize,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Skips blanks, comments, and line breaks after a backslash.
    fn skip_blanks(&mut self) {
        loop {
            match (self.peek(0), self.peek(1)) {
                (b' ' | b'\t' | b'\x0c', _) => self.at += 1,
                (b'#', _) | (b'/', b'/') => {
                    self.at += self.bytes[self.at..].iter().take_while(|&&byte| byte != b'\n').count();
                    // The carriage return of a line break belongs to it.
                    if self.bytes[self.at - 1] == b'\r' {
                        self.at -= 1;
                    }
                    if self.bytes.get(self.at) == Some(&b'\r') && self.peek(1) != b'\n' {
                        self.at += 1;
                    }
                }
                (b'\\', b'\n') => self.at += 2,
                (b'\\', b'\r') if self.peek(2) == b'\n' => self.at += 3,
                _ => return,
            }
        }
    }

    fn next(&mut self) -> Option<Kind> {
        let byte = *self.bytes.get(self.at)?;
        let one = |lexer: &mut Self, kind| {
            lexer.at += 1;
            kind
        };
        Some(match byte {
            b'\n' => one(self, Kind::Newline),
            b'\r' if self.peek(1) == b'\n' => {
                self.at += 2;
                Kind::Newline
            }
            b'"' => self.text(),
            b'\'' => self.single_quoted(),
            b'/' => self.regex(),
            b'<' => self.special(),
            b'%' => self.directive(),
            b'@' => {
                self.at += 1;
                self.word();
                Kind::Grammar
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.name(),
            b'0'..=b'9' => self.number(),
            b'-' if self.peek(1) == b'>' => {
                self.at += 2;
                Kind::Arrow
            }
            b'-' if self.peek(1).is_ascii_digit() => self.number(),
            b'+' if self.peek(1).is_ascii_digit() && self.expects_number() => self.number(),
            b'?' | b'*' | b'+' => one(self, Kind::Operator(byte)),
            b':' if self.peek(1) == b':' => {
                self.at += 2;
                Kind::DoubleColon
            }
            b'.' if self.peek(1) == b'.' => {
                self.at += 2;
                Kind::DotDot
            }
            b':' => one(self, Kind::Colon),
            b'=' => one(self, Kind::Equals),
            b',' => one(self, Kind::Comma),
            b'.' => one(self, Kind::Dot),
            b'!' => one(self, Kind::Bang),
            b'~' => one(self, Kind::Tilde),
            b'|' => one(self, Kind::Bar),
            b'&' => one(self, Kind::And),
            b'(' => one(self, Kind::OpenParen),
            b')' => one(self, Kind::CloseParen),
            b'{' => one(self, Kind::OpenBrace),
            b'}' => one(self, Kind::CloseBrace),
            b'[' => one(self, Kind::OpenBracket),
            b']' => one(self, Kind::CloseBracket),
            _ => self.wrong_character(),
        })
    }

    fn wrong_character(&mut self) -> Kind {
        let next = self.source[self.at..].chars().next().map_or(1, char::len_utf8);
        self.at += next;
        Kind::Wrong("unexpected character", "texts are written \"…\", and regexes /…/")
    }

    /// Returns true after a token that a number follows.
    fn expects_number(&self) -> bool {
        use Kind::{Comma, Dot, DotDot, Equals, OpenBrace, Tilde};
        let last = self.tokens.last().map(|token| token.kind);
        matches!(last, Some(Comma | Dot | DotDot | Equals | OpenBrace | Tilde))
    }

    fn word(&mut self) {
        let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        self.at += self.bytes[self.at..].iter().take_while(is_word).count();
    }

    /// Reads a name. It ends before `->`.
    fn name(&mut self) -> Kind {
        let start = self.at;
        self.word();
        if let Some(arrow) = self.source[start..self.at].find('-').map(|at| start + at)
            && self.bytes.get(self.at) == Some(&b'>')
            && arrow + 1 == self.at
        {
            self.at = arrow;
        } else if self.peek(0) == b'>' && self.bytes[self.at - 1] == b'-' {
            self.at -= 1;
        }
        let name = &self.source[start..self.at];
        match name.bytes().find(|&byte| byte != b'_') {
            Some(b'A'..=b'Z') => Kind::Terminal,
            Some(b'a'..=b'z') => Kind::Rule,
            None if name == "_" => Kind::Underscore,
            _ => Kind::Wrong(
                "a name needs a letter",
                "rules are written in lower case, terminals in upper case",
            ),
        }
    }

    fn number(&mut self) -> Kind {
        if self.peek(0) == b'0' && matches!(self.peek(1), b'x' | b'X') && self.peek(2).is_ascii_hexdigit() {
            self.at += 2;
            self.at += self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
            return Kind::Hex;
        }
        self.at += 1;
        self.digits();
        if self.peek(0) == b'.' && self.peek(1) != b'.' {
            self.at += 1;
            self.digits();
        }
        let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
        if matches!(self.peek(0), b'e' | b'E') && self.peek(1 + sign).is_ascii_digit() {
            self.at += 1 + sign;
            self.digits();
        }
        Kind::Number
    }

    fn digits(&mut self) {
        self.at += self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    }

    /// Moves after the closing `quote`, or to the end of the line. Returns false in the second case.
    fn quoted(&mut self, quote: u8, may_break: bool) -> bool {
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                None => return false,
                Some(b'\n') if !may_break => return false,
                Some(b'\\') if self.at + 1 < self.bytes.len() && (may_break || self.peek(1) != b'\n') => {
                    self.at += 2;
                }
                Some(&byte) => {
                    self.at += 1;
                    if byte == quote {
                        return true;
                    }
                }
            }
        }
    }

    fn text(&mut self) -> Kind {
        if !self.quoted(b'"', false) {
            return Kind::Wrong("the text is not closed", "a line break inside of a text is written \\n");
        }
        let follows =
            self.bytes.get(self.at + 1).is_some_and(|&byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if self.peek(0) == b'i' && !follows {
            self.at += 1;
        }
        Kind::Text
    }

    fn single_quoted(&mut self) -> Kind {
        self.quoted(b'\'', false);
        Kind::Wrong("texts are written with double quotes", "replace '…' by \"…\"")
    }

    fn regex(&mut self) -> Kind {
        if !self.quoted(b'/', true) {
            return Kind::Wrong("the regex is not closed", "a slash inside of a regex is written \\/");
        }
        let is_flag = |byte: &&u8| matches!(byte, b'i' | b'm' | b's' | b'l' | b'u' | b'x');
        self.at += self.bytes[self.at..].iter().take_while(is_flag).count();
        Kind::Regex
    }

    fn special(&mut self) -> Kind {
        let is_inside = |byte: &&u8| !matches!(byte, b'<' | b'>') && !byte.is_ascii_whitespace();
        let inside = self.bytes[self.at + 1..].iter().take_while(is_inside).count();
        if inside > 0 && self.peek(1 + inside) == b'>' {
            self.at += inside + 2;
            return Kind::Special;
        }
        self.at += 1;
        Kind::Wrong("this is not a special token", "special tokens are written <name> or <[12,20-30]>")
    }

    fn directive(&mut self) -> Kind {
        self.at += 1;
        let start = self.at;
        self.word();
        let word = &self.source[start..self.at];
        let known = Directive::ALL.iter().find(|(name, _)| *name == word);
        Kind::Directive(known.map_or(Directive::Unknown, |&(_, directive)| directive))
    }

    /// Reads the JSON value after a directive. Line breaks may precede it.
    fn json(&mut self) {
        let blanks = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let start = self.at + blanks;
        let length = json_length(&self.bytes[start..]);
        self.at = start + length.unwrap_or(0);
        let kind = match length {
            Some(_) => Kind::Json,
            None => Kind::Wrong("no complete JSON value follows", "the value is written {…}"),
        };
        self.tokens.push(Token { kind, span: start..self.at, is_spaced: blanks > 0 });
    }
}

/// Returns the number of bytes of the JSON value that a text begins with. It is not checked further.
/// Returns `None` if brackets are not closed, or if there is no value.
fn json_length(bytes: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (0usize, 0);
    loop {
        match bytes.get(at)? {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b'"' => {
                at += 1;
                loop {
                    match bytes.get(at)? {
                        b'"' => break,
                        b'\\' => at += 2,
                        _ => at += 1,
                    }
                }
            }
            byte if depth == 0 => {
                let is_scalar =
                    |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
                let length = bytes[at..].iter().take_while(is_scalar).count();
                let begins = byte.is_ascii_alphanumeric() || *byte == b'-';
                return (begins && length > 0).then_some(at + length);
            }
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, lex};

    fn kinds(source: &str) -> Vec<Kind> {
        lex(source).into_iter().map(|token| token.kind).filter(|kind| *kind != Kind::Newline).collect()
    }

    #[test]
    fn a_name_ends_before_an_arrow() {
        use Kind::{Arrow, Colon, End, Rule, Terminal};
        assert_eq!(kinds("a-b: X->c"), [Rule, Colon, Terminal, Arrow, Rule, End]);
        assert_eq!(kinds("a--b->c"), [Rule, Arrow, Rule, End]);
    }

    #[test]
    fn a_slash_ends_a_regex_inside_of_a_class_too() {
        assert_eq!(kinds("/[/"), [Kind::Regex, Kind::End]);
        assert!(matches!(kinds("/[/]/")[..], [Kind::Regex, Kind::CloseBracket, Kind::Wrong(..), Kind::End]));
    }

    #[test]
    fn every_prefix_of_a_text_has_tokens() {
        let source = "%llguidance {\"a\": [1, \"]\"]}\r\n?start[stop=\"x\"]: <[1-2]> @g ~2..3 0x1F // é\n";
        for end in (0..source.len()).filter(|&end| source.is_char_boundary(end)) {
            let tokens = lex(&source[..end]);
            assert!(tokens.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start), "{end}");
            assert_eq!(tokens.last().map(|token| token.span.end), Some(end));
        }
    }
}
