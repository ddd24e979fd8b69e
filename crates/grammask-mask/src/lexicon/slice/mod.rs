//! Slices of the vocabulary: the tokens that consist of the characters of a class, bucketed by their number
//! of characters.
//!
//! Near the bound of a counter, most subtrees of the trie are cut somewhere. The tokens that are short enough
//! are then read from the slice.

use grammask_work::{count, narrow};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use grammask_regular::Error;
use grammask_trie::index::{ClassSignature, Edge, InnerId, TrieIndex};
use grammask_trie::{Trie, TrieNodeId, Vocabulary};

use crate::lexicon::Lexicon;
use crate::lexicon::automaton::LexemeId;
use crate::lexicon::slice::frontier::DeadEnd;
use crate::lexicon::slice::layers::LengthIndex;
use crate::lexicon::walk::Walk;
use crate::lexicon::walk::output::WalkOutput;
use crate::lexicon::walk::self_loop::{NonAscii, SelfLoop};
use crate::node_set::{BitRow, over_range};

mod class_search;
pub(crate) mod frontier;
mod layers;
pub(crate) mod many_roots;
mod paths;
pub(crate) mod safe_class;
pub(crate) mod utf8;

/// Character class of a slice: ASCII characters, one bit each, and a class of multi-byte characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Class {
    pub(crate) ascii: u128,
    pub(crate) non_ascii: NonAscii,
}

impl Class {
    /// All characters.
    pub(crate) const ALL_CHARACTERS: Self = Self { ascii: u128::MAX, non_ascii: NonAscii::Characters };
    /// All bytes.
    pub(crate) const ALL_BYTES: Self = Self { ascii: u128::MAX, non_ascii: NonAscii::Bytes };
}

/// Tokens of the vocabulary that are filtered for a slice by one unit of work.
const TOKENS_PER_UNIT: usize = 8;

/// The tokens and inner trie nodes whose paths from a base node consist of characters of a class. The base is
/// mostly the root.
pub(crate) struct Slice {
    /// Base node. `before` is the number of characters that lead to it from the root.
    base: InnerId,
    before: u8,
    /// Tokens by number of characters, counted from the root; an incomplete last character counts.
    tokens: LengthIndex,
    /// Inner nodes between two characters, likewise. The base itself is not among them.
    inner_nodes: LengthIndex,
    /// Layer of each inner node, also outside the class; [`NOWHERE`] if the node is not between two
    /// characters. Shared by derived slices.
    lengths: Arc<[u8]>,
    /// Paths to each ASCII character outside the class, once requested.
    leaving: [OnceLock<Box<[PathStep]>>; 128],
}

/// Step of the paths through characters of a class to an edge that leaves it. Steps are in depth-first order:
/// a step continues the last one that is one level less deep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathStep {
    pub(crate) node: TrieNodeId,
    pub(crate) depth: u16,
    pub(crate) byte: u8,
    /// True if the path ends here.
    pub(crate) leaves: bool,
}

/// Minimum number of ASCII characters of a counted class. Walking the tokens of a smaller class is as fast.
const MIN_CLASS_ASCII: u32 = 20;

/// Length of a node that is not in the slice. All other lengths are below it.
pub(crate) const NOWHERE: u8 = TrieIndex::NO_LENGTH;

impl Slice {
    pub(crate) fn bytes_used(&self) -> usize {
        let paths = self.leaving.iter().filter_map(OnceLock::get);
        let paths: usize = paths.map(|steps| size_of_val(&steps[..])).sum();
        // Shared with the slices derived from it.
        let lengths = if self.inner_nodes.is_whole() { size_of_val(&*self.lengths) } else { 0 };
        size_of::<Self>() + self.tokens.bytes_used() + self.inner_nodes.bytes_used() + lengths + paths
    }

    /// Returns the slice of all characters.
    ///
    /// # Complexity
    /// Linear in the inner nodes of the trie and the tokens.
    fn of_characters(vocabulary: &Vocabulary, trie_index: &TrieIndex) -> Self {
        let boundaries = trie_index.char_boundaries();
        let is_between = |inner: usize| boundaries[inner / 64] >> (inner % 64) & 1 == 1;
        let lengths = trie_index.lengths().iter().enumerate();
        let lengths = lengths.map(|(inner, &length)| if is_between(inner) { length } else { NOWHERE });
        Self::of_lengths(vocabulary, trie_index.token_lengths(), lengths.collect())
    }

