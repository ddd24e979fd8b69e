//! Numbers under the ids of another table, filled in one by one.

use std::fmt;

use crate::bucket::{self, BUCKETS, locate};
use crate::sync::{AtomicU32, AtomicUsize, OnceLock, Ordering, array, constructor, zeros};

/// What is allocated as a whole, each entry unknown until it is stored.
type Page = OnceLock<Box<[AtomicU32]>>;

/// Buckets that are one page each, the last one as large as all pages behind it. Models have one, so that they reach what is behind.
const NEAR: usize = if cfg!(loom) { 1 } else { 6 };

/// Entries of a page behind these: four kilobytes, so that nobody waits until more is cleared.
const PAGE: usize = bucket::size(NEAR - 1);

/// Nothing is known; what is known is stored plus one.
const UNKNOWN: u32 = 0;

/// Numbers below [`Column::LIMIT`] under ids, each unknown until it is stored: what is found out about the entries of an
/// [`Arena`](crate::Arena) or an [`Interner`](crate::Interner), for which a [`Memo`](crate::Memo) would hash what is a number already.
///
/// # Complexity
/// `get` and `set` are O(1) without a lock. Memory is linear in the greatest id under which something is stored, at four bytes for each id around
/// which something is, and a fortieth of a byte for others.
pub struct Column {
    near: [Page; NEAR],
    /// Buckets of several pages.
    far: [OnceLock<Box<[Page]>>; BUCKETS - NEAR],
    len: AtomicUsize,
}

impl Column {
    /// Values are below this.
    pub const LIMIT: u32 = u32::MAX;

    constructor! {
        /// A column of unknown numbers. Allocates nothing.
        pub fn new() -> Self {
            Self {
                near: array![OnceLock::new(); NEAR],
                far: array![OnceLock::new(); BUCKETS - NEAR],
                len: AtomicUsize::new(0),
            }
        }
    }

    /// How many numbers are known.
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number under an id, if it is known. Two loads, or three where the id is above two thousand.
    #[inline]
    pub fn get(&self, id: u32) -> Option<u32> {
        let (bucket, place) = locate(id);
        let entry = match self.near.get(bucket) {
            Some(page) => &page.get()?[place],
            None => &self.far[bucket - NEAR].get()?[place / PAGE].get()?[place % PAGE],
        };
        entry.load(Ordering::Acquire).checked_sub(1)
    }

    /// Stores a number unless another thread was faster; gives the number that is stored, and the bytes that had to be allocated for it.
    /// What was written before this call is visible to whoever reads the number.
    ///
    /// # Panics
    /// When `value` is not below [`Column::LIMIT`].
    pub fn set(&self, id: u32, value: u32) -> (u32, usize) {
        assert!(value < Self::LIMIT, "the value says that it is unknown");
        let (bucket, place) = locate(id);
        let mut allocated = 0;
        let (page, place) = match self.near.get(bucket) {
            Some(page) => (page, place),
            None => {
                let pages = self.far[bucket - NEAR].get_or_init(|| {
                    let pages: Box<[Page]> =
                        (0..bucket::size(bucket) / PAGE).map(|_| OnceLock::new()).collect();
                    allocated += size_of_val::<[Page]>(&pages);
                    pages
                });
                (&pages[place / PAGE], place % PAGE)
            }
        };
        let entries = page.get_or_init(|| {
            let entries: Box<[AtomicU32]> = zeros(PAGE.min(bucket::size(bucket)));
            allocated += size_of_val::<[AtomicU32]>(&entries);
            entries
        });
        match entries[place].compare_exchange(UNKNOWN, value + 1, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => {
                self.len.fetch_add(1, Ordering::Relaxed);
                (value, allocated)
            }
            Err(first) => (first - 1, allocated),
        }
    }

    /// The known numbers with their ids, in the order of the ids.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        let near = self.near.iter().zip(0..).map(|(page, bucket)| (page, bucket::first(bucket)));
        let far = self.far.iter().zip(NEAR..).filter_map(|(pages, bucket)| Some((pages.get()?, bucket)));
        let far = far.flat_map(|(pages, bucket)| pages.iter().zip((bucket::first(bucket)..).step_by(PAGE)));
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
    fn numbers_stand_under_their_ids() {
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
    fn what_is_allocated_is_told_once() {
        let column = Column::new();
        assert_eq!(column.set(3, 0), (0, 128));
        assert_eq!(column.set(4, 0), (0, 0));
        assert_eq!(column.set(32, 0), (0, 256));
        let page = size_of::<Page>();
        assert_eq!(
            column.set(3_100, 0),
            (0, 4_096 + 2 * page),
            "a bucket of two pages, of which one is there"
        );
        assert_eq!(column.set(2_016, 0), (0, 4_096));
        assert_eq!(column.set(2_017, 0), (0, 0), "beside it");
    }
}
