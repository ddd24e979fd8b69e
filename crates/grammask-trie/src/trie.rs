//! The token trie: all tokens of a vocabulary as one flat array of nodes in depth-first order, made once and only read
//! afterwards. A walk is a loop over an index; leaving a subtree out is one assignment.

use std::fmt;

use crate::display::Escaped;
use crate::error::Broken;
use crate::{Config, Error, TokenId};

mod build;

/// A node of a [`Trie`]: a number below [`Trie::len`]. Prints as `node3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The node of the empty string.
    pub const ROOT: Self = Self(0);

    /// The id as an index into the slices of a [`Trie`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node{}", self.0)
    }
}

/// The trie of a vocabulary's tokens.
///
/// # The problem
///
/// A mask asks of 128,000 tokens or more whether a recognizer can read them. Tokens share prefixes, so the recognizer should
/// read each prefix once: the 128,000 tokens of Llama 3 have 831,311 bytes, but their trie has 274,521 nodes. And as soon as
/// a prefix is refused, everything that begins with it must be left behind at no cost.
///
/// # The design
///
/// A tree of boxes would chase a pointer for each of these nodes. Here the nodes are numbered depth first, children by
/// ascending byte, and all that is known of node `n` stands at place `n` of a few arrays:
///
/// - the children of `n` are `n + 1`, and from each child `c` the next one is `end(c)`, as long as that is below `end(n)`;
/// - the subtree of `n` is the range `n..end(n)`, so that leaving it out is `n = end(n)`;
/// - the tokens are listed in the same order: those that end at `n` first, then those below. So the tokens of a
///   subtree are one slice, and taking a whole subtree into a mask needs no walk;
/// - `depth(n)` tells a walk which of its saved states belongs to the parent of `n`.
///
/// A walk, with one saved state per depth:
///
/// ```
/// # use grammask_trie::{Config, TokenId, Trie};
/// let tokens: [(TokenId, &[u8]); 4] =
///     [(TokenId(0), b"a"), (TokenId(1), b"ab"), (TokenId(2), b"abc"), (TokenId(3), b"b")];
/// let trie = Trie::new(&tokens, &Config::default())?;
/// // Which tokens are sorted by byte, strictly? The state is the last byte read.
/// let mut states = vec![0u8; trie.max_depth() + 1];
/// let mut allowed = Vec::new();
/// let (bytes, ends, depths) = (trie.bytes_slice(), trie.ends_slice(), trie.depths_slice());
/// let mut n = 1;
/// while n < trie.len() {
///     let depth = depths[n] as usize;
///     if bytes[n] > states[depth - 1] {
///         states[depth] = bytes[n];
///         allowed.extend_from_slice(trie.tokens(grammask_trie::NodeId(n as u32)));
///         n += 1;
///     } else {
///         n = ends[n] as usize;
///     }
/// }
/// assert_eq!(allowed, [TokenId(0), TokenId(1), TokenId(2), TokenId(3)]);
/// # Ok::<(), grammask_trie::Error>(())
/// ```
///
/// Empty tokens end at the root: a walk begins at the root's first child, so it never allows them.
///
/// # Cost
///
/// 11 bytes a node and 4 bytes a token. Every accessor that takes a [`NodeId`] takes constant time unless it says
/// otherwise, and panics if the node is not below [`Trie::len`].
///
/// # Invariants
///
/// Tested by [`Trie::check`]:
///
/// 1. there is a root, and all arrays are as long as the number of nodes asks for;
/// 2. subtrees nest: a node's subtree holds the node and lies within its parent's;
/// 3. the root has depth 0, every other node one more than the node whose child it is;
/// 4. siblings stand by strictly ascending byte;
/// 5. token ranges ascend and cover the token list, and the ids at one node ascend;
/// 6. a node without tokens has children, except for the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trie {
    bytes: Box<[u8]>,
    ends: Box<[u32]>,
    depths: Box<[u16]>,
    token_starts: Box<[u32]>,
    tokens: Box<[TokenId]>,
}

impl Trie {
    /// Makes the trie of some tokens, in any order; several ids with the same bytes are fine, and so are empty tokens.
    ///
    /// # Errors
    ///
    /// [`Error::TokenTooLong`] and [`Error::TooManyBytes`], by the limits of `config`.
    ///
    /// # Complexity
    ///
    /// O(t log t + b) for t tokens of b bytes.
    pub fn new(tokens: &[(TokenId, &[u8])], config: &Config) -> Result<Self, Error> {
        build::trie(tokens, config)
    }

