//! Patterns of the spellings of other patterns' texts: each character is replaced by its spellings.

use std::fmt::Write;
use std::sync::{PoisonError, RwLock};

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::Escapes;

/// The characters that have an escape, and the letters of their short escapes (RFC 8259, section 7).
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

/// Returns true for a character that has an escape in [`Escapes::Short`].
pub(super) const fn is_special(char: char) -> bool {
    matches!(char, '"' | '\\' | '/') || char <= LAST_CONTROL
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

/// Appends a pattern of the spellings of a character.
pub(super) fn push_character(pattern: &mut String, char: char, escapes: Escapes) {
    if !is_special(char) || char == '/' && escapes == Escapes::Required {
        regex_syntax::escape_into(char.encode_utf8(&mut [0; 4]), pattern);
        return;
    }
    let one = ClassUnicode::new([ClassUnicodeRange::new(char, char)]);
    push_class(pattern, &one, escapes);
}

/// Appends a pattern of the spellings of the characters of a class.
fn push_class(pattern: &mut String, class: &ClassUnicode, escapes: Escapes) {
    let is_member = |char: char| class.iter().any(|range| range.start() <= char && char <= range.end());
    let is_short = escapes == Escapes::Short;
    let mut raw = class.clone();
    let never_raw = [('\0', LAST_CONTROL), ('"', '"'), ('\\', '\\')];
    raw.difference(&ClassUnicode::new(never_raw.map(|(first, last)| ClassUnicodeRange::new(first, last))));
    let mut options: Vec<String> = Vec::new();
    if raw.iter().next().is_some() {
        options.push(class_text(raw));
    }
    let mut escaped: Vec<String> = Vec::new();
    let letters: Vec<char> = SHORT_ESCAPES
        .iter()
        .filter(|&&(char, _)| is_member(char) && (is_short || char != '/'))
        .map(|&(_, letter)| letter)
        .collect();
    if !letters.is_empty() {
        escaped.push(class_of(&letters));
    }
    let digits = |high: u8| -> Vec<char> {
        let codes = (0..16).filter(|low| {
            let char = char::from(high * 16 + low);
            is_member(char) && (is_short || short_letter(char).is_none())
        });
        let lower = codes.filter_map(|low| char::from_digit(low.into(), 16));
        lower
            .flat_map(|digit| {
                [Some(digit), Some(digit.to_ascii_uppercase()).filter(|&upper| is_short && upper != digit)]
            })
            .flatten()
            .collect()
    };
    let [first, second] = [digits(0), digits(1)];
    if first == second && !first.is_empty() {
        escaped.push(format!("u00[01]{}", class_of(&first)));
    } else {
        for (high, digits) in [first, second].iter().enumerate().filter(|(_, digits)| !digits.is_empty()) {
            escaped.push(format!("u00{high}{}", class_of(digits)));
        }
    }
    match &escaped[..] {
        [] => {}
        [one] => options.push(format!(r"\\{one}")),
        several => options.push(format!(r"\\(?:{})", several.join("|"))),
    }
    match &options[..] {
        [one] => pattern.push_str(one),
        several => {
            let _ = write!(pattern, "(?:{})", several.join("|"));
        }
    }
}

/// Returns true for a class, or a group that begins with `(?:` and ends with its parenthesis.
fn is_one_group(pattern: &str) -> bool {
    let mut escaped = false;
    let (mut depth, mut in_class) = (0_u32, false);
    for (index, byte) in pattern.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'[' => in_class = true,
            b']' => in_class = false,
            _ if in_class => {}
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && !in_class && !escaped {
            return index + 1 == pattern.len() && matches!(byte, b')' | b']');
        }
    }
    false
}

/// Returns the pattern of some characters.
fn class_of(chars: &[char]) -> String {
    class_text(ClassUnicode::new(chars.iter().map(|&char| ClassUnicodeRange::new(char, char))))
}

/// Returns the pattern of a class, in ASCII.
fn class_text(class: ClassUnicode) -> String {
    let mut text = String::new();
    for char in Hir::class(Class::Unicode(class)).to_string().chars() {
        if char.is_ascii() {
            text.push(char);
        } else {
            let _ = write!(text, "\\x{{{:x}}}", u32::from(char));
        }
    }
    text
}

/// Result of [`rewrite_pattern`].
type Rewritten = Option<Option<String>>;

