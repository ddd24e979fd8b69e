//! The state of an output without its matcher: for comparing, and for computing masks on another thread.

use std::hash::{Hash, Hasher};

use grammask_cache::Shared;
use grammask_mask::{Masks, Scratch};
use grammask_trie::{Mask, RowTooShort, TokenId};

use super::position::Position;
use crate::{Grammar, Matcher};

/// The state of a matcher. Equal states have equal masks, and the same texts can follow them.
///
/// Another thread can compute the mask of a state while the model computes logits. Then the mask is cached
/// for the matcher, unless the grammar's tables were replaced in between.
///
/// After the tables were replaced because of their memory budget, two states that the same texts can follow
/// may be unequal.
///
/// A state keeps the tables that it belongs to in memory until it is dropped. Keep states for a few steps
/// only.
///
/// ```
/// use grammask::{Config, Grammar, TokenId, Vocabulary};
///
/// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec()), (TokenId(1), b"b".to_vec())], [])?;
/// let grammar = Grammar::compile("start ::= 'a' 'b'+;", &vocabulary, &Config::default())?;
/// let mut matcher = grammar.matcher();
/// let next = matcher.state_after(TokenId(0)).expect("it is allowed");
///
/// let mut row = [0; 1];
/// std::thread::scope(|scope| scope.spawn(|| grammar.fill_mask_of(&next, &mut row)).join()).unwrap()?;
/// assert_eq!(row, [0b10]);
/// assert!(matcher.accept(TokenId(0)).is_accepted()); // now its mask is known
/// assert_eq!(matcher.state(), next);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct State {
    grammar: Grammar,
    tables: Shared<Masks>,
    position: Position,
}

/// Why there is no mask of a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The state belongs to another grammar.
    #[error("the state belongs to another grammar")]
    Foreign,
    /// The row is too short. Nothing was written.
    #[error(transparent)]
    Row(#[from] RowTooShort),
    /// A limit is exceeded. The row holds zeros.
    #[error(transparent)]
    Limit(#[from] grammask_earley::Error),
}

impl State {
    pub(crate) fn new(grammar: Grammar, tables: Shared<Masks>, position: Position) -> Self {
        Self { grammar, tables, position }
    }

    /// Returns the grammar.
    pub fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// Returns true if the output so far is in the language.
    pub fn is_complete(&self) -> bool {
        self.position.set.completes()
    }

    /// Returns true if the output has ended.
    pub fn is_finished(&self) -> bool {
        self.position.finished
    }
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.position == other.position && self.tables.ptr_eq(&other.tables)
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.position.hash(state);
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("State").field(&self.position).finish()
    }
}

impl Grammar {
    /// Returns the mask of a state, as [`Matcher::mask`] does for a matcher in that state.
    ///
    /// `scratch` is the buffer for masks that are not kept as a whole. It is replaced if it is for another
    /// vocabulary.
    ///
    /// # Errors
    /// If the state belongs to another grammar, or a limit is exceeded.
    ///
    /// # Complexity
    /// As [`Matcher::mask`].
    pub fn mask_of<'a>(&self, state: &'a State, scratch: &'a mut Scratch) -> Result<&'a Mask, StateError> {
        self.check_own(state)?;
        let ids = state.tables.vocabulary().id_count();
        if scratch.id_count() != ids {
            *scratch = state.tables.scratch();
        }
        let State { position, tables, .. } = state;
        let written = match position.known(tables) {
            Some(mask) => mask.write(scratch)?,
            None => position.mask(tables, scratch, &mut self.stats_recorder())?,
        };
        Ok(tables.written(written, scratch))
    }

    /// Writes the mask of a state, as [`Matcher::fill_mask`] does for a matcher in that state.
    ///
    /// # Errors
    /// - If the state belongs to another grammar, or the row is too short. Nothing is written.
    /// - If a limit is exceeded. The row holds zeros.
    pub fn fill_mask_of(&self, state: &State, row: &mut [u32]) -> Result<(), StateError> {
        self.check_own(state)?;
        let vocabulary = state.tables.vocabulary();
        let (needed, given) = (vocabulary.mask_words(), row.len());
        if given < needed {
            return Err(RowTooShort { needed, given }.into());
        }
        let State { position, tables, .. } = state;
        match position.known(tables) {
            // A known mask is written without a scratch, so an empty one suffices.
            Some(mask) => mask.fill(&mut Scratch::default(), row)?,
            None => {
                let mut scratch = tables.scratch();
                position.fill(tables, &mut scratch, &mut self.stats_recorder(), row)?;
            }
        }
        Ok(())
    }

    /// Returns an error if the state belongs to another grammar.
    fn check_own(&self, state: &State) -> Result<(), StateError> {
        if state.grammar.is_same(self) { Ok(()) } else { Err(StateError::Foreign) }
    }
}

impl Matcher {
    /// Returns the state after a token, without accepting it. Returns `None` if the token is not allowed, or
    /// if a limit is exceeded; then [`error`](Self::error) has the limit.
    pub fn state_after(&mut self, token: TokenId) -> Option<State> {
        let _open = self.prepare();
        match self.position.after(&self.tables, token) {
            Ok(next) => next.map(|next| State::new(self.grammar.clone(), self.tables.clone(), next)),
            Err(cause) => {
                let _ = self.fail(cause);
                None
            }
        }
    }
}
