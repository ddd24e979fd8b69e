//! Continuations: interned sets of trie nodes at which a walk goes on, with data computed once for each set.

use std::borrow::Borrow;
use std::sync::OnceLock;

use grammask_cache::{Interner, Memo};
use grammask_earley::ByteSet;
use grammask_trie::index::{InnerId, TrieIndex};
use grammask_trie::{Trie, TrieNodeId};

use crate::node_set::NodeSet;
use crate::node_set::children::{self, Children, NodesByByte};

/// The number of a [`Continuation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ContinuationId(u32);

impl ContinuationId {
    /// The root of the trie alone: a mask begins here.
    pub(crate) const WHOLE: Self = Self(0);

    /// As the upper half of a number.
    pub(crate) const fn high(self) -> u64 {
        (self.0 as u64) << 32
    }
}

/// Number of trie nodes up to which the weight of a set is stored; larger weights are counted again.
const MAX_MEMOIZED_WEIGHT: usize = 1 << 12;

/// A set of trie nodes in the trie, and what was found out about it.
pub(crate) struct Continuation {
    set: NodeSet,
    /// How many nodes are below, as far as was counted; once somebody asked.
    weight: OnceLock<usize>,
    bytes: OnceLock<ByteSet>,
    children: OnceLock<Children>,
}

/// All continuations of a vocabulary that came up.
pub(crate) struct Continuations {
    interner: Interner<Continuation>,
    /// For pairs of a larger and a smaller list whether the one contains the other.
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

    /// The nodes, ascending.
    pub(crate) fn nodes(&self, outline: &TrieIndex) -> impl Iterator<Item = TrieNodeId> {
        self.set.iter().map(|branch| outline.node(branch))
    }

