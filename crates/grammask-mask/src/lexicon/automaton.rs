//! The deterministic automaton of all lexemes of all grammars: states are languages, steps are derivatives on
//! demand.

use grammask_work::{charge, narrow};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use grammask_cache::{Arena, Budget, Column, Row};
use grammask_regular::analysis::{self, Counter, ExcludedStrings, FiniteLanguage, Horizon, LoopSplit};
use grammask_regular::{ByteSet, Error, Limits, RegularId, Store};
use grammask_trie::Vocabulary;
use rustc_hash::FxHashMap;

use crate::lexicon::slice::frontier::AfterMultibyte;
use crate::lexicon::walk::self_loop::LoopAlphabet;
use crate::lexicon::{EntryId, MAX_TEXTS};

/// A state of a lexeme. Two bits of the number are the answers that walks need most often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LexemeId(u32);

impl LexemeId {
    /// The state from which nothing goes on.
    pub(crate) const DEAD: Self = Self(0);
    const GOES_ON: u32 = 1;
    const COMPLETES: u32 = 2;

    const fn index(self) -> u32 {
        self.0 >> 2
    }

    /// As a number, and back.
    pub(crate) const fn number(self) -> u32 {
        self.0
    }

    pub(crate) const fn from_number(number: u32) -> Self {
        Self(number)
    }

    #[inline]
    pub(crate) const fn is_dead(self) -> bool {
        self.0 == 0
    }

    /// Returns `true` if some longer text continues.
    #[inline]
    pub(crate) const fn goes_on(self) -> bool {
        self.0 & Self::GOES_ON != 0
    }

    /// Returns `true` if the lexeme is complete here.
    #[inline]
    pub(crate) const fn completes(self) -> bool {
        self.0 & Self::COMPLETES != 0
    }
}

/// A state: its language, and data that is computed on demand.
pub(crate) struct State {
    language: RegularId,
    /// The states after the bytes of each class.
    row: Row,
    /// True if the language begins neither with an intersection nor with a counter. Then a loop is a return
    /// to this very state.
    pub(crate) is_plain: bool,
    /// Byte partition, shared by all states with an equal one.
    classes: Arc<Classes>,
    /// State with counters replaced by one value if they are farther from their bounds than any token is
    /// long.
    saturated: OnceLock<LexemeId>,
    /// Entry below the root of the trie.
    pub(crate) at_root: OnceLock<EntryId>,
    cold: OnceLock<Box<ColdState>>,
}

/// The few texts that a lexeme excludes from a loop, before its ends.
#[derive(Debug)]
pub(crate) struct ExcludedTexts {
    /// The lexeme that also accepts these texts before each end.
    pub(crate) all: LexemeId,
    pub(crate) texts: Vec<Vec<u8>>,
    pub(crate) ends: LexemeId,
}

/// Data that few states need, mostly those that are walked. It is boxed, so that states are small and close
/// together.
#[derive(Default)]
pub(crate) struct ColdState {
    pub(crate) loops: OnceLock<LoopAlphabet>,
    /// See `near_duplicate.rs`.
    pub(crate) near_duplicate: OnceLock<Option<LexemeId>>,
    /// See `same_successors.rs`.
    pub(crate) representative: OnceLock<LexemeId>,
    /// See `split_prefix.rs`.
    pub(crate) prefix: OnceLock<Option<(LexemeId, LexemeId)>>,
    /// See `frontier.rs`.
    pub(crate) after_multibyte: [OnceLock<Option<AfterMultibyte>>; 3],
    live: OnceLock<ByteSet>,
}

/// The states of a [`LoopSplit`].
pub(crate) struct ConcatSplit {
    pub(crate) prefix: LexemeId,
    pub(crate) repeated: LexemeId,
    pub(crate) rest: LexemeId,
}

/// The partition of the bytes by a state.
struct Classes {
    /// The class of each byte.
    of: [u8; 256],
    /// The bytes of each class.
    members: Box<[ByteSet]>,
}

impl Classes {
    fn new(of: [u8; 256], len: usize) -> Self {
        let mut members = vec![ByteSet::EMPTY; len];
        (0..=u8::MAX).for_each(|byte| members[usize::from(of[usize::from(byte)])].insert(byte));
        Self { of, members: members.into() }
    }
}

impl State {
    /// Returns the position of a byte's class in the row.
    #[inline]
    fn class_of(&self, byte: u8) -> usize {
        usize::from(self.classes.of[usize::from(byte)])
    }