    /// The number of nodes, the root included: at least one.
    #[expect(clippy::len_without_is_empty, reason = "there is always a root")]
    #[inline]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The byte on the edge into `node`; 0 for the root, which has none.
    #[inline]
    pub fn byte(&self, node: NodeId) -> u8 {
        self.bytes[node.index()]
    }

    /// The end of the node's subtree: the first node after all that lies below, hence the next sibling if there is one.
    #[inline]
    pub fn end(&self, node: NodeId) -> NodeId {
        NodeId(self.ends[node.index()])
    }

    /// The number of bytes on the path from the root.
    #[inline]
    pub fn depth(&self, node: NodeId) -> usize {
        usize::from(self.depths[node.index()])
    }

    /// The longest path, in bytes: the length of the longest token. O(nodes).
    pub fn max_depth(&self) -> usize {
        usize::from(self.depths.iter().copied().max().unwrap_or(0))
    }

    /// The tokens that end exactly here, by ascending id.
    #[inline]
    pub fn tokens(&self, node: NodeId) -> &[TokenId] {
        let n = node.index();
        &self.tokens[self.token_starts[n] as usize..self.token_starts[n + 1] as usize]
    }

    /// The tokens that begin with this node's path and are longer.
    #[inline]
    pub fn tokens_below(&self, node: NodeId) -> &[TokenId] {
        let n = node.index();
        &self.tokens[self.token_starts[n + 1] as usize..self.token_starts[self.ends[n] as usize] as usize]
    }

    /// The tokens that begin with this node's path.
    #[inline]
    pub fn subtree_tokens(&self, node: NodeId) -> &[TokenId] {
        let n = node.index();
        &self.tokens[self.token_starts[n] as usize..self.token_starts[self.ends[n] as usize] as usize]
    }

    /// Whether some token goes on from here.
    #[inline]
    pub fn has_children(&self, node: NodeId) -> bool {
        self.ends[node.index()] > node.0 + 1
    }

    /// The children, by ascending byte.
    #[inline]
    pub fn children(&self, node: NodeId) -> Children<'_> {
        Children { ends: &self.ends, next: node.0 + 1, end: self.ends[node.index()] }
    }

    /// The child that `byte` leads to. O(children).
    pub fn child(&self, node: NodeId, byte: u8) -> Option<NodeId> {
        self.children(node).find(|&child| self.byte(child) >= byte).filter(|&child| self.byte(child) == byte)
    }

    /// The node that `path` leads to from the root. O(the length of the path, times the children on the way).
    pub fn find(&self, path: &[u8]) -> Option<NodeId> {
        path.iter().try_fold(NodeId::ROOT, |node, &byte| self.child(node, byte))
    }

    /// The parent; none for the root. O(the nodes between), which is the smaller part of the parent's subtree.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let depth = self.depths[node.index()].checked_sub(1)?;
        let before = &self.depths[..node.index()];
        before.iter().rposition(|&d| d == depth).map(|n| NodeId(n as u32))
    }

    /// The bytes on the way from the root to `node`. O(the nodes before).
    pub fn path(&self, node: NodeId) -> Vec<u8> {
        let mut depth = self.depth(node);
        let mut path = vec![0; depth];
        let mut n = node.index();
        // Going back through the numbers, the first node of each smaller depth is the next one up.
        while depth > 0 {
            if usize::from(self.depths[n]) == depth {
                depth -= 1;
                path[depth] = self.bytes[n];
            }
            n = n.wrapping_sub(1);
        }
        path
    }

    /// [`Trie::byte`] of every node.
    #[inline]
    pub fn bytes_slice(&self) -> &[u8] {
        &self.bytes
    }

    /// [`Trie::end`] of every node.
    #[inline]
    pub fn ends_slice(&self) -> &[u32] {
        &self.ends
    }

    /// [`Trie::depth`] of every node.
    #[inline]
    pub fn depths_slice(&self) -> &[u16] {
        &self.depths
    }

    /// Where the tokens of each node begin in [`Trie::tokens_slice`], and one more: the number of tokens. The tokens of
    /// node `n` are those from place `n` to place `n + 1`, those of its subtree those from place `n` to place `end(n)`.
    #[inline]
    pub fn token_starts_slice(&self) -> &[u32] {
        &self.token_starts
    }

    /// All tokens, in the order of their nodes: by bytes, then by id.
    #[inline]
    pub fn tokens_slice(&self) -> &[TokenId] {
        &self.tokens
    }

    /// The memory that the trie holds, in bytes.
    pub fn bytes_used(&self) -> usize {
        self.bytes.len()
            + size_of_val(&*self.ends)
            + size_of_val(&*self.depths)
            + size_of_val(&*self.token_starts)
            + size_of_val(&*self.tokens)
    }

    /// Tests the invariants listed at [`Trie`]. O(nodes + tokens).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold, with the node.
    pub fn check(&self) -> Result<(), Broken> {
        let nodes = self.len();
        let lengths = [self.ends.len(), self.depths.len(), self.token_starts.len().wrapping_sub(1)];
        Broken::unless(nodes > 0 && lengths == [nodes; 3], "arrays have one place a node", || {
            format!("{nodes} nodes, {lengths:?}")
        })?;
        let covers = self.token_starts.is_sorted()
            && self.token_starts[0] == 0
            && self.token_starts[nodes] as usize == self.tokens.len();
        Broken::unless(covers, "token ranges cover the token list", || format!("{nodes} nodes"))?;
        // The nodes whose subtrees are open, each with the byte of its last child.
        let mut open: Vec<(usize, Option<u8>)> = Vec::new();
        for n in 0..nodes {
            let at = || NodeId(n as u32).to_string();
            while open.last().is_some_and(|&(parent, _)| self.ends[parent] as usize <= n) {
                open.pop();
            }
            let limit = open.last().map_or(nodes, |&(parent, _)| self.ends[parent] as usize);
            let end = self.ends[n] as usize;
            Broken::unless(n < end && end <= limit, "subtrees nest", at)?;
            Broken::unless((n == 0) == open.is_empty(), "all nodes are below the root", at)?;
            Broken::unless(usize::from(self.depths[n]) == open.len(), "depth counts the nodes above", at)?;
            if let Some((_, last)) = open.last_mut() {
                Broken::unless(last.is_none_or(|byte| byte < self.bytes[n]), "siblings ascend", at)?;
                *last = Some(self.bytes[n]);
            }
            let here = self.tokens(NodeId(n as u32));
            Broken::unless(here.is_sorted_by(|a, b| a < b), "ids at a node ascend", at)?;
            let serves = n == 0 || !here.is_empty() || end > n + 1;
            Broken::unless(serves, "a leaf has tokens", at)?;
            open.push((n, None));
        }
        Ok(())
    }
}

