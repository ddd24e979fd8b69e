//! The lexicon of a vocabulary: the tokens that each lexeme accepts below a set of trie nodes.
//!
//! An entry depends on the language of the lexeme alone, so all grammars of the vocabulary share it.

use std::sync::{Arc, OnceLock};

use grammask_cache::{Arena, Budget, HeapSize, Memo};
use grammask_regular::Error;
use grammask_regular::analysis::Horizon;
use grammask_trie::index::{InnerId, TrieIndex};
use grammask_trie::{Mask, Trie, Vocabulary};

use crate::lexicon::walk::output::{TrieContext, WalkOutput, Want};
use crate::masks::delta_mask::{OwnerId, RowPool};
use crate::masks::stats::WalkCounters;
use crate::node_set::NodeSet;
use crate::node_set::continuation::{Continuation, ContinuationId, Continuations};

mod automaton;
mod config;
mod entry;
mod import;
mod reuse;
mod rows;
mod search;
mod slice;
pub(crate) mod walk;

pub(crate) use automaton::LexemeId;
pub use config::{LexiconConfig, LexiconLimits, LexiconTuning};
pub(crate) use entry::{EntryTokens, TokenView, Tokens};
pub(crate) use import::ImportId;
pub(crate) use reuse::finite::MAX_TEXTS;
pub(crate) use search::LanguageAnswer;
pub use search::{STRATEGIES, Strategy, StrategyUses};

use automaton::Automaton;
use entry::StoredTokens;
use import::Imported;
use reuse::same_successors;
use search::Strategies;
use slice::{BaseSlices, Class, Slice};
use walk::self_loop::LoopAlphabet;

/// The tables that all grammars of a vocabulary share.
///
/// They hold lexemes by language, sets of trie nodes, and entries. They grow while they are used, by any
/// number of threads. If [`is_over_budget`](Self::is_over_budget) returns `true`, go on with a
/// [`successor`](Self::successor).
pub struct Lexicon {
    vocabulary: Arc<Vocabulary>,
    trie_index: Arc<TrieIndex>,
    every: Arc<[u32]>,
    config: LexiconConfig,
    automaton: Automaton,
    continuations: Continuations,
    entries: Arena<Entry>,
    /// Entries by lexeme and set of trie nodes. Entries below the root are stored with the lexeme.
    entries_by_set: Memo<EntryKey, EntryId>,
    by_successors: Memo<same_successors::SuccessorKey, LexemeId>,
    /// Languages of other stores, by canonical form or by texts. See `import.rs`.
    imported: Memo<Box<[u32]>, Imported>,
    /// Entries of those languages that consist of the spellings of some texts.
    entries_of_texts: Memo<(ImportId, ContinuationId), EntryId>,
    /// Rows, and the number of the row of several entries. See `rows.rs`.
    unions: Memo<Box<[EntryId]>, u32>,
    rows: Arena<Mask>,
    owner: OwnerId,
    /// Buffers of outputs that have ended.
    row_pool: Arc<RowPool>,
    /// Trie nodes below which slices are used.
    bases: Box<[InnerId]>,
    /// Slices from which the others are derived.
    base_slices: Arc<BaseSlices>,
    /// Derived slices. They are boxed, since a slice takes some kilobytes and tables reserve memory for many.
    slices: Arc<Memo<(Class, InnerId), Box<Slice>>>,
    /// Bytes of all tables, those of the automaton included.
    budget: Arc<Budget>,
    counters: Arc<WalkCounters>,
    strategies: Strategies,
}

/// A successor keeps slices that take less than 1/4 of the budget.
const BUDGET_SHARE_OF_SLICES: usize = 4;

/// Number of the entry of a lexeme below a set of trie nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct EntryId(u32);

impl EntryId {
    /// Returns the number; `from_number` is the inverse.
    pub(crate) const fn number(self) -> u32 {
        self.0
    }

    pub(crate) const fn from_number(number: u32) -> Self {
        Self(number)
    }
}

/// Key of an entry: a lexeme, and the set of trie nodes below which it begins.
type EntryKey = (LexemeId, ContinuationId);

/// The tokens that a lexeme accepts below a set of trie nodes, and its exits.
pub(crate) struct Entry {
    pub(crate) tokens: EntryTokens,
    /// Exits, once requested; `None` if there are none. After the last lexeme of a text they are not needed.
    exit: OnceLock<Option<ContinuationId>>,
    /// Cost, in trie nodes.
    pub(crate) nodes: u64,
}

