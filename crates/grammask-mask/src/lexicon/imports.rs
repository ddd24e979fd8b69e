//! Languages of grammars, each of which has a store of its own: the lexemes that they are here, whoever asks first. Where one is that of the spellings
//! of few texts, what it takes is found without a lexeme: the values and keys of a schema are many, and most of them are nobody else's.

use std::sync::OnceLock;

use grammask_regular::{Error, RegularId, Spelled, Store};
use smallvec::SmallVec;

use super::automaton::LexemeId;
use super::{Lexicon, PartId};
use crate::continuation::ContinuationId;

/// Longer transcripts are not kept: what is so large is rare, and imported each time.
const LONG_TRANSCRIPT: usize = 16_384;

/// Most are shorter, and need no allocation.
const SHORT_TRANSCRIPT: usize = 256;

/// A language of another store that has been asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ImportId(u32);

impl ImportId {
    /// As a number, and back.
    pub(crate) const fn number(self) -> u32 {
        self.0
    }

    pub(crate) const fn from_number(number: u32) -> Self {
        Self(number)
    }
}

/// What a language of another store is here.
pub(crate) enum Import {
    /// A lexeme, or one that takes the same tokens; and whether it has that language.
    Lexeme(LexemeId, bool),
    /// It may be that of the spellings of few texts, and nobody has needed a lexeme yet.
    MayBeTexts(ImportId),
}

/// What is known of it.
#[derive(Default)]
pub(super) struct Imported {
    /// The lexeme with the language, or one that takes the same tokens; and whether it is that language.
    lexeme: OnceLock<(LexemeId, bool)>,
}

impl Lexicon {
    /// The lexeme with the language `language` of another store, or one that takes the same tokens; and whether it is that language.
    ///
    /// # Errors
    /// When a limit of regular languages is exceeded.
    pub(crate) fn lexeme(&self, from: &Store, language: RegularId) -> Result<(LexemeId, bool), Error> {
        let import = || self.automaton.import(from, language, &self.budget);
        let Some(id) = self.imported(from, language) else { return import() };
        let place = &self.imported.value(id.0).lexeme;
        match place.get() {
            Some(known) => Ok(*known),
            None => {
                let found = import()?;
                Ok(*place.get_or_init(|| found))
            }
        }
    }

    /// What a language of another store is that may be that of the spellings of few texts.
    pub(crate) fn may_be_texts(&self, from: &Store, language: RegularId) -> Option<Import> {
        if !from.may_be_spelled(language) {
            return None;
        }
        let id = self.imported(from, language)?;
        Some(match self.imported.value(id.0).lexeme.get() {
            Some(&(lexeme, is_same)) => Import::Lexeme(lexeme, is_same),
            None => Import::MayBeTexts(id),
        })
    }

    /// What such a language takes below places, if that has been asked before.
    pub(crate) fn known_part_of_import(&self, id: ImportId, continuation: ContinuationId) -> Option<PartId> {
        self.of_texts.get(&(id, continuation)).copied()
    }

    /// What it takes below places: the spellings of these texts.
    pub(crate) fn part_of_import(
        &self,
        id: ImportId,
        spelled: &Spelled,
        continuation: ContinuationId,
    ) -> PartId {
        let part = self.add(self.part_of_spelled(spelled, continuation));
        let (part, is_new) = self.of_texts.insert((id, continuation), part);
        if is_new {
            self.budget.spend(size_of::<(ImportId, ContinuationId, PartId)>());
        }
        *part
    }

    fn imported(&self, from: &Store, language: RegularId) -> Option<ImportId> {
        let mut transcript: SmallVec<[u32; SHORT_TRANSCRIPT]> = SmallVec::new();
        if !from.transcribe(language, LONG_TRANSCRIPT, &mut |number| transcript.push(number)) {
            return None;
        }
        let known = self.imported.find(&transcript[..]);
        let id = known.unwrap_or_else(|| {
            self.budget.spend(size_of_val(&transcript[..]) + size_of::<(Box<[u32]>, Imported)>());
            self.imported.add(transcript.as_slice().into(), Imported::default()).0
        });
        Some(ImportId(id))
    }
}
