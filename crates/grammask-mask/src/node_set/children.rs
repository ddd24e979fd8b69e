//! The children of a set of trie nodes, grouped by byte: a step by a byte visits the children by that byte
//! alone.

use std::ops::Range;
use std::sync::OnceLock;

use grammask_earley::ByteSet;
use grammask_trie::index::{InnerId, TrieIndex};
use grammask_trie::{Trie, TrieNodeId};

use crate::node_set::NodeSet;
use crate::node_set::continuation::ContinuationId;

/// The children of a set of trie nodes, computed on demand.
pub(crate) enum Children {
    /// Of a list, all at once: finding the children by one byte visits most others anyway.
    Grouped(Groups),
    /// Of a set stored as bits, for each byte separately.
    Rows(Box<[Row]>),
}

/// The children of a list of trie nodes, grouped by byte.
pub(crate) struct Groups {
    /// Bytes, ascending. `ends` has the end of each byte's group in `nodes`.
    bytes: Box<[u8]>,
    ends: Box<[u32]>,
    /// Children, grouped by byte and ascending inside each group.
    nodes: Box<[TrieNodeId]>,
    reached: Box<[OnceLock<Box<NodesByByte>>]>,
}

/// The children by one byte, ascending, and their tokens and inner nodes, once requested.
#[derive(Default)]
pub(crate) struct Row {
    nodes: OnceLock<Box<[TrieNodeId]>>,
    reached: OnceLock<Box<NodesByByte>>,
}

/// The tokens and inner nodes at some nodes of the trie.
pub(crate) struct NodesByByte {
    /// Number of the nodes.
    pub(crate) nodes: usize,
    /// Tokens that end at the nodes, as ranges of the trie's list.
    pub(crate) tokens: Box<[(u32, u32)]>,
    /// Inner nodes among the nodes, ascending.
    pub(crate) inner_nodes: Box<[InnerId]>,
    /// Continuation of the inner nodes, once requested.
    number: OnceLock<ContinuationId>,
}

impl NodesByByte {
    /// Computes the tokens and inner nodes at some nodes, which must ascend.
    fn new(trie: &Trie, trie_index: &TrieIndex, nodes: &[TrieNodeId]) -> Self {
        let (columns, before) = (trie.columns(), trie_index.inner_ranks());
        // Branchless compaction: write unconditionally, advance the cursor conditionally. Neither condition
        // can be predicted.
        let (mut tokens, mut ranges) = (vec![(0, 0); nodes.len()], 0);
        let (mut inner_nodes, mut inner_count) = (vec![InnerId::ROOT; nodes.len()], 0);
        for node in nodes {
            let n = node.index();
            let Range { start, end } = columns.token_range(n);
            tokens[ranges] = (start, end);
            ranges += usize::from(start < end);
            inner_nodes[inner_count] = InnerId(before[n]);
            inner_count += usize::from(before[n] < before[n + 1]);
        }
        tokens.truncate(ranges);
        inner_nodes.truncate(inner_count);
        Self {
            nodes: nodes.len(),
            tokens: tokens.into(),
            inner_nodes: inner_nodes.into(),
            number: OnceLock::new(),
        }
    }

    /// Returns the continuation of the inner nodes; `intern` is called the first time.
    pub(crate) fn number(&self, intern: impl FnOnce(&[InnerId]) -> ContinuationId) -> ContinuationId {
        *self.number.get_or_init(|| intern(&self.inner_nodes))
    }

    fn bytes_used(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.tokens) + size_of_val(&*self.inner_nodes)
    }
}

impl Children {
    /// Creates the children of a set. All later calls must pass an equal set.
    pub(crate) fn new(trie_index: &TrieIndex, node_set: &NodeSet) -> Self {
        match node_set {
            NodeSet::List(list) => Self::Grouped(Groups::new(trie_index, list)),
            NodeSet::Bits(_) => Self::Rows((0..256).map(|_| Row::default()).collect()),
        }
    }

    /// Returns the children by a byte, ascending, and the bytes of memory that this call added.
    pub(crate) fn by(&self, trie_index: &TrieIndex, node_set: &NodeSet, byte: u8) -> (&[TrieNodeId], usize) {
        match self {
            Self::Grouped(groups) => {
                (groups.position(byte).map_or(&[], |position| groups.group(position)), 0)
            }
            Self::Rows(rows) => {
                let mut fresh = 0;
                let nodes = rows[usize::from(byte)].nodes.get_or_init(|| {
                    let found: Box<[TrieNodeId]> = edges_from(trie_index, node_set, byte).into();
                    fresh = size_of_val(&*found);
                    found
                });
                (nodes, fresh)
            }
        }
    }

