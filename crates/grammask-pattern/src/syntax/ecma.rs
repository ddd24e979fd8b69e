//! Parses a pattern of ECMA-262 into its syntax tree, by recursive descent. Its depth is that of the nested
//! groups, which is limited.

use std::collections::BTreeMap;

use super::class::{ANY, DIGITS, DOT, NONE, SPACE, WORD, bracketed, property, push_range};
use super::node::{Assertion, Node};
use crate::Error;
use crate::Limits;

/// Parses a pattern.
///
/// # Errors
/// When it is invalid, has back-references or flags, or exceeds a limit of nesting or counting.
pub(crate) fn parse(source: &str, limits: &Limits) -> Result<Node, Error> {
    let mut parser = Parser { source, limits, at: 0, depth: 0, properties: BTreeMap::new() };
    let node = parser.alternatives()?;
    match parser.peek() {
        None => Ok(node),
        Some(_) => Err(Error::invalid(parser.at, "`)` without a group to close")),
    }
}

struct Parser<'a> {
    source: &'a str,
    limits: &'a Limits,
    at: usize,
    depth: usize,
    /// Memo of the classes of properties, because a look-up in the tables is slow.
    properties: BTreeMap<(&'a str, bool), String>,
}

/// The meaning of an escape, or of a member of a class.
enum Atom {
    Code(u32),
    /// Members of a class in the syntax inside brackets, and whether the class is negated.
    Set(String, bool),
}

impl Atom {
    fn push(&self, out: &mut String) {
        match self {
            Self::Code(code) => push_range(*code, *code, out),
            Self::Set(items, false) => out.push_str(items),
            Self::Set(items, true) => out.push_str(&bracketed(items, true)),
        }
    }
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn alternatives(&mut self) -> Result<Node, Error> {
        let mut all = Vec::new();
        let mut parts = Vec::new();
        loop {
            match self.peek() {
                None | Some(')') => break,
                Some('|') => {
                    self.at += 1;
                    all.push(Node::sequence(std::mem::take(&mut parts)));
                }
                Some(_) => parts.push(self.term()?),
            }
        }
        all.push(Node::sequence(parts));
        Ok(Node::alternatives(all))
    }

    fn term(&mut self) -> Result<Node, Error> {
        let start = self.at;
        let node = self.atom()?;
        let after = self.at;
        let Some((min, max)) = self.quantifier()? else { return Ok(node) };
        let bare = ["^", "$", "\\b", "\\B", "(?<=", "(?<!"];
        if bare.iter().any(|bare| self.source[start..].starts_with(bare)) {
            return Err(Error::invalid(after, "nothing to repeat before the quantifier"));
        }
        Ok(repeat(node, min, max))
    }

    /// Returns true if a named group starts at a byte offset.
    fn named(&self, at: usize) -> bool {
        let rest = &self.source[at..];
        rest.starts_with("(?<") && !rest.starts_with("(?<=") && !rest.starts_with("(?<!")
    }

    /// Parses a quantifier, if there is one.
    fn quantifier(&mut self) -> Result<Option<(u32, Option<u32>)>, Error> {
        let start = self.at;
        let bounds = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => match self.braces()? {
                Some(bounds) => bounds,
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        if self.at == start {
            self.at += 1;
        }
        self.eat("?");
        Ok(Some(bounds))
    }

    /// Parses `{m}`, `{m,}` or `{m,n}`. Otherwise returns `None` and stays at the position.
    fn braces(&mut self) -> Result<Option<(u32, Option<u32>)>, Error> {
        let start = self.at;
        self.at += 1;
        let min = self.digits();
        let max = match (min.is_empty(), self.eat(",")) {
            (false, true) => self.digits(),
            _ => min,
        };
        if min.is_empty() || !self.eat("}") {
            self.at = start;
            return Ok(None);
        }
        let least = self.count(min, start)?;
        let most = if max.is_empty() { None } else { Some(self.count(max, start)?) };
        if most.is_some_and(|most| most < least) {
            return Err(Error::invalid(start, "the quantifier's numbers are out of order"));
        }
        Ok(Some((least, most)))
    }

    /// Parses a number of a quantifier, which starts at byte `at`.
    fn count(&self, digits: &str, at: usize) -> Result<u32, Error> {
        let limit = self.limits.max_quantifier;
        let value = digits.trim_start_matches('0');
        match value.parse() {
            _ if value.is_empty() => Ok(0),
            Ok(value) if value <= limit => Ok(value),
            _ => Err(Error::limit(at, "max_quantifier", limit, "repetitions by one quantifier")),
        }
    }

    fn digits(&mut self) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        self.at += length;
        &rest[..length]
    }

