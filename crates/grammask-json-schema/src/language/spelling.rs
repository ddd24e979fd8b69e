//! Spellings of strings: from the contents of a string to the texts between its quotes, by
//! [`Escapes`](crate::Escapes).
//!
//! With [`Escapes::Any`], that is `json!(contents)`. The other sets of spellings are small: nearly every
//! character is written as itself alone. So the contents are rewritten character by character, and most
//! languages, such as those of formats, stay as they are.
//!
//! Reading a spelling yields one text, and the spellings of `ab` are those of `a` before those of `b`.
//! So rewriting commutes with sequences, repetitions, unions and intersections. A complement is taken
//! among the spellings of all texts.

use std::fmt::Write;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition};
use rustc_hash::FxHashMap;

use super::{ANY_TEXT, Language, LanguageId, Languages};
use crate::{Config, Escapes};

/// Levels of nested languages that are rewritten. Deeper ones become an intersection of `json!` and the
/// spellings of all texts.
const MAX_REWRITTEN_LEVELS: u32 = 64;

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
const LAST_CONTROL: char = '\u{1f}';

/// The chosen spellings, and the languages that were rewritten before.
pub(super) struct Spellings {
    literals: Escapes,
    strings: Escapes,
    /// Memo of [`Languages::spelled`].
    spelled: FxHashMap<LanguageId, LanguageId>,
    /// Memo of [`Languages::rewritten`].
    rewritten: FxHashMap<(LanguageId, Escapes), LanguageId>,
}

impl Spellings {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            literals: config.literal_escapes,
            strings: config.string_escapes,
            spelled: FxHashMap::default(),
            rewritten: FxHashMap::default(),
        }
    }
}

impl Languages {
    /// Returns the texts that may occur between the quotes of a string with these contents.
    ///
    /// # Complexity
    /// Linear in the size of the expression. Each pattern in it is parsed once.
    pub(crate) fn spelled(&mut self, contents: LanguageId) -> LanguageId {
        let Spellings { literals, strings, .. } = self.spellings;
        if (literals, strings) == (Escapes::Any, Escapes::Any) {
            return self.json(contents);
        }
        if let Some(&known) = self.spellings.spelled.get(&contents) {
            return known;
        }
        let spelled = self.spelled_anew(contents);
        self.spellings.spelled.insert(contents, spelled);
        spelled
    }

    /// Computes [`spelled`](Self::spelled): listed texts have the spellings of literals, all others those of
    /// strings.
    fn spelled_anew(&mut self, contents: LanguageId) -> LanguageId {
        let Spellings { literals, strings, .. } = self.spellings;
        if self.is_list(contents) {
            return self.rewritten(contents, literals, 0);
        }
        match self.get(contents).clone() {
            Language::Union(parts) => {
                let (listed, free): (Vec<_>, Vec<_>) =
                    parts.into_iter().partition(|&part| self.is_list(part));
                let (listed, free) = (self.union(listed), self.union(free));
                let parts = [self.rewritten(listed, literals, 0), self.rewritten(free, strings, 0)];
                self.union(parts)
            }
            Language::And(parts) if parts.iter().any(|&part| self.is_list(part)) => {
                let (listed, free): (Vec<_>, Vec<_>) =
                    parts.into_iter().partition(|&part| self.is_list(part));
                let (listed, free) = (self.and(listed), self.and(free));
                // The spellings of literals may be more than those of strings.
                let parts = [self.rewritten(listed, literals, 0), self.json(free)];
                self.and(parts)
            }
            _ => self.rewritten(contents, strings, 0),
        }
    }

    fn json(&mut self, contents: LanguageId) -> LanguageId {
        match contents {
            LanguageId::NONE | LanguageId::EMPTY_TEXT => contents,
            _ => self.intern(Language::Json(contents)),
        }
    }

    /// Returns true for a text, and for a list of texts.
    fn is_list(&self, id: LanguageId) -> bool {
        match self.get(id) {
            Language::Text(_) => true,
            Language::Union(parts) => parts.iter().all(|&part| matches!(self.get(part), Language::Text(_))),
            _ => false,
        }
    }

