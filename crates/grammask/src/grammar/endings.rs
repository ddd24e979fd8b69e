//! How outputs of a grammar end: remarks about it, and matchers with ends of their own.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use grammask_cache::Shared as SharedTables;
use grammask_mask::{Ending, Masks};
use grammask_syntax::Ast;
use grammask_trie::TokenId;

use crate::{Config, Error, Grammar, Matcher};

/// Number of sets of ends whose tables a grammar keeps. Beyond it, those are dropped that were asked for the
/// longest time ago; their matchers keep them. Servers see few sets: those of the clients' stop tokens.
const MAX_CACHED_END_SETS: usize = 16;

/// Maximum number of names in a note. The rest is counted.
const MAX_LISTED_NAMES: usize = 8;

/// A remark about a grammar that was compiled, for the person who runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GrammarNote {
    /// No token ends an output. After a complete text that can go on, a model cannot stop; after one that
    /// cannot, the mask is empty.
    NoEndToken {
        /// Special tokens whose names look as if they end a sequence, by id.
        likely: Vec<(TokenId, String)>,
    },
}

impl fmt::Display for GrammarNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::NoEndToken { likely } = self;
        f.write_str("no token ends an output, so a model cannot say that a complete text is finished")?;
        for (index, (id, name)) in likely.iter().take(MAX_LISTED_NAMES).enumerate() {
            let before = if index == 0 { "; tokens that look like ends: " } else { ", " };
            write!(f, "{before}{} ({})", name.escape_debug(), id.0)?;
        }
        match likely.len().saturating_sub(MAX_LISTED_NAMES) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// The grammars for other sets of ends, the last used one at the end.
#[derive(Default)]
pub(super) struct EndSets(Mutex<Vec<(Vec<TokenId>, Grammar)>>);

impl Grammar {
    /// Returns when an output ends. [`Ending::OfVocabulary`] has become [`Ending::EndOfSequence`] with the
    /// tokens of the vocabulary.
    pub fn ending(&self) -> Ending {
        self.tables().ending().clone()
    }

    /// Returns remarks for the person who runs the grammar: an ending without tokens is one.
    ///
    /// ```
    /// use grammask::{Config, Grammar, TokenId, Vocabulary};
    ///
    /// let special = [(TokenId(7), "<|end_of_answer|>".into())];
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], special)?;
    /// let grammar = Grammar::compile("start ::= 'a'+;", &vocabulary, &Config::default())?;
    /// let notes: Vec<String> = grammar.notes().iter().map(ToString::to_string).collect();
    /// assert!(notes[0].ends_with("tokens that look like ends: <|end_of_answer|> (7)"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    /// O(s) for s special tokens.
    pub fn notes(&self) -> Vec<GrammarNote> {
        let ending = self.ending();
        if ending == Ending::Eager || !ending.tokens().is_empty() {
            return Vec::new();
        }
        let likely = self.vocabulary().likely_ends().map(|(id, name)| (id, name.to_owned())).collect();
        vec![GrammarNote::NoEndToken { likely }]
    }

    /// Returns a matcher at the beginning of an output that these tokens end, instead of those of the
    /// grammar, as servers take stop tokens with each request. Without tokens, an output ends where it is
    /// complete and cannot go on.
    ///
    /// Matchers with the same ends share their masks. The grammar keeps the tables of the last 16 sets of
    /// ends.
    ///
    /// # Errors
    /// If the vocabulary lacks one of the tokens, or if there are more than
    /// [`max_end_tokens`](grammask_mask::Limits::max_end_tokens).
    ///
    /// ```
    /// use grammask::{Config, Grammar, Outcome, TokenId, Vocabulary};
    ///
    /// let tokens = [(TokenId(0), b"a".to_vec()), (TokenId(1), b"\n".to_vec())];
    /// let vocabulary = Vocabulary::new(tokens, [(TokenId(2), "</s>".into())])?;
    /// let grammar = Grammar::compile("start ::= 'a'+;", &vocabulary, &Config::default())?;
    ///
    /// let mut matcher = grammar.matcher_with_ends([TokenId(1)])?;
    /// assert!(matcher.accept(TokenId(0)).is_accepted());
    /// assert_eq!(matcher.mask().iter().collect::<Vec<_>>(), [TokenId(0), TokenId(1)]);
    /// assert_eq!(matcher.accept(TokenId(1)), Outcome::Finished);
    /// matcher.rollback(1)?;
    /// assert!(matcher.accept(TokenId(0)).is_accepted());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    /// The first call with a set of ends makes empty tables, in time linear in the tokens that the grammar
    /// names. Masks are computed again for each set.
    pub fn matcher_with_ends(&self, ends: impl IntoIterator<Item = TokenId>) -> Result<Matcher, Error> {
        let mut key: Vec<TokenId> = ends.into_iter().collect();
        key.sort_unstable();
        key.dedup();
        let mut sets = self.shared.end_sets.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = sets.iter().position(|(ends, _)| *ends == key) {
            let found = sets.remove(index);
            let matcher = found.1.matcher();
            sets.push(found);
            return Ok(matcher);
        }
        let tables = self.tables();
        let ending = Ending::EndOfSequence(key.clone());
        let lexicon = self.vocabulary().lexicon();
        let masks = Masks::new(tables.recognizer().successor(), lexicon, &ending, tables.config()).map_err(
            |errors| Error::of_binding(errors, &Ast::default(), self.vocabulary(), &Config::default()),
        )?;
        let grammar = Self::from_tables(SharedTables::new(masks), self.vocabulary(), self.limits());
        #[cfg(any(feature = "json-schema", feature = "save"))]
        let grammar = grammar.with_remarks(self.shared.remarks.clone());
        let config = Config { memory: self.memory().cloned(), ..Config::default() };
        let grammar = config.admit(grammar)?;
        let matcher = grammar.matcher();
        if sets.len() == MAX_CACHED_END_SETS {
            sets.remove(0);
        }
        sets.push((key, grammar));
        Ok(matcher)
    }
}