impl Entry {
    /// Creates an entry whose exits are known.
    fn new(tokens: EntryTokens, exit: Option<ContinuationId>, nodes: u64) -> Self {
        Self { tokens, exit: OnceLock::from(exit), nodes }
    }

    /// Returns `true` if the requested output is known.
    pub(crate) fn answers(&self, want: Want) -> bool {
        want == Want::Tokens || self.exit.get().is_some()
    }

    /// Returns the exits. They must have been requested.
    pub(crate) fn exit(&self) -> Option<ContinuationId> {
        debug_assert!(self.answers(Want::TokensAndExits), "exits were not requested");
        self.exit.get().copied().flatten()
    }
}

/// Sizes of a [`Lexicon`], and counters of the work that filled it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LexiconStats {
    /// Number of states of lexemes; equal languages are counted once.
    pub lexemes: usize,
    /// Number of sets of trie nodes.
    pub continuations: usize,
    /// Number of entries: results for a lexeme below a set.
    pub entries: usize,
    /// Bytes of the tables, approximately.
    pub bytes: usize,
    /// Number of walks over the trie, including those of the lexicons that this one replaced.
    pub walks: u64,
    /// Number of trie nodes that the walks visited.
    pub nodes: u64,
    /// Number of subtrees that the walks took as a whole.
    pub taken: u64,
    /// Number of answers of each strategy, including those of the lexicons that this one replaced.
    pub strategies: StrategyUses,
}

impl HeapSize for Lexicon {
    fn heap_bytes(&self) -> usize {
        self.bytes_used()
    }
}

impl Lexicon {
    /// Creates an empty lexicon.
    ///
    /// # Complexity
    /// Linear in the nodes of the trie.
    pub fn new(vocabulary: Arc<Vocabulary>, config: &LexiconConfig) -> Self {
        let trie = vocabulary.trie();
        let trie_index = Arc::new(TrieIndex::new(trie));
        let mut every = vec![0; vocabulary.mask_words()];
        for id in trie.columns().tokens {
            every[id.word()] |= id.bit();
        }
        let base_slices = BaseSlices::new(&vocabulary, &trie_index, &walk::bases(trie, &trie_index, config));
        let horizon = Automaton::horizon_of(&vocabulary);
        Self::empty(vocabulary, trie_index, every.into(), Arc::new(base_slices), horizon, config)
    }

    /// Creates an empty lexicon from the data that depends on the vocabulary only.
    fn empty(
        vocabulary: Arc<Vocabulary>,
        trie_index: Arc<TrieIndex>,
        every: Arc<[u32]>,
        base_slices: Arc<BaseSlices>,
        horizon: Horizon,
        config: &LexiconConfig,
    ) -> Self {
        let budget = Arc::new(Budget::new(config.limits.budget));
        Self {
            continuations: Continuations::new(&trie_index),
            bases: walk::bases(vocabulary.trie(), &trie_index, config),
            automaton: Automaton::new(horizon, &config.limits.regular, Arc::clone(&budget)),
            vocabulary,
            trie_index,
            every,
            config: config.clone(),
            entries: Arena::new(),
            entries_by_set: Memo::new(),
            by_successors: Memo::new(),
            imported: Memo::new(),
            entries_of_texts: Memo::new(),
            unions: Memo::new(),
            rows: Arena::new(),
            owner: OwnerId::new(),
            row_pool: Arc::default(),
            base_slices,
            slices: Arc::default(),
            budget,
            counters: Arc::default(),
            strategies: Strategies::new(config),
        }
    }

    /// Creates an empty lexicon of the same vocabulary. Slices depend on the vocabulary only; they are kept
    /// while they take less than a quarter of the budget.
    pub fn successor(&self) -> Self {
        let mut lexicon = Self {
            counters: Arc::clone(&self.counters),
            strategies: self.strategies.successor(),
            ..self.with_config(&self.config)
        };
        let slices = self.slices.iter().map(|(_, slice)| slice);
        let bytes: usize = slices.map(|slice| slice.bytes_used()).sum();
        if bytes < self.config.limits.budget / BUDGET_SHARE_OF_SLICES {
            lexicon.budget.spend(bytes);
            lexicon.slices = Arc::clone(&self.slices);
        }
        lexicon
    }

