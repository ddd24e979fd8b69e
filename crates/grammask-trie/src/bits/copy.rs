//! Row copies that take the same time at every pair of addresses.
//!
//! For blocks of some thousand bytes, the `memcpy` of glibc uses the instruction `rep movsb`. On some
//! processors it is fifteen times slower if the destination starts 1 to 31 bytes after the source, modulo the
//! page size of 4 KB. A row of 200,000 tokens then takes 9 us instead of 0.6 us. One allocation in 256 has
//! such an address, and so do consecutive rows of a batch. These rows are copied in pieces that are too short
//! for the instruction.
//!
//! # Source
//!
//! Intel, "64 and IA-32 Architectures Optimization Reference Manual", on fast-string operation and 4 KB
//! aliasing.

/// Page size, in bytes: addresses with equal lower 12 bits alias.
const PAGE_BYTES: usize = 4096;

/// Distance from source to destination, modulo [`PAGE_BYTES`], below which a copy is made in pieces, in
/// bytes. Slow copies were measured below 32, the size of a vector register; the limit allows for registers
/// of 64 bytes.
const ALIAS_DISTANCE_BYTES: usize = 64;

/// Length of a piece, in bytes. The `memcpy` of glibc uses `rep movsb` from about 2,000 bytes on.
const PIECE_BYTES: usize = 1024;

/// Returns true if `rep movsb` is slow from address `from` to address `to`.
const fn is_slow(from: usize, to: usize) -> bool {
    let distance = to.wrapping_sub(from) % PAGE_BYTES;
    0 < distance && distance < ALIAS_DISTANCE_BYTES
}

/// Returns the number of elements in a piece: at least 1, and 1 for types of size 0.
const fn piece_len<T>() -> usize {
    match PIECE_BYTES.checked_div(size_of::<T>()) {
        Some(0) | None => 1,
        Some(len) => len,
    }
}

/// Copies a row over another row of equal length, at a speed that does not depend on their addresses.
///
/// ```
/// let (row, mut copy) = ([1, 2, 3], [0; 3]);
/// grammask_trie::copy_row(&row, &mut copy);
/// assert_eq!(copy, row);
/// ```
///
/// # Panics
///
/// If the lengths differ.
pub fn copy_row<T: Copy>(from: &[T], to: &mut [T]) {
    if !is_slow(from.as_ptr().addr(), to.as_ptr().addr()) {
        return to.copy_from_slice(from);
    }
    assert_eq!(from.len(), to.len(), "rows of different lengths");
    let pieces = to.chunks_mut(piece_len::<T>()).zip(from.chunks(piece_len::<T>()));
    pieces.for_each(|(to, from)| to.copy_from_slice(from));
}

/// Copies a row into a new vector, at a speed that does not depend on the address of the row.
///
/// ```
/// assert_eq!(grammask_trie::clone_row(&[1, 2, 3]), [1, 2, 3]);
/// ```
pub fn clone_row<T: Copy>(row: &[T]) -> Vec<T> {
    let mut copy: Vec<T> = Vec::with_capacity(row.len());
    if is_slow(row.as_ptr().addr(), copy.as_ptr().addr()) {
        row.chunks(piece_len::<T>()).for_each(|piece| copy.extend_from_slice(piece));
    } else {
        copy.extend_from_slice(row);
    }
    copy
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At all offsets within a page, and at all distances up to a vector register and around a piece.
    #[test]
    fn copy_equals_original_at_every_distance() {
        let words: Vec<u32> = (0..4_000).collect();
        for len in [0, 1, 255, 256, 257, 512, 2_900] {
            for from in [0, 1, 8, 17] {
                for distance in (0..40).chain([1_000, 1_023, 1_024, 1_025]) {
                    let row = &words[from..from + len];
                    let mut buffer = vec![u32::MAX; 5_000];
                    copy_row(row, &mut buffer[from + distance..][..len]);
                    assert_eq!(buffer[from + distance..][..len], *row);
                    let others = buffer[..from + distance].iter().chain(&buffer[from + distance + len..]);
                    assert!(
                        others.copied().all(|word| word == u32::MAX),
                        "{len} at {from}, distance {distance}"
                    );
                }
                assert_eq!(clone_row(&words[from..from + len]), words[from..from + len]);
            }
        }
    }

    #[test]
    fn short_distances_are_slow_in_any_page() {
        for page in [0, 4096, 40960] {
            for (distance, expected) in
                [(0, false), (4, true), (16, true), (31, true), (64, false), (4080, false)]
            {
                assert_eq!(is_slow(page + 48, 8192 + 48 + distance), expected, "{distance}");
                assert_eq!(is_slow(page + 4090, 8192 + 4090 + distance), expected, "{distance}");
            }
        }
    }

    #[test]
    fn elements_of_any_size_are_copied() {
        let mut nothing = [(); 100];
        copy_row(&[(); 100], &mut nothing);
        assert_eq!(clone_row(&[(); 100]).len(), 100);
        let large: Vec<[u8; 3000]> = (0..9).map(|byte| [byte; 3000]).collect();
        assert_eq!(clone_row(&large), large);
        let lens = [piece_len::<()>(), piece_len::<[u8; 3000]>(), piece_len::<u32>(), piece_len::<u64>()];
        assert_eq!(lens, [1, 1, 256, 128]);
    }

    #[test]
    #[should_panic = "rows of different lengths"]
    fn rows_of_different_lengths_are_refused() {
        let words = [0u8; 200];
        let mut buffer = [0u8; 9_000];
        // Searches a start at which the copy is made in pieces.
        let from = words.as_ptr().addr();
        let start = (0..4_200).find(|&start| is_slow(from, buffer[start..].as_ptr().addr())).unwrap();
        copy_row(&words, &mut buffer[start..][..100]);
    }
}
