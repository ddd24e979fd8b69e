//! Sets of inner trie nodes: sorted lists up to a length, and one bit for each inner node beyond it.

use grammask_work::{count, narrow};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use grammask_trie::index::{InnerId, TrieIndex};

pub(crate) mod children;
pub(crate) mod continuation;
pub(crate) mod semi_naive;

/// One bit for each inner node. Rows of a vocabulary have equal lengths. A row can be shared, for example by
/// a slice and the exits of lexemes; [`Arc::make_mut`] copies it before a change.
pub(crate) type BitRow = Arc<Vec<u64>>;

/// A set of inner trie nodes. It is a list up to `max_listed_nodes` nodes, a constant of the vocabulary, so
/// that equal sets have equal forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NodeSet {
    /// Ascending.
    List(Box<[InnerId]>),
    Bits(BitRow),
}

/// Folds rows of bits by products of two words each, in lanes, so that hashing a row costs about as much as
/// reading it.
///
/// Source: Wang Yi, "wyhash", 2019. The two halves of a 128-bit product, combined by exclusive or, depend on
/// all bits of both factors.
impl Hash for NodeSet {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::List(list) => list.hash(state),
            Self::Bits(bits) => {
                const SEEDS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xD1B5_4A32_D192_ED03];
                #[expect(clippy::cast_possible_truncation, reason = "the two halves of the product")]
                let fold = |lane: u64, one: u64, other: u64| {
                    let product = u128::from(one ^ SEEDS[0]) * u128::from(other ^ lane);
                    product as u64 ^ (product >> 64) as u64
                };
                let mut lanes = [SEEDS[1]; 2];
                let (chunks, rest) = bits.as_chunks::<4>();
                for &[one, two, three, four] in chunks {
                    lanes = [fold(lanes[0], one, two), fold(lanes[1], three, four)];
                }
                (lanes, rest).hash(state);
            }
        }
    }
}

/// Words of a row of trie nodes that are handled by one unit of work.
const WORDS_PER_UNIT: usize = 8;

impl NodeSet {
    /// Returns the union of the nodes whose bits are set in a row, of single nodes in any order, and of
    /// ranges of nodes. The ranges `everywhere` count as a whole; of `ranges`, only nodes between two
    /// characters. Returns `None` for the empty set.
    pub(crate) fn gather(
        trie_index: &TrieIndex,
        max_listed_nodes: usize,
        bits: Option<BitRow>,
        mut single: Vec<InnerId>,
        everywhere: &[(u32, u32)],
        ranges: &[(u32, u32)],
    ) -> Option<Self> {
        let count = |ranges: &[(u32, u32)]| -> usize {
            ranges.iter().map(|&(start, end)| (end - start) as usize).sum()
        };
        let between = trie_index.char_boundaries();
        if bits.is_none() && single.len() + count(everywhere) + count(ranges) <= max_listed_nodes {
            for &(start, end) in everywhere {
                single.extend((start..end).map(InnerId));
            }
            for &(start, end) in ranges {
                over_range(start, end, |word, mask| {
                    single.extend(ones_of(narrow(word), between[word] & mask));
                });
            }
            // Mostly a few sorted lists in sequence, which a stable sort merges.
            single.sort();
            single.dedup();
            return if single.is_empty() { None } else { Some(Self::List(single.into())) };
        }
        let mut bits = bits.unwrap_or_else(|| BitRow::new(no_bits(trie_index)));
        if !(single.is_empty() && everywhere.is_empty() && ranges.is_empty()) {
            let bits = Arc::make_mut(&mut bits);
            set(bits, &single);
            for &(start, end) in everywhere {
                over_range(start, end, |word, mask| bits[word] |= mask);
            }
            for &(start, end) in ranges {
                over_range(start, end, |word, mask| bits[word] |= mask & between[word]);
            }
        }
        if bits.iter().all(|&word| word == 0) { None } else { Some(Self::of_bits(max_listed_nodes, bits)) }
    }

    /// Returns the set of a sorted list without repetition.
    pub(crate) fn of_list(trie_index: &TrieIndex, max_listed_nodes: usize, inner_nodes: &[InnerId]) -> Self {
        if inner_nodes.len() <= max_listed_nodes {
            return Self::List(inner_nodes.into());
        }
        let mut bits = no_bits(trie_index);
        set(&mut bits, inner_nodes);
        Self::Bits(bits.into())
    }

    /// Returns the set of the nodes whose bits are set in a row. The row must not be empty.
    pub(crate) fn of_bits(max_listed_nodes: usize, bits: BitRow) -> Self {
        let Some(count) = count_up_to(&bits, max_listed_nodes) else { return Self::Bits(bits) };
        let mut list = Vec::with_capacity(count);
        list.extend(ones(&bits));
        Self::List(list.into())
    }

