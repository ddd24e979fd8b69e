//! The tables of one grammar: the mask of each state, and the summaries and rows that masks are assembled
//! from.

use grammask_work::{Allowance, within};
use std::sync::Arc;

use grammask_cache::{Arena, Budget, Column, HeapSize, Interner, Memo, Row, Shared};
use grammask_earley::{CalleeId, Class, Error, Item, NetworkNodeId, Recognizer, SetId};
use grammask_trie::index::InnerId;
use grammask_trie::{Mask, TokenId, Vocabulary, copy_row};

use crate::descent::AfterDistinctTexts;
use crate::descent::summary::{Summary, SummaryKey};
use crate::descent::total::Total;
use crate::lexicon::Lexicon;
use crate::lexicon::walk::output::WalkOutput;
use crate::masks::assemble::{Assembled, ScratchPool, UnionKey};
use crate::masks::budget::FailureCredit;
use crate::masks::delta_mask::{DeltaMask, MaskId, OwnerId, RowId};
use crate::masks::special_tokens::SpecialTokens;
use crate::masks::stats::WalkCounters;
use crate::node_set::continuation::ContinuationId;
use crate::{BindError, BindErrors, Config, Ending, Limit, LimitExceeded};

pub(crate) mod assemble;
pub(crate) mod budget;
pub(crate) mod delta_mask;
mod prefetch;
mod snapshot;
mod special_tokens;
mod state_mask;
pub(crate) mod stats;
mod warm_up;

pub use delta_mask::{MaskRef, Scratch};
pub use prefetch::Prefetch;
pub use snapshot::{DamagedMasks, SavedMasks};
pub use special_tokens::tokens_of_set;
pub use state_mask::StateMask;
pub use warm_up::{WarmLimits, WarmProgress};

/// Number of bytes for which [`Limits::max_step_work`](crate::Limits::max_step_work) holds.
const BYTES_PER_STEP_WORK: usize = 256;

/// The masks of the states of one grammar over a vocabulary, computed on demand and kept.
///
/// A mask is the union of summaries. The summary of an item below a set of trie nodes has the tokens that the
/// item accepts by itself. It also has the exits at which the item's origin completes, and where the callers
/// continue. A token is allowed if *some* derivation allows it, so the union is exact. A summary does not
/// depend on callers, so it serves at every depth of nesting.
///
/// Threads can share the tables. Reading a stored mask takes no lock.
pub struct Masks {
    pub(crate) recognizer: Recognizer,
    pub(crate) lexicon: Shared<Lexicon>,
    pub(crate) ending: Ending,
    pub(crate) config: Config,
    /// Tokens of the special symbols of the network.
    pub(crate) specials: SpecialTokens,
    /// True if some token that ends a text has bytes, so that a walk may find it.
    pub(crate) ends_are_read: bool,
    /// True if some token can follow wherever some byte can.
    is_never_stuck: bool,
    /// True if the grammar has `distinct!`.
    pub(crate) has_distinct: bool,
    /// Lexemes of the lexicon by node, each with a bit that is set if the languages are equal, not just
    /// for strings within one token.
    pub(crate) lexemes: Column,
    /// Numbers in the lexicon of finite languages, by node.
    pub(crate) texts: Column,
    /// Entries of lexemes below the root, by node.
    pub(crate) entries_at_root: Column,
    /// Summaries; `None` for those that were too much work.
    pub(crate) summaries: Memo<SummaryKey, Option<Summary>>,
    /// Continuations after items of `distinct!` below trie nodes: see `descent/distinct.rs`.
    pub(crate) after_distinct: Memo<(NetworkNodeId, ContinuationId), AfterDistinctTexts>,
    /// Totals of summaries.
    pub(crate) totals: Interner<Total>,
    /// Totals of permutation items below sets of trie nodes: see `permutation.rs`.
    pub(crate) permutation_rows: Memo<(CalleeId, ContinuationId), Row>,
    /// Rows of some entries and large totals that are not in the lexicon, by their numbers.
    pub(crate) unions: Memo<Box<[u64]>, RowId>,
    /// Masks by the operands of their union.
    pub(crate) masks_by_union: Memo<UnionKey, u32>,
    pub(crate) scratch_pool: ScratchPool,
    /// Masks by state; the masks; and rows by content.
    mask_ids: Column,
    delta_masks: Arena<DeltaMask>,
    rows: Interner<Mask>,
    /// Distinguishes the masks and rows of these tables from those of others.
    owner: OwnerId,
    pub(crate) budget: Budget,
    /// Bytes that the tables had at the beginning.
    first_bytes: usize,
    pub(crate) counters: Arc<WalkCounters>,
    pub(crate) credit: Arc<FailureCredit>,
}

