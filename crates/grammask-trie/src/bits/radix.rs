//! Sorts token ids by radix. Ids have at most 20 bits in practice, so two counting passes over 10 bits each
//! sort them without mispredicted comparisons.

use crate::TokenId;

/// Length below which comparison sort is as fast.
const MIN_RADIX_SORT_LEN: usize = 256;

/// Maximum width of a digit, in bits. Wider digits need counter tables that cost more than comparisons.
const MAX_DIGIT_BITS: u32 = 10;

/// Sorts ids in ascending order.
///
/// # Complexity
///
/// O(n) for n ids below 2^20, and O(n log n) if an id is larger.
///
/// # Source
///
/// D. Knuth, "The Art of Computer Programming", volume 3, section 5.2.5, with counters instead of lists.
pub(crate) fn sort_ids(ids: &mut [TokenId]) {
    let all_bits = ids.iter().fold(0, |bits, id| bits | id.0);
    let digit_bits = (u32::BITS - all_bits.leading_zeros()).div_ceil(2);
    if ids.len() < MIN_RADIX_SORT_LEN || digit_bits > MAX_DIGIT_BITS {
        ids.sort_unstable();
        return;
    }
    let mask = (1 << digit_bits) - 1;
    let mut by_lower = vec![TokenId(0); ids.len()];
    let mut counters = [0; 1 << MAX_DIGIT_BITS];
    let counters = &mut counters[..1 << digit_bits];
    distribute(ids, &mut by_lower, counters, |id| (id.0 & mask) as usize);
    distribute(&by_lower, ids, counters, |id| (id.0 >> digit_bits) as usize);
}

/// Writes the ids to `to` in the order of their digits, stable for equal digits. `next` has one counter per
/// digit.
fn distribute(from: &[TokenId], to: &mut [TokenId], next: &mut [u32], digit: impl Fn(TokenId) -> usize) {
    next.fill(0);
    from.iter().for_each(|&id| next[digit(id)] += 1);
    let mut before = 0;
    for counter in next.iter_mut() {
        before += std::mem::replace(counter, before);
    }
    for &id in from {
        let index = &mut next[digit(id)];
        to[*index as usize] = id;
        *index += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_sorted_for_all_lengths_and_widths() {
        for bound in [1u32, 7, 1 << 9, 200_019, 1 << 20, u32::MAX] {
            for len in [0, 1, 2, MIN_RADIX_SORT_LEN - 1, MIN_RADIX_SORT_LEN, 1_000, 5_000] {
                let spread = (0..len as u32).map(|n| TokenId(n.wrapping_mul(2_654_435_761) % bound));
                let mut ids: Vec<TokenId> = spread.collect();
                let mut expected = ids.clone();
                expected.sort_unstable();
                sort_ids(&mut ids);
                assert_eq!(ids, expected, "{len} ids below {bound}");
            }
        }
    }
}
