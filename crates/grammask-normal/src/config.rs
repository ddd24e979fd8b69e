//! Options and limits of normalization.

use std::fmt;

/// Options and limits of normalization.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Config {
    /// Bounds on the size of a grammar.
    pub limits: Limits,
    /// Name of the start symbol. `None` (the default) takes the name from the `%start` directive of the text,
    /// and `start` if the text has none. With a `?` at its end, as in `%start name?;`, the empty output is an
    /// output too.
    pub start: Option<String>,
    /// Limits of the regular terminals.
    pub regular: grammask_regular::Limits,
}

/// Bounds on the size of a grammar. The defaults are far above every grammar in use.
///
/// A grammar beyond a limit is refused with [`ErrorKind::LimitExceeded`](crate::ErrorKind::LimitExceeded),
/// apart from [`max_errors`](Self::max_errors), which only shortens the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Limits {
    /// Number of productions after any pass. Default: 8,000,000.
    pub max_productions: usize,
    /// Number of symbols in all productions together, after any pass. Default: 32,000,000.
    pub max_symbols: usize,
    /// Number of distinct terminals, operands of terminals included. Default: 8,000,000.
    pub max_terminals: usize,
    /// Number of bytes written while the texts of all operands of `except!` are listed. Default: 64 MiB.
    pub max_except_bytes: usize,
    /// Number of errors that are reported one by one; at least one is.
    /// [`Errors::omitted`](crate::Errors::omitted) counts the others. Default: 100.
    pub max_errors: usize,
    /// Number of misspelt names that get a suggestion, as each is compared with all names. The others get
    /// none. Default: 20.
    pub max_suggestions: usize,
    /// Number of pairs (item, required item) of one `unordered!`, indirect requirements included. Default:
    /// [`Unordered::MAX_REQUIREMENTS`](crate::Unordered::MAX_REQUIREMENTS), 32,768, which is also the most.
    pub max_requirements: usize,
    /// Number of parts that follow each other in a terminal, with the rules that it names written out.
    /// Repetitions count as one part. Default: 1,048,576.
    pub max_regular_parts: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_productions: 8_000_000,
            max_symbols: 32_000_000,
            max_terminals: 8_000_000,
            max_except_bytes: 64 << 20,
            max_errors: 100,
            max_suggestions: 20,
            max_requirements: crate::Unordered::MAX_REQUIREMENTS,
            max_regular_parts: 1 << 20,
        }
    }
}

/// A field of [`Limits`] that a grammar can exceed. Its `Display` is the name of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::max_productions`].
    MaxProductions,
    /// [`Limits::max_symbols`].
    MaxSymbols,
    /// [`Limits::max_terminals`].
    MaxTerminals,
    /// [`Limits::max_except_bytes`].
    MaxExceptBytes,
    /// [`Limits::max_requirements`].
    MaxRequirements,
    /// [`Limits::max_regular_parts`].
    MaxRegularParts,
}

impl Limit {
    /// Name of the field of [`Limits`].
    pub const fn name(self) -> &'static str {
        match self {
            Self::MaxProductions => "max_productions",
            Self::MaxSymbols => "max_symbols",
            Self::MaxTerminals => "max_terminals",
            Self::MaxExceptBytes => "max_except_bytes",
            Self::MaxRequirements => "max_requirements",
            Self::MaxRegularParts => "max_regular_parts",
        }
    }

    /// The counted things, in the plural, for messages.
    const fn unit(self) -> &'static str {
        match self {
            Self::MaxProductions => "productions",
            Self::MaxSymbols => "symbols",
            Self::MaxTerminals => "terminals",
            Self::MaxExceptBytes => "bytes in the texts of `except!`",
            Self::MaxRequirements => "requirements between items of an `unordered!`",
            Self::MaxRegularParts => "parts in a row in a regular rule",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A grammar exceeds one of [`Limits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct LimitExceeded {
    /// The limit.
    pub limit: Limit,
    /// Its value.
    pub value: u64,
    /// The count in the grammar, always above `value`. `None` if counting stopped at the limit.
    pub found: Option<u64>,
}

impl LimitExceeded {
    /// An error with a known count.
    pub(crate) const fn new(limit: Limit, value: usize, found: usize) -> Self {
        Self { limit, value: value as u64, found: Some(found as u64) }
    }
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {} {}", self.value, self.limit.unit())?;
        if let Some(found) = self.found {
            write!(f, ", {found} in all")?;
        }
        write!(f, " (limit `{}`)", self.limit)
    }
}
