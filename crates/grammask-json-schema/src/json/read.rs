//! A reader of JSON texts. It keeps the order of keys and all digits, does not recurse, and finds repeated
//! keys.

use std::collections::HashMap;

use grammask_work::{Stopped, charge_len};
use rustc_hash::FxBuildHasher;

use super::{Map, Number, Tree, Value, is_unevaluated, push_step};

/// A text that is not JSON, or too deep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Byte offset of the error.
    pub offset: usize,
    pub kind: ProblemKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProblemKind {
    /// Not JSON, with a message.
    Syntax(&'static str),
    /// More levels of arrays and objects than allowed.
    Nesting,
    /// The account of work of the call is exceeded, or the call is cancelled.
    Stopped(Stopped),
}

/// A key that an object has twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repeated {
    /// Byte offset of the quote before the second key.
    pub offset: usize,
    /// JSON pointer to the object.
    pub pointer: String,
    pub key: String,
}

/// An array or object that is being read.
enum Open {
    Array(Vec<Value>),
    Object {
        entries: Vec<(String, Value)>,
        indices: Option<HashMap<String, usize, FxBuildHasher>>,
        key: String,
    },
}

/// Number of repeated keys that are recorded.
const MAX_REPEATED: usize = 100;

/// Bytes of a text that are read with one unit of work.
const BYTES_PER_UNIT: usize = 8;

/// Entries of an object up to which repeated keys are found by a linear search.
const LINEAR_SEARCH_MAX_ENTRIES: usize = 8;

/// Reads a JSON text. Of repeated keys, the last value counts.
///
/// # Errors
/// If the text is not JSON, or nests more than `max_nesting` levels.
///
/// # Complexity
/// Linear in the text.
pub(crate) fn read(text: &str, max_nesting: u32) -> Result<(Tree, Vec<Repeated>), Problem> {
    let mut scanner = Scanner { text, at: 0, mentions_unevaluated: false };
    let mut open: Vec<Open> = Vec::new();
    let mut repeated = Vec::new();
    let mut charged = 0;
    loop {
        charge_len(1 + (scanner.at - charged) / BYTES_PER_UNIT)
            .map_err(|stopped| Problem { offset: scanner.at, kind: ProblemKind::Stopped(stopped) })?;
        charged = scanner.at;
        // A value, or the start of one.
        scanner.skip_space();
        let mut done = match scanner.peek() {
            Some(b'[') => {
                scanner.at += 1;
                open.push(Open::Array(Vec::new()));
                scanner.skip_space();
                if scanner.eat(b']') { close(&mut open) } else { None }
            }
            Some(b'{') => {
                scanner.at += 1;
                open.push(Open::Object { entries: Vec::new(), indices: None, key: String::new() });
                scanner.skip_space();
                if scanner.eat(b'}') {
                    close(&mut open)
                } else {
                    scanner.key(&mut open, &mut repeated)?;
                    None
                }
            }
            _ => Some(scanner.scalar()?),
        };
        if open.len() > max_nesting as usize {
            return Err(Problem { offset: scanner.at, kind: ProblemKind::Nesting });
        }
        while let Some(value) = done.take() {
            scanner.skip_space();
            match open.last_mut() {
                None => {
                    let tree = Tree::new(value, scanner.mentions_unevaluated);
                    return if scanner.at == text.len() {
                        Ok((tree, repeated))
                    } else {
                        Err(scanner.error("more text after the value"))
                    };
                }
                Some(Open::Array(items)) => {
                    items.push(value);
                    if scanner.eat(b']') {
                        done = close(&mut open);
                    } else if !scanner.eat(b',') {
                        return Err(scanner.error("`,` or `]` is expected"));
                    }
                }
                Some(Open::Object { entries, indices, key }) => {
                    put(entries, indices, std::mem::take(key), value);
                    if scanner.eat(b'}') {
                        done = close(&mut open);
                    } else if scanner.eat(b',') {
                        scanner.skip_space();
                        scanner.key(&mut open, &mut repeated)?;
                    } else {
                        return Err(scanner.error("`,` or `}` is expected"));
                    }
                }
            }
        }
    }
}

