//! Reports about a text: a message with its position, the source line with carets, and a hint. All stages
//! that have spans report with it.

use std::fmt;

use crate::ast::Span;

pub(crate) mod suggest;

/// A message about a span of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Diagnostic {
    /// The message, without a full stop.
    pub message: String,
    /// The span of the error, in bytes.
    pub span: Span,
    /// How to correct the error.
    pub hint: Option<String>,
    /// A second span, with a message of its own.
    pub note: Option<Note>,
}

/// The second span of a [`Diagnostic`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Note {
    /// The message about the span.
    pub message: String,
    /// The span, in bytes.
    pub span: Span,
}

impl Diagnostic {
    /// Returns a diagnostic without hint and note.
    pub fn new(message: impl Into<String>, span: Span) -> Self {
        Self { message: message.into(), span, hint: None, note: None }
    }

    /// Adds a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a second span.
    #[must_use]
    pub fn with_note(mut self, span: Span, message: impl Into<String>) -> Self {
        self.note = Some(Note { message: message.into(), span });
        self
    }
}

/// A position in a text as editors count it: line and column from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LineColumn {
    /// The line. Lines end with `\n`.
    pub line: usize,
    /// The column, in characters. Bytes that are not UTF-8 count as the replacement characters that display
    /// them.
    pub column: usize,
}

impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Returns the line and column of a byte offset. An offset after the end of the text counts as the end.
///
/// # Complexity
/// Linear in `offset`.
///
/// # Example
///
/// ```
/// let position = grammask_syntax::line_column("a ::= 'ä';\nb", 12);
/// assert_eq!((position.line, position.column), (2, 1));
/// ```
pub fn line_column(text: &(impl AsRef<[u8]> + ?Sized), offset: usize) -> LineColumn {
    let bytes = text.as_ref();
    let before = &bytes[..offset.min(bytes.len())];
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    LineColumn {
        line: 1 + before[..line_start].iter().filter(|&&byte| byte == b'\n').count(),
        column: 1 + count_characters(&before[line_start..]),
    }
}

/// Diagnostics with their text. `Display` renders the report.
///
/// Each diagnostic begins with `file:line:column: error: message`. The source line follows, cut to a readable
/// width, and a caret under each character of the span on this line. Then come the note and the hint. Tabs
/// are displayed as four spaces, and invisible characters as U+FFFD.
///
/// # Example
///
/// ```
/// use grammask_syntax::{Diagnostic, Report, Span};
///
/// let wrong = Diagnostic::new("undefined nonterminal `b`", Span::new(8, 9)).with_hint("did you mean `c`?");
/// let shown = "\
/// g.kbnf:1:9: error: undefined nonterminal `b`
///   |
/// 1 | start = b;
///   |         ^
///   = hint: did you mean `c`?
/// ";
/// assert_eq!(Report::new("start = b;", "g.kbnf", vec![wrong]).to_string(), shown);
/// ```
#[derive(Clone, Debug)]
pub struct Report<'a> {
    text: &'a [u8],
    file_name: &'a str,
    diagnostics: Vec<Diagnostic>,
    omitted: usize,
    severity: &'a str,
}

impl<'a> Report<'a> {
    /// Returns a report of the diagnostics in the given order. Their spans refer to `text`. Positions outside
    /// of the text are displayed at its end.
    pub fn new(
        text: &'a (impl AsRef<[u8]> + ?Sized),
        file_name: &'a str,
        diagnostics: Vec<Diagnostic>,
    ) -> Self {
        Self { text: text.as_ref(), file_name, diagnostics, omitted: 0, severity: "error" }
    }

    /// Sets the word before each message, such as `note`. Default: `error`.
    #[must_use]
    pub const fn with_severity(mut self, severity: &'a str) -> Self {
        self.severity = severity;
        self
    }

    /// Adds a last line with the number of errors that have no diagnostic.
    #[must_use]
    pub const fn with_omitted(mut self, omitted: usize) -> Self {
        self.omitted = omitted;
        self
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = Lines::new(self.text);
        for (index, diagnostic) in self.diagnostics.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            let (position, line) = lines.locate(diagnostic.span.start);
            writeln!(f, "{}:{position}: {}: {}", self.file_name, self.severity, diagnostic.message)?;
            let number = position.line.to_string();
            let margin = " ".repeat(number.len());
            let excerpt = Excerpt::new(self.text, line, diagnostic.span);
            writeln!(f, "{margin} |")?;
            writeln!(f, "{}", format!("{number} | {}", excerpt.source).trim_end())?;
            writeln!(f, "{margin} | {}", excerpt.carets)?;
            if let Some(note) = &diagnostic.note {
                let (position, _) = lines.locate(note.span.start);
                writeln!(f, "{margin} = note: {}:{position}: {}", self.file_name, note.message)?;
            }
            if let Some(hint) = &diagnostic.hint {
                writeln!(f, "{margin} = hint: {hint}")?;
            }
        }
        if self.omitted > 0 {
            writeln!(f, "\n{}: and {} more errors", self.file_name, self.omitted)?;
        }
        Ok(())
    }
}

