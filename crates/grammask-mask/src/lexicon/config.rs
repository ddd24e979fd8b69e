//! Configuration of a lexicon.

/// Configuration of a [`Lexicon`](crate::Lexicon).
///
/// ```
/// use grammask_mask::{LexiconConfig, LexiconLimits};
///
/// let config = LexiconConfig::from(LexiconLimits { budget: 16 << 20, ..LexiconLimits::default() });
/// assert_eq!(config.limits.budget, 16 << 20);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct LexiconConfig {
    /// Limits on size.
    pub limits: LexiconLimits,
    /// Switches and thresholds that change speed, but no mask. For tests and benchmarks.
    #[doc(hidden)]
    #[cfg_attr(feature = "serde", serde(skip))]
    pub tuning: LexiconTuning,
}

/// Limits of a [`Lexicon`](crate::Lexicon). None of them is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct LexiconLimits {
    /// Bytes of the tables above which [`Lexicon::is_over_budget`](crate::Lexicon::is_over_budget) returns
    /// `true`. Tables that were replaced stay in memory while a grammar refers to them. Default: 128 MiB.
    pub budget: usize,
    /// Limits of the languages of lexemes. A lexeme beyond one of them is walked with the tables of its
    /// grammar.
    pub regular: grammask_regular::Limits,
}

impl Default for LexiconLimits {
    fn default() -> Self {
        Self { budget: 128 << 20, regular: grammask_regular::Limits::default() }
    }
}

impl From<LexiconLimits> for LexiconConfig {
    fn from(limits: LexiconLimits) -> Self {
        Self { limits, tuning: LexiconTuning::default() }
    }
}

/// Switches and thresholds of a [`Lexicon`](crate::Lexicon) that change speed, but no mask.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexiconTuning {
    /// True if subtrees of the trie that a lexeme loops through are taken as a whole.
    pub slices: bool,
    /// Minimum number of nodes of a subtree that is checked for a loop. Default: 12.
    pub min_loop_nodes: u32,
    /// Maximum number of trie edges that leave the loop of a lexeme for which no safe class is searched.
    /// Default: 1,024.
    pub max_loop_exit_edges: usize,
    /// Minimum number of trie nodes below a node that is a base of slices. The root always is one. Default:
    /// 16,384, as nearly half of the trie of Llama 3 is below a blank.
    pub min_base_nodes: usize,
    /// Maximum number of trie edges that leave a class for which a loop is taken from its slice although no
    /// safe class was found. Default: 16,384.
    pub max_class_exit_edges: usize,
    /// Maximum number of inner trie nodes of a set that is stored as a list. Larger sets have one bit for
    /// each inner node. Default: 2,048, as many bytes as the bits for 128,000 tokens.
    pub max_listed_nodes: usize,
    /// Names of [`STRATEGIES`](crate::STRATEGIES) that are not tried. Default: none.
    pub disabled: Vec<&'static str>,
}

impl Default for LexiconTuning {
    fn default() -> Self {
        Self {
            slices: true,
            min_loop_nodes: 12,
            max_loop_exit_edges: 1024,
            min_base_nodes: 16_384,
            max_class_exit_edges: 16_384,
            max_listed_nodes: 2048,
            disabled: Vec::new(),
        }
    }
}

#[doc(hidden)]
impl From<LexiconTuning> for LexiconConfig {
    fn from(tuning: LexiconTuning) -> Self {
        Self { limits: LexiconLimits::default(), tuning }
    }
}

impl LexiconTuning {
    /// Returns a tuning with slices wherever they are possible, for tests with small vocabularies.
    ///
    /// ```
    /// # use grammask_mask::LexiconTuning;
    /// assert!(LexiconTuning::eager().min_base_nodes < LexiconTuning::default().min_base_nodes);
    /// ```
    pub fn eager() -> Self {
        Self {
            min_loop_nodes: 1,
            max_loop_exit_edges: 0,
            min_base_nodes: 1,
            max_class_exit_edges: 0,
            ..Self::default()
        }
    }
}
