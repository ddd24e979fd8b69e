//! Continuations: sets of trie nodes from which somebody else goes on, interned.

use std::borrow::Borrow;
use std::sync::OnceLock;

use grammask_cache::{Interner, Memo};
use grammask_earley::ByteSet;
use grammask_trie::{NodeId, Trie};

/// Whether a list of up to this many nodes is in another one is faster found than looked up.
const SHORT: usize = 8;

/// A list of more nodes has children by nearly every byte.
const LONG: usize = 4096;

/// The number of a [`Continuation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ContinuationId(u32);

impl ContinuationId {
    /// The root of the trie alone: a mask begins here.
    pub(crate) const WHOLE: Self = Self(0);
}

/// Trie nodes with something below them, sorted, each once.
pub(crate) struct Continuation {
    nodes: Box<[NodeId]>,
    /// How many nodes are below them, counted once for each.
    weight: usize,
    children: OnceLock<Children>,
    bytes: OnceLock<ByteSet>,
}

/// The children of a list of nodes, by byte.
pub(crate) struct Children {
    /// Where in `nodes` the children by each byte begin; one more for the end.
    starts: Box<[u32; 257]>,
    nodes: Box<[NodeId]>,
}

/// All continuations of a vocabulary that came up.
pub(crate) struct Continuations {
    interner: Interner<Continuation>,
    /// For pairs of a larger and a smaller list whether the one contains the other.
    contained: Memo<(ContinuationId, ContinuationId), bool>,
}

impl Borrow<[NodeId]> for Continuation {
    fn borrow(&self) -> &[NodeId] {
        &self.nodes
    }
}

impl Continuation {
    fn new(trie: &Trie, nodes: &[NodeId]) -> Self {
        Self {
            nodes: nodes.into(),
            weight: weight(trie, nodes),
            children: OnceLock::new(),
            bytes: OnceLock::new(),
        }
    }

    pub(crate) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    pub(crate) fn weight(&self) -> usize {
        self.weight
    }

    /// The children by byte, and whether they were found just now.
    pub(crate) fn children(&self, trie: &Trie) -> (&Children, bool) {
        let known = self.children.get();
        (
            known.unwrap_or_else(|| self.children.get_or_init(|| Children::of(trie, &self.nodes))),
            known.is_none(),
        )
    }

    /// The bytes by which it goes on; for long lists, all.
    pub(crate) fn first_bytes(&self, trie: &Trie) -> &ByteSet {
        self.bytes.get_or_init(|| {
            let mut bytes = ByteSet::default();
            if self.nodes.len() > LONG {
                return bytes.complement();
            }
            for_each_child(trie, &self.nodes, |child| bytes.insert(trie.bytes_slice()[child.index()]));
            bytes
        })
    }

    /// Bytes of the list.
    pub(crate) fn bytes_used(&self) -> usize {
        size_of::<Self>() + size_of_val(self.nodes())
    }
}

impl Children {
    fn of(trie: &Trie, parents: &[NodeId]) -> Self {
        let bytes = trie.bytes_slice();
        let mut starts = Box::new([0u32; 257]);
        for_each_child(trie, parents, |child| starts[usize::from(bytes[child.index()]) + 1] += 1);
        for byte in 0..256 {
            starts[byte + 1] += starts[byte];
        }
        let mut next = starts.clone();
        let mut nodes = vec![NodeId(0); starts[256] as usize].into_boxed_slice();
        for_each_child(trie, parents, |child| {
            let place = &mut next[usize::from(bytes[child.index()])];
            nodes[*place as usize] = child;
            *place += 1;
        });
        // Parents may stand below one another, so children come in order only nearly.
        for byte in 0..256 {
            let children = &mut nodes[starts[byte] as usize..starts[byte + 1] as usize];
            if !children.is_sorted() {
                children.sort_unstable();
            }
        }
        Self { starts, nodes }
    }

    /// The children by this byte, sorted.
    pub(crate) fn by(&self, byte: u8) -> &[NodeId] {
        let byte = usize::from(byte);
        &self.nodes[self.starts[byte] as usize..self.starts[byte + 1] as usize]
    }

    pub(crate) fn bytes_used(&self) -> usize {
        size_of_val(&*self.starts) + size_of_val(&*self.nodes)
    }
}

fn for_each_child(trie: &Trie, parents: &[NodeId], mut visit: impl FnMut(NodeId)) {
    let ends = trie.ends_slice();
    for &parent in parents {
        let end = ends[parent.index()];
        let mut child = parent.0 + 1;
        while child < end {
            visit(NodeId(child));
            child = ends[child as usize];
        }
    }
}

/// Whether a sorted list is in another one.
fn is_subset(small: &[NodeId], large: &[NodeId]) -> bool {
    let mut rest = large;
    small.iter().all(|node| {
        // What is wanted is mostly near, so the search widens from where the last one ended.
        let mut width = 1;
        while width < rest.len() && rest[width] <= *node {
            width *= 2;
        }
        let place = rest[..rest.len().min(width + 1)].binary_search(node);
        rest = &rest[place.unwrap_or_else(|place| place)..];
        place.is_ok()
    })
}

