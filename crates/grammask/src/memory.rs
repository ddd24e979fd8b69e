//! A limit on the memory of all grammars of a process.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};

use grammask_cache::Shared as SharedTables;
use grammask_mask::{Lexicon, Masks};

use crate::grammar::WeakGrammar;
use crate::vocabulary::WeakVocabulary;
use crate::{Config, Error, Grammar};

/// Bytes by which the tables of a grammar grow between two looks at the sum.
const BYTES_BETWEEN_LOOKS: usize = 1 << 16;

/// Bytes of tables below which replacing them frees nothing that counts.
const MIN_EVICTED_BYTES: usize = 1 << 14;

/// A limit on the memory that grammars and their vocabularies' lexicons hold together. Clones are the same
/// budget. [`Config::memory`] hands it to grammars.
///
/// Counted are the tables of each grammar, including those that only a matcher still refers to, its compiled
/// form, and the lexicons of the vocabularies. The tokens of vocabularies and the texts of matchers are not.
///
/// If the sum exceeds the limit, the largest tables are replaced by empty ones, until the sum is three
/// quarters of the limit. Masks are the same afterwards, but are computed again. Matchers move to the new
/// tables at their next call; until then they keep the old ones in memory. If that is not enough, the next
/// grammar is refused with [`Error::Memory`].
///
/// The sum is looked at before and after each compile, and each time that a grammar's tables have grown by
/// 64 KB. So it can exceed the limit by that for each grammar, and by what a compile in progress takes, which
/// `Config::normal.regular.memory` and `Config::recognizer.limits.max_bytes` bound.
///
/// ```
/// use grammask::{Config, Error, Grammar, MemoryBudget, TokenId, Vocabulary};
///
/// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], [])?;
/// let memory = MemoryBudget::new(64 << 20);
/// let config = Config { memory: Some(memory.clone()), ..Config::default() };
/// let grammar = Grammar::compile("start ::= #'a+';", &vocabulary, &config)?;
/// assert!(memory.used() > 0 && memory.used() < memory.limit());
/// drop(grammar);
///
/// let config = Config { memory: Some(MemoryBudget::new(100)), ..Config::default() };
/// let error = Grammar::compile("start ::= #'a+';", &vocabulary, &config).unwrap_err();
/// assert!(matches!(error, Error::Memory(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Cost
/// A look adds the sizes of all grammars of the budget. A call of a matcher compares two numbers.
#[derive(Clone)]
pub struct MemoryBudget {
    shared: Arc<Shared>,
}

struct Shared {
    limit: usize,
    held: Mutex<Held>,
    /// Locked by the thread that replaces tables.
    evicting: Mutex<()>,
}

/// Everything that counts, as long as it is alive.
#[derive(Default)]
struct Held {
    grammars: Vec<WeakGrammar>,
    tables: Vec<Weak<Masks>>,
    vocabularies: Vec<WeakVocabulary>,
    lexicons: Vec<Weak<Lexicon>>,
}

/// The grammars of a [`MemoryBudget`] hold too many bytes for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the grammars of the process hold {found} bytes, more than {value} (limit `memory`); drop grammars and \
     matchers that are not needed, or raise the limit"
)]
pub struct MemoryExceeded {
    /// The limit of the budget, in bytes.
    pub value: usize,
    /// The bytes that are held, with those of the refused grammar.
    pub found: usize,
}

impl MemoryBudget {
    /// Returns a budget of some bytes.
    pub fn new(bytes: usize) -> Self {
        let shared = Shared { limit: bytes, held: Mutex::default(), evicting: Mutex::default() };
        Self { shared: Arc::new(shared) }
    }

    /// Returns the limit, in bytes.
    pub fn limit(&self) -> usize {
        self.shared.limit
    }

    /// Returns the bytes that are held now, approximately.
    ///
    /// # Complexity
    /// Linear in the number of grammars.
    pub fn used(&self) -> usize {
        let mut held = self.lock();
        let grammars = alive(&mut held.grammars, WeakGrammar::upgrade);
        let tables = alive(&mut held.tables, |weak| weak.upgrade().map(SharedTables::from));
        let lexicons = alive(&mut held.lexicons, |weak| weak.upgrade().map(SharedTables::from));
        alive(&mut held.vocabularies, WeakVocabulary::upgrade);
        drop(held);
        // Without the lock, as dropping a last owner frees memory.
        let mut networks: Vec<(usize, usize)> = grammars.iter().map(Grammar::network_size).collect();
        networks.sort_unstable();
        networks.dedup_by_key(|(address, _)| *address);
        networks.iter().map(|(_, bytes)| bytes).sum::<usize>()
            + tables.iter().map(|tables| tables.bytes_used()).sum::<usize>()
            + lexicons.iter().map(|lexicon| lexicon.bytes_used()).sum::<usize>()
    }

