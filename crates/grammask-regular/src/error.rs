//! The errors of constructors and decision procedures.

use crate::limits::{Limit, LimitExceeded};
use grammask_work::Stopped;
use thiserror::Error;

/// The reason why an operation on a language failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A limit is exceeded.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
    /// The account of the current call is exceeded, or the call is cancelled. The store stays sound, with
    /// some more expressions.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A regex is not valid, or uses syntax that is not supported.
    #[error("regex at byte {offset}: {message}")]
    Regex {
        /// Byte offset in the pattern.
        offset: usize,
        /// Description of the rule that the regex breaks.
        message: String,
    },
    /// A text that should be a numeral is not one.
    #[error("`{numeral}` is not a {expected}")]
    Numeral {
        /// The text, cut off after 42 characters.
        numeral: String,
        /// The kind of numeral that is expected.
        expected: &'static str,
    },
}

impl Error {
    /// Returns the error for `found`, which exceeds a limit.
    pub(crate) fn limit(limit: Limit, value: usize, found: Option<usize>) -> Self {
        Self::Limit(LimitExceeded { limit, value: value as u64, found: found.map(|found| found as u64) })
    }

    pub(crate) fn numeral(numeral: &str, expected: &'static str) -> Self {
        Self::Numeral { numeral: numeral.chars().take(42).collect(), expected }
    }

    /// Returns the byte offset in the regex that the error is about.
    pub const fn regex_offset(&self) -> Option<usize> {
        match self {
            Self::Regex { offset, .. } => Some(*offset),
            Self::Limit(_) | Self::Stopped(_) | Self::Numeral { .. } => None,
        }
    }
}
