//! Errors of building a network and of taking a step.

use grammask_work::Stopped;

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
    /// The account of the current call is exceeded, or the call is cancelled. The tables stay sound, and keep
    /// what was computed.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A lexeme's language exceeds a limit of its own.
    #[error(transparent)]
    Regular(grammask_regular::Error),
}

impl From<grammask_regular::Error> for Error {
    fn from(error: grammask_regular::Error) -> Self {
        match error {
            grammask_regular::Error::Stopped(stopped) => Self::Stopped(stopped),
            error => Self::Regular(error),
        }
    }
}

impl Error {
    /// Returns true if the call was stopped from outside: by a flag, or by the account of the call. The same
    /// computation may succeed later, so such an error must not be kept.
    pub(crate) const fn is_stopped(&self) -> bool {
        matches!(self, Self::Cancelled | Self::Stopped(_))
    }
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