/// Sizes of the tables of a [`Masks`], and counters of the work that filled them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Number of Earley sets.
    pub sets: usize,
    /// Number of distinct lists of callers.
    pub origins: usize,
    /// Number of summaries.
    pub summaries: usize,
    /// Number of states whose mask is kept.
    pub masks: usize,
    /// Bytes of the tables, approximately.
    pub bytes: usize,
    /// Number of walks over the trie, including those of the tables that these replaced. A walk computes a
    /// summary with those that it uses, or a single state. [`LexiconStats`](crate::LexiconStats) has the
    /// walks of lexemes.
    pub walks: u64,
    /// Number of trie nodes that the walks visited.
    pub nodes: u64,
}

impl HeapSize for Masks {
    fn heap_bytes(&self) -> usize {
        self.bytes_used()
    }
}

impl Masks {
    /// Binds a recognizer to the vocabulary of a lexicon.
    ///
    /// # Errors
    /// Returns all tokens that the grammar or the ending names and the vocabulary lacks. An exceeded limit on
    /// the ending, and the eager ending of a grammar with the empty output, are errors as well.
    pub fn new(
        recognizer: Recognizer,
        lexicon: impl Into<Shared<Lexicon>>,
        ending: &Ending,
        config: &Config,
    ) -> Result<Self, BindErrors> {
        let lexicon = lexicon.into();
        let vocabulary = lexicon.vocabulary();
        let ending = ending.resolved(vocabulary);
        let network = recognizer.network();
        let mut errors = Vec::new();
        let specials = SpecialTokens::find(network, vocabulary, &ending, &mut errors);
        if network.allows_empty && ending == Ending::Eager {
            errors.push(BindError::EmptyOutput);
        }
        let mut ends: Vec<TokenId> = ending.tokens().to_vec();
        ends.sort_unstable();
        ends.dedup();
        if ends.len() > config.limits.max_end_tokens {
            let (value, found) = (config.limits.max_end_tokens as u64, Some(ends.len() as u64));
            errors.push(LimitExceeded { limit: Limit::MaxEndTokens, value, found }.into());
        }
        let unknown = ends.into_iter().filter(|&id| !vocabulary.is_known(id));
        errors.extend(unknown.map(|id| BindError::UnknownEnd { id }));
        BindErrors::check(errors)?;
        Ok(Self::bind(recognizer, lexicon, ending, config.clone(), specials))
    }

    /// Creates empty tables. The vocabulary must have all tokens that are named.
    fn bind(
        recognizer: Recognizer,
        lexicon: Shared<Lexicon>,
        ending: Ending,
        config: Config,
        specials: SpecialTokens,
    ) -> Self {
        Self {
            budget: Budget::new(config.limits.budget),
            // A token that ends an output adds nothing to it, whatever its bytes.
            is_never_stuck: lexicon.vocabulary().has_every_byte()
                && !ending
                    .tokens()
                    .iter()
                    .any(|&id| lexicon.vocabulary().bytes(id).is_some_and(|bytes| bytes.len() == 1)),
            has_distinct: recognizer.network().has_distinct(),
            ends_are_read: ending.tokens().iter().any(|&id| {
                let bytes = lexicon.vocabulary().bytes(id);
                bytes.is_some_and(|bytes| !bytes.is_empty())
            }),
            recognizer,
            lexicon,
            ending,
            config,
            specials,
            lexemes: Column::new(),
            texts: Column::new(),
            entries_at_root: Column::new(),
            summaries: Memo::new(),
            after_distinct: Memo::new(),
            totals: Interner::new(),
            permutation_rows: Memo::new(),
            unions: Memo::new(),
            masks_by_union: Memo::new(),
            scratch_pool: ScratchPool::default(),
            mask_ids: Column::new(),
            delta_masks: Arena::new(),
            rows: Interner::new(),
            owner: OwnerId::new(),
            first_bytes: 0,
            counters: Arc::default(),
            credit: Arc::default(),
        }
    }

