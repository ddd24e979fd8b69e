//! Errors of binding a grammar to a vocabulary.

use std::fmt;

use grammask_earley::Special;
use grammask_trie::TokenId;

use crate::LimitExceeded;

/// Why a grammar and an ending cannot be bound to a vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// A special token of the grammar.
    #[error("the vocabulary has no special token {special}")]
    UnknownSpecial {
        /// The token as the grammar writes it.
        special: Special,
    },
    /// A range of ids in `special!` that contains an ordinary token.
    #[error("the ids {first} to {last} contain {id}, which is an ordinary token")]
    OrdinaryInRange {
        /// The first id of the range.
        first: u32,
        /// The last id of the range.
        last: u32,
        /// The first ordinary token.
        id: TokenId,
    },
    /// A token that ends texts.
    #[error("the vocabulary has no {id}, which is to end texts")]
    UnknownEnd {
        /// Its id.
        id: TokenId,
    },
    /// The grammar accepts the empty text, and an output ends as soon as it is complete, so no other output
    /// is possible.
    #[error("with the eager ending, the empty output ends before the first token")]
    EmptyOutput,
    /// The ending exceeds a limit of [`Limits`](crate::Limits).
    #[error("the ending has {0}")]
    Limit(#[from] LimitExceeded),
}

/// All errors of binding a grammar to a vocabulary: at least one, each once, those of the grammar first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindErrors(Vec<BindError>);

impl BindErrors {
    /// Returns an error if the list is not empty.
    pub(crate) fn check(errors: Vec<BindError>) -> Result<(), Self> {
        if errors.is_empty() { Ok(()) } else { Err(Self(errors)) }
    }

    /// Returns the errors, at least one.
    pub fn as_slice(&self) -> &[BindError] {
        &self.0
    }
}

/// Number of errors that a message lists; it counts the others.
const MAX_DISPLAYED_ERRORS: usize = 8;

/// Displays the first errors, and the number of further ones.
impl fmt::Display for BindErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().take(MAX_DISPLAYED_ERRORS).enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{error}")?;
        }
        match self.0.len().saturating_sub(MAX_DISPLAYED_ERRORS) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

impl std::error::Error for BindErrors {}
