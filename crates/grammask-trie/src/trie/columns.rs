//! The raw arrays of a trie, for walks that index them directly.

use std::ops::Range;

use super::{Depths, TokenStarts};
use crate::TokenId;

/// The arrays of a [`Trie`](crate::Trie), indexed by node number, for loops that visit many nodes.
///
/// A walk with one saved state per depth:
///
/// ```
/// # use grammask_trie::{Config, TokenId, Trie, TrieNodeId};
/// let tokens: [(TokenId, &[u8]); 4] =
///     [(TokenId(0), b"a"), (TokenId(1), b"ab"), (TokenId(2), b"abc"), (TokenId(3), b"b")];
/// let trie = Trie::new(&tokens, &Config::default())?;
/// // Which tokens have strictly ascending bytes? The state is the last byte read.
/// let mut states = vec![0u8; trie.max_depth() + 1];
/// let mut allowed = Vec::new();
/// let columns = trie.columns();
/// let mut n = 1;
/// while n < trie.len() {
///     let depth = columns.depth(n);
///     if columns.bytes[n] > states[depth - 1] {
///         states[depth] = columns.bytes[n];
///         allowed.extend_from_slice(trie.tokens(TrieNodeId(n as u32)));
///         n += 1;
///     } else {
///         n = columns.ends[n] as usize;
///     }
/// }
/// assert_eq!(allowed, [TokenId(0), TokenId(1), TokenId(2), TokenId(3)]);
/// # Ok::<(), grammask_trie::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// [`Trie::byte`](crate::Trie::byte) of each node.
    pub bytes: &'a [u8],
    /// [`Trie::end`](crate::Trie::end) of each node.
    pub ends: &'a [u32],
    /// All tokens in the order of their nodes: by bytes, then by id.
    pub tokens: &'a [TokenId],
    pub(super) depths: &'a Depths,
    pub(super) token_starts: &'a TokenStarts,
}

impl Columns<'_> {
    /// Returns [`Trie::depth`](crate::Trie::depth) of a node. Takes constant time for depths below 255.
    #[inline]
    pub fn depth(&self, node: usize) -> usize {
        self.depths.get(node)
    }

    /// Returns where the tokens of a node begin in [`tokens`](Self::tokens). For the number of nodes, it
    /// returns the number of tokens. The tokens of the subtree of node `n` have the indices
    /// `token_start(n)..token_start(ends[n])`.
    #[inline]
    pub fn token_start(&self, node: usize) -> u32 {
        self.token_starts.start(node)
    }

    /// Returns the number of tokens that end at a node. A walk that visits all nodes in order adds them up
    /// faster than it looks up each [`token_start`](Self::token_start).
    #[inline]
    pub fn token_count(&self, node: usize) -> u32 {
        self.token_starts.count(node)
    }

    /// Returns the indices in [`tokens`](Self::tokens) of the tokens that end at a node.
    #[inline]
    pub fn token_range(&self, node: usize) -> Range<u32> {
        self.token_starts.range(node)
    }
}
