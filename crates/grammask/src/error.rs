//! What can go wrong on the way from a text to a grammar, and while it is used.

use grammask_normal::ErrorKind;
use grammask_syntax::{Diagnostic, Report};

/// Why a grammar could not be compiled.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is no KBNF.
    #[error(transparent)]
    Syntax(#[from] grammask_syntax::Errors),
    /// The grammar does not mean anything, or too much.
    #[error(transparent)]
    Normal(#[from] grammask_normal::Errors),
    /// The JSON Schema cannot be translated.
    #[error(transparent)]
    JsonSchema(#[from] grammask_json_schema::Error),
    /// A limit of the recognizer.
    #[error(transparent)]
    Recognizer(#[from] grammask_earley::Error),
    /// The grammar or the ending names tokens that the vocabulary does not have.
    #[error(transparent)]
    Bind(#[from] grammask_mask::BindError),
}

impl Error {
    /// Whether there is nothing wrong but that no text belongs to the grammar.
    pub(crate) fn is_empty_language(&self) -> bool {
        match self {
            Self::Normal(errors) => {
                let is_empty = |error: &grammask_normal::Error| {
                    matches!(error.kind, ErrorKind::EmptyLanguage { .. } | ErrorKind::OnlyEmptyText { .. })
                };
                errors.errors().iter().all(is_empty)
            }
            _ => false,
        }
    }

    /// What is wrong, each with its place; empty for errors that have no place in the text.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        match self {
            Self::Syntax(errors) => errors.diagnostics(),
            Self::Normal(errors) => errors.diagnostics(),
            Self::JsonSchema(_) | Self::Recognizer(_) | Self::Bind(_) => Vec::new(),
        }
    }

    /// All of it for a reader: file, line, column, the line itself with a caret, and hints.
    ///
    /// `text` is what was compiled; `name` says what to call it.
    pub fn render(&self, text: &str, name: &str) -> String {
        match self {
            Self::Syntax(errors) => errors.render(text, name).to_string(),
            Self::Normal(errors) => {
                Report::new(text, name, errors.diagnostics()).with_omitted(errors.omitted()).to_string()
            }
            Self::JsonSchema(_) | Self::Recognizer(_) | Self::Bind(_) => {
                format!("error: {self}\n  --> {name}\n")
            }
        }
    }
}

/// A limit was hit while a matcher ran. The matcher is as it was before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("after {offset} bytes of output: {cause}")]
pub struct LimitError {
    /// How many bytes of output there were.
    pub offset: usize,
    /// The limit.
    #[source]
    pub cause: grammask_earley::Error,
}

/// There are fewer tokens to take back than asked for. The matcher is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RollbackError {
    /// More tokens than were accepted.
    #[error("cannot take back {asked} tokens: {accepted} were accepted")]
    TooMany {
        /// How many were to be taken back.
        asked: usize,
        /// How many there are.
        accepted: usize,
    },
    /// A limit was hit while the text before was read again.
    #[error(transparent)]
    Limit(#[from] LimitError),
}