/// How many nodes are below the given ones, counted once for each.
pub(crate) fn weight(trie: &Trie, nodes: &[NodeId]) -> usize {
    let ends = trie.ends_slice();
    nodes.iter().map(|node| (ends[node.index()] - node.0 - 1) as usize).sum()
}

impl Continuations {
    pub(crate) fn new(trie: &Trie) -> Self {
        let continuations = Self { interner: Interner::new(), contained: Memo::new() };
        let whole = continuations.intern(trie, &[NodeId(0)]);
        debug_assert_eq!(whole.0, ContinuationId::WHOLE);
        continuations
    }

    /// The number of a sorted list of nodes, and whether it is new.
    pub(crate) fn intern(&self, trie: &Trie, nodes: &[NodeId]) -> (ContinuationId, bool) {
        let before = self.interner.len();
        let id = self.interner.intern(nodes, |nodes| Continuation::new(trie, nodes));
        (ContinuationId(id), id as usize >= before)
    }

    /// Whether every node of `small` is in `large`. Remembered for lists that are not short.
    pub(crate) fn contains(&self, large: ContinuationId, small: ContinuationId) -> bool {
        let (large_nodes, small_nodes) = (self.get(large).nodes(), self.get(small).nodes());
        if small_nodes.len() > large_nodes.len() {
            return false;
        }
        if small_nodes.len() <= SHORT {
            return is_subset(small_nodes, large_nodes);
        }
        match self.contained.get(&(large, small)) {
            Some(&known) => known,
            None => *self.contained.insert((large, small), is_subset(small_nodes, large_nodes)).0,
        }
    }

    pub(crate) fn get(&self, id: ContinuationId) -> &Continuation {
        self.interner.get(id.0)
    }

    pub(crate) fn len(&self) -> usize {
        self.interner.len()
    }
}

#[cfg(test)]
mod tests {
    use grammask_trie::{TokenId, Vocabulary};

    use super::*;

    fn vocabulary() -> Vocabulary {
        let words = ["a", "ab", "abc", "abd", "b", "ba", "bab", "bb", "c"];
        let tokens =
            words.iter().enumerate().map(|(id, word)| (TokenId(id as u32), word.as_bytes().to_vec()));
        Vocabulary::new(tokens, [], &Default::default()).unwrap()
    }

    fn nodes(trie: &Trie, paths: &[&str]) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> = paths.iter().map(|path| trie.find(path.as_bytes()).unwrap()).collect();
        nodes.sort_unstable();
        nodes
    }

    #[test]
    fn children_are_those_of_all_nodes_by_byte() {
        let vocabulary = vocabulary();
        let trie = vocabulary.trie();
        // One node below another: their children come out of order unless they are sorted.
        let children = Children::of(trie, &nodes(trie, &["", "a", "b", "ba"]));
        assert_eq!(children.by(b'b'), nodes(trie, &["b", "ab", "bb", "bab"]));
        assert_eq!(children.by(b'a'), nodes(trie, &["a", "ba"]));
        assert_eq!(children.by(b'c'), nodes(trie, &["c"]));
        assert!(children.by(b'x').is_empty());
    }

    #[test]
    fn equal_lists_have_equal_numbers_and_the_root_is_known() {
        let vocabulary = vocabulary();
        let trie = vocabulary.trie();
        let continuations = Continuations::new(trie);
        assert_eq!(continuations.intern(trie, &[NodeId::ROOT]), (ContinuationId::WHOLE, false));
        let (one, fresh) = continuations.intern(trie, &nodes(trie, &["a", "b"]));
        assert!(fresh);
        assert_eq!(continuations.intern(trie, &nodes(trie, &["a", "b"])), (one, false));
        assert_eq!(continuations.get(one).weight(), 3 + 3);
        assert_eq!(continuations.len(), 2);
    }

    #[test]
    fn a_list_contains_exactly_its_subsets() {
        let vocabulary = vocabulary();
        let trie = vocabulary.trie();
        let continuations = Continuations::new(trie);
        let ids: Vec<ContinuationId> = (0..1u32 << trie.len().min(10))
            .map(|subset| {
                let members: Vec<NodeId> =
                    (0..10).filter(|node| subset >> node & 1 == 1).map(NodeId).collect();
                continuations.intern(trie, &members).0
            })
            .collect();
        for (large, &large_id) in ids.iter().enumerate() {
            for (small, &small_id) in ids.iter().enumerate().step_by(7) {
                assert_eq!(
                    continuations.contains(large_id, small_id),
                    small & !large == 0,
                    "{large:b} {small:b}"
                );
            }
        }
    }

    #[test]
    fn first_bytes_are_the_bytes_of_the_children() {
        let vocabulary = vocabulary();
        let trie = vocabulary.trie();
        let continuations = Continuations::new(trie);
        let (id, _) = continuations.intern(trie, &nodes(trie, &["ab", "b"]));
        let bytes: Vec<u8> = continuations.get(id).first_bytes(trie).iter().collect();
        assert_eq!(bytes, b"abcd");
    }
}
