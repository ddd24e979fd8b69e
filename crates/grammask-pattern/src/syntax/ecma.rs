//! Parses a pattern of ECMA-262 into its syntax tree, by recursive descent. Its depth is that of the nested
//! groups, which is limited.

use std::collections::{BTreeMap, BTreeSet};

use super::class::{ANY, DIGITS, DOT, NONE, SPACE, WORD, bracketed, fold, push_range};
use super::node::{Assertion, Node};
use super::sets::{has_operators, may_have_sets};
use super::{Parsed, class};
use crate::{Error, Limits, Note};

/// Parses a pattern with the flag `u`, or `v` where only that gives it a meaning.
///
/// A pattern that is valid by the letter of the standard with `u` has that meaning. If `v` would give it
/// another one, a note says so. A pattern that is valid with `u` by Annex B only has the meaning by `v`, if
/// that exists and the pattern has an operator of `v`. So does a pattern that is not valid with `u`.
///
/// # Errors
/// When it is invalid, has back-references, or exceeds a limit of nesting or counting.
pub(crate) fn parse(source: &str, limits: &Limits) -> Result<Parsed, Error> {
    let mut parser = Parser::new(source, limits, false);
    let unicode = parser.parse();
    if !may_have_sets(source) {
        return unicode.map(|node| parser.finish(node));
    }
    let mut with_sets = Parser::new(source, limits, true);
    match (unicode, with_sets.parse()) {
        (Ok(node), Ok(other)) if node == other => Ok(parser.finish(node)),
        (Ok(node), Ok(_)) if !parser.is_lenient || !has_operators(source) => {
            let message = "the flag `v` would give a class another meaning; the flag `u` is assumed";
            parser.notes.push(Note { offset: 0, message: message.to_owned() });
            Ok(parser.finish(node))
        }
        (_, Ok(node)) => {
            let message = "read with the flag `v`: a class has nested classes, `--`, `&&` or `\\q`";
            with_sets.notes.push(Note { offset: 0, message: message.to_owned() });
            Ok(with_sets.finish(node))
        }
        (Ok(node), Err(_)) => Ok(parser.finish(node)),
        (Err(_), Err(error)) if error.cause == crate::Cause::Unsupported => Err(error),
        (Err(error), Err(_)) => Err(error),
    }
}

/// Parses a pattern as engines read it without the flag `u`, by Annex B. Then `\8`, and `\x` and `\u`
/// without digits, match themselves. A `\1` without such a group is an octal number.
///
/// # Errors
/// Those of [`parse`] for all other patterns.
pub(crate) fn parse_legacy(source: &str, limits: &Limits) -> Result<Parsed, Error> {
    let mut parser = Parser { is_legacy: true, ..Parser::new(source, limits, false) };
    let node = parser.parse()?;
    Ok(parser.finish(node))
}

/// The flags that `(?ims-ims:…)` changes.
#[derive(Clone, Copy, Default)]
pub(super) struct Flags {
    pub ignore_case: bool,
    pub multiline: bool,
    pub dot_all: bool,
}

pub(super) struct Parser<'a> {
    pub source: &'a str,
    pub limits: &'a Limits,
    pub at: usize,
    pub depth: usize,
    pub flags: Flags,
    /// True if classes are read with the flag `v`.
    pub sets: bool,
    /// True if a class is valid by Annex B only.
    is_lenient: bool,
    /// True if escapes have their meaning without the flag `u`.
    pub is_legacy: bool,
    /// Names of the groups of the alternative so far.
    names: BTreeSet<&'a str>,
    pub notes: Vec<Note>,
    /// Byte offset of the first POSIX class.
    posix: Option<usize>,
    /// True if a class without members was read: `[]` or `[^]`.
    has_empty_class: bool,
    /// True if a `]` without a class follows such a class.
    is_cut: bool,
    /// Memo of the classes of properties, because a look-up in the tables is slow.
    pub properties: BTreeMap<(&'a str, bool), String>,
}

/// Ends of lines for `(?m:^)` and `(?m:$)`.
const LINE_ENDS: &str = r"[\n\r\u{2028}\u{2029}]";

