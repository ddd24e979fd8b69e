//! A byte-wise decoder of UTF-8 that finds the boundaries of characters and resumes after invalid bytes.

/// A decoder of UTF-8 without values: the state after some bytes. It resumes after invalid bytes.
///
/// ```
/// use grammask_trie::index::Utf8Decoder;
///
/// let (inside, is_valid) = Utf8Decoder::Boundary.after(0xC3);
/// assert!(is_valid && inside != Utf8Decoder::Boundary);
/// assert_eq!(inside.after(0xA9), (Utf8Decoder::Boundary, true));
/// assert!(!inside.after(b'a').1);
/// ```
///
/// # Source
///
/// The Unicode Standard, table 3-7, "Well-Formed UTF-8 Byte Sequences".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Utf8Decoder {
    /// At a character boundary.
    Boundary,
    /// Inside a character. It ends after this number of continuation bytes, at least 1.
    Continuation(u8),
    /// After the first byte of a character whose second byte is restricted. This excludes overlong forms,
    /// surrogates and code points above U+10FFFF.
    Second {
        /// The least second byte.
        low: u8,
        /// The greatest second byte.
        high: u8,
        /// Number of continuation bytes after the second byte.
        rest: u8,
    },
    /// At a character boundary after an invalid byte.
    AfterInvalid,
}

impl Utf8Decoder {
    /// Returns the decoder after one more byte, and true if the byte is valid here.
    pub fn after(self, byte: u8) -> (Self, bool) {
        let is_continuation = (0x80..=0xBF).contains(&byte);
        let next = match self {
            Self::Boundary | Self::AfterInvalid => None,
            Self::Continuation(1) => is_continuation.then_some(Self::Boundary),
            Self::Continuation(count) => is_continuation.then_some(Self::Continuation(count - 1)),
            Self::Second { low, high, rest } => {
                (low..=high).contains(&byte).then_some(Self::Continuation(rest))
            }
        };
        if let Some(next) = next {
            return (next, true);
        }
        let next = match byte {
            0..0x80 => Self::Boundary,
            0xC2..=0xDF => Self::Continuation(1),
            0xE0 => Self::Second { low: 0xA0, high: 0xBF, rest: 1 },
            0xED => Self::Second { low: 0x80, high: 0x9F, rest: 1 },
            0xE1..=0xEF => Self::Continuation(2),
            0xF0 => Self::Second { low: 0x90, high: 0xBF, rest: 2 },
            0xF1..=0xF3 => Self::Continuation(3),
            0xF4 => Self::Second { low: 0x80, high: 0x8F, rest: 2 },
            _ => Self::AfterInvalid,
        };
        (next, self == Self::Boundary && next != Self::AfterInvalid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoder_agrees_with_the_standard_library() {
        // All strings of up to four of the bytes at which the rules change.
        let edges = [0, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC];
        let edges: Vec<u8> =
            edges.into_iter().chain([0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF]).collect();
        let mut strings = vec![Vec::new()];
        for _ in 0..4 {
            let longer = strings.iter().flat_map(|string: &Vec<u8>| {
                edges.iter().map(move |&byte| [string.as_slice(), &[byte]].concat())
            });
            strings = longer.collect();
            for string in &strings {
                let mut decoder = Utf8Decoder::Boundary;
                let is_valid = string.iter().all(|&byte| {
                    let (next, is_valid) = decoder.after(byte);
                    decoder = next;
                    is_valid
                });
                match std::str::from_utf8(string) {
                    Ok(_) => assert!(is_valid && decoder == Utf8Decoder::Boundary, "{string:x?}"),
                    Err(error) if error.error_len().is_none() => {
                        assert!(is_valid && decoder != Utf8Decoder::Boundary, "{string:x?}");
                    }
                    Err(_) => assert!(!is_valid, "{string:x?}"),
                }
            }
        }
    }
}
