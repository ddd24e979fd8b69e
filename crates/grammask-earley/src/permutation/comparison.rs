//! Comparison of a text that is still being read with a JSON value.
//!
//! While an item of `distinct!` is read, each value that has been used is a candidate: the item may still
//! become equal to it. In `[{"a":1},{"a":2},{"a":` both values are candidates; after a further `1`, only the
//! first one is.

use grammask_regular::ByteSet;
use grammask_work::narrow;
use smallvec::SmallVec;

use crate::permutation::json_value::{
    Decimal, Escape, LITERALS, Part, PartId, Value, is_blank, number_length,
};

/// The position in a value up to which a text agrees with it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cursor {
    /// The arrays and objects that are open, from the outside in.
    open: SmallVec<[Open; 4]>,
    at: Position,
}

/// An array or object that is open.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Open {
    part: PartId,
    seen: Seen,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Seen {
    /// Number of the array's items that the text has.
    Items(u32),
    /// The object's members that the text has, as bits, and their number.
    Members(SmallVec<[u64; 1]>, u32),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Position {
    /// Before a part.
    Before(PartId),
    /// Right after an opening bracket.
    First,
    /// Before a key.
    BeforeKey,
    /// Inside a key: its decoded bytes, and an escape that is not whole.
    Key(Vec<u8>, SmallVec<[u8; 12]>),
    /// Before the colon after the key of a member.
    BeforeColon(u32),
    /// Inside a string: the number of decoded bytes, and an escape that is not whole.
    String(PartId, u32, SmallVec<[u8; 12]>),
    /// Inside a literal: the number of its bytes.
    Literal(PartId, u8),
    /// Inside a number: its text.
    Number(PartId, SmallVec<[u8; 24]>),
    /// After a value: before a comma or bracket, or at the end.
    After,
    /// Inside a text that is not a JSON value: the number of its bytes.
    Raw(PartId, u32),
}

/// Where the text of a JSON value stops, as far as the meaning of the next byte depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// Outside of strings and numbers, or in a literal.
    Outside,
    /// In a string, between two characters.
    String,
    /// In an escape of a string, after this many of its bytes.
    Escape(u8),
    /// In a number, after a digit of its integer part.
    Integer,
    /// In a number, after the integer part.
    Fraction,
}

impl Place {
    /// Returns the place after one more byte.
    pub(crate) const fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Outside, b'"') => Self::String,
            (Self::String, b'"') => Self::Outside,
            (Self::String, b'\\') => Self::Escape(1),
            (Self::Escape(1), b'u') => Self::Escape(2),
            (Self::Escape(read @ 2..5), _) => Self::Escape(read + 1),
            (Self::String | Self::Escape(_), _) => Self::String,
            (Self::Outside | Self::Integer, b'0'..=b'9') => Self::Integer,
            (Self::Integer | Self::Fraction, b'.' | b'e' | b'E' | b'+' | b'-' | b'0'..=b'9') => {
                Self::Fraction
            }
            (Self::Outside | Self::Integer | Self::Fraction, _) => Self::Outside,
        }
    }
}

/// The bytes of JSON outside of strings, apart from those inside of a literal.
const STRUCTURE: &[u8] = b" \t\n\r{}[],:\"-+.0123456789eEtfn";

impl Cursor {
    /// Returns the position before a value.
    pub(crate) fn new(value: &Value) -> Self {
        let root = value.root();
        let at = match value.part(root) {
            Part::Raw(_) => Position::Raw(root, 0),
            _ => Position::Before(root),
        };
        Self { open: SmallVec::new(), at }
    }

    /// Returns where the text read so far stops. Returns `None` if the value is no JSON value, and inside of
    /// an escape for half of a surrogate pair.
    pub(crate) fn place(&self) -> Option<Place> {
        match &self.at {
            Position::Raw(..) => None,
            Position::Key(_, escape) | Position::String(_, _, escape) => match escape.len() {
                0 => Some(Place::String),
                read @ 1..6 => u8::try_from(read).ok().map(Place::Escape),
                _ => None,
            },
            Position::Number(_, text) => {
                let place = text.iter().fold(Place::Outside, |place, &byte| place.after(byte));
                Some(place)
            }
            _ => Some(Place::Outside),
        }
    }

