//! How masks are made and when a text ends.

use grammask_trie::TokenId;

/// When a text ends.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Ending {
    /// The text ends when one of these tokens is accepted; they are allowed exactly where the text is in the
    /// language, whatever bytes they have. Without tokens, a text ends where it is complete and cannot go on.
    EndOfSequence(Vec<TokenId>),
    /// The text ends as soon as it is in the language: no token may go on past that place.
    Eager,
}

impl Ending {
    /// The tokens that end a text.
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

/// How masks are made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Config {
    /// Whether parts of masks are kept and shared between states. Masks are the same without. Default: yes.
    pub keep_summaries: bool,
    /// Whether whole masks are kept. Masks are the same without. Default: yes.
    pub keep_masks: bool,
    /// Bytes that parts and masks may hold before [`Masks::is_over_budget`](crate::Masks::is_over_budget) says so. It is for the tables in use: those that
    /// were given up stay in memory as long as somebody who has not called since, such as an idle matcher, still stands in them.
    /// Default: 32 MiB.
    pub budget: usize,
    /// NodeSet with no more trie nodes below them than this are walked set by set, others rule by rule. Masks are the same with any value.
    /// Default: 512.
    pub light: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { keep_summaries: true, keep_masks: true, budget: 32 << 20, light: 512 }
    }
}
