//! One output under a grammar: where it is, what may follow, and the way back.

use std::sync::Arc;

use grammask_earley::SetId;
use grammask_mask::Masks;
use grammask_trie::{Mask, RowTooShort, TokenId};

use crate::{Ending, Grammar, LimitError, Outcome, RollbackError};

/// At most this many bytes are given as forced, so that a grammar that forces endlessly many gives an answer.
const MAX_FORCED: usize = 1 << 16;

/// Follows one output.
///
/// A clone goes its own way and shares nothing but the grammar. Every call either does what it says or changes nothing.
#[derive(Clone)]
pub struct Matcher {
    grammar: Grammar,
    tables: Arc<Masks>,
    state: SetId,
    finished: bool,
    /// What was accepted, call by call.
    history: Vec<Step>,
    /// States before this step belong to tables that were given up; they are found by reading the text again.
    first_known: usize,
    /// Bytes of the tables when they were last exchanged.
    least_bytes: usize,
    /// The bytes of what was accepted.
    text: Vec<u8>,
    error: Option<LimitError>,
    /// Where a mask is written that is not kept.
    scratch: Mask,
}

/// Something that was accepted.
#[derive(Clone, Copy)]
struct Step {
    /// The state before.
    before: SetId,
    /// The length of the text before.
    start: usize,
    /// The token; none for bytes.
    token: Option<TokenId>,
}

/// The state of a matcher: equal states of matchers of one grammar have equal masks and equal futures.
///
/// States are comparable as long as the grammar's tables stay within their budget; after that, equal futures may have different states,
/// never the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    set: SetId,
    tables: usize,
    finished: bool,
}

impl Matcher {
    pub(crate) fn new(grammar: Grammar, tables: Arc<Masks>) -> Self {
        Self {
            state: tables.recognizer().initial(),
            finished: false,
            history: Vec::new(),
            first_known: 0,
            least_bytes: 0,
            text: Vec::new(),
            error: None,
            scratch: Mask::new(tables.vocabulary().id_count()),
            grammar,
            tables,
        }
    }

    /// The tokens that may come next; none when the output is finished.
    ///
    /// When a limit is hit, no token is allowed and [`error`](Self::error) says why.
    ///
    /// # Complexity
    /// A look-up where the state was seen before, by any matcher of the grammar.
    pub fn mask(&mut self) -> &Mask {
        self.make_room();
        self.error = None;
        if self.finished {
            self.scratch.clear();
            return &self.scratch;
        }
        // Asked twice, as what is lent in the first arm would stay lent in the second.
        if let Err(cause) = self.tables.mask(self.state, &mut self.scratch) {
            self.error = Some(LimitError { offset: self.text.len(), cause });
            self.scratch.clear();
            return &self.scratch;
        }
        match self.tables.known_mask(self.state) {
            Some(mask) => mask,
            None => &self.scratch,
        }
    }

    /// Writes the mask as a packed row: token t is bit t % 32 of word t / 32; words beyond the vocabulary are 0.
    ///
    /// # Errors
    /// When the row is shorter than the vocabulary: nothing is written.
    pub fn fill_mask(&mut self, row: &mut [u32]) -> Result<(), RowTooShort> {
        self.mask().copy_to(row)
    }

    /// Sets the logits of all tokens that are not allowed to negative infinity, also of those beyond the vocabulary.
    pub fn apply(&mut self, logits: &mut [f32]) {
        self.mask().apply(logits);
    }

    /// Accepts a token. One that the mask does not allow is [`Outcome::Rejected`] and changes nothing.
    pub fn accept(&mut self, token: TokenId) -> Outcome {
        self.make_room();
        self.error = None;
        if self.finished {
            return Outcome::Rejected;
        }
        if self.state.completes() && self.ending().tokens().contains(&token) {
            self.push(self.state, Some(token), &[]);
            self.finished = true;
            return Outcome::Finished;
        }
        match self.tables.step(self.state, token) {
            Ok(next) if next.is_dead() => Outcome::Rejected,
            Ok(next) => {
                let tables = Arc::clone(&self.tables);
                self.push(next, Some(token), tables.vocabulary().bytes(token).unwrap_or_default());
                self.arrive()
            }
            Err(cause) => self.fail(cause),
        }
    }

    /// Accepts bytes, as if they were a token; for [`rollback`](Self::rollback) they count as one.
    pub fn accept_bytes(&mut self, bytes: &[u8]) -> Outcome {
        self.make_room();
        self.error = None;
        if self.finished || bytes.is_empty() {
            return Outcome::Rejected;
        }
        match self.tables.step_bytes(self.state, bytes) {
            Ok(next) if next.is_dead() => Outcome::Rejected,
            Ok(next) => {
                self.push(next, None, bytes);
                self.arrive()
            }
            Err(cause) => self.fail(cause),
        }
    }

    /// Whether the output so far is in the language.
    pub fn is_complete(&self) -> bool {
        self.state.completes()
    }

    /// Whether the output has ended: nothing more is accepted.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Whether the output has not ended and no token can follow.
    pub fn is_stuck(&mut self) -> bool {
        !self.finished && self.mask().is_empty() && self.error.is_none()
    }

    /// How many tokens, and calls with bytes, were accepted.
    pub fn len(&self) -> usize {
        self.history.len()
    }

    /// Whether nothing was accepted yet.
    pub fn is_empty(&self) -> bool {
        self.history.is_empty()
    }

