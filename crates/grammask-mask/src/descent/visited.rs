//! The nodes that a GSS node has processed below each set of trie nodes, so that no pair is processed twice.

use grammask_earley::NetworkNodeId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::masks::budget::Fuel;
use crate::node_set::NodeSet;
use crate::node_set::continuation::ContinuationId;
use crate::node_set::semi_naive::{Propagation, SemiNaiveSet};

/// Number of pairs that are scanned linearly; beyond it, the pairs of a node are found by hash.
const MAX_PAIRS_SCANNED: usize = 16;

/// Processed network nodes, each with a set of trie nodes, and true if its scans were followed.
#[derive(Default)]
pub(crate) struct Visited {
    pairs: SmallVec<[(NetworkNodeId, ContinuationId, bool); 4]>,
    indexed: Option<Box<IndexedPairs>>,
}

#[derive(Default)]
struct IndexedPairs {
    each: FxHashMap<NetworkNodeId, SmallVec<[(ContinuationId, bool); 1]>>,
    /// New trie nodes for network nodes that are visited often, with scans or without.
    deltas: Vec<(NetworkNodeId, bool, SemiNaiveSet)>,
}

impl Visited {
    /// Records a visit, and returns how to process it. For `Deferred`, [`rest`](Self::rest) returns the trie
    /// nodes.
    ///
    /// `scans` is true if the visit also follows the node's scans. A visit with scans covers one without.
    pub(crate) fn insert(
        &mut self,
        fuel: &Fuel<'_>,
        node: NetworkNodeId,
        continuation: ContinuationId,
        scans: bool,
    ) -> Propagation {
        let lexicon = fuel.lexicon();
        let node_set = lexicon.continuation(continuation).set();
        if let Some(delta) = self.delta(node, scans) {
            return delta.add(fuel, node_set);
        }
        let continuations = lexicon.continuations();
        let of_node = |&&(other, _, scanned): &&(NetworkNodeId, ContinuationId, bool)| {
            other == node && scanned >= scans
        };
        let pairs = self.pairs.iter().filter(of_node).map(|&(_, node_set, _)| node_set);
        let indexed = self.indexed.as_ref().and_then(|indexed| indexed.each.get(&node));
        let indexed = indexed
            .into_iter()
            .flatten()
            .filter(|&&(_, scanned)| scanned >= scans)
            .map(|&(node_set, _)| node_set);
        let before = pairs.chain(indexed);
        if before.clone().any(|larger| continuations.contains(larger, continuation)) {
            return Propagation::Nothing;
        }
        if let Some(mut delta) = SemiNaiveSet::if_due(lexicon, before, continuation) {
            let propagation = delta.add(fuel, node_set);
            self.indexed.get_or_insert_default().deltas.push((node, scans, delta));
            return propagation;
        }
        self.pairs.push((node, continuation, scans));
        if self.pairs.len() > MAX_PAIRS_SCANNED {
            let indexed = self.indexed.get_or_insert_default();
            for (node, continuation, scans) in self.pairs.drain(..) {
                indexed.each.entry(node).or_default().push((continuation, scans));
            }
        }
        Propagation::Now
    }

    /// Returns the new trie nodes of a network node that is visited often. Returns `None` for other nodes.
    fn delta(&mut self, node: NetworkNodeId, scans: bool) -> Option<&mut SemiNaiveSet> {
        let mut deltas = self.indexed.as_mut()?.deltas.iter_mut();
        let (_, _, delta) = deltas.find(|(other, scanned, _)| (*other, *scanned) == (node, scans))?;
        Some(delta)
    }

    /// Returns the trie nodes at which a network node is still to be processed. Returns `None` if there are
    /// none.
    pub(crate) fn rest(
        &mut self,
        node: NetworkNodeId,
        scans: bool,
        max_listed_nodes: usize,
    ) -> Option<NodeSet> {
        self.delta(node, scans)?.take(max_listed_nodes)
    }
}
