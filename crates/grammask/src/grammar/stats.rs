//! Statistics of masks: how many were requested and computed, and the time for computing them. No other
//! module of the library reads a clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use grammask_mask::Stats;

/// Sizes and work of a grammar, as [`Grammar::stats`](crate::Grammar::stats) gives them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GrammarStats {
    /// Sizes of the tables in use, and the work for them and for those that they replaced.
    pub tables: Stats,
    /// Masks that all matchers requested. A matcher reports its requests when it computes a mask, is reset,
    /// or is dropped, so requests of cached masks may be missing for a while.
    pub masks: MaskStats,
}

/// Numbers of masks that were requested and computed, and the time for computing them.
///
/// - Counted are all masks of matchers: [`mask`](crate::Matcher::mask), drafts and batches. So are those that
///   [`accept`](crate::Matcher::accept) needs if the vocabulary lacks some byte, since an output may get
///   stuck then.
/// - Of masks without a matcher, as by [`Grammar::mask_of`](crate::Grammar::mask_of), only those are counted
///   that had to be computed.
/// - Masks of [`Grammar::warm`](crate::Grammar::warm), and those computed while a JSON Schema is compiled, do
///   not count.
///
/// The clock is read before and after a mask is computed, so a cached mask costs nothing extra. On
/// WebAssembly without an operating system, there is no clock and times are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaskStats {
    /// Number of requested masks.
    pub requested: u64,
    /// Number of masks that had to be computed: the first of each state, or all if masks are not kept.
    pub computed: u64,
    /// Total time for computing them.
    pub compute_time: Duration,
    /// The longest time for computing one of them.
    pub max_compute_time: Duration,
}

impl MaskStats {
    /// Returns the number of masks that were cached.
    pub const fn cached(&self) -> u64 {
        self.requested.saturating_sub(self.computed)
    }

    /// Returns the mean time for computing a mask, or zero if none was computed.
    pub fn mean_compute_time(&self) -> Duration {
        let nanoseconds = self.compute_time.as_nanos().checked_div(u128::from(self.computed)).unwrap_or(0);
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }
}

/// The statistics of all matchers of a grammar.
#[derive(Debug, Default)]
pub(crate) struct SharedMaskStats {
    requested: AtomicU64,
    computed: AtomicU64,
    /// In nanoseconds.
    compute_time: AtomicU64,
    /// In nanoseconds.
    max_compute_time: AtomicU64,
}

impl SharedMaskStats {
    pub(crate) fn snapshot(&self) -> MaskStats {
        // Another thread may have added to `computed` and not yet to `requested`.
        let computed = self.computed.load(Relaxed);
        MaskStats {
            requested: self.requested.load(Relaxed).max(computed),
            computed,
            compute_time: Duration::from_nanos(self.compute_time.load(Relaxed)),
            max_compute_time: Duration::from_nanos(self.max_compute_time.load(Relaxed)),
        }
    }
}

/// Records the statistics of one matcher. Requests of cached masks are plain numbers here, and are added to
/// the shared statistics in batches. A clone begins with zeros.
#[derive(Debug)]
pub(crate) struct StatsRecorder {
    stats: MaskStats,
    /// The part of `stats.requested` that was added to `shared`.
    reported: u64,
    shared: Arc<SharedMaskStats>,
}

impl StatsRecorder {
    pub(crate) fn new(shared: &Arc<SharedMaskStats>) -> Self {
        Self { stats: MaskStats::default(), reported: 0, shared: Arc::clone(shared) }
    }

    pub(crate) fn stats(&self) -> MaskStats {
        self.stats
    }

    /// Records the request of a cached mask.
    #[inline]
    pub(crate) fn record_cached(&mut self) {
        self.stats.requested += 1;
    }

    /// Runs `compute` for a mask that is not cached, and records its time.
    #[cold]
    pub(crate) fn record_computed<T>(&mut self, compute: impl FnOnce() -> T) -> T {
        let clock = Clock::start();
        let result = compute();
        let time = clock.elapsed();
        self.stats.requested += 1;
        self.stats.computed += 1;
        self.stats.compute_time += time;
        self.stats.max_compute_time = self.stats.max_compute_time.max(time);
        self.report_requests();
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.shared.computed.fetch_add(1, Relaxed);
        self.shared.compute_time.fetch_add(nanoseconds, Relaxed);
        self.shared.max_compute_time.fetch_max(nanoseconds, Relaxed);
        result
    }

    /// Begins again with zeros.
    pub(crate) fn reset(&mut self) {
        self.report_requests();
        (self.stats, self.reported) = (MaskStats::default(), 0);
    }

    fn report_requests(&mut self) {
        if self.stats.requested > self.reported {
            self.shared.requested.fetch_add(self.stats.requested - self.reported, Relaxed);
            self.reported = self.stats.requested;
        }
    }
}

impl Clone for StatsRecorder {
    fn clone(&self) -> Self {
        Self::new(&self.shared)
    }
}

impl Drop for StatsRecorder {
    fn drop(&mut self) {
        self.report_requests();
    }
}

/// A clock, or `None` on a platform without one.
struct Clock(Option<Instant>);

impl Clock {
    fn start() -> Self {
        let has_clock = !cfg!(all(target_family = "wasm", target_os = "unknown"));
        Self(has_clock.then(Instant::now))
    }

    fn elapsed(&self) -> Duration {
        self.0.map_or(Duration::ZERO, |start| start.elapsed())
    }
}
