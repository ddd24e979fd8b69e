//! Slices of the vocabulary: the tokens that consist of the characters of a class, bucketed by their number
//! of characters.
//!
//! Near the bound of a counter, most subtrees of the trie are cut somewhere. The tokens that are short enough
//! are then read from the slice.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use grammask_regular::Error;
use grammask_trie::index::{ClassSignature, Edge, InnerId, TrieIndex, Utf8Decoder};
use grammask_trie::{Trie, TrieNodeId, Vocabulary};

use crate::lexicon::Lexicon;
use crate::lexicon::automaton::LexemeId;
use crate::lexicon::slice::frontier::DeadEnd;
use crate::lexicon::slice::layers::{LengthIndex, LengthIndexBuilder};
use crate::lexicon::walk::Walk;
use crate::lexicon::walk::output::WalkOutput;
use crate::lexicon::walk::self_loop::{NonAscii, SelfLoop};
use crate::node_set::{BitRow, over_range};

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
    pub(crate) others: NonAscii,
}

impl Class {
    /// All characters.
    pub(crate) const EVERY: Self = Self { ascii: u128::MAX, others: NonAscii::Characters };
    /// All bytes.
    pub(crate) const BYTES: Self = Self { ascii: u128::MAX, others: NonAscii::Bytes };
}

/// Position in a text of a class: the number of characters, including an incomplete last one, and the decoder
/// state inside that one.
type TextPosition = (u8, Utf8Decoder);

impl Class {
    const START: TextPosition = (0, Utf8Decoder::Boundary);

    /// Returns the position after one more byte. Returns `None` if the byte continues no character of the
    /// class, or if the length would reach [`NOWHERE`].
    fn after(&self, (length, inside): TextPosition, byte: u8) -> Option<TextPosition> {
        let is_between = inside == Utf8Decoder::Boundary;
        let next = match self.others {
            _ if is_between && byte < 0x80 => {
                (self.ascii >> byte & 1 == 1).then_some(Utf8Decoder::Boundary)?
            }
            NonAscii::Bytes => Utf8Decoder::Boundary,
            NonAscii::None => return None,
            // Characters that these classes exclude are removed by `Slice::within`.
            NonAscii::Words | NonAscii::Lines | NonAscii::Characters => {
                let (next, is_right) = inside.after(byte);
                is_right.then_some(next)?
            }
        };
        let length = length.saturating_add(u8::from(is_between));
        (length < NOWHERE).then_some((length, next))
    }
}

/// The tokens and inner trie nodes whose paths from a base node consist of characters of a class. The base is
/// mostly the root.
pub(crate) struct Slice {
    /// Base node. `before` is the number of characters that lead to it from the root.
    base: InnerId,
    before: u8,
    /// Tokens by number of characters, counted from the root; an incomplete last character counts.
    tokens: LengthIndex,
    /// Inner nodes between two characters, likewise. The base itself is not among them.
    branches: LengthIndex,
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
pub(crate) const NOWHERE: u8 = u8::MAX;

impl Slice {
    pub(crate) fn bytes_used(&self) -> usize {
        let paths = self.leaving.iter().filter_map(OnceLock::get);
        let paths: usize = paths.map(|steps| size_of_val(&steps[..])).sum();
        // Shared with the slices derived from it.
        let lengths = if self.branches.is_whole() { size_of_val(&*self.lengths) } else { 0 };
        size_of::<Self>() + self.tokens.bytes_used() + self.branches.bytes_used() + lengths + paths
    }

    /// # Complexity
    /// Linear in the nodes of the trie.
    pub(crate) fn new(vocabulary: &Vocabulary, outline: &TrieIndex, class: &Class) -> Self {
        let trie = vocabulary.trie();
        let (bytes, ends, depths) = (trie.columns().bytes, trie.columns().ends, trie.columns().depths);
        let mut tokens = LengthIndexBuilder::new(32 * vocabulary.mask_words());
        let mut branches = Branches::new(outline);
        // By depth: the position after the node.
        let mut path = vec![Class::START; outline.height() + 1];
        let mut node = 1;
        while node < ends[0] {
            let n = node as usize;
            let depth = usize::from(depths[n]);
            let Some(next) = class.after(path[depth - 1], bytes[n]) else {
                node = ends[n];
                continue;
            };
            let (length, inside) = next;
            trie.tokens(TrieNodeId(node)).iter().for_each(|id| tokens.put(id.0 as usize, length));
            if let Some(branch) = outline.inner(TrieNodeId(node)) {
                if inside == Utf8Decoder::Boundary {
                    branches.put(branch, length);
                }
                path[depth] = next;
            }
            node += 1;
        }
        Self {
            base: InnerId::ROOT,
            before: 0,
            tokens: tokens.complete(),
            branches: branches.layers.complete(),
            lengths: branches.lengths.into(),
            leaving: [const { OnceLock::new() }; 128],
        }
    }

