//! Builds the index of a trie in three passes over its nodes. The first one finds the inner nodes. The second
//! one visits the nodes in depth-first order, for all data that depends on the path from the root. The third
//! one goes back, for the summaries of subtrees.

use super::children::{Child, Children};
use super::signature_rows::SignatureRows;
use super::{
    ClassSignature, Columns, Edge, InnerId, SubtreeSummary, TextKind, TrieIndex, Utf8Decoder, whitespace,
};
use crate::{Trie, TrieNodeId};

pub(super) fn index(trie: &Trie) -> TrieIndex {
    let inner = InnerNodes::new(trie);
    let paths = Paths::new(trie, &inner);
    let (summaries, signatures) = summaries(trie, &inner, &paths);
    TrieIndex {
        nodes: inner.nodes.into(),
        parents: inner.parents.into(),
        ranks: inner.ranks.into(),
        edge_starts: paths.edge_starts,
        edges: paths.edges.into(),
        children: Children::new(inner.child_starts, paths.children),
        summaries: summaries.into(),
        signatures: signatures.into(),
        char_boundaries: paths.char_boundaries.into(),
        lengths: paths.lengths.into(),
        token_lengths: paths.token_lengths.into(),
        token_signatures: SignatureRows::new(&paths.token_signatures),
        path_signatures: SignatureRows::new(&paths.signatures),
    }
}

/// The inner nodes of a trie, and the node above each node.
struct InnerNodes {
    nodes: Vec<TrieNodeId>,
    /// For each inner node: its parent. The parent of the root is the root.
    parents: Vec<InnerId>,
    /// For each node, and once more at the end: the number of inner nodes before it.
    ranks: Vec<u32>,
    /// For each node: its parent.
    above: Vec<InnerId>,
    /// For each inner node, and once more at the end: the number of children of all inner nodes before it.
    child_starts: Vec<u32>,
}

impl InnerNodes {
    fn new(trie: &Trie) -> Self {
        let (count, columns) = (trie.len(), trie.columns());
        let mut nodes = Vec::with_capacity(count);
        let mut parents = Vec::with_capacity(count);
        let mut ranks = Vec::with_capacity(count + 1);
        let mut above = Vec::with_capacity(count);
        // At first, for each inner node the number of children of the one before it.
        let mut child_starts = vec![0; count + 1];
        // The inner nodes above the next node, by depth, after one entry for the parent of the root.
        let mut open = vec![InnerId::ROOT; trie.max_depth() + 2];
        let mut rank = 0;
        for (node, &end) in (0u32..).zip(columns.ends) {
            let depth = columns.depth(node as usize);
            let parent = open[depth];
            ranks.push(rank);
            above.push(parent);
            child_starts[parent.index() + 1] += u32::from(node > 0);
            if end > node + 1 {
                open[depth + 1] = InnerId(rank);
                nodes.push(TrieNodeId(node));
                parents.push(parent);
                rank += 1;
            }
        }
        ranks.push(rank);
        child_starts.truncate(nodes.len() + 1);
        let mut before = 0;
        for start in &mut child_starts {
            before += *start;
            *start = before;
        }
        child_starts.shrink_to_fit();
        Self { nodes, parents, ranks, above, child_starts }
    }
}

/// The data that depends on the paths from the root to the nodes.
struct Paths {
    /// For each byte, and once more at the end: where its edges begin in `edges`.
    edge_starts: Box<[u32; 257]>,
    edges: Vec<Edge>,
    /// By parent, then by byte.
    children: Vec<Child>,
    /// For each node: the kind of a string that has the edge into it.
    kinds: Vec<TextKind>,
    /// For each inner node: the signature of the bytes of its path.
    signatures: Vec<ClassSignature>,
    token_signatures: Vec<ClassSignature>,
    char_boundaries: Vec<u64>,
    /// For each inner node: the length of its path in characters, an incomplete last one included.
    lengths: Vec<u8>,
    token_lengths: Vec<u8>,
}

