//! Sets of trie nodes that arrive one after another, of which only the new nodes are followed.
//!
//! In an ambiguous text, a rule completes hundreds of times. No earlier set contains the next one, but their
//! union does.
//!
//! # Source
//! F. Bancilhon and R. Ramakrishnan, "An Amateur's Introduction to Recursive Query Processing Strategies",
//! 1986: semi-naive evaluation.

use crate::lexicon::Lexicon;
use crate::masks::budget::Fuel;
use crate::node_set::continuation::ContinuationId;
use crate::node_set::{NodeSet, no_bits};

/// Number of sets after which only the difference is followed; before, finding it costs more than it saves.
const MIN_SETS: usize = 16;

/// As `MIN_SETS`, for sets stored as bits: a walk below one of them is most of the work.
const MIN_LARGE_SETS: usize = 3;

/// How a set of trie nodes is to be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Propagation {
    /// Not at all: it was followed before, or will be together with a deferred set.
    Nothing,
    /// Now, as it is.
    Now,
    /// Later: its new nodes are followed together with those of other sets, see [`SemiNaiveSet::take`].
    /// Returned once until they are taken.
    Deferred,
}

/// Trie nodes that were followed, and trie nodes that are still to be followed.
pub(crate) struct SemiNaiveSet {
    /// One bit for each inner node.
    seen: Vec<u64>,
    fresh: Vec<u64>,
    has_fresh: bool,
}

impl SemiNaiveSet {
    /// Returns the union of the sets that were followed, if the next one should be followed as a difference.
    /// Sets recur in other contexts, but their differences rarely do, so a few sets are followed as they are.
    pub(crate) fn if_due(
        lexicon: &Lexicon,
        seen: impl Iterator<Item = ContinuationId> + Clone,
        continuation: ContinuationId,
    ) -> Option<Self> {
        let node_set = |id: ContinuationId| lexicon.continuation(id).set();
        let is_large = |id: &ContinuationId| matches!(node_set(*id), NodeSet::Bits(_));
        let have_come = |times: usize| seen.clone().nth(times - 1).is_some();
        let have_come_large = |times: usize| seen.clone().filter(is_large).nth(times - 1).is_some();
        // Mostly few sets precede, however large they are.
        let is_due = have_come(MIN_LARGE_SETS)
            && (have_come(MIN_SETS) || is_large(&continuation) && have_come_large(MIN_LARGE_SETS));
        is_due.then(|| {
            let mut union = no_bits(lexicon.trie_index());
            seen.for_each(|id| _ = node_set(id).mark(&mut union));
            Self { seen: union, fresh: no_bits(lexicon.trie_index()), has_fresh: false }
        })
    }

    /// Adds a set whose new nodes are to be followed later, if there are any. Consumes fuel, since these will
    /// be a set of their own.
    pub(crate) fn add(&mut self, fuel: &Fuel<'_>, node_set: &NodeSet) -> Propagation {
        let is_known = node_set.mark_beside(&self.seen, &mut self.fresh);
        if is_known || std::mem::replace(&mut self.has_fresh, true) {
            return Propagation::Nothing;
        }
        fuel.consume_row();
        Propagation::Deferred
    }

    /// Returns the new nodes, if there are any, and marks them as followed.
    pub(crate) fn take(&mut self, max_listed_nodes: usize) -> Option<NodeSet> {
        if !std::mem::take(&mut self.has_fresh) {
            return None;
        }
        let fresh = self.fresh.clone();
        self.seen.iter_mut().zip(&mut self.fresh).for_each(|(seen, fresh)| *seen |= std::mem::take(fresh));
        Some(NodeSet::of_bits(max_listed_nodes, fresh.into()))
    }
}
