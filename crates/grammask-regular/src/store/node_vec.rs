//! The expressions of a store, one after the other. They are moved to where there is more room as seldom as can be: whoever counts far makes one
//! with each byte, and somebody waits for each.

use std::ops::{Deref, DerefMut};

use crate::store::node::Node;

/// From so many expressions on, a list that is full takes the space for so many times as many at once, but for no more than the last number. Address
/// space it is, no memory, where the system gives pages when they are written.
const GROWING: usize = 512;
const AT_ONCE: usize = 64;
const MOST_AT_ONCE: usize = 1 << 18;

/// A clone of so many has room for more from the beginning: moving them takes a millisecond.
const LARGE: usize = 1 << 14;

/// A vector whose clones have room to grow where it is large.
#[derive(Default)]
pub(crate) struct NodeVec(Vec<Node>);

impl NodeVec {
    /// The space for how many more is to be taken before another one comes.
    pub(crate) fn wanted_space(&self) -> Option<usize> {
        (self.0.len() == self.0.capacity()).then(|| space(self.0.len())).filter(|&space| space > 0)
    }
}

fn space(len: usize) -> usize {
    if len < GROWING { 0 } else { (len * AT_ONCE).min(MOST_AT_ONCE) }
}

impl Clone for NodeVec {
    fn clone(&self) -> Self {
        let mut nodes = Vec::new();
        let more = if self.0.len() < LARGE { 0 } else { space(self.0.len()) };
        // An error is no news: then the clone is moved when it grows.
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
