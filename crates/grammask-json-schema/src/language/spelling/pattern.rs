//! Characters with an escape in the texts of a pattern.

use std::sync::{PoisonError, RwLock};

use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind, Repetition};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::Escapes;

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
            Ok(text) => text.contains(|char| escapes.has_escape(char)),
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

/// Returns true if a range has a character with an escape. All of them are ASCII, unless all characters have
/// one.
fn has_escaped_in(range: ClassUnicodeRange, escapes: Escapes) -> bool {
    let mut ascii = range.start()..=range.end().min('\x7f');
    escapes.has_escape(range.start()) || ascii.any(|char| escapes.has_escape(char))
}
