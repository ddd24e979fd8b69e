//! Classes of ECMA-262 with the flag `v`: nested classes, differences, intersections and texts.

use std::collections::BTreeSet;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::class::{bracketed, characters, to_class};
use super::ecma::{Atom, Parser};
use super::node::Node;
use crate::Error;

/// Characters that a class must escape.
const SYNTAX_CHARACTERS: &str = "()[]{}/-\\|";
/// Characters that a class must not have twice in a row, because they are reserved for operators.
const RESERVED_PAIRS: &str = "&!#$%*+,.:;<=>?@^`~";

/// Properties of the flag `v` that contain texts of several characters.
pub(super) const PROPERTIES_OF_STRINGS: &[&str] = &[
    "Basic_Emoji",
    "Emoji_Keycap_Sequence",
    "RGI_Emoji",
    "RGI_Emoji_Flag_Sequence",
    "RGI_Emoji_Modifier_Sequence",
    "RGI_Emoji_Tag_Sequence",
    "RGI_Emoji_ZWJ_Sequence",
];

/// Returns true if a pattern may have syntax that needs the flag `v`.
pub(super) fn may_have_sets(source: &str) -> bool {
    let signs = [r"\q{", r"\p{RGI_", r"\p{Basic_Emoji", r"\p{Emoji_Keycap"];
    signs.iter().any(|sign| source.contains(sign)) || has_operators(source) || has_nested_class(source)
}

/// Returns true if a pattern may have a difference or intersection of classes.
pub(super) fn has_operators(source: &str) -> bool {
    source.contains("--") || source.contains("&&")
}

/// Returns true if a class contains an opening bracket.
fn has_nested_class(source: &str) -> bool {
    let mut chars = source.chars();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '[' if in_class => return true,
            '[' => in_class = true,
            ']' => in_class = false,
            _ => {}
        }
    }
    false
}

/// The value of a class: characters, and texts of another length than one.
#[derive(Clone)]
struct Members {
    characters: ClassUnicode,
    texts: BTreeSet<String>,
}

/// A part of a class.
enum Operand {
    Char(char),
    /// Half of a surrogate pair, which is in no text.
    Surrogate(u32),
    Members(Members),
}

