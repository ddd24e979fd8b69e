//! A cache of compiled grammars for servers: one compile for many requests, and a budget of bytes.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::{Error, Grammar};

/// Compiled grammars by a key, which the caller makes of the grammar's text and its options.
///
/// Requests for one key at the same time share one compile, which runs on the thread of the first of them.
/// Grammars that were used least recently are dropped when all grammars together exceed the budget.
///
/// ```
/// use grammask::{Config, Grammar, GrammarCache, Request, TokenId, Vocabulary};
///
/// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], [])?;
/// let cache = GrammarCache::new(1 << 30);
/// for _ in 0..3 {
///     let text = "start ::= 'a';";
///     let compile = |_: &_| Grammar::compile(text, &vocabulary, &Config::default());
///     cache.get_or_compile(text, &Request::new(), compile)?;
/// }
/// assert_eq!((cache.stats().misses, cache.stats().hits), (1, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct GrammarCache<K> {
    budget: usize,
    inner: Mutex<Inner<K>>,
    /// Notified when a compile ends and when a request is cancelled.
    changed: Condvar,
}

/// A caller that waits for a grammar, and may give up. A clone is another handle to the same request.
#[derive(Clone, Debug, Default)]
pub struct Request {
    is_cancelled: Arc<AtomicBool>,
}

impl Request {
    /// Makes a request that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns true if [`GrammarCache::cancel`] was called for it.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}

/// Why a cache has no grammar for a request.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The grammar does not compile. All requests that waited for it share the error.
    #[error("{0}")]
    Compile(Arc<Error>),
    /// The request was cancelled.
    #[error("the request was cancelled while its grammar was compiled")]
    Cancelled,
}

/// Sizes and counts of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Number of grammars.
    pub grammars: usize,
    /// Bytes of their tables, as of the last time that a grammar was added.
    pub bytes: usize,
    /// Number of compiles that run now.
    pub compiling: usize,
    /// Requests that found a grammar.
    pub hits: u64,
    /// Requests that compiled one.
    pub misses: u64,
    /// Requests that waited for the compile of another one.
    pub shared: u64,
    /// Compiles that failed.
    pub failures: u64,
    /// Requests that were cancelled.
    pub cancelled: u64,
    /// Grammars that were dropped because of the budget.
    pub evicted: u64,
}

struct Inner<K> {
    entries: HashMap<K, Entry>,
    compiling: HashMap<K, Arc<Compile>>,
    /// Number of uses so far, the time by which entries are compared.
    uses: u64,
    stats: CacheStats,
}

struct Entry {
    grammar: Grammar,
    last_use: u64,
}

/// A compile that runs on the thread of one request.
#[derive(Default)]
struct Compile {
    /// Set when all requests are cancelled.
    is_cancelled: Arc<AtomicBool>,
    state: Mutex<CompileState>,
}

#[derive(Default)]
struct CompileState {
    requests: Vec<Request>,
    outcome: Option<Outcome>,
}

#[derive(Clone)]
enum Outcome {
    Ended(Result<Grammar, Arc<Error>>),
    /// The compile was cancelled or panicked: requests that still wait begin again.
    Abandoned,
}

impl<K: Hash + Eq + Clone> GrammarCache<K> {
    /// Makes an empty cache. `budget` is the number of bytes that the tables of all grammars may have. The
    /// grammar that was added last is kept even if it is larger alone.
    pub fn new(budget: usize) -> Self {
        let inner = Inner {
            entries: HashMap::new(),
            compiling: HashMap::new(),
            uses: 0,
            stats: CacheStats::default(),
        };
        Self { budget, inner: Mutex::new(inner), changed: Condvar::new() }
    }

    /// Returns the grammar of a key. Calls `compile` on this thread if there is none, and waits if another
    /// request compiles it.
    ///
    /// `compile` gets a flag that turns true when all requests for the key are cancelled. As
    /// [`Config::cancel`](crate::Config::cancel), it ends the compile. An error is not kept: the next request
    /// compiles again.
    ///
    /// # Errors
    /// If the grammar does not compile, or the request is cancelled.
    #[expect(clippy::needless_pass_by_value, reason = "a caller makes the key for this call")]
    pub fn get_or_compile(
        &self,
        key: K,
        request: &Request,
        compile: impl FnOnce(&Arc<AtomicBool>) -> Result<Grammar, Error>,
    ) -> Result<Grammar, CacheError> {
        let mut inner = self.lock();
        let mut has_waited = false;
        loop {
            if request.is_cancelled() {
                inner.stats.cancelled += 1;
                return Err(CacheError::Cancelled);
            }
            inner.uses += 1;
            let now = inner.uses;
            if let Some(entry) = inner.entries.get_mut(&key) {
                entry.last_use = now;
                let grammar = entry.grammar.clone();
                inner.stats.hits += u64::from(!has_waited);
                return Ok(grammar);
            }
            let Some(other) = inner.compiling.get(&key).cloned() else { break };
            inner.stats.shared += u64::from(!has_waited);
            has_waited = true;
            other.lock().requests.push(request.clone());
            let outcome;
            (inner, outcome) = self.wait(inner, &other, request);
            match outcome {
                Some(Outcome::Ended(result)) => return result.map_err(CacheError::Compile),
                Some(Outcome::Abandoned) | None => {}
            }
        }
        let own = Arc::new(Compile::default());
        own.lock().requests.push(request.clone());
        inner.compiling.insert(key.clone(), Arc::clone(&own));
        inner.stats.misses += 1;
        drop(inner);

        // If `compile` panics, the guard lets the others begin again.
        let mut guard = Guard { cache: self, key: &key, compile: &own, outcome: Outcome::Abandoned };
        let result = compile(&own.is_cancelled).map_err(Arc::new);
        if !(result.is_err() && own.is_cancelled.load(Ordering::Relaxed)) {
            guard.outcome = Outcome::Ended(result.clone());
        }
        drop(guard);
        if request.is_cancelled() {
            self.lock().stats.cancelled += 1;
            return Err(CacheError::Cancelled);
        }
        result.map_err(CacheError::Compile)
    }

