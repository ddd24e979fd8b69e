//! Configuration of masks, and the condition that ends a text.

use grammask_trie::TokenId;

/// When a text ends.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Ending {
    /// The text ends when one of these tokens is accepted. They are allowed exactly where the text is in the
    /// language, whatever their bytes are. Without tokens, a text ends where it is complete and cannot go on.
    EndOfSequence(Vec<TokenId>),
    /// The text ends as soon as it is in the language. No token may go on past that byte.
    Eager,
}

impl Ending {
    /// Returns the tokens that end a text.
    pub fn tokens(&self) -> &[TokenId] {
        match self {
            Self::EndOfSequence(ids) => ids,
            Self::Eager => &[],
        }
    }
}

impl Default for Ending {
    fn default() -> Self {
        Self::EndOfSequence(Vec::new())
    }
}

/// Limits and options of [`Masks`](crate::Masks).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Config {
    /// True if summaries are kept and shared between states. Performance only. Default: true.
    pub keep_summaries: bool,
    /// True if whole masks are kept. Performance only. Default: true.
    pub keep_masks: bool,
    /// Bytes that summaries and masks may hold; beyond it,
    /// [`Masks::is_over_budget`](crate::Masks::is_over_budget) returns `true`. Tables that were replaced stay
    /// in memory while an idle matcher refers to them. Default: 32 MiB.
    pub budget: usize,
    /// Sets with at most this many trie nodes below them are walked with a state, larger ones rule by rule.
    /// Performance only. Default: 512.
    pub light: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { keep_summaries: true, keep_masks: true, budget: 32 << 20, light: 512 }
    }
}