    /// Returns true if the text read so far is equal to the value.
    pub(crate) fn is_equal(&self, value: &Value) -> bool {
        match &self.at {
            Position::Raw(part, length) => {
                matches!(value.part(*part), Part::Raw(text) if text.len() == *length as usize)
            }
            Position::After => self.open.is_empty(),
            Position::Number(part, text) => self.open.is_empty() && is_number(value, *part, text),
            _ => false,
        }
    }

    /// Returns a superset of the bytes after which the text may still become equal to the value.
    pub(crate) fn next_bytes(&self, value: &Value) -> ByteSet {
        let mut bytes = ByteSet::EMPTY;
        let mut add = |more: &[u8]| more.iter().for_each(|&byte| bytes.insert(byte));
        match &self.at {
            Position::Before(part) => {
                add(b" \t\n\r");
                match value.part(*part) {
                    Part::Literal(text) => add(&text[..1]),
                    Part::Number(_) => add(b"-0123456789"),
                    Part::String(_) => add(b"\""),
                    Part::Array(_) => add(b"["),
                    Part::Object(_) => add(b"{"),
                    Part::Raw(_) => {}
                }
            }
            Position::Literal(part, read) => {
                if let Part::Literal(text) = value.part(*part) {
                    add(&text[*read as usize..][..1]);
                }
            }
            Position::String(part, read, escape) => match value.part(*part) {
                Part::String(text) if escape.is_empty() => {
                    add(text.get(*read as usize..=*read as usize).unwrap_or(b"\""));
                    if text.len() > *read as usize {
                        add(b"\\");
                    }
                }
                _ => add(b"\"\\/bfnrtu0123456789abcdefABCDEF"),
            },
            Position::Raw(part, read) => {
                if let Part::Raw(text) = value.part(*part) {
                    add(text.get(*read as usize..=*read as usize).unwrap_or(b""));
                }
            }
            Position::Key(decoded, escape) => {
                let innermost = self.open.last().map(|open| value.part(open.part));
                match innermost {
                    Some(Part::Object(members)) if escape.is_empty() => {
                        add(b"\"\\");
                        let begins = members.iter().filter(|(key, _)| key.starts_with(decoded));
                        begins
                            .for_each(|(key, _)| add(key.get(decoded.len()..=decoded.len()).unwrap_or(b"")));
                    }
                    _ => add(b"\"\\/bfnrtu0123456789abcdefABCDEF"),
                }
            }
            _ => STRUCTURE.iter().for_each(|&byte| {
                if self.clone().advance(value, byte) {
                    add(&[byte]);
                }
            }),
        }
        bytes
    }