/// The meaning of an escape, or of a member of a class.
pub(super) enum Atom {
    Code(u32),
    /// Members of a class in the syntax inside brackets, and whether the class is negated.
    Set(String, bool),
}

impl Atom {
    pub(super) fn push(&self, out: &mut String) {
        match self {
            Self::Code(code) => push_range(*code, *code, out),
            Self::Set(items, false) => out.push_str(items),
            Self::Set(items, true) => out.push_str(&bracketed(items, true)),
        }
    }
}

impl<'a> Parser<'a> {
    fn new(source: &'a str, limits: &'a Limits, sets: bool) -> Self {
        Self {
            source,
            limits,
            at: 0,
            depth: 0,
            flags: Flags::default(),
            sets,
            is_lenient: false,
            is_legacy: false,
            names: BTreeSet::new(),
            notes: Vec::new(),
            posix: None,
            has_empty_class: false,
            is_cut: false,
            properties: BTreeMap::new(),
        }
    }

    fn parse(&mut self) -> Result<Node, Error> {
        let node = self.alternatives()?;
        match self.peek() {
            None => Ok(node),
            Some(_) => Err(Error::invalid(self.at, "`)` without a group to close")),
        }
    }

    fn finish(self, node: Node) -> Parsed {
        Parsed { node, word: WORD.to_owned(), notes: self.notes, posix: self.posix, is_cut: self.is_cut }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn alternatives(&mut self) -> Result<Node, Error> {
        let mut all = Vec::new();
        let mut parts = Vec::new();
        let start = self.at;
        let outer = std::mem::take(&mut self.names);
        let mut names = BTreeSet::new();
        loop {
            match self.peek() {
                None | Some(')') => break,
                Some('|') => {
                    self.at += 1;
                    all.push(Node::sequence(std::mem::take(&mut parts)));
                    names = unite(names, std::mem::take(&mut self.names)).0;
                }
                Some(_) => parts.push(self.term()?),
            }
        }
        all.push(Node::sequence(parts));
        // Groups of different alternatives may have one name.
        let names = unite(names, std::mem::take(&mut self.names)).0;
        let (names, repeated) = unite(outer, names);
        self.names = names;
        if let Some(name) = repeated {
            return Err(Error::invalid(start, format!("several groups have the name `{name}`")));
        }
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
        Ok(Node::repeat(node, min, max))
    }

    /// Returns true if a named group starts at a byte offset.
    pub(super) fn named(&self, at: usize) -> bool {
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
    pub(super) fn braces(&mut self) -> Result<Option<(u32, Option<u32>)>, Error> {
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
    pub(super) fn count(&self, digits: &str, at: usize) -> Result<u32, Error> {
        let limit = self.limits.max_quantifier;
        let value = digits.trim_start_matches('0');
        match value.parse() {
            _ if value.is_empty() => Ok(0),
            Ok(value) if value <= limit => Ok(value),
            _ => Err(Error::limit(at, "max_quantifier", limit, "repetitions by one quantifier")),
        }
    }

    pub(super) fn digits(&mut self) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        self.at += length;
        &rest[..length]
    }

    fn atom(&mut self) -> Result<Node, Error> {
        let start = self.at;
        let Some(c) = self.next() else { return Ok(Node::Sequence(Vec::new())) };
        Ok(match c {
            '^' if self.flags.multiline => Node::after_or_start(LINE_ENDS),
            '^' => Node::Assertion(Assertion::Start),
            '$' if self.flags.multiline => Node::before_or_end(LINE_ENDS),
            '$' => Node::Assertion(Assertion::End),
            '.' if self.flags.dot_all => Node::Class(ANY.to_owned()),
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
            ']' => {
                self.is_lenient = true;
                self.is_cut |= self.has_empty_class;
                if self.sets {
                    return Err(Error::invalid(start, "`]` without a class to close"));
                }
                Node::Char(c)
            }
            c => self.literal(c),
        })
    }

    /// Remembers the place of a POSIX class, after its inner bracket.
    pub(super) fn see_posix_class(&mut self, start: usize) {
        if self.posix.is_none() && class::starts_posix_class(self.rest()) {
            self.posix = Some(start);
        }
    }

    /// Returns the node of a character.
    pub(super) fn literal(&self, c: char) -> Node {
        if self.flags.ignore_case { class::folded_char(c) } else { Node::Char(c) }
    }

    /// Parses the flags of `(?ims-ims:`, after the question mark.
    fn modifiers(&mut self, start: usize) -> Result<(), Error> {
        let (mut seen, mut value) = (Vec::new(), true);
        while let Some(c) = self.next() {
            match c {
                '-' if value => value = false,
                ':' if !seen.is_empty() => return Ok(()),
                'i' | 'm' | 's' if !seen.contains(&c) => {
                    seen.push(c);
                    match c {
                        'i' => self.flags.ignore_case = value,
                        'm' => self.flags.multiline = value,
                        _ => self.flags.dot_all = value,
                    }
                }
                _ => break,
            }
        }
        Err(Error::invalid(start, "`(?` with flags that ECMA-262 does not have; it has `(?ims-ims:…)`"))
    }

    fn group(&mut self, start: usize) -> Result<Node, Error> {
        let mut look = None;
        let flags = self.flags;
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
                let name = self.group_name()?;
                if !self.names.insert(name) {
                    return Err(Error::invalid(start, format!("several groups have the name `{name}`")));
                }
            } else if !self.eat(":") {
                match self.peek() {
                    Some('i' | 'm' | 's' | '-') => self.modifiers(start)?,
                    _ => return Err(Error::invalid(start, "`(?` does not start a group")),
                }
            }
        }
        self.depth += 1;
        let limit = self.limits.max_group_nesting;
        if self.depth > limit {
            return Err(Error::limit(start, "max_group_nesting", limit, "levels of nested groups"));
        }
        let node = self.alternatives()?;
        self.depth -= 1;
        self.flags = flags;
        if !self.eat(")") {
            return Err(Error::invalid(start, "the group is not closed"));
        }
        Ok(match look {
            None => node,
            Some((ahead, negative)) => Node::Look { ahead, negative, node: Box::new(node) },
        })
    }