    /// Returns the characters that the state loops over. Returns `None` if they have not been computed.
    #[inline]
    pub(crate) fn known_loops(&self) -> Option<&LoopAlphabet> {
        self.cold.get()?.loops.get()
    }
}

/// Languages and their derivatives, as a deterministic automaton whose states are created on demand.
pub(crate) struct Automaton {
    states: Arena<State>,
    /// Budget of the lexicon.
    budget: Arc<Budget>,
    builder: Mutex<Builder>,
}

/// Data that changes when a state is created. It is locked.
struct Builder {
    store: Store,
    /// Strings of the vocabulary below trie nodes.
    horizon: Horizon,
    /// States by language.
    numbers: Column,
    /// The classes of bytes, by the number that the store has for them.
    classes: FxHashMap<u32, Arc<Classes>>,
}

impl Builder {
    /// Returns the bytes of the tables.
    fn bytes_used(&self) -> usize {
        self.store.bytes_used() + self.horizon.bytes_used()
    }

    /// Returns a language that accepts the same tokens as this one.
    fn saturated(&mut self, language: RegularId) -> Result<RegularId, Error> {
        analysis::saturate(&mut self.store, language, &mut self.horizon)
    }

    /// Creates a state without known successors.
    fn state(&mut self, language: RegularId) -> State {
        let (number, len) = analysis::byte_partition(&self.store, language);
        let new = || Arc::new(Classes::new(analysis::byte_class_map(&self.store, language), len));
        let classes = self.classes.entry(number).or_insert_with(new);
        State {
            language,
            row: Row::new(len),
            is_plain: analysis::is_uncounted(&self.store, language),
            classes: Arc::clone(classes),
            saturated: OnceLock::new(),
            at_root: OnceLock::new(),
            cold: OnceLock::new(),
        }
    }
}

/// Head normal form of a language, as far as loops can be read from it.
pub(crate) enum HeadForm {
    /// A counted repetition with a bound: the repeated language, the bounds, and the rest.
    Counted { base: LexemeId, min: u32, max: u32, rest: LexemeId },
    /// An intersection.
    All(Vec<LexemeId>),
    /// Anything else.
    Plain,
}

/// Bytes of a string up to which it is assumed to be in the vocabulary.
const MAX_ALWAYS_KEPT_BYTES: u32 = 16;

/// Bytes of all tables of a lexicon for each expression of its store, measured on schemas.
const BYTES_PER_EXPRESSION: usize = 400;
/// Budget, in bytes, up to which address space is reserved at once.
const MAX_RESERVED_BUDGET_BYTES: usize = 1 << 28;

/// Live bytes up to which a lexeme is followed byte by byte.
const MAX_FEW_BYTES: usize = 4;
/// Byte classes of a state up to which its live bytes are computed eagerly.
const MAX_CLASSES_CHECKED: usize = 8;

/// Work of a new step, beside that of the derivative.
const UNITS_PER_STEP: u64 = 16;

impl Automaton {
    /// Returns the strings of a vocabulary below its trie nodes.
    pub(crate) fn horizon_of(vocabulary: &Vocabulary) -> Horizon {
        let texts = vocabulary
            .tokens()
            .map(|(_, bytes)| bytes)
            .filter(|bytes| bytes.len() > MAX_ALWAYS_KEPT_BYTES as usize);
        Horizon::new(MAX_ALWAYS_KEPT_BYTES, texts)
    }

    /// Returns the horizon for an automaton without states.
    pub(crate) fn horizon(&self) -> Horizon {
        self.lock().horizon.unexplored()
    }

