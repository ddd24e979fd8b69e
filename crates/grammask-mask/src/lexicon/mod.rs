//! The lexicon of a vocabulary: what lexemes take below places in the trie. That depends on no grammar, only on the language of
//! the lexeme, so it is computed once for all grammars.

use std::sync::{Arc, OnceLock};

use grammask_cache::{Arena, Budget, Memo};
use grammask_regular::Error;
use grammask_regular::analysis::Horizon;
use grammask_trie::index::{InnerId, TrieIndex};
use grammask_trie::{Mask, Trie, Vocabulary};

use crate::lexicon::walk::output::{Asked, Findings, Ground};
use crate::masks::delta_mask::{OwnerId, Rooms};
use crate::masks::stats::Walked;
use crate::node_set::Places;
use crate::node_set::interned::{Continuation, ContinuationId, Continuations};

mod automaton;
mod config;
mod entry;
mod import;
mod reuse;
mod rows;
mod slice;
pub(crate) mod walk;

pub(crate) use automaton::LexemeId;
pub use config::LexiconConfig;
pub(crate) use entry::{LexemeTokens, Taken, Tokens};
pub(crate) use import::ImportId;
pub(crate) use reuse::finite::FEW_TEXTS;

use automaton::Automaton;
use entry::Own;
use import::Imported;
use reuse::same_successors;
use slice::by_word_count::Kinds;
use slice::{Class, Slice, Whole};
use walk::Walk;
use walk::self_loop::Coverage;

/// What grammars over one vocabulary share.
///
/// Holds lexemes by their languages, places in the trie, and the results of walks. It grows while it is used, by any number of threads;
/// when [`is_over_budget`](Self::is_over_budget) says so, go on with a [`successor`](Self::successor).
pub struct Lexicon {
    vocabulary: Arc<Vocabulary>,
    outline: Arc<TrieIndex>,
    every: Arc<[u32]>,
    config: LexiconConfig,
    automaton: Automaton,
    continuations: Continuations,
    parts: Arena<LexemePart>,
    /// The parts of lexemes below a set of places; those at the beginning of a token are noted with the lexeme.
    places: Memo<(LexemeId, ContinuationId), PartId>,
    twins: Memo<same_successors::Ways, LexemeId>,
    /// Languages of other stores, by their transcripts or texts. See `import.rs`.
    imported: Memo<Box<[u32]>, Imported>,
    /// What those of them that are spellings of few texts take below places.
    of_texts: Memo<(ImportId, ContinuationId), PartId>,
    /// What is taken below places where only the first byte can be read: see `first_byte.rs`.
    openings: Memo<(ContinuationId, u8), PartId>,
    /// See `rows.rs`: rows, and which is that of several parts.
    unions: Memo<Box<[PartId]>, u32>,
    rows: Arena<Mask>,
    owner: OwnerId,
    /// Where outputs that have ended leave the rows that they wrote.
    rooms: Arc<Rooms>,
    /// The places below which slices are used.
    bases: Box<[InnerId]>,
    /// The slices from which the others are made.
    whole: Arc<Whole>,
    /// In boxes: a slice is some kilobytes by itself, and tables are made for many.
    slices: Arc<Memo<(Class, InnerId), Box<Slice>>>,
    runs: Arc<Memo<Kinds, Box<Slice>>>,
    budget: Budget,
    walked: Arc<Walked>,
}

/// Names the part of a lexeme below a set of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PartId(u32);

impl PartId {
    /// As a number, and back.
    pub(crate) const fn number(self) -> u32 {
        self.0
    }

    pub(crate) const fn from_number(number: u32) -> Self {
        Self(number)
    }
}

/// What a lexeme takes below a set of places.
pub(crate) struct LexemePart {
    pub(crate) tokens: LexemeTokens,
    /// Where it is complete, if there is something below; once somebody asked. Behind the last lexeme of a text nobody goes on.
    handover: OnceLock<Option<ContinuationId>>,
    /// What it cost, in nodes of the trie.
    pub(crate) nodes: u64,
}

impl LexemePart {
    /// One of which all is known.
    fn new(tokens: LexemeTokens, handover: Option<ContinuationId>, nodes: u64) -> Self {
        Self { tokens, handover: OnceLock::from(handover), nodes }
    }