    /// Returns the tokens and inner nodes at the children by a byte, and the bytes of memory that this call
    /// added. Returns `None` if a list has no child by the byte.
    pub(crate) fn reached(
        &self,
        trie: &Trie,
        trie_index: &TrieIndex,
        node_set: &NodeSet,
        byte: u8,
    ) -> (Option<&NodesByByte>, usize) {
        let mut fresh = 0;
        let mut keep = |reached: NodesByByte| {
            fresh = reached.bytes_used();
            Box::new(reached)
        };
        let reached = match self {
            Self::Grouped(groups) => groups.position(byte).map(|position| {
                &**groups.reached[position]
                    .get_or_init(|| keep(NodesByByte::new(trie, trie_index, groups.group(position))))
            }),
            Self::Rows(rows) => {
                let row = &rows[usize::from(byte)];
                Some(&**row.reached.get_or_init(|| {
                    keep(match row.nodes.get() {
                        Some(nodes) => NodesByByte::new(trie, trie_index, nodes),
                        None => NodesByByte::new(trie, trie_index, &edges_from(trie_index, node_set, byte)),
                    })
                }))
            }
        };
        (reached, fresh)
    }

    /// Returns the children grouped by byte. Returns `None` for a set stored as bits.
    pub(crate) fn groups(&self) -> Option<&Groups> {
        match self {
            Self::Grouped(groups) => Some(groups),
            Self::Rows(_) => None,
        }
    }

    /// Returns the bytes of memory that the children take from the beginning.
    pub(crate) fn bytes_used(&self) -> usize {
        match self {
            Self::Grouped(Groups { bytes, ends, nodes, reached }) => {
                size_of_val(&**bytes) + size_of_val(&**ends) + size_of_val(&**nodes) + size_of_val(&**reached)
            }
            Self::Rows(rows) => size_of_val(&**rows),
        }
    }
}

impl Groups {
    /// # Complexity
    /// Linear in the children.
    fn new(trie_index: &TrieIndex, list: &[InnerId]) -> Self {
        // Counting sort: the number of children by each byte, then the position of the next one.
        let mut next = [0u32; 256];
        for &inner in list {
            trie_index.children(inner).iter().for_each(|child| next[usize::from(child.byte)] += 1);
        }
        let (mut bytes, mut ends, mut all) = (Vec::new(), Vec::new(), 0);
        for byte in 0..=u8::MAX {
            let count = std::mem::replace(&mut next[usize::from(byte)], all);
            all += count;
            if count > 0 {
                bytes.push(byte);
                ends.push(all);
            }
        }
        let mut nodes = vec![TrieNodeId::ROOT; all as usize];
        for &inner in list {
            for child in trie_index.children(inner) {
                let next = &mut next[usize::from(child.byte)];
                nodes[*next as usize] = child.node;
                *next += 1;
            }
        }
        let reached = bytes.iter().map(|_| OnceLock::new()).collect();
        let mut groups = Self { bytes: bytes.into(), ends: ends.into(), nodes: nodes.into(), reached };
        for position in 0..groups.bytes.len() {
            // A node of the set may be below another one, so a group consists of ascending runs, which a
            // stable sort merges.
            let group = groups.range(position);
            groups.nodes[group].sort();
        }
        groups
    }

    /// Returns the position of a byte in `bytes`.
    fn position(&self, byte: u8) -> Option<usize> {
        self.bytes.binary_search(&byte).ok()
    }

    fn range(&self, position: usize) -> Range<usize> {
        let start = if position == 0 { 0 } else { self.ends[position - 1] };
        start as usize..self.ends[position] as usize
    }

    fn group(&self, position: usize) -> &[TrieNodeId] {
        &self.nodes[self.range(position)]
    }

    /// Returns the bytes, ascending, with the children by each.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u8, &[TrieNodeId])> {
        self.bytes.iter().enumerate().map(|(position, &byte)| (byte, self.group(position)))
    }
}

/// Returns the bytes of all edges from the trie nodes of a list.
pub(crate) fn first_bytes(trie_index: &TrieIndex, list: &[InnerId]) -> ByteSet {
    let mut bytes = ByteSet::EMPTY;
    for &inner in list {
        trie_index.children(inner).iter().for_each(|child| bytes.insert(child.byte));
    }
    bytes
}

/// Returns the children of a set stored as bits by one byte.
fn edges_from(trie_index: &TrieIndex, node_set: &NodeSet, byte: u8) -> Vec<TrieNodeId> {
    let edges = trie_index.edges(byte);
    // Branchless compaction, as in `NodesByByte::new`.
    let (mut found, mut len) = (vec![TrieNodeId::ROOT; edges.len()], 0);
    for edge in edges {
        found[len] = edge.child;
        len += usize::from(node_set.contains(edge.parent));
    }
    found.truncate(len);
    found
}
