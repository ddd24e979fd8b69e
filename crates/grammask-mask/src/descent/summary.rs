//! Parts of masks: what one node of the grammar takes below a set of places in the trie, whoever waits outside.

use std::sync::OnceLock;

use grammask_earley::{Error, NetworkNodeId};
use grammask_regular::analysis::{self, FiniteLanguage};
use grammask_trie::{TokenId, TokenSet};
use smallvec::SmallVec;

use crate::Masks;
use crate::descent::total::TakingId;
use crate::descent::{Buffers, Run};
use crate::lexicon::walk::output::{Asked, Findings};
use crate::lexicon::{FEW_TEXTS, ImportId, LexemeId, PartId, Taken, Tokens};
use crate::masks::budget::Fuel;
use crate::node_set::interned::ContinuationId;

/// Names a part: a node, and the places below which it is walked.
pub(crate) type PartKey = (NetworkNodeId, ContinuationId);

/// What a node takes below a set of places: its rule up to the end, and all that is called on the way.
pub(crate) struct Part {
    /// What the rule scans by itself: in no order, perhaps some of it twice, as it is only ever gathered with what others take.
    pub(crate) tokens: Box<[TokenId]>,
    /// The same, where it is much; and all that a lexeme takes that is not in the lexicon.
    pub(crate) large: TokenSet,
    /// The parts of lexemes that are called.
    pub(crate) lexemes: Box<[LexemeKey]>,
    /// The parts of the rules that are called.
    pub(crate) uses: Box<[PartKey]>,
    /// Where the rule is complete.
    pub(crate) handovers: Box<[ContinuationId]>,
    /// What it takes in all, once somebody asked.
    pub(crate) taking: OnceLock<TakingId>,
}

/// More steps than this are not followed back.
const LONGEST_PATH: usize = 64;

/// There is no lexeme in the lexicon for a node.
const NO_LEXEME: u32 = u32::MAX - 1;

/// What is known of a lexeme's state that may spell few texts.
enum Known {
    Part(PartId),
    /// The texts that it spells, and how the lexicon knows them.
    Texts(ImportId, FiniteLanguage),
}

/// Names the part of a lexeme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum LexemeKey {
    /// One of the lexicon.
    Shared(PartId),
    /// One of the grammar, where the lexicon has no room for the lexeme.
    Own(NetworkNodeId, ContinuationId),
}

impl LexemeKey {
    /// The same as a number, different ones for different keys.
    pub(crate) fn as_number(&self) -> u64 {
        // No continuation has the upper half of the former: there would have to be 2^32 of them.
        match *self {
            Self::Shared(part) => u64::from(part.number()) | u64::from(u32::MAX) << 32,
            Self::Own(node, continuation) => node.index() as u64 | continuation.high(),
        }
    }

    /// The same, if it is one of the lexicon.
    pub(crate) fn as_shared(&self) -> Option<PartId> {
        match *self {
            Self::Shared(part) => Some(part),
            Self::Own(..) => None,
        }
    }

    /// The part whose tokens are in a row from which those of this one differ in few.
    pub(crate) fn of_row(&self, taken: &Taken<'_>) -> Self {
        taken.kin.map_or(*self, |kin| Self::Shared(kin.part))
    }
}

impl Part {
    pub(crate) fn new(
        tokens: Box<[TokenId]>,
        large: TokenSet,
        lexemes: Box<[LexemeKey]>,
        uses: Box<[PartKey]>,
        handovers: Box<[ContinuationId]>,
    ) -> Self {
        Self { tokens, large, lexemes, uses, handovers, taking: OnceLock::new() }
    }
}

impl Masks {
    /// The lexeme that a node is a state of; none where the lexicon has no room for it.
    pub(crate) fn lexeme(&self, node: NetworkNodeId) -> Option<LexemeId> {
        if let Some(known) = self.known_lexeme(node) {
            return known.map(|(lexeme, _)| lexeme);
        }
        let lexeme = self.lexeme_by_steps(node).or_else(|| self.lexeme_by_language(node));
        self.note_lexeme(node, lexeme).map(|(lexeme, _)| lexeme)
    }

    /// The same by comparing languages.
    fn lexeme_by_language(&self, node: NetworkNodeId) -> Option<(LexemeId, bool)> {
        self.recognizer.inspect().lexeme(node, |store, language| self.lexicon.lexeme(store, language))?.ok()
    }