    /// Creates an empty lexicon of the same vocabulary with another configuration.
    pub fn with_config(&self, config: &LexiconConfig) -> Self {
        Self::empty(
            Arc::clone(&self.vocabulary),
            Arc::clone(&self.trie_index),
            Arc::clone(&self.every),
            Arc::clone(&self.base_slices),
            self.automaton.horizon(),
            config,
        )
    }

    /// Returns the vocabulary.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// Returns the configuration.
    pub fn config(&self) -> &LexiconConfig {
        &self.config
    }

    /// Returns the sizes of the tables and the counters of the work that filled them.
    pub fn stats(&self) -> LexiconStats {
        let walked = self.counters.so_far();
        LexiconStats {
            lexemes: self.automaton.len(),
            continuations: self.continuations.len(),
            entries: self.entries.len(),
            bytes: self.bytes_used(),
            walks: walked.walks,
            nodes: walked.nodes,
            taken: walked.taken,
            strategies: self.strategies.uses(),
        }
    }

    /// Returns the bytes that the tables hold, approximately, without the vocabulary, its index and the
    /// slices of all characters.
    pub fn bytes_used(&self) -> usize {
        self.budget.used() + self.continuations.bytes_of_pairs()
    }

    /// Returns `true` if the tables hold more bytes than [`LexiconLimits::budget`].
    pub fn is_over_budget(&self) -> bool {
        self.bytes_used() > self.budget.limit()
    }

    /// Returns the id under which the lexicon owns its rows.
    pub(crate) fn owner(&self) -> OwnerId {
        self.owner
    }

    /// Returns the pool of buffers that no scratch uses.
    pub(crate) fn row_pool(&self) -> &Arc<RowPool> {
        &self.row_pool
    }

    pub(crate) fn trie(&self) -> &Trie {
        self.vocabulary.trie()
    }

    /// Returns the maximum length of a token, in bytes: the height of the trie.
    pub(crate) fn max_token_bytes(&self) -> u32 {
        u32::try_from(self.trie_index.height()).unwrap_or(u32::MAX)
    }

    pub(crate) fn trie_index(&self) -> &TrieIndex {
        &self.trie_index
    }

