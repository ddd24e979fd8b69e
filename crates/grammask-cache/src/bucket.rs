//! Addresses of entries in a table that grows without moving them: in buckets, each twice as large as the one
//! before.

/// Binary logarithm of the size of the first bucket, in entries. Models use two entries, so that they reach
/// the second bucket.
const FIRST_BUCKET_BITS: u32 = if cfg!(loom) { 1 } else { 5 };

/// Number of buckets that together hold every id of 32 bits.
pub(crate) const BUCKETS: usize = (32 - FIRST_BUCKET_BITS + 1) as usize;

/// Returns the bucket of an id and the position in that bucket.
#[expect(clippy::cast_possible_truncation, reason = "a position is below 2^31")]
pub(crate) const fn locate(id: u32) -> (usize, usize) {
    let shifted = id as u64 + (1 << FIRST_BUCKET_BITS);
    let bucket = 63 - shifted.leading_zeros() - FIRST_BUCKET_BITS;
    (bucket as usize, (shifted - (1 << (bucket + FIRST_BUCKET_BITS))) as usize)
}

/// Returns the number of entries of a bucket.
pub(crate) const fn size(bucket: usize) -> usize {
    1 << FIRST_BUCKET_BITS << bucket
}

/// Returns the first id of a bucket.
pub(crate) const fn first(bucket: usize) -> u32 {
    ((1 << bucket) - 1) << FIRST_BUCKET_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_distinct_positions() {
        let mut expected = (0, 0);
        for id in 0..100_000 {
            assert_eq!(locate(id), expected, "id {id}");
            assert_eq!(first(expected.0) + expected.1 as u32, id);
            expected.1 += 1;
            if expected.1 == size(expected.0) {
                expected = (expected.0 + 1, 0);
            }
        }
        assert_eq!(locate(u32::MAX).0, BUCKETS - 1);
    }
}
