//! Texts and classes, with the escapes of both dialects.

use grammask_notation::Class;
use grammask_syntax::ExprId;

use super::{Malformed, Parser};

/// A code point. Surrogates are not characters, but both programs write their bytes. A code point above
/// U+10FFFF is in no text.
pub(super) type CodePoint = u32;

/// The greatest code point.
const LAST: CodePoint = 0x10_FFFF;

impl Parser<'_, '_> {
    /// Reads a text in double quotes.
    pub(super) fn quoted(&mut self) -> Result<ExprId, Malformed> {
        let start = self.cursor.at;
        let points = self.quoted_points()?;
        let span = self.since(start);
        if let Some(text) = points.iter().map(|&point| char::from_u32(point)).collect::<Option<String>>() {
            return Ok(self.builder.text(&text, span));
        }
        if points.iter().any(|&point| point > LAST) {
            return Ok(self.builder.never(span));
        }
        let mut regex = String::new();
        for point in points {
            match char::from_u32(point) {
                Some(char) if char.is_ascii_alphanumeric() => regex.push(char),
                Some(char) => regex.push_str(&format!("\\x{{{:X}}}", u32::from(char))),
                None => {
                    let bytes = [0xE0 | point >> 12, 0x80 | point >> 6 & 0x3F, 0x80 | point & 0x3F];
                    regex.push_str("(?-u:");
                    regex.extend(bytes.iter().map(|byte| format!("\\x{byte:02X}")));
                    regex.push(')');
                }
            }
        }
        self.builder.note("a surrogate is not a character, so no text in UTF-8 contains it", span);
        Ok(self.builder.regex(&regex, span))
    }

    /// Reads a text in double quotes, as code points.
    pub(super) fn quoted_points(&mut self) -> Result<Vec<CodePoint>, Malformed> {
        let start = self.cursor.at;
        self.cursor.at += 1;
        let mut points = Vec::new();
        loop {
            match self.cursor.peek() {
                Some('"') => {
                    self.cursor.at += 1;
                    return Ok(points);
                }
                Some('\\') => points.push(self.escape(false)?),
                Some('\n' | '\r') if !self.is_llama() => {
                    let span = self.here();
                    return self.fail_hint("a text contains a line break", span, "write `\\n`");
                }
                Some(char) => {
                    points.push(char.into());
                    self.cursor.at += char.len_utf8();
                }
                None => {
                    let span = self.cursor.span(start, start + 1);
                    return self.fail("the text is not closed", span);
                }
            }
        }
    }

    /// Reads a text in double quotes that has no surrogates.
    pub(super) fn quoted_string(&mut self) -> Result<String, Malformed> {
        let start = self.cursor.at;
        let points = self.quoted_points()?;
        let span = self.since(start);
        match points.into_iter().map(char::from_u32).collect() {
            Some(text) => Ok(text),
            None => self.fail("the text has a code point that is not a character", span),
        }
    }

    /// Reads a class of characters.
    pub(super) fn class(&mut self) -> Result<ExprId, Malformed> {
        let start = self.cursor.at;
        self.cursor.at += 1;
        let mut class = Class::default();
        class.negated = self.cursor.eat("^");
        let mut is_empty = true;
        loop {
            match self.cursor.peek() {
                Some(']') => {
                    self.cursor.at += 1;
                    break;
                }
                None => {
                    let span = self.cursor.span(start, start + 1);
                    return self.fail("the class is not closed", span);
                }
                Some(_) => self.class_range(&mut class)?,
            }
            is_empty = false;
        }
        let span = self.since(start);
        if is_empty && self.is_llama() {
            let text = &self.cursor.text[start..self.cursor.at];
            self.builder.note(format!("`{text}` is the empty text here; any character is `.`"), span);
            return Ok(self.builder.empty(span));
        }
        if class.ranges().is_empty() && !class.negated {
            self.builder.note("the class has no characters, so nothing matches it", span);
        }
        Ok(self.builder.class(&class, span))
    }

