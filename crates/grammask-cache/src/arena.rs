//! A vector that only grows and never moves what it holds, so that readers need no lock.

use std::fmt;

use crate::sync::{AtomicUsize, OnceLock, Ordering, constructor};

/// Entries in the first bucket of a vector of [`boxcar`], and in the first run of a lane.
const SHORTEST: u64 = 32;

/// The largest bucket, in bytes, of the vector that the first ids stand in.
const PIECE: usize = 64 * 1024;

/// Lanes for the values behind, as a power of two; models, which look at each bucket of each lane again and again, have two.
const LANE_BITS: u32 = if cfg!(loom) { 1 } else { 3 };
const LANES: usize = 1 << LANE_BITS;

/// Values by the id that [`push`](Arena::push) gave them.
///
/// A growing `Vec` moves its values, which a concurrent reader must not see. The vector of [`boxcar`] has buckets of doubling size instead, which are
/// allocated once and stay, and publishes each entry for itself, so that a reader who has an id finds the value and waits for nobody. But
/// a bucket has to be cleared before it is used, and a bucket of megabytes takes as long as a thousand masks. So such a vector holds only the first values, and
/// behind them eight vectors take turns: numbers are told apart as floating-point numbers are, by the exponent and by three binary digits behind the leading one, and
/// a vector gets all that have the same three digits.
///
/// # Complexity
/// `get` and `push` are O(1). A bucket that takes more than 64 KiB, and is not one of the first 64 entries, has at most a quarter as many entries as there are values; about half of the
/// allocated entries are unused.
pub struct Arena<T> {
    first: boxcar::Vec<T>,
    lanes: OnceLock<Box<[boxcar::Vec<T>; LANES]>>,
    /// How many ids have been taken: whose turn it is tells the vector.
    taken: AtomicUsize,
}

/// How many ids stand in one vector before the lanes begin, for values of a size in bytes: few where they are large, so that tables with few entries are
/// small. The vector makes its next bucket when seven eighths of one are taken; it is full right before that.
const fn first_ids(size: usize) -> u32 {
    if cfg!(loom) {
        return 1;
    }
    let entry = size + size_of::<usize>();
    let mut bucket = 2 * SHORTEST;
    while 2 * bucket as usize * entry <= PIECE {
        bucket *= 2;
    }
    (bucket - SHORTEST + bucket / 8 * 7) as u32
}

/// Where what comes behind the first stands: in which lane, and at which place in it.
#[inline]
const fn locate(behind: u32) -> (usize, usize) {
    let shifted = behind as u64 + (SHORTEST << LANE_BITS);
    let run = shifted.ilog2() - LANE_BITS;
    let lane = (shifted >> run) as usize % LANES;
    // Runs of a lane are the buckets of its vector: 32, 64, 128 and so on.
    let place = (shifted % (1 << run)) + (1 << run) - SHORTEST;
    (lane, place as usize)
}

/// What stands in a lane at a place: the inverse of [`locate`].
const fn number_of(lane: usize, place: usize) -> u32 {
    let place = place as u64 + SHORTEST;
    let run = place.ilog2();
    let shifted = (((LANES + lane) as u64) << run) | (place % (1 << run));
    (shifted - (SHORTEST << LANE_BITS)) as u32
}

impl<T> Arena<T> {
    const FIRST: u32 = first_ids(size_of::<T>());

    constructor! {
        /// An arena without values. Allocates nothing.
        pub fn new() -> Self {
            Self { first: boxcar::Vec::new(), lanes: OnceLock::new(), taken: AtomicUsize::new(0) }
        }
    }

    /// How many values there are, with those that are being stored right now. One load.
    pub fn len(&self) -> usize {
        self.taken.load(Ordering::Acquire).min(u32::MAX as usize)
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Stores a value and gives its id: 0 for the first, then one more each time.
    ///
    /// # Panics
    /// When the arena holds 2^32 - 1 values.
    pub fn push(&self, value: T) -> u32 {
        // As many turns fall on a run of a lane as it has places; which of them a value gets, the lane says.
        let turn = self.taken.fetch_add(1, Ordering::Relaxed);
        let turn = u32::try_from(turn).ok().filter(|&turn| turn < u32::MAX);
        let turn = turn.expect("an arena holds fewer than 2^32 values");
        if turn < Self::FIRST {
            return self.first.push(value) as u32;
        }
        let lanes = self.lanes.get_or_init(|| Box::new(std::array::from_fn(|_| boxcar::Vec::new())));
        let (lane, _) = locate(turn - Self::FIRST);
        Self::FIRST + number_of(lane, lanes[lane].push(value))
    }

    /// The value with this id; `None` where none was given, or where it is being stored right now.
    #[inline]
    pub fn try_get(&self, id: u32) -> Option<&T> {
        if id < Self::FIRST {
            return self.first.get(id as usize);
        }
        let (lane, place) = locate(id - Self::FIRST);
        self.lanes.get()?[lane].get(place)
    }

    /// The value with this id.
    ///
    /// # Panics
    /// When the id was not given by this arena.
    #[inline]
    pub fn get(&self, id: u32) -> &T {
        self.try_get(id).expect("an id of this arena")
    }

    /// The values with their ids, in the order of the ids.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..self.len() as u32).filter_map(|id| Some((id, self.try_get(id)?)))
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
    fn values_stay_where_they_are() {
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
    fn every_id_has_a_place_of_its_own() {
        let mut next = [0; LANES];
        let mut longest = 0;
        let mut run = (0, 0);
        for number in 0..300_000 {
            let (lane, place) = locate(number);
            assert_eq!((place, number_of(lane, place)), (next[lane], number));
            next[lane] += 1;
            run = if run.0 == lane { (lane, run.1 + 1) } else { (lane, 1) };
            longest = longest.max(run.1);
            assert!(longest <= 32.max(number / 8 + 32), "{longest} in a row before {number}");
        }
        let (lane, place) = locate(u32::MAX);
        assert_eq!(number_of(lane, place), u32::MAX);
        assert_eq!([0, 8, 24, 300, 100_000].map(first_ids), [15_328, 7_648, 3_808, 208, 88]);
    }

    #[test]
    fn values_behind_the_first_are_found() {
        let arena = Arena::new();
        for number in 0..2_000 {
            assert_eq!((arena.push([number; 100]), arena.len()), (number, number as usize + 1));
        }
        assert!((0..2_000).all(|id| arena.get(id)[99] == id));
        assert!([2_000, 2_100, 9_999, u32::MAX].iter().all(|&id| arena.try_get(id).is_none()));
        assert!(arena.iter().map(|(id, value)| (id, value[0])).eq((0..2_000).map(|id| (id, id))));
    }

    #[test]
    fn threads_get_ids_of_their_own() {
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
