//! Sets of places that are told one after another, of which only what is new is followed: in a text that can be cut in many ways, somebody is complete
//! hundreds of times, each time at places that no single time before covers, but all together do.
//!
//! Source: F. Bancilhon and R. Ramakrishnan, "An Amateur's Introduction to Recursive Query Processing Strategies", 1986: semi-naive evaluation.

use crate::lexicon::Lexicon;
use crate::masks::budget::Fuel;
use crate::node_set::interned::ContinuationId;
use crate::node_set::{Places, no_bits};

/// Who has been told so many times has been told often: before, what is new costs more to find than it saves.
const OFTEN: usize = 16;

/// The same of large sets, as walking below one of these takes as long as everything else together.
const OFTEN_LARGE: usize = 3;

/// What comes of a set of places that is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    /// There is nothing to do: it has been told, or comes with what is told later anyhow.
    Known,
    /// It is followed now, as it is.
    Now,
    /// What is new in it comes later, together with what is new in others: see [`Delta::take`]. Said once until that is taken.
    Later,
}

/// What has been told so far, and what is to be told.
pub(crate) struct Delta {
    /// One bit a branch.
    told: Vec<u64>,
    fresh: Vec<u64>,
    has_fresh: bool,
}

impl Delta {
    /// Where all of these have been told, if what comes now is better told as far as it is new. Others may have met the same set, but hardly the same rest
    /// of it.
    pub(crate) fn if_due(
        lexicon: &Lexicon,
        told: impl Iterator<Item = ContinuationId> + Clone,
        continuation: ContinuationId,
    ) -> Option<Self> {
        let places = |id: ContinuationId| lexicon.continuation(id).places();
        let is_large = |id: &ContinuationId| matches!(places(*id), Places::Bits(_));
        let have_come = |times: usize| told.clone().nth(times - 1).is_some();
        let have_come_large = |times: usize| told.clone().filter(is_large).nth(times - 1).is_some();
        // Mostly few have come, however large they are.
        let is_due = have_come(OFTEN_LARGE)
            && (have_come(OFTEN) || is_large(&continuation) && have_come_large(OFTEN_LARGE));
        is_due.then(|| {
            let mut union = no_bits(lexicon.outline());
            told.for_each(|id| _ = places(id).mark(&mut union));
            Self { told: union, fresh: no_bits(lexicon.outline()), has_fresh: false }
        })
    }

    /// Some places are to be told: later, if they are new. That burns fuel, as it will be a set of its own.
    pub(crate) fn add(&mut self, fuel: &Fuel<'_>, places: &Places) -> Telling {
        let is_known = places.mark_beside(&self.told, &mut self.fresh);
        if is_known || std::mem::replace(&mut self.has_fresh, true) {
            return Telling::Known;
        }
        fuel.burn_row();
        Telling::Later
    }

    /// What is to be told and has not been, if anything: from now on it has.
    pub(crate) fn take(&mut self, short: usize) -> Option<Places> {
        if !std::mem::take(&mut self.has_fresh) {
            return None;
        }
        let fresh = self.fresh.clone();
        self.told.iter_mut().zip(&mut self.fresh).for_each(|(told, fresh)| *told |= std::mem::take(fresh));
        Some(Places::of_bits(short, fresh.into()))
    }
}