/// The line starts of a text, and a running count of characters in one line. Many positions in ascending
/// order take one pass over the text.
struct Lines<'a> {
    text: &'a [u8],
    starts: Vec<usize>,
    counted: Counted,
}

/// Number of characters from the start of a line to an offset.
struct Counted {
    start: usize,
    offset: usize,
    characters: usize,
}

impl<'a> Lines<'a> {
    fn new(text: &'a [u8]) -> Self {
        let breaks = text.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(breaks).collect();
        Self { text, starts, counted: Counted { start: 0, offset: 0, characters: 0 } }
    }

    /// Returns the position of an offset, and the span of its line without the line break.
    fn locate(&mut self, offset: usize) -> (LineColumn, Span) {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts[line - 1];
        let mut end = self.starts.get(line).map_or(self.text.len(), |next| next - 1);
        if end > start && self.text[end - 1] == b'\r' {
            end -= 1;
        }
        let counted = &mut self.counted;
        if counted.start != start || counted.offset > offset {
            *counted = Counted { start, offset: start, characters: 0 };
        }
        counted.characters += count_characters(&self.text[counted.offset..offset]);
        counted.offset = offset;
        (LineColumn { line, column: 1 + counted.characters }, Span::new(start, end))
    }
}

/// A source line, cut to a readable width, and the carets below it.
struct Excerpt {
    source: String,
    carets: String,
}

/// Maximum length of a line that is displayed as a whole, in bytes. Longer lines are cut.
const MAX_WHOLE_LINE_BYTES: usize = 100;

/// Number of bytes that are displayed before the start of the span in a line that is cut.
const BYTES_BEFORE_SPAN: usize = 60;

/// Number of bytes that are displayed from the start of the span on in a line that is cut.
const BYTES_FROM_SPAN: usize = 40;

/// Width of a tab in a report, in columns.
const TAB_WIDTH: usize = 4;

impl Excerpt {
    fn new(text: &[u8], line: Span, span: Span) -> Self {
        let start = span.start.clamp(line.start, line.end);
        let span_end = span.end.clamp(start, line.end);
        let (mut from, mut to) = (line.start, line.end);
        if to - from > MAX_WHOLE_LINE_BYTES {
            from = character_start(text, line.start, start.saturating_sub(BYTES_BEFORE_SPAN).max(line.start));
            to = character_start(text, line.start, start.saturating_add(BYTES_FROM_SPAN).min(line.end));
        }
        let mut source = String::new();
        let mut carets = String::new();
        if from > line.start {
            source.push('…');
            carets.push(' ');
        }
        let mut append = |piece: &[u8], caret: char| {
            for character in String::from_utf8_lossy(piece).chars() {
                let width = if character == '\t' { TAB_WIDTH } else { 1 };
                match character {
                    '\t' => source.extend(std::iter::repeat_n(' ', TAB_WIDTH)),
                    _ if crate::print::is_invisible(character) => source.push('\u{FFFD}'),
                    _ => source.push(character),
                }
                carets.extend(std::iter::repeat_n(caret, width));
            }
        };
        let caret_end = span_end.clamp(start, to.max(start));
        append(&text[from..start], ' ');
        append(&text[start..caret_end], '^');
        if caret_end < to {
            append(&text[caret_end..to], ' ');
        }
        if to < line.end {
            source.push('…');
        }
        let mut carets = carets.trim_end().to_owned();
        if caret_end == start {
            let before = String::from_utf8_lossy(&text[from..start]);
            let column: usize =
                before.chars().map(|character| if character == '\t' { TAB_WIDTH } else { 1 }).sum();
            carets = " ".repeat(column + usize::from(from > line.start)) + "^";
        }
        Self { source, carets }
    }
}

/// Returns the start of the character that contains the byte at `at`, but at least `floor`.
fn character_start(text: &[u8], floor: usize, at: usize) -> usize {
    let is_inside = |at: usize| text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    (0..4)
        .map(|back| at.saturating_sub(back))
        .find(|&at| at <= floor || !is_inside(at))
        .unwrap_or(at)
        .max(floor)
}

/// Returns the number of characters. A maximal invalid sequence counts as one.
fn count_characters(bytes: &[u8]) -> usize {
    bytes
        .utf8_chunks()
        .map(|chunk| chunk.valid().chars().count() + usize::from(!chunk.invalid().is_empty()))
        .sum()
}
