//! Patterns of the module `re` of Python 3.11, for texts, by recursive descent. Its depth is that of the
//! nested groups, which is limited.

use std::collections::{BTreeMap, BTreeSet};

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::Parsed;
use super::class::{ANY, WORD, bracketed, python_fold, to_class};
use super::node::{Assertion, Node};
use super::python_classes::{Atom, UNICODE_WORD};
use crate::lookaround::lengths;
use crate::{Error, Limits, Note};

/// White space that the flag `x` ignores.
const IGNORED: [char; 6] = [' ', '\t', '\n', '\r', '\u{b}', '\u{c}'];

/// Parses a pattern.
///
/// # Errors
/// When it is invalid, has back-references, conditions or names of characters, or exceeds a limit.
pub(crate) fn parse(source: &str, limits: &Limits) -> Result<Parsed, Error> {
    let mut flags = Flags::default();
    loop {
        let mut parser = Parser {
            source,
            limits,
            at: 0,
            depth: 0,
            flags,
            names: BTreeMap::new(),
            open: BTreeSet::new(),
            groups: 0,
            lazy: 0,
            word: None,
            notes: Vec::new(),
        };
        match parser.alternatives(true)? {
            // The flag `x` holds for the text before it, too.
            None => flags.verbose = true,
            Some(_) if parser.at < source.len() => {
                return Err(Error::invalid(parser.at, "`)` without a group to close"));
            }
            Some(node) => {
                let word = parser.word.unwrap_or(UNICODE_WORD).to_owned();
                return Ok(Parsed {
                    node: shorten_ends(node),
                    word,
                    notes: parser.notes,
                    posix: None,
                    is_cut: false,
                });
            }
        }
    }
}

/// Returns `$`: the end, or a line feed before it.
fn end() -> Node {
    let end = Node::Assertion(Assertion::End);
    let before_feed = Node::look(true, false, Node::Sequence(vec![Node::Char('\n'), end.clone()]));
    Node::Alternatives(vec![end, before_feed])
}

/// Replaces `$` at the ends of the alternatives of a pattern by an optional line feed and the end.
fn shorten_ends(node: Node) -> Node {
    let end = end();
    let shorten = |node: Node| match node {
        Node::Sequence(mut parts) if parts.last() == Some(&end) => {
            parts.pop();
            parts.push(Node::Repeat(Box::new(Node::Char('\n')), 0, Some(1)));
            parts.push(Node::Assertion(Assertion::End));
            Node::Sequence(parts)
        }
        node => node,
    };
    match node {
        Node::Alternatives(parts) if Node::Alternatives(parts.clone()) != end => {
            Node::Alternatives(parts.into_iter().map(shorten).collect())
        }
        node => shorten(node),
    }
}

#[derive(Clone, Copy, Default)]
pub(super) struct Flags {
    pub ascii: bool,
    pub ignore_case: bool,
    multiline: bool,
    dot_all: bool,
    verbose: bool,
}

pub(super) struct Parser<'a> {
    source: &'a str,
    limits: &'a Limits,
    pub at: usize,
    depth: usize,
    pub flags: Flags,
    /// Numbers of the named groups.
    names: BTreeMap<&'a str, usize>,
    /// Numbers of the groups that are being parsed.
    pub open: BTreeSet<usize>,
    pub groups: usize,
    /// Number of lazy quantifiers so far.
    lazy: usize,
    /// Members of the class of word characters, by the first word boundary.
    word: Option<&'static str>,
    pub notes: Vec<Note>,
}

impl<'a> Parser<'a> {
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

    pub(super) fn invalid<T>(&self, at: usize, message: impl Into<String>) -> Result<T, Error> {
        Err(Error::invalid(at, message))
    }

    /// Parses alternatives. Returns `None` if the pattern has to be read again with the flag `x`.
    fn alternatives(&mut self, is_outer: bool) -> Result<Option<Node>, Error> {
        let mut all = Vec::new();
        loop {
            let is_first = is_outer && all.is_empty();
            let Some(node) = self.sequence(is_first)? else { return Ok(None) };
            all.push(node);
            if !self.eat("|") {
                return Ok(Some(Node::alternatives(all)));
            }
        }
    }

