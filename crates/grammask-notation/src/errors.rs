//! All errors of a grammar, in the notation of its user.

use std::fmt;

use grammask_syntax::Diagnostic;

use crate::Sources;

/// All errors of a grammar: at least one, by ascending place, each with a hint in the notation of its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors {
    sources: Sources,
    diagnostics: Vec<Diagnostic>,
    omitted: usize,
}

impl Errors {
    /// Collects the errors of a grammar. Their spans are in the virtual text of `sources`.
    pub fn new(sources: Sources, mut diagnostics: Vec<Diagnostic>, omitted: usize) -> Self {
        diagnostics.sort_by_key(|diagnostic| diagnostic.span);
        Self { sources, diagnostics, omitted }
    }

    /// Returns the stored errors.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Returns the number of errors that were counted but not stored.
    pub const fn omitted(&self) -> usize {
        self.omitted
    }

    /// Returns the sources that the spans of the errors are in.
    pub const fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Returns a report: each error with file, line, column, the line with carets, and its hint.
    pub fn render(&self) -> String {
        self.sources.render(&self.diagnostics, self.omitted)
    }
}

/// Displays as one line for each error: `file:line:column: message`.
impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.diagnostics.iter().enumerate() {
            let (name, place) = self.sources.locate(diagnostic.span.start);
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{name}:{place}: {}", diagnostic.message)?;
        }
        if self.omitted > 0 {
            write!(f, "\nand {} more", self.omitted)?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}