    /// Creates an automaton without states. Reserves the address space that the budget allows.
    pub(crate) fn new(horizon: Horizon, config: &Limits, budget: Arc<Budget>) -> Self {
        let mut store = Store::new(config);
        store.reserve_address_space(budget.limit().min(MAX_RESERVED_BUDGET_BYTES) / BYTES_PER_EXPRESSION);
        let automaton = Self {
            states: Arena::new(),
            budget,
            builder: Mutex::new(Builder {
                store,
                horizon,
                numbers: Column::new(),
                classes: FxHashMap::default(),
            }),
        };
        // The number 0 belongs to the empty language.
        let mut builder = automaton.lock();
        automaton.states.push(builder.state(RegularId::EMPTY));
        builder.numbers.set(narrow(RegularId::EMPTY.index()), LexemeId::DEAD.number());
        drop(builder);
        automaton
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns the state of a language of another store, or of one that accepts the same tokens. The flag is
    /// true if the languages are equal.
    pub(crate) fn import(&self, from: &Store, language: RegularId) -> Result<(LexemeId, bool), Error> {
        let mut guard = self.lock();
        let before = guard.bytes_used();
        let language = guard.store.import(from, language)?;
        let same = guard.saturated(language)?;
        let id = self.number(&mut guard, same)?;
        self.budget.spend(guard.bytes_used().saturating_sub(before));
        Ok((id, same == language))
    }

    /// Returns the representative of a state, which accepts the same tokens. States that differ only in
    /// counters far from their bounds have one representative.
    pub(crate) fn saturated(&self, id: LexemeId) -> Result<LexemeId, Error> {
        let state = self.state(id);
        if let Some(known) = state.saturated.get() {
            return Ok(*known);
        }
        let mut guard = self.lock();
        let before = guard.bytes_used();
        let same = guard.saturated(state.language)?;
        let same = self.number(&mut guard, same)?;
        self.budget.spend(guard.bytes_used().saturating_sub(before));
        Ok(*state.saturated.get_or_init(|| same))
    }

    #[inline]
    pub(crate) fn state(&self, id: LexemeId) -> &State {
        self.states.get(id.index())
    }

    /// Returns the rarely used data of a state, allocating it the first time.
    pub(crate) fn cold(&self, id: LexemeId) -> &ColdState {
        self.state(id).cold.get_or_init(|| {
            self.budget.spend(size_of::<ColdState>());
            Box::default()
        })
    }

    /// Returns the state after a byte, if it is known.
    #[inline]
    pub(crate) fn known_step(state: &State, byte: u8) -> Option<LexemeId> {
        state.row.get(state.class_of(byte)).map(LexemeId)
    }

    /// Returns the state after a byte.
    #[inline]
    pub(crate) fn step(&self, id: LexemeId, byte: u8) -> Result<LexemeId, Error> {
        match Self::known_step(self.state(id), byte) {
            Some(next) => Ok(next),
            None => self.step_anew(self.state(id), byte),
        }
    }

    /// Computes the state after a byte under the lock, and stores it in the row of `state`.
    #[cold]
    pub(crate) fn step_anew(&self, state: &State, byte: u8) -> Result<LexemeId, Error> {
        charge(UNITS_PER_STEP)?;
        let mut builder = self.lock();
        let before = builder.store.bytes_used();
        let next = builder.store.derivative(state.language, byte)?;
        let next = self.number(&mut builder, next)?;
        state.row.set(state.class_of(byte), next.0);
        self.budget.spend(builder.store.bytes_used().saturating_sub(before));
        Ok(next)
    }

    /// Returns the state after a text. Unknown states in between are not created.
    pub(crate) fn step_all(&self, id: LexemeId, text: &[u8]) -> Result<LexemeId, Error> {
        let mut id = id;
        for (position, &byte) in text.iter().enumerate() {
            let state = self.state(id);
            id = match Self::known_step(state, byte) {
                Some(next) => next,
                None if position + 1 == text.len() => return self.step_anew(state, byte),
                None => {
                    let mut builder = self.lock();
                    let before = builder.store.bytes_used();
                    let last = builder.store.derivative_by_text(state.language, &text[position..])?;
                    let last = self.number(&mut builder, last)?;
                    self.budget.spend(builder.store.bytes_used().saturating_sub(before));
                    return Ok(last);
                }
            };
        }
        Ok(id)
    }

    /// Calls `visit` with the bytes of `among` in each class, and the state after them. Stops and returns
    /// `false` if `visit` returns `false`.
    pub(crate) fn steps(
        &self,
        id: LexemeId,
        among: &ByteSet,
        mut visit: impl FnMut(&ByteSet, LexemeId) -> bool,
    ) -> Result<bool, Error> {
        for members in &self.state(id).classes.members {
            let bytes = members.intersection(among);
            let Some(byte) = bytes.first() else { continue };
            if !visit(&bytes, self.step(id, byte)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the successors as ranges of bytes: the first byte of each range, and the state after all its
    /// bytes.
    pub(crate) fn successors(&self, id: LexemeId) -> Result<Vec<(u8, LexemeId)>, Error> {
        let mut successors: Vec<(u8, LexemeId)> = Vec::new();
        for byte in 0..=u8::MAX {
            let next = self.step(id, byte)?;
            if successors.last().is_none_or(|&(_, before)| before != next) {
                successors.push((byte, next));
            }
        }
        Ok(successors)
    }

    /// Returns the bytes that lead to a live state.
    pub(crate) fn live_bytes(&self, id: LexemeId) -> Result<ByteSet, Error> {
        let state = self.state(id);
        let cell = &self.cold(id).live;
        if let Some(live) = cell.get() {
            return Ok(*live);
        }
        let mut builder = self.lock();
        let before = builder.store.bytes_used();
        let live = builder.store.live_bytes(state.language)?;
        self.budget.spend(builder.store.bytes_used().saturating_sub(before));
        Ok(*cell.get_or_init(|| live))
    }

    /// Returns the live bytes of a state if there are at most `MAX_FEW_BYTES`. A state with many byte classes
    /// is only examined if its expression shows its first bytes.
    pub(crate) fn few_live_bytes(&self, id: LexemeId) -> Result<Option<ByteSet>, Error> {
        let state = self.state(id);
        // A state with many classes is examined later, byte by byte, unless its expression shows the bytes.
        let cell = &self.cold(id).live;
        if state.row.len() > MAX_CLASSES_CHECKED && cell.get().is_none() {
            let Some(live) = analysis::first_bytes(&self.lock().store, state.language) else {
                return Ok(None);
            };
            cell.get_or_init(|| live);
        }
        Ok(Some(self.live_bytes(id)?).filter(|live| live.len() <= MAX_FEW_BYTES))
    }

    /// Returns the head normal form of a state's language.
    pub(crate) fn head_form(&self, id: LexemeId) -> Result<HeadForm, Error> {
        let mut builder = self.lock();
        let language = self.state(id).language;
        // A repetition without bounds is a loop that needs no counting.
        if let Some(Counter { base, min, max, rest }) =
            analysis::leading_counter(&mut builder.store, language)?
            && (min > 0 || max.is_some())
        {
            let base = self.number(&mut builder, base)?;
            let rest = self.number(&mut builder, rest)?;
            return Ok(HeadForm::Counted { base, min, max: max.unwrap_or(u32::MAX), rest });
        }
        let conjuncts = analysis::conjuncts(&mut builder.store, language)?;
        if conjuncts.is_empty() {
            return Ok(HeadForm::Plain);
        }
        let numbers = conjuncts.into_iter().map(|part| self.number(&mut builder, part));
        Ok(HeadForm::All(numbers.collect::<Result<_, _>>()?))
    }

    /// Returns the texts that a lexeme spells in a JSON string, if there are at most `MAX_TEXTS`. If it
    /// spells all texts but a few, returns these, and the lexeme that spells all texts.
    pub(crate) fn spelled(&self, id: LexemeId) -> Result<Option<(FiniteLanguage, Option<LexemeId>)>, Error> {
        let mut builder = self.lock();
        let store = &mut builder.store;
        let before = store.bytes_used();
        let Some(spelled) = analysis::finite_language(store, self.state(id).language, MAX_TEXTS)? else {
            return Ok(None);
        };
        if !spelled.is_complement {
            return Ok(Some((spelled, None)));
        }
        let all = analysis::universal_language(store, &spelled)?;
        self.budget.spend(store.bytes_used().saturating_sub(before));
        let all = self.number(&mut builder, all)?;
        Ok(Some((spelled, Some(all))))
    }

    /// Returns the few strings that a lexeme excludes from a loop. See [`analysis::excluded_strings`].
    pub(crate) fn excluded(&self, id: LexemeId) -> Result<Option<ExcludedTexts>, Error> {
        let mut builder = self.lock();
        let store = &mut builder.store;
        let before = store.bytes_used();
        let found = analysis::excluded_strings(store, self.state(id).language, MAX_TEXTS)?;
        self.budget.spend(store.bytes_used().saturating_sub(before));
        let Some(ExcludedStrings { all, texts, ends }) = found else { return Ok(None) };
        let all = self.number(&mut builder, all)?;
        Ok(Some(ExcludedTexts { all, texts, ends: self.number(&mut builder, ends)? }))
    }

    /// Returns the state without the bound on the number of characters, and that bound. Returns `None` if
    /// there is no bound, or if texts of one character are too short.
    pub(crate) fn uncounted(&self, id: LexemeId) -> Result<Option<(LexemeId, usize)>, Error> {
        let mut builder = self.lock();
        let before = builder.store.bytes_used();
        let found = analysis::split_length(&mut builder.store, self.state(id).language)?;
        let free = match found.filter(|(_, characters)| *characters.start() <= 1) {
            Some((language, characters)) => {
                Some((self.number(&mut builder, language)?, *characters.end() as usize))
            }
            None => None,
        };
        self.budget.spend(builder.store.bytes_used().saturating_sub(before));
        Ok(free)
    }

    /// Returns the state in which counters with bounds of at least `least` are unbounded. Also returns up to
    /// how many characters both accept the same texts. Returns `None` if no counter has such a bound.
    pub(crate) fn unbounded(&self, id: LexemeId, least: u32) -> Result<Option<(LexemeId, usize)>, Error> {
        let mut builder = self.lock();
        let before = builder.store.bytes_used();
        let found = analysis::drop_bounds(&mut builder.store, self.state(id).language, least)?;
        let free = match found {
            Some((language, most)) => Some((self.number(&mut builder, language)?, most as usize)),
            None => None,
        };
        self.budget.spend(builder.store.bytes_used().saturating_sub(before));
        Ok(free)
    }

    /// Returns the state that also accepts the few short texts which this one excludes. Returns `None` if it
    /// excludes none.
    pub(crate) fn without_exceptions(&self, id: LexemeId) -> Result<Option<LexemeId>, Error> {
        let mut builder = self.lock();
        let before = builder.store.bytes_used();
        let found = analysis::drop_exceptions(&mut builder.store, self.state(id).language)?;
        let other = found.map(|language| self.number(&mut builder, language)).transpose()?;
        self.budget.spend(builder.store.bytes_used().saturating_sub(before));
        Ok(other.filter(|&other| other != id))
    }

    /// Splits a state into a prefix and a rest; see [`analysis::split_after_loop`].
    pub(crate) fn split(&self, id: LexemeId) -> Result<Option<ConcatSplit>, Error> {
        let mut builder = self.lock();
        let before = builder.store.bytes_used();
        let found = match analysis::split_after_loop(&mut builder.store, self.state(id).language)? {
            Some(LoopSplit { prefix, repeated, rest }) => {
                let mut number = |language| self.number(&mut builder, language);
                Some(ConcatSplit {
                    prefix: number(prefix)?,
                    repeated: number(repeated)?,
                    rest: number(rest)?,
                })
            }
            None => None,
        };
        self.budget.spend(builder.store.bytes_used().saturating_sub(before));
        Ok(found)
    }

    /// Returns a number of characters that suffices to end the text of a state. Returns `None` if its
    /// expression does not show one.
    pub(crate) fn enough_to_end(&self, id: LexemeId) -> Option<usize> {
        analysis::short_completion_chars(&self.lock().store, self.state(id).language)
            .map(|characters| characters as usize)
    }

    /// Returns `true` if all strings of a state are known to be UTF-8.
    pub(crate) fn is_text(&self, id: LexemeId) -> bool {
        analysis::is_utf8(&self.lock().store, self.state(id).language)
    }

    /// Returns the state of the empty text: complete, and nothing continues.
    pub(crate) fn epsilon(&self) -> Result<LexemeId, Error> {
        self.number(&mut self.lock(), RegularId::EPSILON)
    }

    /// Returns the state of a language, which is added if it is new. Computes the two bits of its id.
    fn number(&self, builder: &mut Builder, language: RegularId) -> Result<LexemeId, Error> {
        if let Some(number) = builder.numbers.get(narrow(language.index())) {
            return Ok(LexemeId::from_number(number));
        }
        let goes_on = builder.store.has_nonempty_string(language)?;
        let completes = builder.store.is_nullable(language);
        let state = builder.state(language);
        let row = state.row.bytes_used();
        let index = self.states.push(state);
        let id = LexemeId(
            (index << 2)
                | (u32::from(completes) * LexemeId::COMPLETES)
                | (u32::from(goes_on) * LexemeId::GOES_ON),
        );
        let (_, allocated) = builder.numbers.set(narrow(language.index()), id.number());
        self.budget.spend(size_of::<State>() + row + allocated);
        Ok(id)
    }

    fn lock(&self) -> MutexGuard<'_, Builder> {
        // A language is stored as a whole or not at all, so a panic in another thread leaves no partial data.
        self.builder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
