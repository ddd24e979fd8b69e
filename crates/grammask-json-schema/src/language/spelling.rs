//! Spellings of strings: from the contents of a string to the texts between its quotes, by
//! [`Escapes`].
//!
//! That is `json!(contents)` with these escapes. Where no member has a character with an escape, such as in
//! most formats, the contents are their own spelling. Listed texts with one spelling stay lists of texts.

use rustc_hash::FxHashMap;

use super::{Language, LanguageId, Languages};
use crate::{Config, Escapes};
use pattern::has_escaped_character;

mod pattern;

/// Levels of nested languages that are searched for characters with an escape. Deeper ones count as if they
/// had some.
const MAX_SEARCHED_LEVELS: u32 = 64;

/// The chosen spellings, and the languages that were spelled before.
pub(super) struct Spellings {
    literals: Escapes,
    strings: Escapes,
    /// Memo of [`Languages::spelled`].
    spelled: FxHashMap<LanguageId, LanguageId>,
    /// Memo of [`Languages::may_need_escapes`].
    may_need_escapes: FxHashMap<(LanguageId, Escapes), bool>,
}

impl Spellings {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            literals: config.literal_escapes,
            strings: config.string_escapes,
            spelled: FxHashMap::default(),
            may_need_escapes: FxHashMap::default(),
        }
    }
}

impl Languages {
    /// Returns the texts that are offered between the quotes of a string with these contents.
    ///
    /// # Complexity
    /// Linear in the size of the expression. Each pattern in it is parsed once. Intersections with dates or
    /// times are searched for a text.
    pub(crate) fn spelled(&mut self, contents: LanguageId) -> LanguageId {
        let contents = self.offered(contents);
        let Spellings { literals, strings, .. } = self.spellings;
        if (literals, strings) == (Escapes::Any, Escapes::Any) {
            return self.json(contents, Escapes::Any);
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
            return self.spelled_with(contents, literals);
        }
        match self.get(contents).clone() {
            Language::Union(parts) => {
                let (listed, free): (Vec<_>, Vec<_>) =
                    parts.into_iter().partition(|&part| self.is_list(part));
                let (listed, free) = (self.union(listed), self.union(free));
                let parts = [self.spelled_with(listed, literals), self.spelled_with(free, strings)];
                self.union(parts)
            }
            Language::And(parts) if parts.iter().any(|&part| self.is_list(part)) => {
                let (listed, free): (Vec<_>, Vec<_>) =
                    parts.into_iter().partition(|&part| self.is_list(part));
                let (listed, free) = (self.and(listed), self.and(free));
                // The spellings of literals may be more than those of strings.
                let parts = [self.spelled_with(listed, literals), self.json(free, Escapes::Any)];
                self.and(parts)
            }
            _ => self.spelled_with(contents, strings),
        }
    }

    fn json(&mut self, contents: LanguageId, escapes: Escapes) -> LanguageId {
        match contents {
            LanguageId::NONE | LanguageId::EMPTY_TEXT => contents,
            _ => self.intern(Language::Json(contents, escapes)),
        }
    }

    /// Returns true for a text, and for a list of texts.
    pub(super) fn is_list(&self, id: LanguageId) -> bool {
        match self.get(id) {
            Language::Text(_) => true,
            Language::Union(parts) => parts.iter().all(|&part| matches!(self.get(part), Language::Text(_))),
            _ => false,
        }
    }

    /// Returns the spellings of a language.
    fn spelled_with(&mut self, id: LanguageId, escapes: Escapes) -> LanguageId {
        if escapes != Escapes::Any && !self.may_need_escapes(id, escapes, 0) {
            return id;
        }
        if escapes == Escapes::Required && self.is_list(id) {
            let texts = match self.get(id) {
                Language::Union(parts) => parts.clone(),
                _ => vec![id],
            };
            let texts: Vec<LanguageId> = texts
                .into_iter()
                .map(|text| match self.get(text) {
                    Language::Text(text) => {
                        let spelled = Escapes::required(text);
                        self.text(&spelled)
                    }
                    _ => text,
                })
                .collect();
            return self.union(texts);
        }
        self.json(id, escapes)
    }

    /// Returns false only if no member has a character with an escape. `level` counts the languages around
    /// the language.
    fn may_need_escapes(&mut self, id: LanguageId, escapes: Escapes, level: u32) -> bool {
        if level > MAX_SEARCHED_LEVELS {
            return true;
        }
        if let Some(&known) = self.spellings.may_need_escapes.get(&(id, escapes)) {
            return known;
        }
        let may_need = match self.get(id).clone() {
            Language::None | Language::Multiple(_) | Language::Compared(..) => false,
            Language::Text(text) => text.contains(|char| escapes.has_escape(char)),
            Language::Regex(pattern) => has_escaped_character(&pattern, escapes),
            Language::Sequence(parts) | Language::Union(parts) => {
                parts.into_iter().any(|part| self.may_need_escapes(part, escapes, level + 1))
            }
            Language::And(parts) => {
                parts.into_iter().all(|part| self.may_need_escapes(part, escapes, level + 1))
            }
            Language::Repeat(part, ..) => self.may_need_escapes(part, escapes, level + 1),
            Language::Not(_) | Language::Json(..) => true,
        };
        self.spellings.may_need_escapes.insert((id, escapes), may_need);
        may_need
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    fn languages(literal_escapes: Escapes, string_escapes: Escapes) -> Languages {
        Languages::new(&Config { literal_escapes, string_escapes, ..Config::new(Profile::Standard) })
    }

    const LAST_CONTROL: char = '\u{1f}';

    /// Returns the letter of a short escape (RFC 8259, section 7).
    fn short_letter(char: char) -> Option<char> {
        let place = "\"\\/\u{8}\u{c}\n\r\t".chars().position(|escaped| escaped == char)?;
        "\"\\/bfnrt".chars().nth(place)
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
