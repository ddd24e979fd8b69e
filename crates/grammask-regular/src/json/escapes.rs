//! The sets of spellings of the characters of a JSON string.

use crate::ByteSet;

/// Spellings of the characters of a JSON string (RFC 8259, section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Escapes {
    /// All spellings of JSON, such as `a`, `\u0061`, `\/` and surrogate pairs.
    Any,
    /// The character itself, its short escape (`\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`), and `\u00XX`
    /// for the control characters up to U+001F.
    Short,
    /// One spelling: the character itself. `"` and `\` have their short escapes, and so have control
    /// characters up to U+001F; those without one are written as `\u00xx` in lower case.
    Required,
}

/// The greatest character that is never written as itself.
const LAST_CONTROL: u8 = 0x1F;

impl Escapes {
    /// Returns the spellings that both sets contain. One of two sets always contains the other.
    #[must_use]
    pub fn common(self, other: Self) -> Self {
        self.max(other)
    }

    /// Returns the first bytes of the characters that have an escape.
    pub(crate) fn escaped_bytes(self) -> ByteSet {
        let mut bytes = ByteSet::range(0, LAST_CONTROL);
        match self {
            Self::Any => {
                bytes.insert_range(0, 0x7F);
                bytes.insert_range(0xC2, 0xF4);
            }
            Self::Short | Self::Required => {
                bytes.extend([b'"', b'\\']);
                bytes.extend((self == Self::Short).then_some(b'/'));
            }
        }
        bytes
    }

    /// Returns the first bytes of the characters that have an escape with `\u`.
    pub(crate) fn unit_bytes(self) -> ByteSet {
        match self {
            Self::Any => self.escaped_bytes(),
            Self::Short => ByteSet::range(0, LAST_CONTROL),
            Self::Required => (0..=LAST_CONTROL).filter(|&byte| short_letter(byte).is_none()).collect(),
        }
    }

    /// Returns the byte that a letter after a backslash represents. Returns `None` if there is none.
    pub(crate) fn short_escape(self, letter: u8) -> Option<u8> {
        let &(_, byte) = SHORT_ESCAPES.iter().find(|&&(other, _)| other == letter)?;
        (byte != b'/' || self != Self::Required).then_some(byte)
    }

    /// Returns the letter of the short escape of a character.
    pub(crate) fn letter_of(self, character: char) -> Option<u8> {
        let byte = u8::try_from(u32::from(character)).ok()?;
        short_letter(byte).filter(|_| byte != b'/' || self != Self::Required)
    }

    /// Returns true if a character has a spelling other than itself.
    ///
    /// ```
    /// use grammask_regular::Escapes;
    /// assert!(Escapes::Any.has_escape('a') && !Escapes::Short.has_escape('a'));
    /// assert!(Escapes::Short.has_escape('/') && !Escapes::Required.has_escape('/'));
    /// ```
    pub fn has_escape(self, character: char) -> bool {
        self == Self::Any || u8::try_from(character).is_ok_and(|byte| self.escaped_bytes().contains(byte))
    }

    /// Returns the only spelling of a text with [`Required`](Self::Required).
    ///
    /// ```
    /// assert_eq!(grammask_regular::Escapes::required("a/\"\n\u{1}"), r#"a/\"\n\u0001"#);
    /// ```
    pub fn required(text: &str) -> String {
        let mut spelled = String::with_capacity(text.len());
        for character in text.chars() {
            match Self::Required.letter_of(character) {
                Some(letter) => spelled.extend(['\\', char::from(letter)]),
                None if Self::Required.has_escape(character) => {
                    spelled.push_str(&format!("\\u{:04x}", u32::from(character)));
                }
                None => spelled.push(character),
            }
        }
        spelled
    }

    /// Returns true if a character has an escape with `\u`.
    pub(crate) fn has_unit(self, character: char) -> bool {
        let byte = character.encode_utf8(&mut [0; 4]).as_bytes()[0];
        self.unit_bytes().contains(byte)
    }

    /// Returns true if the digits after `\u` may be in upper case.
    pub(crate) fn has_upper_case(self) -> bool {
        self != Self::Required
    }
}

/// The letters of short escapes, and the bytes that they represent (RFC 8259, section 7).
pub(crate) const SHORT_ESCAPES: [(u8, u8); 8] = [
    (b'"', b'"'),
    (b'\\', b'\\'),
    (b'/', b'/'),
    (b'b', 0x08),
    (b'f', 0x0C),
    (b'n', b'\n'),
    (b'r', b'\r'),
    (b't', b'\t'),
];

/// Returns the letter of the short escape of a byte.
fn short_letter(byte: u8) -> Option<u8> {
    SHORT_ESCAPES.iter().find(|&&(_, short)| short == byte).map(|&(letter, _)| letter)
}
