//! What keeps a grammar and a vocabulary apart.

use grammask_earley::Special;
use grammask_trie::TokenId;

/// The grammar or the ending names a token that the vocabulary does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// A special token of the grammar.
    #[error("the vocabulary has no special token {special}")]
    UnknownSpecial {
        /// As the grammar writes it.
        special: Special,
    },
    /// A token that is to end texts.
    #[error("the vocabulary has no {id}, which is to end texts")]
    UnknownEnd {
        /// Its id.
        id: TokenId,
    },
}
