//! What accepting a token can lead to.

use std::fmt;

/// What became of a token or of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Outcome {
    /// Accepted; more must or may follow.
    Ongoing,
    /// Accepted, and the output is finished.
    Finished,
    /// Accepted, but no token of the vocabulary can follow, though some text could. The output may be complete all the same.
    Stuck,
    /// Not allowed here: nothing has changed.
    Rejected,
    /// A limit was hit: nothing has changed; [`Matcher::error`](crate::Matcher::error) says which.
    LimitExceeded,
}

impl Outcome {
    /// Whether the token was accepted.
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
