//! The outline of a trie: its inner nodes, numbered densely, its edges by byte, and what the strings below each inner node and
//! those that lead to it are made of. With it a walk can take or leave whole subtrees, and a set of places in the trie is a row of bits.

use std::ops::Range;

use crate::{NodeId, Trie};

mod char_groups;
mod children;
mod signature_rows;
mod utf8;
mod whitespace;

pub use children::Child;
use children::Children;
use signature_rows::Planes;
pub use utf8::Decoder;
pub use whitespace::Omission;

/// An inner node of a trie, one with children: a number below [`Outline::len`], in the order of the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BranchId(pub u32);

impl BranchId {
    /// The root of the trie, where it has children.
    pub const ROOT: Self = Self(0);

    /// The id as an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The inner nodes of a [`Trie`], and what is below them.
///
/// Branches are numbered as nodes are, depth first, so the branches of a subtree are a range. Two thirds of a vocabulary's
/// nodes are branches, most of them with a single child.
///
/// ```
/// use grammask_trie::{BranchId, Config, Encoding, Outline, TokenId, Trie};
/// let tokens: [(TokenId, &[u8]); 3] = [(TokenId(0), b"a"), (TokenId(1), b"ab"), (TokenId(2), "aé".as_bytes())];
/// let trie = Trie::new(&tokens, &Config::default())?;
/// let outline = Outline::new(&trie);
/// // The root, "a", and the first byte of "é" below it.
/// assert_eq!(outline.len(), 3);
/// let below = outline.below(BranchId::ROOT);
/// assert_eq!((below.ascii, below.height), (1 << b'a' | 1 << b'b', 3));
/// assert_eq!(below.encoding, Encoding::Words);
/// assert_eq!(outline.edges(b'b').len(), 1);
/// let a = outline.child(BranchId::ROOT, b'a').expect("there is a token that begins with it");
/// assert_eq!((Some(a.node), a.branch()), (trie.find(b"a"), Some(BranchId(1))));
/// assert_eq!(outline.children(BranchId(1)).iter().map(|child| child.byte).collect::<Vec<_>>(), [b'b', 0xC3]);
/// # Ok::<(), grammask_trie::Error>(())
/// ```
///
/// # Cost
/// 32 bytes a node, 56 bytes a branch and 8 bytes a token.
#[derive(Clone, Debug)]
pub struct Outline {
    nodes: Box<[NodeId]>,
    parents: Box<[BranchId]>,
    /// For every node, and one place more: how many branches stand before it.
    before: Box<[u32]>,
    edge_starts: Box<[u32; 257]>,
    /// By byte, then by child.
    edges: Box<[Edge]>,
    children: Children,
    below: Box<[Below]>,
    traits: Box<[Traits]>,
    /// One bit a branch: whether it stands between two characters.
    between: Box<[u64]>,
    /// What the ways to tokens and to branches are made of.
    tokens_with: Planes,
    branches_with: Planes,
}

/// An edge of the trie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it begins.
    pub parent: BranchId,
    /// Where it leads.
    pub child: NodeId,
}

/// What the strings below a branch are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Below {
    /// The ASCII characters that occur, bit by bit.
    pub ascii: u128,
    /// The length of the longest of them, in bytes.
    pub height: u16,
    /// What they are besides.
    pub encoding: Encoding,
}

/// What a set of strings or of characters has, coarsely, in 32 bits: which groups of ASCII characters occur, and what else.
///
/// Most questions whether some strings are made of some characters can be answered from these, at a fraction of the cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits(u32);

impl Traits {
    const WORDS: u32 = 1 << 28;
    const LINES: u32 = 1 << 29;
    const UTF8: u32 = 1 << 30;
    const BYTES: u32 = 1 << 31;

    /// Of some ASCII characters, given bit by bit: the groups of which there are some, and those that are there as a whole.
    /// `encoding` is what other strings there are.
    pub fn of(ascii: u128, encoding: Encoding) -> (Self, Self) {
        let other = Self::of_encoding(encoding).0;
        let groups = |mut ascii: u128| {
            let mut groups = 0;
            while ascii != 0 {
                groups |= Self::of_character(ascii.trailing_zeros() as u8).0;
                ascii &= ascii - 1;
            }
            groups
        };
        let all = ((1 << char_groups::COUNT) - 1) & !groups(!ascii);
        (Self(other | groups(ascii)), Self(other | all))
    }

    /// Of nothing.
    const NONE: Self = Self(0);

    /// Of an ASCII character: its group. Of nothing, where the byte is none.
    #[inline]
    pub const fn of_character(byte: u8) -> Self {
        if byte < 0x80 { Self(1 << char_groups::GROUPS[byte as usize]) } else { Self::NONE }
    }

    /// Of strings without ASCII characters.
    const fn of_encoding(encoding: Encoding) -> Self {
        Self(match encoding {
            Encoding::Ascii => 0,
            Encoding::Words => Self::WORDS,
            Encoding::Lines => Self::WORDS | Self::LINES,
            Encoding::Utf8 => Self::WORDS | Self::LINES | Self::UTF8,
            Encoding::Bytes => Self::WORDS | Self::LINES | Self::UTF8 | Self::BYTES,
        })
    }

