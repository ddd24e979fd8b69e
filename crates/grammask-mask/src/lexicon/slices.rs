//! Slices of the vocabulary: the tokens made of the characters of a loop, by their numbers of characters. Where a counter is near its bound,
//! most subtrees of the trie are cut somewhere; then the tokens that are short enough are taken from here.

use grammask_regular::Error;
use grammask_trie::NodeId;

use super::Lexicon;
use super::automaton::LexemeId;
use super::loops::{Loop, Others};
use super::walk::Walk;
use crate::findings::Findings;

/// What names a slice: the characters of the loop, and what one of them is where it has several bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Class {
    ascii: u128,
    others: Others,
    character: LexemeId,
}

/// The tokens and places that a class of characters leads to from the root of the trie.
pub(super) struct Slice {
    /// For each branch between two characters of the class the number of characters before it; else [`NOWHERE`].
    lengths: Box<[u8]>,
    /// The tokens by their numbers of characters. One that is cut counts.
    tokens: Layers,
    /// The branches between two characters, likewise; without the root.
    branches: Layers,
}

/// Numbers in layers, ready to be had up to any layer.
#[derive(Default)]
struct Layers {
    layers: Vec<Vec<u32>>,
    /// For the first few layers all numbers up to there, as rows of bits; the last row is that of all.
    rows: Vec<Box<[u64]>>,
}

impl Layers {
    fn push(&mut self, layer: usize, number: u32) {
        if self.layers.len() <= layer {
            self.layers.resize_with(layer + 1, Vec::new);
        }
        self.layers[layer].push(number);
    }

    /// Makes the rows, of so many bits.
    fn finish(mut self, bits: usize) -> Self {
        let mut row = vec![0u64; bits.div_ceil(64)];
        for (layer, numbers) in self.layers.iter().enumerate() {
            numbers.iter().for_each(|&number| row[number as usize / 64] |= 1 << (number % 64));
            if layer <= ROWS {
                self.rows.push(row.clone().into());
            }
        }
        self.rows.push(row.into());
        self
    }

    /// All numbers up to a layer, as a row of bits.
    fn up_to(&self, layer: usize) -> Vec<u64> {
        if layer <= ROWS && layer + 1 < self.rows.len() {
            return self.rows[layer].to_vec();
        }
        let mut row = self.rows.last().expect("there is the row of all").to_vec();
        for numbers in self.layers.iter().skip(layer + 1) {
            numbers.iter().for_each(|&number| row[number as usize / 64] &= !(1 << (number % 64)));
        }
        row
    }

    fn bytes_used(&self) -> usize {
        let layers: usize = self.layers.iter().map(|layer| size_of_val(&layer[..])).sum();
        let rows: usize = self.rows.iter().map(|row| size_of_val(&row[..])).sum();
        layers + rows
    }
}

const NOWHERE: u8 = u8::MAX;

/// Packed rows are kept for up to so many characters; few tokens have more.
const ROWS: usize = 16;

impl Slice {
    pub(super) fn bytes_used(&self) -> usize {
        self.lengths.len() + self.tokens.bytes_used() + self.branches.bytes_used()
    }

    fn new(lexicon: &Lexicon, class: Class) -> Result<Self, Error> {
        let (trie, outline) = (lexicon.trie(), lexicon.outline());
        let (bytes, ends, depths) = (trie.bytes_slice(), trie.ends_slice(), trie.depths_slice());
        let epsilon = lexicon.automaton.epsilon(&lexicon.budget)?;
        let mut lengths = vec![NOWHERE; outline.len()];
        let (mut tokens, mut branches) = (Layers::default(), Layers::default());
        if let Some(root) = lengths.first_mut() {
            *root = 0;
        }
        // By depth: complete characters, and where it is in a further one.
        let mut path = vec![(0usize, class.character); trie.max_depth() + 1];
        let mut node = 1;
        while node < ends[0] {
            let n = node as usize;
            let depth = usize::from(depths[n]);
            let (length, inside) = path[depth - 1];
            let below = ends[n];
            let byte = bytes[n];
            let is_between = inside == class.character;
            let next = match class.others {
                _ if is_between && byte < 0x80 => {
                    if class.ascii >> byte & 1 == 1 {
                        epsilon
                    } else {
                        LexemeId::DEAD
                    }
                }
                Others::Bytes => epsilon,
                Others::None => LexemeId::DEAD,
                Others::Characters => lexicon.automaton.step(inside, byte, &lexicon.budget)?,
            };
            let length = length + usize::from(is_between);
            if next.is_dead() || length >= usize::from(NOWHERE) {
                node = below;
                continue;
            }
            trie.tokens(NodeId(node)).iter().for_each(|token| tokens.push(length, token.0));
            if let Some(branch) = outline.branch(NodeId(node)) {
                let is_complete = next == epsilon;
                if is_complete {
                    lengths[branch.index()] = length as u8;
                    branches.push(length, branch.0);
                }
                path[depth] = (length, if is_complete { class.character } else { next });
            }
            node += 1;
        }
        let tokens = tokens.finish(32 * lexicon.vocabulary.mask_words());
        let branches = branches.finish(outline.len());
        Ok(Self { lengths: lengths.into(), tokens, branches })
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
    if is_free || most >= usize::from(NOWHERE) || ascii == 0 || (others == Others::None && has_strange) {
        return Ok(false);
    }
    let class = Class { ascii, others, character: counter.character };
    let slice = match lexicon.slices.get(&class) {
        Some(slice) => slice,
        None => {
            let slice = Slice::new(lexicon, class)?;
            lexicon.spend(slice.bytes_used());
            lexicon.slices.insert(class, slice).0
        }
    };
    let halves = slice.tokens.up_to(most).into_iter().flat_map(|word| [word as u32, (word >> 32) as u32]);
    findings.allow_row(halves.take(lexicon.vocabulary.mask_words()).collect());
    if counter.completes {
        let mut branches = slice.branches.up_to(most);
        if let Some(few) = counter.min.checked_sub(1) {
            let few = slice.branches.up_to(few as usize);
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
            let mut length = usize::from(slice.lengths[edge.parent.index()]);
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
