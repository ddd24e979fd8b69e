//! Regular expressions as XGrammar reads them, as regexes of the Rust crate `regex`.
//!
//! XGrammar 0.2.8 has two readers: one for whole grammars and structural tags, and one for the macro
//! `Regex(…)`. They differ in the points that [`Reader`] lists.

use std::fmt::Write;

/// The reader of XGrammar that a pattern is meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// `Grammar.from_regex` and structural tags: `\s` includes U+00A0, a lone `]` is a character, look-ahead
    /// and repeated quantifiers are errors.
    Plain,
    /// The macro `Regex(…)`: `\s` is ASCII, look-ahead is dropped, `(?P<name>…)` and `(?i)` are allowed.
    Macro,
}

/// Flags of a pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flags {
    pub ignore_case: bool,
    /// True if `.` takes a line break.
    pub dot_all: bool,
}

/// A pattern in the syntax of the Rust crate `regex`, for whole texts.
pub(crate) struct Converted {
    pub regex: String,
    /// Offsets in the pattern, with remarks.
    pub notes: Vec<(usize, &'static str)>,
}

/// The reason why a pattern has no meaning.
pub(crate) struct Problem {
    /// Byte offset in the pattern.
    pub at: usize,
    pub message: String,
}

/// Converts a pattern with at most `max_stacked_quantifiers` quantifiers one behind the other.
pub(crate) fn convert(
    pattern: &str,
    reader: Reader,
    flags: Flags,
    max_stacked_quantifiers: usize,
) -> Result<Converted, Problem> {
    let mut converter = Converter {
        pattern,
        at: 0,
        reader,
        flags,
        out: String::new(),
        groups: Vec::new(),
        atom: None,
        quantifiers: 0,
        max_stacked_quantifiers,
        notes: Vec::new(),
    };
    converter.run()?;
    let mut regex = converter.out;
    if converter.flags.ignore_case {
        regex.insert_str(0, "(?i)");
    }
    Ok(Converted { regex, notes: converter.notes })
}

/// An open group.
struct Group {
    /// Offset of the parenthesis.
    open: usize,
    /// Offset of the group in the output, or the length of the output before a dropped group.
    start: usize,
    /// True if the group is a look-ahead, which is dropped.
    is_dropped: bool,
}

struct Converter<'a> {
    pattern: &'a str,
    at: usize,
    reader: Reader,
    flags: Flags,
    out: String,
    groups: Vec<Group>,
    /// Offset in the output of the last operand of a quantifier.
    atom: Option<usize>,
    /// Number of quantifiers after it.
    quantifiers: usize,
    max_stacked_quantifiers: usize,
    notes: Vec<(usize, &'static str)>,
}

/// A member of a class.
enum Member {
    Char(char),
    /// A surrogate, or a code point above U+10FFFF, which is not a character.
    Nothing,
    /// Members in the syntax of a class, and true if they are excluded.
    Set(&'static str, bool),
}

impl Converter<'_> {
    fn peek(&self) -> Option<char> {
        self.pattern[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += char.len_utf8();
        Some(char)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.pattern[self.at..].starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn problem<T>(&self, at: usize, message: impl Into<String>) -> Result<T, Problem> {
        Err(Problem { at, message: message.into() })
    }

    fn is_macro(&self) -> bool {
        self.reader == Reader::Macro
    }

    fn run(&mut self) -> Result<(), Problem> {
        while let Some(char) = self.peek() {
            let start = self.at;
            match char {
                '(' => self.open()?,
                ')' => self.close()?,
                '|' => {
                    self.at += 1;
                    self.out.push('|');
                    self.atom = None;
                }
                '*' | '+' | '?' | '{' => self.quantifier()?,
                '^' | '$' => {
                    self.at += 1;
                    let is_end = if char == '^' { start == 0 } else { self.at == self.pattern.len() };
                    if !is_end {
                        self.notes.push((start, "an anchor inside of the pattern has no effect"));
                    }
                    self.atom = None;
                }
                '[' => self.class()?,
                ']' if self.is_macro() => return self.problem(start, "`]` closes nothing"),
                '.' => {
                    self.at += 1;
                    self.begin_atom();
                    self.out.push_str(if self.flags.dot_all { "(?s:.)" } else { NOT_LINE_END });
                }
                '\\' => self.escape()?,
                _ => {
                    self.at += char.len_utf8();
                    self.begin_atom();
                    push_char(char, &mut self.out);
                }
            }
        }
        match self.groups.last() {
            Some(group) => self.problem(group.open, "the group is not closed"),
            None => Ok(()),
        }
    }

    fn begin_atom(&mut self) {
        self.atom = Some(self.out.len());
        self.quantifiers = 0;
    }

    fn open(&mut self) -> Result<(), Problem> {
        let open = self.at;
        self.at += 1;
        let start = self.out.len();
        let mut is_dropped = false;
        if self.eat("?") {
            let is_named = self.eat("<") || self.is_macro() && self.eat("P<");
            if self.eat(":") {
            } else if is_named {
                if matches!(self.peek(), Some('=' | '!')) {
                    return self.problem(open, "look-behind is not supported in this dialect");
                }
                let Some(length) = self.pattern[self.at..].find('>') else {
                    return self.problem(open, "the name of the group is not closed");
                };
                self.at += length + 1;
            } else if matches!(self.peek(), Some('=' | '!')) {
                if !self.is_macro() {
                    return self.problem(open, "look-ahead is not supported in this dialect");
                }
                self.at += 1;
                is_dropped = true;
                self.notes.push((open, "look-ahead has no effect in this dialect"));
            } else if self.is_macro() && open == 0 && self.eat("i)") {
                self.flags.ignore_case = true;
                return Ok(());
            } else {
                return self.problem(open, "this kind of group is not supported in this dialect");
            }
        }
        self.groups.push(Group { open, start, is_dropped });
        self.out.push_str("(?:");
        self.atom = None;
        Ok(())
    }

    fn close(&mut self) -> Result<(), Problem> {
        let at = self.at;
        self.at += 1;
        let Some(group) = self.groups.pop() else { return self.problem(at, "`)` closes nothing") };
        if group.is_dropped {
            self.out.truncate(group.start);
            self.atom = None;
        } else {
            self.out.push(')');
            self.atom = Some(group.start);
        }
        self.quantifiers = 0;
        Ok(())
    }

    fn quantifier(&mut self) -> Result<(), Problem> {
        let at = self.at;
        let Some(atom) = self.atom else { return self.problem(at, "nothing precedes this quantifier") };
        if self.quantifiers > 0 && !self.is_macro() {
            return self.problem(at, "two quantifiers one behind the other");
        }
        let limit = self.max_stacked_quantifiers;
        if self.quantifiers >= limit.max(1) {
            let message = format!("more than {limit} quantifiers in a row (limit `max_stacked_quantifiers`)");
            return self.problem(at, message);
        }
        if self.quantifiers > 0 {
            self.out.insert_str(atom, "(?:");
            self.out.push(')');
        }
        match self.next() {
            Some('{') => {
                let bounds = self.bounds(at)?;
                self.out.push_str(&bounds);
            }
            Some(sign) => self.out.push(sign),
            None => {}
        }
        self.quantifiers += 1;
        if self.peek() == Some('?') {
            self.notes.push((at, "a lazy quantifier has the language of the greedy one"));
            self.at += 1;
        }
        Ok(())
    }

    /// Reads the bounds after `{`.
    fn bounds(&mut self, open: usize) -> Result<String, Problem> {
        let rest = &self.pattern[self.at..];
        let Some(length) = rest.find('}') else { return self.problem(open, "the bounds are not closed") };
        let inside = &rest[..length];
        self.at += length + 1;
        let (min, max) = inside.split_once(',').map_or((inside, inside), |(min, max)| (min, max));
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let (Some(min), max) = (number(min), number(max).or(max.trim().is_empty().then_some(u32::MAX)))
        else {
            return self.problem(open, "bounds are written {2}, {2,} or {2,5}");
        };
        match max {
            Some(u32::MAX) => Ok(format!("{{{min},}}")),
            Some(max) if max < min => self.problem(open, "the bounds are the wrong way round"),
            Some(max) => Ok(format!("{{{min},{max}}}")),
            None => self.problem(open, "bounds are written {2}, {2,} or {2,5}"),
        }
    }

    fn class(&mut self) -> Result<(), Problem> {
        let open = self.at;
        self.at += 1;
        let is_negated = self.eat("^");
        let mut inside = String::new();
        let mut is_empty = true;
        loop {
            let at = self.at;
            match self.peek() {
                None => return self.problem(open, "the class is not closed"),
                Some(']') => {
                    self.at += 1;
                    break;
                }
                Some(_) => {}
            }
            is_empty = false;
            let first = self.member()?;
            let after_dash = self.pattern[self.at..].strip_prefix('-');
            let is_range = after_dash.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(']'));
            match first {
                Member::Char(first) if is_range => {
                    self.at += 1;
                    let Member::Char(last) = self.member()? else {
                        return self.problem(at, "a range of a class ends in a character");
                    };
                    if first > last {
                        return self.problem(at, "the range of the class is the wrong way round");
                    }
                    push_char(first, &mut inside);
                    inside.push('-');
                    push_char(last, &mut inside);
                }
                Member::Char(char) => push_char(char, &mut inside),
                Member::Nothing => {}
                Member::Set(members, false) => inside.push_str(members),
                Member::Set(members, true) => {
                    let _ = write!(inside, "[^{members}]");
                }
            }
        }
        self.begin_atom();
        match (inside.is_empty(), is_negated) {
            (true, _) if is_empty && (self.is_macro() || !is_negated) => {
                return self.problem(open, "the class is empty");
            }
            (true, true) => self.out.push_str("(?s:.)"),
            (true, false) => self.out.push_str("[a&&b]"),
            (false, true) => {
                let _ = write!(self.out, "[^{inside}]");
            }
            (false, false) => {
                let _ = write!(self.out, "[{inside}]");
            }
        }
        Ok(())
    }

    /// Reads a member of a class.
    fn member(&mut self) -> Result<Member, Problem> {
        let at = self.at;
        match self.next() {
            Some('\\') => {}
            Some(char) => return Ok(Member::Char(char)),
            None => return self.problem(at, "the class is not closed"),
        }
        match self.peek() {
            Some('b') => {
                self.at += 1;
                Ok(Member::Char('\x08'))
            }
            // Escapes that are none in XGrammar are the character itself.
            Some(char @ ('1'..='9' | 'p' | 'P' | 'k')) if !self.is_macro() => {
                self.at += 1;
                Ok(Member::Char(char))
            }
            _ => self.after_backslash(at),
        }
    }

    /// Reads an escape outside of a class.
    fn escape(&mut self) -> Result<(), Problem> {
        let at = self.at;
        self.at += 1;
        if matches!(self.peek(), Some('b' | 'B')) {
            return self.problem(at, "word boundaries are not supported in this dialect");
        }
        let member = self.after_backslash(at)?;
        self.begin_atom();
        match member {
            Member::Char(char) => push_char(char, &mut self.out),
            Member::Nothing => self.out.push_str("[a&&b]"),
            Member::Set(members, is_negated) => {
                let _ = write!(self.out, "[{}{members}]", if is_negated { "^" } else { "" });
            }
        }
        Ok(())
    }

    /// Reads an escape after its backslash.
    fn after_backslash(&mut self, at: usize) -> Result<Member, Problem> {
        let Some(char) = self.next() else { return self.problem(at, "the escape is not finished") };
        let space = if self.is_macro() { SPACE } else { SPACE_AND_NO_BREAK };
        Ok(match char {
            'd' => Member::Set("0-9", false),
            'D' => Member::Set("0-9", true),
            'w' => Member::Set("0-9A-Za-z_", false),
            'W' => Member::Set("0-9A-Za-z_", true),
            's' => Member::Set(space, false),
            'S' => Member::Set(space, true),
            'n' => Member::Char('\n'),
            'r' => Member::Char('\r'),
            't' => Member::Char('\t'),
            'f' => Member::Char('\x0C'),
            'v' => Member::Char('\x0B'),
            'a' => Member::Char('\x07'),
            'e' => Member::Char('\x1B'),
            '0' => Member::Char('\0'),
            '1'..='9' | 'k' => return self.problem(at, "back-references are not supported"),
            'p' | 'P' => return self.problem(at, "`\\p` is not supported in this dialect"),
            'c' => match self.next() {
                Some(letter) if letter.is_ascii_alphabetic() => Member::Char(char::from(letter as u8 & 0x1F)),
                _ => return self.problem(at, "a letter is missing after `\\c`"),
            },
            'x' if !self.is_macro() && !self.is_at_hexadecimal() => Member::Char('x'),
            'x' => self.hexadecimal(at, 2)?,
            'u' if self.eat("{") => {
                let member = self.hexadecimal(at, 8)?;
                if !self.eat("}") {
                    return self.problem(at, "`}` is missing after `\\u{`");
                }
                member
            }
            'u' => self.hexadecimal(at, 4)?,
            'U' if !self.is_macro() => self.hexadecimal(at, 8)?,
            char => Member::Char(char),
        })
    }

    fn is_at_hexadecimal(&self) -> bool {
        self.peek().is_some_and(|char| char.is_ascii_hexdigit())
    }

    /// Reads hexadecimal digits, at most `digits`.
    fn hexadecimal(&mut self, at: usize, digits: usize) -> Result<Member, Problem> {
        let rest = &self.pattern[self.at..];
        let found = rest.bytes().take(digits).take_while(u8::is_ascii_hexdigit).count();
        let value = u32::from_str_radix(&rest[..found], 16);
        self.at += found;
        match value {
            Ok(0xD800..=0xDFFF) => Ok(Member::Nothing),
            Ok(point) => match char::from_u32(point) {
                Some(char) => Ok(Member::Char(char)),
                None => Ok(Member::Nothing),
            },
            Err(_) => self.problem(at, "hexadecimal digits are missing"),
        }
    }
}

/// Members of `\s` in ASCII.
const SPACE: &str = r" \t\n\r\x0B\x0C";

/// Members of `\s` with the no-break space.
const SPACE_AND_NO_BREAK: &str = r" \t\n\r\x0B\x0C\xA0";

/// Characters of `.` without the flag `s`.
const NOT_LINE_END: &str = r"[^\n\r]";

/// Appends a character, escaped if it has a meaning in a regex or is not printable.
fn push_char(char: char, out: &mut String) {
    match char {
        // An escaped angle bracket is a word boundary.
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | ' ' | '<' | '>' => out.push(char),
        '!'..='~' => {
            out.push('\\');
            out.push(char);
        }
        _ if char.is_alphanumeric() => out.push(char),
        _ => {
            let _ = write!(out, "\\x{{{:X}}}", u32::from(char));
        }
    }
}
