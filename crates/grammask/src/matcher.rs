//! A matcher follows one output of a grammar: masks, accepting, and rolling back.

pub(crate) mod batch;
pub(crate) mod draft;
mod end_in_time;
pub(crate) mod forced;
mod history;
pub(crate) mod outcome;
pub(crate) mod position;
pub(crate) mod state;
#[cfg(feature = "parallel")]
mod threads;

use grammask_cache::Shared;
use grammask_mask::{Masks, Scratch};
use grammask_trie::{Mask, RowTooShort, TokenId};
use grammask_work::{Allowance, CancelFlag, OpenAccount};

use crate::grammar::stats::StatsRecorder;
use crate::{Grammar, LimitError, MaskStats, Outcome, RollbackError, State};
use history::History;
use position::Position;

/// Number of bytes that are read between two checks of the memory budget.
const BYTES_PER_BUDGET_CHECK: usize = 1 << 12;

/// Follows one output of a grammar. [`Grammar::matcher`] makes one.
///
/// Every call does what it says, or fails and changes nothing. If a limit is exceeded, [`error`](Self::error)
/// has the limit until the next call.
///
/// A clone is independent of the original. It takes constant time, as both share the history, and its
/// [`stats`](Self::stats) begin with zeros.
///
/// A matcher keeps the grammar's tables in memory that it has used last, even if the grammar has replaced
/// them because of its memory budget. Drop matchers of finished outputs, or [`reset`](Self::reset) them.
///
/// ```
/// use grammask::{Config, Grammar, Outcome, TokenId, Vocabulary};
///
/// let words = ["yes", "no", "!"];
/// let tokens = (0..3).map(|id| (TokenId(id), words[id as usize].as_bytes().to_vec()));
/// let vocabulary = Vocabulary::new(tokens, [])?;
/// let grammar = Grammar::compile("start ::= ('yes' | 'no') '!';", &vocabulary, &Config::default())?;
///
/// let mut matcher = grammar.matcher();
/// assert_eq!(matcher.mask().iter().collect::<Vec<_>>(), [TokenId(0), TokenId(1)]);
/// assert_eq!(matcher.accept(TokenId(2)), Outcome::Rejected);
/// assert_eq!(matcher.accept(TokenId(1)), Outcome::Ongoing);
/// assert_eq!(matcher.accept(TokenId(2)), Outcome::Finished);
/// matcher.rollback(2)?;
/// assert_eq!(matcher.text(), b"");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Matcher {
    pub(crate) grammar: Grammar,
    pub(crate) tables: Shared<Masks>,
    pub(crate) position: Position,
    history: History,
    /// Index of the first step whose state belongs to `tables`. Earlier states are found by reading the text
    /// again.
    first_state: usize,
    /// The limit that the last call exceeded.
    pub(crate) error: Option<LimitError>,
    /// The buffer for masks.
    pub(crate) scratch: Scratch,
    pub(crate) recorder: StatsRecorder,
    /// Cancels the calls of this matcher.
    cancel: Option<CancelFlag>,
}

impl Matcher {
    pub(crate) fn new(grammar: Grammar, tables: Shared<Masks>) -> Self {
        Self {
            position: Position::initial(&tables),
            history: History::default(),
            first_state: 0,
            error: None,
            scratch: tables.scratch(),
            recorder: grammar.stats_recorder(),
            cancel: None,
            grammar,
            tables,
        }
    }

    /// Returns the mask of the tokens that may come next. It is empty if the output is finished, or if a
    /// limit is exceeded; then [`error`](Self::error) has the limit.
    ///
    /// # Complexity
    /// A look-up if any matcher of the grammar was in this state before. Otherwise, a walk over the part of
    /// the vocabulary's trie that the grammar allows.
    pub fn mask(&mut self) -> &Mask {
        let _open = self.prepare();
        let written = match self.position.mask(&self.tables, &mut self.scratch, &mut self.recorder) {
            Ok(written) => written,
            Err(cause) => {
                self.error = Some(LimitError { offset: self.text_len(), cause });
                self.scratch.write_nothing()
            }
        };
        self.tables.written(written, &self.scratch)
    }

