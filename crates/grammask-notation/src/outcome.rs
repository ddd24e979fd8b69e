//! The result of a front end.

use grammask_syntax::{Ast, Diagnostic};

use crate::{Errors, Names, Sources};

/// A grammar of another notation as a KBNF tree, with what later stages need to report errors in that
/// notation.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The grammar. Its spans are in the virtual text of `sources`.
    pub ast: Ast,
    /// The sources of the grammar.
    pub sources: Sources,
    /// The names of its rules.
    pub names: Names,
    /// Remarks about readings that the author may not expect, or that differ from another program's.
    pub notes: Vec<Diagnostic>,
    /// Number of further notes.
    pub omitted_notes: usize,
    /// True if the empty text is in the language. The tree says so as well, by `%start name?;`.
    pub empty_output: bool,
}

impl Outcome {
    /// Converts the errors of a later stage: their places are in the tree, and their names are identifiers of
    /// KBNF.
    pub fn errors(&self, diagnostics: Vec<Diagnostic>, omitted: usize) -> Errors {
        let reword = |mut diagnostic: Diagnostic| {
            diagnostic.message = self.names.in_message(&diagnostic.message);
            diagnostic.hint = diagnostic.hint.map(|hint| self.names.in_message(&hint));
            diagnostic
        };
        Errors::new(self.sources.clone(), diagnostics.into_iter().map(reword).collect(), omitted)
    }

    /// Renders the notes, one a line: source, line, column and message.
    pub fn render_notes(&self) -> String {
        self.sources.render_notes(&self.notes)
    }
}
