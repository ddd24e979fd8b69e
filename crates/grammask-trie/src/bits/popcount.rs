//! Counts set bits of rows, several words in parallel.
//!
//! A library built for the baseline `x86-64` target has no `popcnt` instruction, so `u32::count_ones` is a
//! sequence of shifts and sums per word. Counting then dominates the construction of a token set. The loops
//! here add the bytes of several words and sum the bytes once per block.

/// Words counted in parallel.
const LANES: usize = 8;

/// Words whose bit counts fit in one byte: at most 8 bits a byte, and 31 * 8 = 248 <= 255.
const MAX_WORDS_PER_LANE: usize = 31;

/// Words per block: the granularity at which counting stops early.
const BLOCK_WORDS: usize = LANES * MAX_WORDS_PER_LANE;

/// Returns the number of set bits.
pub(crate) fn count_ones(words: &[u32]) -> usize {
    words.chunks(BLOCK_WORDS).map(|block| count_in_block(block, block, |word, _| word)).sum()
}

/// Returns the number of set bits if it is below `limit`, and otherwise a number that is at least `limit`.
/// Stops at the first block that reaches `limit`.
pub(crate) fn count_up_to(words: &[u32], limit: usize) -> usize {
    let mut count = 0;
    let mut blocks = words.chunks(BLOCK_WORDS);
    while count < limit
        && let Some(block) = blocks.next()
    {
        count += count_in_block(block, block, |word, _| word);
    }
    count
}

/// Returns the number of maximal ranges of set bits, at most `limit`. Bits are numbered from the lowest bit
/// of the first word on.
pub(crate) fn count_ranges(words: &[u32], limit: usize) -> usize {
    // A range begins at each set bit whose lower neighbor is clear.
    let starts = |word: u32, previous: u32| word & !(word << 1 | previous >> 31);
    let Some(&first) = words.first() else { return 0 };
    let mut ranges = starts(first, 0).count_ones() as usize;
    for (block, previous) in words[1..].chunks(BLOCK_WORDS).zip(words.chunks(BLOCK_WORDS)) {
        if ranges >= limit {
            return limit;
        }
        ranges += count_in_block(block, previous, starts);
    }
    ranges.min(limit)
}

/// Returns the number of set bits in all `bits(word, other)`, where `word` and `other` have equal indices.
/// `words` has at most [`BLOCK_WORDS`] words, and `others` is at least as long.
#[inline]
fn count_in_block(words: &[u32], others: &[u32], bits: impl Fn(u32, u32) -> u32) -> usize {
    let (rows, rest) = words.as_chunks::<LANES>();
    let (other_rows, other_rest) = others[..words.len()].as_chunks::<LANES>();
    let mut sums = [0u32; LANES];
    for (row, other) in rows.iter().zip(other_rows) {
        let pairs = row.iter().zip(other);
        sums.iter_mut().zip(pairs).for_each(|(sum, (&word, &other))| *sum += byte_counts(bits(word, other)));
    }
    let in_rows: usize = sums.into_iter().flat_map(u32::to_le_bytes).map(usize::from).sum();
    let in_rest = rest.iter().zip(other_rest).map(|(&word, &other)| bits(word, other).count_ones() as usize);
    in_rows + in_rest.sum::<usize>()
}

/// Returns the number of set bits of each byte, in that byte.
///
/// # Source
///
/// H. S. Warren, "Hacker's Delight", second edition, section 5-1: sums of pairs, of fours, and of bytes.
const fn byte_counts(word: u32) -> u32 {
    let pairs = word - (word >> 1 & 0x5555_5555);
    let fours = (pairs & 0x3333_3333) + (pairs >> 2 & 0x3333_3333);
    (fours + (fours >> 4)) & 0x0F0F_0F0F
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_equal_those_of_single_bits() {
        let scattered: Vec<u32> = (0..1000u32).map(|word| word.wrapping_mul(0x9E37_79B9)).collect();
        let long: Vec<u32> = (0..1000u32).map(|word| if word % 7 < 3 { u32::MAX } else { 1 << 31 }).collect();
        for row in [&scattered, &long] {
            for words in [&row[..], &row[..247], &row[..248], &row[..249], &row[3..252], &row[..7], &[]] {
                let bit = |index: usize| words[index / 32] >> (index % 32) & 1 == 1;
                let set: Vec<usize> = (0..32 * words.len()).filter(|&index| bit(index)).collect();
                assert_eq!(count_ones(words), set.len());
                for limit in [0, 1, set.len() / 2, set.len(), set.len() + 1, usize::MAX] {
                    assert_eq!(count_up_to(words, limit).min(limit), set.len().min(limit));
                }
                let ranges = set.iter().filter(|&&index| index == 0 || !bit(index - 1)).count();
                for limit in [0, 1, ranges / 2, ranges, ranges + 1, usize::MAX] {
                    assert_eq!(count_ranges(words, limit), ranges.min(limit));
                }
            }
        }
        assert_eq!(count_ones(&[u32::MAX; 2000]), 64_000);
        assert_eq!(count_ranges(&[u32::MAX; 2000], 9), 1);
    }
}
