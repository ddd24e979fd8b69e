//! Where the characters of a byte string are: a decoder of UTF-8 that goes on behind what is wrong.

/// A decoder of UTF-8, by what it waits for. It goes on behind what is wrong.
///
/// ```
/// use grammask_trie::Decoder;
/// let (inside, right) = Decoder::Between.after(0xC3);
/// assert!(right && inside != Decoder::Between);
/// assert_eq!(inside.after(0xA9), (Decoder::Between, true));
/// assert!(!inside.after(b'a').1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoder {
    /// A character is complete, or none has begun.
    Between,
    /// So many more bytes of any kind.
    More(u8),
    /// One more than so many bytes, the first of them from this range: longer forms of short characters, surrogates, and what
    /// is beyond the last character are excluded so.
    First(u8, u8, u8),
    /// A character, behind something that is none.
    Broken,
}

impl Decoder {
    /// The decoder behind one more byte, and whether the byte was right.
    pub fn after(self, byte: u8) -> (Self, bool) {
        let next = match self {
            Self::Between | Self::Broken => None,
            Self::More(1) => (0x80..=0xBF).contains(&byte).then_some(Self::Between),
            Self::More(count) => (0x80..=0xBF).contains(&byte).then_some(Self::More(count - 1)),
            Self::First(low, high, rest) => (low..=high).contains(&byte).then_some(Self::More(rest)),
        };
        if let Some(next) = next {
            return (next, true);
        }
        let next = match byte {
            0..0x80 => Self::Between,
            0xC2..=0xDF => Self::More(1),
            0xE0 => Self::First(0xA0, 0xBF, 1),
            0xED => Self::First(0x80, 0x9F, 1),
            0xE1..=0xEF => Self::More(2),
            0xF0 => Self::First(0x90, 0xBF, 2),
            0xF1..=0xF3 => Self::More(3),
            0xF4 => Self::First(0x80, 0x8F, 2),
            _ => Self::Broken,
        };
        (next, self == Self::Between && next != Self::Broken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_decoder_takes_what_the_standard_library_takes() {
        // All strings of up to four bytes from those at which the rules change.
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
                let mut decoder = Decoder::Between;
                let right = string.iter().all(|&byte| {
                    let (next, right) = decoder.after(byte);
                    decoder = next;
                    right
                });
                match std::str::from_utf8(string) {
                    Ok(_) => assert!(right && decoder == Decoder::Between, "{string:x?}"),
                    Err(error) if error.error_len().is_none() => {
                        assert!(right && decoder != Decoder::Between, "{string:x?}");
                    }
                    Err(_) => assert!(!right, "{string:x?}"),
                }
            }
        }
    }
}
