//! Errors of binding a grammar to a vocabulary.

use std::fmt;

use grammask_earley::Special;
use grammask_trie::TokenId;

/// The grammar or the ending names a token that the vocabulary does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// A special token of the grammar.
    #[error("the vocabulary has no special token {special}")]
    UnknownSpecial {
        /// The token as the grammar writes it.
        special: Special,
    },
    /// A token that ends texts.
    #[error("the vocabulary has no {id}, which is to end texts")]
    UnknownEnd {
        /// Its id.
        id: TokenId,
    },
}

/// All errors of binding a grammar to a vocabulary: at least one, each once, those of the grammar first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindErrors(Vec<BindError>);

impl BindErrors {
    /// Returns `Ok` if there are no errors.
    pub(crate) fn unless_empty(errors: Vec<BindError>) -> Result<(), Self> {
        if errors.is_empty() { Ok(()) } else { Err(Self(errors)) }
    }

    /// Returns the errors, at least one.
    pub fn as_slice(&self) -> &[BindError] {
        &self.0
    }
}

/// Displays the first errors, and the number of further ones.
impl fmt::Display for BindErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        for (index, error) in self.0.iter().take(SHOWN).enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{error}")?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

impl std::error::Error for BindErrors {}