    pub(crate) fn context(&self) -> TrieContext<'_> {
        TrieContext {
            vocabulary: &self.vocabulary,
            trie: self.vocabulary.trie(),
            trie_index: &self.trie_index,
            every: &self.every,
            max_listed_nodes: self.config.tuning.max_listed_nodes,
        }
    }

    pub(crate) fn continuation(&self, id: ContinuationId) -> &Continuation {
        self.continuations.get(id)
    }

    pub(crate) fn continuations(&self) -> &Continuations {
        &self.continuations
    }

    /// Interns a set of trie nodes.
    pub(crate) fn intern(&self, set: NodeSet) -> ContinuationId {
        let (id, fresh) = self.continuations.intern(set);
        if fresh {
            self.budget.spend(self.continuations.get(id).bytes_used());
        }
        id
    }

    pub(crate) fn spend(&self, bytes: usize) {
        self.budget.spend(bytes);
    }

    /// Returns the lexeme after a text, or one that accepts the same tokens. The flag is true if the
    /// languages are equal.
    ///
    /// # Errors
    /// Returns an error if a limit of regular languages is exceeded.
    pub(crate) fn after(&self, lexeme: LexemeId, text: &[u8]) -> Result<(LexemeId, bool), Error> {
        let next = self.automaton.step_all(lexeme, text)?;
        let same = self.automaton.saturated(next)?;
        Ok((same, same == next))
    }

    /// Returns the characters over which a lexeme loops.
    fn loop_alphabet(&self, lexeme: LexemeId) -> Result<&LoopAlphabet, Error> {
        let cell = &self.automaton.cold(lexeme).loops;
        match cell.get() {
            Some(known) => Ok(known),
            None => {
                let found = LoopAlphabet::of(&self.automaton, lexeme)?;
                Ok(cell.get_or_init(|| found))
            }
        }
    }

    /// Returns the entry of a lexeme below a set, if the requested output is known.
    pub(crate) fn known_entry(
        &self,
        lexeme: LexemeId,
        continuation: ContinuationId,
        want: Want,
    ) -> Option<EntryId> {
        self.stored_entry((lexeme, continuation)).filter(|&entry| self.entry(entry).answers(want))
    }

    fn stored_entry(&self, key: EntryKey) -> Option<EntryId> {
        let (lexeme, continuation) = key;
        if continuation == ContinuationId::ROOT {
            return self.automaton.state(lexeme).at_root.get().copied();
        }
        self.entries_by_set.get(&key).copied()
    }

    /// Returns an entry by its number.
    #[inline]
    pub(crate) fn entry(&self, EntryId(id): EntryId) -> &Entry {
        self.entries.get(id)
    }

    /// Returns the entry of a lexeme below a set of trie nodes, computing it if needed.
    ///
    /// # Errors
    /// Returns an error if a limit of regular languages is exceeded.
    pub(crate) fn find_entry(
        &self,
        lexeme: LexemeId,
        continuation: ContinuationId,
        want: Want,
    ) -> Result<EntryId, Error> {
        if let Some(entry) = self.known_entry(lexeme, continuation, want) {
            return Ok(entry);
        }
        Ok(self.keep((lexeme, continuation), self.find(lexeme, continuation, want)?))
    }

    /// As `find_entry`; adds the cost of computing the entry, in trie nodes, to `nodes`.
    fn entry_at_cost(
        &self,
        lexeme: LexemeId,
        continuation: ContinuationId,
        want: Want,
        nodes: &mut u64,
    ) -> Result<EntryId, Error> {
        if let Some(known) = self.known_entry(lexeme, continuation, want) {
            return Ok(known);
        }
        let entry = self.find_entry(lexeme, continuation, want)?;
        *nodes += self.entry(entry).nodes;
        Ok(entry)
    }

    /// Creates an entry from the output of a walk. Tokens that are already stored are not stored again.
    fn found(&self, key: EntryKey, output: WalkOutput<'_>, nodes: u64) -> Entry {
        let want = output.want();
        let (tokens, exits) = output.finish_as_found();
        let exit = match want {
            Want::Tokens => OnceLock::new(),
            Want::TokensAndExits => OnceLock::from(exits.map(|exits| self.intern(exits))),
        };
        let own =
            if self.stored_entry(key).is_none() { self.store_tokens(tokens) } else { StoredTokens::none() };
        Entry { tokens: EntryTokens { own, base: None }, exit, nodes }
    }

    /// Computes the entry of a lexeme at the start of a token, and after its first byte if there is just one,
    /// mostly a quote. Returns the cost, in trie nodes.
    ///
    /// # Errors
    /// Returns an error if a limit of regular languages is exceeded.
    pub(crate) fn prefetch(&self, lexeme: LexemeId) -> Result<u64, Error> {
        let first = self.automaton.few_live_bytes(lexeme)?;
        let after_first = match first.and_then(|bytes| bytes.single_byte()) {
            Some(byte) => Some(self.after(lexeme, &[byte])?.0).filter(|next| next.goes_on()),
            None => None,
        };
        let mut nodes = 0;
        for state in [Some(lexeme), after_first].into_iter().flatten() {
            self.entry_at_cost(state, ContinuationId::ROOT, Want::TokensAndExits, &mut nodes)?;
        }
        Ok(nodes)
    }

    fn add(&self, entry: Entry) -> EntryId {
        self.budget.spend(size_of::<Entry>() + entry.tokens.bytes_used());
        EntryId(self.entries.push(entry))
    }

    /// Stores an entry. If there is one with this key already, only adds the exits to it, which a walk for
    /// tokens alone has not computed.
    fn keep(&self, key: EntryKey, entry: Entry) -> EntryId {
        let exit = entry.exit.get().copied();
        let stored = self.stored_entry(key).unwrap_or_else(|| self.insert_entry(key, entry));
        if let Some(exit) = exit {
            self.entry(stored).exit.get_or_init(|| exit);
        }
        stored
    }

    /// Stores an entry under a key without one.
    fn insert_entry(&self, key: EntryKey, entry: Entry) -> EntryId {
        let (lexeme, continuation) = key;
        if continuation == ContinuationId::ROOT {
            return *self.automaton.state(lexeme).at_root.get_or_init(|| self.add(entry));
        }
        // If two threads find an entry at once, the one that comes later leaves an unused copy.
        let (entry, fresh) = self.entries_by_set.insert(key, self.add(entry));
        if fresh {
            self.budget.spend(size_of::<(LexemeId, ContinuationId, EntryId)>());
        }
        *entry
    }
}

impl std::fmt::Debug for Lexicon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lexicon").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
