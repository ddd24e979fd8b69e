//! Builds the index of a trie in two passes. The first one visits the nodes in depth-first order, for all
//! data that depends on the path from the root. The second one goes back, for the summaries of subtrees.

use super::children::Children;
use super::signature_rows::SignatureRows;
use super::{
    ClassSignature, Columns, Edge, InnerId, SubtreeSummary, TextKind, TrieIndex, Utf8Decoder, whitespace,
};
use crate::{Trie, TrieNodeId};

pub(super) fn index(trie: &Trie) -> TrieIndex {
    let (count, columns) = (trie.len(), trie.columns());
    let ids = columns.tokens.iter().map(|id| id.0 as usize + 1).max().unwrap_or(0);
    let mut builder = Builder::new(trie, ids);
    for node in (0..count as u32).map(TrieNodeId) {
        builder.push(node, &columns);
    }
    builder.finish(ids)
}

/// Properties of the path to a node: its bytes, from the root on.
#[derive(Clone, Copy)]
struct Path {
    /// The node, if it is an inner node.
    inner: InnerId,
    /// The decoder after the bytes of the path.
    decoder: Utf8Decoder,
    /// The signature of the bytes of the path.
    signature: ClassSignature,
}

impl Path {
    const ROOT: Self =
        Self { inner: InnerId::ROOT, decoder: Utf8Decoder::Boundary, signature: ClassSignature::EMPTY };
}

/// The columns of an index for the nodes that were pushed so far.
struct Builder<'t> {
    trie: &'t Trie,
    nodes: Vec<TrieNodeId>,
    parents: Vec<InnerId>,
    ranks: Vec<u32>,
    /// For each node, and once more at the end: where its tokens begin in the token column.
    token_starts: Vec<u32>,
    /// Number of tokens at the nodes that were pushed.
    tokens_before: u32,
    /// The paths to the inner nodes above the next node, by depth.
    open: Vec<Path>,
    /// By node.
    decoders: Vec<Utf8Decoder>,
    /// The edge into each node except the root.
    edges: Vec<(u8, Edge)>,
    /// By edge: the kind of a string that has this edge.
    kinds: Vec<TextKind>,
    token_signatures: SignatureRows,
    path_signatures: SignatureRows,
}

impl<'t> Builder<'t> {
    fn new(trie: &'t Trie, ids: usize) -> Self {
        let count = trie.len();
        Self {
            trie,
            nodes: Vec::new(),
            parents: Vec::new(),
            ranks: Vec::with_capacity(count + 1),
            token_starts: Vec::with_capacity(count + 1),
            tokens_before: 0,
            open: vec![Path::ROOT; trie.max_depth() + 1],
            decoders: Vec::with_capacity(count),
            edges: Vec::with_capacity(count),
            kinds: Vec::with_capacity(count),
            token_signatures: SignatureRows::new(ids),
            path_signatures: SignatureRows::new(count),
        }
    }

    /// Adds the next node in depth-first order.
    fn push(&mut self, node: TrieNodeId, columns: &Columns<'_>) {
        self.ranks.push(self.nodes.len() as u32);
        let depth = self.trie.depth(node);
        let path = match depth.checked_sub(1) {
            Some(above) => self.push_edge(self.open[above], node),
            None => Path::ROOT,
        };
        let end = self.tokens_before + columns.token_count(node.index());
        for id in &columns.tokens[self.tokens_before as usize..end as usize] {
            self.token_signatures.insert(id.0 as usize, path.signature);
        }
        self.token_starts.push(self.tokens_before);
        self.tokens_before = end;
        self.decoders.push(path.decoder);
        if self.trie.has_children(node) {
            let inner = InnerId(self.nodes.len() as u32);
            self.parents.push(depth.checked_sub(1).map_or(InnerId::ROOT, |above| self.open[above].inner));
            self.open[depth] = Path { inner, ..path };
            self.path_signatures.insert(inner.index(), path.signature);
            self.nodes.push(node);
        }
    }

