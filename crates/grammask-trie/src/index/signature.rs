//! Signatures of character classes: which groups of ASCII characters occur in a set of strings, and how
//! general its other characters are, in 32 bits.

use super::char_groups::{COUNT, GROUPS};

/// Signature of a set of strings, or of a class of characters, in 32 bits: one bit per group of ASCII
/// characters and one bit per step of [`TextKind`].
///
/// A signature answers most questions "do these strings consist of these characters?" with one operation, at
/// a fraction of the cost of a [`SubtreeSummary`](super::SubtreeSummary). In the literature this is a
/// signature file: a superimposed code with one bit per feature.
///
/// # Source
///
/// C. Faloutsos, "Access methods for text", ACM Computing Surveys 17 (1985), on signature files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassSignature(pub(super) u32);

impl ClassSignature {
    const NO_WHITESPACE: u32 = 1 << 28;
    const NO_LINE_ENDS: u32 = 1 << 29;
    const UTF8: u32 = 1 << 30;
    const BYTES: u32 = 1 << 31;

    /// The signature of the empty string.
    pub(super) const EMPTY: Self = Self(0);

    /// Approximates a class of characters from above and from below.
    ///
    /// The class has the ASCII characters `c` whose bit `c` is set in `ascii`, and other characters as `kind`
    /// allows. The first signature has each group that contains a character of the class. The second
    /// signature has each group all of whose characters are in the class.
    pub fn approximate(ascii: u128, kind: TextKind) -> (Self, Self) {
        let whole_groups = ((1 << COUNT) - 1) & !groups(!ascii);
        (Self::covering(ascii, kind), Self(Self::of_kind(kind).0 | whole_groups))
    }

    /// Returns the first signature of [`approximate`](Self::approximate), in time linear in the ASCII
    /// characters of the class.
    pub(super) fn covering(ascii: u128, kind: TextKind) -> Self {
        Self(Self::of_kind(kind).0 | groups(ascii))
    }

    /// Returns the group of an ASCII character. Returns the empty signature for other bytes.
    #[inline]
    pub const fn of_byte(byte: u8) -> Self {
        if byte < 0x80 { Self(1 << GROUPS[byte as usize]) } else { Self::EMPTY }
    }

    /// Returns the signature of strings of a kind without ASCII characters.
    pub(super) const fn of_kind(kind: TextKind) -> Self {
        Self(match kind {
            TextKind::Ascii => 0,
            TextKind::NoWhitespace => Self::NO_WHITESPACE,
            TextKind::NoLineEnds => Self::NO_WHITESPACE | Self::NO_LINE_ENDS,
            TextKind::Utf8 => Self::NO_WHITESPACE | Self::NO_LINE_ENDS | Self::UTF8,
            TextKind::Bytes => Self::NO_WHITESPACE | Self::NO_LINE_ENDS | Self::UTF8 | Self::BYTES,
        })
    }

    pub(super) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns true if each bit of this signature is set in `other`.
    #[inline]
    pub const fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }
}

/// Returns the groups that contain some of these ASCII characters.
fn groups(ascii: u128) -> u32 {
    let mut groups = 0;
    let [low, high] = halves(ascii);
    for (mut half, first) in [(low, 0), (high, 64)] {
        while half != 0 {
            groups |= 1 << GROUPS[first + half.trailing_zeros() as usize];
            half &= half - 1;
        }
    }
    groups
}

#[expect(clippy::cast_possible_truncation, reason = "each half is meant")]
const fn halves(bits: u128) -> [u64; 2] {
    [bits as u64, (bits >> 64) as u64]
}

/// Which characters beyond ASCII occur in a set of strings, from the most specific kind to the most general.
/// All kinds except [`Bytes`](Self::Bytes) allow that a string ends inside a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TextKind {
    /// None: the strings are ASCII.
    #[default]
    Ascii,
    /// UTF-8 without white space beyond ASCII, by the definitions of Unicode and of ECMA-262.
    NoWhitespace,
    /// UTF-8 without U+2028 and U+2029, which end lines as control characters do.
    NoLineEnds,
    /// UTF-8.
    Utf8,
    /// Any bytes, including strings that begin inside a character.
    Bytes,
}
