//! Copying rows, at one speed wherever they lie.
//!
//! For rows of some thousand bytes, the `memcpy` of glibc takes an instruction that copies whole strings. On some processors it is fifteen times slower
//! where the row that is written begins up to 31 bytes behind the one that is read, counted from the beginning of their pages of 4 KB, wherever
//! these are: 9 us in place of 0.6 for a row of 200,000 tokens. Rows that are allocated come to lie so once in 256 times, those of a batch, one
//! behind the other, too. There a row is copied in pieces that are too short for the instruction.

/// Whether a row would be copied slowly from one address to another.
const fn is_slow(from: usize, to: usize) -> bool {
    const PAGE: usize = 4096;
    // It is slow for less than 32, the bytes of a register; there may be larger ones.
    const BEHIND: usize = 64;
    let behind = to.wrapping_sub(from) % PAGE;
    0 < behind && behind < BEHIND
}

/// Bytes of a piece: for fewer than some 2,000, the `memcpy` of glibc does not take that instruction.
const PIECE: usize = 1024;

/// Words of a piece, at least one, and one of words that take no room.
const fn words<T>() -> usize {
    match PIECE.checked_div(size_of::<T>()) {
        Some(0) | None => 1,
        Some(words) => words,
    }
}

/// Copies a row over another one of the same length.
///
/// ```
/// let (row, mut copy) = ([1, 2, 3], [0; 3]);
/// grammask_trie::copy_row(&row, &mut copy);
/// assert_eq!(copy, row);
/// ```
///
/// # Panics
///
/// When their lengths differ.
pub fn copy_row<T: Copy>(from: &[T], to: &mut [T]) {
    if !is_slow(from.as_ptr().addr(), to.as_ptr().addr()) {
        return to.copy_from_slice(from);
    }
    assert_eq!(from.len(), to.len(), "rows of different lengths");
    let pieces = to.chunks_mut(words::<T>()).zip(from.chunks(words::<T>()));
    pieces.for_each(|(to, from)| to.copy_from_slice(from));
}

/// The same into memory of its own.
///
/// ```
/// assert_eq!(grammask_trie::copied_row(&[1, 2, 3]), [1, 2, 3]);
/// ```
pub fn copied_row<T: Copy>(row: &[T]) -> Vec<T> {
    let mut copy: Vec<T> = Vec::with_capacity(row.len());
    if is_slow(row.as_ptr().addr(), copy.as_ptr().addr()) {
        row.chunks(words::<T>()).for_each(|piece| copy.extend_from_slice(piece));
    } else {
        copy.extend_from_slice(row);
    }
    copy
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wherever two rows lie, in pages and beside each other.
    #[test]
    fn copies_are_equal() {
        let words: Vec<u32> = (0..4_000).collect();
        for len in [0, 1, 255, 256, 257, 512, 2_900] {
            for from in [0, 1, 8, 17] {
                for behind in (0..40).chain([1_000, 1_023, 1_024, 1_025]) {
                    let row = &words[from..from + len];
                    let mut room = vec![u32::MAX; 5_000];
                    copy_row(row, &mut room[from + behind..][..len]);
                    assert_eq!(room[from + behind..][..len], *row);
                    let others = room[..from + behind].iter().chain(&room[from + behind + len..]);
                    assert!(others.copied().all(|word| word == u32::MAX), "{len} at {from}, {behind} behind");
                }
                assert_eq!(copied_row(&words[from..from + len]), words[from..from + len]);
            }
        }
    }

    #[test]
    fn what_is_slow_is_right_behind_in_any_page() {
        for page in [0, 4096, 40960] {
            for (behind, expected) in
                [(0, false), (4, true), (16, true), (31, true), (64, false), (4080, false)]
            {
                assert_eq!(is_slow(page + 48, 8192 + 48 + behind), expected, "{behind}");
                assert_eq!(is_slow(page + 4090, 8192 + 4090 + behind), expected, "{behind}");
            }
        }
    }

    #[test]
    fn words_of_any_size_are_copied() {
        let mut nothing = [(); 100];
        copy_row(&[(); 100], &mut nothing);
        assert_eq!(copied_row(&[(); 100]).len(), 100);
        let large: Vec<[u8; 3000]> = (0..9).map(|byte| [byte; 3000]).collect();
        assert_eq!(copied_row(&large), large);
        assert_eq!([words::<()>(), words::<[u8; 3000]>(), words::<u32>(), words::<u64>()], [1, 1, 256, 128]);
    }

    #[test]
    #[should_panic = "rows of different lengths"]
    fn rows_of_different_lengths_are_refused() {
        let words = [0u8; 200];
        let mut room = [0u8; 9_000];
        // At one of these places the copy is made in pieces.
        let from = words.as_ptr().addr();
        let place = (0..4_200).find(|&place| is_slow(from, room[place..].as_ptr().addr())).unwrap();
        copy_row(&words, &mut room[place..][..100]);
    }
}
