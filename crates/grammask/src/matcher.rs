//! One output under a grammar: where it is, what may follow, and the way back.

use std::sync::Arc;

use grammask_mask::{Masks, Scratch};
use grammask_trie::{Mask, RowTooShort, TokenId};

use crate::history::History;
use crate::position::Position;
use crate::visits::Tally;
use crate::{Grammar, LimitError, Outcome, RollbackError, State, Visits};

/// At most this many bytes are given as forced, so that a grammar that forces endlessly many gives an answer.
pub(crate) const MAX_FORCED: usize = 1 << 16;

/// So many bytes are read at once before the tables are looked at again.
const BETWEEN_EXCHANGES: usize = 1 << 12;

/// Follows one output.
///
/// A clone goes its own way; its [`stats`](Self::stats) begin with zeros. It takes the same time however long the output is: what was accepted long
/// ago is shared. Every call either does what it says or changes nothing.
///
/// A matcher holds the tables of the grammar in which it stands, also when the grammar has given them up for others, until its next call. Drop matchers of outputs
/// that have ended, or [`reset`](Self::reset) them.
#[derive(Clone)]
pub struct Matcher {
    pub(crate) grammar: Grammar,
    pub(crate) tables: Arc<Masks>,
    pub(crate) position: Position,
    /// What was accepted, call by call.
    history: History,
    /// States before this step belong to tables that were given up; they are found by reading the text again.
    first_known: usize,
    pub(crate) error: Option<LimitError>,
    /// Where masks are written.
    pub(crate) scratch: Scratch,
    pub(crate) tally: Tally,
}

