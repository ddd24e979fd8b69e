//! Limits and switches of the recognizer.

/// Limits and switches of the recognizer.
///
/// ```
/// let config = grammask_earley::Config { max_items_per_set: 1_000, ..Default::default() };
/// assert!(config.leo);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Config {
    /// The greatest number of nodes in a network. Default: 4,000,000.
    pub max_nodes: usize,
    /// The greatest number of items in a set, predicted ones included. Default: 100,000.
    pub max_items_per_set: usize,
    /// The greatest number of callers that are told of completed rules after one byte. Default: 1,000,000.
    pub max_work_per_byte: usize,
    /// Whether characters that a loop repeats beside other things are one lexeme, as those of `(character | '{' expression '}')*`. States are others without,
    /// masks are the same. Default: yes.
    pub gather_texts: bool,
    /// Whether rules that call themselves or each other at their ends are loops, as left recursion is. States are others without, masks are the same.
    /// Default: yes.
    pub loop_right_recursion: bool,
    /// Whether a rule at the end of another reports to the other's callers directly (Leo's optimization). States and
    /// masks are the same without; right recursion that is no loop then costs more the deeper it is. Default: yes.
    pub leo: bool,
    /// Whether the successors of a set are kept. Without, every step is computed anew; results are the same.
    /// Default: yes.
    pub keep_steps: bool,
    /// Bytes that the tables may hold before [`Recognizer::is_over_budget`](crate::Recognizer::is_over_budget) says so. Default: 32 MiB.
    pub budget: usize,
    /// Bytes that the tables may hold at all: beyond, no set is made. They come to that where states are so large by themselves, those of outputs
    /// that nest millions of levels deep. Default: 1 GiB.
    pub max_bytes: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_nodes: 4_000_000,
            max_items_per_set: 100_000,
            max_work_per_byte: 1_000_000,
            gather_texts: true,
            loop_right_recursion: true,
            leo: true,
            keep_steps: true,
            budget: 32 << 20,
            max_bytes: 1 << 30,
        }
    }
}