    /// Of what either is of.
    const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all is in another one.
    #[inline]
    pub const fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }
}

/// What strings are, from the least to the most general.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Encoding {
    /// ASCII.
    #[default]
    Ascii,
    /// UTF-8 without white space, by Unicode or by ECMA 262, of several bytes; the last character may be cut.
    Words,
    /// UTF-8 without U+2028 and U+2029, which end lines as controls do; the last character may be cut.
    Lines,
    /// UTF-8, but that the last character may be cut.
    Utf8,
    /// Anything; also what begins inside of a character.
    Bytes,
}

impl Outline {
    /// The outline of a trie.
    ///
    /// # Complexity
    /// O(nodes).
    pub fn new(trie: &Trie) -> Self {
        let count = trie.len();
        let (bytes, depths) = (trie.bytes_slice(), trie.depths_slice());
        let (mut nodes, mut parents) = (Vec::new(), Vec::new());
        let mut before = Vec::with_capacity(count + 1);
        // The branch of each node on the path, where its characters are, and what the way to it is made of, by depth.
        let mut path = vec![(BranchId::ROOT, Decoder::Between, Traits::NONE); trie.max_depth() + 1];
        let mut decoders = Vec::with_capacity(count);
        let mut edges = Vec::with_capacity(count);
        // What the bytes of the edges say of strings that have them.
        let mut encodings = Vec::with_capacity(count);
        let ids = trie.tokens_slice().iter().map(|id| id.0 as usize + 1).max().unwrap_or(0);
        let (mut tokens_with, mut branches_with) = (Planes::new(ids), Planes::new(count));
        for n in 0..count {
            before.push(nodes.len() as u32);
            let depth = usize::from(depths[n]);
            let mut decoder = Decoder::Between;
            let mut made = Traits::NONE;
            if depth > 0 {
                let (parent, state, above) = path[depth - 1];
                let byte = bytes[n];
                edges.push((byte, Edge { parent, child: NodeId(n as u32) }));
                let is_sound;
                (decoder, is_sound) = state.after(byte);
                let ends_by =
                    |branch, bytes: &[u8]| whitespace::above(trie, &nodes, &parents, branch, bytes).is_some();
                let encoding = match byte {
                    _ if !is_sound => Encoding::Bytes,
                    0..0x80 => Encoding::Ascii,
                    _ => whitespace::encoding_of(byte, parent, ends_by),
                };
                encodings.push(encoding);
                made = above.union(Traits::of_encoding(encoding)).union(Traits::of_character(byte));
            }
            trie.tokens(NodeId(n as u32)).iter().for_each(|id| tokens_with.put(id.0 as usize, made));
            decoders.push(decoder);
            if trie.has_children(NodeId(n as u32)) {
                parents.push(if depth > 0 { path[depth - 1].0 } else { BranchId::ROOT });
                path[depth] = (BranchId(nodes.len() as u32), decoder, made);
                branches_with.put(nodes.len(), made);
                nodes.push(NodeId(n as u32));
            }
        }
        before.push(nodes.len() as u32);
        branches_with.complete(nodes.len());
        tokens_with.complete(ids);
        let below = summaries(trie, (&nodes, &before), &edges, &encodings, &decoders);
        let traits = below.iter().map(|below| Traits::of(below.ascii, below.encoding).0).collect();
        let mut between = vec![0; nodes.len().div_ceil(64)];
        for (branch, node) in nodes.iter().enumerate() {
            between[branch / 64] |= u64::from(decoders[node.index()] == Decoder::Between) << (branch % 64);
        }
        let (edge_starts, by_child) = by_byte(&edges);
        let children = Children::new(trie, &nodes, &before);
        Self {
            nodes: nodes.into(),
            parents: parents.into(),
            before: before.into(),
            edge_starts,
            edges: by_child,
            children,
            below,
            traits,
            between: between.into(),
            tokens_with,
            branches_with,
        }
    }

    /// The number of branches.
    #[inline]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none: a trie without tokens.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node of a branch.
    #[inline]
    pub fn node(&self, branch: BranchId) -> NodeId {
        self.nodes[branch.index()]
    }

    /// The branch that a branch is below; of the root, the root.
    #[inline]
    pub fn parent(&self, branch: BranchId) -> BranchId {
        self.parents[branch.index()]
    }

    /// The branch of a node; none for one without children.
    #[inline]
    pub fn branch(&self, node: NodeId) -> Option<BranchId> {
        let (branch, next) = (self.before[node.index()], self.before[node.index() + 1]);
        (branch < next).then_some(BranchId(branch))
    }

    /// For every node, and one place more: how many branches stand before it. So this is the branch of each node that is one.
    #[inline]
    pub fn branches_before(&self) -> &[u32] {
        &self.before
    }

