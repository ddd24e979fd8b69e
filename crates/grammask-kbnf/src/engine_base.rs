//! The remains of the module that holds the inner engine of the crate `kbnf`: the error that it may give.

/// A part of the grammar does not fit the integers of an engine. Never given: here, every part fits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateEngineBaseError {
    /// A text is too long: its length in bytes, and the limit.
    #[error("a text has {0} bytes, more than {1}")]
    TerminalTooLong(usize, usize),
    /// A regular expression is too large: its number of states, and the limit.
    #[error("a regular expression has {0} states, more than {1}")]
    RegexTooLarge(usize, usize),
    /// An automaton of substrings is too large: its number of states, and the limit.
    #[error("the substrings of a text have {0} states, more than {1}")]
    SubstringsTooLarge(usize, usize),
}
