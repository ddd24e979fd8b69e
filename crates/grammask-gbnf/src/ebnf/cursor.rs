//! A position in the text, and the lexical part of both dialects: blanks, comments, names.

use grammask_syntax::Span;

use super::options::option_list;
use crate::Dialect;

pub(super) struct Cursor<'a> {
    pub text: &'a str,
    /// Offset in the text.
    pub at: usize,
    base: usize,
    dialect: Dialect,
    /// True if the rule has `(= …)` at its end.
    has_lookahead: bool,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str, base: usize, dialect: Dialect) -> Self {
        Self { text, at: 0, base, dialect, has_lookahead: false }
    }

    /// Returns a span of the virtual text.
    pub const fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.base + start, self.base + end)
    }

    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    pub fn looking_at(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    pub fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += char.len_utf8();
        Some(char)
    }

    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.looking_at(text);
        if found {
            self.at += text.len();
        }
        found
    }

    pub fn take_while(&mut self, such: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|char| !such(char)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    pub fn set_read_lookahead(&mut self) {
        self.has_lookahead = true;
    }

    /// Returns true if the rule had `(= …)`, and forgets it.
    pub fn has_read_lookahead(&mut self) -> bool {
        std::mem::take(&mut self.has_lookahead)
    }

    /// Skips blanks and comments, and line breaks if `lines`. Returns true if it stopped at a line break.
    pub fn skip_blanks(&mut self, lines: bool) -> bool {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b' ' | b'\t' => self.at += 1,
                b'#' => {
                    let rest = &bytes[self.at..];
                    self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                }
                b'\n' | b'\r' if lines => self.at += 1,
                b'\n' | b'\r' => return true,
                _ => break,
            }
        }
        false
    }

    /// Returns true if a character may occur in a name.
    fn is_name_char(&self, char: char) -> bool {
        char.is_ascii_alphanumeric() || matches!(char, '-' | '_') || char == '.' && self.is_xgrammar()
    }

    fn is_xgrammar(&self) -> bool {
        self.dialect == Dialect::XGrammar
    }

    /// Reads a name. Empty if there is none.
    pub fn name(&mut self) -> &'a str {
        if self.is_xgrammar() && self.peek().is_some_and(|char| char.is_ascii_digit()) {
            return "";
        }
        let dialect = self.dialect;
        let is_name_char = |char: char| {
            char.is_ascii_alphanumeric()
                || matches!(char, '-' | '_')
                || char == '.' && dialect == Dialect::XGrammar
        };
        self.take_while(is_name_char)
    }

    /// Returns true if only blanks precede an offset on its line.
    pub fn is_first_on_line(&self, offset: usize) -> bool {
        let before = &self.text[..offset];
        let line = before.rfind(['\n', '\r']).map_or(before, |at| &before[at + 1..]);
        line.trim_matches([' ', '\t']).is_empty()
    }

    /// Returns true if the cursor is at `name ::=`, options included.
    pub fn begins_rule(&self) -> bool {
        let mut ahead = Self { has_lookahead: false, ..*self };
        if !ahead.peek().is_some_and(|char| ahead.is_name_char(char)) || ahead.name().is_empty() {
            return false;
        }
        if ahead.is_xgrammar()
            && let Some(length) = option_list(ahead.rest())
        {
            ahead.at += length;
        }
        ahead.skip_blanks(ahead.is_xgrammar());
        ahead.looking_at("::=")
    }

    /// Moves to the next line that begins a rule, or to the end.
    pub fn skip_to_rule(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.find('\n').map_or(rest.len(), |at| at + 1);
            if self.is_at_end() {
                return;
            }
            let start = self.at;
            self.take_while(|char| matches!(char, ' ' | '\t'));
            if self.begins_rule() {
                return;
            }
            self.at = start;
        }
    }
}
