//! What things are made of, as rows of bits: one for each trait, so that the things without some of them are found 64 at a time.

use super::Traits;

/// How many traits there are.
const TRAITS: usize = u32::BITS as usize;

/// Words that are looked at in one go.
const BLOCK: usize = 16;

type Block = [u64; BLOCK];

/// Rows, one for each bit of [`Traits`], of one bit for each thing: whether it has the trait; and of pairs of traits, pairs of these, and so on,
/// and of all traits from one on, whether it has any, as mostly many traits that stand together are left out at once.
///
/// Source: the tree over ranges is the segment tree of J. Bentley, "Algorithms for Klee's rectangle problems", 1977.
#[derive(Clone, Debug)]
pub(super) struct Planes {
    /// A tree: the root has number 1, and n has the children 2n and 2n + 1. There is no row 0. Leaves are the traits; the others are
    /// made of them when these are complete. What reaches to the last trait is empty then, as it stands in `from`.
    rows: [Box<[Block]>; 2 * TRAITS],
    /// By trait, whether a thing has it or any behind it; empty until all are complete.
    from: [Box<[Block]>; TRAITS],
}

impl Planes {
    /// So many things, without traits.
    pub(super) fn new(things: usize) -> Self {
        let row = |number| if number < TRAITS { Box::default() } else { blocks(things) };
        let from = std::array::from_fn(|_| Box::default());
        Self { rows: std::array::from_fn(row), from }
    }

    /// A thing has these traits, and those that it had.
    pub(super) fn put(&mut self, thing: usize, Traits(mut traits): Traits) {
        while traits != 0 {
            let row = self.rows[TRAITS + traits.trailing_zeros() as usize].as_flattened_mut();
            row[thing / 64] |= 1 << (thing % 64);
            traits &= traits - 1;
        }
    }

    /// When nothing is put any more: there are so many things.
    pub(super) fn complete(&mut self, things: usize) {
        let blocks = things.div_ceil(64).div_ceil(BLOCK);
        self.rows[TRAITS..].iter_mut().for_each(|row| *row = row[..blocks].into());
        self.from[TRAITS - 1] = std::mem::take(&mut self.rows[2 * TRAITS - 1]);
        for row in (0..TRAITS - 1).rev() {
            self.from[row] = either(&self.rows[TRAITS + row], &self.from[row + 1]);
        }
        // The last of each level reaches to the last trait.
        for number in (1..TRAITS).rev().filter(|number| !(number + 1).is_power_of_two()) {
            self.rows[number] = either(&self.rows[2 * number], &self.rows[2 * number + 1]);
        }
    }

    /// One bit for each of some things: whether it has no other traits. As many words as are given.
    pub(super) fn without(&self, Traits(traits): Traits, among: &[u64]) -> Vec<u64> {
        let mut others: Vec<&[Block]> = Vec::with_capacity(TRAITS);
        // What is behind all these has a row of its own, so that the tree need not be asked for it.
        let behind = (u32::BITS - traits.leading_zeros()) as usize;
        others.extend(self.from.get(behind).map(|row| &**row));
        let traits = traits | u32::MAX.checked_shl(behind as u32).unwrap_or(0);
        let mut open = vec![1];
        while let Some(number) = open.pop() {
            let here = traits_below(number);
            if traits & here == 0 {
                others.push(&self.rows[number]);
            } else if !traits & here != 0 {
                open.extend([2 * number, 2 * number + 1]);
            }
        }
        // Block by block, so that what is left stands in registers until it is written.
        let (chunks, rest) = among.as_chunks::<BLOCK>();
        let left = |(place, among): (usize, Block)| {
            let with = others.iter().filter_map(|row| row.get(place)).fold([0; BLOCK], |mut with, row| {
                with.iter_mut().zip(row).for_each(|(with, one)| *with |= one);
                with
            });
            std::array::from_fn(|word| among[word] & !with[word])
        };
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        let mut without: Vec<Block> = Vec::with_capacity(chunks.len() + 1);
        without.extend(chunks.iter().copied().chain([last]).enumerate().map(left));
        let mut without = without.into_flattened();
        without.truncate(among.len());
        without
    }

    pub(super) fn bytes_used(&self) -> usize {
        self.rows.iter().chain(&self.from).map(|row| size_of_val(&**row)).sum()
    }
}

/// The traits of the leaves below a row.
const fn traits_below(number: usize) -> u32 {
    let depth = number.ilog2();
    let width = TRAITS >> depth;
    let first = (number - (1 << depth)) * width;
    (u32::MAX >> (TRAITS - width)) << first
}

