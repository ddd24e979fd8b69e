//! Sets of bytes: 256 bits, `Copy`.

use std::fmt;

/// A set of bytes.
///
/// ```
/// use grammask_regular::ByteSet;
/// let set = ByteSet::range(b'a', b'z').union(&ByteSet::single(b'\n'));
/// assert!(set.contains(b'q') && !set.contains(b'Q'));
/// assert_eq!(set.to_string(), r"[\na-z]");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// The empty set.
    pub const EMPTY: Self = Self([0; 4]);
    /// The set of all 256 bytes.
    pub const ALL: Self = Self([u64::MAX; 4]);

    /// Returns the empty set.
    pub const fn new() -> Self {
        Self::EMPTY
    }

    /// Returns the set of one byte.
    #[inline]
    pub const fn single(byte: u8) -> Self {
        let mut words = [0; 4];
        words[(byte >> 6) as usize] = 1 << (byte & 63);
        Self(words)
    }

    /// Returns the bytes `first..=last`; none if `first > last`.
    pub fn range(first: u8, last: u8) -> Self {
        let mut set = Self::EMPTY;
        set.insert_range(first, last);
        set
    }

    /// Returns true if the byte is in the set.
    #[inline]
    pub const fn contains(&self, byte: u8) -> bool {
        self.0[(byte >> 6) as usize] >> (byte & 63) & 1 == 1
    }

    /// Adds a byte.
    #[inline]
    pub const fn insert(&mut self, byte: u8) {
        self.0[(byte >> 6) as usize] |= 1 << (byte & 63);
    }

    /// Adds the bytes `first..=last`; none if `first > last`.
    pub fn insert_range(&mut self, first: u8, last: u8) {
        if first > last {
            return;
        }
        for (index, word) in self.0.iter_mut().enumerate() {
            let (low, high) = (index * 64, index * 64 + 63);
            let (first, last) = (usize::from(first).max(low), usize::from(last).min(high));
            if first <= last {
                *word |= (u64::MAX >> (63 - (last - first))) << (first - low);
            }
        }
    }

    /// Removes a byte.
    pub const fn remove(&mut self, byte: u8) {
        self.0[(byte >> 6) as usize] &= !(1 << (byte & 63));
    }

    /// Removes the bytes `first..=last`.
    pub(crate) fn remove_range(&mut self, first: u8, last: u8) {
        let kept = Self::range(first, last).complement();
        *self = self.intersection(&kept);
    }

    /// Returns the bytes that are in at least one of two sets.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// Returns the bytes that are in both sets.
    #[inline]
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// Returns the bytes that are not in the set.
    #[inline]
    #[must_use]
    pub fn complement(&self) -> Self {
        Self(self.0.map(|word| !word))
    }

    /// Returns true if all bytes of this set are in the other one.
    #[inline]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).all(|(a, b)| a & !b == 0)
    }

    /// Returns the number of bytes, 0 to 256.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the only byte of the set. Returns `None` if the set has no byte or several.
    #[inline]
    pub fn single_byte(&self) -> Option<u8> {
        self.first().filter(|&byte| *self == Self::single(byte))
    }

    /// Returns true if the set has no byte.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// Returns the bytes below 0x80 as a bit set.
    #[inline]
    pub const fn ascii(&self) -> u128 {
        self.0[0] as u128 | (self.0[1] as u128) << 64
    }

    /// Returns true if all bytes are ASCII.
    #[inline]
    pub(crate) const fn is_ascii(&self) -> bool {
        self.0[2] | self.0[3] == 0
    }

    /// Returns the smallest byte. Returns `None` if the set is empty.
    #[inline]
    pub fn first(&self) -> Option<u8> {
        let word = self.0.iter().position(|&word| word != 0)?;
        u8::try_from(word * 64 + self.0[word].trailing_zeros() as usize).ok()
    }

    /// Iterates over the bytes in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u8> + use<> {
        let mut words = self.0;
        let mut index = 0;
        std::iter::from_fn(move || {
            while index < 4 {
                if words[index] != 0 {
                    let bit = words[index].trailing_zeros() as usize;
                    words[index] &= words[index] - 1;
                    return u8::try_from(index * 64 + bit).ok();
                }
                index += 1;
            }
            None
        })
    }

    /// Iterates over the maximal ranges `(first, last)` of adjacent bytes, both ends included, in ascending
    /// order.
    pub fn ranges(&self) -> impl Iterator<Item = (u8, u8)> + use<> {
        let mut bytes = self.iter().peekable();
        std::iter::from_fn(move || {
            let first = bytes.next()?;
            let mut last = first;
            while bytes.peek().is_some_and(|&next| next - last == 1) {
                last = bytes.next()?;
            }
            Some((first, last))
        })
    }
}

impl Extend<u8> for ByteSet {
    fn extend<I: IntoIterator<Item = u8>>(&mut self, bytes: I) {
        bytes.into_iter().for_each(|byte| self.insert(byte));
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        let mut set = Self::EMPTY;
        set.extend(bytes);
        set
    }
}

/// Writes a byte as in a class or a quoted text.
pub(crate) fn write_byte(out: &mut impl fmt::Write, byte: u8) -> fmt::Result {
    match byte {
        b'\n' => out.write_str("\\n"),
        b'\r' => out.write_str("\\r"),
        b'\t' => out.write_str("\\t"),
        b'\\' | b'\'' | b'[' | b']' | b'-' | b'^' => write!(out, "\\{}", char::from(byte)),
        b' '..=b'~' => out.write_char(char::from(byte)),
        _ => write!(out, "\\x{byte:02X}"),
    }
}

impl fmt::Display for ByteSet {
    /// Writes `[a-z\n]`. A set of more than half of all bytes is written as the complement, `[^"]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let negated = self.len() > 128;
        let shown = if negated { self.complement() } else { *self };
        f.write_str(if negated { "[^" } else { "[" })?;
        for (first, last) in shown.ranges() {
            write_byte(f, first)?;
            if last - first > 1 {
                f.write_str("-")?;
            }
            if last != first {
                write_byte(f, last)?;
            }
        }
        f.write_str("]")
    }
}

impl fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::ByteSet;

    #[test]
    fn ranges_cross_words() {
        for (first, last) in [(0, 255), (63, 64), (0, 63), (64, 127), (10, 200), (255, 255), (5, 4)] {
            let set = ByteSet::range(first, last);
            let bytes: Vec<u8> = (first..=last).collect();
            assert_eq!(set.iter().collect::<Vec<_>>(), bytes);
            assert_eq!(set.len(), bytes.len());
            assert_eq!(set, bytes.iter().copied().collect());
            assert_eq!(set.ranges().count(), usize::from(!bytes.is_empty()));
        }
    }

    #[test]
    fn complement_is_everything_else() {
        let set: ByteSet = [3, 64, 65, 66, 255].into_iter().collect();
        for byte in 0..=255 {
            assert_ne!(set.contains(byte), set.complement().contains(byte));
        }
        assert_eq!(set.ranges().collect::<Vec<_>>(), [(3, 3), (64, 66), (255, 255)]);
        assert!(set.intersection(&set.complement()).is_empty());
        assert_eq!(set.union(&set.complement()), ByteSet::ALL);
    }

    #[test]
    fn prints_like_a_class() {
        assert_eq!(ByteSet::ALL.to_string(), "[^]");
        assert_eq!(ByteSet::EMPTY.to_string(), "[]");
        assert_eq!(ByteSet::single(b'"').complement().to_string(), "[^\"]");
        assert_eq!(ByteSet::from_iter(*b"ab-").to_string(), r"[\-ab]");
    }
}
