//! Strategies, by which the lexicon finds the tokens that a lexeme accepts below a set of trie nodes.
//!
//! A query `(lexeme, set of trie nodes)` goes through [`STRATEGIES`] from the first to the last. The first
//! one that answers is counted. All strategies are exact, so the order affects time only.
//!
//! ```text
//! "name"            all spellings are known   -> finite_language
//! [^"]* less "id"   differs from [^"]* by "id" -> near_duplicate
//! [^"]{0,40}"       characters are counted    -> walk, and below the root counted_slice
//! ```

use grammask_work::charge;
use std::cell::OnceCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use grammask_regular::analysis::FiniteLanguage;
use grammask_regular::{ByteSet, Error, RegularId, Store};
use grammask_trie::index::InnerId;

use crate::lexicon::automaton::LexemeId;
use crate::lexicon::import::ImportId;
use crate::lexicon::slice::{self, many_roots, safe_class};
use crate::lexicon::walk::output::{WalkOutput, Want};
use crate::lexicon::walk::self_loop::SelfLoop;
use crate::lexicon::walk::{self, Walk};
use crate::lexicon::{Entry, Lexicon, LexiconConfig};
use crate::node_set::NodeSet;
use crate::node_set::continuation::{Continuation, ContinuationId};

/// Work of one query, beside that of its strategies.
const UNITS_PER_QUERY: u64 = 64;

/// One way to answer a query, tried in the order of [`STRATEGIES`].
#[derive(Clone, Copy, Debug)]
pub struct Strategy {
    /// Its name, which the statistics and the tuning use.
    pub name: &'static str,
    /// The queries that it answers.
    pub applies: &'static str,
    /// The work that it saves, against the strategies after it.
    pub saves: &'static str,
    answer: Answer,
}

