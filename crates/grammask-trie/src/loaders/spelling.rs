//! How tokenizers spell bytes and spaces in the texts of their pieces.

use std::borrow::Cow;

/// The mark for a space in the pieces of SentencePiece.
pub(super) const SPACE_MARK: char = '\u{2581}';

/// How the texts of a JSON vocabulary spell the bytes of tokens: the argument of
/// [`vocab_json`](super::vocab_json).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Spelling {
    /// A token is the UTF-8 of its text.
    Literal,
    /// Each character is a byte, in the alphabet of GPT-2: `Ġa` has the bytes 20 61. A text with other
    /// characters is taken literally.
    ByteLevel,
    /// `▁` (U+2581) is a space, and `<0xHH>` the byte HH.
    SentencePiece,
}

impl Spelling {
    /// Returns the bytes of a token.
    pub(super) fn bytes(self, text: &str) -> Cow<'_, [u8]> {
        match self {
            Self::Literal => Cow::Borrowed(text.as_bytes()),
            Self::ByteLevel => byte_level(text),
            Self::SentencePiece => match fallback_byte(text) {
                Some(byte) => Cow::Owned(vec![byte]),
                None => spaced(text),
            },
        }
    }
}

/// Returns the bytes of a text with spaces instead of marks.
pub(super) fn spaced(text: &str) -> Cow<'_, [u8]> {
    if text.contains(SPACE_MARK) {
        Cow::Owned(text.replace(SPACE_MARK, " ").into_bytes())
    } else {
        Cow::Borrowed(text.as_bytes())
    }
}

/// Returns the bytes of a text in the byte-level alphabet, or its UTF-8 if it has other characters.
pub(super) fn byte_level(text: &str) -> Cow<'_, [u8]> {
    if text.bytes().all(|byte| matches!(byte, 0x21..=0x7e)) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for byte in text.chars().map(alphabet_byte) {
        let Some(byte) = byte else { return Cow::Borrowed(text.as_bytes()) };
        bytes.push(byte);
    }
    Cow::Owned(bytes)
}

/// Returns the byte of a piece `<0xHH>`. Returns `None` for other pieces.
pub(super) fn fallback_byte(piece: &str) -> Option<u8> {
    let digits = piece.strip_prefix("<0x")?.strip_suffix('>')?;
    let is_byte = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if is_byte { u8::from_str_radix(digits, 16).ok() } else { None }
}

/// Returns the byte of a character in the byte-level alphabet. Returns `None` for other characters.
///
/// The alphabet has a visible character for each byte: the printable characters of Latin-1 represent
/// themselves, and the characters from U+0100 on represent the other 68 bytes, in ascending order.
///
/// # Source
///
/// A. Radford et al., "Language models are unsupervised multitask learners" (2019): the encoder of GPT-2,
/// which byte-level BPE has used since.
fn alphabet_byte(c: char) -> Option<u8> {
    match c as u32 {
        code @ (0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff) => u8::try_from(code).ok(),
        // 0x00-0x20, 0x7f-0xa0, 0xad.
        code @ 0x100..=0x120 => u8::try_from(code - 0x100).ok(),
        code @ 0x121..=0x142 => u8::try_from(code - 0x121 + 0x7f).ok(),
        0x143 => Some(0xad),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alphabet_has_each_byte_once() {
        let mut bytes: Vec<u8> =
            (0..=0x10_ffff).filter_map(char::from_u32).filter_map(alphabet_byte).collect();
        bytes.sort_unstable();
        assert_eq!(bytes, (0..=255).collect::<Vec<u8>>());
        assert_eq!(['Ġ', 'Ċ', 'ĉ', 'A', 'é'].map(alphabet_byte), [b' ', b'\n', b'\t', b'A', 0xe9].map(Some));
    }

    #[test]
    fn fallback_bytes_have_exactly_two_hexadecimal_digits() {
        assert_eq!(fallback_byte("<0x0A>"), Some(10));
        assert_eq!(fallback_byte("<0xff>"), Some(255));
        for piece in ["<0x+A>", "<0xA>", "<0x00A>", "0x0A", "<0x0A", "", "<0xé>"] {
            assert_eq!(fallback_byte(piece), None, "{piece}");
        }
    }
}