    /// Returns the number of grammars that are held now.
    pub fn grammars(&self) -> usize {
        alive(&mut self.lock().grammars, WeakGrammar::upgrade).len()
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.shared.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts tables with their lexicon from now on.
    pub(crate) fn hold_tables(&self, tables: &SharedTables<Masks>) {
        let mut held = self.lock();
        held.tables.push(Arc::downgrade(tables.arc()));
        let lexicon = Arc::downgrade(tables.lexicon().arc());
        if !held.lexicons.iter().any(|known| known.ptr_eq(&lexicon)) {
            held.lexicons.push(lexicon);
        }
    }

    /// Counts a grammar from now on.
    fn hold(&self, grammar: &Grammar) {
        self.hold_tables(&grammar.tables());
        let mut held = self.lock();
        held.grammars.push(grammar.downgrade());
        let vocabulary = grammar.vocabulary().downgrade();
        if !held.vocabularies.iter().any(|known| known.ptr_eq(&vocabulary)) {
            held.vocabularies.push(vocabulary);
        }
    }

    /// Replaces tables if the sum exceeds the limit.
    pub(crate) fn enforce(&self) {
        if self.used() <= self.limit() {
            return;
        }
        let _evicting = match self.shared.evicting.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        let mut held = self.lock();
        let mut grammars = alive(&mut held.grammars, WeakGrammar::upgrade);
        let lexicons = alive(&mut held.lexicons, |weak| weak.upgrade().map(SharedTables::from));
        let vocabularies = alive(&mut held.vocabularies, WeakVocabulary::upgrade);
        drop(held);
        let target = self.limit() / 4 * 3;
        let is_lexicon_large =
            lexicons.iter().map(|lexicon| lexicon.bytes_used()).sum::<usize>() > self.limit() / 2;
        // Else this thread would be the last owner.
        drop(lexicons);
        if is_lexicon_large {
            // All tables refer to the lexicon.
            vocabularies.iter().for_each(crate::Vocabulary::replace_lexicon);
            grammars.iter().for_each(Grammar::evict);
            return;
        }
        grammars.sort_by_cached_key(|grammar| std::cmp::Reverse(grammar.tables().bytes_used()));
        for grammar in grammars {
            if self.used() <= target || grammar.tables().bytes_used() < MIN_EVICTED_BYTES {
                return;
            }
            grammar.evict();
        }
    }

    fn check(&self) -> Result<(), MemoryExceeded> {
        self.enforce();
        let found = self.used();
        if found > self.limit() { Err(MemoryExceeded { value: self.limit(), found }) } else { Ok(()) }
    }
}

/// Removes what is not alive from a list, and returns the rest.
fn alive<W, T>(list: &mut Vec<W>, upgrade: impl Fn(&W) -> Option<T>) -> Vec<T> {
    let mut values = Vec::with_capacity(list.len());
    list.retain(|weak| {
        let value = upgrade(weak);
        let is_alive = value.is_some();
        values.extend(value);
        is_alive
    });
    values
}

impl fmt::Debug for MemoryBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryBudget").field("limit", &self.limit()).field("used", &self.used()).finish()
    }
}

/// The part of a grammar that is about its budget.
pub(crate) struct GrammarMemory {
    budget: MemoryBudget,
    /// Address of the tables in use. A matcher holds its own tables, so they have another address unless they
    /// are those in use.
    current: AtomicUsize,
    /// Bytes of the tables at the last look.
    seen: AtomicUsize,
}

impl GrammarMemory {
    fn new(budget: &MemoryBudget, tables: &SharedTables<Masks>) -> Self {
        let current = AtomicUsize::new(address(tables));
        Self { budget: budget.clone(), current, seen: AtomicUsize::new(0) }
    }

    /// Returns the budget.
    pub(crate) fn budget(&self) -> &MemoryBudget {
        &self.budget
    }

    /// Records the tables in use, and counts them.
    pub(crate) fn enter(&self, tables: &SharedTables<Masks>) {
        self.current.store(address(tables), Ordering::Relaxed);
        self.seen.store(0, Ordering::Relaxed);
        self.budget.hold_tables(tables);
    }

    /// Looks at the sum if the tables have grown. Returns true if these tables are not in use any more.
    pub(crate) fn has_replaced(&self, tables: &SharedTables<Masks>) -> bool {
        let bytes = tables.bytes_used() + tables.lexicon().bytes_used();
        if bytes > self.seen.load(Ordering::Relaxed).saturating_add(BYTES_BETWEEN_LOOKS) {
            self.seen.store(bytes, Ordering::Relaxed);
            self.budget.enforce();
        }
        self.current.load(Ordering::Relaxed) != address(tables)
    }
}

fn address(tables: &SharedTables<Masks>) -> usize {
    Arc::as_ptr(tables.arc()).addr()
}

impl Config {
    /// Returns an error if the memory budget is exceeded already.
    pub(crate) fn check_memory(&self) -> Result<(), MemoryExceeded> {
        self.memory.as_ref().map_or(Ok(()), MemoryBudget::check)
    }

    /// Hands a new grammar to the memory budget, which may refuse it.
    pub(crate) fn admit(&self, grammar: Grammar) -> Result<Grammar, MemoryExceeded> {
        let Some(budget) = &self.memory else { return Ok(grammar) };
        let is_new = grammar.set_memory(|tables| GrammarMemory::new(budget, tables));
        if is_new {
            budget.hold(&grammar);
            budget.check()?;
        }
        Ok(grammar)
    }

    /// Compiles a grammar within the account of one compile and the memory budget.
    pub(crate) fn compile_grammar(
        &self,
        compile: impl FnOnce() -> Result<Grammar, Error>,
    ) -> Result<Grammar, Error> {
        self.check_memory()?;
        Ok(self.admit(self.compile_within(compile)?)?)
    }
}
