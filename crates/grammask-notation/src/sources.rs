//! All sources of a grammar as one virtual text, so that a span alone says which file it is in.

use grammask_syntax::{Diagnostic, LineColumn, Note, Report, Span, line_column};

/// Sources one behind the other in one virtual text. A line break is between two of them.
///
/// ```
/// use grammask_notation::Sources;
/// use grammask_syntax::Span;
///
/// let mut sources = Sources::default();
/// sources.add("a.gbnf", "root ::= b");
/// let base = sources.add("b.gbnf", "b ::=\n  \"x\"");
/// let (name, place) = sources.locate(base + 8);
/// assert_eq!((name, place.line, place.column), ("b.gbnf", 2, 3));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    text: String,
    files: Vec<File>,
}

/// A source: its name, and its bytes in the virtual text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct File {
    name: String,
    span: Span,
}

impl Sources {
    /// Adds a source, and returns the offset of its first byte in the virtual text.
    pub fn add(&mut self, name: &str, text: &str) -> usize {
        if !self.files.is_empty() {
            self.text.push('\n');
        }
        let start = self.text.len();
        self.text.push_str(text);
        self.files.push(File { name: name.to_owned(), span: Span::new(start, self.text.len()) });
        start
    }

    /// Appends the sources of another text, and returns the offset that its spans are to be moved by.
    pub fn append(&mut self, other: &Self) -> usize {
        if !self.files.is_empty() {
            self.text.push('\n');
        }
        let start = self.text.len();
        self.text.push_str(&other.text);
        let moved = |file: &File| File {
            name: file.name.clone(),
            span: Span::new(file.span.start + start, file.span.end + start),
        };
        self.files.extend(other.files.iter().map(moved));
        start
    }

    /// Returns the virtual text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the file that contains an offset. An offset after the end belongs to the last file.
    fn file(&self, offset: usize) -> Option<&File> {
        let after = self.files.partition_point(|file| file.span.start <= offset);
        self.files.get(after.max(1) - 1)
    }

    /// Returns the name of the source that contains an offset, and the position in it. The name is empty if
    /// there is no source.
    pub fn locate(&self, offset: usize) -> (&str, LineColumn) {
        match self.file(offset) {
            Some(file) => {
                let text = &self.text[file.span.range()];
                (&file.name, line_column(text, offset.saturating_sub(file.span.start)))
            }
            None => ("", LineColumn { line: 1, column: 1 }),
        }
    }

    /// Renders errors: each with its source, line, column, carets and hint.
    pub fn render(&self, diagnostics: &[Diagnostic], omitted: usize) -> String {
        let mut out = String::new();
        let mut rest = diagnostics;
        while let Some(first) = rest.first() {
            let Some(file) = self.file(first.span.start) else { break };
            let is_same =
                |one: &&Diagnostic| self.file(one.span.start).is_some_and(|other| std::ptr::eq(other, file));
            let count = rest.iter().take_while(is_same).count();
            let (group, after) = rest.split_at(count);
            let back = |span: Span| {
                let shift = |at: usize| at.saturating_sub(file.span.start);
                Span::new(shift(span.start), shift(span.end))
            };
            let group = group.iter().map(|one| Diagnostic {
                span: back(one.span),
                note: one.note.as_ref().map(|note| Note { span: back(note.span), ..note.clone() }),
                ..one.clone()
            });
            let text = &self.text[file.span.range()];
            let omitted = if after.is_empty() { omitted } else { 0 };
            if !out.is_empty() {
                out.push('\n');
            }
            let report = Report::new(text, &file.name, group.collect()).with_omitted(omitted);
            out.push_str(&report.to_string());
            rest = after;
        }
        out
    }

    /// Renders notes, one a line: source, line, column and message.
    pub fn render_notes(&self, notes: &[Diagnostic]) -> String {
        let line = |note: &Diagnostic| {
            let (name, place) = self.locate(note.span.start);
            format!("{name}:{place}: note: {}\n", note.message)
        };
        notes.iter().map(line).collect()
    }
}
