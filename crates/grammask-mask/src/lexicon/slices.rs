//! Slices of the vocabulary: the tokens made of the characters of a loop, by their numbers of characters. Where a counter is near its bound,
//! most subtrees of the trie are cut somewhere; then the tokens that are short enough are taken from here.

use grammask_regular::Error;
use grammask_trie::{Below, BranchId, Decoder, Encoding, NodeId, Outline, Trie, Vocabulary};

use super::Lexicon;
use super::automaton::LexemeId;
use super::layers::{Layers, NOWHERE};
use super::loops::{Loop, Others};
use super::walk::Walk;
use crate::findings::Findings;

/// What names a slice: the characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Class {
    pub(super) ascii: u128,
    pub(super) others: Others,
}

impl Class {
    /// All characters.
    pub(super) const EVERY: Self = Self { ascii: u128::MAX, others: Others::Characters };

    /// Whether some strings are made of characters of the class alone, the last of them perhaps cut.
    fn holds(&self, below: &Below) -> bool {
        let others = match below.encoding {
            Encoding::Ascii => true,
            Encoding::Utf8 => self.others == Others::Characters,
            Encoding::Bytes => false,
        };
        others && below.ascii & !self.ascii == 0
    }
}

/// The tokens and places that a class of characters leads to from the root of the trie.
pub(super) struct Slice {
    /// The tokens by their numbers of characters. One that is cut counts.
    tokens: Layers,
    /// The branches between two characters, likewise; the root is not among them.
    branches: Layers,
    /// For every ASCII character that is not of the class, the ways to it.
    exits: Box<[Vec<Step>]>,
}

/// A step on the ways through characters of a class to one that is none of them; depth first, so a step goes on from the last one that is
/// one less deep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) node: NodeId,
    pub(super) depth: u16,
    pub(super) byte: u8,
    /// Whether the byte is the one that is not of the class.
    pub(super) leaves: bool,
}

/// What is made of fewer ASCII characters is walked as fast.
const FEW: u32 = 20;

impl Slice {
    pub(super) fn bytes_used(&self) -> usize {
        let exits: usize = self.exits.iter().map(|steps| size_of_val(&steps[..])).sum();
        size_of::<Self>() + self.tokens.bytes_used() + self.branches.bytes_used() + exits
    }

    /// `every` is the slice of all characters, unless that is the one.
    pub(super) fn new(
        vocabulary: &Vocabulary,
        outline: &Outline,
        class: Class,
        every: Option<&Self>,
    ) -> Self {
        let trie = vocabulary.trie();
        let (bytes, ends, depths) = (trie.bytes_slice(), trie.ends_slice(), trie.depths_slice());
        let (starts, before, ids) =
            (trie.token_starts_slice(), outline.branches_before(), trie.tokens_slice());
        let mut tokens = Layers::new(32 * vocabulary.mask_words());
        let mut branches = Layers::new(outline.len());
        let mut exits = vec![Vec::new(); 128];
        // By depth: the node, complete characters, and where it is in a further one.
        let mut path = vec![(NodeId::ROOT, 0u8, Decoder::Between); outline.height() + 1];
        let mut node = 1;
        while node < ends[0] {
            let n = node as usize;
            let depth = usize::from(depths[n]);
            let (_, length, inside) = path[depth - 1];
            let byte = bytes[n];
            let is_between = inside == Decoder::Between;
            let next = match class.others {
                _ if is_between && byte < 0x80 => {
                    if class.ascii >> byte & 1 == 0 {
                        leave(&mut exits[usize::from(byte)], trie, &path[1..depth], NodeId(node));
                        node = ends[n];
                        continue;
                    }
                    Some(Decoder::Between)
                }
                Others::Bytes => Some(Decoder::Between),
                Others::None => None,
                Others::Characters => {
                    let (next, is_right) = inside.after(byte);
                    is_right.then_some(next)
                }
            };
            let length = length.saturating_add(u8::from(is_between));
            let Some(next) = next.filter(|_| length < NOWHERE) else {
                node = ends[n];
                continue;
            };
            for id in &ids[starts[n] as usize..starts[n + 1] as usize] {
                tokens.put(id.0 as usize, length);
            }
            if before[n] < before[n + 1] {
                if next == Decoder::Between {
                    branches.put(before[n] as usize, length);
                }
                path[depth] = (NodeId(node), length, next);
                // What is nothing but characters of the class is as long as it always is, where it has been up to here: bytes are more than
                // characters.
                let branch = BranchId(before[n]);
                if let Some(every) = every
                    && next == Decoder::Between
                    && every.length(branch) == length
                    && class.holds(outline.below(branch))
                {
                    let end = ends[n] as usize;
                    let (these, inner) = (
                        starts[n + 1] as usize..starts[end] as usize,
                        before[n + 1] as usize..before[end] as usize,
                    );
                    tokens.copy(&every.tokens, ids[these].iter().map(|id| id.0 as usize));
                    branches.copy_range(&every.branches, inner);
                    node = ends[n];
                    continue;
                }
            }
            node += 1;
        }
        Self { tokens: tokens.complete(), branches: branches.complete(), exits: exits.into() }
    }

