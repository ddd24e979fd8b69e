//! Classes of characters.

use std::fmt::Write;

/// A class of characters: ranges, or all but these.
///
/// ```
/// use grammask_notation::Class;
///
/// let mut class = Class::default();
/// class.push('a', 'z');
/// class.push('-', '-');
/// assert_eq!(class.to_regex(), r"[a-z\-]");
/// class.negated = true;
/// assert_eq!(class.to_regex(), r"[^a-z\-]");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Class {
    ranges: Vec<(char, char)>,
    /// True if the class has the characters outside of the ranges.
    pub negated: bool,
}

/// Regex of one character, line breaks included.
pub(crate) const ANY_CHAR: &str = "(?s:.)";

/// Regex without matches.
pub(crate) const NEVER: &str = "[a&&b]";

impl Class {
    /// Adds the characters from `first` to `last`. Adds none if `first` exceeds `last`.
    pub fn push(&mut self, first: char, last: char) {
        if first <= last {
            self.ranges.push((first, last));
        }
    }

    /// Adds the code points from `first` to `last`. Surrogates are not characters, so they are left out.
    pub fn push_code_points(&mut self, first: u32, last: u32) {
        let up = |point: u32| if (0xD800..0xE000).contains(&point) { 0xE000 } else { point };
        let down = |point: u32| if (0xD800..0xE000).contains(&point) { 0xD7FF } else { point };
        let first = char::from_u32(up(first));
        if let (Some(first), Some(last)) = (first, char::from_u32(down(last.min(0x10_FFFF)))) {
            self.push(first, last);
        }
    }

    /// Returns the ranges.
    pub fn ranges(&self) -> &[(char, char)] {
        &self.ranges
    }

    /// Returns the class as a regex of the Rust crate `regex`, for exactly one character.
    pub fn to_regex(&self) -> String {
        if self.ranges.is_empty() {
            return if self.negated { ANY_CHAR } else { NEVER }.to_owned();
        }
        let mut out = String::from(if self.negated { "[^" } else { "[" });
        for &(first, last) in &self.ranges {
            push_class_char(first, &mut out);
            if first != last {
                if u32::from(first) + 1 != u32::from(last) {
                    out.push('-');
                }
                push_class_char(last, &mut out);
            }
        }
        out.push(']');
        out
    }
}

/// Appends a character inside of a class.
fn push_class_char(char: char, out: &mut String) {
    match char {
        '\n' => out.push_str(r"\n"),
        '\r' => out.push_str(r"\r"),
        '\t' => out.push_str(r"\t"),
        '\0'..=' ' | '\x7F'..='\u{A0}' if char != ' ' => {
            let _ = write!(out, r"\x{:02X}", u32::from(char));
        }
        '[' | ']' | '\\' | '^' | '-' | '&' | '~' => {
            out.push('\\');
            out.push(char);
        }
        _ => out.push(char),
    }
}

/// Returns true if a regex is one class, so that a quantifier may follow it.
pub(crate) fn is_class(regex: &str) -> bool {
    if regex == ANY_CHAR {
        return true;
    }
    let Some(inside) = regex.strip_prefix('[') else { return false };
    let mut escaped = false;
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'[' => return false,
            b']' => return at + 1 == inside.len(),
            _ => {}
        }
    }
    false
}
