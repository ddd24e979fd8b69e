//! The outcomes of accepting a token.

use std::fmt;

/// Outcome of accepting a token or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Outcome {
    /// Accepted; the output goes on, or may go on.
    Ongoing,
    /// Accepted, and the output is finished: nothing more is accepted.
    Finished,
    /// Accepted, but no token of the vocabulary can follow, though some text could. The output may be
    /// complete.
    Stuck,
    /// Not allowed here. Nothing has changed.
    Rejected,
    /// A limit is exceeded. Nothing has changed; [`Matcher::error`](crate::Matcher::error) has the limit.
    LimitExceeded,
}

impl Outcome {
    /// Returns true if the token was accepted.
    pub const fn is_accepted(self) -> bool {
        matches!(self, Self::Ongoing | Self::Finished | Self::Stuck)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ongoing => "ongoing",
            Self::Finished => "finished",
            Self::Stuck => "stuck",
            Self::Rejected => "rejected",
            Self::LimitExceeded => "limit exceeded",
        })
    }
}