    /// Returns the slice of all bytes.
    ///
    /// # Complexity
    /// Linear in the inner nodes of the trie and the tokens.
    fn of_bytes(vocabulary: &Vocabulary, trie_index: &TrieIndex) -> Self {
        let layer = |length: usize| u8::try_from(length).unwrap_or(NOWHERE);
        let mut tokens = vec![0; vocabulary.id_count()];
        vocabulary.tokens().for_each(|(id, bytes)| tokens[id.index()] = layer(bytes.len()));
        let depth = |inner| vocabulary.trie().depth(trie_index.node(InnerId(inner)));
        let lengths = (0..narrow(trie_index.len())).map(|inner| layer(depth(inner)));
        Self::of_lengths(vocabulary, &tokens, lengths.collect())
    }

    /// Returns the slice below the root of the tokens and inner nodes with a length below [`NOWHERE`].
    fn of_lengths(vocabulary: &Vocabulary, tokens: &[u8], lengths: Arc<[u8]>) -> Self {
        Self {
            base: InnerId::ROOT,
            before: 0,
            tokens: LengthIndex::new(32 * vocabulary.mask_words(), tokens),
            inner_nodes: LengthIndex::new(lengths.len(), &lengths),
            lengths,
            leaving: [const { OnceLock::new() }; 128],
        }
    }

    /// Returns the slice of the given tokens and inner nodes, one bit each, below a base.
    fn only(&self, base: InnerId, before: u8, tokens: Vec<u64>, inner_nodes: Vec<u64>) -> Self {
        Self {
            base,
            before,
            tokens: self.tokens.only(tokens),
            inner_nodes: self.inner_nodes.only(inner_nodes),
            lengths: Arc::clone(&self.lengths),
            leaving: [const { OnceLock::new() }; 128],
        }
    }

    /// Returns the slice below another base, to which at most `MAX_BASE_DEPTH` ASCII characters lead.
    ///
    /// # Complexity
    /// Linear in the tokens below.
    fn below(every: &Self, trie: &Trie, trie_index: &TrieIndex, base: InnerId) -> Self {
        let node = trie_index.node(base);
        let (tokens, inner_nodes) = (every.tokens.bits(), every.inner_nodes.bits());
        let mut tokens_below = vec![0; tokens.len()];
        for id in trie.tokens_below(node).iter().map(|id| id.0 as usize) {
            tokens_below[id / 64] |= tokens[id / 64] & 1 << (id % 64);
        }
        let mut inner_below = vec![0; inner_nodes.len()];
        let range = trie_index.inner_range(node.0 + 1..trie.end(node).0);
        over_range(range.start, range.end, |word, mask| inner_below[word] |= inner_nodes[word] & mask);
        #[expect(clippy::cast_possible_truncation, reason = "at most MAX_BASE_DEPTH")]
        let before = trie.depth(node) as u8;
        every.only(base, before, tokens_below, inner_below)
    }

    /// Derives the slice of a class from the slice of all characters, or of all bytes, below the same base.
    ///
    /// # Complexity
    /// Linear in the bytes of a row. If the class has some but not all characters of a group of
    /// [`ClassSignature`], also linear in the trie nodes that are removed for them.
    fn within(every: &Self, trie: &Trie, trie_index: &TrieIndex, class: Class) -> Self {
        let base = every.base;
        // Characters on the path to the base need not be in the class.
        let above = path_to_root(trie, trie_index, base).fold(0u128, |above, byte| above | 1 << byte);
        let (some, _) = ClassSignature::approximate(class.ascii | above, class.non_ascii.encoding());
        let mut tokens = trie_index.filter_tokens(some, every.tokens.bits());
        let mut inner_nodes = trie_index.filter_inner(some, every.inner_nodes.bits());
        let is_other =
            |&byte: &u8| class.ascii >> byte & 1 == 0 && ClassSignature::of_byte(byte).is_subset(some);
        let edges = |byte| trie_index.edges_to(byte, nodes_below(trie, trie_index, base));
        for edge in (0..0x80).filter(is_other).flat_map(edges) {
            // Otherwise the edge was removed with its parent. The base is not among the inner nodes of the
            // slice.
            let parent = edge.parent.index();
            if edge.parent == base || inner_nodes[parent / 64] >> (parent % 64) & 1 == 1 {
                let ids = trie.subtree_tokens(edge.child).iter();
                ids.map(|id| id.0 as usize).for_each(|id| tokens[id / 64] &= !(1 << (id % 64)));
                let range = trie_index.inner_range(edge.child.0..trie.end(edge.child).0);
                over_range(range.start, range.end, |word, mask| inner_nodes[word] &= !mask);
            }
        }
        every.only(base, every.before, tokens, inner_nodes)
    }