    /// Reads a character or a range of a class.
    fn class_range(&mut self, class: &mut Class) -> Result<(), Malformed> {
        let start = self.cursor.at;
        let first = self.class_char()?;
        let mut last = first;
        let after_dash = self.cursor.rest().strip_prefix('-');
        if after_dash.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(']')) {
            self.cursor.at += 1;
            last = self.class_char()?;
        }
        if first > last {
            let span = self.since(start);
            if !self.is_llama() {
                return self.fail("the range of the class is the wrong way round", span);
            }
            self.builder.note("the range is the wrong way round, so it has no characters", span);
        }
        class.push_code_points(first, last);
        Ok(())
    }

    fn class_char(&mut self) -> Result<CodePoint, Malformed> {
        match self.cursor.peek() {
            Some('\\') => self.escape(true),
            Some('\n' | '\r') if !self.is_llama() => {
                let span = self.here();
                self.fail_hint("a class contains a line break", span, "write `\\n`")
            }
            Some(char) => {
                self.cursor.at += char.len_utf8();
                Ok(char.into())
            }
            None => {
                let span = self.here();
                self.fail("the class is not closed", span)
            }
        }
    }

    /// Reads an escape.
    fn escape(&mut self, in_class: bool) -> Result<CodePoint, Malformed> {
        let start = self.cursor.at;
        self.cursor.at += 1;
        let escaped = self.cursor.next();
        let point = match escaped {
            Some('n') => Some('\n'),
            Some('r') => Some('\r'),
            Some('t') => Some('\t'),
            Some('\\') => Some('\\'),
            Some('"') => Some('"'),
            Some(char @ ('[' | ']' | '-')) if self.is_llama() || in_class => Some(char),
            Some('x') if self.is_llama() => return self.hexadecimal(start, 2),
            Some('x') => return self.hexadecimal(start, usize::MAX),
            Some('u') => return self.hexadecimal(start, 4),
            Some('U') => return self.hexadecimal(start, 8),
            Some(char) if !self.is_llama() => xgrammar_escape(char, in_class),
            _ => None,
        };
        if let Some(char) = point {
            return Ok(char.into());
        }
        let span = self.since(start);
        let hint = match escaped {
            Some('d' | 'w' | 's' | 'D' | 'W' | 'S') => "classes are written out: `[0-9]`, `[a-zA-Z0-9_]`",
            Some('/' | '\'' | '-') => "this character needs no escape",
            Some('b' | 'f' | '0') => "write a control character as `\\x00` to `\\x1F`",
            _ => "a backslash itself is written `\\\\`",
        };
        self.fail_hint("unknown escape", span, hint)
    }

    /// Reads hexadecimal digits: `digits` of them, or all that follow.
    fn hexadecimal(&mut self, start: usize, digits: usize) -> Result<CodePoint, Malformed> {
        let rest = self.cursor.rest();
        let found = rest.bytes().take(digits).take_while(u8::is_ascii_hexdigit).count();
        let value = &rest[..found];
        self.cursor.at += found;
        let span = self.since(start);
        if found == 0 || digits != usize::MAX && found < digits {
            return self.fail(format!("the escape has {found} hexadecimal digits, too few"), span);
        }
        let value = value.trim_start_matches('0');
        match u32::from_str_radix(if value.is_empty() { "0" } else { value }, 16) {
            Ok(point) => {
                if point > LAST {
                    let message = "the code point is above U+10FFFF, so no text contains it";
                    self.builder.note(message, span);
                }
                Ok(point)
            }
            Err(_) => self.fail("the code point has more than 32 bits", span),
        }
    }
}

/// Returns the character of an escape that only XGrammar has.
const fn xgrammar_escape(char: char, in_class: bool) -> Option<char> {
    Some(match char {
        '/' | '\'' | '?' => char,
        'b' => '\x08',
        'f' => '\x0C',
        'a' => '\x07',
        'v' => '\x0B',
        '0' => '\0',
        'e' => '\x1B',
        '^' | '$' | '.' | '*' | '+' | '(' | ')' | '{' | '}' | '|' if in_class => char,
        _ => return None,
    })
}
