//! The id of a token: an index into the logits of a model.

use std::fmt;

/// The id of a token, as the tokenizer and the model number it. Displays as `token12`.
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
    /// Returns the id as an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the index of the 32-bit word that holds this token in a packed mask row.
    #[inline]
    pub const fn word(self) -> usize {
        (self.0 / 32) as usize
    }

    /// Returns the word [`word`](Self::word) with only the bit of this token set.
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
