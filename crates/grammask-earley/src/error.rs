//! Errors of building a network and of taking a step.

use crate::LimitExceeded;

/// The reason why a step, or the construction of a network, stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A limit of this crate is exceeded.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
    /// The cancellation flag is set; see [`Recognizer::set_cancel_flag`](crate::Recognizer::set_cancel_flag).
    #[error("cancelled")]
    Cancelled,
    /// A lexeme's language exceeds a limit of its own.
    #[error(transparent)]
    Regular(#[from] grammask_regular::Error),
}

/// The reason why a network could not be built, and the nonterminal being compiled at that time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cause}; exceeded in `{nonterminal}`")]
pub struct BuildError {
    /// Name of the nonterminal in the normal form. A nonterminal split off a rule has the rule's name, `_`
    /// and a number.
    pub nonterminal: String,
    /// The exceeded limit.
    #[source]
    pub cause: Error,
}
