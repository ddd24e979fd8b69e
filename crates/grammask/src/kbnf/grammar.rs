//! Compiled grammars under the name that the crate `kbnf` has for them, and what can be wrong with one.

use std::convert::Infallible;

pub use crate::Grammar;

/// Why a grammar could not be made.
///
/// All that is wrong with a text is in one error: [`diagnostics`](Self::diagnostics) hands it out piece by piece.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CreateGrammarError {
    /// The text is no KBNF; what could be read of it may be wrong in meaning as well.
    #[error("{0}")]
    ParsingError(Box<crate::Error>),
    /// The text means nothing, or exceeds a limit.
    #[error("{0}")]
    SemanticError(#[from] Box<crate::Error>),
    /// There is more of something than there may be: of what, how many at least, how many there may be.
    #[error("the grammar has {1} {0} or more, the limit is {2}")]
    IntConversionError(String, usize, usize),
    /// Never given: there are no start states that could be missing.
    #[error("{0}")]
    DfaStartError(Infallible),
    /// Never given: there are no start states that could be missing.
    #[error("{0}")]
    LazyDfaStartError(Infallible),
    /// Never given: the states of automata are kept.
    #[error("{0}")]
    LazyDfaCacheError(Infallible),
}

impl CreateGrammarError {
    /// What is wrong, each with its place; empty for errors that have no place in the text.
    pub fn diagnostics(&self) -> Vec<grammask_syntax::Diagnostic> {
        match self {
            Self::ParsingError(error) | Self::SemanticError(error) => error.diagnostics(),
            _ => Vec::new(),
        }
    }
}
