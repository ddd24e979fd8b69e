//! The masks of many outputs at once, written in place, by as many threads as the caller wants.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use grammask_trie::RowTooShort;

use crate::Matcher;

#[cfg(feature = "parallel")]
mod threads;

/// At most so many threads work on a batch.
const MAX_THREADS: usize = 256;

/// Why rows cannot hold masks. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RowsError {
    /// The words do not make rows of one length.
    #[error("{words} words do not make {rows} rows of one length")]
    Uneven {
        /// Words of 32 bits that there are.
        words: usize,
        /// Rows that they should make.
        rows: usize,
    },
    /// Rows are too short for a mask.
    #[error("row {row}: {error}")]
    TooShort {
        /// The first row that is too short.
        row: usize,
        /// How long it would have to be.
        error: RowTooShort,
    },
}

/// Writes the masks of a batch: row i is what [`Matcher::fill_mask`] of matcher i writes, bit for bit, whatever the number of threads.
///
/// `rows` is cut into one row for each matcher, all of the length `rows.len() / matchers.len()`. The matchers may be of different
/// grammars and vocabularies, as long as the rows suffice for each. The row of a matcher that is finished holds zeros. So does the row of a
/// matcher that hits a limit, and [`Matcher::error`] says which limit. Gives the number of matchers that have hit one.
///
/// At most `threads` threads work, the calling one among them; 0 counts as 1, and more than 256 as 256. Who is ready takes the next ones, so a state that is
/// visited for the first time holds nobody up. Helpers are the threads of the rayon pool in which the caller runs; outside of
/// any pool, those of a pool that is made at the first call that needs it. Without the feature `parallel` there are no helpers.
///
/// # Errors
/// When `rows` is no multiple of the number of matchers, or too short for some matcher's vocabulary: nothing is written, no matcher
/// has changed. Without matchers nothing is wrong.
///
/// # Complexity
/// That of the masks; help is not called for where all masks are known and copying them takes less time than waking a thread.
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
    let threads = threads.clamp(1, matchers.len().min(MAX_THREADS));
    let helpers = if threads > 1 && is_worth_help(matchers) { threads - 1 } else { 0 };
    let batch = Batch { left: Mutex::new((matchers, rows)), stride, threads, limited: AtomicUsize::new(0) };
    work(&batch, helpers);
    Ok(batch.limited.into_inner())
}

/// The length of each of some rows.
pub(crate) fn row_length(words: usize, rows: usize) -> Result<usize, RowsError> {
    if words.is_multiple_of(rows) { Ok(words / rows) } else { Err(RowsError::Uneven { words, rows }) }
}

/// Whether a row is long enough.
pub(crate) fn check_length(row: usize, needed: usize, given: usize) -> Result<(), RowsError> {
    let error = RowTooShort { needed, given };
    if given < needed { Err(RowsError::TooShort { row, error }) } else { Ok(()) }
}

/// So many known masks are copied in the time in which another thread wakes up.
const FEW: usize = 32;

/// Whether a second thread would have something to do by the time it is awake.
fn is_worth_help(matchers: &[Matcher]) -> bool {
    matchers.len() > FEW
        || matchers.iter().filter(|matcher| !matcher.is_finished() && !matcher.knows_mask()).count() > 1
}

/// What is left to do for whoever is ready, and what came out.
struct Batch<'a> {
    left: Mutex<(&'a mut [Matcher], &'a mut [u32])>,
    stride: usize,
    threads: usize,
    limited: AtomicUsize,
}

/// From where shares are taken: the caller always begins at one end and its helpers at the other, so that rows mostly stay in
/// the cache of one core from call to call.
#[derive(Clone, Copy)]
enum Side {
    Front,
    #[cfg(feature = "parallel")]
    Back,
}

impl Batch<'_> {
    /// Takes and does a share, again and again, until nothing is left.
    fn work(&self, side: Side) {
        loop {
            let (matchers, mut rows) = {
                let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
                let (matchers, rows) = &mut *left;
                // Large shares at first, so that the lock is rarely taken, and single ones at the end, so that all are ready together.
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
                debug_assert!(written.is_ok(), "the length was checked");
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