    /// Returns the slice of the given tokens and inner nodes, one bit each, below a base.
    fn only(&self, base: InnerId, before: u8, tokens: Vec<u64>, branches: Vec<u64>) -> Self {
        Self {
            base,
            before,
            tokens: self.tokens.only(tokens),
            branches: self.branches.only(branches),
            lengths: Arc::clone(&self.lengths),
            leaving: [const { OnceLock::new() }; 128],
        }
    }

    /// Returns the slice below another base, to which at most `MAX_BASE_DEPTH` ASCII characters lead.
    ///
    /// # Complexity
    /// Linear in the tokens below.
    fn below(every: &Self, trie: &Trie, outline: &TrieIndex, base: InnerId) -> Self {
        let node = outline.node(base);
        let (tokens, branches) = (every.tokens.bits(), every.branches.bits());
        let mut tokens_below = vec![0; tokens.len()];
        for id in trie.tokens_below(node).iter().map(|id| id.0 as usize) {
            tokens_below[id / 64] |= tokens[id / 64] & 1 << (id % 64);
        }
        let mut branches_below = vec![0; branches.len()];
        let inner = outline.inner_range(node.0 + 1..trie.end(node).0);
        over_range(inner.start, inner.end, |word, mask| branches_below[word] |= branches[word] & mask);
        let before = trie.depth(node) as u8;
        every.only(base, before, tokens_below, branches_below)
    }

    /// Derives the slice of a class from the slice of all characters, or of all bytes, below the same base.
    ///
    /// # Complexity
    /// Linear in the bytes of a row. If the class has some but not all characters of a group of
    /// [`ClassSignature`], also linear in the trie nodes that are removed for them.
    fn within(every: &Self, trie: &Trie, outline: &TrieIndex, class: Class) -> Self {
        let base = every.base;
        // Characters on the path to the base need not be in the class.
        let above = way(trie, outline, base).fold(0u128, |above, byte| above | 1 << byte);
        let (some, _) = ClassSignature::approximate(class.ascii | above, class.others.encoding());
        let mut tokens = outline.filter_tokens(some, every.tokens.bits());
        let mut branches = outline.filter_inner(some, every.branches.bits());
        let is_other =
            |&byte: &u8| class.ascii >> byte & 1 == 0 && ClassSignature::of_byte(byte).is_subset(some);
        let edges = |byte| outline.edges_to(byte, nodes_below(trie, outline, base));
        for edge in (0..0x80).filter(is_other).flat_map(edges) {
            // Otherwise the edge was removed with its parent. The base is not among the inner nodes of the
            // slice.
            let parent = edge.parent.index();
            if edge.parent == base || branches[parent / 64] >> (parent % 64) & 1 == 1 {
                let ids = trie.subtree_tokens(edge.child).iter();
                ids.map(|id| id.0 as usize).for_each(|id| tokens[id / 64] &= !(1 << (id % 64)));
                let inner = outline.inner_range(edge.child.0..trie.end(edge.child).0);
                over_range(inner.start, inner.end, |word, mask| branches[word] &= !mask);
            }
        }
        every.only(base, every.before, tokens, branches)
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
    pub(crate) fn branches(&self, most: usize) -> BitRow {
        self.branches.up_to(self.layer(most))
    }

    /// Returns the layer of the nodes that are `length` characters below the base.
    fn layer(&self, length: usize) -> usize {
        length.saturating_add(usize::from(self.before))
    }

    /// Returns the number of characters from the base to an inner node, or [`NOWHERE`] if it is not in the
    /// slice.
    #[inline]
    pub(crate) fn length(&self, branch: InnerId) -> u8 {
        match self.lengths[branch.index()] {
            _ if branch == self.base => 0,
            layer if layer != NOWHERE && self.branches.has(branch.index()) => layer - self.before,
            _ => NOWHERE,
        }
    }
}

/// Builder of the layers of inner nodes.
struct Branches {
    layers: LengthIndexBuilder,
    lengths: Vec<u8>,
}

impl Branches {
    fn new(outline: &TrieIndex) -> Self {
        Self { layers: LengthIndexBuilder::new(outline.len()), lengths: vec![NOWHERE; outline.len()] }
    }

