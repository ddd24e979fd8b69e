//! Bounded search for a simulation: whether one lexeme accepts all that another one accepts.

use grammask_regular::Error;
use grammask_work::charge;
use rustc_hash::FxHashSet;

use crate::lexicon::automaton::{Automaton, LexemeId};

/// Work of one pair of states: both are asked for all bytes.
const UNITS_PER_PAIR: u64 = 128;

impl Automaton {
    /// Returns `true` if `large` accepts all that `small` accepts, apart from the empty string.
    ///
    /// Visits at most `pairs` pairs of states, and subtracts those visited; beyond it, returns `false`.
    ///
    /// # Source
    /// J. Hopcroft and R. Karp, "A Linear Algorithm for Testing Equivalence of Finite Automata", 1971; for
    /// inclusion, without merging.
    pub(crate) fn includes_after(
        &self,
        large: LexemeId,
        small: LexemeId,
        pairs: &mut usize,
    ) -> Result<bool, Error> {
        let mut known = FxHashSet::default();
        let mut open = vec![(large, small)];
        while let Some((large, small)) = open.pop() {
            if *pairs == 0 {
                return Ok(false);
            }
            *pairs -= 1;
            charge(UNITS_PER_PAIR)?;
            if !small.goes_on() {
                continue;
            }
            // Live bytes are mostly consecutive.
            let mut last = None;
            for byte in 0..=u8::MAX {
                let below = self.step(small, byte)?;
                if below.is_dead() {
                    continue;
                }
                let above = self.step(large, byte)?;
                if above == below || last.replace((above, below)) == Some((above, below)) {
                    continue;
                }
                if above.is_dead() || below.completes() && !above.completes() {
                    return Ok(false);
                }
                if known.insert((above, below)) {
                    open.push((above, below));
                }
            }
        }
        Ok(true)
    }
}
