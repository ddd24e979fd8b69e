//! An append-only vector that never moves its values, so that readers need no lock.

use std::fmt;

use crate::sync::{AtomicUsize, OnceLock, Ordering, constructor};

/// Number of entries of the first bucket of a [`boxcar`] vector.
const FIRST_BUCKET_LEN: u32 = 32;

/// Maximum size in bytes of a bucket of the first vector. Larger buckets take noticeably long to clear.
const MAX_FIRST_BUCKET_BYTES: usize = 64 * 1024;

/// Binary logarithm of the number of lanes. Models use two lanes, because they check each bucket of each lane
/// repeatedly.
const LANE_BITS: u32 = if cfg!(loom) { 1 } else { 3 };
const LANES: usize = 1 << LANE_BITS;

/// Number of entries of the first buckets of all lanes.
const FIRST_BUCKETS_LEN: u64 = (FIRST_BUCKET_LEN as u64) << LANE_BITS;

/// Values by the id that [`push`](Arena::push) returned.
///
/// A `Vec` moves its values when it grows, which would break concurrent readers. A [`boxcar`] vector has
/// buckets of doubling sizes instead, which stay in place, and publishes each entry by itself, so a reader
/// never waits.
///
/// But a new bucket must be cleared, and clearing megabytes takes as long as a thousand masks. So one vector
/// holds only the first values, and eight vectors, the lanes, share the others. The lane of a number is given
/// as in a floating-point number: by the three binary digits after the leading one.
///
/// # Complexity
/// `get` and `push` are O(1). A bucket larger than 64 KiB, other than that of the first 64 entries, has at
/// most a quarter as many entries as there are values. About half of the allocated entries are unused.
pub struct Arena<T> {
    first: boxcar::Vec<T>,
    lanes: OnceLock<Box<[boxcar::Vec<T>; LANES]>>,
    /// Number of ids taken. The next number selects the vector.
    taken: AtomicUsize,
}

/// Returns the number of ids in the first vector, for values of `size` bytes. Large values get few, so that
/// tables with few entries stay small. The vector allocates its next bucket when seven eighths of one are
/// used; it is full just before that.
const fn first_ids(size: usize) -> u32 {
    if cfg!(loom) {
        return 1;
    }
    let entry = size + size_of::<usize>();
    let mut bucket = 2 * FIRST_BUCKET_LEN;
    while 2 * bucket as usize * entry <= MAX_FIRST_BUCKET_BYTES {
        bucket *= 2;
    }
    bucket - FIRST_BUCKET_LEN + bucket / 8 * 7
}

/// Returns the lane and the position in it of a number, which counts the values after those of the first
/// vector.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "lane and position are below 2^30")]
const fn locate(number: u32) -> (usize, usize) {
    let shifted = number as u64 + FIRST_BUCKETS_LEN;
    let run = shifted.ilog2() - LANE_BITS;
    let lane = (shifted >> run) as usize % LANES;
    // The numbers of a lane with equal `run` fill one bucket of its vector: 32, 64, 128 and so on.
    let position = (shifted % (1 << run)) + (1 << run) - FIRST_BUCKET_LEN as u64;
    (lane, position as usize)
}

/// The inverse of [`locate`].
#[expect(clippy::cast_possible_truncation, reason = "it inverts a function of 32-bit numbers")]
const fn number_of(lane: usize, position: usize) -> u32 {
    let position = position as u64 + FIRST_BUCKET_LEN as u64;
    let run = position.ilog2();
    let shifted = (((LANES + lane) as u64) << run) | (position % (1 << run));
    (shifted - FIRST_BUCKETS_LEN) as u32
}

impl<T> Arena<T> {
    /// Number of ids in the first vector.
    const FIRST_IDS: u32 = first_ids(size_of::<T>());

    constructor! {
        /// Creates an empty arena. Allocates nothing.
        pub fn new() -> Self {
            Self { first: boxcar::Vec::new(), lanes: OnceLock::new(), taken: AtomicUsize::new(0) }
        }
    }

    /// Returns the number of values, including those being stored by other threads. One load.
    pub fn len(&self) -> usize {
        self.taken.load(Ordering::Acquire).min(u32::MAX as usize)
    }

