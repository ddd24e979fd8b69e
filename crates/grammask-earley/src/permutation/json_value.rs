//! JSON values of texts, for items of `distinct!` that are compared by value.
//!
//! Two texts are equal if they are equal JSON values: `{"a":1,"b":"x"}` and `{"b":"\u0078", "a":1.0}`. Texts
//! that are no JSON values, among them objects with a repeated key, are compared byte by byte.

use grammask_work::narrow;
use smallvec::SmallVec;

/// Number of digits of an exponent that is computed. Numbers with a longer one are compared byte by byte.
const MAX_EXPONENT_DIGITS: usize = 15;

/// A JSON value, or a text that is none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Value {
    /// The parts; the last one is the whole.
    parts: Vec<Part>,
}

/// Index of a part of a [`Value`].
pub(crate) type PartId = u32;

/// A part of a value. Parts refer to earlier ones.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// `null`, `true` or `false`.
    Literal(&'static [u8]),
    Number(Decimal),
    /// The decoded string.
    String(Box<[u8]>),
    Array(Box<[PartId]>),
    /// The members with their decoded keys, sorted by key.
    Object(Box<[(Box<[u8]>, PartId)]>),
    /// A text that is no JSON value.
    Raw(Box<[u8]>),
}

/// A number: `0.digits * 10^exponent`. Equal numbers are equal here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decimal {
    /// Never set for zero.
    pub(crate) is_negative: bool,
    /// Without leading and trailing zeros; empty for zero.
    pub(crate) digits: SmallVec<[u8; 24]>,
    pub(crate) exponent: i64,
}

impl Value {
    /// Returns the value of a text.
    ///
    /// # Complexity
    /// O(n log n) in the text. Nesting uses no stack.
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut reader = Reader { text, offset: 0, parts: Vec::new() };
        match reader.read() {
            Some(()) => Self { parts: reader.parts },
            None => Self { parts: vec![Part::Raw(text.into())] },
        }
    }

    /// Returns the index of the whole value.
    pub(crate) fn root(&self) -> PartId {
        narrow(self.parts.len()) - 1
    }

    pub(crate) fn part(&self, part: PartId) -> &Part {
        &self.parts[part as usize]
    }

    /// Returns the number of parts, the whole included.
    pub(crate) fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// Returns the bytes that the value holds, approximately.
    pub(crate) fn bytes_used(&self) -> usize {
        let held = |part: &Part| match part {
            Part::Literal(_) | Part::Number(_) => 0,
            Part::String(text) | Part::Raw(text) => text.len(),
            Part::Array(parts) => size_of_val::<[PartId]>(parts),
            Part::Object(members) => {
                size_of_val::<[_]>(members) + members.iter().map(|(key, _)| key.len()).sum::<usize>()
            }
        };
        self.parts.iter().map(|part| size_of::<Part>() + held(part)).sum()
    }
}

impl Decimal {
    /// Returns the number with this text, which must be a JSON number. `None` if its exponent is too long.
    pub(crate) fn of(text: &[u8]) -> Option<Self> {
        let (mantissa, exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
            Some(at) => (&text[..at], exponent_of(&text[at + 1..])?),
            None => (text, 0),
        };
        let mut number = Self { is_negative: mantissa.first() == Some(&b'-'), ..Self::default() };
        let mut after_point = false;
        for &byte in mantissa {
            match byte {
                b'.' => after_point = true,
                b'0' if number.digits.is_empty() => number.exponent -= i64::from(after_point),
                b'0'..=b'9' => {
                    number.digits.push(byte);
                    number.exponent += i64::from(!after_point);
                }
                _ => {}
            }
        }
        while number.digits.last() == Some(&b'0') {
            number.digits.pop();
        }
        if number.digits.is_empty() {
            return Some(Self::default());
        }
        number.exponent += exponent;
        Some(number)
    }

    /// Returns false if no JSON number that begins with `text` equals this one. May return true where none
    /// does: a zero or an exponent can follow in many ways.
    pub(crate) fn may_begin_with(&self, text: &[u8]) -> bool {
        let mut rest = text;
        if let Some((b'-', after)) = text.split_first() {
            rest = after;
            if !self.is_negative && !self.digits.is_empty() {
                return false;
            }
        } else if self.is_negative && !text.is_empty() {
            return false;
        }
        let end = rest.iter().position(|byte| matches!(byte, b'e' | b'E'));
        let mantissa = &rest[..end.unwrap_or(rest.len())];
        let mut digits =
            mantissa.iter().filter(|byte| byte.is_ascii_digit()).skip_while(|&&byte| byte == b'0');
        let mut expected = self.digits.iter();
        for digit in &mut digits {
            if *expected.next().unwrap_or(&b'0') != *digit {
                return false;
            }
        }
        end.is_none() || expected.next().is_none()
    }
}