    fn atom(&mut self) -> Result<Node, Error> {
        let start = self.at;
        let Some(c) = self.next() else { return Ok(Node::Sequence(Vec::new())) };
        Ok(match c {
            '^' => Node::Assertion(Assertion::Start),
            '$' => Node::Assertion(Assertion::End),
            '.' => Node::Class(DOT.to_owned()),
            '(' => return self.group(start),
            '[' => return self.class(start),
            '\\' => return self.escape(start),
            '*' | '+' | '?' => {
                return Err(Error::invalid(start, "nothing to repeat before the quantifier"));
            }
            '{' => {
                self.at = start;
                if self.braces()?.is_some() {
                    return Err(Error::invalid(start, "nothing to repeat before the quantifier"));
                }
                self.at = start + 1;
                Node::Char(c)
            }
            c => Node::Char(c),
        })
    }

    fn group(&mut self, start: usize) -> Result<Node, Error> {
        let mut look = None;
        if self.eat("?") {
            if self.eat("=") {
                look = Some((true, false));
            } else if self.eat("!") {
                look = Some((true, true));
            } else if self.eat("<=") {
                look = Some((false, false));
            } else if self.eat("<!") {
                look = Some((false, true));
            } else if self.eat("<") {
                self.group_name()?;
            } else if !self.eat(":") {
                return Err(match self.peek() {
                    Some('i' | 'm' | 's' | '-') => Error::unsupported(start, "flags inside of a pattern"),
                    _ => Error::invalid(start, "`(?` does not start a group"),
                });
            }
        }
        self.depth += 1;
        let limit = self.limits.max_group_nesting;
        if self.depth > limit {
            return Err(Error::limit(start, "max_group_nesting", limit, "levels of nested groups"));
        }
        let node = self.alternatives()?;
        self.depth -= 1;
        if !self.eat(")") {
            return Err(Error::invalid(start, "the group is not closed"));
        }
        Ok(match look {
            None => node,
            Some((ahead, negative)) => Node::Look { ahead, negative, node: Box::new(node) },
        })
    }

