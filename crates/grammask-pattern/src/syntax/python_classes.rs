//! Escapes and classes of Python's regular expressions.

use super::class::{WORD, bracketed, characters, push_range, python_fold, to_class};
use super::node::Node;
use super::python::Parser;
use crate::{Error, Note};

/// Members of `\d`, `\w` and `\s`, without the flag `a`.
const DIGITS: &str = r"\p{Nd}";
pub(super) const UNICODE_WORD: &str = r"\p{L}\p{N}_";
const SPACE: &str =
    r"\t-\r\x1c- \u{85}\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}";
/// Members of `\d` and `\s` with the flag `a`.
const ASCII_DIGITS: &str = "0-9";
const ASCII_SPACE: &str = r"\t-\r ";

/// The meaning of an escape, or of a member of a class.
pub(super) enum Atom {
    Code(u32),
    /// Members of a class, and whether it is negated.
    Set(&'static str, bool),
}

impl Parser<'_> {
    /// Parses an escape of digits outside of brackets, after its backslash.
    pub(super) fn number(&mut self, start: usize) -> Result<Node, Error> {
        let rest = self.rest().as_bytes();
        let is_octal = |at: usize| rest.get(at).is_some_and(|c| (b'0'..=b'7').contains(c));
        if is_octal(0) && is_octal(1) && is_octal(2) {
            let code = rest[..3].iter().fold(0, |code, c| code * 8 + u32::from(c - b'0'));
            self.at += 3;
            return if code > 0o377 {
                self.invalid(start, "an octal escape above `\\377`")
            } else {
                Ok(self.code(code))
            };
        }
        let length = if rest.get(1).is_some_and(u8::is_ascii_digit) { 2 } else { 1 };
        let number = rest[..length].iter().fold(0, |number, c| number * 10 + usize::from(c - b'0'));
        self.at += length;
        if number > self.groups {
            self.invalid(start, format!("group {number} does not exist"))
        } else if self.open.contains(&number) {
            self.invalid(start, format!("group {number} is not closed yet"))
        } else {
            Err(Error::unsupported(start, "back-references to groups"))
        }
    }

    /// Parses an escape, after its backslash.
    pub(super) fn escape(&mut self, start: usize, in_class: bool) -> Result<Atom, Error> {
        let Some(c) = self.next() else { return self.invalid(start, "a backslash at the end") };
        let ascii = self.flags.ascii;
        let code = match c {
            'd' | 'D' => return Ok(Atom::Set(if ascii { ASCII_DIGITS } else { DIGITS }, c == 'D')),
            's' | 'S' => return Ok(Atom::Set(if ascii { ASCII_SPACE } else { SPACE }, c == 'S')),
            'w' | 'W' => return Ok(Atom::Set(if ascii { WORD } else { UNICODE_WORD }, c == 'W')),
            'a' => 7,
            'b' if in_class => 8,
            't' => 9,
            'n' => 10,
            'v' => 11,
            'f' => 12,
            'r' => 13,
            'x' => self.hex(start, 2)?,
            'u' => self.hex(start, 4)?,
            'U' => self.hex(start, 8)?,
            'N' if self.rest().starts_with('{') => {
                return Err(Error::unsupported(start, "names of characters"));
            }
            '0' | '1'..='7' if c == '0' || in_class => {
                let mut code = u32::from(c) - u32::from('0');
                for _ in 0..2 {
                    if let Some(digit) = self.peek().and_then(|c| c.to_digit(8)) {
                        self.at += 1;
                        code = code * 8 + digit;
                    }
                }
                if code > 0o377 {
                    return self.invalid(start, "an octal escape above `\\377`");
                }
                code
            }
            c if c.is_ascii_alphanumeric() => {
                return self.invalid(start, format!("`\\{c}` is not an escape of Python"));
            }
            c => u32::from(c),
        };
        Ok(Atom::Code(code))
    }

    fn hex(&mut self, start: usize, digits: usize) -> Result<u32, Error> {
        let rest = self.rest();
        let text = rest.get(..digits).filter(|text| text.bytes().all(|c| c.is_ascii_hexdigit()));
        let code = text.and_then(|text| u32::from_str_radix(text, 16).ok()).filter(|&code| code <= 0x10_FFFF);
        let Some(code) = code else {
            return self.invalid(start, format!("an escape without {digits} hexadecimal digits"));
        };
        if (0xD800..0xE000).contains(&code) {
            let message = "half of a surrogate pair never occurs in a text";
            self.notes.push(Note { offset: start, message: message.to_owned() });
        }
        self.at += digits;
        Ok(code)
    }

    /// Parses a class, after its opening bracket.
    pub(super) fn class(&mut self, start: usize) -> Result<Node, Error> {
        let negated = self.eat("^");
        let (mut items, mut sets, mut is_first) = (String::new(), String::new(), true);
        loop {
            let low_at = self.at;
            if !is_first && self.eat("]") {
                break;
            }
            is_first = false;
            let low = self.class_atom(start)?;
            let is_range = self.rest().starts_with('-') && !self.rest().starts_with("-]");
            if !is_range {
                match low {
                    Atom::Code(code) => push_range(code, code, &mut items),
                    Atom::Set(inside, false) => sets.push_str(inside),
                    Atom::Set(inside, true) => sets.push_str(&bracketed(inside, true)),
                }
                continue;
            }
            self.at += 1;
            match (low, self.class_atom(start)?) {
                (Atom::Code(low), Atom::Code(high)) if low <= high => {
                    push_range(low, high, &mut items);
                }
                (Atom::Code(_), Atom::Code(_)) => {
                    return self.invalid(low_at, "the ends of the range are out of order");
                }
                _ => return self.invalid(low_at, "a range that ends with a class"),
            }
        }
        if self.flags.ignore_case && !items.is_empty() {
            let mut set = python_fold(&characters(&bracketed(&items, false)), self.flags.ascii);
            set.union(&characters(&bracketed(&sets, false)));
            if negated {
                set.negate();
            }
            return Ok(Node::Class(to_class(&set)));
        }
        items.push_str(&sets);
        Ok(Node::Class(bracketed(&items, negated)))
    }

    fn class_atom(&mut self, start: usize) -> Result<Atom, Error> {
        let at = self.at;
        match self.next() {
            None => self.invalid(start, "the class is not closed"),
            Some('\\') => self.escape(at, true),
            Some(c) => Ok(Atom::Code(u32::from(c))),
        }
    }
}