    /// Adds the edge into `node`, and returns the path to it.
    fn push_edge(&mut self, above: Path, node: TrieNodeId) -> Path {
        let (parent, byte) = (above.inner, self.trie.byte(node));
        self.edges.push((byte, Edge { parent, child: node }));
        let (decoder, is_valid) = above.decoder.after(byte);
        let kind = if !is_valid {
            TextKind::Bytes
        } else if byte < 0x80 {
            TextKind::Ascii
        } else {
            let follows =
                |inner, bytes: &[u8]| ancestor(self.trie, &self.nodes, &self.parents, inner, bytes).is_some();
            whitespace::kind_of_last_byte(byte, parent, follows)
        };
        self.kinds.push(kind);
        let own = ClassSignature::of_kind(kind).union(ClassSignature::of_byte(byte));
        Path { inner: parent, decoder, signature: above.signature.union(own) }
    }

    fn finish(mut self, ids: usize) -> TrieIndex {
        let len = self.nodes.len();
        self.ranks.push(len as u32);
        self.token_starts.push(self.tokens_before);
        self.path_signatures.finish(len);
        self.token_signatures.finish(ids);
        let summaries = self.summaries();
        let signatures =
            summaries.iter().map(|summary| ClassSignature::covering(summary.ascii, summary.kind)).collect();
        let mut char_boundaries = vec![0; len.div_ceil(64)];
        for (inner, node) in self.nodes.iter().enumerate() {
            let is_boundary = self.decoders[node.index()] == Utf8Decoder::Boundary;
            char_boundaries[inner / 64] |= u64::from(is_boundary) << (inner % 64);
        }
        let (edge_starts, edges) = by_byte(&self.edges);
        let children = Children::new(self.trie, &self.nodes, &self.ranks, &self.token_starts);
        TrieIndex {
            nodes: self.nodes.into(),
            parents: self.parents.into(),
            ranks: self.ranks.into(),
            edge_starts,
            edges,
            children,
            summaries,
            signatures,
            char_boundaries: char_boundaries.into(),
            token_signatures: self.token_signatures,
            path_signatures: self.path_signatures,
        }
    }

    /// Summarizes the strings below each inner node, from the last node back to the root.
    fn summaries(&self) -> Box<[SubtreeSummary]> {
        let mut summaries = vec![SubtreeSummary::default(); self.nodes.len()];
        for (&(byte, Edge { parent, child }), &kind) in self.edges.iter().zip(&self.kinds).rev() {
            let has_children = self.trie.has_children(child);
            let below =
                if has_children { summaries[self.ranks[child.index()] as usize] } else { Default::default() };
            let sum = &mut summaries[parent.index()];
            sum.ascii |= below.ascii | if byte < 0x80 { 1 << byte } else { 0 };
            sum.height = sum.height.max(below.height + 1);
            sum.kind = sum.kind.max(below.kind).max(kind);
        }
        for (summary, node) in summaries.iter_mut().zip(&self.nodes) {
            if self.decoders[node.index()] != Utf8Decoder::Boundary {
                summary.kind = TextKind::Bytes;
            }
        }
        summaries.into()
    }
}

/// Sorts edges by byte, stable for equal bytes. Also returns where the edges of each byte begin.
fn by_byte(edges: &[(u8, Edge)]) -> (Box<[u32; 257]>, Box<[Edge]>) {
    let mut starts = Box::new([0u32; 257]);
    for &(byte, _) in edges {
        starts[usize::from(byte) + 1] += 1;
    }
    for byte in 0..256 {
        starts[byte + 1] += starts[byte];
    }
    let mut next = starts.clone();
    let mut sorted = vec![Edge { parent: InnerId::ROOT, child: TrieNodeId::ROOT }; edges.len()];
    for &(byte, edge) in edges {
        let index = &mut next[usize::from(byte)];
        sorted[*index as usize] = edge;
        *index += 1;
    }
    (starts, sorted.into())
}

/// Returns the inner node from which `bytes` lead to `inner`. Returns `None` if other bytes lead to it.
pub(super) fn ancestor(
    trie: &Trie,
    nodes: &[TrieNodeId],
    parents: &[InnerId],
    inner: InnerId,
    bytes: &[u8],
) -> Option<InnerId> {
    bytes.iter().rev().try_fold(inner, |inner, &byte| {
        let is_match = inner != InnerId::ROOT && trie.byte(nodes[inner.index()]) == byte;
        is_match.then(|| parents[inner.index()])
    })
}
