//! Lexemes that lead to the same states by all bytes, such as `[a-z]+` and `[a-z]*`: they differ in nothing but whether they are complete
//! before the first byte, which no part shows. So one part serves both.

use grammask_regular::Error;

use crate::lexicon::automaton::LexemeId;
use crate::lexicon::entry::Own;
use crate::lexicon::walk::output::Asked;
use crate::lexicon::{LexemePart, LexemeTokens, Lexicon};
use crate::node_set::interned::ContinuationId;

/// Where a lexeme goes on to; see [`Automaton::ways`](super::automaton::Automaton::ways).
pub(crate) type Ways = Box<[(u8, LexemeId)]>;

impl Lexicon {
    /// The first lexeme that was come upon that goes on as this one does; itself, if it is the first.
    fn twin(&self, lexeme: LexemeId) -> Result<LexemeId, Error> {
        let place = &self.automaton.seldom(lexeme, &self.budget).twin;
        if let Some(&known) = place.get() {
            return Ok(known);
        }
        let ways = self.automaton.ways(lexeme, &self.budget)?;
        let bytes = size_of_val(&ways[..]) + size_of::<(Ways, LexemeId)>();
        let (&twin, is_first) = self.twins.insert(ways.into(), lexeme);
        if is_first {
            self.budget.spend(bytes);
        }
        Ok(*place.get_or_init(|| twin))
    }

    /// The part of a lexeme, from that of its twin, if that is known. It is not looked for here: what a twin takes may be found by what this
    /// lexeme takes.
    pub(crate) fn part_by_twin(
        &self,
        lexeme: LexemeId,
        id: ContinuationId,
        asked: Asked,
    ) -> Result<Option<LexemePart>, Error> {
        let twin = self.twin(lexeme)?;
        if twin == lexeme {
            return Ok(None);
        }
        let Some(twin) = self.known_part(twin, id, asked) else { return Ok(None) };
        let part = self.part_of(twin);
        let tokens = match &part.tokens.kin {
            Some((kin, less)) => {
                LexemeTokens { own: part.tokens.own.clone(), kin: Some((*kin, less.clone())) }
            }
            None => LexemeTokens { own: Own::none(), kin: Some((twin, Box::default())) },
        };
        Ok(Some(LexemePart { tokens, handover: part.handover.clone(), nodes: 0 }))
    }
}
