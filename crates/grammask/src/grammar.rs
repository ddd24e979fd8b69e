//! A compiled grammar, bound to a vocabulary.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use grammask_earley::{Network, Recognizer};
use grammask_json_schema::Relaxation;
use grammask_mask::{Ahead, Masks};
use grammask_normal::normalize_with_languages;
use grammask_regular::Store;
use grammask_syntax::Ast;

use crate::visits::{Tally, Totals};
use crate::{Config, Error, GrammarStats, Matcher, Vocabulary};

/// A grammar that is ready to mask the tokens of a vocabulary.
///
/// Immutable to its users; a clone is another handle to the same grammar and shares all that is ever computed for
/// it. Can be used from any number of threads.
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

struct Shared {
    vocabulary: Vocabulary,
    /// The tables in use. They are exchanged for empty ones when they exceed their budget; matchers move over one by one.
    tables: Mutex<Arc<Masks>>,
    totals: Arc<Totals>,
    relaxations: Vec<Relaxation>,
}

impl Grammar {
    /// Compiles a KBNF text.
    ///
    /// # Errors
    /// When the text is no KBNF, means nothing, exceeds a limit, or names tokens that the vocabulary does not have.
    ///
    /// # Complexity
    /// Linear in the text; automata are made while masks are computed, as far as they are needed.
    pub fn compile(text: &str, vocabulary: &Vocabulary, config: &Config) -> Result<Self, Error> {
        let ast = grammask_syntax::parse_or_recover(text, &config.syntax)
            .map_err(|recovered| Error::of_recovered(*recovered, config))?;
        Self::from_ast(&ast, vocabulary, config)
    }

    /// Compiles a syntax tree, as front ends make it.
    ///
    /// # Errors
    /// As [`compile`](Self::compile).
    pub fn from_ast(ast: &Ast, vocabulary: &Vocabulary, config: &Config) -> Result<Self, Error> {
        let store = Store::new(&config.normal.regular);
        Ok(Self::from_ast_in(Cow::Borrowed(ast), store, vocabulary, config, None, || false)?
            .expect("nobody stops it"))
    }

    /// The same with the languages of the terminals in a store that may know some of them, unless somebody who is asked before each
    /// step says to stop: nothing then. A tree that is given away is gone once it is read, and errors that are noticed later have no places in it.
    pub(crate) fn from_ast_in(
        ast: Cow<'_, Ast>,
        mut store: Store,
        vocabulary: &Vocabulary,
        config: &Config,
        ahead: Option<&Ahead<'_>>,
        is_stopped: impl Fn() -> bool,
    ) -> Result<Option<Self>, Error> {
        let none = Ast::default();
        let (normal, ast) = match ast {
            Cow::Borrowed(ast) => {
                (normalize_with_languages(ast, &mut store, &config.normal, &is_stopped)?, ast)
            }
            Cow::Owned(ast) => {
                (normalize_with_languages(ast, &mut store, &config.normal, &is_stopped)?, &none)
            }
        };
        let Some((normal, languages)) = normal.filter(|_| !is_stopped()) else { return Ok(None) };
        let network = Network::build_unless(normal, languages, store, &config.recognizer, &is_stopped)
            .map_err(|error| Error::of_network(error, ast))?;
        let Some(network) = network.filter(|_| !is_stopped()) else { return Ok(None) };
        let recognizer = Recognizer::new(Arc::new(network), &config.recognizer);
        let masks = Masks::new(recognizer, vocabulary.lexicon_to_compile(), &config.ending, &config.masks)
            .map_err(|errors| Error::of_binding(errors, ast, vocabulary, config))?;
        if is_stopped() {
            return Ok(None);
        }
        if let Some(ahead) = ahead {
            masks.look_ahead(ahead).map_err(|limit| Error::of_schema(&limit))?;
            if is_stopped() {
                return Ok(None);
            }
        }
        Ok(Some(Self::from_masks(masks, vocabulary)))
    }

    /// The same grammar, with a list of what it does not hold outputs to.
    pub(crate) fn with_relaxations(mut self, relaxations: Vec<Relaxation>) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.relaxations = relaxations;
        }
        self
    }

    /// What the grammar does not hold outputs to, though its JSON Schema mentions it. Empty for other grammars.
    pub fn relaxations(&self) -> &[Relaxation] {
        &self.shared.relaxations
    }

    /// A grammar whose first tables are these.
    pub(crate) fn from_masks(masks: Masks, vocabulary: &Vocabulary) -> Self {
        let tables = Mutex::new(Arc::new(masks));
        let totals = Arc::default();
        Self {
            shared: Arc::new(Shared {
                vocabulary: vocabulary.clone(),
                tables,
                totals,
                relaxations: Vec::new(),
            }),
        }
    }

    /// A matcher at the beginning of an output.
    pub fn matcher(&self) -> Matcher {
        Matcher::new(self.clone(), self.tables())
    }

    /// The vocabulary that the grammar is bound to.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.shared.vocabulary
    }

    /// Sizes of the tables in use, and the work so far: what was walked, how often masks were asked for, and how long first
    /// visits took. An exchange of the tables, when they exceed their budget, ends none of these counts.
    ///
    /// ```
    /// # use grammask::{Config, Grammar, TokenId, Vocabulary};
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec()), (TokenId(1), b"b".to_vec())], [])?;
    /// let grammar = Grammar::compile("start ::= 'a' 'b' 'a';", &vocabulary, &Config::default())?;
    /// for _ in 0..10 {
    ///     grammar.matcher().mask();
    /// }
    /// let stats = grammar.stats();
    /// assert_eq!((stats.tables.masks, stats.visits.asked, stats.visits.first), (1, 10, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stats(&self) -> GrammarStats {
        GrammarStats { tables: self.tables().stats(), visits: self.shared.totals.so_far() }
    }

    /// For somebody who is going to ask for masks.
    pub(crate) fn tally(&self) -> Tally {
        Tally::new(&self.shared.totals)
    }

    /// Whether both are handles to one grammar.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// The tables in use.
    pub(crate) fn tables(&self) -> Arc<Masks> {
        Arc::clone(&self.shared.tables.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Tables that are not `full`: those that another matcher has moved to, unless they are full as well; or empty ones.
    pub(crate) fn tables_after(&self, full: &Arc<Masks>) -> Arc<Masks> {
        let mut tables = self.shared.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&tables, full) || tables.is_full() {
            *tables = Arc::new(full.successor(self.shared.vocabulary.lexicon()));
        }
        Arc::clone(&tables)
    }
}

impl std::fmt::Debug for Grammar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Grammar").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
