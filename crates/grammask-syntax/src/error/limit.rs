//! The error for a text that exceeds a limit.

use std::fmt;

/// A limit of the parser. Displays as the field of [`Limits`](crate::Limits).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// `max_text_bytes`
    MaxTextBytes,
    /// `max_nesting`
    MaxNesting,
    /// `max_expressions`
    MaxExpressions,
}

impl Limit {
    /// Returns a noun phrase for the counted things.
    const fn unit(self) -> &'static str {
        match self {
            Self::MaxTextBytes => "bytes of text",
            Self::MaxNesting => "nested groups and `~`",
            Self::MaxExpressions => "expressions",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MaxTextBytes => "max_text_bytes",
            Self::MaxNesting => "max_nesting",
            Self::MaxExpressions => "max_expressions",
        })
    }
}

/// A text exceeds a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitExceeded {
    /// The limit.
    pub limit: Limit,
    /// The value of the limit: the greatest number that is allowed.
    pub value: u64,
    /// The number in the part of the text that was read. `None` if it was not counted.
    pub found: Option<u64>,
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, value, found } = self;
        match found {
            Some(found) => write!(f, "{found} {}, more than {value} (limit `{limit}`)", limit.unit()),
            None => write!(f, "more than {value} {} (limit `{limit}`)", limit.unit()),
        }
    }
}

impl std::error::Error for LimitExceeded {}
