//! The token trie: all tokens of a vocabulary as one flat array of nodes in depth-first order, immutable
//! after construction. A walk is a loop over an index, and skipping a subtree is one assignment.

use std::fmt;
use std::ops::Range;

use crate::display::Escaped;
use crate::error::Violation;
use crate::{Config, Error, TokenId};

mod build;
mod columns;
mod depths;
mod token_starts;

pub(crate) use build::Builder;
pub use columns::Columns;
use depths::Depths;
use token_starts::TokenStarts;

/// A node of a [`Trie`]: a number below [`Trie::len`]. Displays as `node3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct TrieNodeId(pub u32);

impl TrieNodeId {
    /// The node of the empty string.
    pub const ROOT: Self = Self(0);

    /// Returns the id as an index into [`Columns`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for TrieNodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node{}", self.0)
    }
}

/// The trie of the tokens of a vocabulary.
///
/// # Problem
///
/// For each mask, a recognizer is asked which of 128,000 tokens or more it can read. Tokens share prefixes,
/// and each prefix should be read once: the 128,000 tokens of Llama 3 have 831,311 bytes, but their trie has
/// 274,521 nodes. After a prefix is refused, all tokens that begin with it must be skipped at no cost.
///
/// # Design
///
/// A tree of boxes would chase one pointer per node. Here the nodes are numbered depth first, children by
/// ascending byte, and the data of node `n` is stored at index `n` of a few arrays:
///
/// - the first child of `n` is `n + 1`, and the sibling after child `c` is `end(c)` if that is below
///   `end(n)`;
/// - the subtree of `n` is the range `n..end(n)`, and skipping it is `n = end(n)`;
/// - the tokens are listed in the order of their nodes: the tokens that end at `n`, then those that end
///   below. So the tokens of a subtree are one slice, and adding a whole subtree to a mask needs no walk;
/// - `depth(n)` says which of its saved states a walk continues from.
///
/// [`Columns`] shows such a walk.
///
/// ```
/// # use grammask_trie::{Config, TokenId, Trie};
/// let tokens: [(TokenId, &[u8]); 3] = [(TokenId(0), b"a"), (TokenId(1), b"ab"), (TokenId(2), b"b")];
/// let trie = Trie::new(&tokens, &Config::default())?;
/// let a = trie.find(b"a").expect("a token begins with `a`");
/// assert_eq!(trie.tokens(a), [TokenId(0)]);
/// assert_eq!(trie.subtree_tokens(a), [TokenId(0), TokenId(1)]);
/// # Ok::<(), grammask_trie::Error>(())
/// ```
///
/// Empty tokens end at the root. A walk begins at the first child of the root, so it never allows them.
///
/// # Cost
///
/// 6.25 bytes a node, 4 bytes a token, and 4 more for each further id with the same bytes. Nodes deeper than
/// 254 take 8 bytes more. An accessor that takes a [`TrieNodeId`] takes constant time unless
/// its documentation says otherwise, and panics if the node is not below [`Trie::len`].
///
/// # Invariants
///
/// Tested by [`Trie::check`]:
///
/// 1. there is a root, and all arrays have one entry per node;
/// 2. subtrees nest: the subtree of a node contains the node and lies within the subtree of its parent;
/// 3. the root has depth 0, and each other node has the depth of its parent plus one;
/// 4. siblings have strictly ascending bytes;
/// 5. token ranges ascend and cover the token list, and the ids at one node ascend;
/// 6. a node without tokens has children, except for the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trie {
    bytes: Box<[u8]>,
    ends: Box<[u32]>,
    depths: Depths,
    token_starts: TokenStarts,
    tokens: Box<[TokenId]>,
}

impl Trie {
    /// Builds the trie of some tokens, in any order. Several ids may have the same bytes, and tokens may be
    /// empty.
    ///
    /// # Errors
    ///
    /// [`Error::LimitExceeded`] if a token is longer than `max_token_bytes`, or all tokens together are
    /// longer than `max_bytes`.
    ///
    /// # Complexity
    ///
    /// O(t log t + b) for t tokens of b bytes.
    pub fn new(tokens: &[(TokenId, &[u8])], config: &Config) -> Result<Self, Error> {
        build::trie(tokens, config)
    }