    /// Returns the base node.
    pub(crate) const fn base(&self) -> InnerId {
        self.base
    }

    /// Returns the maximum number of characters of a token, counted from the base.
    pub(crate) const fn longest(&self) -> usize {
        (NOWHERE - 1 - self.before) as usize
    }

    /// Returns the tokens of at most `most` characters as a packed row.
    pub(crate) fn row(&self, vocabulary: &Vocabulary, most: usize) -> Vec<u32> {
        let mut row = self.tokens.packed_up_to(self.layer(most));
        row.truncate(vocabulary.mask_words());
        row
    }

    /// Returns the inner nodes after at least one and at most `most` characters, one bit each.
    pub(crate) fn inner_nodes(&self, most: usize) -> BitRow {
        self.inner_nodes.up_to(self.layer(most))
    }

    /// Returns the layer of the nodes that are `length` characters below the base.
    fn layer(&self, length: usize) -> usize {
        length.saturating_add(usize::from(self.before))
    }

    /// Returns the number of characters from the base to an inner node, or [`NOWHERE`] if it is not in the
    /// slice.
    #[inline]
    pub(crate) fn length(&self, inner: InnerId) -> u8 {
        match self.lengths[inner.index()] {
            _ if inner == self.base => 0,
            layer if layer != NOWHERE && self.inner_nodes.has(inner.index()) => layer - self.before,
            _ => NOWHERE,
        }
    }
}

/// Returns the range of the nodes strictly below a base.
pub(crate) fn nodes_below(trie: &Trie, trie_index: &TrieIndex, base: InnerId) -> Range<u32> {
    let node = trie_index.node(base);
    node.0 + 1..trie.end(node).0
}

/// Returns the bytes on the path from the root to a base, the last one first.
pub(crate) fn path_to_root<'a>(
    trie: &'a Trie,
    trie_index: &'a TrieIndex,
    base: InnerId,
) -> impl Iterator<Item = u8> + 'a {
    let above = std::iter::successors(Some(base), |&inner| Some(trie_index.parent(inner)));
    above.take_while(|&inner| inner != InnerId::ROOT).map(|inner| trie.byte(trie_index.node(inner)))
}

/// Returns the paths from a base to some edges below it, which must ascend. Each path omits the steps that it
/// shares with the previous one.
fn paths<'a>(
    trie: &Trie,
    trie_index: &TrieIndex,
    base: InnerId,
    edges: impl Iterator<Item = &'a Edge>,
) -> Box<[PathStep]> {
    #[expect(clippy::cast_possible_truncation, reason = "the length of a token has 16 bits")]
    let step = |node: TrieNodeId, leaves| PathStep {
        node,
        depth: trie.depth(node) as u16,
        byte: trie.byte(node),
        leaves,
    };
    let mut steps: Vec<PathStep> = Vec::new();
    for &Edge { parent, child } in edges {
        let last = steps.last().map(|step| step.node);
        // The previous path contains a node if the node's subtree contains the end of the path.
        let is_shared =
            |shared: TrieNodeId| last.is_some_and(|last| shared < last && last < trie.end(shared));
        let above = std::iter::successors(Some(parent), |&inner| Some(trie_index.parent(inner)));
        let own = above
            .take_while(|&inner| inner != base)
            .map(|inner| trie_index.node(inner))
            .take_while(|&node| !is_shared(node));
        let known = steps.len();
        steps.extend(own.map(|node| step(node, false)));
        steps[known..].reverse();
        steps.push(step(child, true));
    }
    steps.into()
}

/// The slices from which all others are derived.
pub(crate) struct BaseSlices {
    /// Slices of all characters, below each base; the one of the root comes first.
    characters: Box<[Slice]>,
    /// Slices of all bytes, likewise. Few grammars need them.
    bytes: OnceLock<Box<[Slice]>>,
}

impl BaseSlices {
    /// Computes the slices of all characters below some bases.
    ///
    /// # Complexity
    /// Linear in the inner nodes of the trie and the tokens, and for each base in the tokens below it.
    pub(crate) fn new(vocabulary: &Vocabulary, trie_index: &TrieIndex, bases: &[InnerId]) -> Self {
        let every = Slice::of_characters(vocabulary, trie_index);
        let characters = below_bases(every, vocabulary, trie_index, bases);
        Self { characters, bytes: OnceLock::new() }
    }
}

