//! The bytes of tokens by number. Short ones, which most are, stand in place: accepting a token asks for its bytes wherever in the vocabulary it
//! is, so that each line of memory that is touched for them comes from far.

/// So many bytes stand in place.
const SHORT: usize = 7;

/// What stands behind the bytes in place where they are more.
const LONG: u8 = u8::MAX;

/// Lists of bytes by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Texts {
    /// Up to seven bytes and how many they are; or, of more, where they begin in `long` (four bytes, the lowest first), how many they are (two), and
    /// `LONG`.
    heads: Box<[[u8; SHORT + 1]]>,
    long: Box<[u8]>,
}

impl Texts {
    /// Of lists of at most 65,535 bytes each, in all less than 2^32.
    pub(super) fn new<'a>(texts: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut long = Vec::new();
        let heads = texts.map(|bytes| {
            let mut head = [0; SHORT + 1];
            if bytes.len() <= SHORT {
                head[..bytes.len()].copy_from_slice(bytes);
                head[SHORT] = bytes.len() as u8;
            } else {
                head[..4].copy_from_slice(&(long.len() as u32).to_le_bytes());
                head[4..6].copy_from_slice(&(bytes.len() as u16).to_le_bytes());
                head[SHORT] = LONG;
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
        if len != LONG {
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

    /// One byte of a short list is another one.
    #[cfg(test)]
    pub(super) fn spoil(&mut self, number: usize) {
        self.heads[number][0] ^= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_any_length_are_what_they_were() {
        let bytes: Vec<u8> = (0..=255).cycle().take(u16::MAX.into()).collect();
        let lengths = [0, 1, 6, 7, 8, 9, 254, 255, 256, 257, 65_534, 65_535, 0, 7, 8];
        let lists = lengths.map(|length| &bytes[bytes.len() - length..]);
        let texts = Texts::new(lists.into_iter());
        assert_eq!(texts.len(), lists.len());
        assert!(texts.iter().eq(lists));
    }
}