    /// Moves over a byte. Returns false if the text cannot become equal to the value any more.
    pub(crate) fn advance(&mut self, value: &Value, byte: u8) -> bool {
        match &mut self.at {
            Position::Raw(part, read) => {
                let is_next =
                    matches!(value.part(*part), Part::Raw(text) if text.get(*read as usize) == Some(&byte));
                *read += 1;
                is_next
            }
            Position::Before(_)
            | Position::First
            | Position::BeforeKey
            | Position::BeforeColon(_)
            | Position::After
                if is_blank(byte) =>
            {
                true
            }
            &mut Position::Before(part) => self.begin(value, part, byte),
            Position::First => match byte {
                b']' | b'}' => self.close(value, byte),
                b'"' if matches!(self.open.last(), Some(Open { seen: Seen::Members(..), .. })) => {
                    self.at = Position::Key(Vec::new(), SmallVec::new());
                    true
                }
                _ => self.begin_item(value, byte),
            },
            Position::BeforeKey => {
                self.at = Position::Key(Vec::new(), SmallVec::new());
                byte == b'"'
            }
            Position::Key(..) => self.advance_key(value, byte),
            &mut Position::BeforeColon(member) => byte == b':' && self.begin_member(value, member),
            Position::String(..) => self.advance_string(value, byte),
            Position::Literal(part, read) => {
                let Part::Literal(text) = value.part(*part) else { return false };
                let is_next = text.get(usize::from(*read)) == Some(&byte);
                *read += 1;
                if usize::from(*read) == text.len() {
                    self.at = Position::After;
                }
                is_next
            }
            Position::Number(part, text) => {
                let Part::Number(number) = value.part(*part) else { return false };
                if matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-') {
                    text.push(byte);
                    return number.may_begin_with(text);
                }
                if !is_number(value, *part, text) {
                    return false;
                }
                self.at = Position::After;
                self.advance(value, byte)
            }
            Position::After => match (byte, self.open.last()) {
                (b',', Some(Open { seen: Seen::Items(_), .. })) => self.next_item(value),
                (b',', Some(Open { part, seen: Seen::Members(_, count) })) => {
                    let is_left =
                        matches!(value.part(*part), Part::Object(members) if members.len() > *count as usize);
                    self.at = Position::BeforeKey;
                    is_left
                }
                (b']' | b'}', Some(_)) => self.close(value, byte),
                _ => false,
            },
        }
    }

    /// Begins a part with its first byte.
    fn begin(&mut self, value: &Value, part: PartId, byte: u8) -> bool {
        match (value.part(part), byte) {
            (Part::Literal(text), _) => {
                self.at = Position::Literal(part, 1);
                debug_assert!(LITERALS.contains(text), "a literal has more than one byte");
                text[0] == byte
            }
            (Part::Number(number), b'-' | b'0'..=b'9') => {
                self.at = Position::Number(part, SmallVec::from_slice(&[byte]));
                number.may_begin_with(&[byte])
            }
            (Part::String(_), b'"') => {
                self.at = Position::String(part, 0, SmallVec::new());
                true
            }
            (Part::Array(_), b'[') => {
                self.open.push(Open { part, seen: Seen::Items(0) });
                self.at = Position::First;
                true
            }
            (Part::Object(members), b'{') => {
                let bits = SmallVec::from_elem(0, members.len().div_ceil(64));
                self.open.push(Open { part, seen: Seen::Members(bits, 0) });
                self.at = Position::First;
                true
            }
            _ => false,
        }
    }

    /// Begins the first item of an array with a byte.
    fn begin_item(&mut self, value: &Value, byte: u8) -> bool {
        self.next_item(value) && self.advance(value, byte)
    }

    /// Moves before the next item of the innermost array.
    fn next_item(&mut self, value: &Value) -> bool {
        let Some(Open { part, seen: Seen::Items(count) }) = self.open.last_mut() else { return false };
        let Part::Array(items) = value.part(*part) else { return false };
        let Some(&item) = items.get(*count as usize) else { return false };
        *count += 1;
        self.at = Position::Before(item);
        true
    }

    /// Moves before the value of a member of the innermost object.
    fn begin_member(&mut self, value: &Value, member: u32) -> bool {
        let Some(Open { part, seen: Seen::Members(bits, count) }) = self.open.last_mut() else {
            return false;
        };
        let Part::Object(members) = value.part(*part) else { return false };
        bits[member as usize / 64] |= 1 << (member % 64);
        *count += 1;
        self.at = Position::Before(members[member as usize].1);
        true
    }

    /// Closes the innermost array or object, which must have all its parts.
    fn close(&mut self, value: &Value, byte: u8) -> bool {
        let Some(Open { part, seen }) = self.open.pop() else { return false };
        self.at = Position::After;
        match (value.part(part), seen, byte) {
            (Part::Array(items), Seen::Items(count), b']') => items.len() == count as usize,
            (Part::Object(members), Seen::Members(_, count), b'}') => members.len() == count as usize,
            _ => false,
        }
    }

    /// Moves over a byte inside a key. Returns false if no remaining member of the object has such a key.
    fn advance_key(&mut self, value: &Value, byte: u8) -> bool {
        let Position::Key(decoded, escape) = &mut self.at else { return false };
        let Some(Open { part, seen: Seen::Members(bits, _) }) = self.open.last() else { return false };
        let Part::Object(members) = value.part(*part) else { return false };
        if escape.is_empty() && byte == b'"' {
            let found = members.binary_search_by(|(key, _)| key[..].cmp(&decoded[..]));
            let Ok(member) = found else { return false };
            if bits[member / 64] >> (member % 64) & 1 == 1 {
                return false;
            }
            self.at = Position::BeforeColon(narrow(member));
            return true;
        }
        match decode(escape, byte) {
            Decoded::Wrong => return false,
            Decoded::Open => {}
            Decoded::Bytes(bytes) => decoded.extend_from_slice(&bytes),
        }
        // Keys with a common beginning are next to each other.
        let first = members.partition_point(|(key, _)| key[..] < decoded[..]);
        let is_left = |member: usize| bits[member / 64] >> (member % 64) & 1 == 0;
        let begins = members[first..].iter().take_while(|(key, _)| key.starts_with(decoded)).count();
        (first..first + begins).any(is_left)
    }

    /// Moves over a byte inside a string. Returns false if the string differs from that of the value.
    fn advance_string(&mut self, value: &Value, byte: u8) -> bool {
        let Position::String(part, read, escape) = &mut self.at else { return false };
        let Part::String(text) = value.part(*part) else { return false };
        if escape.is_empty() && byte == b'"' {
            let is_whole = text.len() == *read as usize;
            self.at = Position::After;
            return is_whole;
        }
        match decode(escape, byte) {
            Decoded::Wrong => false,
            Decoded::Open => true,
            Decoded::Bytes(bytes) => {
                let is_next = text[*read as usize..].starts_with(&bytes);
                *read += narrow(bytes.len());
                is_next
            }
        }
    }
}