    /// Whether what is asked is known.
    pub(crate) fn answers(&self, asked: Asked) -> bool {
        asked == Asked::Tokens || self.handover.get().is_some()
    }

    /// Where it is complete, if there is something below. For whoever has asked for places.
    pub(crate) fn handover(&self) -> Option<ContinuationId> {
        debug_assert!(self.answers(Asked::Places), "places were not asked for");
        self.handover.get().copied().flatten()
    }
}

/// Sizes of a [`Lexicon`], and the work that went into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LexiconStats {
    /// States of lexemes, equal languages counted once.
    pub lexemes: usize,
    /// Sets of places in the trie.
    pub continuations: usize,
    /// Results of walks.
    pub parts: usize,
    /// Bytes of all of them, roughly.
    pub bytes: usize,
    /// Walks over the trie, one for each result; for this lexicon and for those that it succeeds.
    pub walks: u64,
    /// Nodes of the trie that these walks have looked at.
    pub nodes: u64,
    /// Subtrees that they have taken whole instead, as the lexeme loops through all of their tokens.
    pub taken: u64,
}

impl Lexicon {
    /// A lexicon that knows nothing of lexemes yet.
    ///
    /// # Complexity
    /// Linear in the nodes of the vocabulary's trie.
    pub fn new(vocabulary: Arc<Vocabulary>, config: &LexiconConfig) -> Self {
        let trie = vocabulary.trie();
        let outline = Arc::new(TrieIndex::new(trie));
        let mut every = vec![0; vocabulary.mask_words()];
        for id in trie.columns().tokens {
            every[id.word()] |= id.bit();
        }
        let whole = Whole::new(&vocabulary, &outline, &walk::bases(trie, &outline, config));
        let horizon = Automaton::horizon_of(&vocabulary);
        Self::with(vocabulary, outline, every.into(), Arc::new(whole), horizon, config)
    }

    fn with(
        vocabulary: Arc<Vocabulary>,
        outline: Arc<TrieIndex>,
        every: Arc<[u32]>,
        whole: Arc<Whole>,
        horizon: Horizon,
        config: &LexiconConfig,
    ) -> Self {
        Self {
            continuations: Continuations::new(&outline),
            bases: walk::bases(vocabulary.trie(), &outline, config),
            automaton: Automaton::new(horizon, &config.regular, config.budget),
            vocabulary,
            outline,
            every,
            config: config.clone(),
            parts: Arena::new(),
            places: Memo::new(),
            twins: Memo::new(),
            imported: Memo::new(),
            of_texts: Memo::new(),
            openings: Memo::new(),
            unions: Memo::new(),
            rows: Arena::new(),
            owner: OwnerId::new(),
            rooms: Arc::default(),
            whole,
            slices: Arc::default(),
            runs: Arc::default(),
            budget: Budget::new(config.budget),
            walked: Arc::default(),
        }
    }

    /// A lexicon of the same vocabulary that knows nothing of lexemes; slices, which are of the vocabulary, are kept while they take less
    /// than a quarter of the budget.
    pub fn successor(&self) -> Self {
        let mut lexicon = Self { walked: Arc::clone(&self.walked), ..self.with_config(&self.config) };
        let slices = self.slices.iter().map(|(_, slice)| slice);
        let slices = slices.chain(self.runs.iter().map(|(_, slice)| slice));
        let bytes: usize = slices.map(|slice| slice.bytes_used()).sum();
        if bytes < self.config.budget / 4 {
            lexicon.budget.spend(bytes);
            lexicon.slices = Arc::clone(&self.slices);
            lexicon.runs = Arc::clone(&self.runs);
        }
        lexicon
    }

    /// An empty lexicon of the same vocabulary, with another configuration.
    pub fn with_config(&self, config: &LexiconConfig) -> Self {
        Self::with(
            Arc::clone(&self.vocabulary),
            Arc::clone(&self.outline),
            Arc::clone(&self.every),
            Arc::clone(&self.whole),
            self.automaton.horizon(),
            config,
        )
    }

    /// The vocabulary.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// The configuration.
    pub fn config(&self) -> &LexiconConfig {
        &self.config
    }

    /// Sizes of the tables, and the work that went into them.
    pub fn stats(&self) -> LexiconStats {
        let walked = self.walked.so_far();
        LexiconStats {
            lexemes: self.automaton.len(),
            continuations: self.continuations.len(),
            parts: self.parts.len(),
            bytes: self.bytes_used(),
            walks: walked.walks,
            nodes: walked.nodes,
            taken: walked.taken,
        }
    }

