//! Word boundaries at the ends of a regex, where they are a condition on the first or last character alone.

use crate::store::node::RegularId;
use crate::{Error, Store};
use regex_syntax::hir::{Hir, HirKind, Look};

/// The parts of a regex, with the look-around at its ends split off.
pub(crate) struct Parts<'h> {
    pub(crate) before: &'h [Hir],
    pub(crate) body: &'h [Hir],
    pub(crate) after: &'h [Hir],
}

/// Splits the look-around at the ends off.
pub(crate) fn split_ends(mut hir: &Hir) -> Parts<'_> {
    while let HirKind::Capture(capture) = hir.kind() {
        hir = &capture.sub;
    }
    let parts = match hir.kind() {
        HirKind::Concat(parts) => parts,
        _ => std::slice::from_ref(hir),
    };
    let is_look = |part: &&Hir| matches!(part.kind(), HirKind::Look(_));
    let (before, rest) = parts.split_at(parts.iter().take_while(is_look).count());
    let (body, after) = rest.split_at(rest.len() - rest.iter().rev().take_while(is_look).count());
    Parts { before, body, after }
}

impl Parts<'_> {
    /// Returns true if the look-around at the start or the end includes a word boundary.
    pub(crate) fn has_boundary(&self) -> bool {
        let is_boundary = |part: &Hir| matches!(part.kind(), HirKind::Look(look) if is_word(*look));
        self.before.iter().chain(self.after).any(is_boundary)
    }
}

pub(crate) fn is_word(look: Look) -> bool {
    !matches!(look, Look::Start | Look::End | Look::StartLF | Look::EndLF | Look::StartCRLF | Look::EndCRLF)
}

/// Returns all strings for which the look-around holds at their start, or at their end. No word character
/// precedes or follows the string.
pub(crate) fn boundary(store: &mut Store, look: Look, at_start: bool) -> Result<RegularId, Error> {
    let is_ascii = matches!(
        look,
        Look::WordAscii
            | Look::WordAsciiNegate
            | Look::WordStartAscii
            | Look::WordEndAscii
            | Look::WordStartHalfAscii
            | Look::WordEndHalfAscii
    );
    let word = store.regex(if is_ascii { "(?-u:\\w)" } else { "\\w" })?;
    let parts = if at_start { [word, RegularId::ALL] } else { [RegularId::ALL, word] };
    let with_word = store.concat(&parts)?;
    let without = store.complement(with_word)?;
    Ok(match look {
        Look::WordAscii | Look::WordUnicode => with_word,
        Look::WordAsciiNegate | Look::WordUnicodeNegate => without,
        Look::WordStartAscii | Look::WordStartUnicode if at_start => with_word,
        Look::WordEndAscii | Look::WordEndUnicode if !at_start => with_word,
        Look::WordStartHalfAscii | Look::WordStartHalfUnicode if !at_start => without,
        Look::WordEndHalfAscii | Look::WordEndHalfUnicode if at_start => without,
        // A word cannot end at the start of the text, nor start at its end. A half boundary holds there
        // anyway.
        Look::WordStartAscii | Look::WordStartUnicode | Look::WordEndAscii | Look::WordEndUnicode => {
            RegularId::EMPTY
        }
        _ => RegularId::ALL,
    })
}
