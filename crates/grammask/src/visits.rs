//! How often masks are asked for, and how long those take that are not known. This is the one place where the library reads a clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use grammask_mask::Stats;

/// What a grammar holds and has done: [`Grammar::stats`](crate::Grammar::stats).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GrammarStats {
    /// Sizes of the tables in use, and what was walked for them and for those before them.
    pub tables: Stats,
    /// Masks that all matchers have asked for. What a matcher asks is told at its next first visit, when it is reset, or when it is
    /// dropped; so masks that were known may be missing here for a while.
    pub visits: Visits,
}

/// How often masks were asked for, and how long it took to compute those that were not known.
///
/// Counted are the masks of matchers: [`mask`](crate::Matcher::mask) and whatever else needs one, drafts and batches included; also
/// [`accept`](crate::Matcher::accept), where the vocabulary does not have every byte, so that an output may get stuck. Of masks that are
/// asked for without a matcher, as by [`Grammar::mask_of`](crate::Grammar::mask_of), those are counted that were not known. What
/// [`Grammar::warm`](crate::Grammar::warm) computes is asked for by nobody, nor is what is found while a JSON Schema is compiled.
///
/// The clock is read only around what is computed, so a known mask costs no more for being counted. It is the only clock that the
/// library reads; where there is none (WebAssembly without a system), times are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visits {
    /// Masks that were asked for.
    pub asked: u64,
    /// Those that were not known, so that they had to be computed: the first visits of states; all masks where whole masks are not kept.
    pub first: u64,
    /// How long these took together.
    pub time: Duration,
    /// How long the slowest of them took.
    pub longest: Duration,
}

impl Visits {
    /// Masks that were known.
    pub const fn known(&self) -> u64 {
        self.asked.saturating_sub(self.first)
    }

    /// How long a first visit took on average; zero without any.
    pub fn mean(&self) -> Duration {
        let nanoseconds = self.time.as_nanos().checked_div(u128::from(self.first)).unwrap_or(0);
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }
}

/// The counts of all matchers of a grammar.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    asked: AtomicU64,
    first: AtomicU64,
    /// In nanoseconds.
    time: AtomicU64,
    longest: AtomicU64,
}

impl Totals {
    pub(crate) fn so_far(&self) -> Visits {
        // Other threads may be between telling the one and the other.
        let first = self.first.load(Relaxed);
        Visits {
            asked: self.asked.load(Relaxed).max(first),
            first,
            time: Duration::from_nanos(self.time.load(Relaxed)),
            longest: Duration::from_nanos(self.longest.load(Relaxed)),
        }
    }
}

/// The counts of one matcher. They are plain numbers, and told to the grammar when that does not matter. A clone begins with zeros.
#[derive(Debug)]
pub(crate) struct Tally {
    visits: Visits,
    /// How many of the masks that were asked for the grammar knows of.
    told: u64,
    totals: Arc<Totals>,
}

impl Tally {
    pub(crate) fn new(totals: &Arc<Totals>) -> Self {
        Self { visits: Visits::default(), told: 0, totals: Arc::clone(totals) }
    }

    pub(crate) fn visits(&self) -> Visits {
        self.visits
    }

    /// A mask was asked for, and known.
    #[inline]
    pub(crate) fn known(&mut self) {
        self.visits.asked += 1;
    }

    /// A mask was asked for that is not known: computes it.
    #[cold]
    pub(crate) fn first_visit<T>(&mut self, compute: impl FnOnce() -> T) -> T {
        let clock = Clock::start();
        let result = compute();
        let time = clock.elapsed();
        self.visits.asked += 1;
        self.visits.first += 1;
        self.visits.time += time;
        self.visits.longest = self.visits.longest.max(time);
        self.tell();
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.totals.first.fetch_add(1, Relaxed);
        self.totals.time.fetch_add(nanoseconds, Relaxed);
        self.totals.longest.fetch_max(nanoseconds, Relaxed);
        result
    }

    /// Begins anew.
    pub(crate) fn reset(&mut self) {
        self.tell();
        (self.visits, self.told) = (Visits::default(), 0);
    }

    fn tell(&mut self) {
        if self.visits.asked > self.told {
            self.totals.asked.fetch_add(self.visits.asked - self.told, Relaxed);
            self.told = self.visits.asked;
        }
    }
}

impl Clone for Tally {
    fn clone(&self) -> Self {
        Self::new(&self.totals)
    }
}

impl Drop for Tally {
    fn drop(&mut self) {
        self.tell();
    }
}

/// A clock, where there is one.
struct Clock(Option<Instant>);

impl Clock {
    fn start() -> Self {
        let is_there = !cfg!(all(target_family = "wasm", target_os = "unknown"));
        Self(is_there.then(Instant::now))
    }

    fn elapsed(&self) -> Duration {
        self.0.map_or(Duration::ZERO, |start| start.elapsed())
    }
}
