//! Times of single pieces of work, and summaries of many.

use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// Returns the result of `work` and its nanoseconds: the lesser of wall clock and CPU time of the thread. The
/// wall clock is finer, and CPU time does not count other processes.
pub fn sample<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let cpu = thread_nanoseconds();
    let wall = Instant::now();
    let result = work();
    let wall = u64::try_from(wall.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let cpu = thread_nanoseconds() - cpu;
    (result, wall.min(cpu))
}

/// Returns the result of `work` and its nanoseconds by the wall clock. It makes no system call, which would
/// disturb work of less than a microsecond. Use it for work that is repeated, so that a median ignores
/// interruptions.
pub fn wall<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let start = Instant::now();
    let result = work();
    (result, u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX))
}

fn thread_nanoseconds() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

/// Summary of samples, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// Number of samples.
    pub count: usize,
    /// Half of the samples are at most this.
    pub p50: u64,
    /// Nine of ten are at most this.
    pub p90: u64,
    /// Ninety-nine of a hundred are at most this.
    pub p99: u64,
    /// The maximum.
    pub max: u64,
    /// The mean.
    pub mean: f64,
}

impl Summary {
    /// Summarizes samples. Returns `None` if there are none.
    pub fn new(samples: &[u64]) -> Option<Self> {
        let mut sorted = samples.to_vec();
        sorted.sort_unstable();
        let max = *sorted.last()?;
        let count = sorted.len();
        // The nearest rank: the least sample that at least `percent` % of the samples do not exceed.
        let percentile = |percent: usize| sorted[(count * percent).div_ceil(100).max(1) - 1];
        let mean = sorted.iter().map(|&sample| sample as f64).sum::<f64>() / count as f64;
        Some(Self { count, p50: percentile(50), p90: percentile(90), p99: percentile(99), max, mean })
    }
}

/// Returns the median, or the lower of two medians. Returns 0 if there are no values.
pub fn median(values: &mut [u64]) -> u64 {
    values.sort_unstable();
    values.len().checked_sub(1).map_or(0, |last| values[last / 2])
}

/// Summary of passes over the positions of a text, in nanoseconds.
///
/// The median over the passes at each position comes first, so that one interruption does not become the
/// maximum.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Places {
    /// Number of passes.
    pub passes: usize,
    /// Summary of the medians.
    pub medians: Summary,
    /// Median over the passes of the mean of a pass. Only complete passes count.
    pub mean: f64,
    /// Maximum of all samples.
    pub max: u64,
}

impl Places {
    /// Summarizes passes, some of which may have ended early. Returns `None` if there are no samples.
    pub fn new(passes: &[Vec<u64>]) -> Option<Self> {
        Self::of(passes, |_| true)
    }

    /// Summarizes the positions that `is_wanted` selects.
    pub fn of(passes: &[Vec<u64>], is_wanted: impl Fn(usize) -> bool) -> Option<Self> {
        let length = passes.iter().map(Vec::len).max()?;
        let wanted: Vec<usize> = (0..length).filter(|&place| is_wanted(place)).collect();
        let at = |place: usize| passes.iter().filter_map(move |pass| pass.get(place).copied());
        let medians: Vec<u64> =
            wanted.iter().map(|&place| median(&mut at(place).collect::<Vec<_>>())).collect();
        let sum = |pass: &Vec<u64>| wanted.iter().filter_map(|&place| pass.get(place)).sum::<u64>();
        let mut sums: Vec<u64> = passes.iter().filter(|pass| pass.len() == length).map(sum).collect();
        Some(Self {
            passes: passes.len(),
            medians: Summary::new(&medians)?,
            mean: median(&mut sums) as f64 / wanted.len() as f64,
            max: wanted.iter().flat_map(|&place| at(place)).max()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let samples: Vec<u64> = (1..=200).rev().collect();
        let summary = Summary::new(&samples).expect("there are samples");
        assert_eq!((summary.p50, summary.p90, summary.p99, summary.max), (100, 180, 198, 200));
        assert_eq!(summary.mean, 100.5);
        assert_eq!(Summary::new(&[7]).map(|one| (one.p50, one.p99)), Some((7, 7)));
        assert!(Summary::new(&[]).is_none());
    }

    #[test]
    fn one_interruption_makes_no_maximum() {
        let passes = [vec![10, 20, 30], vec![9_000, 22, 31], vec![11, 21], vec![10, 21, 9_000]];
        let places = Places::new(&passes).expect("there are samples");
        assert_eq!((places.medians.p50, places.medians.max, places.max), (21, 31, 9_000));
        // The means of the complete passes are 20, 3018 and 3010.
        assert_eq!(places.mean, 9_031.0 / 3.0);
        let first = Places::of(&passes, |place| place == 0).expect("there are samples");
        assert_eq!((first.medians.count, first.medians.max, first.mean), (1, 10, 10.0));
        assert!(Places::new(&[]).is_none());
        assert!(Places::of(&passes, |_| false).is_none());
    }

    #[test]
    fn work_takes_time() {
        let (sum, time) = sample(|| (0..100_000_u64).map(std::hint::black_box).sum::<u64>());
        assert_eq!(sum, 4_999_950_000);
        assert!(time > 1_000);
    }
}