    /// Bytes that the tables hold, roughly; without the vocabulary, its outline, and the slices that all others are made from.
    pub fn bytes_used(&self) -> usize {
        self.budget.used() + self.continuations.bytes_of_pairs()
    }

    /// Whether the tables hold more bytes than they may.
    pub fn is_over_budget(&self) -> bool {
        self.bytes_used() > self.budget.limit()
    }

    /// Names it as the owner of its rows.
    pub(crate) fn owner(&self) -> OwnerId {
        self.owner
    }

    /// Where the rooms of scratches are left.
    pub(crate) fn rooms(&self) -> &Arc<Rooms> {
        &self.rooms
    }

    pub(crate) fn trie(&self) -> &Trie {
        self.vocabulary.trie()
    }

    pub(crate) fn outline(&self) -> &TrieIndex {
        &self.outline
    }

    pub(crate) fn ground(&self) -> Ground<'_> {
        Ground {
            vocabulary: &self.vocabulary,
            trie: self.vocabulary.trie(),
            outline: &self.outline,
            every: &self.every,
            short: self.config.short_list,
        }
    }

    pub(crate) fn continuation(&self, id: ContinuationId) -> &Continuation {
        self.continuations.get(id)
    }

    pub(crate) fn continuations(&self) -> &Continuations {
        &self.continuations
    }

    /// The number of a set of places.
    pub(crate) fn intern(&self, places: Places) -> ContinuationId {
        let (id, fresh) = self.continuations.intern(places);
        if fresh {
            self.budget.spend(self.continuations.get(id).bytes_used());
        }
        id
    }

    pub(crate) fn spend(&self, bytes: usize) {
        self.budget.spend(bytes);
    }

    /// The lexeme after a text, or one that takes the same tokens; and whether it is that language.
    ///
    /// # Errors
    /// When a limit of regular languages is exceeded.
    pub(crate) fn after(&self, lexeme: LexemeId, text: &[u8]) -> Result<(LexemeId, bool), Error> {
        let next = self.automaton.step_all(lexeme, text, &self.budget)?;
        let same = self.automaton.saturated(next, &self.budget)?;
        Ok((same, same == next))
    }

    /// Over which characters a lexeme loops.
    fn coverage(&self, lexeme: LexemeId) -> Result<&Coverage, Error> {
        let place = &self.automaton.seldom(lexeme, &self.budget).loops;
        match place.get() {
            Some(known) => Ok(known),
            None => {
                let found = Coverage::of(&self.automaton, lexeme, &self.budget)?;
                Ok(place.get_or_init(|| found))
            }
        }
    }

    /// What a lexeme takes below a set of places, if what is asked of it is known.
    pub(crate) fn known_part(
        &self,
        lexeme: LexemeId,
        continuation: ContinuationId,
        asked: Asked,
    ) -> Option<PartId> {
        self.kept((lexeme, continuation)).filter(|&part| self.part_of(part).answers(asked))
    }

    fn kept(&self, (lexeme, continuation): (LexemeId, ContinuationId)) -> Option<PartId> {
        if continuation == ContinuationId::WHOLE {
            return self.automaton.state(lexeme).whole.get().copied();
        }
        self.places.get(&(lexeme, continuation)).copied()
    }

    /// A part that is known.
    #[inline]
    pub(crate) fn part_of(&self, PartId(id): PartId) -> &LexemePart {
        self.parts.get(id)
    }

    /// What a lexeme takes below a set of places.
    ///
    /// # Errors
    /// When a limit of regular languages is exceeded.
    pub(crate) fn part(
        &self,
        lexeme: LexemeId,
        continuation: ContinuationId,
        asked: Asked,
    ) -> Result<PartId, Error> {
        if let Some(part) = self.known_part(lexeme, continuation, asked) {
            return Ok(part);
        }
        Ok(self.keep((lexeme, continuation), self.find(lexeme, continuation, asked)?))
    }

    fn find(
        &self,
        lexeme: LexemeId,
        continuation: ContinuationId,
        asked: Asked,
    ) -> Result<LexemePart, Error> {
        if let Some(part) = self.part_by_spelling(lexeme, continuation, asked)? {
            return Ok(part);
        }
        // Few bytes are no loop.
        let is_narrow = self.automaton.few_live_bytes(lexeme, &self.budget)?.is_some();
        let slices = self.config.slices && !is_narrow;
        let mut related = None;
        if slices {
            related = self.part_by_kin(lexeme, continuation, asked)?;
        }
        if related.is_none() && !is_narrow {
            related = self.part_by_twin(lexeme, continuation, asked)?;
        }
        if related.is_none() && slices {
            related = self.part_by_head(lexeme, continuation, asked)?;
        }
        if let Some(part) = related {
            return Ok(part);
        }
        let mut findings = Findings::asked_for(asked, self.ground());
        let mut walk = Walk::new(self, lexeme);
        walk::below(&mut walk, self.continuation(continuation), slices, &mut findings)?;
        let nodes = walk.distance.nodes + walk.distance.taken + walk.elsewhere;
        Ok(self.found((lexeme, continuation), findings, nodes))
    }

    /// The same; adds what it costs to find it, in nodes of the trie, if it was not known.
    fn part_at_cost(
        &self,
        lexeme: LexemeId,
        continuation: ContinuationId,
        asked: Asked,
        nodes: &mut u64,
    ) -> Result<PartId, Error> {
        if let Some(known) = self.known_part(lexeme, continuation, asked) {
            return Ok(known);
        }
        let part = self.part(lexeme, continuation, asked)?;
        *nodes += self.part_of(part).nodes;
        Ok(part)
    }

    /// A part of what has been found, at the cost of so many nodes. Tokens that are kept are not kept again.
    fn found(&self, key: (LexemeId, ContinuationId), findings: Findings<'_>, nodes: u64) -> LexemePart {
        let asked = findings.asked();
        let (found, places) = findings.finish_as_found();
        let handover = match asked {
            Asked::Tokens => OnceLock::new(),
            Asked::Places => OnceLock::from(places.map(|places| self.intern(places))),
        };
        let own = if self.kept(key).is_none() { self.own(found) } else { Own::none() };
        LexemePart { tokens: LexemeTokens { own, kin: None }, handover, nodes }
    }

    /// Finds what a lexeme takes at the beginning of a token, and behind the byte that it begins with, if there is just one: a quote, mostly, behind
    /// which another token often begins. Gives what that has cost, in nodes of the trie.
    ///
    /// # Errors
    /// When a limit of regular languages is exceeded.
    pub(crate) fn look_ahead(&self, lexeme: LexemeId) -> Result<u64, Error> {
        let first = self.automaton.few_live_bytes(lexeme, &self.budget)?;
        let behind = match first.and_then(|bytes| bytes.single_byte()) {
            Some(byte) => Some(self.after(lexeme, &[byte])?.0).filter(|next| next.goes_on()),
            None => None,
        };
        let mut nodes = 0;
        for state in [Some(lexeme), behind].into_iter().flatten() {
            self.part_at_cost(state, ContinuationId::WHOLE, Asked::Places, &mut nodes)?;
        }
        Ok(nodes)
    }

    fn add(&self, part: LexemePart) -> PartId {
        self.budget.spend(size_of::<LexemePart>() + part.tokens.bytes_used());
        PartId(self.parts.push(part))
    }

    /// Keeps a part, or where one is kept of which less is known, what this one adds to it.
    fn keep(&self, key: (LexemeId, ContinuationId), part: LexemePart) -> PartId {
        let handover = part.handover.get().copied();
        let kept = self.kept(key).unwrap_or_else(|| self.keep_anew(key, part));
        if let Some(handover) = handover {
            self.part_of(kept).handover.get_or_init(|| handover);
        }
        kept
    }

    fn keep_anew(&self, (lexeme, continuation): (LexemeId, ContinuationId), part: LexemePart) -> PartId {
        if continuation == ContinuationId::WHOLE {
            return *self.automaton.state(lexeme).whole.get_or_init(|| self.add(part));
        }
        // Where two threads find the same at once, one of them has written it for nobody.
        let (part, fresh) = self.places.insert((lexeme, continuation), self.add(part));
        if fresh {
            self.budget.spend(size_of::<(LexemeId, ContinuationId, PartId)>());
        }
        *part
    }
}

impl std::fmt::Debug for Lexicon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lexicon").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