    /// Adds an inner node that is between two characters.
    #[inline]
    fn put(&mut self, branch: InnerId, length: u8) {
        self.layers.put(branch.index(), length);
        self.lengths[branch.index()] = length;
    }
}

/// Returns the range of the nodes strictly below a base.
pub(crate) fn nodes_below(trie: &Trie, outline: &TrieIndex, base: InnerId) -> Range<u32> {
    let node = outline.node(base);
    node.0 + 1..trie.end(node).0
}

/// Returns the bytes on the path from the root to a base, the last one first.
pub(crate) fn way<'a>(
    trie: &'a Trie,
    outline: &'a TrieIndex,
    base: InnerId,
) -> impl Iterator<Item = u8> + 'a {
    let above = std::iter::successors(Some(base), |&branch| Some(outline.parent(branch)));
    above.take_while(|&branch| branch != InnerId::ROOT).map(|branch| trie.byte(outline.node(branch)))
}

/// Returns the paths from a base to some edges below it, which must ascend. Each path omits the steps that it
/// shares with the previous one.
fn paths<'a>(
    trie: &Trie,
    outline: &TrieIndex,
    base: InnerId,
    edges: impl Iterator<Item = &'a Edge>,
) -> Box<[PathStep]> {
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
        let above = std::iter::successors(Some(parent), |&branch| Some(outline.parent(branch)));
        let own = above
            .take_while(|&branch| branch != base)
            .map(|branch| outline.node(branch))
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
    /// Slices of all bytes, likewise.
    bytes: Box<[Slice]>,
}

impl BaseSlices {
    /// Computes the slices below some bases.
    ///
    /// # Complexity
    /// Linear in the nodes of the trie, and for each base in the tokens below it.
    pub(crate) fn new(vocabulary: &Vocabulary, outline: &TrieIndex, bases: &[InnerId]) -> Self {
        let below_all = |class: Class| {
            let every = Slice::new(vocabulary, outline, &class);
            let others = bases.iter().filter(|&&base| base != InnerId::ROOT);
            let mut slices: Vec<Slice> =
                others.map(|&base| Slice::below(&every, vocabulary.trie(), outline, base)).collect();
            slices.insert(0, every);
            slices.into()
        };
        Self { characters: below_all(Class::EVERY), bytes: below_all(Class::BYTES) }
    }

    /// Returns the slices of all bytes if `others` is `Bytes`, else those of all characters.
    fn of(&self, others: NonAscii) -> &[Slice] {
        if others == NonAscii::Bytes { &self.bytes } else { &self.characters }
    }
}

impl Lexicon {
    /// Returns the slice of a class below a base: the root, or a node to which ASCII characters lead.
    pub(crate) fn slice(&self, class: Class, base: InnerId) -> &Slice {
        let base_slices = self.base_slices.of(class.others);
        let every = if class.others == NonAscii::Bytes { Class::BYTES } else { Class::EVERY };
        if class == every
            && let Some(slice) = base_slices.iter().find(|slice| slice.base == base)
        {
            return slice;
        }
        match self.slices.get(&(class, base)) {
            Some(slice) => slice,
            None => {
                let (trie, outline) = (self.trie(), &self.outline);
                let slice = match class == every {
                    true => Slice::below(&base_slices[0], trie, outline, base),
                    false => Slice::within(self.slice(every, base), trie, outline, class),
                };
                self.spend(slice.bytes_used());
                self.slices.insert((class, base), Box::new(slice)).0
            }
        }
    }

    /// Returns the edges by a byte whose parents are in a slice.
    pub(crate) fn edges_of<'a>(&'a self, slice: &'a Slice, byte: u8) -> impl Iterator<Item = &'a Edge> {
        let below = nodes_below(self.trie(), &self.outline, slice.base);
        let edges = self.outline.edges_to(byte, below).iter();
        edges.filter(|edge| slice.length(edge.parent) != NOWHERE)
    }