    pub(super) fn group_name(&mut self) -> Result<&'a str, Error> {
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

    /// Parses a class, after its opening bracket.
    fn class(&mut self, start: usize) -> Result<Node, Error> {
        if self.sets {
            return self.class_of_sets(start);
        }
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
                _ => {
                    self.is_lenient = true;
                    [low, Atom::Code(u32::from('-')), high].iter().for_each(|atom| atom.push(&mut items));
                }
            }
        }
        self.has_empty_class |= items.is_empty();
        let whole = items == format!("{SPACE}[^{SPACE}]")
            || items == format!("[^{SPACE}]{SPACE}")
            || items == format!("{WORD}[^{WORD}]")
            || items == format!("[^{WORD}]{WORD}")
            || items == format!("{DIGITS}[^{DIGITS}]")
            || items == format!("[^{DIGITS}]{DIGITS}");
        Ok(Node::Class(match (whole, negated) {
            (true, false) => ANY.to_owned(),
            (true, true) => NONE.to_owned(),
            _ if self.flags.ignore_case => fold(&bracketed(&items, false), negated),
            _ => bracketed(&items, negated),
        }))
    }

    fn class_atom(&mut self, start: usize) -> Result<Atom, Error> {
        let at = self.at;
        match self.next() {
            None => Err(Error::invalid(start, "the class is not closed")),
            Some('\\') if self.eat("b") => Ok(Atom::Code(8)),
            Some('\\') => self.character_escape(at),
            Some(c) => {
                if c == '[' {
                    self.see_posix_class(at);
                }
                Ok(Atom::Code(u32::from(c)))
            }
        }
    }
}

/// Returns the names of two sets, and a name that is in both.
fn unite<'a>(mut a: BTreeSet<&'a str>, mut b: BTreeSet<&'a str>) -> (BTreeSet<&'a str>, Option<&'a str>) {
    if a.len() < b.len() {
        std::mem::swap(&mut a, &mut b);
    }
    let mut repeated = None;
    for name in b {
        if !a.insert(name) {
            repeated = Some(name);
        }
    }
    (a, repeated)
}
