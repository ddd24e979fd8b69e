//! Computes masks before they are needed, for all kinds of states up to a limit. Masks do not depend on it.

use std::ops::ControlFlow;
use std::thread::ScopedJoinHandle;

use grammask_earley::{Class, NetworkNodeId, SetId};
use rustc_hash::FxHashSet;

use crate::Masks;

/// Limits of [`Masks::warm`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct WarmLimits {
    /// Maximum number of states whose masks are computed. Default: 10,000.
    pub states: usize,
    /// Number of threads; 0 counts as 1, and more than 256 as 256. Default: 1.
    pub threads: usize,
}

impl Default for WarmLimits {
    fn default() -> Self {
        Self { states: 10_000, threads: 1 }
    }
}

/// Progress of [`Masks::warm`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarmProgress {
    /// States that have been visited: their masks have been computed, or were known, or hit a limit.
    pub states: usize,
    /// Number of states that are known and not yet visited.
    pub waiting: usize,
    /// True if no state is left to visit, as opposed to a limit, the memory budget or the caller having ended
    /// it.
    pub is_complete: bool,
}

/// Number of threads that are started at most.
const MAX_WARM_THREADS: usize = 256;

/// States for each thread between two reports of the progress.
const STATES_PER_BATCH: usize = 32;

/// The part of a state that determines the summaries of its mask: its network nodes, and those at which the
/// callers continue when the origins complete.
type StateSignature = Box<[(NetworkNodeId, Box<[NetworkNodeId]>)]>;

/// Successor of a state, and its signature.
type Next = (StateSignature, SetId);

impl Masks {
    /// Computes masks breadth first from the first state, one for each kind of state. States that differ only
    /// in the callers of callers are of one kind: their masks mostly use the same summaries.
    ///
    /// Ends if every kind has been visited, if a limit or the memory budget is reached, or if `progress`
    /// breaks. It is called after every 32 states for each thread. States after one at which a limit of the
    /// recognizer is exceeded are left out.
    pub fn warm(
        &self,
        limits: &WarmLimits,
        mut progress: impl FnMut(WarmProgress) -> ControlFlow<()>,
    ) -> WarmProgress {
        let threads = limits.threads.clamp(1, MAX_WARM_THREADS);
        let mut seen: FxHashSet<StateSignature> = FxHashSet::default();
        let mut waiting = std::collections::VecDeque::from([self.recognizer.initial()]);
        let mut progress_so_far = WarmProgress { waiting: 1, ..WarmProgress::default() };
        while !waiting.is_empty() {
            let room = limits.states - progress_so_far.states.min(limits.states);
            let count = (STATES_PER_BATCH * threads).min(waiting.len()).min(room);
            if count == 0 || self.is_over_budget() {
                return progress_so_far;
            }
            let batch: Vec<SetId> = waiting.drain(..count).collect();
            for (signature, next) in self.visit_all(&batch, threads) {
                if seen.insert(signature) {
                    waiting.push_back(next);
                }
            }
            progress_so_far.states += count;
            progress_so_far.waiting = waiting.len();
            progress_so_far.is_complete = waiting.is_empty();
            if progress(progress_so_far).is_break() {
                return progress_so_far;
            }
        }
        progress_so_far
    }

    /// Visits states on several threads, which get one range of states each.
    fn visit_all(&self, states: &[SetId], threads: usize) -> Vec<Next> {
        if threads == 1 {
            return self.visit(states);
        }
        let share = states.len().div_ceil(threads);
        std::thread::scope(|scope| {
            let workers: Vec<_> =
                states.chunks(share).map(|share| scope.spawn(move || self.visit(share))).collect();
            // Results are joined in the order of the states, so they do not depend on which thread is faster.
            let join = |worker: ScopedJoinHandle<'_, Vec<Next>>| match worker.join() {
                Ok(found) => found,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            workers.into_iter().flat_map(join).collect()
        })
    }

    /// Computes the masks of some states, and returns the successors.
    fn visit(&self, states: &[SetId]) -> Vec<Next> {
        let mut scratch = self.scratch();
        let mut found = Vec::new();
        for &state in states {
            if self.at(state).write(&mut scratch).is_err() {
                continue;
            }
            for class in 0..self.recognizer.network().classes() {
                let Ok(next) = self.recognizer.step_class(state, Class::new(class)) else { continue };
                if next.goes_on()
                    && let Some(signature) = self.signature(next)
                {
                    found.push((signature, next));
                }
            }
        }
        found
    }

    /// Returns the signature of a state. Returns `None` if a limit of the recognizer is exceeded.
    fn signature(&self, state: SetId) -> Option<StateSignature> {
        let longest = self.lexicon.max_token_bytes();
        let near = |node| self.recognizer.inspect().saturate(node, longest);
        let of_item = |item: &grammask_earley::Item| {
            let resumption = self.recognizer.inspect().resumption(item.origin).ok()?;
            let items = resumption.map_or(&[][..], |resumption| &resumption.items);
            let mut nodes: Vec<NetworkNodeId> = items.iter().map(|(item, _)| near(item.node)).collect();
            nodes.dedup();
            Some((near(item.node), nodes.into()))
        };
        self.recognizer.kernel(state).iter().map(of_item).collect()
    }
}