/// Patterns that were rewritten first, and the results. Nearly all schemas have the same few patterns, and
/// parsing them takes longer than the rest of a translation.
static KNOWN_PATTERNS: RwLock<FxHashMap<(Escapes, Box<str>), Rewritten>> =
    RwLock::new(FxHashMap::with_hasher(FxBuildHasher));

/// Number of patterns that are kept, and the greatest length of one and of its result, in bytes.
const MAX_KNOWN_PATTERNS: usize = 256;
const MAX_KNOWN_PATTERN_BYTES: usize = 2_048;

/// As [`rewrite_pattern`]. Looks among the known patterns first.
pub(super) fn rewrite_known_pattern(pattern: &str, escapes: Escapes) -> Rewritten {
    if pattern.len() > MAX_KNOWN_PATTERN_BYTES {
        return rewrite_pattern(pattern, escapes);
    }
    let key = (escapes, Box::<str>::from(pattern));
    let known = KNOWN_PATTERNS.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
    if let Some(known) = known {
        return known;
    }
    let rewritten = rewrite_pattern(pattern, escapes);
    let length = rewritten.iter().flatten().map(String::len).sum::<usize>();
    let mut patterns = KNOWN_PATTERNS.write().unwrap_or_else(PoisonError::into_inner);
    if patterns.len() < MAX_KNOWN_PATTERNS && length <= MAX_KNOWN_PATTERN_BYTES {
        patterns.insert(key, rewritten.clone());
    }
    rewritten
}

/// Returns the pattern of the spellings of the texts of a pattern, or `Some(None)` if it is the same
/// pattern. Returns `None` if it has assertions or bytes, which are not rewritten.
fn rewrite_pattern(pattern: &str, escapes: Escapes) -> Rewritten {
    let hir = regex_syntax::Parser::new().parse(pattern).ok()?;
    let mut rewriter =
        Rewriter { escapes, text: String::with_capacity(pattern.len() + 64), is_changed: false };
    rewriter.push(&hir)?;
    Some(rewriter.is_changed.then_some(rewriter.text))
}

/// Writes a pattern with each character replaced by its spellings.
struct Rewriter {
    escapes: Escapes,
    text: String,
    is_changed: bool,
}

impl Rewriter {
    /// Appends an expression. The recursion is as deep as the parser of patterns allows.
    fn push(&mut self, hir: &Hir) -> Option<()> {
        match hir.kind() {
            HirKind::Empty => self.text.push_str("(?:)"),
            HirKind::Literal(literal) => {
                for char in std::str::from_utf8(&literal.0).ok()?.chars() {
                    self.is_changed |=
                        is_special(char) && !(char == '/' && self.escapes == Escapes::Required);
                    push_character(&mut self.text, char, self.escapes);
                }
            }
            HirKind::Class(class) => {
                let class = match class {
                    Class::Unicode(class) => class.clone(),
                    Class::Bytes(class) => class.to_unicode_class()?,
                };
                let is_special = |range: &ClassUnicodeRange| {
                    let has = |char| range.start() <= char && char <= range.end();
                    range.start() <= LAST_CONTROL
                        || has('"')
                        || has('\\')
                        || has('/') && self.escapes == Escapes::Short
                };
                if class.iter().any(is_special) {
                    self.is_changed = true;
                    push_class(&mut self.text, &class, self.escapes);
                } else {
                    self.text.push_str(&class_text(class));
                }
            }
            HirKind::Look(_) => return None,
            HirKind::Repetition(Repetition { min, max, sub, .. }) => {
                let start = self.text.len();
                self.push(sub)?;
                if !is_one_group(&self.text[start..]) {
                    self.text.insert_str(start, "(?:");
                    self.text.push(')');
                }
                let _ = match (min, max) {
                    (0, Some(1)) => write!(self.text, "?"),
                    (0, None) => write!(self.text, "*"),
                    (1, None) => write!(self.text, "+"),
                    (min, None) => write!(self.text, "{{{min},}}"),
                    (min, Some(max)) => write!(self.text, "{{{min},{max}}}"),
                };
            }
            HirKind::Capture(capture) => self.group(std::slice::from_ref(&*capture.sub), "")?,
            HirKind::Concat(parts) => self.group(parts, "")?,
            HirKind::Alternation(parts) => self.group(parts, "|")?,
        }
        Some(())
    }

    fn group(&mut self, parts: &[Hir], separator: &str) -> Option<()> {
        self.text.push_str("(?:");
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                self.text.push_str(separator);
            }
            self.push(part)?;
        }
        self.text.push(')');
        Some(())
    }
}
