//! Sets of places that are told one after another, of which only what is new is followed: in a text that can be cut in many ways, somebody is complete
//! hundreds of times, each time at places that no single time before covers, but all together do.
//!
//! Source: F. Bancilhon and R. Ramakrishnan, "An Amateur's Introduction to Recursive Query Processing Strategies", 1986: semi-naive evaluation.

use grammask_trie::Outline;

use crate::continuation::{ContinuationId, Continuations};
use crate::lexicon::Lexicon;
use crate::places::Places;

/// Who has been told so many times has been told often: before, what is new costs more to find than it saves.
const OFTEN: usize = 16;

/// The same of large sets, as walking below one of these takes as long as everything else together.
const OFTEN_LARGE: usize = 3;

/// Whether what comes after all of these is better told as far as it is new. Others may have met the same set, but hardly the same rest of it.
pub(crate) fn is_due(
    continuations: &Continuations,
    before: &(impl Iterator<Item = ContinuationId> + Clone),
    continuation: ContinuationId,
) -> bool {
    let have_come = |times: usize| before.clone().nth(times - 1).is_some();
    let is_large = |id: &ContinuationId| matches!(continuations.get(*id).places(), Places::Bits(_));
    let have_come_large = |times: usize| before.clone().filter(is_large).nth(times - 1).is_some();
    // Mostly few have come, however large they are.
    have_come(OFTEN_LARGE) && (have_come(OFTEN) || is_large(&continuation) && have_come_large(OFTEN_LARGE))
}

/// What it costs to tell what is new, in nodes of the trie: a word of a row of places for each.
pub(crate) fn cost(outline: &Outline) -> u64 {
    outline.len() as u64 / 64
}

/// What has been told so far, and what is to be told.
pub(crate) struct Delta {
    /// One bit a branch.
    told: Box<[u64]>,
    fresh: Box<[u64]>,
    has_fresh: bool,
}

impl Delta {
    /// Where these have been told.
    pub(crate) fn after(lexicon: &Lexicon, told: impl Iterator<Item = ContinuationId>) -> Self {
        let row = || vec![0; lexicon.outline().len().div_ceil(64)].into_boxed_slice();
        let mut union = row();
        told.for_each(|id| _ = lexicon.continuation(id).places().mark(&mut union));
        Self { told: union, fresh: row(), has_fresh: false }
    }

    /// Some places are to be told. Gives whether there is something to tell for the first time since [`take`](Self::take).
    pub(crate) fn add(&mut self, places: &Places) -> bool {
        let is_known = places.mark_beside(&self.told, &mut self.fresh);
        !is_known && !std::mem::replace(&mut self.has_fresh, true)
    }

    /// What is to be told and has not been, if anything: from now on it has.
    pub(crate) fn take(&mut self, short: usize) -> Option<Places> {
        if !std::mem::take(&mut self.has_fresh) {
            return None;
        }
        let fresh = self.fresh.clone();
        self.told.iter_mut().zip(&mut self.fresh).for_each(|(told, fresh)| *told |= std::mem::take(fresh));
        Some(Places::of_bits(short, fresh))
    }
}
