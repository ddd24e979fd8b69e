//! Counting the bits of rows, several words side by side.
//!
//! What a library is built for by default need not be a processor that counts bits by itself; and then a count for each word is most of
//! what making a set of tokens costs.

/// Words that are counted together.
const LANES: usize = 8;

/// So many words have at most 255 bits in each byte, if all are 8.
const MOST: usize = 31;

/// Words after which counting may end.
const BLOCK: usize = LANES * MOST;

/// How many bits of some words are set.
pub(crate) fn count_ones(words: &[u32]) -> usize {
    words.chunks(BLOCK).map(|block| count_in(block, block, |word, _| word)).sum()
}

/// The same, unless these are `many`: some number that is no less, found without looking further.
pub(crate) fn count_up_to(words: &[u32], many: usize) -> usize {
    let mut count = 0;
    let mut blocks = words.chunks(BLOCK);
    while count < many
        && let Some(block) = blocks.next()
    {
        count += count_in(block, block, |word, _| word);
    }
    count
}

/// In how many ranges the bits stand that are set in some words, from the lowest bit of the first word on; or `many`, where these are more.
pub(crate) fn count_ranges(words: &[u32], many: usize) -> usize {
    // A range begins at every bit whose lower neighbor is not set.
    let starts = |word: u32, before: u32| word & !(word << 1 | before >> 31);
    let Some(&first) = words.first() else { return 0 };
    let mut ranges = starts(first, 0).count_ones() as usize;
    for (block, before) in words[1..].chunks(BLOCK).zip(words.chunks(BLOCK)) {
        if ranges >= many {
            return many;
        }
        ranges += count_in(block, before, starts);
    }
    ranges.min(many)
}

/// How many bits are set of what is made of each pair of words; at most a block of them.
#[inline]
fn count_in(words: &[u32], others: &[u32], bits: impl Fn(u32, u32) -> u32) -> usize {
    let (rows, rest) = words.as_chunks::<LANES>();
    let (other_rows, other_rest) = others[..words.len()].as_chunks::<LANES>();
    let mut sums = [0u32; LANES];
    for (row, other) in rows.iter().zip(other_rows) {
        let pairs = row.iter().zip(other);
        sums.iter_mut().zip(pairs).for_each(|(sum, (&word, &other))| *sum += in_bytes(bits(word, other)));
    }
    let in_rows: usize = sums.into_iter().flat_map(u32::to_le_bytes).map(usize::from).sum();
    let in_rest = rest.iter().zip(other_rest).map(|(&word, &other)| bits(word, other).count_ones() as usize);
    in_rows + in_rest.sum::<usize>()
}

/// How many bits of each byte are set: sums of pairs, of fours, and of bytes (Warren, "Hacker's Delight", 5-1).
const fn in_bytes(word: u32) -> u32 {
    let pairs = word - (word >> 1 & 0x5555_5555);
    let fours = (pairs & 0x3333_3333) + (pairs >> 2 & 0x3333_3333);
    (fours + (fours >> 4)) & 0x0F0F_0F0F
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bits_and_ranges_are_counted() {
        let scattered: Vec<u32> = (0..1000u32).map(|word| word.wrapping_mul(0x9E37_79B9)).collect();
        let long: Vec<u32> = (0..1000u32).map(|word| if word % 7 < 3 { u32::MAX } else { 1 << 31 }).collect();
        for row in [&scattered, &long] {
            for words in [&row[..], &row[..247], &row[..248], &row[..249], &row[3..252], &row[..7], &[]] {
                let bit = |place: usize| words[place / 32] >> (place % 32) & 1 == 1;
                let set: Vec<usize> = (0..32 * words.len()).filter(|&place| bit(place)).collect();
                assert_eq!(count_ones(words), set.len());
                for least in [0, 1, set.len() / 2, set.len(), set.len() + 1, usize::MAX] {
                    assert_eq!(count_up_to(words, least).min(least), set.len().min(least));
                }
                let ranges = set.iter().filter(|&&place| place == 0 || !bit(place - 1)).count();
                for many in [0, 1, ranges / 2, ranges, ranges + 1, usize::MAX] {
                    assert_eq!(count_ranges(words, many), ranges.min(many));
                }
            }
        }
        assert_eq!(count_ones(&[u32::MAX; 2000]), 64_000);
        assert_eq!(count_ranges(&[u32::MAX; 2000], 9), 1);
    }
}
