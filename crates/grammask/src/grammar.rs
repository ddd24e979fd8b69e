//! A compiled grammar, bound to a vocabulary.

pub(crate) mod begin;
#[cfg(feature = "json-schema")]
pub(crate) mod embedded_schemas;
pub(crate) mod endings;
#[cfg(feature = "json-schema")]
mod json_schema;
#[cfg(feature = "notations")]
mod notation;
#[cfg(feature = "save")]
pub(crate) mod save;
#[cfg(any(feature = "json-schema", feature = "save"))]
pub(crate) mod schema_remarks;
pub(crate) mod special_tokens;
pub(crate) mod stats;
mod tree;
mod warm;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use grammask_cache::Shared as SharedTables;
use grammask_earley::{BuildInput, Network, Recognizer};
use grammask_mask::{Completions, Masks};
use grammask_normal::normalize_cancellable;
use grammask_regular::Store;
use grammask_syntax::Ast;
use grammask_work::{Stopped, is_stopped};

use crate::memory::GrammarMemory;
use crate::{Config, Error, GrammarStats, Limits, Matcher, Vocabulary};
#[cfg(any(feature = "json-schema", feature = "save"))]
use schema_remarks::SchemaRemarks;
use stats::{SharedMaskStats, StatsRecorder};
use tree::{ShrinkOnDrop, Tree};

/// A compiled grammar that masks the tokens of a vocabulary.
///
/// A clone is another handle to the same grammar. All handles and matchers share the masks that any of them
/// computes, on any number of threads.
///
/// ```
/// use grammask::{Config, Grammar, TokenId, Vocabulary};
///
/// let tokens = [(TokenId(0), b"a".to_vec()), (TokenId(1), b"ab".to_vec()), (TokenId(2), b"c".to_vec())];
/// let vocabulary = Vocabulary::new(tokens, [])?;
/// let grammar = Grammar::compile("start ::= 'a' 'b'* 'c';", &vocabulary, &Config::default())?;
/// let mut matcher = grammar.matcher();
/// assert_eq!(matcher.mask().iter().collect::<Vec<_>>(), [TokenId(0), TokenId(1)]);
/// assert!(matcher.accept(TokenId(1)).is_accepted());
/// assert_eq!(matcher.mask().iter().collect::<Vec<_>>(), [TokenId(2)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Grammar {
    shared: Arc<Shared>,
}

/// The tables of searches for completions, or the limit that making them exceeds. `None` before the first
/// call.
pub(crate) type CompletionTables = Option<Result<Box<Completions>, grammask_earley::Error>>;

struct Shared {
    vocabulary: Vocabulary,
    limits: Limits,
    /// The tables in use. Empty ones replace them when they exceed their memory budget; each matcher moves to
    /// the new ones at its next call.
    tables: Mutex<SharedTables<Masks>>,
    stats: Arc<SharedMaskStats>,
    end_sets: endings::EndSets,
    completions: Mutex<CompletionTables>,
    /// Set if the grammar has a memory budget.
    memory: OnceLock<GrammarMemory>,
    #[cfg(any(feature = "json-schema", feature = "save"))]
    remarks: SchemaRemarks,
}

impl Grammar {
    /// Compiles a KBNF text.
    ///
    /// # Errors
    /// If the text is not KBNF or has no meaning, names a token that the vocabulary lacks, or exceeds a
    /// limit.
    ///
    /// # Complexity
    /// Linear in the text. Automata grow later, while masks are computed, as far as masks need them.
    pub fn compile(text: &str, vocabulary: &Vocabulary, config: &Config) -> Result<Self, Error> {
        config.compile_grammar(|| {
            let ast = grammask_syntax::parse_or_recover(text, &config.syntax)
                .map_err(|recovered| Error::of_recovered(*recovered, config))?;
            Self::from_tree(Cow::Owned(ast), vocabulary, config)
        })
    }

