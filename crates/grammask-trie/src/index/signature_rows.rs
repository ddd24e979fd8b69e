//! A bit-sliced index of signatures: one row of bits per bit of a signature, and one column per item.
//!
//! Items whose signature is a subset of a query are found 64 at a time: they are in none of the rows of the
//! missing bits. Rows of whole ranges of bits are precomputed, because queries mostly lack neighboring bits.

use super::ClassSignature;

/// Number of bits of a signature.
const SIGNATURE_BITS: usize = u32::BITS as usize;

/// Words per block: the unit in which rows are combined, so that a block stays in registers.
const BLOCK_WORDS: usize = 16;

type Block = [u64; BLOCK_WORDS];

/// The signatures of a list of items, numbered from 0.
///
/// For example, a query that contains all groups up to 8 and no other bits reads one row, `suffixes[9]`. If
/// it also lacks the groups 4 and 5, it reads the one tree row that covers both.
///
/// # Source
///
/// P. O'Neil and D. Quass, "Improved query performance with variant indexes", SIGMOD 1997, on bit-sliced
/// indices. The tree over ranges of bits is the segment tree of J. Bentley, "Algorithms for Klee's rectangle
/// problems", 1977.
#[derive(Clone, Debug)]
pub(super) struct SignatureRows {
    /// A binary tree: the root has number 1, and node n has the children 2n and 2n + 1. The leaves are the
    /// bits of the signatures, and the row of each other node is the union of its children. Number 0 has no
    /// row, and neither have the nodes on the right edge of the tree, whose rows are in `suffixes`.
    rows: [Box<[Block]>; 2 * SIGNATURE_BITS],
    /// For each bit, the items that have this bit or a higher one.
    suffixes: [Box<[Block]>; SIGNATURE_BITS],
}

impl SignatureRows {
    /// Builds the rows of a list of signatures.
    pub(super) fn new(signatures: &[ClassSignature]) -> Self {
        let mut bits: [Box<[Block]>; SIGNATURE_BITS] = std::array::from_fn(|_| empty_row(signatures.len()));
        for (chunk, signatures) in signatures.chunks(SIGNATURE_BITS).enumerate() {
            let mut matrix = [0; SIGNATURE_BITS];
            matrix.iter_mut().zip(signatures).for_each(|(row, signature)| *row = signature.0);
            transpose(&mut matrix);
            let (word, shift) = (chunk * SIGNATURE_BITS / 64, chunk * SIGNATURE_BITS % 64);
            for (row, column) in bits.iter_mut().zip(matrix) {
                row[word / BLOCK_WORDS][word % BLOCK_WORDS] |= u64::from(column) << shift;
            }
        }
        let mut rows: [Box<[Block]>; 2 * SIGNATURE_BITS] = std::array::from_fn(|_| Box::default());
        let mut suffixes: [Box<[Block]>; SIGNATURE_BITS] = std::array::from_fn(|_| Box::default());
        let [.., last] = &mut bits;
        suffixes[SIGNATURE_BITS - 1] = std::mem::take(last);
        for bit in (0..SIGNATURE_BITS - 1).rev() {
            suffixes[bit] = union(&bits[bit], &suffixes[bit + 1]);
            rows[SIGNATURE_BITS + bit] = std::mem::take(&mut bits[bit]);
        }
        // The last node of each level is on the right edge.
        for number in (1..SIGNATURE_BITS).rev().filter(|number| !(number + 1).is_power_of_two()) {
            rows[number] = union(&rows[2 * number], &rows[2 * number + 1]);
        }
        Self { rows, suffixes }
    }

    /// Keeps those of some items, one bit each, whose signature is a subset of the given one. The result has
    /// as many words as `items`.
    pub(super) fn filter_subsets(&self, ClassSignature(bits): ClassSignature, items: &[u64]) -> Vec<u64> {
        let excluded = self.rows_outside(bits);
        // Block by block, so that the remaining items stay in registers until they are written.
        let (chunks, rest) = items.as_chunks::<BLOCK_WORDS>();
        let filter = |(index, items): (usize, Block)| {
            let rows = excluded.iter().filter_map(|row| row.get(index));
            let outside = rows.fold([0; BLOCK_WORDS], |mut outside, row| {
                outside.iter_mut().zip(row).for_each(|(outside, word)| *outside |= word);
                outside
            });
            std::array::from_fn(|word| items[word] & !outside[word])
        };
        let mut last = [0; BLOCK_WORDS];
        last[..rest.len()].copy_from_slice(rest);
        let mut filtered: Vec<Block> = Vec::with_capacity(chunks.len() + 1);
        filtered.extend(chunks.iter().copied().chain([last]).enumerate().map(filter));
        let mut filtered = filtered.into_flattened();
        filtered.truncate(items.len());
        filtered
    }

    /// Returns rows whose union is all items that have a bit which is not in `bits`: the suffix row after the
    /// highest bit, and the maximal tree rows below it.
    fn rows_outside(&self, bits: u32) -> Vec<&[Block]> {
        let mut rows: Vec<&[Block]> = Vec::with_capacity(SIGNATURE_BITS);
        let end = u32::BITS - bits.leading_zeros();
        rows.extend(self.suffixes.get(end as usize).map(|row| &**row));
        let covered = bits | u32::MAX.checked_shl(end).unwrap_or(0);
        let mut open = vec![1];
        while let Some(number) = open.pop() {
            let below = bits_below(number);
            if covered & below == 0 {
                rows.push(&self.rows[number]);
            } else if !covered & below != 0 {
                open.extend([2 * number, 2 * number + 1]);
            }
        }
        rows
    }