/// What is in one row or in the other.
fn either(one: &[Block], other: &[Block]) -> Box<[Block]> {
    let mut either: Box<[Block]> = one.into();
    let words = either.as_flattened_mut().iter_mut().zip(other.as_flattened());
    words.for_each(|(word, other)| *word |= other);
    either
}

/// A row for so many things.
fn blocks(things: usize) -> Box<[Block]> {
    vec![[0; BLOCK]; things.div_ceil(64).div_ceil(BLOCK)].into()
}

#[cfg(test)]
mod tests {
    use crate::{BranchId, Config, Encoding, Outline, TokenId, Traits, Trie};

    /// What a way is made of, byte by byte.
    fn is_made_of(way: &[u8], ascii: u128, encoding: Encoding) -> bool {
        let is_ascii = |&byte: &u8| byte < 0x80;
        let characters = way.iter().filter(|byte| is_ascii(byte)).all(|byte| ascii >> byte & 1 == 1);
        let own = match std::str::from_utf8(way) {
            _ if way.iter().all(is_ascii) => Encoding::Ascii,
            // What is cut at the end is no error.
            Err(error) if error.error_len().is_some() => Encoding::Bytes,
            _ if way.windows(3).any(|bytes| matches!(bytes, b"\xE2\x80\xA8" | b"\xE2\x80\xA9")) => {
                Encoding::Utf8
            }
            _ if way.windows(2).any(|bytes| bytes == b"\xC2\xA0") => Encoding::Lines,
            _ => Encoding::Words,
        };
        characters && own <= encoding
    }

    #[test]
    fn what_is_made_of_groups_is_found_as_byte_by_byte() {
        let pieces: [&[u8]; 10] =
            [b"a", b"z", b"Q", b"7", b" ", b"-", "é".as_bytes(), b"\xC2\xA0", b"\xE2\x80\xA8", b"\xFF"];
        let mut words: Vec<Vec<u8>> = vec![Vec::new()];
        for _ in 0..3 {
            let longer =
                words.iter().flat_map(|word| pieces.iter().map(move |piece| [word, *piece].concat()));
            words = longer.chain(words.clone()).collect();
            words.sort();
            words.dedup();
        }
        words.extend([b"a\xE2\x80".to_vec(), b"\xE2".to_vec(), b"z\xC3".to_vec()]);
        words.retain(|word| !word.is_empty());
        // Ids that leave gaps, as special tokens do.
        let tokens: Vec<(TokenId, &[u8])> =
            (0..).map(|id| TokenId(3 * id)).zip(words.iter().map(Vec::as_slice)).collect();
        let trie = Trie::new(&tokens, &Config::default()).unwrap();
        let outline = Outline::new(&trie);
        let letters: u128 = 0x07ff_fffe << 96 | 0x07ff_fffe << 64;
        let digits: u128 = 0x03ff << 48;
        for ascii in [0, letters, digits, letters | digits, letters | 1 << b' ', u128::MAX] {
            for encoding in
                [Encoding::Ascii, Encoding::Words, Encoding::Lines, Encoding::Utf8, Encoding::Bytes]
            {
                let (traits, _) = Traits::of(ascii, encoding);
                let has = |bits: &[u64], place: usize| bits[place / 64] >> (place % 64) & 1 == 1;
                // Of more than there are, and of fewer.
                let (every, some) = (vec![u64::MAX; tokens.len()], vec![0x5555_5555_5555_5555; 20]);
                let of_tokens = outline.tokens_of(traits, &every);
                let of_branches = outline.branches_of(traits, &every[..outline.len().div_ceil(64)]);
                let of_some = outline.tokens_of(traits, &some);
                assert_eq!((of_tokens.len(), of_some.len()), (every.len(), some.len()));
                assert!(
                    of_some.iter().zip(&of_tokens).all(|(some, all)| *some == all & 0x5555_5555_5555_5555)
                );
                for &(id, bytes) in &tokens {
                    let expected = is_made_of(bytes, ascii, encoding);
                    assert_eq!(has(&of_tokens, id.0 as usize), expected, "{bytes:?} {encoding:?}");
                }
                for branch in 0..outline.len() {
                    let way = trie.path(outline.node(BranchId(branch as u32)));
                    let expected = is_made_of(&way, ascii, encoding);
                    assert_eq!(has(&of_branches, branch), expected, "{way:?} {encoding:?}");
                }
            }
        }
    }
}
