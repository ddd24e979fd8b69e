//! What is left of the module that holds the inner engine of the crate `kbnf`: the error that it may give.

/// A part of the grammar does not fit the integers of an engine. It is never given: all fit here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateEngineBaseError {
    /// A text has more bytes than there may be: how many it has, how many it may have.
    #[error("a text has {0} bytes, more than {1}")]
    TerminalTooLong(usize, usize),
    /// A regular expression has more states than there may be: how many it has, how many it may have.
    #[error("a regular expression has {0} states, more than {1}")]
    RegexTooLarge(usize, usize),
    /// An automaton of substrings has more states than there may be: how many it has, how many it may have.
    #[error("the substrings of a text have {0} states, more than {1}")]
    SubstringsTooLarge(usize, usize),
}
