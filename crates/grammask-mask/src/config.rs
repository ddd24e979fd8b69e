//! Configuration of masks, and the condition that ends a text.

use std::fmt;

use grammask_trie::{TokenId, Vocabulary};

/// When a text ends.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Ending {
    /// The text ends when one of these tokens is accepted. They are allowed exactly where the text is in the
    /// language, whatever their bytes are. Without tokens, a text ends where it is complete and cannot go on.
    EndOfSequence(Vec<TokenId>),
    /// The text ends as soon as it is in the language. No token may go on past that byte.
    Eager,
    /// As [`EndOfSequence`](Self::EndOfSequence), with the tokens that end a sequence of the
    /// [vocabulary](grammask_trie::Vocabulary::ends).
    OfVocabulary,
}

impl Ending {
    /// Returns the tokens that end a text. Returns none for [`OfVocabulary`](Self::OfVocabulary); see
    /// [`resolved`](Self::resolved).
    pub fn tokens(&self) -> &[TokenId] {
        match self {
            Self::EndOfSequence(ids) => ids,
            Self::Eager | Self::OfVocabulary => &[],
        }
    }

    /// Returns the ending for a vocabulary, with the ids of its tokens.
    ///
    /// ```
    /// use grammask_mask::Ending;
    /// use grammask_trie::{Attributes, Config, TokenId, Vocabulary};
    ///
    /// let special = [(TokenId(3), "</s>".into())];
    /// let vocabulary = Vocabulary::from_parts([], special, Attributes::default(), &Config::default())?;
    /// let ending = Ending::OfVocabulary.resolved(&vocabulary);
    /// assert_eq!(ending, Ending::EndOfSequence(vec![TokenId(3)]));
    /// # Ok::<(), grammask_trie::Error>(())
    /// ```
    #[must_use]
    pub fn resolved(&self, vocabulary: &Vocabulary) -> Self {
        match self {
            Self::OfVocabulary => Self::EndOfSequence(vocabulary.ends().to_vec()),
            other => other.clone(),
        }
    }
}

impl Default for Ending {
    fn default() -> Self {
        Self::EndOfSequence(Vec::new())
    }
}

/// Configuration of [`Masks`](crate::Masks).
///
/// ```
/// use grammask_mask::{Config, Limits};
///
/// let config = Config::from(Limits { budget: 1 << 20, ..Limits::default() });
/// assert_eq!(config.limits.max_forced_items, 1 << 20);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Config {
    /// Limits on size and work.
    pub limits: Limits,
    /// Switches and thresholds that change speed, but no mask. For tests and benchmarks.
    #[doc(hidden)]
    #[cfg_attr(feature = "serde", serde(skip))]
    pub tuning: Tuning,
}

/// Limits of [`Masks`](crate::Masks). The limits of the tables that all grammars share are
/// [`LexiconLimits`](crate::LexiconLimits).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Limits {
    /// Bytes of summaries and masks above which [`Masks::is_over_budget`](crate::Masks::is_over_budget)
    /// returns `true`. Not an error. Tables that were replaced stay in memory while an idle matcher refers to
    /// them. Default: 32 MiB.
    pub budget: usize,
    /// Maximum number of distinct tokens that end a text. Each mask takes time for each of them. Beyond it,
    /// [`Limit::MaxEndTokens`]. Default: 4,096.
    pub max_end_tokens: usize,
    /// Maximum number of parser items and their callers, in all states along forced bytes. Beyond it,
    /// [`Masks::forced_bytes`](crate::Masks::forced_bytes) appends fewer bytes, without an error: in a very
    /// ambiguous text, each byte has more items than the one before. Default: 2^20.
    pub max_forced_items: usize,
    /// Units of work for one mask that is not known yet. Beyond it, the mask is an error, and the next
    /// attempt goes on with the tables that this one has filled. Default: 1,500,000, about 50 ms.
    pub max_mask_work: u64,
    /// Units of work for reading one token, or 256 bytes. Beyond it, reading is an error. Default:
    /// 4,000,000.
    pub max_step_work: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            budget: 32 << 20,
            max_end_tokens: 4096,
            max_forced_items: 1 << 20,
            max_mask_work: 1_500_000,
            max_step_work: 4_000_000,
        }
    }
}

impl From<Limits> for Config {
    fn from(limits: Limits) -> Self {
        Self { limits, tuning: Tuning::default() }
    }
}

/// Switches and thresholds of [`Masks`](crate::Masks) that change speed, but no mask.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tuning {
    /// True if summaries are computed, kept and shared between states. Otherwise each mask is a walk over the
    /// trie.
    pub keep_summaries: bool,
    /// True if whole masks are kept.
    pub keep_masks: bool,
    /// Maximum number of trie nodes below a node set that is walked with a state. Larger sets are walked rule
    /// by rule.
    pub max_state_walk_nodes: usize,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { keep_summaries: true, keep_masks: true, max_state_walk_nodes: 512 }
    }
}

#[doc(hidden)]
impl From<Tuning> for Config {
    fn from(tuning: Tuning) -> Self {
        Self { limits: Limits::default(), tuning }
    }
}

/// A limit of [`Limits`] whose excess is an error. Displayed as the field's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::max_end_tokens`].
    MaxEndTokens,
}

impl Limit {
    /// Returns the limit's unit, for messages.
    const fn unit(self) -> &'static str {
        match self {
            Self::MaxEndTokens => "tokens that end a text",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MaxEndTokens => "max_end_tokens",
        })
    }
}

/// An exceeded limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitExceeded {
    /// The limit.
    pub limit: Limit,
    /// Its value.
    pub value: u64,
    /// The size that exceeds it. `None` if it was not counted.
    pub found: Option<u64>,
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, value, found } = self;
        match found {
            Some(found) => write!(f, "{found} {}, more than {value} (limit `{limit}`)", limit.unit()),
            None => write!(f, "more than {value} {} (limit `{limit}`)", limit.unit()),
        }
    }
}

impl std::error::Error for LimitExceeded {}
