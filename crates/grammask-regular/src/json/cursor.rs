//! Follows known texts through their JSON spellings, byte by byte and without derivatives.
//!
//! A position is a range of the sorted texts and an offset in them. The texts of a range agree up to the
//! offset.

use crate::json::string::is_raw;
use std::cmp::Ordering;

use crate::json::finite::FiniteLanguage;

/// A range of the texts: those that agree up to some offset.
type Texts = (u32, u32);

/// How far a spelling of the texts of a [`FiniteLanguage`] has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpellingCursor(CursorState);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CursorState {
    /// After this many bytes of the prefix.
    Before(usize),
    /// Before the byte at this offset of some texts.
    Text(Texts, usize),
    /// As `Text`, but after a backslash.
    Escape(Texts, usize),
    /// In the `\u` escape of a character: the number of symbols read, the texts that contain this character
    /// here, and the offset after it.
    Unit(char, usize, Texts, usize),
    /// After this many bytes of the suffix.
    After(usize),
}

impl FiniteLanguage {
    /// Returns the position before the first byte.
    pub fn start(&self) -> SpellingCursor {
        SpellingCursor(self.before(0))
    }

    /// Returns true if a text has been spelled and the suffix has begun.
    pub const fn is_in_suffix(&self, SpellingCursor(at): SpellingCursor) -> bool {
        matches!(at, CursorState::After(_))
    }

    /// Returns true if the suffix is complete.
    pub fn is_complete(&self, SpellingCursor(at): SpellingCursor) -> bool {
        at == CursorState::After(self.after.len())
    }

    fn before(&self, bytes: usize) -> CursorState {
        if bytes < self.before.len() {
            CursorState::Before(bytes)
        } else {
            CursorState::Text((0, grammask_work::narrow(self.texts.len())), 0)
        }
    }

