//! What has been run in an activation, so that nothing is run twice.

use grammask_earley::NodeId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::continuation::{ContinuationId, Continuations};

/// Up to so many visits are looked through; of more, those of a node are looked up. There are thousands where that many items may come.
const FEW: usize = 16;

/// Nodes, below which places they have been run, and whether with what they scan.
#[derive(Default)]
pub(super) struct Visited {
    few: SmallVec<[(NodeId, ContinuationId, bool); 4]>,
    many: Option<Box<FxHashMap<NodeId, Places>>>,
}

/// The places below which a node has been run.
type Places = SmallVec<[(ContinuationId, bool); 1]>;

impl Visited {
    /// Notes a visit; whether there is anything to do in it, as no other one of the node covers it.
    pub(super) fn insert(
        &mut self,
        continuations: &Continuations,
        node: NodeId,
        continuation: ContinuationId,
        scans: bool,
    ) -> bool {
        let covers = |larger, all: bool| all >= scans && continuations.contains(larger, continuation);
        let Some(many) = &mut self.many else {
            if self.few.iter().any(|&(other, larger, all)| other == node && covers(larger, all)) {
                return false;
            }
            self.few.push((node, continuation, scans));
            if self.few.len() > FEW {
                let many = self.many.insert(Box::default());
                for (node, continuation, scans) in self.few.drain(..) {
                    many.entry(node).or_default().push((continuation, scans));
                }
            }
            return true;
        };
        let places = many.entry(node).or_default();
        if places.iter().any(|&(larger, all)| covers(larger, all)) {
            return false;
        }
        places.push((continuation, scans));
        true
    }
}