    /// The same by the steps that led to the node from one whose lexeme is known: taking known steps is less work than comparing
    /// languages. Where none is known, they begin where the lexeme does, which is asked for sooner or later: where else it may stand. But where it
    /// was few texts on the way, which nobody has needed as a lexeme, little is left of them here.
    fn lexeme_by_steps(&self, node: NetworkNodeId) -> Option<(LexemeId, bool)> {
        // From the last byte to the first.
        let mut text: SmallVec<[u8; LONGEST_PATH]> = SmallVec::new();
        let mut here = node;
        let known = loop {
            if text.len() == LONGEST_PATH {
                return None;
            }
            let Some((before, byte)) = self.recognizer.inspect().predecessor(here) else {
                if text.is_empty() {
                    return None;
                }
                let start = self.lexeme_by_language(here);
                self.note_lexeme(here, start);
                break start?;
            };
            text.push(byte);
            if let Some(known) = self.known_lexeme(before) {
                break known?;
            }
            if self.texts.get(before.index() as u32).is_some() {
                return None;
            }
            here = before;
        };
        text.reverse();
        let (lexeme, is_same) = known;
        if is_same { self.lexicon.after(lexeme, &text).ok() } else { None }
    }

    /// The lexeme of a node, if that is known; none also where there is none in the lexicon.
    fn known_lexeme(&self, node: NetworkNodeId) -> Option<Option<(LexemeId, bool)>> {
        let known = self.lexemes.get(node.index() as u32)?;
        Some((known != NO_LEXEME).then(|| (LexemeId::from_number(known >> 1), known & 1 == 1)))
    }

    fn note_lexeme(&self, node: NetworkNodeId, lexeme: Option<(LexemeId, bool)>) -> Option<(LexemeId, bool)> {
        // Two bits of a lexeme's number are not its own; more lexemes than are left would take more memory than any budget has.
        let lexeme = lexeme.filter(|(lexeme, _)| lexeme.number() < NO_LEXEME >> 1);
        let number = lexeme.map_or(NO_LEXEME, |(lexeme, is_same)| lexeme.number() << 1 | u32::from(is_same));
        self.budget.spend(self.lexemes.set(node.index() as u32, number).1);
        lexeme
    }

    /// The part of a lexeme's state: its name; and where the lexeme is complete, if that is asked.
    pub(crate) fn lexeme_part(
        &self,
        node: NetworkNodeId,
        continuation: ContinuationId,
        asked: Asked,
        fuel: &Fuel<'_>,
    ) -> Result<(LexemeKey, Option<ContinuationId>), Error> {
        let lexicon = &*self.lexicon;
        let is_whole = continuation == ContinuationId::WHOLE;
        let of = |part: PartId| {
            let handover = match asked {
                Asked::Tokens => None,
                Asked::Places => lexicon.part_of(part).handover(),
            };
            (LexemeKey::Shared(part), handover)
        };
        if is_whole
            && let Some(part) = self.wholes.get(node.index() as u32).map(PartId::from_number)
            && lexicon.part_of(part).answers(asked)
        {
            return Ok(of(part));
        }
        if let Some(part) = self.part_of_texts(node, continuation, fuel) {
            if is_whole {
                self.budget.spend(self.wholes.set(node.index() as u32, part.number()).1);
            }
            return Ok(of(part));
        }
        if let Some(lexeme) = self.lexeme(node)
            && let Some(part) = lexicon.known_part(lexeme, continuation, asked).or_else(|| {
                let part = lexicon.part(lexeme, continuation, asked).ok()?;
                fuel.burn(lexicon.part_of(part).nodes);
                Some(part)
            })
        {
            if is_whole {
                self.budget.spend(self.wholes.set(node.index() as u32, part.number()).1);
            }
            return Ok(of(part));
        }
        // A limit of the shared tables says nothing about this grammar's own.
        let part = self.walked(node, continuation)?;
        Ok((LexemeKey::Own(node, continuation), part.handovers.first().copied()))
    }

