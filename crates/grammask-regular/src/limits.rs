//! The limits of a store, and the error for exceeding one.

use std::fmt;
use thiserror::Error;

/// The limits of a [`Store`](crate::Store). Exceeding one is an [`Error::Limit`](crate::Error::Limit).
///
/// The defaults are generous. Some fields state the maximum that the representation can hold; a higher value
/// means this maximum.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Limits {
    /// Number of expressions, and thus of states; 2^24 by default, at most 2^31.
    pub states: usize,
    /// Heap bytes of a store, approximately; 2^30 by default, at most 2^33.
    pub memory: usize,
    /// Number of derivatives to decide whether one language is empty; 200,000 by default.
    pub emptiness_steps: usize,
    /// Length of a regex in bytes; 2^20 by default.
    pub regex_length: usize,
    /// Levels of groups in a regex; 1,000 by default.
    pub regex_nesting: u32,
    /// Number of classes in a regex, such as `\w` or `[^"]`; 10,000 by default.
    pub regex_classes: usize,
    /// Bytes of a literal, or of all strings of a set of literals; 2^26 by default, at most 2^31 - 1.
    pub literal_length: usize,
    /// Bytes of a text whose substrings are a language; 2^21 by default, at most 2^29 - 1.
    pub substrings_length: usize,
    /// Bytes of all texts of one exception; 2^23 by default, at most 2^31 - 1.
    pub except_length: usize,
    /// Bound of a counted repetition; 2^32 - 2 by default, which is the maximum.
    pub counter: u32,
    /// Levels of JSON spellings in JSON spellings; 8 by default, which is the maximum: derivatives recurse
    /// once per level.
    pub json_nesting: u8,
    /// Digits of a bound of a comparison of numbers; 10,000 by default, which is the maximum.
    pub numeral_digits: usize,
    /// Digits of a divisor; 40 by default, which is the maximum.
    pub divisor_digits: usize,
    /// Greatest divisor, written without its point and trailing zeros; 2^64 - 1 by default.
    pub divisor: u64,
}

impl Default for Limits {
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
            counter: u32::MAX - 1,
            json_nesting: 8,
            numeral_digits: 10_000,
            divisor_digits: 40,
            divisor: u64::MAX,
        }
    }
}

/// The name of a field of [`Limits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::states`].
    States,
    /// [`Limits::memory`].
    Memory,
    /// [`Limits::emptiness_steps`].
    EmptinessSteps,
    /// [`Limits::regex_length`].
    RegexLength,
    /// [`Limits::regex_nesting`].
    RegexNesting,
    /// [`Limits::regex_classes`].
    RegexClasses,
    /// [`Limits::literal_length`].
    LiteralLength,
    /// [`Limits::substrings_length`].
    SubstringsLength,
    /// [`Limits::except_length`].
    ExceptLength,
    /// [`Limits::counter`].
    Counter,
    /// [`Limits::json_nesting`].
    JsonNesting,
    /// [`Limits::numeral_digits`].
    NumeralDigits,
    /// [`Limits::divisor_digits`].
    DivisorDigits,
    /// [`Limits::divisor`].
    Divisor,
}

impl Limit {
    /// Returns the name of the field, and what it counts.
    const fn describe(self) -> (&'static str, &'static str) {
        match self {
            Self::States => ("states", "expressions of regular languages"),
            Self::Memory => ("memory", "bytes for regular languages"),
            Self::EmptinessSteps => ("emptiness_steps", "derivatives to decide whether a language is empty"),
            Self::RegexLength => ("regex_length", "bytes in a regex"),
            Self::RegexNesting => ("regex_nesting", "levels of groups in a regex"),
            Self::RegexClasses => ("regex_classes", "classes in a regex"),
            Self::LiteralLength => ("literal_length", "bytes in a literal or a set of literals"),
            Self::SubstringsLength => ("substrings_length", "bytes in a text given for its substrings"),
            Self::ExceptLength => ("except_length", "bytes in the texts of an exception"),
            Self::Counter => ("counter", "repetitions in a counter"),
            Self::JsonNesting => ("json_nesting", "levels of JSON spellings in JSON spellings"),
            Self::NumeralDigits => ("numeral_digits", "digits in a bound of numbers"),
            Self::DivisorDigits => ("divisor_digits", "digits in a number given for its multiples"),
            Self::Divisor => ("divisor", "as a number without its point given for its multiples"),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.describe().0)
    }
}

/// A limit is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub struct LimitExceeded {
    /// The limit.
    pub limit: Limit,
    /// Its value.
    pub value: u64,
    /// The value that exceeds it. `None` if counting stops at the limit.
    pub found: Option<u64>,
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, unit) = self.limit.describe();
        write!(f, "more than {} {unit}", self.value)?;
        if let Some(found) = self.found {
            write!(f, ", here {found}")?;
        }
        write!(f, " (limit `{name}`)")
    }
}