    /// Calls a function with each byte that can come next, and the position after it. It follows the
    /// spellings of the listed texts, even if the language contains the spellings of all other texts. A byte
    /// may be reported several times.
    ///
    /// # Complexity
    /// O(b log n) for b next bytes in n texts; inside an escape, for b characters.
    ///
    /// # Panics
    /// May panic if the position is one of another language.
    ///
    /// ```
    /// use grammask_regular::{Escapes, analysis::{FiniteLanguage, SpellingCursor}};
    /// let (quote, texts) = (vec![b'"'], vec![b"no".to_vec(), b"yes".to_vec()]);
    /// let (before, after, escapes) = (quote.clone(), quote, Escapes::Any);
    /// let spelled = FiniteLanguage { before, texts, is_complement: false, after, escapes };
    /// let follow = |phases: Vec<SpellingCursor>, byte: u8| {
    ///     let mut next = Vec::new();
    ///     phases.into_iter().for_each(|phase| spelled.for_each_next(phase, |other, to| next.extend((other == byte).then_some(to))));
    ///     next
    /// };
    /// let ends = br#""n\u006f""#.iter().fold(vec![spelled.start()], |phases, &byte| follow(phases, byte));
    /// assert!(ends.iter().any(|&phase| spelled.is_complete(phase)));
    /// ```
    pub fn for_each_next(
        &self,
        SpellingCursor(at): SpellingCursor,
        mut visit: impl FnMut(u8, SpellingCursor),
    ) {
        let mut visit = |byte, at| visit(byte, SpellingCursor(at));
        let &FiniteLanguage { ref before, ref texts, ref after, escapes, .. } = self;
        match at {
            CursorState::Before(bytes) => visit(before[bytes], self.before(bytes + 1)),
            CursorState::Text(some, at) => {
                let (mut start, end) = some;
                if texts[start as usize].len() == at {
                    visit(after[0], CursorState::After(1));
                    start += 1;
                }
                let mut has_escape = false;
                while start < end {
                    let byte = texts[start as usize][at];
                    let (first, last) = match end - start {
                        1 => (start, end),
                        _ => self.narrow((start, end), at, byte),
                    };
                    if is_raw(byte) {
                        visit(byte, CursorState::Text((first, last), at + 1));
                    }
                    has_escape |= first_character(texts[start as usize].get(at..))
                        .is_some_and(|character| escapes.has_escape(character));
                    start = last;
                }
                if has_escape {
                    visit(b'\\', CursorState::Escape(some, at));
                }
            }
            CursorState::Escape((mut start, end), at) => {
                while start < end {
                    let Some(character) = first_character(texts[start as usize].get(at..)) else {
                        start += 1;
                        continue;
                    };
                    let (mut some, mut end_offset) = ((start, end), at);
                    for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                        some = self.narrow(some, end_offset, byte);
                        end_offset += 1;
                    }
                    if let Some(letter) = escapes.letter_of(character) {
                        visit(letter, CursorState::Text(some, end_offset));
                    }
                    if escapes.has_unit(character) {
                        visit(b'u', CursorState::Unit(character, 0, some, end_offset));
                    }
                    start = some.1;
                }
            }
            CursorState::Unit(character, symbols, some, end_offset) => {
                let (units, count) = symbols_of(character);
                let next = if symbols + 1 == count {
                    CursorState::Text(some, end_offset)
                } else {
                    CursorState::Unit(character, symbols + 1, some, end_offset)
                };
                let symbol = units[symbols];
                visit(symbol, next);
                // The `u` between two surrogates has one case only.
                if escapes.has_upper_case() && symbol.is_ascii_hexdigit() && symbol.is_ascii_lowercase() {
                    visit(symbol.to_ascii_uppercase(), next);
                }
            }
            CursorState::After(bytes) if bytes < after.len() => {
                visit(after[bytes], CursorState::After(bytes + 1));
            }
            CursorState::After(_) => {}
        }
    }

    /// Returns the texts of a range with `byte` at offset `at`. The texts agree in all bytes before it.
    fn narrow(&self, (start, end): (u32, u32), at: usize, byte: u8) -> (u32, u32) {
        let texts = &self.texts[start as usize..end as usize];
        let order = |text: &Vec<u8>| text.get(at).map_or(Ordering::Less, |other| other.cmp(&byte));
        let first = texts.partition_point(|text| order(text) == Ordering::Less);
        let last = texts.partition_point(|text| order(text) != Ordering::Greater);
        (start + grammask_work::narrow(first), start + grammask_work::narrow(last))
    }
}

/// Returns the first character of a text, or of the rest of a text after a character.
fn first_character(text: Option<&[u8]>) -> Option<char> {
    let text = text?;
    let width = match text.first()? {
        &ascii @ 0..=0x7F => return Some(char::from(ascii)),
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    std::str::from_utf8(text.get(..width)?).ok()?.chars().next()
}

/// Returns the symbols after `\u` in the escape of a character, in lower case, and their number.
fn symbols_of(character: char) -> ([u8; 10], usize) {
    let mut symbols = *b"    \\u    ";
    let units = &mut [0; 2];
    let units = character.encode_utf16(units);
    for (unit, place) in units.iter().zip([0, 6]) {
        for (shift, symbol) in [12, 8, 4, 0].into_iter().zip(&mut symbols[place..]) {
            *symbol = b"0123456789abcdef"[usize::from(unit >> shift & 0xF)];
        }
    }
    (symbols, if units.len() == 1 { 4 } else { 10 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Escapes;

    #[test]
    fn ranges_of_texts_narrow_byte_by_byte() {
        let texts = ["", "a", "ab", "b"].map(|text| text.as_bytes().to_vec()).to_vec();
        let (before, after, escapes) = (Vec::new(), b"\"".to_vec(), Escapes::Any);
        let spelled = FiniteLanguage { before, texts, is_complement: false, after, escapes };
        assert_eq!(spelled.narrow((0, 4), 0, b'a'), (1, 3));
        assert_eq!(spelled.narrow((1, 3), 1, b'b'), (2, 3));
        assert_eq!(spelled.narrow((0, 4), 0, b'c'), (4, 4));
    }
}
