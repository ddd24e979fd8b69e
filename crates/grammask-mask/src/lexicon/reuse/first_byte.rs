//! Lexemes of which no token holds more than the first byte, below some places: a quote, mostly, behind which none of what begins there goes on as
//! the key does. All that begin with the same byte take the same there, and neither states nor texts are needed to find it.

use grammask_regular::{RegularId, Store, analysis};

use crate::lexicon::walk::output::Findings;
use crate::lexicon::{LexemePart, LexemeTokens, Lexicon, PartId};
use crate::node_set::Places;
use crate::node_set::interned::ContinuationId;

impl Lexicon {
    /// What a language of another store takes below places where only its first byte can be read; nothing where more can, or where that does not show.
    ///
    /// # Complexity
    /// O(1) but for the first language that begins with the byte.
    pub(crate) fn part_of_opening(
        &self,
        from: &Store,
        language: RegularId,
        continuation: ContinuationId,
    ) -> Option<PartId> {
        // At the beginning of a token something goes on by nearly every byte.
        if continuation == ContinuationId::WHOLE {
            return None;
        }
        let (byte, next) = analysis::first_two_bytes(from, language)?;
        let (reached, fresh) = self.continuation(continuation).reached(self.trie(), &self.outline, byte);
        self.spend(fresh);
        let reached = reached?;
        if !reached.branches.is_empty() {
            let short = self.config.short_list;
            let behind =
                reached.number(|branches| self.intern(Places::of_list(&self.outline, short, branches)));
            if !self.continuation(behind).first_bytes(&self.outline).intersection(&next).is_empty() {
                return None;
            }
        }
        let key = (continuation, byte);
        if let Some(&known) = self.openings.get(&key) {
            return Some(known);
        }
        let mut findings = Findings::new(self.ground());
        findings.allow_ranges(&reached.tokens);
        let (tokens, _) = findings.finish();
        let part = LexemePart::new(LexemeTokens::of(tokens), None, reached.nodes as u64);
        let (part, is_new) = self.openings.insert(key, self.add(part));
        if is_new {
            self.budget.spend(size_of::<((ContinuationId, u8), PartId)>());
        }
        Some(*part)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use grammask_regular::Store;
    use grammask_trie::{Mask, TokenId, Vocabulary};

    use super::*;
    use crate::LexiconConfig;
    use crate::lexicon::walk::output::Asked;
    use crate::lexicon::walk::{self, Walk};

    #[test]
    fn what_only_opens_takes_what_its_automaton_takes() {
        let words =
            ["[", "[\"", "\"", " \"", " \"a", ",\"", ",\"b", ",\"\\", "a", "[[", "[[\"", "xy", "[xy", " x"];
        let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
        let mut words: Vec<Vec<u8>> =
            words.iter().map(|word| word.as_bytes().to_vec()).chain(bytes).collect();
        words.sort_unstable();
        words.dedup();
        let tokens = (0..).map(TokenId).zip(words);
        let vocabulary = Vocabulary::new(tokens, [], &Default::default()).unwrap();
        let lexicon = Lexicon::new(Arc::new(vocabulary), &LexiconConfig::default());
        let mut store = Store::new(&Default::default());
        let quote = store.literal(b"\"").unwrap();
        let mut languages = Vec::new();
        for text in ["a", "b", "c", "", "ab|c", "\\.", "é"] {
            let text = store.regex(text).unwrap();
            let text = store.json_text(text).unwrap();
            languages.push(store.concat(&[quote, text, quote]).unwrap());
        }
        languages
            .extend(["x", "xy", "xz", "xy?", "x(y|z)", "a+"].map(|pattern| store.regex(pattern).unwrap()));
        // Below what comes before: places behind one byte, and behind one of several.
        let (mut openings, mut others) = (0, 0);
        for before in ["\\[", " ", ",", "\\[\\[", "[ ,]", "[\\[ ]|x"] {
            let before = store.regex(before).unwrap();
            let (before, _) = lexicon.lexeme(&store, before).unwrap();
            let part = lexicon.part(before, ContinuationId::WHOLE, Asked::Places).unwrap();
            let Some(id) = lexicon.part_of(part).handover() else { continue };
            for &language in &languages {
                let Some(part) = lexicon.part_of_opening(&store, language, id) else {
                    others += 1;
                    continue;
                };
                openings += 1;
                let mut mask = Mask::new(lexicon.vocabulary().id_count());
                lexicon.taken(part).union_into(&mut mask);
                let (lexeme, _) = lexicon.lexeme(&store, language).unwrap();
                let mut findings = Findings::new(lexicon.ground());
                walk::below(&mut Walk::new(&lexicon, lexeme), lexicon.continuation(id), false, &mut findings)
                    .unwrap();
                let (tokens, places) = findings.finish();
                let mut expected = Mask::new(lexicon.vocabulary().id_count());
                expected.union_set(&tokens);
                assert_eq!(
                    (mask, lexicon.part_of(part).handover()),
                    (expected, None),
                    "{}",
                    store.display(language)
                );
                assert!(places.is_none(), "{}", store.display(language));
            }
        }
        assert!(openings > 20 && others > 20, "{openings} openings, {others} others");
    }
}
