//! The origins that have completed while a mask is assembled, each with the trie nodes at which it completed.
//!
//! A completion at nodes that an earlier one covers is dropped. Of repeated completions, only the difference
//! is propagated.

use grammask_earley::OriginId;
use grammask_work::narrow;
use rustc_hash::FxHashMap;

use crate::lexicon::Lexicon;
use crate::masks::budget::Fuel;
use crate::node_set::continuation::{ContinuationId, Continuations};
use crate::node_set::semi_naive::{Propagation, SemiNaiveSet};

/// Completed origins of one mask, with the trie nodes at which they completed.
#[derive(Default)]
pub(crate) struct Completions {
    /// By number: origin, trie nodes, and the number of the completion whose callers led to this one. `None`
    /// if that is unknown, or if this is the first completion on a path from the state.
    list: Vec<(OriginId, ContinuationId, Option<u32>)>,
    /// Trie nodes by origin; filled only once the list has `MAX_LIST_LEN` elements.
    at: FxHashMap<OriginId, Vec<ContinuationId>>,
    /// New trie nodes of origins that complete often.
    deltas: FxHashMap<OriginId, SemiNaiveSet>,
    /// Origins with new trie nodes that [`next`](Self::next) has not returned.
    open: Vec<OriginId>,
}

/// Number of completions that are scanned linearly; beyond it, those of an origin are found by hash.
const MAX_LIST_LEN: usize = 48;

impl Completions {
    /// Adds a completion of an origin; `after` is the number of the completion before it. Returns its number.
    /// Returns `None` if no trie node is new, or if [`next`](Self::next) will return the new ones.
    pub(crate) fn add(
        &mut self,
        fuel: &Fuel<'_>,
        origin: OriginId,
        continuation: ContinuationId,
        after: Option<u32>,
    ) -> Option<u32> {
        let lexicon = fuel.lexicon();
        let node_set = lexicon.continuation(continuation).set();
        if !self.deltas.is_empty()
            && let Some(delta) = self.deltas.get_mut(&origin)
        {
            if delta.add(fuel, node_set) == Propagation::Deferred {
                self.open.push(origin);
            }
            return None;
        }
        if self.list.is_empty() {
            return Some(self.push(origin, continuation, after));
        }
        let of_origin = |&&(other, ..): &&(OriginId, ContinuationId, Option<u32>)| other == origin;
        let short = if self.at.is_empty() { &self.list[..] } else { &[] };
        let few = short.iter().filter(of_origin).map(|&(_, node_set, _)| node_set);
        let many = self.at.get(&origin).into_iter().flatten().copied();
        let before = few.chain(many);
        if before.clone().any(|other| other == continuation)
            || self.is_covered_before(lexicon.continuations(), origin, continuation, after)
        {
            return None;
        }
        let Some(mut delta) = SemiNaiveSet::if_due(lexicon, before, continuation) else {
            return Some(self.push(origin, continuation, after));
        };
        if delta.add(fuel, node_set) == Propagation::Deferred {
            self.open.push(origin);
        }
        self.deltas.insert(origin, delta);
        None
    }

    /// Appends a completion, and returns its number.
    fn push(&mut self, origin: OriginId, continuation: ContinuationId, after: Option<u32>) -> u32 {
        self.list.push((origin, continuation, after));
        let fresh = match self.list.len() {
            ..MAX_LIST_LEN => 0..0,
            MAX_LIST_LEN => 0..MAX_LIST_LEN,
            len => len - 1..len,
        };
        for &(origin, continuation, _) in &self.list[fresh] {
            self.at.entry(origin).or_default().push(continuation);
        }
        narrow(self.list.len() - 1)
    }

    /// Returns an origin, its new trie nodes, and the number of this completion. To be called when nothing
    /// else is left to do: the more nodes have been joined, the less often the origin is processed.
    pub(crate) fn next(&mut self, lexicon: &Lexicon) -> Option<(OriginId, ContinuationId, u32)> {
        let origin = self.open.pop()?;
        let delta = self.deltas.get_mut(&origin);
        let fresh = delta.and_then(|delta| delta.take(lexicon.config().tuning.max_listed_nodes));
        let continuation = lexicon.intern(fresh.expect("an open origin has new trie nodes"));
        Some((origin, continuation, self.push(origin, continuation, None)))
    }

    /// Returns `true` if the origin completed at all of these nodes earlier on the path from the state. This
    /// occurs in a list of texts that may be split anywhere.
    fn is_covered_before(
        &self,
        continuations: &Continuations,
        origin: OriginId,
        continuation: ContinuationId,
        mut before: Option<u32>,
    ) -> bool {
        while let Some(number) = before {
            let (other, larger, next) = self.list[number as usize];
            if other == origin && continuations.contains(larger, continuation) {
                return true;
            }
            before = next;
        }
        false
    }

    /// Removes all completions.
    pub(crate) fn clear(&mut self) {
        if self.list.len() >= MAX_LIST_LEN {
            self.at.clear();
        }
        self.deltas.clear();
        self.list.clear();
        self.open.clear();
    }
}