/// Returns the value of an exponent without its letter.
fn exponent_of(text: &[u8]) -> Option<i64> {
    let (sign, digits) = match text.split_first() {
        Some((b'-', digits)) => (-1, digits),
        Some((b'+', digits)) => (1, digits),
        _ => (1, text),
    };
    let first = digits.iter().position(|&digit| digit != b'0').unwrap_or(digits.len());
    let digits = &digits[first..];
    if digits.len() > MAX_EXPONENT_DIGITS {
        return None;
    }
    Some(sign * digits.iter().fold(0, |value, &digit| value * 10 + i64::from(digit - b'0')))
}

/// Returns the length of the JSON number at the beginning of a text. `None` if there is none.
pub(crate) fn number_length(text: &[u8]) -> Option<usize> {
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(text.first() == Some(&b'-'));
    match digits(at) {
        0 => return None,
        _ if text[at] == b'0' => at += 1,
        count => at += count,
    }
    if text.get(at) == Some(&b'.') {
        let count = digits(at + 1);
        if count == 0 {
            return None;
        }
        at += 1 + count;
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        let count = digits(at + 1 + sign);
        if count == 0 {
            return None;
        }
        at += 1 + sign + count;
    }
    Some(at)
}

pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Literals, by their first byte.
pub(crate) const LITERALS: [&[u8]; 3] = [b"null", b"true", b"false"];

/// An open array or object.
enum Open {
    Array(Vec<PartId>),
    Object(Vec<(Box<[u8]>, PartId)>, Box<[u8]>),
}

struct Reader<'a> {
    text: &'a [u8],
    offset: usize,
    parts: Vec<Part>,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.offset).is_some_and(|&byte| is_blank(byte)) {
            self.offset += 1;
        }
        self.text.get(self.offset).copied()
    }

    fn take(&mut self, expected: u8) -> Option<()> {
        (self.peek()? == expected).then(|| self.offset += 1)
    }

    /// Reads the whole text as one value.
    fn read(&mut self) -> Option<()> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            // A value begins here.
            let mut done = match self.peek()? {
                b'[' => {
                    self.offset += 1;
                    if self.peek()? != b']' {
                        open.push(Open::Array(Vec::new()));
                        continue;
                    }
                    self.offset += 1;
                    Part::Array(Box::default())
                }
                b'{' => {
                    self.offset += 1;
                    if self.peek()? != b'}' {
                        let key = self.key()?;
                        open.push(Open::Object(Vec::new(), key));
                        continue;
                    }
                    self.offset += 1;
                    Part::Object(Box::default())
                }
                _ => self.scalar()?,
            };
            // A value has ended, and perhaps those around it.
            loop {
                self.parts.push(done);
                let part = narrow(self.parts.len()) - 1;
                match open.last_mut() {
                    None => return self.peek().is_none().then_some(()),
                    Some(Open::Array(items)) => items.push(part),
                    Some(Open::Object(members, key)) => members.push((std::mem::take(key), part)),
                }
                match (self.peek()?, open.last_mut()) {
                    (b',', Some(Open::Array(_))) => {
                        self.offset += 1;
                        break;
                    }
                    (b',', Some(Open::Object(..))) => {
                        self.offset += 1;
                        let key = self.key()?;
                        if let Some(Open::Object(_, next)) = open.last_mut() {
                            *next = key;
                        }
                        break;
                    }
                    (b']', Some(Open::Array(items))) => {
                        done = Part::Array(std::mem::take(items).into());
                    }
                    (b'}', Some(Open::Object(members, _))) => {
                        let mut members = std::mem::take(members);
                        members.sort_unstable();
                        if members.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                            return None;
                        }
                        done = Part::Object(members.into());
                    }
                    _ => return None,
                }
                self.offset += 1;
                open.pop();
            }
        }
    }

    /// Reads a key and its colon.
    fn key(&mut self) -> Option<Box<[u8]>> {
        let key = (self.peek()? == b'"').then(|| self.string())??;
        self.take(b':')?;
        Some(key)
    }

    /// Reads a string, a literal or a number. Returns `None` if there is none at the current offset.
    fn scalar(&mut self) -> Option<Part> {
        let rest = &self.text[self.offset..];
        if rest.first() == Some(&b'"') {
            return self.string().map(Part::String);
        }
        if let Some(literal) = LITERALS.into_iter().find(|literal| rest.starts_with(literal)) {
            self.offset += literal.len();
            return Some(Part::Literal(literal));
        }
        let length = number_length(rest)?;
        self.offset += length;
        Decimal::of(&rest[..length]).map(Part::Number)
    }

    /// Reads a string, from its first quotation mark on.
    fn string(&mut self) -> Option<Box<[u8]>> {
        self.offset += 1;
        let mut decoded = Vec::new();
        loop {
            let rest = &self.text[self.offset..];
            match *rest.first()? {
                b'"' => {
                    self.offset += 1;
                    return Some(decoded.into());
                }
                b'\\' => match Escape::of(rest) {
                    Escape::Whole { length, bytes } => {
                        decoded.extend_from_slice(&bytes);
                        self.offset += length;
                    }
                    Escape::Open | Escape::Wrong => return None,
                },
                0..=0x1f => return None,
                byte => {
                    decoded.push(byte);
                    self.offset += 1;
                }
            }
        }
    }
}