/// The kind of query that a strategy answers.
#[derive(Clone, Copy, Debug)]
enum Answer {
    /// A language in the store of a grammar, before the lexicon has a state for it.
    Language(fn(&Lexicon, &Store, RegularId, ContinuationId) -> Option<LanguageAnswer>),
    /// A lexeme below a set of trie nodes.
    Set(fn(&Query<'_>) -> Result<Option<Entry>, Error>),
    /// A lexeme below one trie node with a large subtree, during a walk. Returns `false` and leaves the
    /// output unchanged if the strategy does not apply.
    Node(fn(&mut Walk<'_>, &NodeQuery<'_>, &mut WalkOutput<'_>) -> Result<bool, Error>),
    /// A subtree during a walk. The walk itself tries this strategy.
    Subtree,
}

/// The strategies, in the order in which they are tried.
///
/// Strategies that need no state of the lexeme come first, then those that reuse the answer for another
/// state. The last one for a whole set is the walk over the trie. For each large subtree, and at last at each
/// node, the walk asks whether the tokens below are those of a character class.
pub const STRATEGIES: &[Strategy] = &[
    IMPORTED_TEXTS,
    FINITE_LANGUAGE,
    NEAR_DUPLICATE,
    SAME_SUCCESSORS,
    SPLIT_PREFIX,
    BY_FEW_BYTES,
    WALK,
    FROM_MANY_ROOTS,
    COUNTED_SLICE,
    COUNTED_CLASS,
    SELF_LOOP_CLASS,
    SAFE_CLASS,
    SELF_LOOP,
];

const IMPORTED_TEXTS: Strategy = Strategy {
    name: "imported_texts",
    applies: "the language of the grammar is finite, and its texts are known",
    saves: "the state of the lexeme: the texts are followed through the trie",
    answer: Answer::Language(Lexicon::texts_of_language),
};

const FINITE_LANGUAGE: Strategy = Strategy {
    name: "finite_language",
    applies: "the lexeme accepts the JSON spellings of a few known texts, all spellings but theirs, or all \
              strings of a loop but a few",
    saves: "the states after each byte: the texts are followed through the trie",
    answer: Answer::Set(|query| query.lexicon.entry_by_texts(query.lexeme, query.nodes, query.want)),
};

const NEAR_DUPLICATE: Strategy = Strategy {
    name: "near_duplicate",
    applies: "the lexeme differs from one that loops by a few short texts",
    saves: "the walk: the answer of the other lexeme is stored, and the difference is walked",
    answer: Answer::Set(|query| match query.few_live_bytes()? {
        Some(_) => Ok(None),
        None => query.lexicon.entry_by_near_duplicate(query.lexeme, query.nodes, query.want),
    }),
};

const SAME_SUCCESSORS: Strategy = Strategy {
    name: "same_successors",
    applies: "a lexeme with the same successor after each byte has an answer",
    saves: "the walk and the tokens: the answer of the other lexeme is shared",
    answer: Answer::Set(|query| match query.few_live_bytes()? {
        Some(_) => Ok(None),
        None => query.lexicon.entry_by_successors(query.lexeme, query.nodes, query.want),
    }),
};

const SPLIT_PREFIX: Strategy = Strategy {
    name: "split_prefix",
    applies: "the lexeme is a loop over characters of no slice, followed by a rest that begins with a few bytes",
    saves: "the walk over the loop, which the states of the lexeme have in common",
    answer: Answer::Set(|query| match query.few_live_bytes()? {
        Some(_) => Ok(None),
        None => query.lexicon.entry_by_prefix(query.lexeme, query.nodes, query.want),
    }),
};

const BY_FEW_BYTES: Strategy = Strategy {
    name: "few_bytes",
    applies: "the lexeme goes on by a few bytes, or by a small share of the edges of the trie",
    saves: "looking at all children of each node: the children by a byte are stored with the set",
    answer: Answer::Set(|query| query.walk_few_bytes()),
};

const WALK: Strategy = Strategy {
    name: "walk",
    applies: "always",
    saves: "nothing: walks the subtrees of the nodes, with the strategies below",
    answer: Answer::Set(|query| query.walk().map(Some)),
};

const FROM_MANY_ROOTS: Strategy = Strategy {
    name: "many_roots",
    applies: "the set is a large one that a character class leads to, and the class keeps the lexeme alive",
    saves: "a walk from each of the nodes: the tokens of the class are taken from its slice",
    answer: Answer::Node(|walk, query, output| {
        if query.is_root {
            Ok(false)
        } else {
            many_roots::below(walk, query.base, &query.by, query.set, output)
        }
    }),
};

const COUNTED_SLICE: Strategy = Strategy {
    name: "counted_slice",
    applies: "the lexeme counts the characters of a class, and its bound is near",
    saves: "cutting most subtrees at the bound: tokens are stored by their numbers of characters",
    answer: Answer::Node(|walk, query, output| {
        if query.is_root { slice::below(walk, query.base, &query.by, output) } else { Ok(false) }
    }),
};

const COUNTED_CLASS: Strategy = Strategy {
    name: "counted_class",
    applies: "the lexeme counts the characters of a class, and other bytes may replace them",
    saves: "the walk over the tokens of the class",
    answer: Answer::Node(|walk, query, output| {
        if query.is_root { safe_class::below_counter(walk, query.base, &query.by, output) } else { Ok(false) }
    }),
};

const SELF_LOOP_CLASS: Strategy = Strategy {
    name: "self_loop_class",
    applies: "the lexeme loops over a class, and few edges of the trie lead out of it",
    saves: "the walk over the tokens of the class",
    answer: Answer::Node(|walk, query, output| {
        if query.is_root { safe_class::below_loop(walk, query.base, &query.by, output) } else { Ok(false) }
    }),
};

const SAFE_CLASS: Strategy = Strategy {
    name: "safe_class",
    applies: "a class of characters keeps the lexeme alive, whatever its states on the way are",
    saves: "the walk over the tokens of the class, and the states after them",
    answer: Answer::Node(|walk, query, output| {
        if query.is_root { safe_class::below(walk, query.base, &query.by, output) } else { Ok(false) }
    }),
};

const SELF_LOOP: Strategy = Strategy {
    name: "self_loop",
    applies: "each string below a node of the walk leads from the state of the lexeme back to it",
    saves: "the walk below the node: the whole subtree is taken",
    answer: Answer::Subtree,
};

/// Position in [`STRATEGIES`] of the strategy that the walk tries by itself.
pub(crate) const SELF_LOOP_POSITION: usize = STRATEGIES.len() - 1;

/// The strategies that take whole subtrees, or compare with lexemes that do.
const BY_SLICES: &[&str] = &[
    "near_duplicate",
    "split_prefix",
    "many_roots",
    "counted_slice",
    "counted_class",
    "self_loop_class",
    "safe_class",
    "self_loop",
];

/// How often each strategy has answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StrategyUses([u64; STRATEGIES.len()]);

impl StrategyUses {
    /// The name of each strategy, in the order of [`STRATEGIES`], and how often it has answered.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        STRATEGIES.iter().map(|strategy| strategy.name).zip(self.0)
    }

    /// How often the strategy of that name has answered. Returns 0 if there is no such strategy.
    pub fn of(&self, name: &str) -> u64 {
        self.iter().find(|&(other, _)| other == name).map_or(0, |(_, uses)| uses)
    }
}

/// The strategies of a lexicon: which of them are on, and how often they have answered.
#[derive(Debug)]
pub(crate) struct Strategies {
    is_on: [bool; STRATEGIES.len()],
    uses: Arc<[AtomicU64; STRATEGIES.len()]>,
}

impl Strategies {
    pub(crate) fn new(config: &LexiconConfig) -> Self {
        let is_on = |strategy: &Strategy| {
            !config.tuning.disabled.contains(&strategy.name)
                && (config.tuning.slices || !BY_SLICES.contains(&strategy.name))
        };
        let mut all = [false; STRATEGIES.len()];
        all.iter_mut().zip(STRATEGIES).for_each(|(on, strategy)| *on = is_on(strategy));
        Self { is_on: all, uses: Arc::default() }
    }

    /// Returns the strategies of a successor, which continues the counts.
    pub(crate) fn successor(&self) -> Self {
        Self { is_on: self.is_on, uses: Arc::clone(&self.uses) }
    }

    pub(crate) fn is_on(&self, position: usize) -> bool {
        self.is_on[position]
    }

    pub(crate) fn count(&self, position: usize, times: u64) {
        self.uses[position].fetch_add(times, Relaxed);
    }

    pub(crate) fn uses(&self) -> StrategyUses {
        StrategyUses(std::array::from_fn(|position| self.uses[position].load(Relaxed)))
    }

    /// The strategies that are on, with their positions.
    fn all(&self) -> impl Iterator<Item = (usize, Answer)> {
        let answers = STRATEGIES.iter().map(|strategy| strategy.answer).enumerate();
        answers.filter(|&(position, _)| self.is_on[position])
    }
}

/// Answer for a language in the store of a grammar: its texts, and the number that the lexicon has for them.
pub(crate) type LanguageAnswer = (ImportId, FiniteLanguage);

/// A lexeme below a set of trie nodes.
pub(crate) struct Query<'a> {
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) lexeme: LexemeId,
    pub(crate) nodes: ContinuationId,
    pub(crate) want: Want,
    few_live_bytes: OnceCell<Option<ByteSet>>,
}

/// A lexeme below one node with a large subtree, while the lexeme is walked below a set.
pub(crate) struct NodeQuery<'a> {
    /// The node.
    pub(crate) base: InnerId,
    /// True if the node is one of the set; else the nodes of the set are below it, or elsewhere.
    pub(crate) is_root: bool,
    pub(crate) set: &'a NodeSet,
    /// The loop of the lexeme.
    pub(crate) by: SelfLoop,
}