/// Returns the slice of all characters or bytes, then those below the bases except the root.
fn below_bases(
    every: Slice,
    vocabulary: &Vocabulary,
    trie_index: &TrieIndex,
    bases: &[InnerId],
) -> Box<[Slice]> {
    let others = bases.iter().filter(|&&base| base != InnerId::ROOT);
    let mut slices: Vec<Slice> =
        others.map(|&base| Slice::below(&every, vocabulary.trie(), trie_index, base)).collect();
    slices.insert(0, every);
    slices.into()
}

impl Lexicon {
    /// Returns the slice of a class below a base: the root, or a node to which ASCII characters lead.
    pub(crate) fn slice(&self, class: Class, base: InnerId) -> &Slice {
        let base_slices = self.base_slices(class.non_ascii);
        let every = if class.non_ascii == NonAscii::Bytes { Class::ALL_BYTES } else { Class::ALL_CHARACTERS };
        if class == every
            && let Some(slice) = base_slices.iter().find(|slice| slice.base == base)
        {
            return slice;
        }
        match self.slices.get(&(class, base)) {
            Some(slice) => slice,
            None => {
                let (trie, trie_index) = (self.trie(), &self.trie_index);
                let slice = if class == every {
                    Slice::below(&base_slices[0], trie, trie_index, base)
                } else {
                    Slice::within(self.slice(every, base), trie, trie_index, class)
                };
                count((self.vocabulary.id_count() / TOKENS_PER_UNIT) as u64);
                self.spend(slice.bytes_used());
                self.slices.insert((class, base), Box::new(slice)).0
            }
        }
    }

    /// Returns the slices of all bytes if `non_ascii` is `Bytes`, else those of all characters.
    fn base_slices(&self, non_ascii: NonAscii) -> &[Slice] {
        if non_ascii != NonAscii::Bytes {
            return &self.base_slices.characters;
        }
        self.base_slices.bytes.get_or_init(|| {
            count((self.vocabulary.id_count() / TOKENS_PER_UNIT) as u64);
            let every = Slice::of_bytes(&self.vocabulary, &self.trie_index);
            below_bases(every, &self.vocabulary, &self.trie_index, &self.bases)
        })
    }

    /// Returns the edges by a byte whose parents are in a slice.
    pub(crate) fn edges_of<'a>(&'a self, slice: &'a Slice, byte: u8) -> impl Iterator<Item = &'a Edge> {
        let below = nodes_below(self.trie(), &self.trie_index, slice.base);
        let edges = self.trie_index.edges_to(byte, below).iter();
        edges.filter(|edge| slice.length(edge.parent) != NOWHERE)
    }

    /// Returns the paths through characters of a slice to an ASCII character outside its class.
    pub(crate) fn leaving<'a>(&self, slice: &'a Slice, byte: u8) -> &'a [PathStep] {
        slice.leaving[usize::from(byte)].get_or_init(|| {
            let steps = paths(self.trie(), &self.trie_index, slice.base, self.edges_of(slice, byte));
            self.spend(size_of_val(&steps[..]));
            steps
        })
    }

    /// Returns the paths through at least one character of a slice to the edges at which it may have dead
    /// ends.
    pub(crate) fn paths_to_dead_ends(&self, slice: &Slice, ends: &[DeadEnd]) -> Box<[PathStep]> {
        let (trie, trie_index, base) = (self.trie(), &self.trie_index, slice.base);
        let mut edges: Vec<&Edge> = Vec::new();
        for byte in 0..128u8 {
            let here = || ends.iter().filter(|end| end.by >> byte & 1 == 1);
            let near = here().fold(0, |near, end| near | end.near());
            if near == 0 {
                continue;
            }
            // The byte before an edge rules out most edges.
            let may_end =
                |parent: u8| if parent < 0x80 { near >> parent & 1 == 1 } else { near == u128::MAX };
            edges.extend(trie_index.edges_to(byte, nodes_below(trie, trie_index, base)).iter().filter(
                |edge| {
                    edge.parent != base
                        && may_end(trie.byte(trie_index.node(edge.parent)))
                        && slice.length(edge.parent) != NOWHERE
                        && here().any(|end| end.may_follow(trie, trie_index, edge.parent, base))
                },
            ));
        }
        edges.sort_unstable_by_key(|edge| edge.child);
        paths(trie, trie_index, base, edges.into_iter())
    }

    /// Returns the paths through characters of a slice to the multi-byte characters that its class excludes.
    /// Vocabularies contain few of them.
    pub(crate) fn paths_to_omitted(&self, slice: &Slice, non_ascii: NonAscii) -> Box<[PathStep]> {
        let (trie, trie_index, base) = (self.trie(), &self.trie_index, slice.base);
        let is_within = |&(before, _): &(InnerId, &Edge)| slice.length(before) != NOWHERE;
        let mut edges: Vec<&Edge> = trie_index
            .excluded_edges(trie, non_ascii.encoding())
            .filter(is_within)
            .map(|(_, edge)| edge)
            .collect();
        edges.sort_unstable_by_key(|edge| edge.child);
        paths(trie, trie_index, base, edges.into_iter())
    }

    /// Returns the paths to the nodes of a slice after exactly `length` characters.
    pub(crate) fn paths_after(&self, slice: &Slice, length: usize) -> Box<[PathStep]> {
        let (trie, trie_index, base) = (self.trie(), &self.trie_index, slice.base);
        let edges: Vec<Edge> = slice
            .inner_nodes
            .at(slice.layer(length))
            .map(|inner| InnerId(narrow(inner)))
            .filter(|&inner| slice.length(inner) != NOWHERE)
            .map(|inner| Edge { parent: trie_index.parent(inner), child: trie_index.node(inner) })
            .collect();
        paths(trie, trie_index, base, edges.iter())
    }
}

