//! The second interface of this crate: indices over a [`Trie`] for an engine that computes masks.
//!
//! Callers that only build vocabularies and read masks do not need it. An engine walks the trie with many
//! recognizer states, and asks questions about whole subtrees first. [`TrieIndex`] numbers the inner nodes
//! densely, lists the edges by byte, and summarizes the strings below each inner node. [`Columns`] gives
//! access to the raw arrays of the trie.
//!
//! ```
//! use grammask_trie::index::{ClassSignature, InnerId, TextKind, TrieIndex};
//! use grammask_trie::{Config, TokenId, Trie};
//!
//! let tokens: [(TokenId, &[u8]); 2] = [(TokenId(0), b"ab"), (TokenId(1), b"a-b")];
//! let index = TrieIndex::new(&Trie::new(&tokens, &Config::default())?);
//! let letters = 0x07ff_fffe << 96 | 0x07ff_fffe << 64;
//! let (_, within_letters) = ClassSignature::approximate(letters, TextKind::Ascii);
//! // Below the root, some string contains a hyphen: the subtree must be walked.
//! assert!(!index.signature(InnerId::ROOT).is_subset(within_letters));
//! # Ok::<(), grammask_trie::Error>(())
//! ```

use std::ops::Range;

pub use crate::trie::Columns;
use crate::{Trie, TrieNodeId};

mod build;
mod char_groups;
mod children;
mod signature;
mod signature_rows;
mod utf8;
mod whitespace;

pub use children::Child;
use children::Children;
pub use signature::{ClassSignature, TextKind};
use signature_rows::SignatureRows;
pub use utf8::Utf8Decoder;
pub use whitespace::ExcludedChars;

/// An inner node of a trie, which is a node with children: a number below [`TrieIndex::len`], in the order of
/// the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InnerId(pub u32);

impl InnerId {
    /// The root of the trie. It exists if the trie has a non-empty token.
    pub const ROOT: Self = Self(0);

    /// Returns the id as an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An index over the inner nodes of a [`Trie`].
///
/// Inner nodes are numbered in the order of all nodes, depth first. So the inner nodes of a subtree are a
/// range of numbers, and a set of inner nodes is a row of bits. Two thirds of the nodes of a vocabulary are
/// inner nodes, most of them with one child.
///
/// ```
/// use grammask_trie::index::{InnerId, TextKind, TrieIndex};
/// use grammask_trie::{Config, TokenId, Trie};
///
/// let tokens: [(TokenId, &[u8]); 3] = [(TokenId(0), b"a"), (TokenId(1), b"ab"), (TokenId(2), "aé".as_bytes())];
/// let trie = Trie::new(&tokens, &Config::default())?;
/// let index = TrieIndex::new(&trie);
/// // The root, "a", and the first byte of "é" below it.
/// assert_eq!(index.len(), 3);
/// let summary = index.summary(InnerId::ROOT);
/// assert_eq!((summary.ascii, summary.height), (1 << b'a' | 1 << b'b', 3));
/// assert_eq!(summary.kind, TextKind::NoWhitespace);
/// assert_eq!(index.edges(b'b').len(), 1);
/// let a = index.child(InnerId::ROOT, b'a').expect("a token begins with `a`");
/// assert_eq!((Some(a.node), a.inner()), (trie.find(b"a"), Some(InnerId(1))));
/// assert_eq!(index.children(InnerId(1)).iter().map(|child| child.byte).collect::<Vec<_>>(), [b'b', 0xC3]);
/// # Ok::<(), grammask_trie::Error>(())
/// ```
///
/// # Cost
///
/// 32 bytes a node, 57 bytes an inner node and 9 bytes a token.
#[derive(Clone, Debug)]
pub struct TrieIndex {
    nodes: Box<[TrieNodeId]>,
    parents: Box<[InnerId]>,
    /// For each node, and once more at the end: the number of inner nodes before it.
    ranks: Box<[u32]>,
    /// For each byte, and once more at the end: where its edges begin in `edges`.
    edge_starts: Box<[u32; 257]>,
    /// By byte, then by child.
    edges: Box<[Edge]>,
    children: Children,
    summaries: Box<[SubtreeSummary]>,
    signatures: Box<[ClassSignature]>,
    /// One bit per inner node: true if its path ends at a character boundary.
    char_boundaries: Box<[u64]>,
    /// Length in characters of the path to each inner node.
    lengths: Box<[u8]>,
    /// Length in characters of each token, by id.
    token_lengths: Box<[u8]>,
    /// Signatures of all tokens, by id.
    token_signatures: SignatureRows,
    /// Signatures of the paths from the root to all inner nodes.
    path_signatures: SignatureRows,
}

/// An edge of the trie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The node at which the edge begins.
    pub parent: InnerId,
    /// The node at which the edge ends.
    pub child: TrieNodeId,
}