impl Paths {
    fn new(trie: &Trie, inner: &InnerNodes) -> Self {
        let (columns, len) = (trie.columns(), inner.nodes.len());
        let ids = columns.tokens.iter().map(|id| id.0 as usize + 1).max().unwrap_or(0);
        let edge_starts = edge_starts(&columns);
        let (mut next_edge, mut next_child) = (edge_starts.clone(), inner.child_starts.clone());
        let mut paths = Self {
            edge_starts,
            edges: vec![Edge { parent: InnerId::ROOT, child: TrieNodeId::ROOT }; trie.len() - 1],
            children: vec![Child::new(TrieNodeId::ROOT, None, 0..0, 0); trie.len() - 1],
            kinds: vec![TextKind::Ascii; trie.len()],
            signatures: vec![ClassSignature::EMPTY; len],
            token_signatures: vec![ClassSignature::EMPTY; ids],
            char_boundaries: vec![0; len.div_ceil(64)],
            lengths: vec![0; len],
            token_lengths: vec![0; ids],
        };
        // For each inner node: the decoder after the bytes of its path.
        let mut decoders = vec![Utf8Decoder::Boundary; len];
        if let Some(root) = paths.char_boundaries.first_mut() {
            *root = 1;
        }
        let mut token = columns.token_count(0);
        for child in trie.nodes().skip(1) {
            let node = child.index();
            let (parent, byte) = (inner.above[node], columns.bytes[node]);
            let before = decoders[parent.index()];
            let (decoder, is_valid) = before.after(byte);
            let length = if is_valid {
                paths.lengths[parent.index()].saturating_add(u8::from(before == Utf8Decoder::Boundary))
            } else {
                TrieIndex::NO_LENGTH
            };
            let kind = if !is_valid {
                TextKind::Bytes
            } else if byte < 0x80 {
                TextKind::Ascii
            } else {
                let follows = |parent, bytes: &[u8]| {
                    ancestor(trie, &inner.nodes, &inner.parents, parent, bytes).is_some()
                };
                whitespace::kind_of_last_byte(byte, parent, follows)
            };
            paths.kinds[node] = kind;
            let own = ClassSignature::of_kind(kind).union(ClassSignature::of_byte(byte));
            let signature = paths.signatures[parent.index()].union(own);
            let end_token = token + columns.token_count(node);
            for id in &columns.tokens[token as usize..end_token as usize] {
                paths.token_signatures[id.index()] = signature;
                paths.token_lengths[id.index()] = length;
            }
            let (rank, next_rank) = (inner.ranks[node], inner.ranks[node + 1]);
            let own_inner = (rank < next_rank).then_some(InnerId(rank));
            if let Some(inner) = own_inner {
                let inner = inner.index();
                decoders[inner] = decoder;
                paths.signatures[inner] = signature;
                paths.lengths[inner] = length;
                paths.char_boundaries[inner / 64] |=
                    u64::from(decoder == Utf8Decoder::Boundary) << (inner % 64);
            }
            let index = &mut next_child[parent.index()];
            paths.children[*index as usize] = Child::new(child, own_inner, token..end_token, byte);
            *index += 1;
            let index = &mut next_edge[usize::from(byte)];
            paths.edges[*index as usize] = Edge { parent, child };
            *index += 1;
            token = end_token;
        }
        paths
    }
}

/// Returns, for each byte and once more at the end, the number of edges with a smaller byte.
fn edge_starts(columns: &Columns<'_>) -> Box<[u32; 257]> {
    let mut starts = Box::new([0u32; 257]);
    // The root has no edge.
    for &byte in &columns.bytes[1..] {
        starts[usize::from(byte) + 1] += 1;
    }
    for byte in 0..256 {
        starts[byte + 1] += starts[byte];
    }
    starts
}

/// Summarizes the strings below each inner node, from the last node back to the root. Also returns their
/// signatures.
fn summaries(trie: &Trie, inner: &InnerNodes, paths: &Paths) -> (Vec<SubtreeSummary>, Vec<ClassSignature>) {
    let mut summaries = vec![SubtreeSummary::default(); inner.nodes.len()];
    let mut signatures = vec![ClassSignature::EMPTY; inner.nodes.len()];
    let bytes = trie.columns().bytes;
    for node in (1..trie.len()).rev() {
        let (parent, byte) = (inner.above[node].index(), bytes[node]);
        let (rank, next_rank) = (inner.ranks[node] as usize, inner.ranks[node + 1] as usize);
        let mut signature = ClassSignature::of_byte(byte);
        let mut below = SubtreeSummary::default();
        if rank < next_rank {
            below = summaries[rank];
            signature = signature.union(signatures[rank]);
        }
        let sum = &mut summaries[parent];
        sum.ascii |= below.ascii | if byte < 0x80 { 1 << byte } else { 0 };
        sum.height = sum.height.max(below.height + 1);
        sum.kind = sum.kind.max(below.kind).max(paths.kinds[node]);
        signatures[parent] = signatures[parent].union(signature);
    }
    for (index, (summary, signature)) in summaries.iter_mut().zip(&mut signatures).enumerate() {
        if paths.char_boundaries[index / 64] >> (index % 64) & 1 == 0 {
            summary.kind = TextKind::Bytes;
        }
        *signature = signature.union(ClassSignature::of_kind(summary.kind));
    }
    (summaries, signatures)
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