    /// The bytes that were accepted.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The limit that the last call has hit, if it has.
    pub fn error(&self) -> Option<&LimitError> {
        self.error.as_ref()
    }

    /// The grammar.
    pub fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// Takes back the last `tokens` tokens.
    ///
    /// # Errors
    /// When fewer were accepted: nothing changes.
    ///
    /// # Complexity
    /// O(1); linear in the text where the grammar's tables have exceeded their budget since then.
    pub fn rollback(&mut self, tokens: usize) -> Result<(), RollbackError> {
        let accepted = self.history.len();
        let Some(keep) = accepted.checked_sub(tokens) else {
            return Err(RollbackError::TooMany { asked: tokens, accepted });
        };
        if tokens == 0 {
            return Ok(());
        }
        self.error = None;
        if keep < self.first_known {
            return self.replay(keep);
        }
        let step = self.history[keep];
        self.state = step.before;
        self.finished = false;
        self.history.truncate(keep);
        self.text.truncate(step.start);
        Ok(())
    }

    /// Back to the beginning.
    pub fn reset(&mut self) {
        self.tables = self.grammar.tables();
        self.state = self.tables.recognizer().initial();
        self.finished = false;
        self.history.clear();
        self.first_known = 0;
        self.least_bytes = 0;
        self.text.clear();
        self.error = None;
    }

    /// The bytes that every output has next: all up to the first place where two bytes are possible, or where the output may
    /// end, or where a special token may come. At most 65,536 of them.
    pub fn forced_bytes(&mut self) -> Vec<u8> {
        self.make_room();
        self.error = None;
        let mut forced = Vec::new();
        if self.finished {
            return forced;
        }
        match self.tables.forced_bytes(self.state, MAX_FORCED, &mut forced) {
            Ok(()) => forced,
            Err(cause) => {
                let _ = self.fail(cause);
                forced
            }
        }
    }

    /// How many of these tokens could be accepted, one after the other. Changes nothing.
    pub fn validate(&mut self, tokens: &[TokenId]) -> usize {
        self.make_room();
        self.error = None;
        if self.finished {
            return 0;
        }
        let mut state = self.state;
        for (place, &token) in tokens.iter().enumerate() {
            if state.completes() {
                if self.ending().tokens().contains(&token) {
                    return place + 1;
                }
                if place > 0 && *self.ending() == Ending::Eager {
                    return place;
                }
            }
            match self.tables.step(state, token) {
                Ok(next) if next.is_dead() => return place,
                Ok(next) => state = next,
                Err(cause) => {
                    let _ = self.fail(cause);
                    return place;
                }
            }
        }
        tokens.len()
    }

    /// The state as a number.
    pub fn state(&self) -> State {
        State { set: self.state, tables: Arc::as_ptr(&self.tables).addr(), finished: self.finished }
    }

    fn ending(&self) -> &Ending {
        self.tables.ending()
    }

    fn fail(&mut self, cause: grammask_earley::Error) -> Outcome {
        self.error = Some(LimitError { offset: self.text.len(), cause });
        Outcome::LimitExceeded
    }

    fn push(&mut self, next: SetId, token: Option<TokenId>, bytes: &[u8]) {
        self.history.push(Step { before: self.state, start: self.text.len(), token });
        self.text.extend_from_slice(bytes);
        self.state = next;
    }

    /// What it means that the state has just been reached.
    fn arrive(&mut self) -> Outcome {
        let may_end = self.state.completes();
        self.finished = match self.ending() {
            Ending::Eager => may_end,
            Ending::EndOfSequence(ids) => ids.is_empty() && may_end && !self.state.goes_on(),
        };
        if self.finished {
            return Outcome::Finished;
        }
        // With a token for every byte, something always goes on from a live state.
        if self.tables.vocabulary().has_every_byte() || !self.is_stuck() {
            return Outcome::Ongoing;
        }
        Outcome::Stuck
    }

    /// Moves to fresh tables where those in use exceed their budget.
    fn make_room(&mut self) {
        // A state may be larger than the budget; then its tables may grow to twice its size, so that carrying it over stays cheap.
        let bytes = |tables: &Masks| tables.bytes_used() + tables.lexicon().bytes_used();
        if !self.tables.is_over_budget() || bytes(&self.tables) <= 2 * self.least_bytes {
            return;
        }
        let tables = self.grammar.tables_after(&self.tables);
        // A limit that is hit now will be hit again, and reported, by whatever is done with the state.
        if let Ok(state) = tables.recognizer().import(self.tables.recognizer(), self.state) {
            self.state = state;
            self.least_bytes = bytes(&tables);
            self.tables = tables;
            self.first_known = self.history.len();
        }
    }

    /// Reads the first `keep` steps again.
    fn replay(&mut self, keep: usize) -> Result<(), RollbackError> {
        let mut again = Self::new(self.grammar.clone(), self.grammar.tables());
        for (place, step) in self.history[..keep].iter().enumerate() {
            let end = self.history.get(place + 1).map_or(self.text.len(), |next| next.start);
            let outcome = match step.token {
                Some(token) => again.accept(token),
                None => again.accept_bytes(&self.text[step.start..end]),
            };
            if outcome == Outcome::LimitExceeded
                && let Some(error) = again.error
            {
                return Err(error.into());
            }
        }
        *self = again;
        Ok(())
    }
}

impl std::fmt::Debug for Matcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Matcher")
            .field("text", &String::from_utf8_lossy(&self.text))
            .field("state", &self.state)
            .field("finished", &self.finished)
            .finish_non_exhaustive()
    }
}
