//! Lexemes that are a loop followed by a rest, such as `\p{Ll}+(-\p{Ll}+)?`.
//!
//! Some multi-byte characters continue the loop, and no slice fits them, so much of the trie is walked. The
//! loop is walked once, whatever follows it, and the states of such lexemes share it.

use grammask_regular::Error;

use crate::lexicon::automaton::{ConcatSplit, LexemeId};
use crate::lexicon::slice::safe_class::has_non_ascii;
use crate::lexicon::walk::output::{WalkOutput, Want};
use crate::lexicon::walk::self_loop::NonAscii;
use crate::lexicon::{Entry, Lexicon};
use crate::node_set::continuation::ContinuationId;

/// Minimum number of trie nodes below a set for which splitting a lexeme pays.
const MIN_NODES_BELOW: usize = 4_096;

impl Lexicon {
    /// Splits a lexeme into a prefix that ends with a loop over characters of no slice, and a rest that goes
    /// on by few bytes.
    fn prefix_of(&self, lexeme: LexemeId) -> Result<Option<(LexemeId, LexemeId)>, Error> {
        let cell = &self.automaton.cold(lexeme).prefix;
        if let Some(known) = cell.get() {
            return Ok(*known);
        }
        let found = match self.automaton.split(lexeme)? {
            Some(ConcatSplit { prefix, repeated, rest }) if prefix.goes_on() && rest.goes_on() => {
                let has_non_ascii = has_non_ascii(&self.automaton.live_bytes(repeated)?);
                let (_, non_ascii) = self.loop_alphabet(repeated)?.by.characters();
                let is_narrow = self.automaton.few_live_bytes(rest)?.is_some();
                (has_non_ascii && non_ascii == NonAscii::None && is_narrow).then_some((prefix, rest))
            }
            _ => None,
        };
        Ok(*cell.get_or_init(|| found))
    }

    /// Returns the entry from those of the prefix and of the rest. Returns `None` if the lexeme cannot be
    /// split, or few nodes are below.
    pub(crate) fn entry_by_prefix(
        &self,
        lexeme: LexemeId,
        id: ContinuationId,
        want: Want,
    ) -> Result<Option<Entry>, Error> {
        let min_nodes = self.config.tuning.min_base_nodes.min(MIN_NODES_BELOW);
        if !self.continuation(id).is_heavier(self.trie(), self.trie_index(), min_nodes) {
            return Ok(None);
        }
        let Some((prefix, rest)) = self.prefix_of(lexeme)? else { return Ok(None) };
        let mut nodes = 0;
        let first = self.entry_at_cost(prefix, id, Want::TokensAndExits, &mut nodes)?;
        let mut output = WalkOutput::with_want(want, self.context());
        self.take_tokens(first, &mut output);
        let exit = self.entry(first).exit();
        let starts = exit.into_iter().chain(prefix.completes().then_some(id));
        for start in starts {
            let entry = self.entry_at_cost(rest, start, want, &mut nodes)?;
            self.take_entry(entry, &mut output);
        }
        if rest.completes()
            && let Some(exit) = exit
        {
            self.take_exit(exit, &mut output);
        }
        Ok(Some(self.found((lexeme, id), output, nodes)))
    }
}