    fn group_name(&mut self) -> Result<&'a str, Error> {
        let rest = self.rest();
        let length =
            rest.find('>').ok_or_else(|| Error::invalid(self.at, "the name of the group has no `>`"))?;
        let name = &rest[..length];
        let begins = |c: char| c.is_alphabetic() || matches!(c, '$' | '_');
        let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '$' | '_' | '\u{200c}' | '\u{200d}');
        if !name.starts_with(begins) || !name.chars().all(goes_on) {
            return Err(Error::invalid(self.at, format!("`{name}` is not a group name")));
        }
        self.at += length + 1;
        Ok(name)
    }

    /// Parses an escape outside of brackets.
    fn escape(&mut self, start: usize) -> Result<Node, Error> {
        match self.peek() {
            Some('b') => self.assertion(Assertion::Boundary),
            Some('B') => self.assertion(Assertion::NotBoundary),
            Some('1'..='9') => {
                let number: usize = self.digits().parse().unwrap_or(usize::MAX);
                Err(if number <= self.capturing_groups() {
                    Error::unsupported(start, "back-references to groups")
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
                    char::from_u32(code).map_or_else(|| Node::Class(NONE.to_owned()), Node::Char)
                }
                // A property is written without brackets.
                Atom::Set(items, false) if items.starts_with(r"\p{") || items.starts_with(r"\P{") => {
                    Node::Class(items)
                }
                Atom::Set(items, negated) => Node::Class(bracketed(&items, negated)),
            }),
        }
    }

    fn assertion(&mut self, assertion: Assertion) -> Result<Node, Error> {
        self.at += 1;
        Ok(Node::Assertion(assertion))
    }

    /// Returns the number of capturing groups of the whole pattern.
    fn capturing_groups(&self) -> usize {
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
    fn character_escape(&mut self, start: usize) -> Result<Atom, Error> {
        let Some(c) = self.next() else {
            return Err(Error::invalid(start, "a backslash at the end"));
        };
        let code = match c {
            'd' | 'D' => return Ok(Atom::Set(DIGITS.to_owned(), c == 'D')),
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
            'x' => {
                self.hex(2).ok_or_else(|| Error::invalid(start, "`\\x` without two hexadecimal digits"))?
            }
            'u' => self.unicode(start)?,
            c if !c.is_ascii_alphanumeric() => u32::from(c),
            c => return Err(Error::invalid(start, format!("`\\{c}` is not an escape of ECMA-262"))),
        };
        Ok(Atom::Code(code))
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text = self.rest().get(..digits).filter(|text| text.bytes().all(|c| c.is_ascii_hexdigit()))?;
        self.at += digits;
        u32::from_str_radix(text, 16).ok()
    }

    /// Parses what follows `\u`: four digits, two such surrogates, or any number of digits in braces.
    fn unicode(&mut self, start: usize) -> Result<u32, Error> {
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
        Ok(high)
    }

    fn property(&mut self, start: usize, negated: bool) -> Result<Atom, Error> {
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
        let class = property(name, negated).ok_or_else(wrong)?;
        self.properties.insert((name, negated), class.clone());
        Ok(Atom::Set(class, false))
    }

    /// Parses a class, after its opening bracket.
    fn class(&mut self, start: usize) -> Result<Node, Error> {
        let negated = self.eat("^");
        let mut items = String::new();
        loop {
            if self.eat("]") {
                break;
            }
            let low_at = self.at;
            let low = self.class_atom(start)?;
            if !self.rest().starts_with('-') || self.rest().starts_with("-]") || self.rest() == "-" {
                low.push(&mut items);
                continue;
            }
            self.at += 1;
            let high = self.class_atom(start)?;
            match (&low, &high) {
                (Atom::Code(low), Atom::Code(high)) if low <= high => push_range(*low, *high, &mut items),
                (Atom::Code(_), Atom::Code(_)) => {
                    return Err(Error::invalid(low_at, "the ends of the range are out of order"));
                }
                // By Annex B, a hyphen next to a class is a literal.
                _ => [low, Atom::Code(u32::from('-')), high].iter().for_each(|atom| atom.push(&mut items)),
            }
        }
        let whole = items == format!("{SPACE}[^{SPACE}]")
            || items == format!("[^{SPACE}]{SPACE}")
            || items == format!("{WORD}[^{WORD}]")
            || items == format!("[^{WORD}]{WORD}")
            || items == format!("{DIGITS}[^{DIGITS}]")
            || items == format!("[^{DIGITS}]{DIGITS}");
        Ok(Node::Class(match (whole, negated) {
            (true, false) => ANY.to_owned(),
            (true, true) => NONE.to_owned(),
            _ => bracketed(&items, negated),
        }))
    }

    fn class_atom(&mut self, start: usize) -> Result<Atom, Error> {
        let at = self.at;
        match self.next() {
            None => Err(Error::invalid(start, "the class is not closed")),
            Some('\\') if self.eat("b") => Ok(Atom::Code(8)),
            Some('\\') => self.character_escape(at),
            Some(c) => Ok(Atom::Code(u32::from(c))),
        }
    }
}

fn repeat(node: Node, min: u32, max: Option<u32>) -> Node {
    match (min, max) {
        (1, Some(1)) => node,
        (_, Some(0)) => Node::Sequence(Vec::new()),
        _ => Node::Repeat(Box::new(node), min, max),
    }
}
