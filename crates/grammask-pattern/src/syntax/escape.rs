//! Escapes of ECMA-262: classes, characters, properties, back-references.

use super::class::{DIGITS, NONE, SPACE, WORD, bracketed, fold, property};
use super::ecma::{Atom, Parser};
use super::node::{Assertion, Node};
use super::sets::PROPERTIES_OF_STRINGS;
use crate::{Error, Note};

impl<'a> Parser<'a> {
    /// Parses an escape outside of brackets.
    pub(super) fn escape(&mut self, start: usize) -> Result<Node, Error> {
        match self.peek() {
            Some(c @ ('b' | 'B')) => {
                self.at += 1;
                Ok(match (c, self.flags.ignore_case) {
                    ('b', false) => Node::Assertion(Assertion::Boundary),
                    (_, false) => Node::Assertion(Assertion::NotBoundary),
                    (c, true) => Node::boundary(&fold(&bracketed(WORD, false), false), c == 'b'),
                })
            }
            Some('1'..='9') => {
                let from = self.at;
                let number: usize = self.digits().parse().unwrap_or(usize::MAX);
                Err(if number <= self.capturing_groups() {
                    Error::unsupported(start, "back-references to groups")
                } else if self.is_legacy {
                    self.at = from;
                    let code = self.legacy_number();
                    return Ok(char::from_u32(code)
                        .map_or_else(|| Node::Class(NONE.to_owned()), |c| self.literal(c)));
                } else {
                    Error::invalid(start, format!("group {number} does not exist"))
                })
            }
            Some('k') => {
                self.at += 1;
                if !self.eat("<") {
                    return Err(Error::invalid(start, "`\\k` without a group name"));
                }
                let name = self.group_name()?;
                Err(if self.source.contains(&format!("(?<{name}>")) {
                    Error::unsupported(start, "back-references to groups")
                } else {
                    Error::invalid(start, format!("group `{name}` does not exist"))
                })
            }
            _ => Ok(match self.character_escape(start)? {
                Atom::Code(code) => {
                    char::from_u32(code).map_or_else(|| Node::Class(NONE.to_owned()), |c| self.literal(c))
                }
                Atom::Set(items, negated) if self.flags.ignore_case => {
                    Node::Class(fold(&bracketed(&items, negated), false))
                }
                // A property is written without brackets.
                Atom::Set(items, false) if items.starts_with(r"\p{") || items.starts_with(r"\P{") => {
                    Node::Class(items)
                }
                Atom::Set(items, negated) => Node::Class(bracketed(&items, negated)),
            }),
        }
    }

