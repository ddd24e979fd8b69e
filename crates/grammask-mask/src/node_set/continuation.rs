//! Continuations: interned sets of trie nodes at which a walk goes on, with data computed once for each set.

use std::borrow::Borrow;
use std::sync::OnceLock;

use grammask_cache::{Interner, Memo};
use grammask_earley::ByteSet;
use grammask_trie::index::{InnerId, TrieIndex};
use grammask_trie::{Trie, TrieNodeId};

use crate::node_set::NodeSet;
use crate::node_set::children::{self, Children, NodesByByte};

/// Number of a [`Continuation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ContinuationId(u32);

impl ContinuationId {
    /// The root of the trie alone: a mask begins here.
    pub(crate) const ROOT: Self = Self(0);

    /// Not a continuation: in the key of a summary, it says that the other part is the number of a state,
    /// whose tokens the summary has.
    pub(crate) const OF_STATE: Self = Self(u32::MAX - 1);

    /// Not a continuation: in the key of a summary, it says that the summary has the tokens of a position
    /// inside an item of `distinct!`.
    pub(crate) const OF_ITEM: Self = Self(u32::MAX - 2);

    /// Returns the number as the upper half of a `u64`.
    pub(crate) const fn high(self) -> u64 {
        (self.0 as u64) << 32
    }
}

/// Number of trie nodes up to which the weight of a set is stored; larger weights are counted again.
const MAX_MEMOIZED_WEIGHT: usize = 1 << 12;

/// A set of inner trie nodes, with data that is computed on demand.
pub(crate) struct Continuation {
    set: NodeSet,
    /// Number of trie nodes below, counted up to `MAX_MEMOIZED_WEIGHT`.
    weight: OnceLock<usize>,
    bytes: OnceLock<ByteSet>,
    children: OnceLock<Children>,
}

/// The interned continuations of a vocabulary.
pub(crate) struct Continuations {
    interner: Interner<Continuation>,
    /// Whether the first continuation of a pair contains the second.
    contained: Memo<(ContinuationId, ContinuationId), bool>,
}

impl Borrow<NodeSet> for Continuation {
    fn borrow(&self) -> &NodeSet {
        &self.set
    }
}

impl Continuation {
    fn new(set: NodeSet) -> Self {
        Self { set, weight: OnceLock::new(), bytes: OnceLock::new(), children: OnceLock::new() }
    }

    pub(crate) fn set(&self) -> &NodeSet {
        &self.set
    }

    /// Returns the nodes, ascending.
    pub(crate) fn nodes(&self, trie_index: &TrieIndex) -> impl Iterator<Item = TrieNodeId> {
        self.set.iter().map(|inner| trie_index.node(inner))
    }

    /// Returns `true` if more than `limit` nodes are below the set. A node counts once for each node of the
    /// set above it.
    pub(crate) fn is_heavier(&self, trie: &Trie, trie_index: &TrieIndex, limit: usize) -> bool {
        // Every inner node has a child, so a list of more than `limit` nodes need not be counted.
        if matches!(&self.set, NodeSet::List(list) if list.len() > limit) {
            return true;
        }
        let ends = trie.columns().ends;
        let weigh = |most: usize| {
            if self.set.are_more_than(most) {
                return most + 1;
            }
            let mut below = self.nodes(trie_index).map(|node| (ends[node.index()] - node.0 - 1) as usize);
            let mut weight = 0;
            while weight <= most
                && let Some(more) = below.next()
            {
                weight += more;
            }
            weight
        };
        let weight = *self.weight.get_or_init(|| weigh(MAX_MEMOIZED_WEIGHT));
        weight > limit && (limit <= MAX_MEMOIZED_WEIGHT || weigh(limit) > limit)
    }

