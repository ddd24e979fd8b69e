//! Languages of the stores of grammars, and the lexemes or texts that they are in the lexicon.
//!
//! The entry of a finite language is found from its texts, without a lexeme: a schema has many keys and
//! values.

use std::sync::OnceLock;

use grammask_regular::analysis::{self, FiniteLanguage};
use grammask_regular::{Error, RegularId, Store};
use grammask_work::narrow;
use smallvec::SmallVec;

use crate::lexicon::automaton::LexemeId;
use crate::lexicon::{EntryId, LanguageAnswer, Lexicon, MAX_TEXTS};
use crate::node_set::continuation::ContinuationId;

/// Words of a canonical form; longer ones are not stored, and the language is imported each time.
const MAX_KEPT_FORM_WORDS: usize = 16_384;

/// Words of a canonical form that need no allocation.
const INLINE_FORM_WORDS: usize = 256;

/// First word of the key of a finite language; no canonical form begins with it.
const TEXTS_TAG: u32 = u32::MAX;

/// Number of a language of another store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ImportId(u32);

impl ImportId {
    /// Returns the number; `from_number` is the inverse.
    pub(crate) const fn number(self) -> u32 {
        self.0
    }

    pub(crate) const fn from_number(number: u32) -> Self {
        Self(number)
    }
}

/// Data of an imported language.
#[derive(Default)]
pub(crate) struct Imported {
    /// The lexeme, and true if its language is the imported one. Otherwise it accepts the same tokens.
    lexeme: OnceLock<(LexemeId, bool)>,
}

impl Lexicon {
    /// Returns the lexeme of a language of another store, or one that accepts the same tokens. The flag is
    /// true if the languages are equal.
    ///
    /// # Errors
    /// Returns an error if a limit of regular languages is exceeded.
    pub(crate) fn lexeme(&self, from: &Store, language: RegularId) -> Result<(LexemeId, bool), Error> {
        let import = || self.automaton.import(from, language);
        let Some(id) = self.imported(from, language) else { return import() };
        let cell = &self.imported.value(id.0).lexeme;
        match cell.get() {
            Some(known) => Ok(*known),
            None => {
                let found = import()?;
                Ok(*cell.get_or_init(|| found))
            }
        }
    }

    /// Returns the number of the language that consists of the spellings of some texts.
    pub(crate) fn import_of_texts(&self, spelled: &FiniteLanguage) -> ImportId {
        let FiniteLanguage { before, texts, is_complement, after, escapes } = spelled;
        debug_assert!(!is_complement, "these are the texts of the language, not those that it lacks");
        let mut key: SmallVec<[u32; INLINE_FORM_WORDS]> = SmallVec::new();
        key.extend([TEXTS_TAG, *escapes as u32]);
        for text in [before, after].into_iter().chain(texts) {
            key.push(narrow(text.len()));
            let (words, rest) = text.as_chunks::<4>();
            key.extend(words.iter().map(|word| u32::from_le_bytes(*word)));
            key.extend(
                (!rest.is_empty()).then(|| rest.iter().fold(0, |all, &byte| all << 8 | u32::from(byte))),
            );
        }
        self.import_by(&key)
    }

    /// Returns the texts of a language of another store. Returns `None` if it is not finite, or if its
    /// expression does not show the texts.
    pub(crate) fn texts_of_language(
        &self,
        from: &Store,
        language: RegularId,
        _: ContinuationId,
    ) -> Option<LanguageAnswer> {
        if !analysis::may_be_finite(from, language) {
            return None;
        }
        let spelled = analysis::positive_finite_language(from, language, MAX_TEXTS)?;
        Some((self.import_of_texts(&spelled), spelled))
    }

    /// Returns the entry of such a language below a set of trie nodes, if it is known.
    pub(crate) fn known_entry_of_import(
        &self,
        id: ImportId,
        continuation: ContinuationId,
    ) -> Option<EntryId> {
        self.entries_of_texts.get(&(id, continuation)).copied()
    }

    /// Computes the entry of the spellings of some texts below a set of trie nodes, and stores it.
    pub(crate) fn entry_of_import(
        &self,
        id: ImportId,
        spelled: &FiniteLanguage,
        continuation: ContinuationId,
    ) -> EntryId {
        let entry = self.add(self.entry_of_texts(spelled, continuation));
        let (entry, is_new) = self.entries_of_texts.insert((id, continuation), entry);
        if is_new {
            self.budget.spend(size_of::<(ImportId, ContinuationId, EntryId)>());
        }
        *entry
    }

    fn imported(&self, from: &Store, language: RegularId) -> Option<ImportId> {
        let mut transcript: SmallVec<[u32; INLINE_FORM_WORDS]> = SmallVec::new();
        if !analysis::write_canonical_form(from, language, MAX_KEPT_FORM_WORDS, &mut |number| {
            transcript.push(number);
        }) {
            return None;
        }
        Some(self.import_by(&transcript))
    }

    fn import_by(&self, key: &[u32]) -> ImportId {
        let known = self.imported.find(key);
        ImportId(known.unwrap_or_else(|| {
            self.budget.spend(size_of_val(key) + size_of::<(Box<[u32]>, Imported)>());
            self.imported.add(key.into(), Imported::default()).0
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use grammask_regular::Escapes;
    use grammask_trie::Vocabulary;

    use super::*;
    use crate::LexiconConfig;

    #[test]
    fn texts_are_known_as_what_they_are() {
        let vocabulary = Vocabulary::new([], [], &Default::default()).unwrap();
        let lexicon = Lexicon::new(Arc::new(vocabulary), &LexiconConfig::default());
        let entries = ["", "a", "b", "ab", "abcd", "abcde", "a\0", "\0"].map(|text| text.as_bytes().to_vec());
        let mut all = Vec::new();
        for before in &entries {
            for after in &entries {
                for one in &entries {
                    all.push((before, vec![one.clone()], after));
                    all.extend(entries.iter().map(|other| (before, vec![one.clone(), other.clone()], after)));
                }
            }
        }
        let spelled = |(before, texts, after): &(&Vec<u8>, Vec<Vec<u8>>, &Vec<u8>)| FiniteLanguage {
            escapes: Escapes::Any,
            before: before.to_vec(),
            texts: texts.clone(),
            is_complement: false,
            after: after.to_vec(),
        };
        let ids: Vec<ImportId> = all.iter().map(|all| lexicon.import_of_texts(&spelled(all))).collect();
        let again: Vec<ImportId> = all.iter().map(|all| lexicon.import_of_texts(&spelled(all))).collect();
        assert_eq!(ids, again);
        let mut numbers: Vec<u32> = ids.into_iter().map(ImportId::number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), all.len());
    }
}