    /// Compiles a syntax tree, as a front end for another notation makes it.
    ///
    /// # Errors
    /// As [`compile`](Self::compile).
    ///
    /// ```
    /// use grammask::{Config, Grammar, TokenId, Vocabulary, syntax};
    ///
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], [])?;
    /// let ast = syntax::parse("start ::= 'a'+;", &syntax::Config::default())?;
    /// let grammar = Grammar::from_ast(&ast, &vocabulary, &Config::default())?;
    /// assert!(grammar.matcher().accept(TokenId(0)).is_accepted());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_ast(ast: &Ast, vocabulary: &Vocabulary, config: &Config) -> Result<Self, Error> {
        config.compile_grammar(|| Self::from_tree(Cow::Borrowed(ast), vocabulary, config))
    }

    /// As [`from_ast`](Self::from_ast), charged to the current account of work.
    fn from_tree(mut ast: Cow<'_, Ast>, vocabulary: &Vocabulary, config: &Config) -> Result<Self, Error> {
        let store = Store::new(&config.normal.regular);
        #[cfg(feature = "json-schema")]
        let (translated, remarks) = embedded_schemas::translate_schemas(&ast, config)?;
        #[cfg(feature = "json-schema")]
        if let Cow::Owned(translated) = translated {
            ast = Cow::Owned(translated);
        }
        let resolved = special_tokens::resolve_special_tokens(&ast, vocabulary, &config.ending);
        if let Cow::Owned(resolved) = resolved {
            ast = Cow::Owned(resolved);
        }
        let grammar = match ast {
            Cow::Borrowed(ast) => Self::build(Tree::Borrowed(ast), store, vocabulary, config, || false)?,
            Cow::Owned(ast) => Self::build(Tree::Shrinking(ast), store, vocabulary, config, || false)?,
        };
        let Some(grammar) = grammar else { return Err(Error::stopped(Stopped::Cancelled, None)) };
        #[cfg(feature = "json-schema")]
        let grammar = grammar.with_remarks(remarks);
        Ok(grammar)
    }

    /// Compiles a tree, reusing the terminals that `store` has compiled before. Returns `Ok(None)` if
    /// `is_cancelled` returns true, which is asked between and within the stages.
    fn build(
        tree: Tree<'_>,
        mut store: Store,
        vocabulary: &Vocabulary,
        config: &Config,
        is_cancelled: impl Fn() -> bool,
    ) -> Result<Option<Self>, Error> {
        let mut kept = Ast::default();
        let (normal, places) = match (tree, &config.begin) {
            (tree, Some(begin)) => {
                let mut options = config.normal.clone();
                let ast = match tree {
                    Tree::Borrowed(ast) => Cow::Borrowed(ast),
                    Tree::Shrinking(ast) => Cow::Owned(ast),
                    #[cfg(feature = "json-schema")]
                    Tree::Owned(ast) => Cow::Owned(ast),
                };
                let (ast, start) = begin.prepend(ast, options.start.as_deref(), vocabulary, &config.ending);
                options.start = Some(start);
                kept = ast;
                (normalize_cancellable(&kept, &mut store, &options, &is_cancelled)?, &kept)
            }
            (Tree::Borrowed(ast), None) => {
                (normalize_cancellable(ast, &mut store, &config.normal, &is_cancelled)?, ast)
            }
            (Tree::Shrinking(ast), None) => {
                let ast = ShrinkOnDrop { ast, rest: &mut kept };
                (normalize_cancellable(ast, &mut store, &config.normal, &is_cancelled)?, &kept)
            }
            #[cfg(feature = "json-schema")]
            (Tree::Owned(ast), None) => {
                (normalize_cancellable(ast, &mut store, &config.normal, &is_cancelled)?, &kept)
            }
        };
        let Some((normal, languages)) = normal.filter(|_| !is_cancelled()) else { return Ok(None) };
        let is_cancelled = || is_cancelled() || is_stopped();
        let input = BuildInput { normal, languages, store, is_cancelled: &mut || is_cancelled() };
        let network =
            Network::compile(input, &config.recognizer).map_err(|error| Error::of_network(error, places))?;
        let Some(network) = network.filter(|_| !is_cancelled()) else { return Ok(None) };
        let recognizer = Recognizer::new(Arc::new(network), &config.recognizer);
        // Tables are large: they go to the heap at once.
        let masks =
            match Masks::new(recognizer, vocabulary.lexicon_to_compile(), &config.ending, &config.masks) {
                Ok(masks) => SharedTables::new(masks),
                Err(errors) => return Err(Error::of_binding(errors, places, vocabulary, config)),
            };
        Ok((!is_cancelled()).then(|| Self::from_tables(masks, vocabulary, config.limits)))
    }

    /// Sets what translating its JSON Schemas found.
    #[cfg(any(feature = "json-schema", feature = "save"))]
    fn with_remarks(mut self, remarks: SchemaRemarks) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.remarks = remarks;
        }
        self
    }

    /// Returns the parts of the JSON Schema, or of the schemas inside of the grammar, that the grammar does
    /// not enforce.
    #[cfg(feature = "json-schema")]
    pub fn relaxations(&self) -> &[crate::Relaxation] {
        &self.shared.remarks.relaxations
    }

    /// Returns remarks about keywords of the JSON Schema that assert nothing, and about readings that its
    /// author may not expect.
    #[cfg(feature = "json-schema")]
    pub fn schema_notes(&self) -> &[grammask_json_schema::Note] {
        &self.shared.remarks.notes
    }

    /// Makes a grammar whose first tables are these.
    fn from_tables(tables: SharedTables<Masks>, vocabulary: &Vocabulary, limits: Limits) -> Self {
        Self {
            shared: Arc::new(Shared {
                vocabulary: vocabulary.clone(),
                limits,
                tables: Mutex::new(tables),
                stats: Arc::default(),
                end_sets: endings::EndSets::default(),
                completions: Mutex::default(),
                memory: OnceLock::new(),
                #[cfg(any(feature = "json-schema", feature = "save"))]
                remarks: SchemaRemarks::default(),
            }),
        }
    }

    /// Returns a matcher at the beginning of an output.
    pub fn matcher(&self) -> Matcher {
        Matcher::new(self.clone(), self.tables())
    }

    /// Returns the vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.shared.vocabulary
    }

    /// Returns the sizes of the tables, the work for them, and the statistics of all masks. The counts
    /// continue when the tables are replaced because of their memory budget.
    ///
    /// ```
    /// # use grammask::{Config, Grammar, TokenId, Vocabulary};
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec()), (TokenId(1), b"b".to_vec())], [])?;
    /// let grammar = Grammar::compile("start ::= 'a' 'b' 'a';", &vocabulary, &Config::default())?;
    /// for _ in 0..10 {
    ///     grammar.matcher().mask();
    /// }
    /// let stats = grammar.stats();
    /// assert_eq!((stats.tables.masks, stats.masks.requested, stats.masks.computed), (1, 10, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stats(&self) -> GrammarStats {
        GrammarStats { tables: self.tables().stats(), masks: self.shared.stats.snapshot() }
    }

    /// Returns the limits of matchers.
    pub(crate) fn limits(&self) -> Limits {
        self.shared.limits
    }

    /// Returns the tables of searches for completions.
    pub(crate) fn completions(&self) -> &Mutex<CompletionTables> {
        &self.shared.completions
    }

    /// Returns a recorder for the statistics of one matcher.
    pub(crate) fn stats_recorder(&self) -> StatsRecorder {
        StatsRecorder::new(&self.shared.stats)
    }

    /// Returns true if both are handles to one grammar.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// Returns the tables in use.
    pub(crate) fn tables(&self) -> SharedTables<Masks> {
        self.shared.tables.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the tables that replace `full` ones: those of another matcher that did so before, or empty
    /// ones if these are full as well.
    pub(crate) fn tables_after(&self, full: &SharedTables<Masks>) -> SharedTables<Masks> {
        self.replace_tables(|tables| tables.ptr_eq(full) || tables.is_full())
    }

    /// Replaces the tables in use by empty ones, to free their memory.
    pub(crate) fn evict(&self) {
        self.replace_tables(|_| true);
        // A search in progress keeps its tables.
        if let Ok(mut completions) = self.completions().try_lock() {
            *completions = None;
        }
    }

    /// Replaces the tables in use by empty ones if the condition holds. Returns the tables in use then.
    fn replace_tables(&self, is_due: impl FnOnce(&SharedTables<Masks>) -> bool) -> SharedTables<Masks> {
        let mut tables = self.shared.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_due(&tables) {
            return tables.clone();
        }
        let next = SharedTables::new(tables.successor(self.shared.vocabulary.lexicon()));
        let last = std::mem::replace(&mut *tables, next.clone());
        drop(tables);
        drop(last);
        if let Some(memory) = self.shared.memory.get() {
            memory.enter(&next);
        }
        next
    }

    /// Returns true if these tables are not in use any more, because the memory budget is exceeded.
    #[inline]
    pub(crate) fn has_evicted(&self, tables: &SharedTables<Masks>) -> bool {
        self.shared.memory.get().is_some_and(|memory| memory.has_replaced(tables))
    }

    /// Sets the part about the memory budget. Returns false if there is one already.
    pub(crate) fn set_memory(&self, make: impl FnOnce(&SharedTables<Masks>) -> GrammarMemory) -> bool {
        let mut is_new = false;
        self.shared.memory.get_or_init(|| {
            is_new = true;
            make(&self.tables())
        });
        is_new
    }

    /// Returns the memory budget.
    pub(crate) fn memory(&self) -> Option<&crate::MemoryBudget> {
        self.shared.memory.get().map(GrammarMemory::budget)
    }

    /// Returns the address of the compiled form, which grammars can share, and its bytes.
    pub(crate) fn network_size(&self) -> (usize, usize) {
        let tables = self.tables();
        let network = tables.recognizer().network();
        (std::ptr::from_ref(network).addr(), network.bytes_used())
    }

    /// Returns a handle that keeps nothing in memory.
    pub(crate) fn downgrade(&self) -> WeakGrammar {
        WeakGrammar(Arc::downgrade(&self.shared))
    }
}

/// A handle to a grammar that keeps nothing in memory.
pub(crate) struct WeakGrammar(Weak<Shared>);

impl WeakGrammar {
    pub(crate) fn upgrade(&self) -> Option<Grammar> {
        self.0.upgrade().map(|shared| Grammar { shared })
    }
}

impl std::fmt::Debug for Grammar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Grammar").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