    /// Returns the children by a byte, ascending, and the bytes of memory that this call added.
    pub(crate) fn children(&self, trie_index: &TrieIndex, byte: u8) -> (&[TrieNodeId], usize) {
        let (children, made) = self.all_children(trie_index);
        let (found, fresh) = children.by(trie_index, &self.set, byte);
        (found, made + fresh)
    }

    /// Returns the tokens and inner nodes at the children by a byte, and the bytes of memory that this call
    /// added. Returns `None` if a list has no child by the byte.
    pub(crate) fn reached(
        &self,
        trie: &Trie,
        trie_index: &TrieIndex,
        byte: u8,
    ) -> (Option<&NodesByByte>, usize) {
        let (children, made) = self.all_children(trie_index);
        let (reached, fresh) = children.reached(trie, trie_index, &self.set, byte);
        (reached, made + fresh)
    }

    /// Returns the children, and the bytes of memory that this call added.
    pub(crate) fn all_children(&self, trie_index: &TrieIndex) -> (&Children, usize) {
        let mut fresh = 0;
        let children = self.children.get_or_init(|| {
            let children = Children::new(trie_index, &self.set);
            fresh = children.bytes_used();
            children
        });
        (children, fresh)
    }

    /// Returns the bytes of all edges from the set. Returns all bytes for a set stored as bits, as nearly all
    /// occur.
    pub(crate) fn first_bytes(&self, trie_index: &TrieIndex) -> &ByteSet {
        self.bytes.get_or_init(|| match &self.set {
            NodeSet::List(list) => children::first_bytes(trie_index, list),
            NodeSet::Bits(_) => ByteSet::ALL,
        })
    }

    /// Returns the bytes of memory of the set.
    pub(crate) fn bytes_used(&self) -> usize {
        size_of::<Self>() + self.set.bytes_used()
    }
}

impl Continuations {
    pub(crate) fn new(trie_index: &TrieIndex) -> Self {
        let continuations = Self { interner: Interner::new(), contained: Memo::new() };
        // A trie without tokens has no inner node. The list is empty then.
        let root: &[InnerId] = if trie_index.is_empty() { &[] } else { &[InnerId::ROOT] };
        let whole = continuations.intern(NodeSet::List(root.into()));
        debug_assert_eq!(whole.0, ContinuationId::ROOT);
        continuations
    }

    /// Interns a set of trie nodes. Returns its number, and whether it is new.
    pub(crate) fn intern(&self, set: NodeSet) -> (ContinuationId, bool) {
        let (id, is_new) = self.interner.intern_value::<NodeSet>(Continuation::new(set));
        (ContinuationId(id), is_new)
    }

    /// Returns `true` if every node of `small` is in `large`. The answer is stored unless `small` is short.
    pub(crate) fn contains(&self, large: ContinuationId, small: ContinuationId) -> bool {
        if large == small {
            return true;
        }
        let (large_set, small_set) = (self.get(large).set(), self.get(small).set());
        // Number of nodes up to which comparing is faster than looking up.
        const MAX_NODES_COMPARED_DIRECTLY: usize = 8;
        if matches!(small_set, NodeSet::List(list) if list.len() <= MAX_NODES_COMPARED_DIRECTLY) {
            return large_set.is_superset(small_set);
        }
        match self.contained.get(&(large, small)) {
            Some(&known) => known,
            None => *self.contained.insert((large, small), large_set.is_superset(small_set)).0,
        }
    }

    pub(crate) fn get(&self, id: ContinuationId) -> &Continuation {
        self.interner.get(id.0)
    }

    pub(crate) fn len(&self) -> usize {
        self.interner.len()
    }

    /// Returns the bytes of the stored answers.
    pub(crate) fn bytes_of_pairs(&self) -> usize {
        self.contained.len() * size_of::<((ContinuationId, ContinuationId), bool)>()
            + self.contained.index_bytes()
    }
}

#[cfg(test)]
mod tests {
    use grammask_trie::{TokenId, Vocabulary};

    use super::*;