    /// Returns the spellings of a language. `level` counts the languages around it.
    fn rewritten(&mut self, id: LanguageId, escapes: Escapes, level: u32) -> LanguageId {
        if escapes == Escapes::Any {
            return self.json(id);
        }
        if let Some(&known) = self.spellings.rewritten.get(&(id, escapes)) {
            return known;
        }
        let spelled = self.rewritten_anew(id, escapes, level);
        self.spellings.rewritten.insert((id, escapes), spelled);
        spelled
    }

    /// Computes [`rewritten`](Self::rewritten).
    fn rewritten_anew(&mut self, id: LanguageId, escapes: Escapes, level: u32) -> LanguageId {
        if level > MAX_REWRITTEN_LEVELS {
            return self.selected(id, escapes);
        }
        let language = self.get(id).clone();
        let all = |this: &mut Self, parts: &[LanguageId]| -> Vec<LanguageId> {
            parts.iter().map(|&part| this.rewritten(part, escapes, level + 1)).collect()
        };
        match language {
            Language::None => id,
            Language::Text(text) => {
                if !text.contains(is_special) {
                    return id;
                }
                if escapes == Escapes::Required {
                    let spelled: String = text.chars().map(required).collect();
                    return self.text(&spelled);
                }
                let mut pattern = String::with_capacity(text.len() + 16);
                text.chars().for_each(|char| push_character(&mut pattern, char, escapes));
                self.regex(&pattern)
            }
            Language::Regex(pattern) => match rewrite_pattern(&pattern, escapes) {
                Some(Some(rewritten)) => self.regex(&rewritten),
                Some(None) => id,
                None => self.selected(id, escapes),
            },
            Language::Sequence(parts) => {
                let parts = all(self, &parts);
                self.sequence(parts)
            }
            Language::Union(parts) => {
                let parts = all(self, &parts);
                self.union(parts)
            }
            Language::And(parts) => {
                let parts = all(self, &parts);
                self.and(parts)
            }
            Language::Not(part) => {
                let excluded = self.rewritten(part, escapes, level + 1);
                let (any, rest) = (self.any_spelling(escapes), self.not(excluded));
                self.and([any, rest])
            }
            Language::Repeat(part, min, max) => {
                let part = self.rewritten(part, escapes, level + 1);
                self.repeat(part, min, max)
            }
            Language::Multiple(_) | Language::Compared(..) | Language::Json(_) => self.selected(id, escapes),
        }
    }

    /// Returns the spellings of a language, selected from all that JSON has.
    fn selected(&mut self, id: LanguageId, escapes: Escapes) -> LanguageId {
        let parts = [self.json(id), self.any_spelling(escapes)];
        self.and(parts)
    }

    /// Returns the spellings of all texts.
    fn any_spelling(&mut self, escapes: Escapes) -> LanguageId {
        let any = rewrite_pattern(ANY_TEXT, escapes).flatten().unwrap_or_else(|| ANY_TEXT.to_owned());
        self.regex(&any)
    }
}

/// Returns true for a character that has an escape in [`Escapes::Short`].
const fn is_special(char: char) -> bool {
    matches!(char, '"' | '\\' | '/') || char <= LAST_CONTROL
}

/// Returns the letter of a short escape.
fn short_letter(char: char) -> Option<char> {
    SHORT_ESCAPES.iter().find(|&&(escaped, _)| escaped == char).map(|&(_, letter)| letter)
}

/// Returns the only spelling of a character with [`Escapes::Required`].
fn required(char: char) -> String {
    match short_letter(char) {
        Some(letter) if char != '/' => format!("\\{letter}"),
        None if char <= LAST_CONTROL => format!("\\u{:04x}", u32::from(char)),
        _ => char.to_string(),
    }
}