    /// Returns true if there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Stores a value and returns its id. Ids count up from 0.
    ///
    /// # Panics
    /// If the arena holds 2^32 - 1 values.
    pub fn push(&self, value: T) -> u32 {
        // A bucket of a lane gets as many turns as it has positions. The lane assigns them, in the order of
        // the pushes.
        let turn = self.taken.fetch_add(1, Ordering::Relaxed);
        let turn = u32::try_from(turn).ok().filter(|&turn| turn < u32::MAX);
        let turn = turn.expect("an arena holds fewer than 2^32 values");
        if turn < Self::FIRST_IDS {
            let id = self.first.push(value);
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the vector gets `FIRST_IDS` values at most"
            )]
            return id as u32;
        }
        let lanes = self.lanes.get_or_init(|| Box::new(std::array::from_fn(|_| boxcar::Vec::new())));
        let (lane, _) = locate(turn - Self::FIRST_IDS);
        Self::FIRST_IDS + number_of(lane, lanes[lane].push(value))
    }

    /// Returns the value with this id. Returns `None` if there is none, or if it is being stored by another
    /// thread.
    #[inline]
    pub fn try_get(&self, id: u32) -> Option<&T> {
        if id < Self::FIRST_IDS {
            return self.first.get(id as usize);
        }
        let (lane, position) = locate(id - Self::FIRST_IDS);
        self.lanes.get()?[lane].get(position)
    }

    /// Returns the value with this id.
    ///
    /// # Panics
    /// If the id does not belong to this arena.
    #[inline]
    pub fn get(&self, id: u32) -> &T {
        self.try_get(id).expect("an id of this arena")
    }

    /// Returns the values with their ids, in the order of the ids.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (0_u32..).take(self.len()).filter_map(|id| Some((id, self.try_get(id)?)))
    }
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for Arena<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_never_move() {
        let arena = Arena::new();
        let first = arena.push(String::from("first"));
        let address = std::ptr::from_ref(arena.get(first));
        for number in 1..10_000 {
            assert_eq!(arena.push(number.to_string()), number);
        }
        assert_eq!(std::ptr::from_ref(arena.get(first)), address);
        assert_eq!(arena.get(9_999), "9999");
        assert!(arena.try_get(10_000).is_none());
        assert_eq!(arena.iter().count(), 10_000);
    }

    #[test]
    fn numbers_have_distinct_positions() {
        let mut next = [0; LANES];
        let mut longest = 0;
        let mut run = (0, 0);
        for number in 0..300_000 {
            let (lane, position) = locate(number);
            assert_eq!((position, number_of(lane, position)), (next[lane], number));
            next[lane] += 1;
            run = if run.0 == lane { (lane, run.1 + 1) } else { (lane, 1) };
            longest = longest.max(run.1);
            assert!(longest <= 32.max(number / 8 + 32), "{longest} in a row before {number}");
        }
        let (lane, position) = locate(u32::MAX);
        assert_eq!(number_of(lane, position), u32::MAX);
        assert_eq!([0, 8, 24, 300, 100_000].map(first_ids), [15_328, 7_648, 3_808, 208, 88]);
    }

    #[test]
    fn values_in_lanes_are_found() {
        let arena = Arena::new();
        for number in 0..2_000 {
            assert_eq!((arena.push([number; 100]), arena.len()), (number, number as usize + 1));
        }
        assert!((0..2_000).all(|id| arena.get(id)[99] == id));
        assert!([2_000, 2_100, 9_999, u32::MAX].iter().all(|&id| arena.try_get(id).is_none()));
        assert!(arena.iter().map(|(id, value)| (id, value[0])).eq((0..2_000).map(|id| (id, id))));
    }

    #[test]
    fn threads_get_distinct_ids() {
        let arena = Arena::new();
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let arena = &arena;
                scope.spawn(move || {
                    for number in 0..5_000 {
                        let id = arena.push(thread * 10_000 + number);
                        assert_eq!(*arena.get(id), thread * 10_000 + number);
                    }
                });
            }
        });
        let mut values: Vec<u64> = arena.iter().map(|(_, &value)| value).collect();
        values.sort_unstable();
        values.dedup();
        assert_eq!(values.len(), 20_000);
    }
}