    /// Writes the mask as a packed row: token t is bit t % 32 of word t / 32. Words beyond the vocabulary are
    /// 0. If a limit is exceeded, the row holds zeros and [`error`](Self::error) has the limit.
    ///
    /// # Errors
    /// If the row has fewer words than the vocabulary's
    /// [`mask_words`](grammask_trie::Vocabulary::mask_words). Nothing is written.
    pub fn fill_mask(&mut self, row: &mut [u32]) -> Result<(), RowTooShort> {
        let (needed, given) = (self.tables.vocabulary().mask_words(), row.len());
        if given < needed {
            return Err(RowTooShort { needed, given });
        }
        let _open = self.prepare();
        if let Err(cause) = self.position.fill(&self.tables, &mut self.scratch, &mut self.recorder, row) {
            self.error = Some(LimitError { offset: self.text_len(), cause });
        }
        Ok(())
    }

    /// Sets logits to negative infinity: those of tokens that are not allowed, and those beyond the
    /// vocabulary. The logit of token t is `logits[t]`.
    pub fn apply(&mut self, logits: &mut [f32]) {
        self.mask().apply(logits);
    }

    /// Accepts a token. A token that is not in the [`mask`](Self::mask) is [`Outcome::Rejected`].
    pub fn accept(&mut self, token: TokenId) -> Outcome {
        let _open = self.prepare();
        match self.position.after(&self.tables, token) {
            Ok(None) => Outcome::Rejected,
            Ok(Some(next)) => {
                let ends = self.position.is_ended_by(&self.tables, token);
                let bytes = self.tables.vocabulary().bytes(token).filter(|_| !ends);
                self.history.push(self.position.set, Some(token), bytes.unwrap_or_default());
                self.enter(next)
            }
            Err(cause) => self.fail(cause),
        }
    }

    /// Accepts bytes as if they were one token. [`rollback`](Self::rollback) counts them as one.
    ///
    /// An empty slice is accepted unless the output is finished. A token without bytes, on the other hand, is
    /// never allowed, since a model could repeat it for ever.
    pub fn accept_bytes(&mut self, bytes: &[u8]) -> Outcome {
        let _open = self.prepare();
        if bytes.len() > BYTES_PER_BUDGET_CHECK {
            return self.accept_long(bytes);
        }
        match self.position.after_bytes(&self.tables, bytes) {
            Ok(None) => Outcome::Rejected,
            Ok(Some(next)) => self.enter_by_bytes(next, bytes),
            Err(cause) => self.fail(cause),
        }
    }

    /// Accepts bytes that may exceed the memory budget of the tables, even several times.
    fn accept_long(&mut self, bytes: &[u8]) -> Outcome {
        let (mut tables, mut position) = (self.tables.clone(), self.position);
        let mut has_moved = false;
        for bytes in bytes.chunks(BYTES_PER_BUDGET_CHECK) {
            if tables.is_full() {
                has_moved |= move_to_new_tables(&self.grammar, &mut tables, &mut position);
            }
            match position.after_bytes(&tables, bytes) {
                Ok(Some(next)) => position = next,
                Ok(None) => return Outcome::Rejected,
                Err(cause) => return self.fail(cause),
            }
        }
        self.tables = tables;
        let outcome = self.enter_by_bytes(position, bytes);
        if has_moved {
            self.first_state = self.history.len();
        }
        outcome
    }