    /// Returns the nodes, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = InnerId> {
        let (list, bits): (&[InnerId], &[u64]) = match self {
            Self::List(list) => (list, &[]),
            Self::Bits(bits) => (&[], bits),
        };
        list.iter().copied().chain(ones(bits))
    }

    /// Returns `true` if the set contains a node.
    pub(crate) fn contains(&self, inner: InnerId) -> bool {
        match self {
            Self::List(list) => list.binary_search(&inner).is_ok(),
            Self::Bits(bits) => bits[inner.index() / 64] >> (inner.index() % 64) & 1 == 1,
        }
    }

    /// Returns `true` if the set has more than `limit` nodes.
    pub(crate) fn are_more_than(&self, limit: usize) -> bool {
        match self {
            Self::List(list) => list.len() > limit,
            Self::Bits(bits) => count_up_to(bits, limit).is_none(),
        }
    }

    /// Returns `true` if this set contains all nodes of another one.
    pub(crate) fn is_superset(&self, small: &Self) -> bool {
        match (self, small) {
            (Self::List(_), Self::Bits(_)) => false,
            (Self::Bits(large), Self::Bits(small)) => is_within(small, large),
            (Self::Bits(_), Self::List(small)) => small.iter().all(|&inner| self.contains(inner)),
            (Self::List(large), Self::List(small)) => is_subset(small, large),
        }
    }

    /// Adds the nodes to a row of bits. Returns `true` if the row contained all of them.
    pub(crate) fn mark(&self, bits: &mut [u64]) -> bool {
        let mut known = true;
        self.each_word(|word, more| {
            known &= more & !bits[word] == 0;
            bits[word] |= more;
        });
        known
    }

    /// Adds the nodes that are not in `known` to `fresh`. Returns `true` if `known` contains all of them.
    pub(crate) fn mark_beside(&self, known: &[u64], fresh: &mut [u64]) -> bool {
        let mut are_known = true;
        self.each_word(|word, more| {
            let more = more & !known[word];
            are_known &= more == 0;
            fresh[word] |= more;
        });
        are_known
    }

    /// Calls `apply` with each word of a row that has nodes of the set, and their bits. A word may occur
    /// several times.
    fn each_word(&self, mut apply: impl FnMut(usize, u64)) {
        let words = match self {
            Self::List(list) => list.len(),
            Self::Bits(bits) => bits.len() / WORDS_PER_UNIT,
        };
        count(words as u64);
        match self {
            Self::List(list) => {
                list.iter().for_each(|inner| apply(inner.index() / 64, 1 << (inner.index() % 64)));
            }
            Self::Bits(bits) => bits.iter().enumerate().for_each(|(word, &more)| apply(word, more)),
        }
    }

    /// Returns the bytes of the list or row, including a shared row.
    pub(crate) fn bytes_used(&self) -> usize {
        match self {
            Self::List(list) => size_of_val(&**list),
            Self::Bits(bits) => size_of_val(&bits[..]),
        }
    }
}

/// Returns `true` if all bits of one row are set in another one of equal length.
pub(crate) fn is_within(small: &[u64], large: &[u64]) -> bool {
    debug_assert_eq!(small.len(), large.len(), "rows of one vocabulary");
    small.iter().zip(large).all(|(small, large)| small & !large == 0)
}

/// Returns the number of set bits. Returns `None` as soon as there are more than `limit`.
fn count_up_to(bits: &[u64], limit: usize) -> Option<usize> {
    let mut count = 0;
    let is_more = bits.chunks(64).any(|words| {
        // Without a branch inside the sum, the compiler adds several words at once.
        count += words.iter().map(|word| word.count_ones()).sum::<u32>() as usize;
        count > limit
    });
    (!is_more).then_some(count)
}

/// Returns an empty row.
pub(crate) fn no_bits(trie_index: &TrieIndex) -> Vec<u64> {
    vec![0; trie_index.len().div_ceil(64)]
}

/// Sets the bits of some nodes in a row.
fn set(bits: &mut [u64], inner_nodes: &[InnerId]) {
    for inner in inner_nodes {
        bits[inner.index() / 64] |= 1 << (inner.index() % 64);
    }
}

/// Calls `apply` with each word that a range of bits reaches into, and the bits of the range in it.
#[inline]
pub(crate) fn over_range(start: u32, end: u32, mut apply: impl FnMut(usize, u64)) {
    if start >= end {
        return;
    }
    let (first, last) = (start as usize / 64, (end - 1) as usize / 64);
    let (from, to) = (u64::MAX << (start % 64), u64::MAX >> (63 - (end - 1) % 64));
    if first == last {
        apply(first, from & to);
        return;
    }
    apply(first, from);
    (first + 1..last).for_each(|word| apply(word, u64::MAX));
    apply(last, to);
}

/// Returns the nodes whose bits are set.
fn ones(bits: &[u64]) -> impl Iterator<Item = InnerId> {
    bits.iter().zip(0u32..).flat_map(|(&word, position)| ones_of(position, word))
}

