//! Errors of requests.

use thiserror::Error;

/// A request that has no tag. Displays with the place in the request.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("at '{pointer}': {message}")]
pub struct Error {
    /// JSON pointer into the request; empty for the request as a whole.
    pub pointer: String,
    /// The reason.
    pub message: String,
}

impl Error {
    pub(crate) fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into() }
    }
}
