//! The lines of a text format, with their places.

use crate::{EntryPlace, Error, LineProblem};

/// A line that is not empty, without its line break.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// Counted from one.
    pub(super) number: usize,
    /// Where it begins in the file.
    pub(super) offset: usize,
    pub(super) content: &'a [u8],
}

impl Line<'_> {
    pub(super) fn error(&self, problem: LineProblem) -> Error {
        Error::Line { line: self.number, offset: self.offset, problem }
    }

    pub(super) fn place(&self) -> EntryPlace {
        EntryPlace::Line(u32::try_from(self.number).unwrap_or(u32::MAX))
    }
}

/// The lines that are not empty. A line ends with `\n` or `\r\n`, and with nothing else: a token may hold any other character
/// that Unicode takes for a line break.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut offset = 0;
    bytes
        .split(|&byte| byte == b'\n')
        .zip(1..)
        .map(move |(content, number)| {
            let line = Line { number, offset, content: content.strip_suffix(b"\r").unwrap_or(content) };
            offset += content.len() + 1;
            line
        })
        .filter(|line| !line.content.is_empty())
}
