//! The position of an output: its recognizer state, and whether it has ended. Matchers, drafts and states
//! share the transitions defined here.

use grammask_earley::{Error, SetId};
use grammask_mask::{MaskRef, Masks, Scratch, StateMask};
use grammask_trie::TokenId;

use crate::Ending;
use crate::grammar::stats::StatsRecorder;

/// A position in an output. The state belongs to the tables that the position was made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Position {
    pub(crate) set: SetId,
    /// True if the output has ended: no token is allowed.
    pub(crate) finished: bool,
}

impl Position {
    /// Returns the position before the first token.
    pub(crate) fn initial(tables: &Masks) -> Self {
        let set = tables.recognizer().initial();
        Self { set, finished: Self::ends_at(tables, set) }
    }

    /// Returns the position after a token. Returns `None` if the token is not allowed.
    pub(crate) fn after(self, tables: &Masks, token: TokenId) -> Result<Option<Self>, Error> {
        if self.finished {
            return Ok(None);
        }
        if self.is_ended_by(tables, token) {
            return Ok(Some(Self { finished: true, ..self }));
        }
        Ok(Self::entered(tables, tables.step(self.set, token)?))
    }

    /// Returns true if the token ends the output here. Its bytes, if it has any, are not added to the text
    /// then.
    pub(crate) fn is_ended_by(self, tables: &Masks, token: TokenId) -> bool {
        !self.finished && self.set.completes() && tables.ending().tokens().contains(&token)
    }

    /// Returns the position after some bytes. Returns `None` if they are not allowed. An empty slice is
    /// allowed unless the output has ended.
    pub(crate) fn after_bytes(self, tables: &Masks, bytes: &[u8]) -> Result<Option<Self>, Error> {
        if self.finished {
            return Ok(None);
        }
        if bytes.is_empty() {
            return Ok(Some(self));
        }
        Ok(Self::entered(tables, tables.step_bytes(self.set, bytes)?))
    }

    /// Returns the position of a state that a step has led to. Returns `None` for the dead state.
    fn entered(tables: &Masks, set: SetId) -> Option<Self> {
        (!set.is_dead()).then_some(Self { set, finished: Self::ends_at(tables, set) })
    }

    /// Returns true if an output ends in a state without a token that ends it.
    fn ends_at(tables: &Masks, set: SetId) -> bool {
        match tables.ending() {
            Ending::Eager => set.completes(),
            // In the tables, `OfVocabulary` has become `EndOfSequence` with the vocabulary's tokens.
            ending => ending.tokens().is_empty() && set.completes() && !set.goes_on(),
        }
    }

    /// Writes the mask: the tokens that may come next, none if the output has ended.
    pub(crate) fn mask(
        self,
        tables: &Masks,
        scratch: &mut Scratch,
        recorder: &mut StatsRecorder,
    ) -> Result<MaskRef, Error> {
        if self.finished {
            recorder.record_cached();
            return Ok(scratch.write_nothing());
        }
        let mask = tables.at(self.set);
        if mask.is_known() {
            recorder.record_cached();
            mask.write(scratch)
        } else {
            recorder.record_computed(|| mask.write(scratch))
        }
    }

    /// Returns the mask if it is cached.
    pub(crate) fn known(self, tables: &Masks) -> Option<StateMask<'_>> {
        Some(tables.at(self.set)).filter(|mask| !self.finished && mask.is_known())
    }

    /// Writes the mask to a row that is long enough, and zeros after it. Writes only zeros if a limit is
    /// exceeded.
    pub(crate) fn fill(
        self,
        tables: &Masks,
        scratch: &mut Scratch,
        recorder: &mut StatsRecorder,
        row: &mut [u32],
    ) -> Result<(), Error> {
        if self.finished {
            recorder.record_cached();
            row.fill(0);
            return Ok(());
        }
        let mask = tables.at(self.set);
        if mask.is_known() {
            recorder.record_cached();
            mask.fill(scratch, row)
        } else {
            recorder.record_computed(|| mask.fill(scratch, row)).inspect_err(|_| row.fill(0))
        }
    }
}
