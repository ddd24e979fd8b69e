//! The limits of a store, and the errors that tell of their breach.

use thiserror::Error;

/// The limits of a [`Store`](crate::Store). All are generous; a breach is an [`Error::Limit`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Config {
    /// The greatest number of expressions, and so of states.
    pub states: usize,
    /// The greatest number of bytes that a store takes, roughly.
    pub memory: usize,
    /// How many derivatives may be taken to decide whether one language is empty.
    pub emptiness_steps: usize,
    /// The greatest length of a regex in bytes.
    pub regex_length: usize,
    /// How deep the groups of a regex may nest.
    pub regex_nesting: u32,
    /// How many classes, such as `\w` or `[^"]`, may stand in one regex.
    pub regex_classes: usize,
    /// The greatest length of a literal, and of all words of a set of literals together, in bytes.
    pub literal_length: usize,
    /// The greatest length of a text whose substrings are asked for, in bytes.
    pub substrings_length: usize,
    /// The greatest length of all texts of one exception together, in bytes.
    pub except_length: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            states: 1 << 24,
            memory: 1 << 30,
            emptiness_steps: 200_000,
            regex_length: 1 << 20,
            regex_nesting: 1000,
            regex_classes: 10_000,
            literal_length: 1 << 26,
            substrings_length: 1 << 21,
            except_length: 1 << 23,
        }
    }
}

/// Why a language could not be made or decided.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A limit of the [`Config`] is exceeded.
    #[error("limit `{limit}` of {value} exceeded by {place}{}", found.map(|found| format!(": {found}")).unwrap_or_default())]
    Limit {
        /// The field of [`Config`]; or `counter` for the greatest number that a repetition can count to, `json_nesting` for how deep
        /// JSON spellings nest, `multiple` for the greatest number, written without its point, whose multiples can be asked for.
        limit: &'static str,
        /// The limit.
        value: usize,
        /// What exceeds it.
        place: &'static str,
        /// How much there is, or was when the limit was noticed; `None` where nobody counts further than the limit, or where it says nothing.
        found: Option<usize>,
    },
    /// A regex cannot be read, or asks for what is not supported.
    #[error("regex at byte {offset}: {message}")]
    Regex {
        /// Byte offset into the pattern.
        offset: usize,
        /// What is wrong.
        message: String,
    },
    /// Numbers are asked for by what is no numeral, or multiples of zero.
    #[error("`{numeral}` is no {expected}")]
    Numeral {
        /// What was given, cut off where it is longer.
        numeral: String,
        /// What it should be.
        expected: &'static str,
    },
}

impl Error {
    pub(crate) fn numeral(numeral: &str, expected: &'static str) -> Self {
        Self::Numeral { numeral: numeral.chars().take(42).collect(), expected }
    }
}