    /// Parses a sequence. If `is_first`, it may start with flags for the whole pattern.
    fn sequence(&mut self, is_first: bool) -> Result<Option<Node>, Error> {
        let mut parts: Vec<Node> = Vec::new();
        // Lazy quantifiers before the last part, and whether it can be repeated.
        let (mut lazy, mut last) = (self.lazy, Last::Nothing);
        loop {
            let start = self.at;
            let Some(c) = self.peek() else { break };
            if matches!(c, '|' | ')') {
                break;
            }
            self.at += c.len_utf8();
            if self.flags.verbose && IGNORED.contains(&c) {
                continue;
            }
            if self.flags.verbose && c == '#' {
                while self.next().is_some_and(|c| c != '\n') {}
                continue;
            }
            if matches!(c, '*' | '+' | '?' | '{') {
                match self.quantifier(start, c)? {
                    Some((min, max)) => {
                        let node = match last {
                            Last::Nothing | Last::Assertion => {
                                return self.invalid(start, "nothing to repeat before the quantifier");
                            }
                            Last::Repeated => return self.invalid(start, "a quantifier after a quantifier"),
                            Last::Node => parts.pop().unwrap_or(Node::Sequence(Vec::new())),
                        };
                        let node = Node::repeat(node, min, max);
                        parts.push(if self.eat("?") {
                            self.lazy += 1;
                            node
                        } else if self.eat("+") {
                            Node::Atomic { node: Box::new(node), lazy: self.lazy > lazy, offset: start }
                        } else {
                            node
                        });
                        last = Last::Repeated;
                        continue;
                    }
                    None => parts.push(self.literal('{')),
                }
                (lazy, last) = (self.lazy, Last::Node);
                continue;
            }
            let before = self.lazy;
            match c {
                '(' => match self.group(start, is_first && parts.is_empty())? {
                    Group::Node(node) => {
                        parts.push(node);
                        (lazy, last) = (before, Last::Node);
                    }
                    Group::Nothing => {}
                    Group::Verbose => return Ok(None),
                },
                _ => {
                    let (node, found) = self.atom(start, c)?;
                    parts.push(node);
                    (lazy, last) = (before, found);
                }
            }
        }
        // Parts stay apart until here, because a quantifier repeats the last one.
        Ok(Some(Node::sequence(parts)))
    }

    /// Parses a character that is not a group or quantifier.
    fn atom(&mut self, start: usize, c: char) -> Result<(Node, Last), Error> {
        Ok(match c {
            '^' if self.flags.multiline => (Node::after_or_start(r"\n"), Last::Assertion),
            '^' => (Node::Assertion(Assertion::Start), Last::Assertion),
            '$' if self.flags.multiline => (Node::before_or_end(r"\n"), Last::Assertion),
            '$' => (end(), Last::Assertion),
            '.' if self.flags.dot_all => (Node::Class(ANY.to_owned()), Last::Node),
            '.' => (Node::Class(r"[^\n]".to_owned()), Last::Node),
            '[' => (self.class(start)?, Last::Node),
            '\\' => match self.peek() {
                Some('A') => (self.assertion(Assertion::Start), Last::Assertion),
                Some('Z') => (self.assertion(Assertion::End), Last::Assertion),
                Some(c @ ('b' | 'B')) => {
                    self.at += 1;
                    (self.boundary(c == 'b'), Last::Assertion)
                }
                Some('1'..='9') => (self.number(start)?, Last::Node),
                _ => match self.escape(start, false)? {
                    Atom::Code(code) => (self.code(code), Last::Node),
                    Atom::Set(items, negated) => (Node::Class(bracketed(items, negated)), Last::Node),
                },
            },
            c => (self.literal(c), Last::Node),
        })
    }

    fn assertion(&mut self, assertion: Assertion) -> Node {
        self.at += 1;
        Node::Assertion(assertion)
    }

    fn literal(&self, c: char) -> Node {
        if !self.flags.ignore_case {
            return Node::Char(c);
        }
        let set = python_fold(&ClassUnicode::new([ClassUnicodeRange::new(c, c)]), self.flags.ascii);
        let count: usize = set.ranges().iter().map(|range| range.len()).sum();
        if count == 1 { Node::Char(c) } else { Node::Class(to_class(&set)) }
    }

