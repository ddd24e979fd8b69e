//! Where an output is: the state that its text has led to, and whether it has ended. What a token does to it is said here
//! once, for matchers, drafts and states alike.

use grammask_earley::{Error, SetId};
use grammask_mask::{Known, Masks, Scratch, Written};
use grammask_trie::TokenId;

use crate::Ending;
use crate::visits::Tally;

/// A place in an output, in terms of the tables that it was made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Position {
    pub(crate) set: SetId,
    pub(crate) finished: bool,
}

impl Position {
    /// Where every output begins.
    pub(crate) fn initial(tables: &Masks) -> Self {
        Self { set: tables.recognizer().initial(), finished: false }
    }

    /// The position after a token; none where the token is not allowed.
    pub(crate) fn after(self, tables: &Masks, token: TokenId) -> Result<Option<Self>, Error> {
        if self.finished {
            return Ok(None);
        }
        if self.is_ended_by(tables, token) {
            return Ok(Some(Self { finished: true, ..self }));
        }
        Ok(Self::arrived(tables, tables.step(self.set, token)?))
    }

    /// Whether the token ends the output here. Such a token adds nothing to the text, whatever its bytes.
    pub(crate) fn is_ended_by(self, tables: &Masks, token: TokenId) -> bool {
        !self.finished && self.set.completes() && tables.ending().tokens().contains(&token)
    }

    /// The position after bytes; none where they are not allowed. No bytes lead nowhere else, unless the output has ended.
    pub(crate) fn after_bytes(self, tables: &Masks, bytes: &[u8]) -> Result<Option<Self>, Error> {
        if self.finished {
            return Ok(None);
        }
        if bytes.is_empty() {
            return Ok(Some(self));
        }
        Ok(Self::arrived(tables, tables.step_bytes(self.set, bytes)?))
    }

    /// What it means that a set has just been reached.
    fn arrived(tables: &Masks, set: SetId) -> Option<Self> {
        let finished = match tables.ending() {
            Ending::Eager => set.completes(),
            Ending::EndOfSequence(ids) => ids.is_empty() && set.completes() && !set.goes_on(),
        };
        (!set.is_dead()).then_some(Self { set, finished })
    }

    /// The tokens that may come next, none when the output is finished: where they stand.
    pub(crate) fn mask(
        self,
        tables: &Masks,
        scratch: &mut Scratch,
        tally: &mut Tally,
    ) -> Result<Written, Error> {
        if self.finished {
            tally.known();
            return Ok(scratch.write_nothing());
        }
        match tables.known(self.set) {
            Some(known) => {
                tally.known();
                Ok(tables.write_known(known, scratch))
            }
            None => tally.first_visit(|| tables.write_anew(self.set, scratch)),
        }
    }

    /// The mask, if it is kept.
    pub(crate) fn known(self, tables: &Masks) -> Option<Known> {
        if self.finished { None } else { tables.known(self.set) }
    }

    /// Writes the mask to a row that is long enough, with zeros behind it; only zeros when a limit is hit.
    pub(crate) fn fill(
        self,
        tables: &Masks,
        scratch: &mut Scratch,
        tally: &mut Tally,
        row: &mut [u32],
    ) -> Result<(), Error> {
        if self.finished {
            tally.known();
            row.fill(0);
            return Ok(());
        }
        match tables.known(self.set) {
            Some(known) => {
                tally.known();
                tables.fill_known(known, row);
                Ok(())
            }
            None => tally.first_visit(|| tables.fill(self.set, scratch, row)).inspect_err(|_| row.fill(0)),
        }
    }
}
