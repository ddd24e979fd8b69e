//! The children of inner nodes, each with all data that a walk reads.

use std::ops::Range;

use super::InnerId;
use crate::TrieNodeId;

/// A child of an inner node, with all data that a walk reads of it. Walks visit nodes all over the trie, and
/// each further array would cost one more cache miss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// The node.
    pub node: TrieNodeId,
    /// Its number among the inner nodes, or [`LEAF`].
    inner: u32,
    /// Half-open range of the tokens that end here, as indices into the token column of the trie.
    first_token: u32,
    end_token: u32,
    /// Byte on the edge into this node.
    pub byte: u8,
}

/// Value of `inner` for a leaf.
const LEAF: u32 = u32::MAX;

impl Child {
    pub(super) const fn new(node: TrieNodeId, inner: Option<InnerId>, tokens: Range<u32>, byte: u8) -> Self {
        let inner = match inner {
            Some(inner) => inner.0,
            None => LEAF,
        };
        Self { node, inner, first_token: tokens.start, end_token: tokens.end, byte }
    }

    /// Returns the number of this node among the inner nodes. Returns `None` for a leaf.
    #[inline]
    pub const fn inner(&self) -> Option<InnerId> {
        if self.inner == LEAF { None } else { Some(InnerId(self.inner)) }
    }

    /// Returns the tokens that end here, as a range of indices into
    /// [`Columns::tokens`](super::Columns::tokens).
    #[inline]
    pub const fn tokens(&self) -> Range<u32> {
        self.first_token..self.end_token
    }
}

/// The children of all inner nodes in one list: by parent, then by byte.
#[derive(Clone, Debug)]
pub(super) struct Children {
    /// For each inner node, and once more at the end: where its children begin in `all`.
    starts: Box<[u32]>,
    all: Box<[Child]>,
}

impl Children {
    /// `starts` has, for each inner node and once more at the end, where its children begin in `all`.
    pub(super) fn new(starts: Vec<u32>, all: Vec<Child>) -> Self {
        Self { starts: starts.into(), all: all.into() }
    }

    #[inline]
    pub(super) fn of(&self, parent: InnerId) -> &[Child] {
        &self.all[self.starts[parent.index()] as usize..self.starts[parent.index() + 1] as usize]
    }

    pub(super) fn bytes_used(&self) -> usize {
        size_of_val(&*self.starts) + size_of_val(&*self.all)
    }
}