    /// Creates empty tables for the same grammar and configuration, over another lexicon of the same
    /// vocabulary.
    pub fn successor(&self, lexicon: impl Into<Shared<Lexicon>>) -> Self {
        let masks = Self::bind(
            self.recognizer.successor(),
            lexicon.into(),
            self.ending.clone(),
            self.config.clone(),
            self.specials.clone(),
        );
        Self {
            counters: Arc::clone(&self.counters),
            credit: Arc::clone(&self.credit),
            first_bytes: masks.bytes_used(),
            ..masks
        }
    }

    /// Returns the recognizer whose states have masks here.
    pub fn recognizer(&self) -> &Recognizer {
        &self.recognizer
    }

    /// Returns the vocabulary.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        self.lexicon.vocabulary()
    }

    /// Returns the lexicon, which grammars of the vocabulary share.
    pub fn lexicon(&self) -> &Shared<Lexicon> {
        &self.lexicon
    }

    /// Returns when a text ends.
    pub fn ending(&self) -> &Ending {
        &self.ending
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the state after a token, or [`SetId::DEAD`] if the grammar does not allow it. Tokens that end
    /// a text lead to [`SetId::DEAD`].
    ///
    /// # Errors
    /// Returns an error if a limit of the recognizer is exceeded.
    pub fn step(&self, state: SetId, token: TokenId) -> Result<SetId, Error> {
        if !self.specials.is_empty() {
            let network = self.recognizer.network();
            let classes: Vec<Class> =
                self.specials.symbols(token).map(|symbol| network.class_of_special(symbol)).collect();
            if !classes.is_empty() {
                let allowance = Allowance::new("max_step_work", self.config.limits.max_step_work);
                return within(&allowance, || self.recognizer.step_classes(state, &classes));
            }
        }
        if self.ending.tokens().contains(&token) {
            return Ok(SetId::DEAD);
        }
        match self.vocabulary().bytes(token) {
            Some(bytes) if !bytes.is_empty() => self.step_bytes(state, bytes),
            _ => Ok(SetId::DEAD),
        }
    }

    /// Returns the state after some bytes. With [`Ending::Eager`], returns [`SetId::DEAD`] also if a text
    /// ends before the last byte.
    ///
    /// # Errors
    /// Returns an error if a limit of the recognizer is exceeded.
    pub fn step_bytes(&self, state: SetId, bytes: &[u8]) -> Result<SetId, Error> {
        let eager = self.ending == Ending::Eager;
        let passes = |between: SetId| !(eager && between.completes());
        let (state, read) = self.recognizer.known_steps(state, bytes, passes);
        let rest = &bytes[read..];
        if rest.is_empty() {
            return Ok(state);
        }
        let pieces = 1 + (rest.len() / BYTES_PER_STEP_WORK) as u64;
        let units = self.config.limits.max_step_work.saturating_mul(pieces);
        within(&Allowance::new("max_step_work", units), || {
            self.recognizer.step_bytes_after(state, bytes, read, passes)
        })
    }

    /// Creates a scratch for masks of this vocabulary. It takes over the buffers of a dropped scratch, if
    /// any.
    pub fn scratch(&self) -> Scratch {
        Scratch::of(self.vocabulary().id_count(), self.lexicon.row_pool())
    }

    /// Returns the mask of a state: the tokens with which some text continues, and the tokens that end a
    /// complete text.
    ///
    /// The mask is written to `scratch`, a scratch for this vocabulary, unless it is stored as a row.
    ///
    /// # Errors
    /// Returns an error if a limit of the recognizer is exceeded. The content of `scratch` is unspecified
    /// then.
    ///
    /// # Complexity
    /// For a known state: a look-up, and the difference from the mask in `scratch`.
    pub fn mask<'a>(&'a self, state: SetId, scratch: &'a mut Scratch) -> Result<&'a Mask, Error> {
        let written = self.at(state).write(scratch)?;
        Ok(self.written(written, scratch))
    }

    /// Returns the mask that was written last.
    ///
    /// # Panics
    /// May panic if other tables wrote it.
    pub fn written<'a>(&'a self, written: MaskRef, scratch: &'a Scratch) -> &'a Mask {
        written.0.map_or(scratch.mask(), |row| self.kept_row(row))
    }

    /// Writes a mask over words of any content.
    pub(crate) fn follow(&self, delta_mask: &DeltaMask, words: &mut [u32]) {
        // Read once: another thread may give the difference mask a row of its own at any time.
        let whole = delta_mask.as_row();
        match whole.or(delta_mask.row) {
            Some(row) => copy_row(self.kept_row(row).as_words(), words),
            None => words.fill(0),
        }
        if whole.is_none() {
            delta_mask.change(words);
        }
    }

    /// Computes the mask of a state. Keeps it, and returns its number, if masks are kept; otherwise it is in
    /// the scratch.
    pub(crate) fn make(&self, state: SetId, scratch: &mut Scratch) -> Result<Option<MaskId>, Error> {
        let allowance = Allowance::new("max_mask_work", self.config.limits.max_mask_work);
        within(&allowance, || self.make_within(state, scratch))
    }

    /// As [`make`](Self::make), charged to the current account of work.
    fn make_within(&self, state: SetId, scratch: &mut Scratch) -> Result<Option<MaskId>, Error> {
        let assembled = if self.config.tuning.keep_summaries {
            self.assemble(state, scratch)?
        } else {
            Assembled::TooMuch
        };
        let number = match assembled {
            Assembled::Kept(number) => number,
            Assembled::Delta(delta_mask) if self.config.tuning.keep_masks => self.keep_delta_mask(delta_mask),
            Assembled::Delta(delta_mask) => {
                self.follow(&delta_mask, scratch.anything().as_words_mut());
                return Ok(None);
            }
            Assembled::Written | Assembled::TooMuch => {
                if let Assembled::TooMuch = assembled {
                    let mask = scratch.anything();
                    mask.clear();
                    self.walk_all(state, mask)?;
                }
                let mask = scratch.written_mut();
                self.finish(state, mask)?;
                if !self.config.tuning.keep_masks {
                    return Ok(None);
                }
                self.keep_delta_mask(DeltaMask::of_row(self.row(mask)))
            }
        };
        self.store_mask_id(state, number);
        Ok(Some(MaskId(number)))
    }

    /// Stores the number of the mask of a state.
    fn store_mask_id(&self, state: SetId, number: u32) {
        self.budget.spend(self.mask_ids.set(state.index(), number).1);
    }

    /// Stores a mask, and returns its number.
    pub(crate) fn keep_delta_mask(&self, delta_mask: DeltaMask) -> u32 {
        self.budget.spend(size_of::<DeltaMask>() + delta_mask.bytes_used());
        self.delta_masks.push(delta_mask)
    }

    /// Interns a row.
    pub(crate) fn row(&self, mask: &Mask) -> RowId {
        let before = self.rows.len();
        let number = self.rows.intern(mask, Mask::clone);
        if number as usize >= before {
            self.budget.spend(size_of_val(mask.as_words()) + size_of::<Mask>());
        }
        RowId::Tables(number)
    }

    /// Stores a row without looking for an equal one, which rarely exists.
    pub(crate) fn new_row(&self, mask: Mask) -> RowId {
        self.budget.spend(size_of_val(mask.as_words()) + size_of::<Mask>());
        RowId::Tables(self.rows.push(mask))
    }

    /// Returns a row by its number.
    pub(crate) fn kept_row(&self, row: RowId) -> &Mask {
        match row {
            RowId::Tables(number) => self.rows.get(number),
            RowId::Lexicon(number) => self.lexicon.row(number),
        }
    }

    /// Appends the bytes that every continuation of the text begins with, at most `most`. Stops at the first
    /// position where two bytes are possible, the text may end, or a special token may follow. In a very
    /// ambiguous text it appends fewer. The number of bytes depends on the state alone.
    ///
    /// # Errors
    /// Returns an error if a limit of the recognizer is exceeded.
    pub fn forced_bytes(&self, state: SetId, most: usize, forced: &mut Vec<u8>) -> Result<(), Error> {
        let (mut state, mut work) = (state, 0);
        while forced.len() < most && !state.completes() && work <= self.config.limits.max_forced_items {
            let Some(byte) = self.recognizer.live_bytes(state)?.single_byte() else { return Ok(()) };
            for special in 0..self.specials.len() {
                let class = self.recognizer.network().class_of_special(special);
                if !self.recognizer.step_class(state, class)?.is_dead() {
                    return Ok(());
                }
            }
            forced.push(byte);
            state = self.recognizer.step(state, byte)?;
            let size = |item: &Item| 1 + self.recognizer.callers(item.origin).len();
            work += self.recognizer.kernel(state).iter().map(size).sum::<usize>();
        }
        Ok(())
    }

    /// Computes a mask by walking the whole trie with the state. Simple and slow.
    fn walk_all(&self, state: SetId, mask: &mut Mask) -> Result<(), Error> {
        if !state.goes_on() {
            return Ok(());
        }
        let mut output = WalkOutput::new(self.lexicon.context());
        let root = (!self.lexicon.trie_index().is_empty()).then_some(InnerId::ROOT);
        output.walk(&self.recognizer, state, root)?;
        self.counters.add(output.cost);
        let (tokens, ends) = output.finish();
        mask.union_set(&tokens);
        if let (Ending::Eager, Some(ends)) = (&self.ending, ends) {
            let trie_index = self.lexicon.trie_index();
            self.forbid_below(ends.iter().map(|inner| trie_index.node(inner)), mask);
        }
        Ok(())
    }

    /// Forbids the tokens that go on past nodes at which the text is complete.
    pub(crate) fn forbid_below(
        &self,
        nodes: impl Iterator<Item = grammask_trie::TrieNodeId>,
        mask: &mut Mask,
    ) {
        for node in nodes {
            for &token in self.lexicon.trie().tokens_below(node) {
                mask.forbid(token);
            }
        }
    }

    /// Adds special tokens, and allows the tokens that end a text only if it is complete.
    pub(crate) fn finish(&self, state: SetId, mask: &mut Mask) -> Result<(), Error> {
        self.ending.tokens().iter().for_each(|&id| mask.forbid(id));
        mask.extend(self.tokens_beside_bytes(state)?);
        Ok(())
    }

    /// Returns the tokens that are allowed whatever their bytes are: special tokens and those that end a
    /// text.
    pub(crate) fn tokens_beside_bytes(&self, state: SetId) -> Result<Vec<TokenId>, Error> {
        let mut allowed = Vec::new();
        for (index, tokens) in self.specials.iter().enumerate() {
            let class = self.recognizer.network().class_of_special(index);
            if !self.recognizer.step_class(state, class)?.is_dead() {
                allowed.extend_from_slice(tokens);
            }
        }
        if state.completes() {
            allowed.extend_from_slice(self.ending.tokens());
        }
        Ok(allowed)
    }

    /// Returns the sizes of the tables and the counters of the work that filled them.
    pub fn stats(&self) -> Stats {
        let walked = self.counters.so_far();
        Stats {
            sets: self.recognizer.set_count(),
            origins: self.recognizer.origin_count(),
            summaries: self.summaries.len(),
            masks: self.mask_ids.len(),
            bytes: self.bytes_used(),
            walks: walked.walks,
            nodes: walked.nodes,
        }
    }

    /// Returns the bytes that these tables and the recognizer's hold, approximately. The lexicon, which other
    /// grammars share, is not included.
    pub fn bytes_used(&self) -> usize {
        self.recognizer.bytes_used() + self.budget.used()
    }

    /// Returns `true` if these tables, or those of the recognizer or of the lexicon, hold more bytes than
    /// they may.
    pub fn is_over_budget(&self) -> bool {
        self.budget.is_exceeded() || self.recognizer.is_over_budget() || self.lexicon.is_over_budget()
    }

    /// Returns `true` if the tables should be replaced by a [`successor`](Self::successor).
    ///
    /// This is the case if the lexicon is over its budget. It is also the case if these tables are over
    /// theirs and hold twice the bytes that they began with. The second condition is needed since states in
    /// use may exceed the budget: carrying them over would then be repeated forever.
    pub fn is_full(&self) -> bool {
        let is_over = self.budget.is_exceeded() || self.recognizer.is_over_budget();
        let carried = || self.first_bytes + self.recognizer.imported_bytes();
        self.lexicon.is_over_budget() || is_over && self.bytes_used() > 2 * carried()
    }

    /// Returns `true` if some token can follow wherever some byte can.
    #[inline]
    pub fn is_never_stuck(&self) -> bool {
        self.is_never_stuck
    }
}
