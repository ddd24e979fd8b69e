//! The masks of many outputs, written in place by several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use grammask_trie::RowTooShort;

use crate::Matcher;

#[cfg(feature = "parallel")]
use super::threads;

/// Maximum number of threads for one batch. More would only wait for the lock on the remaining work.
const MAX_BATCH_THREADS: usize = 256;

/// Number of cached masks that are copied in the time in which another thread wakes up. Larger batches are
/// shared.
const CACHED_MASKS_PER_WAKE_UP: usize = 32;

/// Why rows cannot hold masks. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RowsError {
    /// The number of words is not a multiple of the number of rows.
    #[error("{words} words do not make {rows} rows of one length")]
    Uneven {
        /// Number of words of 32 bits.
        words: usize,
        /// Number of rows.
        rows: usize,
    },
    /// The rows are too short for a mask.
    #[error("row {row}: {error}")]
    TooShort {
        /// Index of the first row that is too short.
        row: usize,
        /// The length of the rows and the length that the mask needs.
        error: RowTooShort,
    },
}

/// Writes the masks of a batch. Row i holds what [`Matcher::fill_mask`] of matcher i writes, with any number
/// of threads. Returns the number of matchers that exceeded a limit.
///
/// `rows` is cut into one row for each matcher, of `rows.len() / matchers.len()` words each. The matchers may
/// belong to different grammars and vocabularies. The row of a finished matcher holds zeros. So does the row
/// of a matcher that exceeds a limit; [`Matcher::error`] has the limit.
///
/// At most `threads` threads work, including the calling one; 0 counts as 1, and more than 256 count as 256.
/// A thread that is done takes the next matchers, so a mask that takes long delays no other. Helpers are the
/// threads of the rayon pool in which the caller runs. A caller outside of any pool uses one that this
/// library makes when it is first needed. Without the feature `parallel`, the calling thread does all the
/// work.
///
/// # Errors
/// If the number of words is not a multiple of the number of matchers, or a row is too short for a matcher's
/// vocabulary. Nothing is written, and no matcher changes. An empty slice of matchers is not an error.
///
/// # Complexity
/// The sum over the masks, see [`Matcher::mask`]. If all masks are cached and copying them takes less time
/// than waking a thread, the calling thread does all the work.
///
/// ```
/// use grammask::{Config, Grammar, TokenId, Vocabulary, fill_masks};
///
/// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec()), (TokenId(1), b"b".to_vec())], [])?;
/// let grammar = Grammar::compile("start ::= 'a' 'b';", &vocabulary, &Config::default())?;
/// let mut batch = vec![grammar.matcher(), grammar.matcher()];
/// assert!(batch[1].accept(TokenId(0)).is_accepted());
///
/// let mut rows = vec![0; batch.len() * vocabulary.mask_words()];
/// fill_masks(&mut batch, &mut rows, 2)?;
/// assert_eq!(rows, [0b01, 0b10]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fill_masks(matchers: &mut [Matcher], rows: &mut [u32], threads: usize) -> Result<usize, RowsError> {
    if matchers.is_empty() {
        return Ok(0);
    }
    let stride = row_length(rows.len(), matchers.len())?;
    for (row, matcher) in matchers.iter().enumerate() {
        check_length(row, matcher.grammar().vocabulary().mask_words(), stride)?;
    }
    let threads = threads.clamp(1, matchers.len().min(MAX_BATCH_THREADS));
    let helpers = if threads > 1 && is_worth_help(matchers) { threads - 1 } else { 0 };
    let batch =
        Batch { remaining: Mutex::new((matchers, rows)), stride, threads, limited: AtomicUsize::new(0) };
    work(&batch, helpers);
    Ok(batch.limited.into_inner())
}

/// Returns the number of words of each row.
pub(crate) fn row_length(words: usize, rows: usize) -> Result<usize, RowsError> {
    if words.is_multiple_of(rows) { Ok(words / rows) } else { Err(RowsError::Uneven { words, rows }) }
}

/// Checks that a row is long enough.
pub(crate) fn check_length(row: usize, needed: usize, given: usize) -> Result<(), RowsError> {
    let error = RowTooShort { needed, given };
    if given < needed { Err(RowsError::TooShort { row, error }) } else { Ok(()) }
}

/// Returns true if work is left by the time at which a second thread is awake.
fn is_worth_help(matchers: &[Matcher]) -> bool {
    matchers.len() > CACHED_MASKS_PER_WAKE_UP
        || matchers.iter().filter(|matcher| !matcher.is_finished() && !matcher.has_cached_mask()).count() > 1
}

/// The work of one call, shared by its threads.
struct Batch<'a> {
    /// Matchers whose masks are not written yet, and their rows.
    remaining: Mutex<(&'a mut [Matcher], &'a mut [u32])>,
    /// Words per row.
    stride: usize,
    threads: usize,
    /// Number of matchers that exceeded a limit.
    limited: AtomicUsize,
}

/// The end of the remaining work from which a thread takes its shares. The caller takes from the front and
/// helpers from the back, so rows mostly stay in the cache of one core from call to call.
#[derive(Clone, Copy)]
enum Side {
    Front,
    #[cfg(feature = "parallel")]
    Back,
}

impl Batch<'_> {
    /// Takes shares of the work until none is left.
    fn work(&self, side: Side) {
        loop {
            let (matchers, mut rows) = {
                let mut remaining = self.remaining.lock().unwrap_or_else(PoisonError::into_inner);
                let (matchers, rows) = &mut *remaining;
                // Large shares first, to take the lock rarely; single matchers last, to end at the same time.
                let share = matchers.len().div_ceil(4 * self.threads);
                match side {
                    Side::Front => {
                        (matchers.split_off_mut(..share), rows.split_off_mut(..share * self.stride))
                    }
                    #[cfg(feature = "parallel")]
                    Side::Back => {
                        let kept = matchers.len() - share;
                        (matchers.split_off_mut(kept..), rows.split_off_mut(kept * self.stride..))
                    }
                }
            };
            let Some(matchers) = matchers.filter(|matchers| !matchers.is_empty()) else { return };
            for matcher in matchers {
                let row = rows.as_mut().and_then(|rows| rows.split_off_mut(..self.stride));
                let written = matcher.fill_mask(row.unwrap_or_default());
                debug_assert!(written.is_ok(), "the length is checked");
                if matcher.error().is_some() {
                    self.limited.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    }
}

#[cfg(not(feature = "parallel"))]
fn work(batch: &Batch<'_>, _: usize) {
    batch.work(Side::Front);
}

#[cfg(feature = "parallel")]
fn work(batch: &Batch<'_>, helpers: usize) {
    threads::call(helpers, || batch.work(Side::Back), || batch.work(Side::Front));
}