/// Appends a pattern of the spellings of a character.
fn push_character(pattern: &mut String, char: char, escapes: Escapes) {
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

/// Returns the pattern of the spellings of the texts of a pattern, or `Some(None)` if it is the same
/// pattern. Returns `None` if it has assertions or bytes, which are not rewritten.
fn rewrite_pattern(pattern: &str, escapes: Escapes) -> Option<Option<String>> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    fn languages(literal_escapes: Escapes, string_escapes: Escapes) -> Languages {
        Languages::new(&Config { literal_escapes, string_escapes, ..Config::new(Profile::Standard) })
    }

    /// Returns all spellings of a character, and whether each is short and required.
    fn spellings(char: char) -> Vec<(String, bool, bool)> {
        let mut all = Vec::new();
        if char > LAST_CONTROL && char != '"' && char != '\\' {
            all.push((char.to_string(), true, true));
        }
        if let Some(letter) = short_letter(char) {
            all.push((format!("\\{letter}"), true, char != '/'));
        }
        let code = u32::from(char);
        if code < 0x1_0000 {
            let is_control = char <= LAST_CONTROL;
            let lower = format!("\\u{code:04x}");
            let upper = format!("\\u{code:04X}");
            all.push((
                upper.clone(),
                is_control,
                is_control && short_letter(char).is_none() && upper == lower,
            ));
            if upper != lower {
                all.push((lower, is_control, is_control && short_letter(char).is_none()));
            }
        }
        all
    }

    #[test]
    fn each_text_has_exactly_its_spellings() {
        let contents: [fn(&mut Languages) -> LanguageId; 12] = [
            |_| LanguageId::ANY,
            |l| l.text("a/\n"),
            |l| l.regex("[a\"/]{1,2}"),
            |l| l.regex(r"[^a\n]*"),
            |l| l.regex("(?:ab|\\x01\\x0b)?"),
            |l| l.length(1, Some(2)),
            |l| {
                let (a, b) = (l.text("a"), l.text("\n"));
                let both = l.union([a, b]);
                l.not(both)
            },
            |l| {
                let (list, one) = (l.regex(r#"["\\/]+"#), l.text("/"));
                let rest = l.not(one);
                l.and([list, rest])
            },
            |l| {
                let (a, b) = (l.text("/"), l.text("b"));
                let (list, two) = (l.union([a, b]), l.length(1, Some(1)));
                l.and([list, two])
            },
            |l| {
                let (a, b) = (l.text("\u{1f}"), l.regex("[a-c]"));
                l.union([a, b])
            },
            |l| {
                let (a, b) = (l.text("\""), l.regex("\\x7f?"));
                l.sequence([a, b])
            },
            |l| l.regex(r"[\x00-\x1f]"),
        ];
        let alphabet =
            ['a', 'b', '"', '\\', '/', '\n', '\u{1}', '\u{b}', '\u{1f}', '\u{7f}', 'é', '\u{2028}'];
        let mut texts = vec![String::new()];
        texts.extend(alphabet.iter().map(|char| char.to_string()));
        texts.extend(alphabet.iter().flat_map(|a| alphabet.iter().map(move |b| format!("{a}{b}"))));
        let modes = [Escapes::Any, Escapes::Short, Escapes::Required];
        for (literal, string) in modes.into_iter().flat_map(|a| modes.map(|b| (a, b))) {
            for (number, make) in contents.iter().enumerate() {
                let mut languages = languages(literal, string);
                let id = make(&mut languages);
                let spelled = languages.spelled(id);
                let is_literal = |this: &Languages, text: &str| match this.get(id) {
                    Language::Union(parts) => parts
                        .iter()
                        .any(|&part| matches!(this.get(part), Language::Text(other) if other == text)),
                    Language::And(_) => number == 8,
                    Language::Text(_) => true,
                    _ => false,
                };
                for text in &texts {
                    let is_member = languages.contains(id, text).unwrap();
                    let mode = if is_literal(&languages, text) { literal } else { string };
                    let mut all = vec![(String::new(), true, true)];
                    for char in text.chars() {
                        all = all
                            .iter()
                            .flat_map(|(before, short, required)| {
                                spellings(char).into_iter().map(move |(one, is_short, is_required)| {
                                    (format!("{before}{one}"), *short && is_short, *required && is_required)
                                })
                            })
                            .collect();
                    }
                    for (spelling, is_short, is_required) in all {
                        let is_allowed = match mode {
                            Escapes::Any => true,
                            Escapes::Short => is_short,
                            Escapes::Required => is_required,
                        };
                        assert_eq!(
                            languages.contains(spelled, &spelling).unwrap(),
                            is_member && is_allowed,
                            "language {number}, {literal:?}, {string:?}: {spelling} of {text:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn languages_without_special_characters_stay_as_they_are() {
        let mut languages = languages(Escapes::Required, Escapes::Short);
        let date = languages.regex("[0-9]{4}-[0-9]{2}");
        assert_eq!(languages.spelled(date), date);
        let text = languages.text("name");
        assert_eq!(languages.spelled(text), text);
    }
}
