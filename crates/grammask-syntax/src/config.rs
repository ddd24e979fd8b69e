//! The limits of the parser.

/// Configuration of [`parse`](crate::parse).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Config {
    /// Limits on the text and on its tree.
    pub limits: Limits,
}

/// Limits on a text and on its tree. A text beyond a limit is an [`ErrorKind::LimitExceeded`], unless the
/// limit says otherwise. The defaults are far above the needs of grammars, and bound the memory of the
/// parser.
///
/// [`ErrorKind::LimitExceeded`]: crate::ErrorKind::LimitExceeded
///
/// ```
/// use grammask_syntax::{Config, Limits, parse};
///
/// let config = Config { limits: Limits { max_nesting: 1, ..Limits::default() } };
/// let error = parse("start ::= (('a'));", &config).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "at byte 11: 2 nested groups and `~`, more than 1 (limit `max_nesting`)"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Limits {
    /// Maximum length of a text, in bytes. Default: 64 MiB.
    pub max_text_bytes: usize,
    /// Maximum number of groups and `~` that are open at one byte of the text. Default: 1,000,000.
    pub max_nesting: usize,
    /// Maximum number of expressions in a tree. Default: 10,000,000.
    pub max_expressions: usize,
    /// Maximum number of errors that are stored, at least 1. Further errors are only counted. Default: 100.
    pub max_errors: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_text_bytes: 64 << 20,
            max_nesting: 1_000_000,
            max_expressions: 10_000_000,
            max_errors: 100,
        }
    }
}

impl From<Limits> for Config {
    fn from(limits: Limits) -> Self {
        Self { limits }
    }
}