/// One line of numbers; `{:#}` adds all nodes, one on a line, indented by depth.
impl fmt::Display for Trie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes, {} tokens, depth {}", self.len(), self.tokens.len(), self.max_depth())?;
        if f.alternate() {
            for n in 0..self.len() {
                let node = NodeId(n as u32);
                write!(f, "\n{:indent$}{node}", "", indent = 2 * self.depth(node))?;
                if n > 0 {
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

/// The children of a node, by ascending byte: see [`Trie::children`].
#[derive(Clone, Debug)]
pub struct Children<'a> {
    ends: &'a [u32],
    next: u32,
    end: u32,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    #[inline]
    fn next(&mut self) -> Option<NodeId> {
        if self.next >= self.end {
            return None;
        }
        let child = NodeId(self.next);
        self.next = self.ends[child.index()];
        Some(child)
    }
}

impl std::iter::FusedIterator for Children<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    type Break = fn(&mut Trie);

    #[test]
    fn each_broken_invariant_is_found() {
        let tokens: [(TokenId, &[u8]); 5] = [
            (TokenId(0), b"ab"),
            (TokenId(1), b"ab"),
            (TokenId(2), b"ac"),
            (TokenId(3), b"b"),
            (TokenId(4), b""),
        ];
        let sound = Trie::new(&tokens, &Config::default()).unwrap();
        sound.check().unwrap();
        let breaks: [(&str, Break); 9] = [
            ("arrays have one place a node", |trie| trie.depths = [0].into()),
            ("arrays have one place a node", |trie| trie.bytes = [].into()),
            ("token ranges cover the token list", |trie| trie.token_starts[1] = 9),
            ("subtrees nest", |trie| trie.ends[2] = 9),
            ("all nodes are below the root", |trie| trie.ends[0] = 4),
            ("depth counts the nodes above", |trie| trie.depths[2] = 1),
            ("siblings ascend", |trie| trie.bytes[3] = b'b'),
            ("ids at a node ascend", |trie| trie.tokens.reverse()),
            ("a leaf has tokens", |trie| trie.token_starts[4] = 5),
        ];
        for (invariant, break_it) in breaks {
            let mut broken = sound.clone();
            break_it(&mut broken);
            assert_eq!(broken.check().unwrap_err().invariant, invariant);
        }
    }
}