    pub(super) fn bytes_used(&self) -> usize {
        self.rows.iter().chain(&self.suffixes).map(|row| size_of_val(&**row)).sum()
    }
}

/// Transposes a square of bits: bit `i` of row `j` becomes bit `j` of row `i`.
///
/// # Source
///
/// H. Warren, "Hacker's Delight", 2nd edition, 2013, section 7-3: blocks of half the width are exchanged.
fn transpose(matrix: &mut [u32; SIGNATURE_BITS]) {
    let (mut width, mut low) = (SIGNATURE_BITS / 2, u32::MAX >> (SIGNATURE_BITS / 2));
    while width > 0 {
        for first in (0..SIGNATURE_BITS).step_by(2 * width) {
            for row in first..first + width {
                let exchanged = (matrix[row] >> width ^ matrix[row + width]) & low;
                matrix[row] ^= exchanged << width;
                matrix[row + width] ^= exchanged;
            }
        }
        width /= 2;
        low ^= low << width;
    }
}

/// Returns the bits at the leaves below a node of the tree.
const fn bits_below(number: usize) -> u32 {
    let depth = number.ilog2();
    let width = SIGNATURE_BITS >> depth;
    let first = (number - (1 << depth)) * width;
    (u32::MAX >> (SIGNATURE_BITS - width)) << first
}

/// Returns the union of two rows of equal length.
fn union(left: &[Block], right: &[Block]) -> Box<[Block]> {
    let mut union: Box<[Block]> = left.into();
    let words = union.as_flattened_mut().iter_mut().zip(right.as_flattened());
    words.for_each(|(word, right)| *word |= right);
    union
}

/// Returns a row of zeros for `len` items.
fn empty_row(len: usize) -> Box<[Block]> {
    vec![[0; BLOCK_WORDS]; len.div_ceil(64).div_ceil(BLOCK_WORDS)].into()
}

#[cfg(test)]
mod tests {
    use crate::index::{ClassSignature, InnerId, TextKind, TrieIndex};
    use crate::{Config, TokenId, Trie};

    /// Returns true if the class has all characters of the path, by looking at each byte.
    fn consists_of(path: &[u8], ascii: u128, kind: TextKind) -> bool {
        let is_ascii = |&byte: &u8| byte < 0x80;
        let characters = path.iter().filter(|byte| is_ascii(byte)).all(|byte| ascii >> byte & 1 == 1);
        let own = match std::str::from_utf8(path) {
            _ if path.iter().all(is_ascii) => TextKind::Ascii,
            // A character cut at the end is allowed.
            Err(error) if error.error_len().is_some() => TextKind::Bytes,
            _ if path.windows(3).any(|bytes| matches!(bytes, b"\xE2\x80\xA8" | b"\xE2\x80\xA9")) => {
                TextKind::Utf8
            }
            _ if path.windows(2).any(|bytes| bytes == b"\xC2\xA0") => TextKind::NoLineEnds,
            _ => TextKind::NoWhitespace,
        };
        characters && own <= kind
    }

    #[test]
    fn filters_agree_with_a_test_of_each_byte() {
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
        let index = TrieIndex::new(&trie);
        let letters: u128 = 0x07ff_fffe << 96 | 0x07ff_fffe << 64;
        let digits: u128 = 0x03ff << 48;
        for ascii in [0, letters, digits, letters | digits, letters | 1 << b' ', u128::MAX] {
            for kind in [
                TextKind::Ascii,
                TextKind::NoWhitespace,
                TextKind::NoLineEnds,
                TextKind::Utf8,
                TextKind::Bytes,
            ] {
                let (signature, _) = ClassSignature::approximate(ascii, kind);
                let has = |bits: &[u64], item: usize| bits[item / 64] >> (item % 64) & 1 == 1;
                // Rows longer than the number of items, and shorter ones.
                let (every, some) = (vec![u64::MAX; tokens.len()], vec![0x5555_5555_5555_5555; 20]);
                let of_tokens = index.filter_tokens(signature, &every);
                let of_inner = index.filter_inner(signature, &every[..index.len().div_ceil(64)]);
                let of_some = index.filter_tokens(signature, &some);
                assert_eq!((of_tokens.len(), of_some.len()), (every.len(), some.len()));
                assert!(
                    of_some.iter().zip(&of_tokens).all(|(some, all)| *some == all & 0x5555_5555_5555_5555)
                );
                for &(id, bytes) in &tokens {
                    let expected = consists_of(bytes, ascii, kind);
                    assert_eq!(has(&of_tokens, id.0 as usize), expected, "{bytes:?} {kind:?}");
                }
                for inner in 0..index.len() {
                    let path = trie.path(index.node(InnerId(inner as u32)));
                    let expected = consists_of(&path, ascii, kind);
                    assert_eq!(has(&of_inner, inner), expected, "{path:?} {kind:?}");
                }
            }
        }
    }
}