/// Result of decoding one more byte of a string.
enum Decoded {
    Bytes(SmallVec<[u8; 4]>),
    /// An escape is not whole yet.
    Open,
    Wrong,
}

/// Decodes one more byte of a string, given the escape that is not whole.
fn decode(escape: &mut SmallVec<[u8; 12]>, byte: u8) -> Decoded {
    if escape.is_empty() && byte != b'\\' {
        return if byte < 0x20 { Decoded::Wrong } else { Decoded::Bytes(SmallVec::from_slice(&[byte])) };
    }
    escape.push(byte);
    match Escape::of(escape) {
        Escape::Open => Decoded::Open,
        Escape::Wrong => Decoded::Wrong,
        Escape::Whole { bytes, .. } => {
            escape.clear();
            Decoded::Bytes(bytes)
        }
    }
}

/// Returns true if a text is a whole number that equals a part.
fn is_number(value: &Value, part: PartId, text: &[u8]) -> bool {
    let Part::Number(number) = value.part(part) else { return false };
    number_length(text) == Some(text.len()) && Decimal::of(text).as_ref() == Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how many bytes of a text agree with a value, and whether the whole text is equal to it.
    fn compare(value: &str, text: &str) -> (usize, bool) {
        let value = Value::of(value.as_bytes());
        let mut cursor = Cursor::new(&value);
        for (offset, &byte) in text.as_bytes().iter().enumerate() {
            let is_listed = cursor.next_bytes(&value).contains(byte);
            let goes_on = cursor.advance(&value, byte);
            assert!(is_listed || !goes_on, "{value:?} {text} at {offset}");
            if !goes_on {
                return (offset, false);
            }
        }
        (text.len(), cursor.is_equal(&value))
    }

    #[test]
    fn equal_texts_agree_to_their_end() {
        for (value, text) in [
            (r#"{"a":[1,{"b":null}],"c":"x\ny"}"#, r#" { "c" : "x\u000ay" , "\u0061":[1.0, {"b":null} ]} "#),
            ("[]", "[ ]"),
            ("{}", "{ }"),
            ("12.50", "0.125e2"),
            ("\"\u{1f600}\"", r#""\ud83d\ude00""#),
            ("[true,false,null]", "[true,false,null]"),
            ("no json", "no json"),
            (r#"{"a":1,"a":1}"#, r#"{"a":1,"a":1}"#),
        ] {
            assert_eq!(compare(value, text), (text.len(), true), "{value} {text}");
        }
    }

    #[test]
    fn different_texts_agree_up_to_the_difference() {
        for (value, text, agree) in [
            (r#"{"a":1,"b":2}"#, r#"{"b":2,"c":1}"#, 8),
            (r#"{"a":1,"b":2}"#, r#"{"a":1}"#, 6),
            (r#"{"a":1}"#, r#"{"a":1,"b":2}"#, 6),
            (r#"{"ab":1}"#, r#"{"a":1}"#, 3),
            (r#"{"a":1,"b":1}"#, r#"{"a":1,"a":1}"#, 8),
            ("[1,2]", "[1,3]", 3),
            ("[1]", "[12]", 2),
            ("[1]", "[1,2]", 2),
            ("[]", "[1]", 1),
            ("\"ab\"", "\"abc\"", 3),
            ("\"ab\"", "\"a\"", 2),
            ("1", "true", 0),
            ("nul", "null", 3),
        ] {
            assert_eq!(compare(value, text), (agree, false), "{value} {text}");
        }
        // The text may go on.
        assert_eq!(compare("[1]", "[1"), (2, false));
        assert_eq!(compare("10", "1"), (1, false));
    }
}