/// Adds the tokens that a lexeme accepts below `base` if it counts the characters of a class. Returns
/// `false` and leaves the output unchanged if they cannot be read off a slice.
pub(crate) fn below(
    walk: &mut Walk<'_>,
    base: InnerId,
    by: &SelfLoop,
    output: &mut WalkOutput<'_>,
) -> Result<bool, Error> {
    let Some(counter) = by.counter() else { return Ok(false) };
    let (lexicon, lexeme) = (walk.lexicon, walk.lexeme);
    let trie_index = lexicon.trie_index();
    let live = lexicon.automaton.live_bytes(lexeme)?;
    let (ascii, non_ascii) = by.characters();
    // Bytes outside the class are followed one by one below, which is done for ASCII bytes only.
    let has_strange = (0x80..=u8::MAX).any(|byte| live.contains(byte));
    // If no bound is within the height of the trie, no slice is needed. The slice must contain all tokens up
    // to the bound.
    let most = trie_index.height().min(counter.max as usize);
    let has_longer = trie_index.height() >= usize::from(NOWHERE)
        && most + lexicon.trie().depth(trie_index.node(base)) >= usize::from(NOWHERE);
    let is_free = counter.min == 0 && counter.max as usize >= trie_index.height();
    if is_free
        || walk.has_remaining()
        || has_longer
        || ascii.count_ones() < MIN_CLASS_ASCII
        || (non_ascii == NonAscii::None && has_strange)
    {
        return Ok(false);
    }
    let slice = lexicon.slice(Class { ascii, non_ascii }, base);
    output.allow_row(slice.row(&lexicon.vocabulary, most));
    if counter.completes && output.wants_exits() {
        let mut inner_nodes = slice.inner_nodes(most);
        // No inner node comes after 0 characters.
        if let few @ 1.. = counter.min.saturating_sub(1) {
            let few = slice.inner_nodes(few as usize);
            let those = Arc::make_mut(&mut inner_nodes).iter_mut();
            those.zip(&*few).for_each(|(those, few)| *those &= !few);
        }
        output.exit_at_all(&inner_nodes);
    }
    // Bytes outside the class continue at the start as well, unless the counter still has a minimum.
    let non_ascii = if counter.min == 0 { live.ascii() & !ascii } else { !ascii };
    if non_ascii == 0 {
        return Ok(true);
    }
    // The states after each number of characters. From each, the bytes outside the class are followed below.
    #[expect(clippy::cast_possible_truncation, reason = "at most 128")]
    let letter = ascii.trailing_zeros() as u8;
    let mut states = vec![lexeme];
    let mut is_steady = false;
    while let &[.., last] = &states[..]
        && states.len() <= most
        && !last.is_dead()
        && !is_steady
    {
        let next = lexicon.automaton.step(last, letter)?;
        is_steady = next == last;
        states.push(next);
    }
    for byte in (0..0x80).filter(|byte| non_ascii >> byte & 1 == 1) {
        let next: Vec<LexemeId> =
            states.iter().map(|&state| lexicon.automaton.step(state, byte)).collect::<Result<_, _>>()?;
        if next.iter().all(|next| next.is_dead()) {
            continue;
        }
        for edge in trie_index.edges_to(byte, nodes_below(lexicon.trie(), trie_index, base)) {
            let mut length = usize::from(slice.length(edge.parent));
            if is_steady && length < usize::from(NOWHERE) {
                length = length.min(next.len() - 1);
            }
            if let Some(&next) = next.get(length).filter(|next| !next.is_dead()) {
                walk.enter(edge.child, next, output)?;
            }
        }
    }
    Ok(true)
}
