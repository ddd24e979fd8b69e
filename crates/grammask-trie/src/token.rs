//! The id of a token: an index into a model's logits, and the one thing that all parts of a vocabulary agree on.

use std::fmt;

/// A token's id, as the tokenizer and the model number it. Prints as `token12`.
///
/// ```
/// # use grammask_trie::TokenId;
/// assert_eq!(TokenId(12).to_string(), "token12");
/// assert_eq!((TokenId(33).word(), TokenId(33).bit()), (1, 2));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct TokenId(pub u32);

impl TokenId {
    /// The id as an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The word of a packed mask row that holds this token.
    #[inline]
    pub const fn word(self) -> usize {
        (self.0 / 32) as usize
    }

    /// The one bit of that word that stands for this token.
    #[inline]
    pub const fn bit(self) -> u32 {
        1 << (self.0 % 32)
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "token{}", self.0)
    }
}
