//! Compiled grammars under the name that the crate `kbnf` has for them, and the reasons why a grammar is
//! refused.

use std::convert::Infallible;

pub use grammask::Grammar;

/// Why a grammar could not be made.
///
/// One error holds all that is wrong with a text; [`diagnostics`](Self::diagnostics) lists it.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CreateGrammarError {
    /// The text is not KBNF. The error may also hold mistakes in the meaning of the part that could be read.
    #[error("{0}")]
    ParsingError(Box<grammask::Error>),
    /// The text has no meaning, or exceeds a limit.
    #[error("{0}")]
    SemanticError(#[from] Box<grammask::Error>),
    /// The grammar has too many parts of a kind: the kind, the least number of parts, and the limit.
    #[error("the grammar has {1} {0} or more, the limit is {2}")]
    IntConversionError(String, usize, usize),
    /// Never given: `grammask` has no start states that could be missing.
    #[error("{0}")]
    DfaStartError(Infallible),
    /// Never given: `grammask` has no start states that could be missing.
    #[error("{0}")]
    LazyDfaStartError(Infallible),
    /// Never given: `grammask` keeps the states of automata.
    #[error("{0}")]
    LazyDfaCacheError(Infallible),
}

impl CreateGrammarError {
    /// Returns the mistakes in the grammar's text, each with its place. Empty for errors without a place in
    /// the text.
    pub fn diagnostics(&self) -> Vec<grammask::syntax::Diagnostic> {
        match self {
            Self::ParsingError(error) | Self::SemanticError(error) => error.diagnostics(),
            _ => Vec::new(),
        }
    }
}
