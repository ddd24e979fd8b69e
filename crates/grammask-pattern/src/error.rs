//! The reason why a pattern has no language.

use thiserror::Error;

/// The reason why a pattern has no language.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}, at byte {offset}")]
pub struct Error {
    /// Byte offset in the pattern; 0 if the pattern as a whole is the reason.
    pub offset: usize,
    /// The kind of reason.
    pub cause: Cause,
    /// The reason in words, without the offset.
    pub message: String,
}

/// The kind of reason why a pattern has no language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The text is not a pattern of its dialect.
    Invalid,
    /// The pattern is valid, but has no exact language here.
    Unsupported,
    /// A limit was exceeded.
    Limit {
        /// The field of [`Limits`](crate::Limits), or the name of another limit.
        limit: &'static str,
        /// Value of the limit.
        value: u64,
    },
    /// The caller cancelled the translation.
    Cancelled,
}

impl Error {
    pub(crate) fn invalid(offset: usize, message: impl Into<String>) -> Self {
        Self { offset, cause: Cause::Invalid, message: message.into() }
    }

    pub(crate) fn unsupported(offset: usize, message: impl Into<String>) -> Self {
        Self { offset, cause: Cause::Unsupported, message: message.into() }
    }

    /// Returns the error for more than `value` of `what`.
    pub(crate) fn limit(offset: usize, limit: &'static str, value: impl TryInto<u64>, what: &str) -> Self {
        let value = value.try_into().unwrap_or(u64::MAX);
        let message = format!("more than {value} {what} (limit `{limit}`)");
        Self { offset, cause: Cause::Limit { limit, value }, message }
    }

    pub(crate) fn cancelled() -> Self {
        Self { offset: 0, cause: Cause::Cancelled, message: "cancelled".to_owned() }
    }
}