    /// Returns the grammar of a key, if there is one.
    pub fn get(&self, key: &K) -> Option<Grammar> {
        let mut inner = self.lock();
        inner.uses += 1;
        let now = inner.uses;
        let entry = inner.entries.get_mut(key)?;
        entry.last_use = now;
        let grammar = entry.grammar.clone();
        inner.stats.hits += 1;
        Some(grammar)
    }

    /// Cancels a request: its call returns [`CacheError::Cancelled`] soon. A compile that reads its flag
    /// stops if no other request waits for it.
    pub fn cancel(&self, request: &Request) {
        let inner = self.lock();
        request.is_cancelled.store(true, Ordering::Relaxed);
        for compile in inner.compiling.values() {
            if compile.lock().requests.iter().all(Request::is_cancelled) {
                compile.is_cancelled.store(true, Ordering::Relaxed);
            }
        }
        drop(inner);
        self.changed.notify_all();
    }

    /// Drops all grammars. Matchers in use keep theirs; running compiles end as usual.
    pub fn clear(&self) {
        let entries = std::mem::take(&mut self.lock().entries);
        // Tables may be large: freed without the lock.
        drop(entries);
    }

    /// Returns the sizes and counts.
    pub fn stats(&self) -> CacheStats {
        let inner = self.lock();
        CacheStats { grammars: inner.entries.len(), compiling: inner.compiling.len(), ..inner.stats }
    }

    /// Waits until `compile` has ended or the request is cancelled, which is `None`.
    fn wait<'a>(
        &'a self,
        mut inner: MutexGuard<'a, Inner<K>>,
        compile: &Compile,
        request: &Request,
    ) -> (MutexGuard<'a, Inner<K>>, Option<Outcome>) {
        loop {
            let outcome = compile.lock().outcome.clone();
            if outcome.is_some() {
                return (inner, outcome);
            }
            if request.is_cancelled() {
                return (inner, None);
            }
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner<K>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops the least recently used grammars until the rest fits the budget; returns them, for the caller to
    /// free without the lock.
    fn evict(inner: &mut Inner<K>, budget: usize) -> Vec<Entry> {
        let bytes = |entry: &Entry| entry.grammar.stats().tables.bytes;
        let mut by_age: Vec<_> =
            inner.entries.iter().map(|(key, entry)| (entry.last_use, bytes(entry), key.clone())).collect();
        by_age.sort_unstable_by_key(|&(last_use, ..)| last_use);
        let mut total: usize = by_age.iter().map(|&(_, bytes, _)| bytes).sum();
        let mut evicted = Vec::new();
        // The last one is the one that was just added.
        by_age.pop();
        for (_, bytes, key) in by_age {
            if total <= budget {
                break;
            }
            total -= bytes;
            evicted.extend(inner.entries.remove(&key));
        }
        inner.stats.bytes = total;
        inner.stats.evicted += evicted.len() as u64;
        evicted
    }
}

impl Compile {
    fn lock(&self) -> MutexGuard<'_, CompileState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a compile, even if it panics.
struct Guard<'a, K: Hash + Eq + Clone> {
    cache: &'a GrammarCache<K>,
    key: &'a K,
    compile: &'a Compile,
    outcome: Outcome,
}

impl<K: Hash + Eq + Clone> Drop for Guard<'_, K> {
    fn drop(&mut self) {
        let mut inner = self.cache.lock();
        inner.compiling.remove(self.key);
        let mut evicted = Vec::new();
        match &self.outcome {
            Outcome::Ended(Ok(grammar)) => {
                inner.uses += 1;
                let entry = Entry { grammar: grammar.clone(), last_use: inner.uses };
                evicted.extend(inner.entries.insert(self.key.clone(), entry));
                evicted.extend(GrammarCache::evict(&mut inner, self.cache.budget));
            }
            Outcome::Ended(Err(_)) => inner.stats.failures += 1,
            Outcome::Abandoned => {}
        }
        self.compile.lock().outcome = Some(self.outcome.clone());
        drop(inner);
        self.cache.changed.notify_all();
        drop(evicted);
    }
}

impl<K> std::fmt::Debug for GrammarCache<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GrammarCache").field("budget", &self.budget).finish_non_exhaustive()
    }
}
