//! Computes first masks and entries of lexemes while a grammar is compiled, so that no output waits for them.
//! Masks do not depend on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use grammask_earley::{Error, NetworkNodeId, SetId};
use grammask_regular::analysis::may_be_finite;
use grammask_work::{Allowance, within};

use crate::Masks;

/// Cost of looking up one lexeme in the lexicon, in trie nodes walked.
const NODES_PER_LEXEME: u64 = 64;

/// Request to compute masks and entries ahead of the first output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prefetch<'a> {
    /// Prefixes of likely outputs, whose masks are computed.
    pub texts: &'a [&'a [u8]],
    /// Work limit for the lexemes of the grammar, in trie nodes. A lexeme counts 64, and its walk counts once
    /// it is done. Lexemes of few known texts are left out. With 0, only the mask of the first state is
    /// computed.
    pub nodes: u64,
    /// Flag that ends the computation early.
    pub cancel: Option<&'a Arc<AtomicBool>>,
}

impl Masks {
    /// Computes the mask of the first state, then entries for the lexemes of the grammar in the order of
    /// discovery.
    ///
    /// Ends early, without an error, if it is cancelled, or if a mask or all lexemes together take more work
    /// than [`Limits::max_mask_work`](crate::Limits::max_mask_work).
    ///
    /// # Errors
    /// Returns an error if a limit of the recognizer or of its languages is exceeded.
    ///
    /// # Complexity
    /// That of one mask, and the limit of `prefetch`.
    pub fn prefetch(&self, prefetch: &Prefetch<'_>) -> Result<(), Error> {
        self.recognizer.set_cancel_flag(prefetch.cancel.cloned());
        let found = self.prefetch_within(prefetch);
        self.recognizer.set_cancel_flag(None);
        match found {
            // A mask that is too much work is an error when an output needs it.
            Err(Error::Cancelled | Error::Stopped(_)) => Ok(()),
            found => found,
        }
    }

    /// As [`prefetch`](Self::prefetch). Exceeding the work of a mask is an error here.
    fn prefetch_within(&self, prefetch: &Prefetch<'_>) -> Result<(), Error> {
        let is_stopped = || prefetch.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed));
        let first = self.recognizer.initial();
        self.prefetch_mask(first)?;
        if prefetch.nodes == 0 {
            return Ok(());
        }
        for text in prefetch.texts {
            if is_stopped() {
                return Ok(());
            }
            let state = self.step_bytes(first, text)?;
            if state.goes_on() {
                self.prefetch_mask(state)?;
            }
        }
        if !self.config.tuning.keep_summaries {
            return Ok(());
        }
        // Nodes do not count derivatives, which cost more for some lexemes than all walks.
        let allowance = Allowance::new("max_mask_work", self.config.limits.max_mask_work);
        within(&allowance, || self.prefetch_lexemes(prefetch, &is_stopped))
    }

    /// Computes entries for the lexemes of the grammar, up to the limit of `prefetch`.
    fn prefetch_lexemes(&self, prefetch: &Prefetch<'_>, is_stopped: &dyn Fn() -> bool) -> Result<(), Error> {
        let mut left = prefetch.nodes;
        for node in self.recognizer.inspect().lexeme_starts() {
            if left < NODES_PER_LEXEME || is_stopped() {
                break;
            }
            let node = node?;
            // Most lexemes of a schema are keys. Their few texts are quickly followed when a mask needs them.
            if self.recognizer.inspect().lexeme(node, may_be_finite) == Some(true) {
                continue;
            }
            left -= NODES_PER_LEXEME;
            match self.lexeme(node).and_then(|lexeme| self.lexicon.prefetch(lexeme).ok()) {
                Some(nodes) => left = left.saturating_sub(nodes),
                // The shared lexicon has limits of its own, which are not errors of the grammar.
                None => self.prefetch_alone(node)?,
            }
        }
        Ok(())
    }

    /// Computes the tokens of a lexeme at its beginning and after its first byte, without the lexicon.
    fn prefetch_alone(&self, node: NetworkNodeId) -> Result<(), Error> {
        let set = self.recognizer.inspect().open_state(node)?;
        let first = self.recognizer.live_bytes(set)?;
        if let Some(byte) = first.single_byte() {
            let next = self.recognizer.step(set, byte)?;
            self.recognizer.live_bytes(next)?;
        }
        Ok(())
    }

    /// Computes the mask of a state, if masks are kept.
    fn prefetch_mask(&self, state: SetId) -> Result<(), Error> {
        if self.config.tuning.keep_masks && !self.at(state).is_known() {
            // No output continues with this scratch.
            self.make(state, &mut self.scratch())?;
        }
        Ok(())
    }
}