    fn vocabulary() -> (Vocabulary, TrieIndex) {
        let words = ["a", "ab", "abc", "abd", "b", "ba", "bab", "bb", "c"];
        let tokens =
            words.iter().enumerate().map(|(id, word)| (TokenId(id as u32), word.as_bytes().to_vec()));
        let vocabulary = Vocabulary::new(tokens, [], &Default::default()).unwrap();
        let trie_index = TrieIndex::new(vocabulary.trie());
        (vocabulary, trie_index)
    }

    fn nodes(trie: &Trie, paths: &[&str]) -> Vec<TrieNodeId> {
        let mut nodes: Vec<TrieNodeId> =
            paths.iter().map(|path| trie.find(path.as_bytes()).unwrap()).collect();
        nodes.sort_unstable();
        nodes
    }

    fn set(trie: &Trie, trie_index: &TrieIndex, paths: &[&str]) -> NodeSet {
        let inner_nodes: Vec<InnerId> =
            nodes(trie, paths).into_iter().map(|node| trie_index.inner(node).unwrap()).collect();
        NodeSet::of_list(trie_index, 2, &inner_nodes)
    }

    #[test]
    fn children_are_those_of_all_nodes_by_byte() {
        let (vocabulary, trie_index) = vocabulary();
        let trie = vocabulary.trie();
        // One node below another: their children come out of order unless they are sorted. As a list, and as
        // a row of bits.
        for max_listed_nodes in [2, 8] {
            children_of(max_listed_nodes, trie, &trie_index);
        }
    }

    fn children_of(max_listed_nodes: usize, trie: &Trie, trie_index: &TrieIndex) {
        let paths = nodes(trie, &["", "a", "b", "ba"]);
        let inner_nodes: Vec<InnerId> =
            paths.into_iter().map(|node| trie_index.inner(node).unwrap()).collect();
        let set = NodeSet::of_list(trie_index, max_listed_nodes, &inner_nodes);
        let continuation = Continuation::new(set);
        let children = |byte| continuation.children(trie_index, byte).0.to_vec();
        assert_eq!(children(b'b'), nodes(trie, &["b", "ab", "bb", "bab"]));
        assert_eq!(children(b'a'), nodes(trie, &["a", "ba"]));
        assert_eq!(children(b'c'), nodes(trie, &["c"]));
        assert!(children(b'x').is_empty());
        let reached = |byte| continuation.reached(trie, trie_index, byte).0.map_or(0, |found| found.nodes);
        assert_eq!([b'a', b'b', b'c', b'x'].map(reached), [2, 4, 1, 0]);
    }

    #[test]
    fn equal_lists_have_equal_numbers_and_the_root_is_known() {
        let (vocabulary, trie_index) = vocabulary();
        let trie = vocabulary.trie();
        let continuations = Continuations::new(&trie_index);
        let intern = |paths: &[&str]| continuations.intern(set(trie, &trie_index, paths));
        assert_eq!(intern(&[""]), (ContinuationId::ROOT, false));
        let (one, fresh) = intern(&["a", "b"]);
        assert!(fresh);
        assert_eq!(intern(&["a", "b"]), (one, false));
        assert!(continuations.get(one).is_heavier(trie, &trie_index, 5));
        assert!(!continuations.get(one).is_heavier(trie, &trie_index, 6));
        assert_eq!(continuations.len(), 2);
        assert!(continuations.contains(one, intern(&["a"]).0));
        assert!(!continuations.contains(one, intern(&["a", "ab"]).0));
    }

    #[test]
    fn first_bytes_are_the_bytes_of_the_children() {
        let (vocabulary, trie_index) = vocabulary();
        let trie = vocabulary.trie();
        let continuation = Continuation::new(set(trie, &trie_index, &["ab", "b"]));
        let bytes: Vec<u8> = continuation.first_bytes(&trie_index).iter().collect();
        assert_eq!(bytes, b"abcd");
    }
}
