//! Characters with an escape: in a text, and in the texts of a pattern.

use std::sync::{PoisonError, RwLock};

use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind, Repetition};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::Escapes;

/// The characters that have a short escape, and its letter (RFC 8259, section 7).
const SHORT_ESCAPES: [(char, char); 8] = [
    ('"', '"'),
    ('\\', '\\'),
    ('/', '/'),
    ('\u{8}', 'b'),
    ('\u{c}', 'f'),
    ('\n', 'n'),
    ('\r', 'r'),
    ('\t', 't'),
];

/// Characters up to this one are never written as themselves.
pub(super) const LAST_CONTROL: char = '\u{1f}';

/// Returns true for a character that has a spelling other than itself.
pub(super) fn is_escaped(char: char, escapes: Escapes) -> bool {
    match escapes {
        Escapes::Any => true,
        Escapes::Short => char == '/' || is_escaped(char, Escapes::Required),
        Escapes::Required => matches!(char, '"' | '\\') || char <= LAST_CONTROL,
    }
}

/// Returns the letter of a short escape.
pub(super) fn short_letter(char: char) -> Option<char> {
    SHORT_ESCAPES.iter().find(|&&(escaped, _)| escaped == char).map(|&(_, letter)| letter)
}

/// Returns the only spelling of a character with [`Escapes::Required`].
pub(super) fn required(char: char) -> String {
    match short_letter(char) {
        Some(letter) if char != '/' => format!("\\{letter}"),
        None if char <= LAST_CONTROL => format!("\\u{:04x}", u32::from(char)),
        _ => char.to_string(),
    }
}

/// The results for the patterns that were parsed first. Nearly all schemas have the same few patterns, and
/// parsing them takes longer than the rest of a translation.
static KNOWN_PATTERNS: RwLock<FxHashMap<(Escapes, Box<str>), bool>> =
    RwLock::new(FxHashMap::with_hasher(FxBuildHasher));

/// Number of patterns that are kept, and the greatest length of one, in bytes.
const MAX_KNOWN_PATTERNS: usize = 256;
const MAX_KNOWN_PATTERN_BYTES: usize = 2_048;

/// Returns false only if no text of a pattern has a character with an escape.
pub(super) fn has_escaped_character(pattern: &str, escapes: Escapes) -> bool {
    let has_one = || match regex_syntax::Parser::new().parse(pattern) {
        Ok(hir) => has_escaped(&hir, escapes),
        Err(_) => true,
    };
    if pattern.len() > MAX_KNOWN_PATTERN_BYTES {
        return has_one();
    }
    let key = (escapes, Box::<str>::from(pattern));
    let known = KNOWN_PATTERNS.read().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
    if let Some(known) = known {
        return known;
    }
    let has_one = has_one();
    let mut patterns = KNOWN_PATTERNS.write().unwrap_or_else(PoisonError::into_inner);
    if patterns.len() < MAX_KNOWN_PATTERNS {
        patterns.insert(key, has_one);
    }
    has_one
}

/// As [`has_escaped_character`]. The recursion is as deep as the parser of patterns allows.
fn has_escaped(hir: &Hir, escapes: Escapes) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => text.contains(|char| is_escaped(char, escapes)),
            Err(_) => true,
        },
        HirKind::Class(Class::Unicode(class)) => class.iter().any(|range| has_escaped_in(*range, escapes)),
        HirKind::Class(Class::Bytes(class)) => match class.to_unicode_class() {
            Some(class) => class.iter().any(|range| has_escaped_in(*range, escapes)),
            None => true,
        },
        HirKind::Repetition(Repetition { sub, .. }) => has_escaped(sub, escapes),
        HirKind::Capture(capture) => has_escaped(&capture.sub, escapes),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().any(|part| has_escaped(part, escapes))
        }
    }
}

/// Returns true if a range has a character with an escape.
fn has_escaped_in(range: ClassUnicodeRange, escapes: Escapes) -> bool {
    let has = |char| range.start() <= char && char <= range.end();
    range.start() <= LAST_CONTROL
        || SHORT_ESCAPES.iter().any(|&(char, _)| has(char) && is_escaped(char, escapes))
}