    /// Returns the node of a code point. Surrogates are in no text.
    pub(super) fn code(&self, code: u32) -> Node {
        char::from_u32(code).map_or_else(|| Node::Class(super::class::NONE.to_owned()), |c| self.literal(c))
    }

    fn boundary(&mut self, positive: bool) -> Node {
        let word = if self.flags.ascii { WORD } else { UNICODE_WORD };
        if *self.word.get_or_insert(word) == word {
            let assertion = if positive { Assertion::Boundary } else { Assertion::InnerNotBoundary };
            return Node::Assertion(assertion);
        }
        let boundary = Node::boundary(&bracketed(word, false), positive);
        let look = |ahead| Node::look(ahead, false, Node::Class(ANY.to_owned()));
        let inner = Node::Alternatives(vec![look(true), look(false)]);
        if positive { boundary } else { Node::Sequence(vec![inner, boundary]) }
    }

    /// Parses a quantifier, after its first character. Returns `None` for a brace that is a character.
    fn quantifier(&mut self, start: usize, c: char) -> Result<Option<(u32, Option<u32>)>, Error> {
        match c {
            '*' => return Ok(Some((0, None))),
            '+' => return Ok(Some((1, None))),
            '?' => return Ok(Some((0, Some(1)))),
            _ => {}
        }
        let after = self.at;
        if self.peek() == Some('}') {
            return Ok(None);
        }
        let min = self.digits();
        let max = if self.eat(",") { self.digits() } else { min };
        if !self.eat("}") {
            self.at = after;
            return Ok(None);
        }
        let count = |digits: &str| -> Result<u32, Error> {
            let limit = self.limits.max_quantifier;
            let digits = digits.trim_start_matches('0');
            match digits.parse() {
                _ if digits.is_empty() => Ok(0),
                Ok(value) if value <= limit => Ok(value),
                _ => Err(Error::limit(start, "max_quantifier", limit, "repetitions by one quantifier")),
            }
        };
        let least = count(min)?;
        let most = if max.is_empty() { None } else { Some(count(max)?) };
        if most.is_some_and(|most| most < least) {
            return self.invalid(start, "the quantifier's numbers are out of order");
        }
        Ok(Some((least, most)))
    }

