//! Numbers by the ids of another table, each unknown until it is stored.

use std::fmt;

use crate::bucket::{self, BUCKETS, locate};
use crate::sync::{AtomicU32, AtomicUsize, OnceLock, Ordering, array, constructor, zeros};

/// Entries that are allocated together.
type Page = OnceLock<Box<[AtomicU32]>>;

/// Number of buckets that are one page each. The last of them has the size of every later page. Models use
/// one, so that they reach the later pages.
const SINGLE_PAGE_BUCKETS: usize = if cfg!(loom) { 1 } else { 6 };

/// Number of entries of a page of the later buckets: 4 KiB, so that clearing a new page delays no thread
/// noticeably.
const PAGE_LEN: usize = bucket::size(SINGLE_PAGE_BUCKETS - 1);

/// An entry without a number. Numbers are stored plus one.
const UNKNOWN: u32 = 0;

/// Numbers below [`Column::LIMIT`] by id, each unknown until it is stored. Holds facts about the entries of
/// an [`Arena`](crate::Arena) or an [`Interner`](crate::Interner), without the hashing of a
/// [`Memo`](crate::Memo).
///
/// # Complexity
/// `get` and `set` are O(1) without a lock. Memory is linear in the greatest id stored: four bytes for each
/// id of a page in use, and a fortieth of a byte for each id of other pages.
pub struct Column {
    near: [Page; SINGLE_PAGE_BUCKETS],
    /// The buckets of several pages.
    far: [OnceLock<Box<[Page]>>; BUCKETS - SINGLE_PAGE_BUCKETS],
    len: AtomicUsize,
}

impl Column {
    /// Exclusive upper bound of the numbers.
    pub const LIMIT: u32 = u32::MAX;

    constructor! {
        /// Creates a column of unknown numbers. Allocates nothing.
        pub fn new() -> Self {
            Self {
                near: array![OnceLock::new(); SINGLE_PAGE_BUCKETS],
                far: array![OnceLock::new(); BUCKETS - SINGLE_PAGE_BUCKETS],
                len: AtomicUsize::new(0),
            }
        }
    }

    /// Returns how many numbers are known.
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// Returns true if no number is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of an id. Returns `None` if it is unknown. Two loads, or three from id 2,016 on.
    #[inline]
    pub fn get(&self, id: u32) -> Option<u32> {
        let (bucket, position) = locate(id);
        let entry = match self.near.get(bucket) {
            Some(page) => &page.get()?[position],
            None => &self.far[bucket - SINGLE_PAGE_BUCKETS].get()?[position / PAGE_LEN].get()?
                [position % PAGE_LEN],
        };
        entry.load(Ordering::Acquire).checked_sub(1)
    }

    /// Stores the number of an id if it is unknown. Returns the stored number, and the bytes that this call
    /// allocated. A thread that reads the number sees all writes that precede this call.
    ///
    /// # Panics
    /// If `value` is not below [`Column::LIMIT`].
    pub fn set(&self, id: u32, value: u32) -> (u32, usize) {
        assert!(value < Self::LIMIT, "the value is reserved for unknown entries");
        let (bucket, position) = locate(id);
        let mut allocated = 0;
        let (page, position) = match self.near.get(bucket) {
            Some(page) => (page, position),
            None => {
                let pages = self.far[bucket - SINGLE_PAGE_BUCKETS].get_or_init(|| {
                    let pages: Box<[Page]> =
                        (0..bucket::size(bucket) / PAGE_LEN).map(|_| OnceLock::new()).collect();
                    allocated += size_of_val::<[Page]>(&pages);
                    pages
                });
                (&pages[position / PAGE_LEN], position % PAGE_LEN)
            }
        };
        let entries = page.get_or_init(|| {
            let entries: Box<[AtomicU32]> = zeros(PAGE_LEN.min(bucket::size(bucket)));
            allocated += size_of_val::<[AtomicU32]>(&entries);
            entries
        });
        match entries[position].compare_exchange(UNKNOWN, value + 1, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => {
                self.len.fetch_add(1, Ordering::Relaxed);
                (value, allocated)
            }
            Err(first) => (first - 1, allocated),
        }
    }

    /// Returns the known numbers with their ids, in the order of the ids.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        let near = self.near.iter().zip(0..).map(|(page, bucket)| (page, bucket::first(bucket)));
        let far = self
            .far
            .iter()
            .zip(SINGLE_PAGE_BUCKETS..)
            .filter_map(|(pages, bucket)| Some((pages.get()?, bucket)));
        let far =
            far.flat_map(|(pages, bucket)| pages.iter().zip((bucket::first(bucket)..).step_by(PAGE_LEN)));
        let pages = near.chain(far).filter_map(|(page, first)| Some((page.get()?, first)));
        let entries = pages.flat_map(|(entries, first)| (first..).zip(entries.iter()));
        entries.filter_map(|(id, entry)| Some((id, entry.load(Ordering::Acquire).checked_sub(1)?)))
    }
}

impl Default for Column {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_number_of_an_id_stays() {
        let column = Column::new();
        let ids = [0, 1, 31, 32, 95, 96, 1_000, 2_015, 2_016, 3_040, 70_000];
        assert!(ids.iter().all(|&id| column.get(id).is_none()));
        for &id in &ids {
            assert_eq!(column.set(id, id * 2).0, id * 2);
        }
        assert_eq!(column.set(32, 7), (64, 0), "the first number stays");
        assert_eq!((column.len(), column.is_empty(), Column::new().is_empty()), (ids.len(), false, true));
        assert_eq!(column.iter().collect::<Vec<_>>(), ids.map(|id| (id, id * 2)));
        assert!([2, 33, 999, 69_999, 70_001, 1 << 20].iter().all(|&id| column.get(id).is_none()));
    }

    #[test]
    fn allocated_bytes_are_returned_once() {
        let column = Column::new();
        assert_eq!(column.set(3, 0), (0, 128));
        assert_eq!(column.set(4, 0), (0, 0));
        assert_eq!(column.set(32, 0), (0, 256));
        let page = size_of::<Page>();
        assert_eq!(
            column.set(3_100, 0),
            (0, 4_096 + 2 * page),
            "a bucket of two pages, one of them allocated"
        );
        assert_eq!(column.set(2_016, 0), (0, 4_096));
        assert_eq!(column.set(2_017, 0), (0, 0), "on the same page");
    }
}