/// As [`ones`], for the word at position `position`.
fn ones_of(position: u32, word: u64) -> impl Iterator<Item = InnerId> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let bit = (rest != 0).then(|| rest.trailing_zeros())?;
        rest &= rest - 1;
        Some(InnerId(position * 64 + bit))
    })
}

/// Returns `true` if a sorted list is a subset of another one.
fn is_subset(small: &[InnerId], large: &[InnerId]) -> bool {
    if small.len() > large.len() {
        return false;
    }
    let mut rest = large;
    small.iter().all(|inner| {
        // Galloping search: the next node is mostly near the last one, so the width doubles from there.
        let mut width = 1;
        while width < rest.len() && rest[width] <= *inner {
            width *= 2;
        }
        let found = rest[..rest.len().min(width + 1)].binary_search(inner);
        rest = &rest[found.unwrap_or_else(|position| position)..];
        found.is_ok()
    })
}

#[cfg(test)]
mod tests {
    use grammask_trie::{TokenId, Trie};

    use super::*;

    const MAX_LISTED_NODES: usize = 2048;

    /// Words of three letters, which have more than 2,048 inner nodes; and some words that are not ASCII.
    fn trie_index() -> TrieIndex {
        let letters = b'a'..=b'z';
        let mut words: Vec<Vec<u8>> = Vec::new();
        for one in letters.clone() {
            for two in letters.clone() {
                words.extend(letters.clone().map(|three| vec![one, two, three, b'!']));
                words.push(vec![one, two, 0xC3, 0xA9]);
            }
        }
        let tokens: Vec<(TokenId, &[u8])> = (0..).map(TokenId).zip(words.iter().map(Vec::as_slice)).collect();
        TrieIndex::new(&Trie::new(&tokens, &Default::default()).unwrap())
    }

    fn sets(trie_index: &TrieIndex) -> Vec<Vec<InnerId>> {
        let len = trie_index.len() as u32;
        assert!(len as usize > 2 * MAX_LISTED_NODES);
        let step = |step: u32, end: u32| (0..end).filter(|n| n % step == 0).map(InnerId).collect();
        vec![step(1, len), step(2, len), step(4, len), step(1, 5), step(300, len), vec![InnerId(len - 1)]]
    }

    #[test]
    fn all_forms_hold_what_they_were_made_of() {
        let trie_index = trie_index();
        for set in sets(&trie_index) {
            let node_set = NodeSet::of_list(&trie_index, MAX_LISTED_NODES, &set);
            assert_eq!(matches!(node_set, NodeSet::Bits(_)), set.len() > MAX_LISTED_NODES);
            assert_eq!(node_set.iter().collect::<Vec<_>>(), set);
            let mut shuffled = set.clone();
            shuffled.reverse();
            shuffled.push(set[0]);
            assert_eq!(
                NodeSet::gather(&trie_index, MAX_LISTED_NODES, None, shuffled, &[], &[]),
                Some(node_set.clone())
            );
            for inner in (0..trie_index.len() as u32).map(InnerId) {
                assert_eq!(node_set.contains(inner), set.binary_search(&inner).is_ok());
            }
        }
        assert_eq!(NodeSet::gather(&trie_index, MAX_LISTED_NODES, None, Vec::new(), &[(3, 3)], &[]), None);
    }

    #[test]
    fn ranges_hold_what_stands_between_characters() {
        let trie_index = trie_index();
        let len = trie_index.len() as u32;
        for range in [(0, len), (1, 70), (63, 64), (64, 128), (100, 5000)] {
            let expected: Vec<InnerId> = (range.0..range.1)
                .filter(|&n| trie_index.char_boundaries()[n as usize / 64] >> (n % 64) & 1 == 1)
                .map(InnerId)
                .collect();
            let found =
                NodeSet::gather(&trie_index, MAX_LISTED_NODES, None, Vec::new(), &[], &[range]).unwrap();
            assert_eq!(found, NodeSet::of_list(&trie_index, MAX_LISTED_NODES, &expected), "{range:?}");
            let expected: Vec<InnerId> = (range.0..range.1).map(InnerId).collect();
            let found =
                NodeSet::gather(&trie_index, MAX_LISTED_NODES, None, Vec::new(), &[range], &[]).unwrap();
            assert_eq!(found, NodeSet::of_list(&trie_index, MAX_LISTED_NODES, &expected), "{range:?}");
        }
    }

    #[test]
    fn a_set_is_a_superset_of_exactly_its_subsets() {
        let trie_index = trie_index();
        let sets = sets(&trie_index);
        for large in &sets {
            for small in &sets {
                let expected = small.iter().all(|inner| large.binary_search(inner).is_ok());
                let (large, small) = (
                    NodeSet::of_list(&trie_index, MAX_LISTED_NODES, large),
                    NodeSet::of_list(&trie_index, MAX_LISTED_NODES, small),
                );
                assert_eq!(large.is_superset(&small), expected);
                let mut bits = no_bits(&trie_index);
                assert!(!large.mark(&mut bits));
                assert_eq!(small.mark(&mut bits), expected);
            }
        }
    }
}
