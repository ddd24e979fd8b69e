//! The errors of the parser: a kind with a span. A text reports all its errors at once.

use std::fmt;

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report};

mod hint;
mod kind;
mod limit;
mod shorten;
mod sink;

pub use kind::ErrorKind;
pub use limit::{Limit, LimitExceeded};
pub(crate) use shorten::shorten;
pub(crate) use sink::ErrorSink;

/// An error with its span.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct Error {
    kind: ErrorKind,
    span: Span,
}

impl Error {
    pub(crate) const fn new(kind: ErrorKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// Returns the kind of the error.
    pub const fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Returns the span of the error. An empty span is a position between two characters.
    pub const fn span(&self) -> Span {
        self.span
    }

    /// Returns a hint how to correct the error. Returns `None` if the message is enough.
    pub fn hint(&self) -> Option<String> {
        hint::hint(&self.kind)
    }

    /// Converts the error to the input of a [`Report`].
    pub fn diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.kind.to_string(), self.span);
        diagnostic.hint = self.hint();
        match &self.kind {
            ErrorKind::MismatchedClose { open, opened, .. } => {
                diagnostic.with_note(*opened, format!("`{open}` is opened here"))
            }
            ErrorKind::SecondStart { first } => diagnostic.with_note(*first, "the first one is here"),
            _ => diagnostic,
        }
    }
}

/// All errors of a text, by ascending span.
///
/// # Example
///
/// ```
/// let text = "start ::= 'a' | ;\nB ::= ('b';\n";
/// let errors = grammask_syntax::parse(text, &grammask_syntax::Config::default()).unwrap_err();
/// assert_eq!(errors.len(), 2);
/// assert!(errors.render(text, "g.kbnf").to_string().starts_with("g.kbnf:1:17: error: empty alternative\n"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors {
    errors: Vec<Error>,
    omitted: usize,
}

impl Errors {
    /// Returns the stored errors, at least one.
    pub fn as_slice(&self) -> &[Error] {
        &self.errors
    }

    /// Returns an iterator over the stored errors.
    pub fn iter(&self) -> std::slice::Iter<'_, Error> {
        self.errors.iter()
    }

    /// Returns the number of all errors, including those beyond
    /// [`Limits::max_errors`](crate::Limits::max_errors).
    pub const fn len(&self) -> usize {
        self.errors.len() + self.omitted
    }

    /// Returns false: there is at least one error.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of errors that were counted but not stored.
    pub const fn omitted(&self) -> usize {
        self.omitted
    }

    /// Converts the stored errors to the input of a [`Report`].
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.errors.iter().map(Error::diagnostic).collect()
    }

    /// Returns a report with the position, source line, carets and hint of each error. `text` is the parsed
    /// text.
    pub fn render<'a>(&self, text: &'a (impl AsRef<[u8]> + ?Sized), file_name: &'a str) -> Report<'a> {
        Report::new(text, file_name, self.diagnostics()).with_omitted(self.omitted)
    }
}

impl<'a> IntoIterator for &'a Errors {
    type Item = &'a Error;
    type IntoIter = std::slice::Iter<'a, Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.errors.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}at byte {}: {error}", error.span.start)?;
        }
        if self.omitted > 0 {
            write!(f, "\nand {} more", self.omitted)?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}
