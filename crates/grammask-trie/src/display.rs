//! Text forms that several types share: bytes as escaped text, ids as ranges.

use std::fmt;

use crate::TokenId;

/// Displays bytes in double quotes: printable UTF-8 as it is, everything else escaped (`\n`, `\u{7f}`). Bytes
/// that are not UTF-8 display as `\xff`.
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

/// Joins ascending ids into maximal ranges, both ends inclusive.
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

/// Maximum number of ranges that `{}` prints for a set or a mask. `{:#}` prints all of them.
const MAX_DISPLAYED_RANGES: usize = 8;

/// Writes ascending ids as ranges: `: 3, 5-9, ...`. Writes nothing if there is no id.
pub(crate) fn write_ids(f: &mut fmt::Formatter<'_>, ids: impl Iterator<Item = TokenId>) -> fmt::Result {
    for (index, (first, last)) in Ranges::new(ids).enumerate() {
        f.write_str(if index == 0 { ": " } else { ", " })?;
        if index == MAX_DISPLAYED_RANGES && !f.alternate() {
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