    /// Sets or removes the flag that cancels the calls of this matcher from another thread. A call that is
    /// cancelled ends within milliseconds: [`error`](Self::error) has [`Stopped::Cancelled`], and the matcher
    /// is unchanged. A known mask is written whether the flag is set or not. Clones have the same flag.
    ///
    /// [`Stopped::Cancelled`]: crate::Stopped::Cancelled
    ///
    /// ```
    /// # use grammask::{CancelFlag, Config, Grammar, TokenId, Vocabulary};
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], [])?;
    /// let grammar = Grammar::compile("start ::= #'a+';", &vocabulary, &Config::default())?;
    /// let (mut matcher, flag) = (grammar.matcher(), CancelFlag::new());
    /// matcher.set_cancel_flag(Some(flag.clone()));
    /// flag.cancel();
    /// assert!(matcher.mask().is_empty() && matcher.error().is_some_and(|error| error.is_cancelled()));
    /// flag.reset();
    /// assert!(!matcher.mask().is_empty() && matcher.error().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_cancel_flag(&mut self, flag: Option<CancelFlag>) {
        self.cancel = flag;
    }

    /// Returns true if the output so far is in the language.
    pub fn is_complete(&self) -> bool {
        self.position.set.completes()
    }

    /// Returns true if the output has ended: nothing more is accepted.
    pub fn is_finished(&self) -> bool {
        self.position.finished
    }

    /// Returns true if the output has not ended and no token can follow.
    pub fn is_stuck(&mut self) -> bool {
        !self.position.finished && self.mask().is_empty() && self.error.is_none()
    }

    /// Returns the number of accepted tokens. Each accepted call of [`accept_bytes`](Self::accept_bytes)
    /// counts as one.
    pub fn len(&self) -> usize {
        self.history.len()
    }

    /// Returns true if nothing was accepted yet.
    pub fn is_empty(&self) -> bool {
        self.history.len() == 0
    }

    /// Returns the accepted bytes.
    ///
    /// # Complexity
    /// The first call on a matcher or a clone is linear in the text. Later calls are a look-up.
    pub fn text(&self) -> &[u8] {
        self.history.text()
    }

    /// Returns the number of accepted bytes.
    pub(crate) fn text_len(&self) -> usize {
        self.history.text_len()
    }

    /// Returns the limit that the last call exceeded. Returns `None` if it exceeded none.
    pub fn error(&self) -> Option<&LimitError> {
        self.error.as_ref()
    }

    /// Returns the statistics of the masks of this matcher since it was made or [`reset`](Self::reset).
    /// [`Grammar::stats`] has the sum over all matchers.
    pub fn stats(&self) -> MaskStats {
        self.recorder.stats()
    }

    /// Returns the grammar.
    pub fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// Takes back the last `tokens` tokens, or calls of [`accept_bytes`](Self::accept_bytes).
    ///
    /// # Errors
    /// If fewer were accepted, or if a limit is exceeded while the text is read again. Nothing changes.
    ///
    /// # Complexity
    /// O(`tokens`). Linear in the text if the grammar's tables were replaced since then.
    pub fn rollback(&mut self, tokens: usize) -> Result<(), RollbackError> {
        let accepted = self.history.len();
        let Some(keep) = accepted.checked_sub(tokens) else {
            return Err(RollbackError::TooMany { asked: tokens, accepted });
        };
        if tokens == 0 {
            return Ok(());
        }
        self.error = None;
        if keep < self.first_state {
            return self.replay(keep);
        }
        if let Some(set) = self.history.truncate(keep) {
            self.position = Position { set, finished: false };
        }
        Ok(())
    }

    /// Returns to the beginning of an output.
    pub fn reset(&mut self) {
        self.tables = self.grammar.tables();
        self.position = Position::initial(&self.tables);
        self.history.clear();
        self.first_state = 0;
        self.error = None;
        self.recorder.reset();
    }

    /// Returns the bytes that every output has next. They end where two bytes are possible, where the output
    /// may end, or where a special token may come. Accepts none of them.
    ///
    /// Their number is at most [`Limits::max_forced`](crate::Limits::max_forced). It is a few thousand in a
    /// grammar that is so ambiguous that each byte takes more work than the one before.
    ///
    /// ```
    /// # use grammask::{Config, Grammar, TokenId, Vocabulary};
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], [])?;
    /// let grammar = Grammar::compile("start ::= 'name: ' ('a' | 'b');", &vocabulary, &Config::default())?;
    /// assert_eq!(grammar.matcher().forced_bytes(), b"name: ");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn forced_bytes(&mut self) -> Vec<u8> {
        let _open = self.prepare();
        let mut forced = Vec::new();
        if !self.position.finished
            && let Err(cause) =
                self.tables.forced_bytes(self.position.set, self.grammar.limits().max_forced, &mut forced)
        {
            let _ = self.fail(cause);
        }
        forced
    }

    /// Returns the number of leading tokens that could be accepted, one after the other. Accepts none of
    /// them.
    pub fn validate(&mut self, tokens: &[TokenId]) -> usize {
        let _open = self.prepare();
        let (mut tables, mut position) = (self.tables.clone(), self.position);
        for (index, &token) in tokens.iter().enumerate() {
            if tables.is_full() {
                move_to_new_tables(&self.grammar, &mut tables, &mut position);
            }
            match position.after(&tables, token) {
                Ok(Some(next)) => position = next,
                Ok(None) => return index,
                Err(cause) => {
                    let _ = self.fail(cause);
                    return index;
                }
            }
        }
        tokens.len()
    }

    /// Returns the number of leading bytes after which the text is in the language for the first time: at
    /// least 1. Returns `None` if there is no such number, or if these bytes are not allowed. Accepts none of
    /// them.
    ///
    /// If a limit is exceeded, returns `None`, and [`error`](Self::error) has the limit.
    ///
    /// ```
    /// # use grammask::{Config, Grammar, TokenId, Vocabulary};
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], [])?;
    /// let grammar = Grammar::compile("start ::= 'ab' | 'abcd';", &vocabulary, &Config::default())?;
    /// assert_eq!(grammar.matcher().first_completion(b"abc"), Some(2));
    /// assert_eq!(grammar.matcher().first_completion(b"ax"), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn first_completion(&mut self, bytes: &[u8]) -> Option<usize> {
        let _open = self.prepare();
        let (mut tables, mut position) = (self.tables.clone(), self.position);
        for (index, byte) in bytes.iter().enumerate() {
            if index % BYTES_PER_BUDGET_CHECK == BYTES_PER_BUDGET_CHECK - 1 && tables.is_full() {
                move_to_new_tables(&self.grammar, &mut tables, &mut position);
            }
            match position.after_bytes(&tables, std::slice::from_ref(byte)) {
                Ok(Some(next)) if next.set.completes() => return Some(index + 1),
                Ok(Some(next)) => position = next,
                Ok(None) => return None,
                Err(cause) => {
                    let _ = self.fail(cause);
                    return None;
                }
            }
        }
        None
    }

    /// Returns the state of the output, to compare it or to compute its mask on another thread: see
    /// [`State`].
    pub fn state(&self) -> State {
        State::new(self.grammar.clone(), self.tables.clone(), self.position)
    }

    /// Returns the text after the last token without bytes.
    pub(crate) fn text_since_special(&self) -> Vec<u8> {
        let vocabulary = self.tables.vocabulary();
        self.history.text_after(|step| step.token.is_some_and(|token| vocabulary.bytes(token).is_none()))
    }

    /// Returns true if the mask is cached, as some matcher of the grammar requested it in this state before.
    pub fn has_cached_mask(&self) -> bool {
        self.position.known(&self.tables).is_some()
    }

    /// Begins a call: replaces full tables, and clears the error of the last call. Returns the account of the
    /// call, if a flag can cancel it.
    pub(crate) fn prepare(&mut self) -> Option<OpenAccount> {
        let open = self.cancel.as_ref().map(open_account);
        self.replace_full_tables();
        self.error = None;
        open
    }

    /// Sets the error of this call.
    pub(crate) fn fail(&mut self, cause: grammask_earley::Error) -> Outcome {
        self.error = Some(LimitError { offset: self.text_len(), cause });
        Outcome::LimitExceeded
    }

    /// Records bytes, and enters the position after them.
    fn enter_by_bytes(&mut self, next: Position, bytes: &[u8]) -> Outcome {
        self.history.push(self.position.set, None, bytes);
        self.enter(next)
    }

    /// Enters the position after the step that was recorded last.
    fn enter(&mut self, next: Position) -> Outcome {
        self.position = next;
        if next.finished {
            return Outcome::Finished;
        }
        if self.tables.is_never_stuck() || !self.is_stuck() {
            return Outcome::Ongoing;
        }
        Outcome::Stuck
    }

    /// Moves to new tables if those in use exceed their budget.
    fn replace_full_tables(&mut self) {
        let is_due = self.grammar.has_evicted(&self.tables) || self.tables.is_full();
        if is_due && move_to_new_tables(&self.grammar, &mut self.tables, &mut self.position) {
            self.first_state = self.history.len();
        }
    }

    /// Reads the first `keep` steps again, and forgets all others.
    fn replay(&mut self, keep: usize) -> Result<(), RollbackError> {
        let mut again = Self::new(self.grammar.clone(), self.grammar.tables());
        again.cancel.clone_from(&self.cancel);
        // The masks on the way count as requests of this matcher.
        std::mem::swap(&mut again.recorder, &mut self.recorder);
        let result = again.read_again(&self.history, keep);
        match result {
            Ok(()) => *self = again,
            Err(_) => std::mem::swap(&mut again.recorder, &mut self.recorder),
        }
        result
    }

    /// Reads the first `keep` steps of a history.
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

/// Opens an account that a flag cancels. Most matchers have no flag, so this is not part of each call.
#[cold]
fn open_account(flag: &CancelFlag) -> OpenAccount {
    OpenAccount::new(&Allowance::default().with_flag(flag))
}

/// Imports a position from full tables into others. Returns false if a limit is exceeded on the way; the next
/// step from the position exceeds and reports it again.
fn move_to_new_tables(grammar: &Grammar, tables: &mut Shared<Masks>, position: &mut Position) -> bool {
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
        // Not `text`, which would keep the whole text in memory because of a log line.
        let text = self.history.text_after(|_| false);
        f.debug_struct("Matcher")
            .field("text", &String::from_utf8_lossy(&text))
            .field("set", &self.position.set)
            .field("finished", &self.position.finished)
            .finish_non_exhaustive()
    }
}