    /// Returns the paths through characters of a slice to an ASCII character outside its class.
    pub(crate) fn leaving<'a>(&self, slice: &'a Slice, byte: u8) -> &'a [PathStep] {
        slice.leaving[usize::from(byte)].get_or_init(|| {
            let steps = paths(self.trie(), &self.outline, slice.base, self.edges_of(slice, byte));
            self.spend(size_of_val(&steps[..]));
            steps
        })
    }

    /// Returns the paths through at least one character of a slice to the edges at which it may have dead
    /// ends.
    pub(crate) fn paths_to_dead_ends(&self, slice: &Slice, ends: &[DeadEnd]) -> Box<[PathStep]> {
        let (trie, outline, base) = (self.trie(), &self.outline, slice.base);
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
            edges.extend(outline.edges_to(byte, nodes_below(trie, outline, base)).iter().filter(|edge| {
                edge.parent != base
                    && may_end(trie.byte(outline.node(edge.parent)))
                    && slice.length(edge.parent) != NOWHERE
                    && here().any(|end| end.is_behind(trie, outline, edge.parent, base))
            }));
        }
        edges.sort_unstable_by_key(|edge| edge.child);
        paths(trie, outline, base, edges.into_iter())
    }

    /// Returns the paths through characters of a slice to the multi-byte characters that its class excludes.
    /// Vocabularies contain few of them.
    pub(crate) fn paths_to_omitted(&self, slice: &Slice, others: NonAscii) -> Box<[PathStep]> {
        let (trie, outline, base) = (self.trie(), &self.outline, slice.base);
        let is_within = |&(before, _): &(InnerId, &Edge)| slice.length(before) != NOWHERE;
        let mut edges: Vec<&Edge> =
            outline.excluded_edges(trie, others.encoding()).filter(is_within).map(|(_, edge)| edge).collect();
        edges.sort_unstable_by_key(|edge| edge.child);
        paths(trie, outline, base, edges.into_iter())
    }

    /// Returns the paths to the nodes of a slice after exactly `length` characters.
    pub(crate) fn paths_after(&self, slice: &Slice, length: usize) -> Box<[PathStep]> {
        let (trie, outline, base) = (self.trie(), &self.outline, slice.base);
        let edges: Vec<Edge> = slice
            .branches
            .at(slice.layer(length))
            .map(|branch| InnerId(branch as u32))
            .filter(|&branch| slice.length(branch) != NOWHERE)
            .map(|branch| Edge { parent: outline.parent(branch), child: outline.node(branch) })
            .collect();
        paths(trie, outline, base, edges.iter())
    }
}

/// Takes the tokens that a lexeme accepts below `base` if it counts the characters of a class. Returns
/// `false` and leaves the output unchanged if they cannot be read off a slice.
pub(crate) fn below(
    walk: &mut Walk<'_>,
    base: InnerId,
    by: &SelfLoop,
    output: &mut WalkOutput<'_>,
) -> Result<bool, Error> {
    let Some(counter) = by.counter() else { return Ok(false) };
    let (lexicon, lexeme) = (walk.lexicon, walk.lexeme);
    let outline = lexicon.outline();
    let budget = &lexicon.budget;
    let live = lexicon.automaton.live_bytes(lexeme, budget)?;
    let (ascii, others) = by.characters();
    // Bytes outside the class are followed one by one below, which is done for ASCII bytes only.
    let has_strange = (0x80..=u8::MAX).any(|byte| live.contains(byte));
    // If no bound is within the height of the trie, no slice is needed. The slice must contain all tokens up
    // to the bound.
    let most = outline.height().min(counter.max as usize);
    let has_longer = outline.height() >= usize::from(NOWHERE)
        && most + lexicon.trie().depth(outline.node(base)) >= usize::from(NOWHERE);
    let is_free = counter.min == 0 && counter.max as usize >= outline.height();
    if is_free
        || walk.has_remaining()
        || has_longer
        || ascii.count_ones() < MIN_CLASS_ASCII
        || (others == NonAscii::None && has_strange)
    {
        return Ok(false);
    }
    let slice = lexicon.slice(Class { ascii, others }, base);
    output.allow_row(slice.row(&lexicon.vocabulary, most));
    if counter.completes && output.wants_exits() {
        let mut branches = slice.branches(most);
        // No inner node comes after 0 characters.
        if let few @ 1.. = counter.min.saturating_sub(1) {
            let few = slice.branches(few as usize);
            let those = Arc::make_mut(&mut branches).iter_mut();
            those.zip(&*few).for_each(|(those, few)| *those &= !few);
        }
        output.exit_at_all(&branches);
    }
    // Bytes outside the class continue at the start as well, unless the counter still has a minimum.
    let others = if counter.min == 0 { live.ascii() & !ascii } else { !ascii };
    if others == 0 {
        return Ok(true);
    }
    // The states after each number of characters. From each, the bytes outside the class are followed below.
    let letter = ascii.trailing_zeros() as u8;
    let mut states = vec![lexeme];
    let mut is_steady = false;
    while let &[.., last] = &states[..]
        && states.len() <= most
        && !last.is_dead()
        && !is_steady
    {
        let next = lexicon.automaton.step(last, letter, budget)?;
        is_steady = next == last;
        states.push(next);
    }
    for byte in (0..0x80).filter(|byte| others >> byte & 1 == 1) {
        let next: Vec<LexemeId> = states
            .iter()
            .map(|&state| lexicon.automaton.step(state, byte, budget))
            .collect::<Result<_, _>>()?;
        if next.iter().all(|next| next.is_dead()) {
            continue;
        }
        for edge in outline.edges_to(byte, nodes_below(lexicon.trie(), outline, base)) {
            let mut length = usize::from(slice.length(edge.parent));
            if is_steady && length < usize::from(NOWHERE) {
                length = length.min(next.len() - 1);
            }
            if let Some(&next) = next.get(length).filter(|next| !next.is_dead()) {
                walk.arrive(edge.child, next, output)?;
            }
        }
    }
    Ok(true)
}
