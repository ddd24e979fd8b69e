//! Lexemes with the same successor after each byte, such as `[a-z]+` and `[a-z]*`.
//!
//! They differ before the first byte only, which no entry depends on, so one entry serves both.

use grammask_regular::Error;

use crate::lexicon::automaton::LexemeId;
use crate::lexicon::entry::StoredTokens;
use crate::lexicon::walk::output::Want;
use crate::lexicon::{Entry, EntryTokens, Lexicon};
use crate::node_set::continuation::ContinuationId;

/// The successor after each byte; see
/// [`Automaton::successors`](crate::lexicon::automaton::Automaton::successors).
pub(crate) type SuccessorKey = Box<[(u8, LexemeId)]>;

impl Lexicon {
    /// Returns the first lexeme with these successors; the lexeme itself if it is the first.
    fn representative(&self, lexeme: LexemeId) -> Result<LexemeId, Error> {
        let cell = &self.automaton.cold(lexeme).representative;
        if let Some(&known) = cell.get() {
            return Ok(known);
        }
        let successors = self.automaton.successors(lexeme)?;
        let bytes = size_of_val(&successors[..]) + size_of::<(SuccessorKey, LexemeId)>();
        let (&representative, is_first) = self.by_successors.insert(successors.into(), lexeme);
        if is_first {
            self.budget.spend(bytes);
        }
        Ok(*cell.get_or_init(|| representative))
    }

    /// Returns the entry of the representative, if it is known. It is not computed here: it may depend on
    /// this entry.
    pub(crate) fn entry_by_successors(
        &self,
        lexeme: LexemeId,
        id: ContinuationId,
        want: Want,
    ) -> Result<Option<Entry>, Error> {
        let representative = self.representative(lexeme)?;
        if representative == lexeme {
            return Ok(None);
        }
        let Some(representative) = self.known_entry(representative, id, want) else { return Ok(None) };
        let entry = self.entry(representative);
        let tokens = match &entry.tokens.base {
            Some((base, removed)) => {
                EntryTokens { own: entry.tokens.own.clone(), base: Some((*base, removed.clone())) }
            }
            None => EntryTokens { own: StoredTokens::none(), base: Some((representative, Box::default())) },
        };
        Ok(Some(Entry { tokens, exit: entry.exit.clone(), nodes: 0 }))
    }
}
