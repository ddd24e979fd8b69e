//! The bytes of tokens by rank. Tokens of up to 7 bytes, which most are, are stored in place, so that a
//! lookup costs one cache miss instead of two.

/// Maximum length of a token that is stored in place, in bytes. With the length, it fills one word of 8
/// bytes.
const MAX_INLINE_BYTES: usize = 7;

/// Value in the place of the length for a token that is not stored in place.
const OUT_OF_LINE: u8 = u8::MAX;

/// Byte strings by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TokenBytes {
    /// For each string of at most [`MAX_INLINE_BYTES`] bytes: the bytes, padded with zeros, and their number.
    /// For each longer string: its offset in `long` (four bytes, little-endian), its length (two bytes), an
    /// unused byte, and [`OUT_OF_LINE`].
    heads: Box<[[u8; MAX_INLINE_BYTES + 1]]>,
    /// The bytes of all longer strings.
    long: Box<[u8]>,
}

impl TokenBytes {
    /// Stores strings of at most 65,535 bytes each, and less than 2^32 bytes together.
    pub(super) fn new<'a>(texts: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut long = Vec::new();
        let heads = texts.map(|bytes| {
            let mut head = [0; MAX_INLINE_BYTES + 1];
            if bytes.len() <= MAX_INLINE_BYTES {
                head[..bytes.len()].copy_from_slice(bytes);
                head[MAX_INLINE_BYTES] = bytes.len() as u8;
            } else {
                head[..4].copy_from_slice(&(long.len() as u32).to_le_bytes());
                head[4..6].copy_from_slice(&(bytes.len() as u16).to_le_bytes());
                head[MAX_INLINE_BYTES] = OUT_OF_LINE;
                long.extend_from_slice(bytes);
            }
            head
        });
        let heads = heads.collect();
        Self { heads, long: long.into() }
    }

    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    #[inline]
    pub(super) fn get(&self, number: usize) -> &[u8] {
        let head = &self.heads[number];
        let [a, b, c, d, e, f, _, len] = *head;
        if len != OUT_OF_LINE {
            return &head[..usize::from(len)];
        }
        let start = u32::from_le_bytes([a, b, c, d]) as usize;
        &self.long[start..start + usize::from(u16::from_le_bytes([e, f]))]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|number| self.get(number))
    }

    pub(super) fn bytes_used(&self) -> usize {
        size_of_val(&*self.heads) + self.long.len()
    }

    /// Changes the first byte of a string that is stored in place.
    #[cfg(test)]
    pub(super) fn corrupt(&mut self, number: usize) {
        self.heads[number][0] ^= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_any_length_are_unchanged() {
        let bytes: Vec<u8> = (0..=255).cycle().take(u16::MAX.into()).collect();
        let lengths = [0, 1, 6, 7, 8, 9, 254, 255, 256, 257, 65_534, 65_535, 0, 7, 8];
        let strings = lengths.map(|length| &bytes[bytes.len() - length..]);
        let texts = TokenBytes::new(strings.into_iter());
        assert_eq!(texts.len(), strings.len());
        assert!(texts.iter().eq(strings));
    }
}
