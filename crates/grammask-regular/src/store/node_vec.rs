//! The vector of expressions. It grows in large steps, because a growing vector moves every expression.
//!
//! A loop with a counter interns a new expression per input byte, so a move would show up as a latency spike.

use std::ops::{Deref, DerefMut};

use crate::store::node::Node;

/// Number of expressions from which a full vector reserves space for many more at once.
const MIN_NODES_TO_RESERVE: usize = 512;
const RESERVE_FACTOR: usize = 64;
const MAX_RESERVED_NODES: usize = 1 << 18;

/// Number of expressions from which a clone is made with spare space: moving them takes a millisecond.
const MIN_NODES_FOR_SPARE_CLONE: usize = 1 << 14;

/// A vector whose clones have spare space if it is large.
#[derive(Default)]
pub(crate) struct NodeVec(Vec<Node>);

impl NodeVec {
    /// Returns the number of further expressions to reserve space for before the next push. Returns `None` if
    /// there is room.
    pub(crate) fn wanted_space(&self) -> Option<usize> {
        (self.0.len() == self.0.capacity()).then(|| space(self.0.len())).filter(|&space| space > 0)
    }
}

fn space(len: usize) -> usize {
    if len < MIN_NODES_TO_RESERVE { 0 } else { (len * RESERVE_FACTOR).min(MAX_RESERVED_NODES) }
}

impl Clone for NodeVec {
    fn clone(&self) -> Self {
        let mut nodes = Vec::new();
        let more = if self.0.len() < MIN_NODES_FOR_SPARE_CLONE { 0 } else { space(self.0.len()) };
        // Best effort: on failure, the clone is moved when it grows.
        if nodes.try_reserve_exact(self.0.len() + more).is_err() {
            return Self(self.0.clone());
        }
        nodes.extend_from_slice(&self.0);
        Self(nodes)
    }
}

impl Deref for NodeVec {
    type Target = Vec<Node>;

    fn deref(&self) -> &Vec<Node> {
        &self.0
    }
}

impl DerefMut for NodeVec {
    fn deref_mut(&mut self) -> &mut Vec<Node> {
        &mut self.0
    }
}
