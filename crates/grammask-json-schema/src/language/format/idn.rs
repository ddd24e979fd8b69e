//! International host names: RFC 5890 to 5893.
//!
//! No regular set knows the length of a label in Punycode, which labels in Punycode are valid, or which texts
//! are in normal form C. So the names here are a part of the valid ones:
//!
//! - no labels that start with `xn--`, and no character beyond U+FFFF;
//! - a label with other characters than ASCII has at most [`MAX_LABEL_CHARACTERS`] characters, or
//!   [`MAX_NEAR_LABEL_CHARACTERS`] if all are below U+0800;
//! - marks are in canonical order, at most one of each class for a character, and none may combine.

use super::host::{hostname, plain_label};
use super::idna_table::{
    GREEK, HEBREW, JAPANESE, LEFT, MARKS, NUKTAS, ORDERED_MARKS, RIGHT, RIGHT_MARKS, VIRAMAS,
};
use crate::language::{LanguageId, Languages};

/// Greatest number of characters of a label with characters up to U+FFFF. Punycode takes at most five digits
/// for each, which is 59 octets with `xn--`.
const MAX_LABEL_CHARACTERS: u32 = 11;

/// Greatest number of characters of a label with characters below U+0800. Punycode takes at most three digits
/// for each.
const MAX_NEAR_LABEL_CHARACTERS: u32 = 18;

/// Length of the longest name, in octets.
const MAX_NAME_OCTETS: u32 = 253;

/// Most octets that a character takes in a label with other characters than ASCII, with a part of `xn--`.
const MAX_OCTETS_PER_CHARACTER: u32 = 6;

/// The separators of labels: the full stop, and three characters that IDNA treats as it.
const SEPARATOR: &str = "[.\u{3002}\u{ff0e}\u{ff61}]";

/// Returns international host names. All of them are valid; see the module for those that are missing.
pub(super) fn idn_hostname(languages: &mut Languages) -> LanguageId {
    let ascii = languages.regex(&plain_label());
    let left = limited(languages, &left_label());
    let japanese = limited(languages, &japanese_label());
    let any = languages.union([ascii, left, japanese]);
    let left = names(languages, any);

    // In a name with a label from right to left, every label must follow the rules for directions.
    let strict = languages.regex("[a-z](?:-?[0-9a-z]){0,31}");
    let right = ["0-9\u{6f0}-\u{6f9}", "\u{660}-\u{669}"].map(right_label);
    let right = limited(languages, &format!("(?:{})", right.join("|")));
    let any = languages.union([strict, right]);
    let right = names(languages, any);
    let ascii = hostname(languages, true);
    languages.union([ascii, left, right])
}

/// Returns all texts that may be international host names.
pub(super) fn possible(languages: &mut Languages) -> LanguageId {
    languages.length(1, Some(MAX_NAME_OCTETS))
}

/// Returns the names of some labels. Three labels have at most 191 octets in Punycode. A name that has more
/// labels is bounded by its characters: with `xn--`, a character of a label takes six octets at most.
fn names(languages: &mut Languages, label: LanguageId) -> LanguageId {
    let separator = languages.regex(SEPARATOR);
    let more = languages.sequence([separator, label]);
    let few = languages.repeat(more, 0, Some(2));
    let few = languages.sequence([label, few]);
    let many = languages.repeat(more, 0, None);
    let many = languages.sequence([label, many]);
    let short = languages.length(1, Some(MAX_NAME_OCTETS / MAX_OCTETS_PER_CHARACTER));
    let many = languages.and([many, short]);
    languages.union([few, many])
}

/// Bounds a label by the characters that it has.
fn limited(languages: &mut Languages, label: &str) -> LanguageId {
    let label = languages.regex(label);
    let short = languages.length(1, Some(MAX_LABEL_CHARACTERS));
    let near = languages.regex("[\0-\u{7ff}]*");
    let near_short = languages.length(1, Some(MAX_NEAR_LABEL_CHARACTERS));
    let near = languages.and([near, near_short]);
    let limit = languages.union([short, near]);
    languages.and([label, limit])
}

/// A label that is written from left to right, in lower case.
fn left_label() -> String {
    let base = format!("[0-9a-z\u{6f0}-\u{6f9}{LEFT}]");
    let mark = format!("[{MARKS}]");
    // A joiner follows a virama directly.
    let others: String = ORDERED_MARKS.iter().map(|marks| format!("[{marks}]?")).collect();
    let marks = format!("[{NUKTAS}]?[{VIRAMAS}]?{others}");
    let joined = format!("[{NUKTAS}]?[{VIRAMAS}][\u{200c}\u{200d}]");
    let first = format!("(?:{base}|l(?:\u{b7}l)+|\u{375}[{GREEK}])");
    format!("{first}(?:(?:{marks}|{joined})(?:-?{first}|{mark}))*{marks}")
}

/// A label with the middle dot of Katakana, which needs a character of Japanese in the same label.
fn japanese_label() -> String {
    let any = format!("[0-9a-z\u{30fb}{JAPANESE}]*");
    format!("{any}[{JAPANESE}]{any}")
}

/// A label that is written from right to left, with one kind of digits.
fn right_label(digits: &str) -> String {
    let first = format!("(?:[{RIGHT}]|[{HEBREW}][\u{5f3}\u{5f4}])");
    let next = format!("-?(?:[{digits}{RIGHT}]|[{HEBREW}][\u{5f3}\u{5f4}])");
    format!("{first}[{RIGHT_MARKS}]?(?:{next}[{RIGHT_MARKS}]?)*")
}
