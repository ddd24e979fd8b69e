//! What the parser may spend on a text before it gives up with an error.

/// The limits of [`parse`](crate::parse). Each breach is an error that names the limit, the value and the place.
///
/// The defaults are far above what grammars need, and low enough that no text can exhaust an ordinary machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Config {
    /// The longest text, in bytes. Default: 64 MiB.
    pub max_text_bytes: usize,
    /// How many groups and `~` may be open at one place. Default: 1,000,000.
    pub max_nesting: usize,
    /// The number of expressions in a tree. Default: 10,000,000.
    pub max_expressions: usize,
    /// How many errors are kept; the others are only counted. At least one is kept. Default: 100.
    pub max_errors: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_text_bytes: 64 << 20,
            max_nesting: 1_000_000,
            max_expressions: 10_000_000,
            max_errors: 100,
        }
    }
}