    /// The tokens of up to so many characters, as a packed row.
    pub(super) fn row(&self, vocabulary: &Vocabulary, most: usize) -> Vec<u32> {
        let mut row = Vec::with_capacity(vocabulary.mask_words() + 1);
        row.extend(self.tokens.up_to(most).flat_map(|word| [word as u32, (word >> 32) as u32]));
        row.truncate(vocabulary.mask_words());
        row
    }

    /// The branches behind at least one and up to so many characters, one bit each.
    pub(super) fn branches(&self, most: usize) -> Vec<u64> {
        self.branches.up_to(most).collect()
    }

    /// The number of characters before a branch, or [`NOWHERE`].
    #[inline]
    pub(super) fn length(&self, branch: BranchId) -> u8 {
        if branch == BranchId::ROOT { 0 } else { self.branches.layer(branch.index()) }
    }

    /// The ways to an ASCII character that is not of the class.
    pub(super) fn exits(&self, byte: u8) -> &[Step] {
        &self.exits[usize::from(byte)]
    }
}

/// Notes the way to a node that is not of the class, without the steps that the last way has in common with it.
fn leave(steps: &mut Vec<Step>, trie: &Trie, path: &[(NodeId, u8, Decoder)], node: NodeId) {
    let last = steps.last().map(|step| step.node);
    // What the last way went through ends behind it.
    let is_shared = |&(shared, ..): &(NodeId, u8, Decoder)| {
        last.is_some_and(|last| shared < last && last < trie.end(shared))
    };
    let known = path.iter().take_while(|place| is_shared(place)).count();
    let step =
        |node: NodeId, leaves| Step { node, depth: trie.depth(node) as u16, byte: trie.byte(node), leaves };
    steps.extend(path[known..].iter().map(|&(node, ..)| step(node, false)));
    steps.push(step(node, true));
}

impl Lexicon {
    /// The slice of a class.
    pub(super) fn slice(&self, class: Class) -> &Slice {
        if class == Class::EVERY {
            return &self.characters;
        }
        match self.slices.get(&class) {
            Some(slice) => slice,
            None => {
                let slice = Slice::new(&self.vocabulary, &self.outline, class, Some(&self.characters));
                self.spend(slice.bytes_used());
                self.slices.insert(class, slice).0
            }
        }
    }
}

/// What a lexeme takes below the root, where it counts characters. Gives up, with `false`, where that cannot be read off a slice.
pub(super) fn below_root(walk: &mut Walk<'_>, by: &Loop, findings: &mut Findings<'_>) -> Result<bool, Error> {
    let Some(counter) = by.counter() else { return Ok(false) };
    let (lexicon, lexeme) = (walk.lexicon, walk.lexeme);
    let outline = lexicon.outline();
    let budget = &lexicon.budget;
    let live = lexicon.automaton.live_bytes(lexeme, budget)?;
    let (ascii, others) = by.characters();
    // Bytes that begin no character of the loop are looked at one by one; that is no way where they are many.
    let has_strange = (0x80..=u8::MAX).any(|byte| live.contains(byte));
    // A slice has no tokens that are longer. Where no bound is near, no slice is needed.
    let most = outline.height().min(counter.max as usize);
    let is_free = counter.min == 0 && counter.max as usize >= outline.height();
    if is_free
        || most >= usize::from(NOWHERE)
        || ascii.count_ones() < FEW
        || (others == Others::None && has_strange)
    {
        return Ok(false);
    }
    let slice = lexicon.slice(Class { ascii, others });
    findings.allow_row(slice.row(&lexicon.vocabulary, most));
    if counter.completes {
        let mut branches = slice.branches(most);
        if let Some(few) = counter.min.checked_sub(1) {
            let few = slice.branches(few as usize);
            branches.iter_mut().zip(few).for_each(|(all, few)| *all &= !few);
        }
        findings.hand_over_all(branches);
    }
    // The states after each number of characters, and what else they take.
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
    for byte in (0..0x80).filter(|byte| ascii >> byte & 1 == 0) {
        let next: Vec<LexemeId> = states
            .iter()
            .map(|&state| lexicon.automaton.step(state, byte, budget))
            .collect::<Result<_, _>>()?;
        if next.iter().all(|next| next.is_dead()) {
            continue;
        }
        for edge in outline.edges(byte) {
            let mut length = usize::from(slice.length(edge.parent));
            if is_steady && length < usize::from(NOWHERE) {
                length = length.min(next.len() - 1);
            }
            if let Some(&next) = next.get(length).filter(|next| !next.is_dead()) {
                walk.arrive(edge.child, next, findings)?;
            }
        }
    }
    Ok(true)
}
