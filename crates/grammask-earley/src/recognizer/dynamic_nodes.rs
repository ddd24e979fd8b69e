//! Nodes that are created while a recognizer runs: states of lexemes, counters, and positions in
//! permutations.
//!
//! They are read without a lock. [`NodeFactory`](crate::step::nodes::NodeFactory) creates them.

use std::sync::OnceLock;

use grammask_cache::{Arena, LazyRow};
use grammask_regular::{ByteSet, RegularId};
use grammask_work::narrow;

use crate::permutation::distinct::{DistinctItem, DistinctState};
use crate::permutation::plan::Choice;
use crate::recognizer::inspect::NodeFlags;
use crate::{Callee, CalleeId, Network, NetworkNodeId};

/// Entry of a node's row: no successor.
pub(crate) const NO_SUCCESSOR: u32 = u32::MAX - 1;

/// A node that is not in the network.
pub(crate) struct DynamicNode {
    pub(crate) is_final: bool,
    pub(crate) goes_on: bool,
    pub(crate) kind: NodeKind,
    /// See [`Inspector::first_bytes`](crate::Inspector::first_bytes).
    pub(crate) first_bytes: OnceLock<ByteSet>,
}

pub(crate) enum NodeKind {
    /// A state of a lexeme's automaton.
    Lexeme(LexemeState),
    /// A counted repetition, and the number of elements that are complete.
    Counter(CalleeId, u32),
    /// A position between the items of a permutation.
    Permutation(PermutationState),
    /// A position inside an item of `distinct!`.
    Distinct(DistinctState),
    /// All positions after an item of `distinct!` that begins at this node, for any text of the item. Such
    /// nodes occur in no set; they exist for walks that go rule by rule.
    AfterAnyText(NetworkNodeId, Phase),
}

/// A state of a lexeme's automaton, which is computed lazily by derivatives.
pub(crate) struct LexemeState {
    pub(crate) language: RegularId,
    /// Successors by class.
    pub(crate) row: LazyRow,
    /// The state and the byte by which this state was reached first, if it was reached by a byte.
    pub(crate) predecessor: Option<(NetworkNodeId, u8)>,
}

/// A position between the items of a permutation, and lazily computed facts about it.
pub(crate) struct PermutationState {
    pub(crate) callee: CalleeId,
    /// Number of the progress in [`PermutationNodes`](crate::permutation::nodes::PermutationNodes).
    pub(crate) progress: u32,
    pub(crate) phase: Phase,
    /// The items that may come next.
    pub(crate) choices: OnceLock<Box<[Choice]>>,
    /// The calls, each with the node that follows.
    pub(crate) calls: OnceLock<Box<[(CalleeId, NetworkNodeId)]>>,
    /// Present if an item of `distinct!` may begin here. Boxed, because most positions have none.
    pub(crate) distinct_start: Option<Box<DistinctStart>>,
}

/// Lazily computed facts about the item of `distinct!` that may begin at a position.
#[derive(Default)]
pub(crate) struct DistinctStart {
    /// First state of the item. `None` if it may not come, or if no text is left.
    pub(crate) item: OnceLock<Option<DistinctItem>>,
    /// Successors by class.
    pub(crate) row: LazyRow,
    /// The [`NodeKind::AfterAnyText`] nodes: before an item, and after one.
    pub(crate) after_any_text: [OnceLock<NetworkNodeId>; 2],
}

impl PermutationState {
    pub(crate) fn new(callee: CalleeId, progress: u32, phase: Phase, may_begin_distinct: bool) -> Self {
        Self {
            callee,
            progress,
            phase,
            choices: OnceLock::new(),
            calls: OnceLock::new(),
            distinct_start: may_begin_distinct.then(Box::default),
        }
    }
}

/// Position between the items of a permutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// An item follows.
    BeforeItem,
    /// The permutation ends, or a separator follows; without separators, an item follows.
    AfterItem,
}

/// The nodes that are not in the network. Their ids follow those of the network's nodes.
pub(crate) struct DynamicNodes {
    nodes: Arena<DynamicNode>,
    first: u32,
}

impl DynamicNodes {
    pub(crate) fn new(network: &Network) -> Self {
        Self { nodes: Arena::new(), first: narrow(network.nodes.len()) }
    }

    /// Returns the node with this id, which must not be a node of the network.
    pub(crate) fn get(&self, node: NetworkNodeId) -> &DynamicNode {
        self.nodes.get(node.0 - self.first)
    }

    /// Returns the kinds of all nodes, in the order of their ids.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = &NodeKind> {
        self.nodes.iter().map(|(_, node)| &node.kind)
    }

    /// Returns the id that the next node will get.
    pub(crate) fn next_id(&self) -> NetworkNodeId {
        NetworkNodeId(self.first + narrow(self.nodes.len()))
    }

    /// Adds a node, with its FIRST set if that is known.
    pub(crate) fn push(
        &self,
        flags: NodeFlags,
        kind: NodeKind,
        first_bytes: Option<ByteSet>,
    ) -> NetworkNodeId {
        let NodeFlags { is_final, goes_on } = flags;
        let first_bytes = first_bytes.map_or_else(OnceLock::new, OnceLock::from);
        let node = DynamicNode { is_final, goes_on, kind, first_bytes };
        NetworkNodeId(self.first + self.nodes.push(node))
    }
}

/// Returns a count that is equivalent to `count` for continuations of at most `bytes` bytes. Each element
/// takes at least one byte, so all counts that are farther than `bytes` from both bounds share one
/// representative.
pub(crate) fn saturate_count(callee: &Callee, count: u32, bytes: u32) -> u32 {
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
    fn saturated_count_reaches_the_same_bounds_within_the_bytes() {
        for (min, max) in [(1, 2), (3, 50), (20, 20), (1, 100), (30, 31), (40, 90)] {
            let counter = Callee::Counter { element: CalleeId(0), min, max };
            for bytes in [0, 1, 5, 10] {
                let mut representatives = std::collections::BTreeSet::new();
                for count in 0..max {
                    let other = saturate_count(&counter, count, bytes);
                    assert!(other < max && saturate_count(&counter, other, bytes) == other);
                    for more in 0..=bytes {
                        assert_eq!(count + more >= min, other + more >= min, "{min} {max} {count} {bytes}");
                        assert_eq!(count + more <= max, other + more <= max, "{min} {max} {count} {bytes}");
                    }
                    representatives.insert(other);
                }
                assert!(
                    representatives.len() <= 2 * bytes as usize + 3,
                    "{min} {max} {bytes}: {representatives:?}"
                );
            }
        }
    }
}
