//! Languages of all texts with `min..=max` characters. Intersections, unions and complements of them are
//! again such languages, so that the automata count instead of unrolling a complement character by character.

use super::{Language, LanguageId, Languages};

/// Pattern of every character.
const ANY_CHARACTER: &str = "(?s:.)";

impl Languages {
    /// Interns the texts with `min..=max` characters.
    pub(crate) fn length(&mut self, min: u32, max: Option<u32>) -> LanguageId {
        let any = self.regex(ANY_CHARACTER);
        match (min, max) {
            (0, None) => LanguageId::ANY,
            _ => self.repeat(any, min, max),
        }
    }

    /// Returns the range of a language of all texts with a length in it. Returns `None` for any other
    /// language.
    pub(super) fn as_length(&self, id: LanguageId) -> Option<(u32, Option<u32>)> {
        let is_any = |id| matches!(self.get(id), Language::Regex(pattern) if pattern == ANY_CHARACTER);
        match *self.get(id) {
            Language::Repeat(of, min, max) if is_any(of) => Some((min, max)),
            _ if is_any(id) => Some((1, Some(1))),
            _ if id == LanguageId::EMPTY_TEXT => Some((0, Some(0))),
            _ => None,
        }
    }

    /// Removes the length ranges from `parts` if there are several, and returns them.
    fn take_lengths(&self, parts: &mut Vec<LanguageId>) -> Vec<(u32, Option<u32>)> {
        let lengths: Vec<_> = parts.iter().filter_map(|&part| self.as_length(part)).collect();
        if lengths.len() > 1 {
            parts.retain(|&part| self.as_length(part).is_none());
        }
        lengths
    }

    /// Replaces several length ranges by their intersection.
    pub(super) fn intersect_lengths(&mut self, parts: &mut Vec<LanguageId>) {
        let lengths = self.take_lengths(parts);
        if lengths.len() < 2 {
            return;
        }
        let least = lengths.iter().map(|&(min, _)| min).max().unwrap_or(0);
        let most = lengths.iter().filter_map(|&(_, max)| max).min();
        let is_void = most.is_some_and(|most| most < least);
        parts.push(if is_void { LanguageId::NONE } else { self.length(least, most) });
    }

    /// Replaces length ranges that overlap or are adjacent by their union.
    pub(super) fn union_lengths(&mut self, parts: &mut Vec<LanguageId>) {
        let mut lengths = self.take_lengths(parts);
        if lengths.len() < 2 {
            return;
        }
        lengths.sort_unstable_by_key(|&(min, _)| min);
        let mut united: Vec<(u32, Option<u32>)> = Vec::new();
        for (min, max) in lengths {
            match united.last_mut() {
                Some((_, most)) if most.is_none_or(|most| min <= most.saturating_add(1)) => {
                    *most = most.zip(max).map(|(a, b)| a.max(b));
                }
                _ => united.push((min, max)),
            }
        }
        parts.extend(united.into_iter().map(|(min, max)| self.length(min, max)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    #[test]
    fn lengths_are_closed_under_boolean_operations() {
        let mut languages = Languages::new(&Config::default());
        let lengths = [
            (0, Some(0)),
            (0, Some(3)),
            (1, None),
            (1, Some(1)),
            (2, Some(2)),
            (3, Some(5)),
            (5, None),
            (7, Some(9)),
        ];
        let ids = lengths.map(|(min, max)| languages.length(min, max));
        let holds =
            |length: (u32, Option<u32>), count| length.0 <= count && length.1.is_none_or(|max| count <= max);
        for (&a, &of_a) in ids.iter().zip(&lengths) {
            let not = languages.not(a);
            assert!(!matches!(languages.get(not), Language::Not(_)), "{of_a:?}");
            for (&b, &of_b) in ids.iter().zip(&lengths) {
                let (both, either, less) =
                    (languages.and([a, b]), languages.union([a, b]), languages.and([b, not]));
                assert!(languages.as_length(both).is_some() || both == LanguageId::NONE);
                for count in 0..12 {
                    let text = "é".repeat(count as usize);
                    let (in_a, in_b) = (holds(of_a, count), holds(of_b, count));
                    for (language, expected) in
                        [(not, !in_a), (both, in_a && in_b), (either, in_a || in_b), (less, in_b && !in_a)]
                    {
                        assert_eq!(
                            languages.contains(language, &text),
                            Ok(expected),
                            "{of_a:?} {of_b:?} {count}"
                        );
                    }
                }
            }
        }
        let long = languages.length(4, None);
        assert_eq!(languages.union([ids[1], long]), LanguageId::ANY, "lengths that touch");
    }
}
