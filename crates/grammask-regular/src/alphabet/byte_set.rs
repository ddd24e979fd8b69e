//! Sets of bytes: 256 bits, copied freely.

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
    /// No byte.
    pub const EMPTY: Self = Self([0; 4]);
    /// All 256 bytes.
    pub const ALL: Self = Self([u64::MAX; 4]);

    /// No byte.
    pub const fn new() -> Self {
        Self::EMPTY
    }

    /// Exactly this byte.
    #[inline]
    pub const fn single(byte: u8) -> Self {
        let mut words = [0; 4];
        words[(byte >> 6) as usize] = 1 << (byte & 63);
        Self(words)
    }

    /// The bytes from `first` to `last`, both included; none when `first > last`.
    pub fn range(first: u8, last: u8) -> Self {
        let mut set = Self::EMPTY;
        set.insert_range(first, last);
        set
    }

    /// Is the byte in the set?
    #[inline]
    pub const fn contains(&self, byte: u8) -> bool {
        self.0[(byte >> 6) as usize] >> (byte & 63) & 1 == 1
    }

    /// Adds a byte.
    #[inline]
    pub const fn insert(&mut self, byte: u8) {
        self.0[(byte >> 6) as usize] |= 1 << (byte & 63);
    }

    /// Adds the bytes from `first` to `last`, both included; none when `first > last`.
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

    /// Takes a byte out.
    pub const fn remove(&mut self, byte: u8) {
        self.0[(byte >> 6) as usize] &= !(1 << (byte & 63));
    }

    /// Takes the bytes from `first` to `last` out, both included.
    pub(crate) fn remove_range(&mut self, first: u8, last: u8) {
        let kept = Self::range(first, last).complement();
        *self = self.intersection(&kept);
    }

    /// The bytes that are in either set.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// The bytes that are in both sets.
    #[inline]
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// The bytes that are not in the set.
    #[inline]
    #[must_use]
    pub fn complement(&self) -> Self {
        Self(self.0.map(|word| !word))
    }

    /// Are all bytes of this set in the other?
    #[inline]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).all(|(a, b)| a & !b == 0)
    }

    /// How many bytes there are, 0 to 256.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The byte, where there is just one.
    #[inline]
    pub fn single_byte(&self) -> Option<u8> {
        self.first().filter(|&byte| *self == Self::single(byte))
    }

    /// Is there no byte?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The bytes below 0x80, one bit each.
    #[inline]
    pub const fn ascii(&self) -> u128 {
        self.0[0] as u128 | (self.0[1] as u128) << 64
    }

    /// Are all bytes ASCII?
    #[inline]
    pub(crate) const fn is_ascii(&self) -> bool {
        self.0[2] | self.0[3] == 0
    }

    /// The smallest byte.
    #[inline]
    pub fn first(&self) -> Option<u8> {
        let word = self.0.iter().position(|&word| word != 0)?;
        u8::try_from(word * 64 + self.0[word].trailing_zeros() as usize).ok()
    }

    /// The bytes in ascending order.
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

    /// The maximal runs `(first, last)` of neighbouring bytes, both ends included, in ascending order.
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

/// Writes a byte as it stands in a class or a quoted text.
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
    /// `[a-z\n]`; a set with more than half of all bytes is written by what is missing, `[^"]`.
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
