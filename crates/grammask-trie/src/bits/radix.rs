//! Sorting token ids: there are a few hundred thousand, so two counts of half their bits do it, without a comparison that nobody can foresee.

use crate::TokenId;

/// Fewer are sorted as fast by comparing them.
const FEW: usize = 256;

/// Halves of more bits are no less work than comparing.
const MOST_BITS: u32 = 10;

/// Sorts ids, ascending.
///
/// Source: D. Knuth, "The Art of Computer Programming", volume 3, 5.2.5, radix list sort, with counts instead of lists.
///
/// # Complexity
/// Linear, where ids are below 2^20.
pub(crate) fn sort_ids(ids: &mut [TokenId]) {
    let all_bits = ids.iter().fold(0, |bits, id| bits | id.0);
    let half = (u32::BITS - all_bits.leading_zeros()).div_ceil(2);
    if ids.len() < FEW || half > MOST_BITS {
        ids.sort_unstable();
        return;
    }
    let mask = (1 << half) - 1;
    let mut by_lower = vec![TokenId(0); ids.len()];
    let mut counts = [0; 1 << MOST_BITS];
    distribute(ids, &mut by_lower, &mut counts[..1 << half], |id| (id.0 & mask) as usize);
    distribute(&by_lower, ids, &mut counts[..1 << half], |id| (id.0 >> half) as usize);
}

/// Writes ids in the order of their digits, equal ones in the order in which they are. There is a count for each digit.
fn distribute(from: &[TokenId], to: &mut [TokenId], next: &mut [u32], digit: impl Fn(TokenId) -> usize) {
    next.fill(0);
    from.iter().for_each(|&id| next[digit(id)] += 1);
    let mut before = 0;
    for place in next.iter_mut() {
        before += std::mem::replace(place, before);
    }
    for &id in from {
        let place = &mut next[digit(id)];
        to[*place as usize] = id;
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_sorted_however_many_and_large_they_are() {
        for most in [1u32, 7, 1 << 9, 200_019, 1 << 20, u32::MAX] {
            for len in [0, 1, 2, FEW - 1, FEW, 1_000, 5_000] {
                let spread = (0..len as u32).map(|n| TokenId(n.wrapping_mul(2_654_435_761) % most));
                let mut ids: Vec<TokenId> = spread.collect();
                let mut expected = ids.clone();
                expected.sort_unstable();
                sort_ids(&mut ids);
                assert_eq!(ids, expected, "{len} below {most}");
            }
        }
    }
}
