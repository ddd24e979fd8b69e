//! Limits of the recognizer, and switches that never change a result.

use std::fmt;

/// Configuration of [`Network::build`](crate::Network::build) and of a [`Recognizer`](crate::Recognizer).
///
/// ```
/// use grammask_earley::{Config, Limits};
///
/// let limits = Limits { max_items_per_set: 1_000, ..Default::default() };
/// let config = Config { limits, ..Default::default() };
/// assert_eq!(config.limits.max_nodes, 4_000_000);
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
    /// Switches that change speed and state numbers, but no mask and no verdict. For tests and benchmarks.
    #[doc(hidden)]
    #[cfg_attr(feature = "serde", serde(skip))]
    pub tuning: Tuning,
}

/// Limits on the size of a network and on the work of its recognizer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Limits {
    /// Maximum number of nodes of a network. Beyond it, [`Limit::MaxNodes`]. Default: 4,000,000.
    pub max_nodes: usize,
    /// Maximum number of special tokens that a grammar names; at most 32,768. Beyond it,
    /// [`Limit::MaxSpecialTokens`]. Default: 32,768.
    pub max_special_tokens: usize,
    /// Maximum number of items of a set, predicted ones included. Beyond it, [`Limit::MaxItemsPerSet`].
    /// Default: 100,000.
    pub max_items_per_set: usize,
    /// Maximum number of callers that completions advance after one byte. Beyond it,
    /// [`Limit::MaxWorkPerByte`]. Default: 1,000,000.
    pub max_work_per_byte: usize,
    /// Maximum depth of items of `distinct!` inside of each other that are compared as JSON values. Beyond
    /// it, [`Limit::MaxDistinctNesting`]. Default: 64.
    pub max_distinct_nesting: usize,
    /// Maximum number of states that are searched for a continuation of such an item by which it differs
    /// from all earlier ones. Beyond it, [`Limit::MaxDistinctSearch`]. Default: 20,000.
    pub max_distinct_search: usize,
    /// Bytes of the tables above which [`Recognizer::is_over_budget`](crate::Recognizer::is_over_budget)
    /// returns true. Not an error. Default: 32 MiB.
    pub budget: usize,
    /// Maximum number of bytes of the tables. Beyond it, no set is created: [`Limit::MaxBytes`]. A single
    /// state reaches it only where an output nests millions of levels deep. Default: 1 GiB.
    pub max_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_nodes: 4_000_000,
            max_special_tokens: crate::Network::MAX_SPECIALS,
            max_items_per_set: 100_000,
            max_work_per_byte: 1_000_000,
            max_distinct_nesting: 64,
            max_distinct_search: 20_000,
            budget: 32 << 20,
            max_bytes: 1 << 30,
        }
    }
}

/// Switches that change speed and state numbers, but no mask and no verdict.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tuning {
    /// True if a loop's characters become one lexeme, as those of `(character | '{' expression '}')*`.
    pub gather_texts: bool,
    /// True if rules that call themselves or each other at their ends become loops, as left recursion does.
    pub loop_right_recursion: bool,
    /// True if a rule called at the end of another one refers to that rule's callers directly (Leo's
    /// optimization). Without it, the cost of right recursion that is not a loop grows with its depth.
    pub leo: bool,
    /// True if the successors of a set are kept. Otherwise every step is computed again.
    pub keep_steps: bool,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { gather_texts: true, loop_right_recursion: true, leo: true, keep_steps: true }
    }
}

/// A limit of [`Limits`], or of the representation. Displayed as the field's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::max_nodes`].
    MaxNodes,
    /// [`Limits::max_special_tokens`].
    MaxSpecialTokens,
    /// [`Limits::max_items_per_set`].
    MaxItemsPerSet,
    /// [`Limits::max_work_per_byte`].
    MaxWorkPerByte,
    /// [`Limits::max_distinct_nesting`].
    MaxDistinctNesting,
    /// [`Limits::max_distinct_search`].
    MaxDistinctSearch,
    /// [`Limits::max_bytes`].
    MaxBytes,
    /// Number of set ids, 2^30 - 2. Not configurable.
    MaxSets,
}

impl Limit {
    /// Returns the limit's unit and the cause of an excess, for messages.
    const fn explanation(self) -> (&'static str, &'static str) {
        match self {
            Self::MaxNodes => ("network nodes", ""),
            Self::MaxSpecialTokens => ("special tokens named by the grammar", ""),
            Self::MaxItemsPerSet => (
                "parser items after one byte",
                "the grammar is highly ambiguous, or very many alternatives begin alike",
            ),
            Self::MaxWorkPerByte => ("completion steps after one byte", "the grammar is highly ambiguous"),
            Self::MaxDistinctNesting => ("items of `distinct!` inside of each other", ""),
            Self::MaxDistinctSearch => (
                "states searched for an item of `distinct!` that differs from the earlier ones",
                "nearly all items have been used, in very many spellings",
            ),
            Self::MaxBytes => (
                "bytes of recognizer tables",
                "an output nests very deep, or a terminal has very many states",
            ),
            Self::MaxSets => ("recognizer states", ""),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MaxNodes => "max_nodes",
            Self::MaxSpecialTokens => "max_special_tokens",
            Self::MaxItemsPerSet => "max_items_per_set",
            Self::MaxWorkPerByte => "max_work_per_byte",
            Self::MaxDistinctNesting => "max_distinct_nesting",
            Self::MaxDistinctSearch => "max_distinct_search",
            Self::MaxBytes => "max_bytes",
            Self::MaxSets => "max_sets",
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
    /// The size that exceeds it, if known. A computation stops at the limit, so the full size may be greater.
    pub found: Option<u64>,
}

impl LimitExceeded {
    pub(crate) fn new(limit: Limit, value: usize, found: Option<usize>) -> Self {
        Self { limit, value: value as u64, found: found.map(|found| found as u64) }
    }
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, cause) = self.limit.explanation();
        write!(f, "more than {} {unit} (limit `{}`)", self.value, self.limit)?;
        if cause.is_empty() { Ok(()) } else { write!(f, ": {cause}") }
    }
}

impl std::error::Error for LimitExceeded {}