/// The escape at the beginning of a text that begins with a backslash.
pub(crate) enum Escape {
    /// An escape of this length, or two that are the halves of a surrogate pair.
    Whole {
        length: usize,
        bytes: SmallVec<[u8; 4]>,
    },
    /// The beginning of an escape, or the first half of a pair.
    Open,
    Wrong,
}

impl Escape {
    /// Reads the escape at the beginning of a text, which must begin with a backslash.
    pub(crate) fn of(text: &[u8]) -> Self {
        let simple = |byte: u8| Self::Whole { length: 2, bytes: SmallVec::from_slice(&[byte]) };
        match text.get(1) {
            None => Self::Open,
            Some(&byte @ (b'"' | b'\\' | b'/')) => simple(byte),
            Some(b'b') => simple(8),
            Some(b'f') => simple(12),
            Some(b'n') => simple(10),
            Some(b'r') => simple(13),
            Some(b't') => simple(9),
            Some(b'u') => Self::of_code_unit(text),
            Some(_) => Self::Wrong,
        }
    }

    /// Reads an escape with `\u`. A high surrogate needs a second escape, with the low surrogate.
    fn of_code_unit(text: &[u8]) -> Self {
        let unit = |from: usize| -> Option<Option<u32>> {
            let digits = &text[from.min(text.len())..(from + 4).min(text.len())];
            let digits: Option<Vec<u32>> =
                digits.iter().map(|&digit| char::from(digit).to_digit(16)).collect();
            let digits = digits?;
            Some((digits.len() == 4).then(|| digits.iter().fold(0, |value, digit| value * 16 + digit)))
        };
        let whole = |length: usize, code: u32| match char::from_u32(code) {
            Some(character) => {
                let bytes = SmallVec::from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                Self::Whole { length, bytes }
            }
            None => Self::Wrong,
        };
        let first = match unit(2) {
            None => return Self::Wrong,
            Some(None) => return Self::Open,
            Some(Some(first)) => first,
        };
        if !(0xd800..0xdc00).contains(&first) {
            return whole(6, first);
        }
        let pair = &text[6..text.len().min(8)];
        if !b"\\u".starts_with(pair) {
            return Self::Wrong;
        }
        match unit(8) {
            None => Self::Wrong,
            Some(None) => Self::Open,
            Some(Some(second)) if (0xdc00..0xe000).contains(&second) => {
                whole(12, 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
            }
            Some(Some(_)) => Self::Wrong,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(one: &str, other: &str) -> bool {
        let (one, other) = (Value::of(one.as_bytes()), Value::of(other.as_bytes()));
        // Parts are in the order of the text, so only the recursive comparison is by value.
        fn same(one: &Value, left: PartId, other: &Value, right: PartId) -> bool {
            match (one.part(left), other.part(right)) {
                (Part::Array(left), Part::Array(right)) => {
                    left.len() == right.len()
                        && left.iter().zip(right).all(|(&left, &right)| same(one, left, other, right))
                }
                (Part::Object(left), Part::Object(right)) => {
                    left.len() == right.len()
                        && left
                            .iter()
                            .zip(right)
                            .all(|(left, right)| left.0 == right.0 && same(one, left.1, other, right.1))
                }
                (left, right) => left == right,
            }
        }
        same(&one, one.root(), &other, other.root())
    }

    #[test]
    fn equal_values_are_equal() {
        for (one, other) in [
            (r#"{"a":1,"b":"x"}"#, r#" {"b":"\u0078", "a" : 1.0 } "#),
            ("100", "1e2"),
            ("-0", "0.0e9"),
            ("[1, [], {}]", "[10e-1,[ ],{ }]"),
            (r#""\ud83d\ude00\n""#, "\"\u{1f600}\\u000a\""),
            ("0.010", "1e-2"),
        ] {
            assert!(equal(one, other), "{one} {other}");
        }
        for (one, other) in [
            (r#"{"a":1}"#, r#"{"a":1,"b":1}"#),
            ("1", "\"1\""),
            ("[1,2]", "[2,1]"),
            ("1e10", "1e11"),
            ("-1", "1"),
            (r#"{"a":1,"a":1}"#, r#"{"a":1, "a":1}"#),
            ("tru", "tru "),
            ("1e9999999999999999", "1e99999999999999999"),
        ] {
            assert!(!equal(one, other), "{one} {other}");
        }
    }

    #[test]
    fn deep_nesting_needs_no_stack() {
        let text = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(Value::of(text.as_bytes()).parts.len(), 100_000);
    }

    #[test]
    fn numbers_may_begin_with_their_prefixes_only() {
        let number = Decimal::of(b"-12.5").unwrap();
        for text in ["", "-", "-1", "-12.", "-12.50", "-125e", "-0.0125e+", "-125e-1"] {
            assert!(number.may_begin_with(text.as_bytes()), "{text}");
        }
        for text in ["1", "-2", "-126", "-13", "-12e", "-12.51"] {
            assert!(!number.may_begin_with(text.as_bytes()), "{text}");
        }
    }
}