impl Parser<'_> {
    /// Parses a class, after its opening bracket.
    pub(super) fn class_of_sets(&mut self, start: usize) -> Result<Node, Error> {
        let members = self.members(start)?;
        let mut all = Vec::new();
        for text in &members.texts {
            let chars = text.chars().map(|c| {
                let class = self.closed(&characters(&regex_syntax::escape(&c.to_string())));
                if class.ranges().len() == 1 && class.ranges()[0].len() == 1 {
                    Node::Char(c)
                } else {
                    Node::Class(to_class(&class))
                }
            });
            all.push(Node::sequence(chars.collect()));
        }
        if !members.characters.ranges().is_empty() || all.is_empty() {
            all.push(Node::Class(to_class(&members.characters)));
        }
        Ok(Node::alternatives(all))
    }

    fn members(&mut self, start: usize) -> Result<Members, Error> {
        self.depth += 1;
        let limit = self.limits.max_group_nesting;
        if self.depth > limit {
            return Err(Error::limit(start, "max_group_nesting", limit, "levels of nested groups"));
        }
        let negated = self.eat("^");
        let mut all = Members { characters: ClassUnicode::empty(), texts: BTreeSet::new() };
        if !self.rest().starts_with(']') {
            let first = self.operand(start)?;
            if self.rest().starts_with("--") || self.rest().starts_with("&&") {
                all = self.to_members(first);
                let sign = if self.rest().starts_with("--") { "--" } else { "&&" };
                while self.eat(sign) {
                    if sign == "&&" && self.rest().starts_with('&') {
                        return Err(Error::invalid(self.at, "`&` after `&&`"));
                    }
                    let other = self.operand(start)?;
                    let other = self.to_members(other);
                    if sign == "--" {
                        all.characters.difference(&other.characters);
                        all.texts.retain(|text| !other.texts.contains(text));
                    } else {
                        all.characters.intersect(&other.characters);
                        all.texts.retain(|text| other.texts.contains(text));
                    }
                }
            } else {
                self.union(first, start, &mut all)?;
            }
        }
        if !self.eat("]") {
            return Err(Error::invalid(start, "the class is not closed"));
        }
        self.depth -= 1;
        if negated {
            if !all.texts.is_empty() {
                return Err(Error::invalid(start, "a negated class of texts of several characters"));
            }
            all.characters.negate();
        }
        Ok(all)
    }

    /// Parses the operands and ranges of a class without operators.
    fn union(&mut self, first: Operand, start: usize, all: &mut Members) -> Result<(), Error> {
        let mut next = Some(first);
        loop {
            let operand = match next.take() {
                Some(operand) => operand,
                None if self.rest().starts_with(']') || self.rest().is_empty() => return Ok(()),
                None => self.operand(start)?,
            };
            let at = self.at;
            if self.rest().starts_with('-') && !self.rest().starts_with("--") {
                self.at += 1;
                let high = self.operand(start)?;
                let code = |operand: &Operand| match operand {
                    Operand::Char(c) => Some(u32::from(*c)),
                    Operand::Surrogate(code) => Some(*code),
                    Operand::Members(_) => None,
                };
                let (Some(low), Some(high)) = (code(&operand), code(&high)) else {
                    return Err(Error::invalid(at, "a range between classes"));
                };
                if low > high {
                    return Err(Error::invalid(at, "the ends of the range are out of order"));
                }
                let mut items = String::new();
                super::class::push_range(low, high, &mut items);
                let set = self.closed(&characters(&bracketed(&items, false)));
                all.characters.union(&set);
                continue;
            }
            let members = self.to_members(operand);
            all.characters.union(&members.characters);
            all.texts.extend(members.texts);
        }
    }

    fn operand(&mut self, start: usize) -> Result<Operand, Error> {
        let at = self.at;
        let rest = self.rest();
        let Some(c) = self.next() else { return Err(Error::invalid(start, "the class is not closed")) };
        if c == '[' {
            self.see_posix_class(at);
            return Ok(Operand::Members(self.members(at)?));
        }
        if c == '\\' {
            if self.eat("q{") {
                return self.texts(at);
            }
            if self.eat("b") {
                return Ok(Operand::Char('\u{8}'));
            }
            return Ok(match self.character_escape(at)? {
                Atom::Code(code) => char::from_u32(code).map_or(Operand::Surrogate(code), Operand::Char),
                Atom::Set(items, negated) => {
                    let mut characters = self.closed(&characters(&bracketed(&items, false)));
                    if negated {
                        characters.negate();
                    }
                    Operand::Members(Members { characters, texts: BTreeSet::new() })
                }
            });
        }
        if SYNTAX_CHARACTERS.contains(c) || RESERVED_PAIRS.contains(c) && rest[c.len_utf8()..].starts_with(c)
        {
            return Err(Error::invalid(at, format!("`{c}` in a class needs a backslash with the flag `v`")));
        }
        Ok(Operand::Char(c))
    }

    /// Parses `\q{…}`, after its opening brace.
    fn texts(&mut self, start: usize) -> Result<Operand, Error> {
        let mut all = Members { characters: ClassUnicode::empty(), texts: BTreeSet::new() };
        let mut text = String::new();
        // Half of a surrogate pair is in no text.
        let mut possible = true;
        loop {
            let at = self.at;
            match self.next() {
                None => return Err(Error::invalid(start, "`\\q{` is not closed")),
                Some(c @ ('|' | '}')) => {
                    let found = std::mem::take(&mut text);
                    let mut chars = found.chars();
                    match (chars.next(), chars.next()) {
                        _ if !possible => {}
                        (Some(c), None) => all.characters.push(ClassUnicodeRange::new(c, c)),
                        _ => drop(all.texts.insert(self.canonical(&found))),
                    }
                    possible = true;
                    if c == '}' {
                        all.characters = self.closed(&all.characters);
                        return Ok(Operand::Members(all));
                    }
                }
                Some('\\') => match self.character_escape(at)? {
                    Atom::Code(code) => match char::from_u32(code) {
                        Some(c) => text.push(c),
                        None => possible = false,
                    },
                    Atom::Set(..) => return Err(Error::invalid(at, "a class inside of `\\q{…}`")),
                },
                Some(c) if SYNTAX_CHARACTERS.contains(c) => {
                    return Err(Error::invalid(at, format!("`{c}` inside of `\\q{{…}}` needs a backslash")));
                }
                Some(c) => text.push(c),
            }
        }
    }

    fn to_members(&self, operand: Operand) -> Members {
        match operand {
            Operand::Char(c) => {
                let set = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
                Members { characters: self.closed(&set), texts: BTreeSet::new() }
            }
            Operand::Surrogate(_) => Members { characters: ClassUnicode::empty(), texts: BTreeSet::new() },
            Operand::Members(members) => members,
        }
    }

    /// Returns the set with all cases of its characters, if the flag `i` is on.
    fn closed(&self, set: &ClassUnicode) -> ClassUnicode {
        let mut set = set.clone();
        if self.flags.ignore_case {
            let _ = set.try_case_fold_simple();
        }
        set
    }

    /// Returns the text with the least characters that differ in case only, if the flag `i` is on.
    fn canonical(&self, text: &str) -> String {
        let least = |c: char| {
            let set = self.closed(&ClassUnicode::new([ClassUnicodeRange::new(c, c)]));
            set.ranges().first().map_or(c, |range| range.start())
        };
        if self.flags.ignore_case { text.chars().map(least).collect() } else { text.to_owned() }
    }
}