/// Summary of the strings from an inner node down to the nodes below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubtreeSummary {
    /// The ASCII characters that occur in the strings: bit `c` for character `c`.
    pub ascii: u128,
    /// Length of the longest string, in bytes.
    pub height: u16,
    /// The most specific kind that fits all strings. [`TextKind::Bytes`] if the path of the inner node ends
    /// inside a character.
    pub kind: TextKind,
}

impl TrieIndex {
    /// The length in characters of bytes that are no beginning of UTF-8, or that are 255 characters or more.
    pub const NO_LENGTH: u8 = u8::MAX;

    /// Builds the index of a trie.
    ///
    /// # Complexity
    ///
    /// O(n) for n nodes.
    pub fn new(trie: &Trie) -> Self {
        build::index(trie)
    }

    /// Returns the number of inner nodes.
    #[inline]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if there is no inner node, which means that the trie has no non-empty token.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the node of an inner node.
    #[inline]
    pub fn node(&self, inner: InnerId) -> TrieNodeId {
        self.nodes[inner.index()]
    }

    /// Returns the parent of an inner node. The parent of the root is the root.
    #[inline]
    pub fn parent(&self, inner: InnerId) -> InnerId {
        self.parents[inner.index()]
    }

    /// Returns the number of a node among the inner nodes. Returns `None` for a leaf.
    #[inline]
    pub fn inner(&self, node: TrieNodeId) -> Option<InnerId> {
        let (rank, next) = (self.ranks[node.index()], self.ranks[node.index() + 1]);
        (rank < next).then_some(InnerId(rank))
    }

    /// Returns, for each node and once more at the end, the number of inner nodes before it. For an inner
    /// node this is its [`InnerId`].
    #[inline]
    pub fn inner_ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// Returns the half-open range of inner nodes within a half-open range of nodes.
    #[inline]
    pub fn inner_range(&self, nodes: Range<u32>) -> Range<u32> {
        self.ranks[nodes.start as usize]..self.ranks[nodes.end as usize]
    }

    /// Returns all edges with this byte, by ascending child.
    pub fn edges(&self, byte: u8) -> &[Edge] {
        let byte = usize::from(byte);
        &self.edges[self.edge_starts[byte] as usize..self.edge_starts[byte + 1] as usize]
    }

    /// Returns the edges with this byte whose child lies in a half-open range of nodes, by ascending child.
    ///
    /// # Complexity
    ///
    /// O(log e) for e edges with this byte.
    pub fn edges_to(&self, byte: u8, nodes: Range<u32>) -> &[Edge] {
        let edges = self.edges(byte);
        let before = |node: u32| edges.partition_point(|edge| edge.child.0 < node);
        &edges[before(nodes.start)..before(nodes.end)]
    }

    /// Returns the child of an inner node at the edge with this byte. Returns `None` if there is no such
    /// edge.
    ///
    /// # Complexity
    ///
    /// O(log c) for c children.
    #[inline]
    pub fn child(&self, parent: InnerId, byte: u8) -> Option<&Child> {
        let children = self.children(parent);
        let found = children.binary_search_by_key(&byte, |child| child.byte).ok()?;
        Some(&children[found])
    }

    /// Returns the bytes on the path from an inner node to a node below it.
    ///
    /// # Complexity
    /// O(d log c) for d bytes and nodes of c children.
    ///
    /// # Panics
    /// May panic if the node is not below `from`.
    ///
    /// ```
    /// # use grammask_trie::{Trie, TokenId, index::{InnerId, TrieIndex}};
    /// let trie = Trie::new(&[(TokenId(0), &b"ab"[..]), (TokenId(1), b"abc")], &Default::default())?;
    /// let index = TrieIndex::new(&trie);
    /// let node = trie.find(b"abc").expect("a token");
    /// assert_eq!(index.path(InnerId::ROOT, node), b"abc");
    /// # Ok::<(), grammask_trie::Error>(())
    /// ```
    pub fn path(&self, from: InnerId, node: TrieNodeId) -> Vec<u8> {
        let mut path = Vec::new();
        let mut at = from;
        loop {
            let children = self.children(at);
            // Nodes are numbered before those below them, so it is the last child that does not come later.
            let child = &children[children.partition_point(|child| child.node <= node) - 1];
            path.push(child.byte);
            match child.inner() {
                Some(inner) if child.node != node => at = inner,
                _ => return path,
            }
        }
    }

