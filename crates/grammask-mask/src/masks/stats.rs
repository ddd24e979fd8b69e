//! Counters of walks over the trie, and the sizes that they add up to.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How much has been walked so far. Each walk counts for itself and is added when it has ended, so walking is
/// not slowed down.
#[derive(Debug, Default)]
pub(crate) struct WalkCounters {
    walks: AtomicU64,
    nodes: AtomicU64,
    taken: AtomicU64,
}

/// A number of walks, and what they have come by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WalkCost {
    pub(crate) walks: u64,
    /// Nodes of the trie that were looked at one by one.
    pub(crate) nodes: u64,
    /// Subtrees that were taken whole instead.
    pub(crate) taken: u64,
}

impl WalkCounters {
    pub(crate) fn add(&self, cost: WalkCost) {
        self.walks.fetch_add(cost.walks, Relaxed);
        self.nodes.fetch_add(cost.nodes, Relaxed);
        self.taken.fetch_add(cost.taken, Relaxed);
    }

    pub(crate) fn so_far(&self) -> WalkCost {
        let [walks, nodes, taken] =
            [&self.walks, &self.nodes, &self.taken].map(|counter| counter.load(Relaxed));
        WalkCost { walks, nodes, taken }
    }
}
