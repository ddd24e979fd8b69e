//! The raw arrays of a trie, for walks that index them directly.

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
///     let depth = columns.depths[n] as usize;
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
    /// [`Trie::depth`](crate::Trie::depth) of each node.
    pub depths: &'a [u16],
    /// For each node, and once more at the end: where its tokens begin in `tokens`. The tokens that end at
    /// node `n` have the indices `token_starts[n]..token_starts[n + 1]`. Those of its subtree have
    /// `token_starts[n]..token_starts[ends[n]]`.
    pub token_starts: &'a [u32],
    /// All tokens in the order of their nodes: by bytes, then by id.
    pub tokens: &'a [TokenId],
}