    /// Whether more than so many nodes are below, counted once for each place that they are below.
    pub(crate) fn is_heavier(&self, trie: &Trie, outline: &TrieIndex, limit: usize) -> bool {
        // Something is below every place, so many of them need not be weighed; how many a list has is known
        // at once.
        if matches!(&self.set, NodeSet::List(list) if list.len() > limit) {
            return true;
        }
        let ends = trie.columns().ends;
        let weigh = |most: usize| {
            if self.set.are_more_than(most) {
                return most + 1;
            }
            let mut below = self.nodes(outline).map(|node| (ends[node.index()] - node.0 - 1) as usize);
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

    /// The children by this byte, ascending; and how many bytes that took, if they were looked for just now.
    pub(crate) fn children(&self, outline: &TrieIndex, byte: u8) -> (&[TrieNodeId], usize) {
        let (children, made) = self.all_children(outline);
        let (found, fresh) = children.by(outline, &self.set, byte);
        (found, made + fresh)
    }

    /// What is found at the children by this byte, if there are any; and how many bytes that took, if it was
    /// looked for just now.
    pub(crate) fn reached(
        &self,
        trie: &Trie,
        outline: &TrieIndex,
        byte: u8,
    ) -> (Option<&NodesByByte>, usize) {
        let (children, made) = self.all_children(outline);
        let (reached, fresh) = children.reached((trie, outline), &self.set, byte);
        (reached, made + fresh)
    }

    /// The children; and how many bytes what is known of them took, if nobody has asked before.
    pub(crate) fn all_children(&self, outline: &TrieIndex) -> (&Children, usize) {
        let mut fresh = 0;
        let children = self.children.get_or_init(|| {
            let children = Children::new(outline, &self.set);
            fresh = children.bytes_used();
            children
        });
        (children, fresh)
    }

    /// The bytes by which it goes on; for long sets, all, as nearly all of them are.
    pub(crate) fn first_bytes(&self, outline: &TrieIndex) -> &ByteSet {
        self.bytes.get_or_init(|| match &self.set {
            NodeSet::List(list) => children::first_bytes(outline, list),
            NodeSet::Bits(_) => ByteSet::ALL,
        })
    }

    /// Bytes of the list.
    pub(crate) fn bytes_used(&self) -> usize {
        size_of::<Self>() + self.set.bytes_used()
    }
}

impl Continuations {
    pub(crate) fn new(outline: &TrieIndex) -> Self {
        let continuations = Self { interner: Interner::new(), contained: Memo::new() };
        // A trie without tokens has no branch; then the list is empty, and nothing is below it.
        let root: &[InnerId] = if outline.is_empty() { &[] } else { &[InnerId::ROOT] };
        let whole = continuations.intern(NodeSet::List(root.into()));
        debug_assert_eq!(whole.0, ContinuationId::WHOLE);
        continuations
    }

    /// The number of a set of trie nodes, and whether it is new.
    pub(crate) fn intern(&self, set: NodeSet) -> (ContinuationId, bool) {
        let (id, is_new) = self.interner.intern_value::<NodeSet>(Continuation::new(set));
        (ContinuationId(id), is_new)
    }

    /// Whether every place of `small` is in `large`. Remembered for what is not short.
    pub(crate) fn contains(&self, large: ContinuationId, small: ContinuationId) -> bool {
        if large == small {
            return true;
        }
        let (large_set, small_set) = (self.get(large).set(), self.get(small).set());
        // Whether up to so many set are in another set is faster found than looked up.
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

    /// Bytes of what is remembered of pairs.
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
        let outline = TrieIndex::new(vocabulary.trie());
        (vocabulary, outline)
    }

    fn nodes(trie: &Trie, paths: &[&str]) -> Vec<TrieNodeId> {
        let mut nodes: Vec<TrieNodeId> =
            paths.iter().map(|path| trie.find(path.as_bytes()).unwrap()).collect();
        nodes.sort_unstable();
        nodes
    }

    fn set(trie: &Trie, outline: &TrieIndex, paths: &[&str]) -> NodeSet {
        let branches: Vec<InnerId> =
            nodes(trie, paths).into_iter().map(|node| outline.inner(node).unwrap()).collect();
        NodeSet::of_list(outline, 2, &branches)
    }

    #[test]
    fn children_are_those_of_all_nodes_by_byte() {
        let (vocabulary, outline) = vocabulary();
        let trie = vocabulary.trie();
        // One node below another: their children come out of order unless they are sorted. As a list, and as
        // a row of bits.
        for short in [2, 8] {
            children_of(short, trie, &outline);
        }
    }

    fn children_of(short: usize, trie: &Trie, outline: &TrieIndex) {
        let paths = nodes(trie, &["", "a", "b", "ba"]);
        let branches: Vec<InnerId> = paths.into_iter().map(|node| outline.inner(node).unwrap()).collect();
        let set = NodeSet::of_list(outline, short, &branches);
        let continuation = Continuation::new(set);
        let children = |byte| continuation.children(outline, byte).0.to_vec();
        assert_eq!(children(b'b'), nodes(trie, &["b", "ab", "bb", "bab"]));
        assert_eq!(children(b'a'), nodes(trie, &["a", "ba"]));
        assert_eq!(children(b'c'), nodes(trie, &["c"]));
        assert!(children(b'x').is_empty());
        let reached = |byte| continuation.reached(trie, outline, byte).0.map_or(0, |found| found.nodes);
        assert_eq!([b'a', b'b', b'c', b'x'].map(reached), [2, 4, 1, 0]);
    }

    #[test]
    fn equal_lists_have_equal_numbers_and_the_root_is_known() {
        let (vocabulary, outline) = vocabulary();
        let trie = vocabulary.trie();
        let continuations = Continuations::new(&outline);
        let intern = |paths: &[&str]| continuations.intern(set(trie, &outline, paths));
        assert_eq!(intern(&[""]), (ContinuationId::WHOLE, false));
        let (one, fresh) = intern(&["a", "b"]);
        assert!(fresh);
        assert_eq!(intern(&["a", "b"]), (one, false));
        assert!(continuations.get(one).is_heavier(trie, &outline, 5));
        assert!(!continuations.get(one).is_heavier(trie, &outline, 6));
        assert_eq!(continuations.len(), 2);
        assert!(continuations.contains(one, intern(&["a"]).0));
        assert!(!continuations.contains(one, intern(&["a", "ab"]).0));
    }

    #[test]
    fn first_bytes_are_the_bytes_of_the_children() {
        let (vocabulary, outline) = vocabulary();
        let trie = vocabulary.trie();
        let continuation = Continuation::new(set(trie, &outline, &["ab", "b"]));
        let bytes: Vec<u8> = continuation.first_bytes(&outline).iter().collect();
        assert_eq!(bytes, b"abcd");
    }
}
