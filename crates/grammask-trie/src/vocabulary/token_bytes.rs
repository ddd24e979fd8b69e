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
    /// The bytes of all longer strings, without those that a longer one begins with.
    long: Box<[u8]>,
}

impl TokenBytes {
    /// Stores `count` strings of at most 65,535 bytes each, and less than 2^32 bytes together. `strings` has
    /// each string with its number, by descending strings.
    ///
    /// A string shares the bytes of a longer one that it begins, or that it begins after a blank. Most words
    /// of a vocabulary occur with and without a blank before them.
    pub(super) fn new<'a>(count: usize, strings: impl Iterator<Item = (usize, &'a [u8])>) -> Self {
        let mut heads = vec![[0; MAX_INLINE_BYTES + 1]; count].into_boxed_slice();
        let mut long = Vec::new();
        // The long strings that begin with a blank, each with its offset, as they would be sorted without it.
        let mut after_blanks = Vec::new();
        // The other long strings, with their numbers.
        let mut others = Vec::new();
        // Where the last string that was added begins in `long`, which it ends.
        let mut last = 0;
        for (number, bytes) in strings {
            if bytes.len() <= MAX_INLINE_BYTES {
                heads[number] = head_of_short(bytes);
            } else if let Some((b' ', rest)) = bytes.split_first() {
                last = add(&mut long, last, bytes);
                heads[number] = head_of_long(last, bytes.len());
                after_blanks.push((rest, last + 1));
            } else {
                others.push((number, bytes));
            }
        }
        let mut after_blanks = after_blanks.into_iter().peekable();
        // The least of them that is not less than the current string, which begins it if any does.
        let mut least: (&[u8], usize) = (&[], 0);
        for (number, bytes) in others {
            while let Some(next) = after_blanks.next_if(|&(other, _)| other >= bytes) {
                least = next;
            }
            let offset = if least.0.starts_with(bytes) {
                least.1
            } else {
                last = add(&mut long, last, bytes);
                last
            };
            heads[number] = head_of_long(offset, bytes.len());
        }
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

/// Appends a string to `long`, unless the string at `last` begins with it. Returns its offset.
fn add(long: &mut Vec<u8>, last: usize, bytes: &[u8]) -> usize {
    if long[last..].starts_with(bytes) {
        return last;
    }
    long.extend_from_slice(bytes);
    long.len() - bytes.len()
}

#[expect(clippy::cast_possible_truncation, reason = "the length is at most `MAX_INLINE_BYTES`")]
fn head_of_short(bytes: &[u8]) -> [u8; MAX_INLINE_BYTES + 1] {
    let mut head = [0; MAX_INLINE_BYTES + 1];
    head[..bytes.len()].copy_from_slice(bytes);
    head[MAX_INLINE_BYTES] = bytes.len() as u8;
    head
}

#[expect(clippy::cast_possible_truncation, reason = "`TokenBytes::new` says what its caller limits")]
fn head_of_long(offset: usize, length: usize) -> [u8; MAX_INLINE_BYTES + 1] {
    let mut head = [0; MAX_INLINE_BYTES + 1];
    head[..4].copy_from_slice(&(offset as u32).to_le_bytes());
    head[4..6].copy_from_slice(&(length as u16).to_le_bytes());
    head[MAX_INLINE_BYTES] = OUT_OF_LINE;
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_any_length_are_unchanged() {
        let bytes: Vec<u8> = (0..=255).cycle().take(u16::MAX.into()).collect();
        let lengths = [0, 1, 6, 7, 8, 9, 254, 255, 256, 257, 65_534, 65_535, 0, 7, 8];
        let strings = lengths.map(|length| &bytes[bytes.len() - length..]);
        check(&strings);
    }

    /// Returns the number of bytes that are stored out of line.
    fn check(strings: &[&[u8]]) -> usize {
        let mut order: Vec<usize> = (0..strings.len()).collect();
        order.sort_by_key(|&number| std::cmp::Reverse(strings[number]));
        let texts = TokenBytes::new(strings.len(), order.iter().map(|&number| (number, strings[number])));
        assert_eq!(texts.len(), strings.len());
        assert!(texts.iter().eq(strings.iter().copied()));
        texts.long.len()
    }

    #[test]
    fn strings_share_bytes() {
        let beginnings: [&[u8]; 5] = [b"beginning", b"beginnings", b"begin", b"beginnin", b"beginner"];
        assert_eq!(check(&beginnings), "beginnings".len() + "beginner".len());
        let words: [&[u8]; 8] = [
            b"language",
            b" languages",
            b"languages",
            b"languid ",
            b" linguist",
            b"linguist",
            b" zzzzzzz",
            b"zzzzzzzz",
        ];
        assert_eq!(check(&words), " languages linguist zzzzzzzlanguid zzzzzzzz".len());
    }
}