    /// Returns the number of nodes, including the root: at least 1.
    #[expect(clippy::len_without_is_empty, reason = "there is always a root")]
    #[inline]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the nodes by ascending number.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = TrieNodeId> {
        (0..).map(TrieNodeId).take(self.len())
    }

    /// Returns the byte on the edge into `node`. Returns 0 for the root, which has no such edge.
    #[inline]
    pub fn byte(&self, node: TrieNodeId) -> u8 {
        self.bytes[node.index()]
    }

    /// Returns the end of the subtree of `node`, exclusive. If `node` has a next sibling, this is that
    /// sibling.
    #[inline]
    pub fn end(&self, node: TrieNodeId) -> TrieNodeId {
        TrieNodeId(self.ends[node.index()])
    }

    /// Returns the number of bytes on the path from the root.
    #[inline]
    pub fn depth(&self, node: TrieNodeId) -> usize {
        self.depths.get(node.index())
    }

    /// Returns the length of the longest token, in bytes.
    ///
    /// # Complexity
    ///
    /// O(n) for n nodes.
    pub fn max_depth(&self) -> usize {
        self.depths.max()
    }

    /// Returns the tokens whose bytes are the path of `node`, by ascending id.
    #[inline]
    pub fn tokens(&self, node: TrieNodeId) -> &[TokenId] {
        let Range { start, end } = self.token_starts.range(node.index());
        &self.tokens[start as usize..end as usize]
    }

    /// Returns the tokens that begin with the path of `node` and are longer.
    #[inline]
    pub fn tokens_below(&self, node: TrieNodeId) -> &[TokenId] {
        let start = self.token_starts.range(node.index()).end;
        &self.tokens[start as usize..self.token_starts.start(self.end(node).index()) as usize]
    }

    /// Returns the tokens that begin with the path of `node`.
    #[inline]
    pub fn subtree_tokens(&self, node: TrieNodeId) -> &[TokenId] {
        let start = self.token_starts.start(node.index());
        &self.tokens[start as usize..self.token_starts.start(self.end(node).index()) as usize]
    }

    /// Returns true if `node` has children, which means that some token is longer than its path and begins
    /// with it.
    #[inline]
    pub fn has_children(&self, node: TrieNodeId) -> bool {
        self.ends[node.index()] > node.0 + 1
    }

    /// Returns the children, by ascending byte.
    #[inline]
    pub fn children(&self, node: TrieNodeId) -> Children<'_> {
        Children { ends: &self.ends, next: node.0 + 1, end: self.ends[node.index()] }
    }

    /// Returns the child at the edge with this byte. Returns `None` if there is no such edge.
    ///
    /// # Complexity
    ///
    /// O(c) for c children.
    pub fn child(&self, node: TrieNodeId, byte: u8) -> Option<TrieNodeId> {
        self.children(node).find(|&child| self.byte(child) >= byte).filter(|&child| self.byte(child) == byte)
    }

    /// Returns the node at the end of `path` from the root. Returns `None` if no token begins with `path`.
    ///
    /// # Complexity
    ///
    /// O(p * c) for a path of p bytes over nodes with c children.
    pub fn find(&self, path: &[u8]) -> Option<TrieNodeId> {
        path.iter().try_fold(TrieNodeId::ROOT, |node, &byte| self.child(node, byte))
    }

    /// Returns the parent. Returns `None` for the root.
    ///
    /// # Complexity
    ///
    /// O(n) for n nodes between the parent and `node`.
    pub fn parent(&self, node: TrieNodeId) -> Option<TrieNodeId> {
        let depth = self.depth(node).checked_sub(1)?;
        (0..node.0).rev().map(TrieNodeId).find(|&other| self.depth(other) == depth)
    }

    /// Returns the bytes on the path from the root to `node`.
    ///
    /// # Complexity
    ///
    /// O(n) for n nodes before `node`.
    pub fn path(&self, node: TrieNodeId) -> Vec<u8> {
        let mut depth = self.depth(node);
        let mut path = vec![0; depth];
        let mut n = node.index();
        // In descending order of numbers, the first node of each smaller depth is the next ancestor.
        while depth > 0 {
            if self.depths.get(n) == depth {
                depth -= 1;
                path[depth] = self.bytes[n];
            }
            n = n.wrapping_sub(1);
        }
        path
    }

    /// Returns the raw arrays, for walks that index them directly.
    #[inline]
    pub fn columns(&self) -> Columns<'_> {
        Columns {
            bytes: &self.bytes,
            ends: &self.ends,
            depths: &self.depths,
            token_starts: &self.token_starts,
            tokens: &self.tokens,
        }
    }

    /// Returns the memory that the trie holds, in bytes.
    pub fn bytes_used(&self) -> usize {
        self.bytes.len()
            + size_of_val(&*self.ends)
            + self.depths.bytes_used()
            + self.token_starts.bytes_used()
            + size_of_val(&*self.tokens)
    }

    /// Tests the invariants listed at [`Trie`].
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold, with its node.
    ///
    /// # Complexity
    ///
    /// O(n + t) for n nodes and t tokens.
    pub fn check(&self) -> Result<(), Violation> {
        let nodes = self.len();
        let lengths = [self.ends.len(), self.depths.len()];
        let is_complete = nodes > 0 && lengths == [nodes; 2];
        Violation::check(is_complete, "each array has one entry per node", || {
            format!("{nodes} nodes, {lengths:?}")
        })?;
        let covers = self.token_starts.is_valid(nodes, self.tokens.len());
        Violation::check(covers, "token ranges cover the token list", || format!("{nodes} nodes"))?;
        // The nodes whose subtrees contain the next node, each with the byte of its last child.
        let mut open: Vec<(usize, Option<u8>)> = Vec::new();
        for node in self.nodes() {
            let n = node.index();
            let at = || node.to_string();
            while open.last().is_some_and(|&(parent, _)| self.ends[parent] as usize <= n) {
                open.pop();
            }
            let limit = open.last().map_or(nodes, |&(parent, _)| self.ends[parent] as usize);
            let end = self.ends[n] as usize;
            Violation::check(n < end && end <= limit, "subtrees nest", at)?;
            Violation::check((n == 0) == open.is_empty(), "all nodes are below the root", at)?;
            let depth = self.depths.get(n);
            Violation::check(depth == open.len(), "depth counts the nodes above", at)?;
            if let Some((_, last)) = open.last_mut() {
                let ascends = last.is_none_or(|byte| byte < self.bytes[n]);
                Violation::check(ascends, "siblings ascend", at)?;
                *last = Some(self.bytes[n]);
            }
            let here = self.tokens(node);
            Violation::check(here.is_sorted_by(|a, b| a < b), "ids at a node ascend", at)?;
            let is_used = n == 0 || !here.is_empty() || end > n + 1;
            Violation::check(is_used, "a leaf has tokens", at)?;
            open.push((n, None));
        }
        Ok(())
    }
}