    /// The part of a lexeme's state that spells few texts, or of which no more than the first byte can be read, unless the lexeme is known, or that of a state
    /// from which steps lead here: by these it is found as fast.
    fn part_of_texts(
        &self,
        node: NetworkNodeId,
        continuation: ContinuationId,
        fuel: &Fuel<'_>,
    ) -> Option<PartId> {
        let lexicon = &*self.lexicon;
        let place = node.index() as u32;
        let known = self.texts.get(place);
        if let Some(id) = known
            && let Some(part) = lexicon.known_part_of_import(ImportId::from_number(id), continuation)
        {
            return Some(part);
        }
        let path =
            std::iter::successors(Some(node), |&here| Some(self.recognizer.inspect().predecessor(here)?.0));
        if path.take(LONGEST_PATH).any(|here| self.known_lexeme(here).is_some()) {
            return None;
        }
        // The recognizer is locked meanwhile, so the texts are only read there.
        let found = self.recognizer.inspect().lexeme(node, |store, language| {
            if let Some(part) = lexicon.part_of_opening(store, language, continuation) {
                return Some(Known::Part(part));
            }
            if !analysis::may_be_finite(store, language) {
                return None;
            }
            let spelled = analysis::positive_finite_language(store, language, FEW_TEXTS)?;
            let id = lexicon.import_of_texts(&spelled);
            self.budget.spend(self.texts.set(place, id.number()).1);
            Some(match lexicon.known_part_of_import(id, continuation) {
                Some(part) => Known::Part(part),
                None => Known::Texts(id, spelled),
            })
        })??;
        Some(match found {
            Known::Part(part) => part,
            Known::Texts(id, spelled) => {
                let part = lexicon.part_of_import(id, &spelled, continuation);
                fuel.burn(lexicon.part_of(part).nodes);
                part
            }
        })
    }

    /// The tokens of a lexeme's part.
    pub(crate) fn lexeme_tokens(&self, key: LexemeKey) -> Result<Taken<'_>, Error> {
        match key {
            LexemeKey::Own(node, continuation) => {
                Ok(Taken { own: Tokens::Set(&self.walked(node, continuation)?.large), kin: None })
            }
            LexemeKey::Shared(part) => Ok(self.lexicon.taken(part)),
        }
    }

    /// The part of a node, which is no lexeme's, under a continuation. None where the grammar is so ambiguous that this is no way to find
    /// a mask, or where the fuel is burnt.
    pub(crate) fn part(
        &self,
        key: PartKey,
        fuel: &Fuel<'_>,
        buffers: &mut Buffers,
    ) -> Result<Option<&Part>, Error> {
        if let Some(part) = self.parts.get(&key) {
            return Ok(part.as_ref());
        }
        match Run::new(self, fuel, buffers).run(key)? {
            true => {}
            // What has burnt the fuel is known the next time.
            false if fuel.is_burnt() => return Ok(None),
            false => _ = self.keep(key, None),
        }
        Ok(self.parts.get(&key).and_then(Option::as_ref))
    }

    /// The part of a lexeme's state by walking it as it is.
    fn walked(&self, node: NetworkNodeId, continuation: ContinuationId) -> Result<&Part, Error> {
        let key = (node, continuation);
        if let Some(Some(part)) = self.parts.get(&key) {
            return Ok(part);
        }
        let list = self.lexicon.continuation(continuation);
        let mut findings = Findings::new(self.lexicon.ground());
        let set = self.recognizer.inspect().open_state(node)?;
        self.lexicon.spend(findings.walk_below(&self.recognizer, set, list)?);
        self.walked.add(findings.distance);
        let (tokens, places) = findings.finish();
        let handovers = places.map(|places| self.lexicon.intern(places)).into_iter().collect();
        let part = Part::new(Box::default(), tokens, Box::default(), Box::default(), handovers);
        Ok(self.keep(key, Some(part)).as_ref().expect("what is under this key is a part"))
    }

    pub(crate) fn keep(&self, key: PartKey, part: Option<Part>) -> &Option<Part> {
        let bytes = part.as_ref().map_or(0, |part| {
            size_of_val(&*part.tokens)
                + part.large.bytes_used()
                + size_of_val(&*part.lexemes)
                + size_of_val(&*part.uses)
                + size_of_val(&*part.handovers)
        });
        self.budget.spend(size_of::<(PartKey, Option<Part>)>() + bytes);
        self.parts.insert(key, part).0
    }
}