    /// Returns the number of capturing groups of the whole pattern.
    pub(super) fn capturing_groups(&self) -> usize {
        let mut chars = self.source.char_indices();
        let (mut groups, mut in_class) = (0, false);
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => drop(chars.next()),
                '[' => in_class = true,
                ']' => in_class = false,
                '(' if !in_class && (!self.source[at..].starts_with("(?") || self.named(at)) => groups += 1,
                _ => {}
            }
        }
        groups
    }

    /// Parses an escape in or out of brackets, after its backslash.
    pub(super) fn character_escape(&mut self, start: usize) -> Result<Atom, Error> {
        let Some(c) = self.next() else {
            return Err(Error::invalid(start, "a backslash at the end"));
        };
        let code = match c {
            'd' | 'D' => return Ok(Atom::Set(DIGITS.to_owned(), c == 'D')),
            'w' | 'W' if self.flags.ignore_case => {
                return Ok(Atom::Set(fold(&bracketed(WORD, false), c == 'W'), false));
            }
            'w' | 'W' => return Ok(Atom::Set(WORD.to_owned(), c == 'W')),
            's' | 'S' => return Ok(Atom::Set(SPACE.to_owned(), c == 'S')),
            'p' | 'P' => return self.property(start, c == 'P'),
            't' => 9,
            'n' => 10,
            'v' => 11,
            'f' => 12,
            'r' => 13,
            '0' if !self.peek().is_some_and(|c| c.is_ascii_digit()) => 0,
            'c' => match self.peek() {
                Some(c) if c.is_ascii_alphabetic() => {
                    self.at += 1;
                    u32::from(c) % 32
                }
                _ => return Err(Error::invalid(start, "`\\c` without a letter")),
            },
            'x' | 'u' if self.is_legacy => {
                let after = self.at;
                let code = if c == 'x' { self.hex(2) } else { self.unicode(start).ok() };
                if code.is_none() {
                    self.at = after;
                }
                code.unwrap_or(u32::from(c))
            }
            '0'..='9' if self.is_legacy => {
                self.at -= 1;
                self.legacy_number()
            }
            'x' => {
                self.hex(2).ok_or_else(|| Error::invalid(start, "`\\x` without two hexadecimal digits"))?
            }
            'u' => self.unicode(start)?,
            c if !c.is_ascii_alphanumeric() => u32::from(c),
            c => return Err(Error::invalid(start, format!("`\\{c}` is not an escape of ECMA-262"))),
        };
        Ok(Atom::Code(code))
    }

    /// Parses an octal number of at most three digits and below 256, or one digit that matches itself.
    pub(super) fn legacy_number(&mut self) -> u32 {
        let digits = self.rest().bytes().take(3).take_while(|c| (b'0'..=b'7').contains(c)).count();
        let length = if self.rest() >= "4" { digits.min(2) } else { digits };
        if length == 0 {
            return self.next().map_or(0, u32::from);
        }
        let code = u32::from_str_radix(&self.rest()[..length], 8).unwrap_or(0);
        self.at += length;
        code
    }

    pub(super) fn hex(&mut self, digits: usize) -> Option<u32> {
        let text = self.rest().get(..digits).filter(|text| text.bytes().all(|c| c.is_ascii_hexdigit()))?;
        self.at += digits;
        u32::from_str_radix(text, 16).ok()
    }

    /// Parses what follows `\u`: four digits, two such surrogates, or any number of digits in braces.
    pub(super) fn unicode(&mut self, start: usize) -> Result<u32, Error> {
        let wrong = || Error::invalid(start, "`\\u` without a code point");
        if self.eat("{") {
            let length = self.rest().find('}').ok_or_else(wrong)?;
            let digits = &self.rest()[..length];
            if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_hexdigit()) {
                return Err(wrong());
            }
            self.at += length + 1;
            let significant = digits.trim_start_matches('0');
            let significant = if significant.is_empty() { "0" } else { significant };
            return u32::from_str_radix(significant, 16)
                .ok()
                .filter(|&code| code <= 0x10_FFFF)
                .ok_or_else(wrong);
        }
        let high = self.hex(4).ok_or_else(wrong)?;
        let back = self.at;
        if (0xD800..0xDC00).contains(&high) && self.eat("\\u") {
            match self.hex(4) {
                Some(low @ 0xDC00..0xE000) => return Ok(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00)),
                _ => self.at = back,
            }
        }
        if (0xD800..0xE000).contains(&high) {
            let message = "half of a surrogate pair never occurs in a text";
            self.notes.push(Note { offset: start, message: message.to_owned() });
        }
        Ok(high)
    }

    pub(super) fn property(&mut self, start: usize, negated: bool) -> Result<Atom, Error> {
        let wrong = || Error::invalid(start, "`\\p` without a Unicode property in braces");
        if !self.eat("{") {
            return Err(wrong());
        }
        let length = self.rest().find('}').ok_or_else(wrong)?;
        let name = &self.rest()[..length];
        self.at += length + 1;
        if let Some(known) = self.properties.get(&(name, negated)) {
            return Ok(Atom::Set(known.clone(), false));
        }
        if self.sets && PROPERTIES_OF_STRINGS.contains(&name) {
            return Err(Error::unsupported(start, "properties of strings"));
        }
        let class = property(name, negated).ok_or_else(wrong)?;
        self.properties.insert((name, negated), class.clone());
        Ok(Atom::Set(class, false))
    }
}