impl<'a> Query<'a> {
    fn continuation(&self) -> &'a Continuation {
        self.lexicon.continuation(self.nodes)
    }

    /// Returns the live bytes of the lexeme if there are at most `MAX_FEW_BYTES`, else `None`.
    fn few_live_bytes(&self) -> Result<Option<ByteSet>, Error> {
        if let Some(&known) = self.few_live_bytes.get() {
            return Ok(known);
        }
        let found = self.lexicon.automaton.few_live_bytes(self.lexeme)?;
        Ok(*self.few_live_bytes.get_or_init(|| found))
    }

    fn walk_few_bytes(&self) -> Result<Option<Entry>, Error> {
        let live = match self.continuation().set() {
            NodeSet::List(list) if list.len() < walk::MIN_NODES_BY_BYTE => None,
            NodeSet::List(_) => self.few_live_bytes()?,
            NodeSet::Bits(_) => walk::live_bytes_of_few_edges(self.lexicon, self.lexeme)?,
        };
        let Some(live) = live.filter(|_| self.lexeme.goes_on()) else { return Ok(None) };
        self.walked(|walk, output| walk::below_bytes(walk, self.continuation(), &live, output)).map(Some)
    }

    fn walk(&self) -> Result<Entry, Error> {
        let by_slices = self.few_live_bytes()?.is_none();
        self.walked(|walk, output| walk::below(walk, self.continuation(), by_slices, output))
    }

    /// Runs a walk for the lexeme, and creates an entry from its output and its cost.
    fn walked(
        &self,
        run: impl FnOnce(&mut Walk<'_>, &mut WalkOutput<'_>) -> Result<(), Error>,
    ) -> Result<Entry, Error> {
        let mut output = WalkOutput::with_want(self.want, self.lexicon.context());
        let mut walk = Walk::new(self.lexicon, self.lexeme);
        run(&mut walk, &mut output)?;
        let nodes = walk.cost.nodes + walk.cost.taken + walk.elsewhere;
        Ok(self.lexicon.found((self.lexeme, self.nodes), output, nodes))
    }
}