    fn digits(&mut self) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        self.at += length;
        &rest[..length]
    }

    /// Parses a group, after its parenthesis. If `may_set_flags`, flags for the whole pattern may be there.
    fn group(&mut self, start: usize, may_set_flags: bool) -> Result<Group, Error> {
        let flags = self.flags;
        let mut kind = Kind::Plain;
        let mut number = None;
        if self.eat("?") {
            match self.next() {
                Some('P') => match self.next() {
                    Some('<') => {
                        let name = self.name('>')?;
                        if self.names.contains_key(name) {
                            return self.invalid(start, format!("several groups have the name `{name}`"));
                        }
                        self.names.insert(name, self.groups + 1);
                        number = Some(self.groups + 1);
                    }
                    Some('=') => {
                        let name = self.name(')')?;
                        return match self.names.get(name) {
                            Some(number) if self.open.contains(number) => {
                                self.invalid(start, format!("group `{name}` is not closed yet"))
                            }
                            Some(_) => Err(Error::unsupported(start, "back-references to groups")),
                            None => self.invalid(start, format!("group `{name}` does not exist")),
                        };
                    }
                    _ => return self.invalid(start, "`(?P` does not start a group"),
                },
                Some(':') => {}
                Some('#') => {
                    return match self.rest().find(')') {
                        Some(length) => {
                            self.at += length + 1;
                            Ok(Group::Nothing)
                        }
                        None => self.invalid(start, "the comment is not closed"),
                    };
                }
                Some('=') => kind = Kind::Look { ahead: true, negative: false },
                Some('!') => kind = Kind::Look { ahead: true, negative: true },
                Some('<') => match self.next() {
                    Some('=') => kind = Kind::Look { ahead: false, negative: false },
                    Some('!') => kind = Kind::Look { ahead: false, negative: true },
                    _ => return self.invalid(start, "`(?<` does not start a group; a name needs `(?P<`"),
                },
                Some('(') => return Err(Error::unsupported(start, "conditions on groups")),
                Some('>') => kind = Kind::Atomic,
                Some(c) if c == '-' || FLAGS.contains(c) => {
                    self.at -= 1;
                    if let Some(found) = self.flags(start, may_set_flags)? {
                        return Ok(found);
                    }
                }
                _ => return self.invalid(start, "`(?` does not start a group"),
            }
        } else {
            number = Some(self.groups + 1);
        }
        if let Some(number) = number {
            self.groups = number;
            self.open.insert(number);
        }
        self.depth += 1;
        let limit = self.limits.max_group_nesting;
        if self.depth > limit {
            return Err(Error::limit(start, "max_group_nesting", limit, "levels of nested groups"));
        }
        let lazy = self.lazy;
        let Some(node) = self.alternatives(false)? else { return Ok(Group::Verbose) };
        self.depth -= 1;
        self.flags = flags;
        if !self.eat(")") {
            return self.invalid(start, "the group is not closed");
        }
        if let Some(number) = number {
            self.open.remove(&number);
        }
        Ok(Group::Node(match kind {
            Kind::Plain => node,
            Kind::Atomic => Node::Atomic { node: Box::new(node), lazy: self.lazy > lazy, offset: start },
            Kind::Look { ahead, negative } => {
                let (least, most) = lengths(&node);
                if !ahead && most != Some(least) {
                    return self.invalid(start, "a look-behind for texts of several lengths");
                }
                Node::look(ahead, negative, node)
            }
        }))
    }

    /// Parses a name of a group, up to its closing character.
    fn name(&mut self, close: char) -> Result<&'a str, Error> {
        let (at, rest) = (self.at, self.rest());
        let Some(length) = rest.find(close) else {
            return self.invalid(at, "the name of the group is not closed");
        };
        let name = &rest[..length];
        let begins = |c: char| c.is_alphabetic() || c == '_';
        if !name.starts_with(begins) || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return self.invalid(at, format!("`{name}` is not a group name"));
        }
        self.at += length + 1;
        Ok(name)
    }

    /// Parses flags up to `:` or `)`. Returns a result if the flags are all of the group.
    fn flags(&mut self, start: usize, may_set_flags: bool) -> Result<Option<Group>, Error> {
        let before = self.flags;
        let (mut added, mut removed, mut on) = (String::new(), String::new(), true);
        loop {
            match self.next() {
                Some('-') if on => on = false,
                Some('L') => return self.invalid(start, "the flag `L` is for bytes"),
                Some(c) if on && FLAGS.contains(c) => added.push(c),
                Some(c) if !on && "imsx".contains(c) => removed.push(c),
                Some(')') if on => break,
                Some(':') if on || !removed.is_empty() => break,
                _ => return self.invalid(start, "`(?` with flags that Python does not have"),
            }
        }
        let is_group = self.source[..self.at].ends_with(':');
        if added.contains('a') && added.contains('u') || removed.chars().any(|c| added.contains(c)) {
            return self.invalid(start, "flags that exclude each other");
        }
        if !is_group && !may_set_flags {
            return self.invalid(start, "flags for the whole pattern that are not at its start");
        }
        for (list, value) in [(added, true), (removed, false)] {
            for c in list.chars() {
                match c {
                    'a' => self.flags.ascii = true,
                    'u' => self.flags.ascii = false,
                    'i' => self.flags.ignore_case = value,
                    'm' => self.flags.multiline = value,
                    's' => self.flags.dot_all = value,
                    _ => self.flags.verbose = value,
                }
            }
        }
        Ok(match (is_group, self.flags.verbose && !before.verbose) {
            (true, _) => None,
            (false, true) => Some(Group::Verbose),
            (false, false) => Some(Group::Nothing),
        })
    }
}

/// Letters of flags.
const FLAGS: &str = "aiLmsux";

/// The part that a quantifier would repeat.
#[derive(Clone, Copy)]
enum Last {
    Nothing,
    Assertion,
    Repeated,
    Node,
}

enum Kind {
    Plain,
    Atomic,
    Look { ahead: bool, negative: bool },
}

enum Group {
    Node(Node),
    /// A comment, or flags.
    Nothing,
    /// The pattern has to be read again with the flag `x`.
    Verbose,
}
