//! Sets of trie nodes that arrive one after another, of which only the new nodes are followed.
//!
//! In an ambiguous text, a rule completes hundreds of times. No earlier set contains the next one, but their
//! union does.
//!
//! # Source
//! F. Bancilhon and R. Ramakrishnan, "An Amateur's Introduction to Recursive Query Processing Strategies",
//! 1986:
//! semi-naive evaluation.

use crate::lexicon::Lexicon;
use crate::masks::budget::Fuel;
use crate::node_set::continuation::ContinuationId;
use crate::node_set::{NodeSet, no_bits};

/// Number of sets after which only the difference is followed; before, finding it costs more than it saves.
const MIN_SETS: usize = 16;

/// As `MIN_SETS`, for sets stored as bits: a walk below one of them is most of the work.
const MIN_LARGE_SETS: usize = 3;

/// What comes of a set of trie nodes that is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Propagation {
    /// There is nothing to do: it has been seen, or comes with what is seen later anyhow.
    Nothing,
    /// It is followed now, as it is.
    Now,
    /// What is new in it comes later, together with what is new in others: see [`SemiNaiveSet::take`]. Said
    /// once until that is taken.
    Deferred,
}

/// What has been seen so far, and what is to be seen.
pub(crate) struct SemiNaiveSet {
    /// One bit a branch.
    seen: Vec<u64>,
    fresh: Vec<u64>,
    has_fresh: bool,
}

impl SemiNaiveSet {
    /// Where all of these have been seen, if what comes now is better seen as far as it is new. Others may
    /// have met the same set, but hardly the same rest
    /// of it.
    pub(crate) fn if_due(
        lexicon: &Lexicon,
        seen: impl Iterator<Item = ContinuationId> + Clone,
        continuation: ContinuationId,
    ) -> Option<Self> {
        let places = |id: ContinuationId| lexicon.continuation(id).set();
        let is_large = |id: &ContinuationId| matches!(places(*id), NodeSet::Bits(_));
        let have_come = |times: usize| seen.clone().nth(times - 1).is_some();
        let have_come_large = |times: usize| seen.clone().filter(is_large).nth(times - 1).is_some();
        // Mostly few have come, however large they are.
        let is_due = have_come(MIN_LARGE_SETS)
            && (have_come(MIN_SETS) || is_large(&continuation) && have_come_large(MIN_LARGE_SETS));
        is_due.then(|| {
            let mut union = no_bits(lexicon.outline());
            seen.for_each(|id| _ = places(id).mark(&mut union));
            Self { seen: union, fresh: no_bits(lexicon.outline()), has_fresh: false }
        })
    }

    /// Some trie nodes are to be seen: later, if they are new. That burns fuel, as it will be a set of its
    /// own.
    pub(crate) fn add(&mut self, fuel: &Fuel<'_>, places: &NodeSet) -> Propagation {
        let is_known = places.mark_beside(&self.seen, &mut self.fresh);
        if is_known || std::mem::replace(&mut self.has_fresh, true) {
            return Propagation::Nothing;
        }
        fuel.consume_row();
        Propagation::Deferred
    }

    /// What is to be seen and has not been, if anything: from now on it has.
    pub(crate) fn take(&mut self, short: usize) -> Option<NodeSet> {
        if !std::mem::take(&mut self.has_fresh) {
            return None;
        }
        let fresh = self.fresh.clone();
        self.seen.iter_mut().zip(&mut self.fresh).for_each(|(seen, fresh)| *seen |= std::mem::take(fresh));
        Some(NodeSet::of_bits(short, fresh.into()))
    }
}