    /// The branches among some nodes, as a range of numbers.
    #[inline]
    pub fn branches(&self, nodes: Range<u32>) -> Range<u32> {
        self.before[nodes.start as usize]..self.before[nodes.end as usize]
    }

    /// All edges by this byte, by ascending child.
    pub fn edges(&self, byte: u8) -> &[Edge] {
        let byte = usize::from(byte);
        &self.edges[self.edge_starts[byte] as usize..self.edge_starts[byte + 1] as usize]
    }

    /// The edges by this byte that lead to some nodes, by ascending child. O(log edges).
    pub fn edges_to(&self, byte: u8, nodes: Range<u32>) -> &[Edge] {
        let edges = self.edges(byte);
        let before = |node: u32| edges.partition_point(|edge| edge.child.0 < node);
        &edges[before(nodes.start)..before(nodes.end)]
    }

    /// The child of a branch by this byte. O(log children).
    #[inline]
    pub fn child(&self, parent: BranchId, byte: u8) -> Option<&Child> {
        let children = self.children(parent);
        let place = children.binary_search_by_key(&byte, |child| child.byte).ok()?;
        Some(&children[place])
    }

    /// The children of a branch, by ascending byte.
    #[inline]
    pub fn children(&self, parent: BranchId) -> &[Child] {
        self.children.of(parent)
    }

    /// What is below a branch.
    #[inline]
    pub fn below(&self, branch: BranchId) -> &Below {
        &self.below[branch.index()]
    }

    /// What is below a branch, coarsely.
    #[inline]
    pub fn traits(&self, branch: BranchId) -> Traits {
        self.traits[branch.index()]
    }

    /// The length of the longest token, in bytes.
    pub fn height(&self) -> usize {
        self.below.first().map_or(0, |below| usize::from(below.height))
    }

    /// One bit a branch, from the lowest bit of the first word on: whether it stands between two characters, by the bytes
    /// before it. Bits behind the last branch are 0.
    pub fn between(&self) -> &[u64] {
        &self.between
    }

    /// Of some tokens, of one bit each by id, those made of nothing but this. As many words as are given; what is no token of the trie is
    /// as it was.
    ///
    /// # Complexity
    /// Linear in the words, and in the groups of characters that are left out.
    pub fn tokens_of(&self, traits: Traits, among: &[u64]) -> Vec<u64> {
        self.tokens_with.without(traits, among)
    }

    /// Of some branches, of one bit each, those to which the way from the root is made of nothing but this. As many words as are given.
    ///
    /// # Complexity
    /// As of [`tokens_of`](Self::tokens_of).
    pub fn branches_of(&self, traits: Traits, among: &[u64]) -> Vec<u64> {
        self.branches_with.without(traits, among)
    }

    /// The memory that the outline holds, in bytes.
    pub fn bytes_used(&self) -> usize {
        size_of_val(&*self.nodes)
            + size_of_val(&*self.parents)
            + size_of_val(&*self.before)
            + size_of_val(&*self.edge_starts)
            + size_of_val(&*self.edges)
            + self.children.bytes_used()
            + size_of_val(&*self.below)
            + size_of_val(&*self.traits)
            + size_of_val(&*self.between)
            + self.tokens_with.bytes_used()
            + self.branches_with.bytes_used()
    }
}

/// What is below each branch, from the last node back to the root.
fn summaries(
    trie: &Trie,
    (nodes, before): (&[NodeId], &[u32]),
    edges: &[(u8, Edge)],
    encodings: &[Encoding],
    decoders: &[Decoder],
) -> Box<[Below]> {
    let mut below = vec![Below::default(); nodes.len()];
    for (&(byte, Edge { parent, child }), &edge) in edges.iter().zip(encodings).rev() {
        let n = child.index();
        let own = if trie.has_children(child) { below[before[n] as usize] } else { Below::default() };
        let sum = &mut below[parent.index()];
        sum.ascii |= own.ascii | if byte < 0x80 { 1 << byte } else { 0 };
        sum.height = sum.height.max(own.height + 1);
        sum.encoding = sum.encoding.max(own.encoding).max(edge);
    }
    for (below, node) in below.iter_mut().zip(nodes) {
        if decoders[node.index()] != Decoder::Between {
            below.encoding = Encoding::Bytes;
        }
    }
    below.into()
}

/// Edges put in the order of bytes; those by one byte stay in the order that they have.
fn by_byte(edges: &[(u8, Edge)]) -> (Box<[u32; 257]>, Box<[Edge]>) {
    let mut starts = Box::new([0u32; 257]);
    for &(byte, _) in edges {
        starts[usize::from(byte) + 1] += 1;
    }
    for byte in 0..256 {
        starts[byte + 1] += starts[byte];
    }
    let mut next = starts.clone();
    let mut sorted = vec![Edge { parent: BranchId::ROOT, child: NodeId::ROOT }; edges.len()];
    for &(byte, edge) in edges {
        let place = &mut next[usize::from(byte)];
        sorted[*place as usize] = edge;
        *place += 1;
    }
    (starts, sorted.into())
}
