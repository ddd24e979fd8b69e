//! The children of branches, each with what a walk asks of it.

use std::ops::Range;

use crate::{BranchId, NodeId, Trie};

/// A child of a branch, with what a walk asks of it: side by side, as a walk comes to places all over the trie, and what it asks elsewhere it has to
/// wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// The node.
    pub node: NodeId,
    /// Its number among the branches; none for a leaf.
    branch: u32,
    /// The tokens that end here begin at this place of the trie's list, and end before that one.
    first_token: u32,
    end_token: u32,
    /// The byte that leads to it.
    pub byte: u8,
}

/// The branch of a node that is none.
const LEAF: u32 = u32::MAX;

impl Child {
    /// The child as a branch; none for one without children.
    #[inline]
    pub const fn branch(&self) -> Option<BranchId> {
        if self.branch == LEAF { None } else { Some(BranchId(self.branch)) }
    }

    /// The tokens that end here, as places in [`Trie::tokens_slice`].
    #[inline]
    pub const fn tokens(&self) -> Range<u32> {
        self.first_token..self.end_token
    }
}

/// The children of every branch, those of each ascending by byte, one branch behind the other.
#[derive(Clone, Debug)]
pub(super) struct Children {
    /// Where those of each branch begin, and one place more.
    starts: Box<[u32]>,
    all: Box<[Child]>,
}

impl Children {
    /// Those of the branches of a trie, where so many of them stand before each node.
    pub(super) fn new(trie: &Trie, branches: &[NodeId], before: &[u32]) -> Self {
        let (bytes, token_starts) = (trie.bytes_slice(), trie.token_starts_slice());
        let mut starts = Vec::with_capacity(branches.len() + 1);
        let mut all = Vec::with_capacity(trie.len());
        for &branch in branches {
            starts.push(all.len() as u32);
            all.extend(trie.children(branch).map(|node| {
                let n = node.index();
                Child {
                    node,
                    branch: if before[n] < before[n + 1] { before[n] } else { LEAF },
                    first_token: token_starts[n],
                    end_token: token_starts[n + 1],
                    byte: bytes[n],
                }
            }));
        }
        starts.push(all.len() as u32);
        Self { starts: starts.into(), all: all.into() }
    }

    #[inline]
    pub(super) fn of(&self, branch: BranchId) -> &[Child] {
        &self.all[self.starts[branch.index()] as usize..self.starts[branch.index() + 1] as usize]
    }

    pub(super) fn bytes_used(&self) -> usize {
        size_of_val(&*self.starts) + size_of_val(&*self.all)
    }
}
