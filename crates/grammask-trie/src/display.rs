//! The text forms that several values share: bytes as escaped text, ids as ranges.

use std::fmt;

use crate::TokenId;

/// Bytes in double quotes: printable UTF-8 as it is, all else escaped (`\n`, `\u{7f}`, and `\xff` for what is no UTF-8).
pub(crate) struct Escaped<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for chunk in self.0.utf8_chunks() {
            for c in chunk.valid().chars() {
                match c {
                    '\'' => f.write_str("'")?,
                    c => write!(f, "{}", c.escape_debug())?,
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        f.write_str("\"")
    }
}

/// Joins ascending numbers into inclusive ranges.
pub(crate) struct Ranges<I: Iterator>(std::iter::Peekable<I>);

impl<I: Iterator<Item = TokenId>> Ranges<I> {
    pub(crate) fn new(ids: I) -> Self {
        Self(ids.peekable())
    }
}

impl<I: Iterator<Item = TokenId>> Iterator for Ranges<I> {
    type Item = (u32, u32);

    fn next(&mut self) -> Option<(u32, u32)> {
        let first = self.0.next()?.0;
        let mut last = first;
        while let Some(next) = self.0.next_if(|next| Some(next.0) == last.checked_add(1)) {
            last = next.0;
        }
        Some((first, last))
    }
}

/// How many ranges the short form of a set or a mask prints.
const SHORT: usize = 8;

/// Writes `3, 5-9, ...`: ascending ids as ranges, the first few or, with `{:#}`, all.
pub(crate) fn write_ids(f: &mut fmt::Formatter<'_>, ids: impl Iterator<Item = TokenId>) -> fmt::Result {
    for (place, (first, last)) in Ranges::new(ids).enumerate() {
        f.write_str(if place == 0 { ": " } else { ", " })?;
        if place == SHORT && !f.alternate() {
            return f.write_str("...");
        }
        if first == last {
            write!(f, "{first}")?;
        } else {
            write!(f, "{first}-{last}")?;
        }
    }
    Ok(())
}