/// Returns the innermost open value, which is complete.
fn close(open: &mut Vec<Open>) -> Option<Value> {
    Some(match open.pop()? {
        Open::Array(items) => Value::Array(items),
        Open::Object { entries, .. } => Value::Object(Map::new(entries)),
    })
}

/// Returns the index of a key.
fn index_of(
    entries: &[(String, Value)],
    indices: Option<&HashMap<String, usize, FxBuildHasher>>,
    key: &str,
) -> Option<usize> {
    match indices {
        Some(indices) => indices.get(key).copied(),
        None => entries.iter().position(|(name, _)| name == key),
    }
}

/// Adds an entry, or replaces the one with its key.
fn put(
    entries: &mut Vec<(String, Value)>,
    indices: &mut Option<HashMap<String, usize, FxBuildHasher>>,
    key: String,
    value: Value,
) {
    if let Some(index) = index_of(entries, indices.as_ref(), &key) {
        // The replaced value may be deep, and is dropped without recursion.
        drop(Tree::new(std::mem::replace(&mut entries[index].1, value), false));
        return;
    }
    if let Some(indices) = indices {
        indices.insert(key.clone(), entries.len());
    }
    entries.push((key, value));
    if indices.is_none() && entries.len() > LINEAR_SEARCH_MAX_ENTRIES {
        let keys = entries.iter().enumerate().map(|(index, (key, _))| (key.clone(), index));
        *indices = Some(keys.collect());
    }
}

/// A position in a JSON text.
pub(super) struct Scanner<'t> {
    pub text: &'t str,
    pub at: usize,
    /// True if a key so far is one of the unevaluated keywords.
    pub mentions_unevaluated: bool,
}

