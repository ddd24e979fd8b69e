//! Nodes that are made while running: states of lexemes, counters, and items in any order. Read without a lock; made in the workshop.

use std::sync::OnceLock;

use grammask_cache::{Arena, LazyRow};
use grammask_regular::{ByteSet, RegularId};

use crate::unordered::distinct::Reading;
use crate::unordered::plan::Choice;
use crate::{Callee, CalleeId, Network, NetworkNodeId};

/// No successor, in the row of a lexeme's node.
pub(crate) const NOWHERE: u32 = u32::MAX - 1;

/// A node that the network does not have.
pub(crate) struct MadeNode {
    pub(crate) is_final: bool,
    pub(crate) goes_on: bool,
    pub(crate) kind: Kind,
    /// See [`Recognizer::takes`](crate::Inspector::first_bytes).
    pub(crate) takes: OnceLock<ByteSet>,
}

pub(crate) enum Kind {
    /// A state of a lexeme, its successors by class, and where it was come upon: behind a byte in another state.
    Lexeme(RegularId, LazyRow, Option<(NetworkNodeId, u8)>),
    /// A counted repetition, and how many are complete.
    Counter(CalleeId, u32),
    /// A place among items in any order.
    Unordered(Standing),
    /// A place in an item of `distinct!`.
    Reading(Reading),
    /// All places behind an item of `distinct!` that begins at this one. No set has it; it is for walks that go rule by rule.
    Pending(NetworkNodeId, Phase),
}

/// A place among items in any order, and what follows from it, once somebody asked.
pub(crate) struct Standing {
    pub(crate) callee: CalleeId,
    /// The number of what has been chosen.
    pub(crate) number: u32,
    pub(crate) phase: Phase,
    /// The items that may come next.
    pub(crate) items: OnceLock<Box<[Choice]>>,
    /// What is called, and where to go on.
    pub(crate) calls: OnceLock<Box<[(CalleeId, NetworkNodeId)]>>,
    /// For where an item of `distinct!` may begin. Other places have room for a pointer only.
    pub(crate) beginning: Option<Box<Beginning>>,
}

/// What is known about the item of `distinct!` that may begin at a place, once somebody asked.
#[derive(Default)]
pub(crate) struct Beginning {
    /// The item's language, without the texts that have come before; nothing where no text may come.
    pub(crate) lexeme: OnceLock<Option<NetworkNodeId>>,
    /// Successors by class.
    pub(crate) row: LazyRow,
    /// What stands for the places behind the item: before another item, and at once.
    pub(crate) pending: [OnceLock<NetworkNodeId>; 2],
}

impl Standing {
    pub(crate) fn new(callee: CalleeId, number: u32, phase: Phase, reads: bool) -> Self {
        let beginning = reads.then(Box::default);
        Self { callee, number, phase, items: OnceLock::new(), calls: OnceLock::new(), beginning }
    }
}

/// What comes next where items stand in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// An item.
    Item,
    /// A separator if there is one, else an item; or the end.
    Behind,
}

/// The nodes behind those of a network.
pub(crate) struct MadeNodes {
    nodes: Arena<MadeNode>,
    first: u32,
}

impl MadeNodes {
    pub(crate) fn new(network: &Network) -> Self {
        Self { nodes: Arena::new(), first: network.nodes.len() as u32 }
    }

    /// The node with this id, which is not one of the network.
    pub(crate) fn get(&self, node: NetworkNodeId) -> &MadeNode {
        self.nodes.get(node.0 - self.first)
    }

    /// What the nodes are, in the order of their ids.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = &Kind> {
        self.nodes.iter().map(|(_, node)| &node.kind)
    }

    /// The id that the next node gets.
    pub(crate) fn next(&self) -> NetworkNodeId {
        NetworkNodeId(self.first + self.nodes.len() as u32)
    }

    /// Adds a node. The bytes that it takes may be given.
    pub(crate) fn push(
        &self,
        (is_final, goes_on): (bool, bool),
        kind: Kind,
        takes: Option<ByteSet>,
    ) -> NetworkNodeId {
        let takes = takes.map_or_else(OnceLock::new, OnceLock::from);
        let node = MadeNode { is_final, goes_on, kind, takes };
        NetworkNodeId(self.first + self.nodes.push(node))
    }
}

/// A count of a counter for which the same holds as for `count`, as long as no more than `bytes` bytes follow: one place for all counts
/// that are further than that from the bounds, since each time takes a byte or more.
pub(crate) fn saturated(callee: &Callee, count: u32, bytes: u32) -> u32 {
    let Callee::Counter { min, max, .. } = *callee else { return count };
    match min.checked_sub(count) {
        Some(missing @ 1..) if missing > bytes => min - bytes - 1,
        Some(1..) => count,
        _ if max - count > bytes => min,
        _ => count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saturated_count_is_as_far_from_its_bounds_as_can_be_seen() {
        for (min, max) in [(1, 2), (3, 50), (20, 20), (1, 100), (30, 31), (40, 90)] {
            let counter = Callee::Counter { element: CalleeId(0), min, max };
            for bytes in [0, 1, 5, 10] {
                let mut seen = std::collections::BTreeSet::new();
                for count in 0..max {
                    let other = saturated(&counter, count, bytes);
                    assert!(other < max && saturated(&counter, other, bytes) == other);
                    for more in 0..=bytes {
                        assert_eq!(count + more >= min, other + more >= min, "{min} {max} {count} {bytes}");
                        assert_eq!(count + more <= max, other + more <= max, "{min} {max} {count} {bytes}");
                    }
                    seen.insert(other);
                }
                assert!(seen.len() <= 2 * bytes as usize + 3, "{min} {max} {bytes}: {seen:?}");
            }
        }
    }
}
