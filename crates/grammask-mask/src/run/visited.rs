//! What has been run in an activation, and what it uses, so that nothing is run or noted twice.

use grammask_earley::NodeId;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::continuation::{ContinuationId, Continuations};
use crate::parts::PartKey;

/// Up to so many are looked through; more are looked up. There are thousands where that many items may come.
const FEW: usize = 16;

/// Parts that are used, in the order in which they came.
#[derive(Default)]
pub(super) struct Uses {
    list: SmallVec<[PartKey; 4]>,
    many: Option<Box<FxHashSet<PartKey>>>,
}

impl Uses {
    /// Notes a part, once.
    pub(super) fn insert(&mut self, key: PartKey) {
        let is_new = match &mut self.many {
            Some(many) => many.insert(key),
            None => !self.list.contains(&key),
        };
        if is_new {
            self.list.push(key);
            if self.list.len() == FEW {
                self.many = Some(Box::new(self.list.iter().copied().collect()));
            }
        }
    }

    pub(super) fn as_slice(&self) -> &[PartKey] {
        &self.list
    }
}

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