impl Scanner<'_> {
    pub(super) fn error(&self, what: &'static str) -> Problem {
        Problem { offset: self.at, kind: ProblemKind::Syntax(what) }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips a byte if it is next.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Reads a key and its colon into the innermost open object.
    fn key(&mut self, open: &mut [Open], repeated: &mut Vec<Repeated>) -> Result<(), Problem> {
        let offset = self.at;
        let name = self.key_text()?;
        self.mentions_unevaluated |= is_unevaluated(&name);
        let Some((innermost, outer)) = open.split_last_mut() else { return Ok(()) };
        if let Open::Object { entries, indices, key } = innermost {
            if repeated.len() < MAX_REPEATED && index_of(entries, indices.as_ref(), &name).is_some() {
                let mut pointer = String::new();
                for open in outer {
                    match open {
                        Open::Array(items) => push_step(&mut pointer, &items.len().to_string()),
                        Open::Object { key, .. } => push_step(&mut pointer, key),
                    }
                }
                repeated.push(Repeated { offset, pointer, key: name.clone() });
            }
            *key = name;
        }
        Ok(())
    }

    /// Reads a key and its colon.
    pub(super) fn key_text(&mut self) -> Result<String, Problem> {
        if self.peek() != Some(b'"') {
            return Err(self.error("a key in quotes is expected"));
        }
        let name = self.string()?;
        self.skip_space();
        if self.eat(b':') { Ok(name) } else { Err(self.error("`:` is expected")) }
    }

    /// Reads a value that is neither an array nor an object.
    pub(super) fn scalar(&mut self) -> Result<Value, Problem> {
        match self.peek() {
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number().map(Value::Number),
            Some(_) => {
                for (word, value) in
                    [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))]
                {
                    if self.text[self.at..].starts_with(word) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                Err(self.error("a value is expected"))
            }
            None => Err(self.error("the text ends before the value")),
        }
    }

    fn digits(&mut self) -> Result<(), Problem> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(self.error("a digit is expected")) }
    }

    fn number(&mut self) -> Result<Number, Problem> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _sign = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Ok(Number::new(self.text[start..self.at].to_owned()))
    }

    /// Reads a string from its first quote to its last one.
    fn string(&mut self) -> Result<String, Problem> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.bytes().position(|byte| byte == b'"' || byte == b'\\' || byte < b' ');
            let Some(plain) = plain else {
                self.at = self.text.len();
                return Err(self.error("a string has no closing quote"));
            };
            out.push_str(&rest[..plain]);
            self.at += plain;
            match rest.as_bytes()[plain] {
                b'"' => {
                    self.at += 1;
                    return Ok(out);
                }
                b'\\' => out.push(self.escape()?),
                _ => return Err(self.error("a control character in a string must be escaped")),
            }
        }
    }

    /// Reads an escape from its backslash on.
    fn escape(&mut self) -> Result<char, Problem> {
        let wrong = self.error("this is not an escape of JSON");
        self.at += 1;
        let escaped = match self.peek() {
            Some(escape @ (b'"' | b'\\' | b'/')) => char::from(escape),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                let first = self.unit().ok_or_else(|| wrong.clone())?;
                if let Some(character) = char::from_u32(first) {
                    return Ok(character);
                }
                let is_pair = (0xd800..0xdc00).contains(&first) && self.eat(b'\\') && self.eat(b'u');
                let second = if is_pair { self.unit() } else { None };
                let second = second.filter(|second| (0xdc00..0xe000).contains(second));
                let second = second.ok_or(Problem {
                    offset: wrong.offset,
                    kind: ProblemKind::Syntax("half of a surrogate pair is not a character"),
                })?;
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return char::from_u32(code).ok_or(wrong);
            }
            _ => return Err(wrong),
        };
        self.at += 1;
        Ok(escaped)
    }

    /// Reads four hexadecimal digits.
    fn unit(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that both readers must take, or both refuse.
    const TEXTS: &[&str] = &[
        "",
        " ",
        "null",
        " true ",
        "false",
        "nul",
        "tru",
        "nulls",
        "0",
        "-0",
        "01",
        "-",
        "1.",
        ".5",
        "1.5e",
        "1e+9",
        "-1.25E-3",
        "[",
        "[]",
        "[1,2]",
        "[1,]",
        "[1 2]",
        "{}",
        "{\"a\":1}",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "{a:1}",
        "{\"a\":}",
        "{\"b\":{\"a\":[{}]},\"a\":[[],[null]]}",
        "\"a",
        "\"\\n\\u00e9\\/\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\t\"",
        "\"é\"",
        "1 2",
        "[]]",
        "{}}",
        "\u{feff}1",
        "\"\\u+123\"",
    ];

    #[test]
    fn values_are_those_of_serde_json() {
        for text in TEXTS {
            let theirs: Result<serde_json::Value, _> = serde_json::from_str(text);
            match (read(text, 100), theirs) {
                (Ok((tree, repeated)), Ok(value)) => {
                    let same = Tree::from_serde(&value, 100).expect("not deep");
                    let numbers = ["-0", "1e+9", "-1.25E-3"];
                    assert!(tree.value() == same.value() || numbers.contains(text), "{text}");
                    assert_eq!(repeated, []);
                }
                (Err(_), Err(_)) => {}
                (ours, theirs) => panic!("{text:?}: {ours:?} and {theirs:?}"),
            }
        }
    }

    #[test]
    fn order_digits_and_repeated_keys_are_kept() {
        let text = r#"{"b": 1.0000000000000000000000001, "a": 1E400, "b": 2}"#;
        let (tree, repeated) = read(text, 5).expect("JSON");
        let Value::Object(map) = tree.value() else { panic!("an object") };
        let entries: Vec<String> = map.iter().map(|(key, value)| format!("{key}{value}")).collect();
        assert_eq!(entries, ["b2", "a1E400"]);
        assert_eq!(repeated, [Repeated { offset: 47, pointer: String::new(), key: "b".to_owned() }]);
    }

    #[test]
    fn large_objects_find_their_keys() {
        let text: Vec<String> = (0..1000).map(|index| format!("\"k{}\":{index}", index * 7 % 1000)).collect();
        let (tree, _) = read(&format!("{{{}}}", text.join(",")), 5).expect("JSON");
        for index in 0..1000 {
            let value = tree.value().get(&format!("k{}", index * 7 % 1000));
            assert_eq!(value.and_then(Value::as_u64), Some(index));
        }
        assert_eq!(tree.value().get("k1000"), None);
    }

    #[test]
    fn depth_is_bounded_and_needs_no_stack() {
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        let problem = read(&deep, 1_000).expect_err("too deep");
        assert_eq!(problem, Problem { offset: 1_001, kind: ProblemKind::Nesting });
        assert!(read(&deep, 2_000_000).is_ok());
    }
}
