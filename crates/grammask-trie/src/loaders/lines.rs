//! Splits a text format into lines with their places.

use crate::{EntryPlace, Error, LineProblem};

/// A non-empty line, without its line break.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// Line number, from 1.
    pub(super) number: usize,
    /// Byte offset in the file.
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

/// Returns the non-empty lines. A line ends with `\n` or `\r\n` only, because a token may contain other
/// characters that are line breaks in Unicode.
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