impl Matcher {
    pub(crate) fn new(grammar: Grammar, tables: Arc<Masks>) -> Self {
        Self {
            position: Position::initial(&tables),
            history: History::default(),
            first_known: 0,
            error: None,
            scratch: tables.scratch(),
            tally: grammar.tally(),
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
        self.prepare();
        let written = match self.position.mask(&self.tables, &mut self.scratch, &mut self.tally) {
            Ok(written) => written,
            Err(cause) => {
                self.error = Some(LimitError { offset: self.text_len(), cause });
                self.scratch.write_nothing()
            }
        };
        self.tables.written(written, &self.scratch)
    }

    /// Writes the mask as a packed row: token t is bit t % 32 of word t / 32; words beyond the vocabulary are 0.
    ///
    /// # Errors
    /// When the row is shorter than the vocabulary: nothing is written.
    pub fn fill_mask(&mut self, row: &mut [u32]) -> Result<(), RowTooShort> {
        let (needed, given) = (self.tables.vocabulary().mask_words(), row.len());
        if given < needed {
            return Err(RowTooShort { needed, given });
        }
        self.prepare();
        if let Err(cause) = self.position.fill(&self.tables, &mut self.scratch, &mut self.tally, row) {
            self.error = Some(LimitError { offset: self.text_len(), cause });
        }
        Ok(())
    }

    /// Sets the logits of all tokens that are not allowed to negative infinity, also of those beyond the vocabulary.
    pub fn apply(&mut self, logits: &mut [f32]) {
        self.mask().apply(logits);
    }

    /// Accepts a token. One that the mask does not allow is [`Outcome::Rejected`] and changes nothing.
    pub fn accept(&mut self, token: TokenId) -> Outcome {
        self.prepare();
        match self.position.after(&self.tables, token) {
            Ok(None) => Outcome::Rejected,
            Ok(Some(next)) => {
                let ends = self.position.is_ended_by(&self.tables, token);
                let bytes = self.tables.vocabulary().bytes(token).filter(|_| !ends);
                self.history.push(self.position.set, Some(token), bytes.unwrap_or_default());
                self.arrive(next)
            }
            Err(cause) => self.fail(cause),
        }
    }

    /// Accepts bytes, as if they were a token; for [`rollback`](Self::rollback) they count as one.
    ///
    /// No bytes at all are accepted wherever the output has not ended, and add nothing to it; whoever passes on what something else gave,
    /// such as [`forced_bytes`](Self::forced_bytes), need not look whether it gave anything. A token without bytes is never allowed, as a model could
    /// write it for ever.
    pub fn accept_bytes(&mut self, bytes: &[u8]) -> Outcome {
        self.prepare();
        if bytes.len() > BETWEEN_EXCHANGES {
            return self.accept_many(bytes);
        }
        match self.position.after_bytes(&self.tables, bytes) {
            Ok(None) => Outcome::Rejected,
            Ok(Some(next)) => self.arrive_by_bytes(next, bytes),
            Err(cause) => self.fail(cause),
        }
    }

    /// The same for so many bytes that they may fill the tables, or several.
    fn accept_many(&mut self, bytes: &[u8]) -> Outcome {
        let (mut tables, mut position) = (Arc::clone(&self.tables), self.position);
        let mut has_moved = false;
        for bytes in bytes.chunks(BETWEEN_EXCHANGES) {
            if tables.is_full() {
                has_moved |= move_on(&self.grammar, &mut tables, &mut position);
            }
            match position.after_bytes(&tables, bytes) {
                Ok(Some(next)) => position = next,
                Ok(None) => return Outcome::Rejected,
                Err(cause) => return self.fail(cause),
            }
        }
        self.tables = tables;
        let outcome = self.arrive_by_bytes(position, bytes);
        if has_moved {
            self.first_known = self.history.len();
        }
        outcome
    }

    /// Whether the output so far is in the language.
    pub fn is_complete(&self) -> bool {
        self.position.set.completes()
    }

    /// Whether the output has ended: nothing more is accepted.
    pub fn is_finished(&self) -> bool {
        self.position.finished
    }

    /// Whether the output has not ended and no token can follow.
    pub fn is_stuck(&mut self) -> bool {
        !self.position.finished && self.mask().is_empty() && self.error.is_none()
    }

    /// How many tokens, and calls with bytes, were accepted.
    pub fn len(&self) -> usize {
        self.history.len()
    }

    /// Whether nothing was accepted yet.
    pub fn is_empty(&self) -> bool {
        self.history.len() == 0
    }

    /// The bytes that were accepted.
    ///
    /// # Complexity
    /// Linear in the text when it is first asked for, of a matcher or a clone; a look-up from then on, as it is kept in one piece.
    pub fn text(&self) -> &[u8] {
        self.history.text()
    }

    /// How many bytes were accepted.
    pub(crate) fn text_len(&self) -> usize {
        self.history.text_len()
    }

    /// The limit that the last call has hit, if it has.
    pub fn error(&self) -> Option<&LimitError> {
        self.error.as_ref()
    }

    /// How often this matcher asked for a mask since it was made or [`reset`](Self::reset), and how long first visits took. The
    /// sum over all matchers is in [`Grammar::stats`].
    pub fn stats(&self) -> Visits {
        self.tally.visits()
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
    /// O(`tokens`) at worst, mostly O(1); linear in the text where the grammar's tables have exceeded their budget since then.
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
        if let Some(set) = self.history.truncate(keep) {
            self.position = Position { set, finished: false };
        }
        Ok(())
    }

    /// Back to the beginning.
    pub fn reset(&mut self) {
        self.tables = self.grammar.tables();
        self.position = Position::initial(&self.tables);
        self.history.clear();
        self.first_known = 0;
        self.error = None;
        self.tally.reset();
    }

    /// The bytes that every output has next: all up to the first place where two bytes are possible, or where the output may
    /// end, or where a special token may come. At most 65,536 of them, and some thousand in grammars so ambiguous that each byte is more work than the one
    /// before it.
    pub fn forced_bytes(&mut self) -> Vec<u8> {
        self.prepare();
        let mut forced = Vec::new();
        if !self.position.finished
            && let Err(cause) = self.tables.forced_bytes(self.position.set, MAX_FORCED, &mut forced)
        {
            let _ = self.fail(cause);
        }
        forced
    }

    /// How many of these tokens could be accepted, one after the other. Changes nothing.
    pub fn validate(&mut self, tokens: &[TokenId]) -> usize {
        self.prepare();
        let (mut tables, mut position) = (Arc::clone(&self.tables), self.position);
        for (place, &token) in tokens.iter().enumerate() {
            if tables.is_full() {
                move_on(&self.grammar, &mut tables, &mut position);
            }
            match position.after(&tables, token) {
                Ok(Some(next)) => position = next,
                Ok(None) => return place,
                Err(cause) => {
                    let _ = self.fail(cause);
                    return place;
                }
            }
        }
        tokens.len()
    }

    /// Where the output is, to have its mask computed elsewhere, and to be compared: see [`State`].
    pub fn state(&self) -> State {
        State::new(self.grammar.clone(), Arc::clone(&self.tables), self.position)
    }

    /// The text from the last token without bytes on.
    pub(crate) fn text_since_special(&self) -> Vec<u8> {
        let vocabulary = self.tables.vocabulary();
        self.history.text_behind(|step| step.token.is_some_and(|token| vocabulary.bytes(token).is_none()))
    }

    /// True if [`mask`](Self::mask) and [`fill_mask`](Self::fill_mask) only look the mask up, as some matcher of the
    /// grammar has asked for it in this state before.
    pub fn knows_mask(&self) -> bool {
        self.position.known(&self.tables).is_some()
    }

    /// What every call does before it looks at the state.
    pub(crate) fn prepare(&mut self) {
        self.make_room();
        self.error = None;
    }

    pub(crate) fn fail(&mut self, cause: grammask_earley::Error) -> Outcome {
        self.error = Some(LimitError { offset: self.text_len(), cause });
        Outcome::LimitExceeded
    }

    /// Goes on to where bytes have led.
    fn arrive_by_bytes(&mut self, next: Position, bytes: &[u8]) -> Outcome {
        self.history.push(self.position.set, None, bytes);
        self.arrive(next)
    }

    /// Goes on to where what was noted last has led.
    fn arrive(&mut self, next: Position) -> Outcome {
        self.position = next;
        if next.finished {
            return Outcome::Finished;
        }
        if self.tables.is_never_stuck() || !self.is_stuck() {
            return Outcome::Ongoing;
        }
        Outcome::Stuck
    }

    /// Moves to fresh tables where those in use are full.
    fn make_room(&mut self) {
        if self.tables.is_full() && move_on(&self.grammar, &mut self.tables, &mut self.position) {
            self.first_known = self.history.len();
        }
    }

    /// Reads the first `keep` steps again.
    fn replay(&mut self, keep: usize) -> Result<(), RollbackError> {
        let mut again = Self::new(self.grammar.clone(), self.grammar.tables());
        // What is asked on the way, this matcher asks.
        std::mem::swap(&mut again.tally, &mut self.tally);
        let result = again.read_again(&self.history, keep);
        match result {
            Ok(()) => *self = again,
            Err(_) => std::mem::swap(&mut again.tally, &mut self.tally),
        }
        result
    }

    fn read_again(&mut self, history: &History, keep: usize) -> Result<(), RollbackError> {
        for (step, bytes) in history.steps().take(keep) {
            let outcome = match step.token {
                Some(token) => self.accept(token),
                None => self.accept_bytes(bytes),
            };
            if outcome == Outcome::LimitExceeded
                && let Some(error) = self.error.take()
            {
                return Err(error.into());
            }
        }
        Ok(())
    }
}

/// Takes a position from tables that are full to others; whether it did. A limit that is hit on the way will be hit again, and reported, by whatever
/// is done with the position.
fn move_on(grammar: &Grammar, tables: &mut Arc<Masks>, position: &mut Position) -> bool {
    let next = grammar.tables_after(tables);
    match next.recognizer().import(tables.recognizer(), position.set) {
        Ok(set) => {
            position.set = set;
            *tables = next;
            true
        }
        Err(_) => false,
    }
}

impl std::fmt::Debug for Matcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Not `text`, which would be kept from then on because of a line in a log.
        let text = self.history.text_behind(|_| false);
        f.debug_struct("Matcher")
            .field("text", &String::from_utf8_lossy(&text))
            .field("set", &self.position.set)
            .field("finished", &self.position.finished)
            .finish_non_exhaustive()
    }
}
