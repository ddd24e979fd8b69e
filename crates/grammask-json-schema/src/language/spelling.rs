//! Spellings of strings: from the contents of a string to the texts between its quotes, by
//! [`Escapes`](crate::Escapes).
//!
//! With [`Escapes::Any`], that is `json!(contents)`. The other sets of spellings are small: nearly every
//! character is written as itself alone. So the contents are rewritten character by character, and most
//! languages, such as those of formats, stay as they are.
//!
//! Reading a spelling yields one text, and the spellings of `ab` are those of `a` before those of `b`.
//! So rewriting commutes with sequences, repetitions, unions and intersections. Complements are intersected
//! with the spellings of all texts, once for each union or intersection that is not part of another.

use rustc_hash::FxHashMap;

use super::{ANY_TEXT, Language, LanguageId, Languages};
use crate::{Config, Escapes};
use pattern::{is_special, push_character, required, rewrite_known_pattern};

mod pattern;

/// Levels of nested languages that are rewritten. Deeper ones become an intersection of `json!` and the
/// spellings of all texts.
const MAX_REWRITTEN_LEVELS: u32 = 64;

/// The chosen spellings, and the languages that were rewritten before.
pub(super) struct Spellings {
    literals: Escapes,
    strings: Escapes,
    /// Memo of [`Languages::spelled`].
    spelled: FxHashMap<LanguageId, LanguageId>,
    /// Memo of [`Languages::rewritten`].
    rewritten: FxHashMap<(LanguageId, Escapes), LanguageId>,
    /// Memo of [`Languages::relative`].
    relative: FxHashMap<(LanguageId, Escapes), Relative>,
}

/// Result of [`Languages::relative`].
#[derive(Clone, Copy)]
struct Relative {
    language: LanguageId,
    /// True if all members are spellings.
    is_exact: bool,
}

impl Spellings {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            literals: config.literal_escapes,
            strings: config.string_escapes,
            spelled: FxHashMap::default(),
            rewritten: FxHashMap::default(),
            relative: FxHashMap::default(),
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
            Language::Regex(pattern) => match rewrite_known_pattern(&pattern, escapes) {
                Some(Some(rewritten)) => self.regex(&rewritten),
                Some(None) => id,
                None => self.selected(id, escapes),
            },
            Language::Sequence(parts) => {
                let parts = all(self, &parts);
                self.sequence(parts)
            }
            Language::Union(_) | Language::And(_) | Language::Not(_) => {
                let Relative { language, is_exact } = self.relative(id, escapes, level);
                if is_exact {
                    return language;
                }
                let any = self.any_spelling(escapes);
                self.and([any, language])
            }
            Language::Repeat(part, min, max) => {
                let part = self.rewritten(part, escapes, level + 1);
                self.repeat(part, min, max)
            }
            Language::Multiple(_) | Language::Compared(..) | Language::Json(_) => self.selected(id, escapes),
        }
    }

    /// Returns a language whose members among the spellings of all texts are those of `id`. A complement is
    /// one of all texts here, so that nested complements are not intersected one by one.
    fn relative(&mut self, id: LanguageId, escapes: Escapes, level: u32) -> Relative {
        if let Some(&known) = self.spellings.relative.get(&(id, escapes)) {
            return known;
        }
        let exact = |language| Relative { language, is_exact: true };
        let found = match self.get(id).clone() {
            _ if level > MAX_REWRITTEN_LEVELS => exact(self.selected(id, escapes)),
            Language::Union(parts) => {
                let parts = self.relative_to_each(&parts, escapes, level);
                let is_exact = parts.iter().all(|part| part.is_exact);
                Relative { language: self.union(parts.iter().map(|part| part.language)), is_exact }
            }
            Language::And(parts) => {
                let parts = self.relative_to_each(&parts, escapes, level);
                let is_exact = parts.iter().any(|part| part.is_exact);
                Relative { language: self.and(parts.iter().map(|part| part.language)), is_exact }
            }
            Language::Not(part) => {
                let excluded = self.relative(part, escapes, level + 1).language;
                Relative { language: self.not(excluded), is_exact: false }
            }
            _ => exact(self.rewritten(id, escapes, level + 1)),
        };
        self.spellings.relative.insert((id, escapes), found);
        found
    }

    fn relative_to_each(&mut self, parts: &[LanguageId], escapes: Escapes, level: u32) -> Vec<Relative> {
        parts.iter().map(|&part| self.relative(part, escapes, level + 1)).collect()
    }

    /// Returns the spellings of a language, selected from all that JSON has.
    fn selected(&mut self, id: LanguageId, escapes: Escapes) -> LanguageId {
        let parts = [self.json(id), self.any_spelling(escapes)];
        self.and(parts)
    }

    /// Returns the spellings of all texts.
    fn any_spelling(&mut self, escapes: Escapes) -> LanguageId {
        let any = rewrite_known_pattern(ANY_TEXT, escapes).flatten().unwrap_or_else(|| ANY_TEXT.to_owned());
        self.regex(&any)
    }
}

#[cfg(test)]
mod tests {
    use super::pattern::{LAST_CONTROL, short_letter};
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
