//! What is wrong in a text, for a reader: the message, its place, the source line with a caret, and a hint.
//! Knows nothing about parsing, so that every stage that has spans can report with it.

use std::fmt;

use crate::ast::Span;

pub(crate) mod suggest;

/// A message about a place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Diagnostic {
    /// What is wrong, without a full stop.
    pub message: String,
    /// Where, in bytes.
    pub span: Span,
    /// What to do about it.
    pub hint: Option<String>,
    /// A second place that has to do with it.
    pub note: Option<Note>,
}

/// A second place of a [`Diagnostic`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Note {
    /// What is there.
    pub message: String,
    /// Where, in bytes.
    pub span: Span,
}

impl Diagnostic {
    /// A message about a place, without hint and note.
    pub fn new(message: impl Into<String>, span: Span) -> Self {
        Self { message: message.into(), span, hint: None, note: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn with_note(mut self, span: Span, message: impl Into<String>) -> Self {
        self.note = Some(Note { message: message.into(), span });
        self
    }
}

/// A place as editors count: both from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LineColumn {
    /// The line; lines end with `\n`.
    pub line: usize,
    /// The column, in characters; bytes that are no UTF-8 count as the replacement characters that would show them.
    pub column: usize,
}

impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// The line and column of a byte offset. An offset behind the end is taken as the end.
///
/// # Complexity
/// Linear in `offset`.
///
/// # Example
///
/// ```
/// let place = grammask_syntax::line_column("a ::= 'ä';\nb", 12);
/// assert_eq!((place.line, place.column), (2, 1));
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

/// Diagnostics with their text, ready to be shown by `Display`.
///
/// Each begins with `file:line:column: error: message`; then come the source line, cut to a readable width around the
/// place, and a caret under each character of the span (as far as it stands on that line); then note and hint. Tabs
/// are shown as four spaces, characters that would not be seen as U+FFFD.
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
}

impl<'a> Report<'a> {
    /// The diagnostics in the order given. `text` is what their spans refer to; places outside of it are shown at its end.
    pub fn new(
        text: &'a (impl AsRef<[u8]> + ?Sized),
        file_name: &'a str,
        diagnostics: Vec<Diagnostic>,
    ) -> Self {
        Self { text: text.as_ref(), file_name, diagnostics, omitted: 0 }
    }

    /// Adds a last line that says how many more there are.
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
            let (place, line) = lines.locate(diagnostic.span.start);
            writeln!(f, "{}:{place}: error: {}", self.file_name, diagnostic.message)?;
            let number = place.line.to_string();
            let margin = " ".repeat(number.len());
            let excerpt = Excerpt::new(self.text, line, diagnostic.span);
            writeln!(f, "{margin} |")?;
            writeln!(f, "{}", format!("{number} | {}", excerpt.source).trim_end())?;
            writeln!(f, "{margin} | {}", excerpt.carets)?;
            if let Some(note) = &diagnostic.note {
                let (place, _) = lines.locate(note.span.start);
                writeln!(f, "{margin} = note: {}:{place}: {}", self.file_name, note.message)?;
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

/// Where the lines of a text begin, and how far the characters of one line are counted, so that many places in the order
/// of the text cost one pass.
struct Lines<'a> {
    text: &'a [u8],
    starts: Vec<usize>,
    counted: Counted,
}

/// The number of characters from the start of a line to an offset.
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

    /// The place of an offset, and the span of its line without the line break.
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

/// A source line cut to a readable width, and the carets below it.
struct Excerpt {
    source: String,
    carets: String,
}

/// A line with more bytes is cut.
const SHOWN_WHOLE: usize = 100;
/// How many bytes of a line that is cut are shown before its place, and from its place on.
const SHOWN_BEFORE: usize = 60;
const SHOWN_BEHIND: usize = 40;

impl Excerpt {
    fn new(text: &[u8], line: Span, span: Span) -> Self {
        let place = span.start.clamp(line.start, line.end);
        let span_end = span.end.clamp(place, line.end);
        let (mut from, mut to) = (line.start, line.end);
        if to - from > SHOWN_WHOLE {
            from = character_start(text, line.start, place.saturating_sub(SHOWN_BEFORE).max(line.start));
            to = character_start(text, line.start, place.saturating_add(SHOWN_BEHIND).min(line.end));
        }
        let mut source = String::new();
        let mut carets = String::new();
        if from > line.start {
            source.push('…');
            carets.push(' ');
        }
        let mut mark = |piece: &[u8], caret: char| {
            for character in String::from_utf8_lossy(piece).chars() {
                let width = if character == '\t' { 4 } else { 1 };
                match character {
                    '\t' => source.push_str("    "),
                    _ if crate::print::is_invisible(character) => source.push('\u{FFFD}'),
                    _ => source.push(character),
                }
                carets.extend(std::iter::repeat_n(caret, width));
            }
        };
        let marked = span_end.clamp(place, to.max(place));
        mark(&text[from..place], ' ');
        mark(&text[place..marked], '^');
        if marked < to {
            mark(&text[marked..to], ' ');
        }
        if to < line.end {
            source.push('…');
        }
        let mut carets = carets.trim_end().to_owned();
        if marked == place {
            let before = String::from_utf8_lossy(&text[from..place]);
            let column: usize = before.chars().map(|character| if character == '\t' { 4 } else { 1 }).sum();
            carets = " ".repeat(column + usize::from(from > line.start)) + "^";
        }
        Self { source, carets }
    }
}

/// The start of the character that `at` stands in, not before `floor`.
fn character_start(text: &[u8], floor: usize, at: usize) -> usize {
    let is_inside = |at: usize| text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    (0..4)
        .map(|back| at.saturating_sub(back))
        .find(|&at| at <= floor || !is_inside(at))
        .unwrap_or(at)
        .max(floor)
}

fn count_characters(bytes: &[u8]) -> usize {
    bytes
        .utf8_chunks()
        .map(|chunk| chunk.valid().chars().count() + usize::from(!chunk.invalid().is_empty()))
        .sum()
}
