//! Which origins have been complete while one mask is put together, and at which trie nodes: what has been done there is
//! not done again.

use grammask_earley::OriginId;
use grammask_trie::Outline;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::continuation::{ContinuationId, Continuations};

/// The origins that have been complete while a mask is put together, and where.
#[derive(Default)]
pub(crate) struct Completions {
    /// Each with the completion before it, on the way from the state.
    list: Vec<(OriginId, ContinuationId, Option<u32>)>,
    /// Filled only when the list is long: until then it is faster looked through.
    seen: FxHashSet<(OriginId, ContinuationId)>,
    at: FxHashMap<OriginId, Found>,
}

/// At which nodes one origin has been complete.
#[derive(Default)]
struct Found {
    /// How often.
    times: usize,
    /// Once it was often: the union, one bit a branch. In an ambiguous grammar an origin is complete hundreds of times, each
    /// time at nodes that no single time before covers, but all together do.
    union: Box<[u64]>,
}

/// A list of so many completions is long.
const LONG: usize = 48;

/// So many completions of an origin are often: before, their union costs more than what it saves.
const OFTEN: usize = 16;

impl Completions {
    /// Notes that an origin is complete at some nodes, `after` the completion with this number. Gives its number, or
    /// nothing where there is nothing new in it.
    pub(crate) fn add(
        &mut self,
        continuations: &Continuations,
        outline: &Outline,
        origin: OriginId,
        continuation: ContinuationId,
        after: Option<u32>,
    ) -> Option<u32> {
        if self.list.len() < LONG {
            let is_seen =
                self.list.iter().any(|&(other, places, _)| (other, places) == (origin, continuation));
            if is_seen || self.is_covered_before(continuations, origin, continuation, after) {
                return None;
            }
            self.list.push((origin, continuation, after));
            if self.list.len() == LONG {
                for &(origin, continuation, _) in &self.list {
                    self.seen.insert((origin, continuation));
                    self.at.entry(origin).or_default().times += 1;
                }
            }
            return Some((self.list.len() - 1) as u32);
        }
        if !self.seen.insert((origin, continuation)) {
            return None;
        }
        let found = self.at.entry(origin).or_default();
        found.times += 1;
        let covered = if found.times < OFTEN {
            self.is_covered_before(continuations, origin, continuation, after)
        } else {
            let places = |continuation| continuations.get(continuation).places();
            if found.union.is_empty() {
                found.union = vec![0; outline.len().div_ceil(64)].into();
                for &(_, continuation, _) in self.list.iter().filter(|(other, ..)| *other == origin) {
                    places(continuation).mark(&mut found.union);
                }
            }
            places(continuation).mark(&mut found.union)
        };
        if covered {
            return None;
        }
        self.list.push((origin, continuation, after));
        Some((self.list.len() - 1) as u32)
    }

    /// Whether on the way here the origin has been complete at all of these nodes and more, as happens in a list of texts
    /// that may be split anywhere.
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

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        if self.list.len() >= LONG {
            self.seen.clear();
            self.at.clear();
        }
        self.list.clear();
    }
}
