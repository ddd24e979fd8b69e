//! Lexemes of which one part follows on another: `\p{Ll}+(-\p{Ll}+)?` is `\p{Ll}+`, and where that may end, `(-\p{Ll}+)?`. What may go on by characters of
//! several bytes, but not by all of them, has to be looked for in much of the trie. So it is looked for by itself, whatever comes behind it: that is
//! what the states of such a lexeme have in common.

use grammask_regular::Error;

use crate::lexicon::automaton::{Halves, LexemeId};
use crate::lexicon::slice::safe_class::has_others;
use crate::lexicon::walk::output::{Asked, Findings};
use crate::lexicon::walk::self_loop::Others;
use crate::lexicon::{LexemePart, Lexicon};
use crate::node_set::interned::ContinuationId;

/// What has fewer nodes below it is walked at once.
const MANY: usize = 4_096;

impl Lexicon {
    /// What comes first in a lexeme and what behind that: where the first ends with characters of a class that may come any number of times, and has some of
    /// several bytes that no slice knows; and where what comes behind it goes on by few bytes.
    fn head(&self, lexeme: LexemeId) -> Result<Option<(LexemeId, LexemeId)>, Error> {
        let place = &self.automaton.seldom(lexeme, &self.budget).head;
        if let Some(known) = place.get() {
            return Ok(*known);
        }
        let found = match self.automaton.split(lexeme, &self.budget)? {
            Some(Halves { head, repeated, rest }) if head.goes_on() && rest.goes_on() => {
                let has_others = has_others(&self.automaton.live_bytes(repeated, &self.budget)?);
                let (_, others) = self.coverage(repeated)?.by.characters();
                let is_narrow = self.automaton.few_live_bytes(rest, &self.budget)?.is_some();
                (has_others && others == Others::None && is_narrow).then_some((head, rest))
            }
            _ => None,
        };
        Ok(*place.get_or_init(|| found))
    }

    /// The part of a lexeme, from those of what comes first in it and of what comes behind that; nothing where it is not so made, or little is below.
    pub(crate) fn part_by_head(
        &self,
        lexeme: LexemeId,
        id: ContinuationId,
        asked: Asked,
    ) -> Result<Option<LexemePart>, Error> {
        let much = self.config.base_size.min(MANY);
        if !self.continuation(id).is_heavier(self.trie(), self.outline(), much) {
            return Ok(None);
        }
        let Some((head, rest)) = self.head(lexeme)? else { return Ok(None) };
        let mut nodes = 0;
        let first = self.part_at_cost(head, id, Asked::Places, &mut nodes)?;
        let mut findings = Findings::asked_for(asked, self.ground());
        self.take_tokens(first, &mut findings);
        let handover = self.part_of(first).handover();
        let behind = handover.into_iter().chain(head.completes().then_some(id));
        for places in behind {
            let part = self.part_at_cost(rest, places, asked, &mut nodes)?;
            self.take_part(part, &mut findings);
        }
        if rest.completes()
            && let Some(places) = handover
        {
            self.take_handover(places, &mut findings);
        }
        Ok(Some(self.found((lexeme, id), findings, nodes)))
    }
}
