//! Counters of walks over the trie, and the sizes that they add up to.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Total cost of all walks. Each walk adds its own cost when it ends, so that the walk itself is not slowed
/// down.
#[derive(Debug, Default)]
pub(crate) struct WalkCounters {
    walks: AtomicU64,
    nodes: AtomicU64,
    taken: AtomicU64,
}

/// Number of walks, and their cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WalkCost {
    pub(crate) walks: u64,
    /// Trie nodes that were visited one by one.
    pub(crate) nodes: u64,
    /// Subtrees that were taken as a whole.
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