impl Lexicon {
    /// Finds the entry of a lexeme below a set of trie nodes, by the first strategy that applies.
    pub(crate) fn find(&self, lexeme: LexemeId, nodes: ContinuationId, want: Want) -> Result<Entry, Error> {
        let query = Query { lexicon: self, lexeme, nodes, want, few_live_bytes: OnceCell::new() };
        charge(UNITS_PER_QUERY)?;
        for (position, answer) in self.strategies.all() {
            if let Answer::Set(find) = answer
                && let Some(entry) = find(&query)?
            {
                self.strategies.count(position, 1);
                return Ok(entry);
            }
        }
        query.walk()
    }

    /// Finds the answer for a language of another store. Returns `None` if the answer needs a state of the
    /// lexeme.
    pub(crate) fn find_by_language(
        &self,
        from: &Store,
        language: RegularId,
        nodes: ContinuationId,
    ) -> Option<LanguageAnswer> {
        self.strategies.all().find_map(|(position, answer)| {
            let Answer::Language(find) = answer else { return None };
            let found = find(self, from, language, nodes)?;
            self.strategies.count(position, 1);
            Some(found)
        })
    }
}

/// Adds all tokens that the lexeme of a walk accepts below one node, if a strategy for that applies. Returns
/// `false` and leaves the output unchanged if none does.
pub(crate) fn below_node(
    walk: &mut Walk<'_>,
    query: &NodeQuery<'_>,
    output: &mut WalkOutput<'_>,
) -> Result<bool, Error> {
    let lexicon = walk.lexicon;
    for (position, answer) in lexicon.strategies.all() {
        if let Answer::Node(find) = answer
            && find(walk, query, output)?
        {
            lexicon.strategies.count(position, 1);
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_strategy_has_a_name_of_its_own() {
        let mut names: Vec<&str> = STRATEGIES.iter().map(|strategy| strategy.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STRATEGIES.len());
        assert!(BY_SLICES.iter().all(|name| names.contains(name)));
        assert_eq!(STRATEGIES[SELF_LOOP_POSITION].name, SELF_LOOP.name);
    }
}