/// Displays the sizes in one line. `{:#}` adds all nodes, one per line, indented by depth.
impl fmt::Display for Trie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes, {} tokens, depth {}", self.len(), self.tokens.len(), self.max_depth())?;
        if f.alternate() {
            for node in self.nodes() {
                write!(f, "\n{:indent$}{node}", "", indent = 2 * self.depth(node))?;
                if node != TrieNodeId::ROOT {
                    write!(f, " {}", Escaped(&[self.byte(node)]))?;
                }
                for token in self.tokens(node) {
                    write!(f, " {token}")?;
                }
            }
        }
        Ok(())
    }
}

/// Iterator over the children of a node, by ascending byte: see [`Trie::children`].
#[derive(Clone, Debug)]
pub struct Children<'a> {
    ends: &'a [u32],
    next: u32,
    end: u32,
}

impl Iterator for Children<'_> {
    type Item = TrieNodeId;

    #[inline]
    fn next(&mut self) -> Option<TrieNodeId> {
        if self.next >= self.end {
            return None;
        }
        let child = TrieNodeId(self.next);
        self.next = self.ends[child.index()];
        Some(child)
    }
}

impl std::iter::FusedIterator for Children<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    type Corruption = fn(&mut Trie);

    #[test]
    fn each_broken_invariant_is_found() {
        let tokens: [(TokenId, &[u8]); 5] = [
            (TokenId(0), b"ab"),
            (TokenId(1), b"ab"),
            (TokenId(2), b"ac"),
            (TokenId(3), b"b"),
            (TokenId(4), b""),
        ];
        let valid = Trie::new(&tokens, &Config::default()).unwrap();
        valid.check().unwrap();
        let corruptions: [(&str, Corruption); 9] = [
            ("each array has one entry per node", |trie| trie.depths = Depths::default()),
            ("each array has one entry per node", |trie| trie.bytes = [].into()),
            ("token ranges cover the token list", |trie| trie.token_starts.corrupt_count()),
            ("subtrees nest", |trie| trie.ends[2] = 9),
            ("all nodes are below the root", |trie| trie.ends[0] = 4),
            ("depth counts the nodes above", |trie| trie.depths.set(2, 1)),
            ("siblings ascend", |trie| trie.bytes[3] = b'b'),
            ("ids at a node ascend", |trie| trie.tokens.reverse()),
            ("a leaf has tokens", |trie| trie.token_starts.move_token(4, 1)),
        ];
        for (invariant, corrupt) in corruptions {
            let mut broken = valid.clone();
            corrupt(&mut broken);
            assert_eq!(broken.check().unwrap_err().invariant, invariant);
        }
    }
}