    /// Returns the children of an inner node, by ascending byte.
    #[inline]
    pub fn children(&self, parent: InnerId) -> &[Child] {
        self.children.of(parent)
    }

    /// Returns the summary of the strings below an inner node.
    #[inline]
    pub fn summary(&self, inner: InnerId) -> &SubtreeSummary {
        &self.summaries[inner.index()]
    }

    /// Returns the signature of the strings below an inner node.
    #[inline]
    pub fn signature(&self, inner: InnerId) -> ClassSignature {
        self.signatures[inner.index()]
    }

    /// Returns the length of the longest token, in bytes.
    pub fn height(&self) -> usize {
        self.summaries.first().map_or(0, |summary| usize::from(summary.height))
    }

    /// Returns one bit per inner node, from the lowest bit of the first word on: set if the path to the node
    /// ends at a character boundary. Bits after the last inner node are 0.
    pub fn char_boundaries(&self) -> &[u64] {
        &self.char_boundaries
    }

    /// Returns, for each inner node, the number of characters of its path. An incomplete last one counts. It
    /// is [`NO_LENGTH`](Self::NO_LENGTH) if no number below that is right.
    pub fn lengths(&self) -> &[u8] {
        &self.lengths
    }

    /// Returns, for each id, the number of characters of the token as [`lengths`](Self::lengths) counts them.
    /// It is 0 for an id that is not a token of the trie.
    pub fn token_lengths(&self) -> &[u8] {
        &self.token_lengths
    }

    /// Keeps those of some tokens, one bit per id, whose signature is a subset of `signature`. The result has
    /// as many words as `tokens`. Bits of ids that are not a token of the trie stay as they are.
    ///
    /// # Complexity
    ///
    /// O(w * g) for w words and g groups of characters that `signature` does not contain.
    pub fn filter_tokens(&self, signature: ClassSignature, tokens: &[u64]) -> Vec<u64> {
        self.token_signatures.filter_subsets(signature, tokens)
    }

    /// Keeps those of some inner nodes, one bit each, for which the signature of the path from the root is a
    /// subset of `signature`. The result has as many words as `inner`.
    ///
    /// # Complexity
    ///
    /// As of [`filter_tokens`](Self::filter_tokens).
    pub fn filter_inner(&self, signature: ClassSignature, inner: &[u64]) -> Vec<u64> {
        self.path_signatures.filter_subsets(signature, inner)
    }

    /// Returns the edges at which an excluded character of `kind` ends, each with the inner node before the
    /// character.
    pub fn excluded_edges<'a>(
        &'a self,
        trie: &'a Trie,
        kind: TextKind,
    ) -> impl Iterator<Item = (InnerId, &'a Edge)> {
        kind.excluded_chars().iter().flat_map(move |chars| {
            let edges = chars.last.iter().flat_map(|&byte| self.edges(byte));
            edges.filter_map(move |edge| {
                let start = build::ancestor(trie, &self.nodes, &self.parents, edge.parent, chars.prefix)?;
                Some((start, edge))
            })
        })
    }

    /// Returns the memory that the index holds, in bytes.
    pub fn bytes_used(&self) -> usize {
        size_of_val(&*self.nodes)
            + size_of_val(&*self.parents)
            + size_of_val(&*self.ranks)
            + size_of_val(&*self.edge_starts)
            + size_of_val(&*self.edges)
            + self.children.bytes_used()
            + size_of_val(&*self.summaries)
            + size_of_val(&*self.signatures)
            + size_of_val(&*self.char_boundaries)
            + size_of_val(&*self.lengths)
            + size_of_val(&*self.token_lengths)
            + self.token_signatures.bytes_used()
            + self.path_signatures.bytes_used()
    }
}
