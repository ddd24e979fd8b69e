//! What a piece of work takes, and what many take together.

use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// Nanoseconds that the work takes: by the clock on the wall or by the thread's CPU time, whichever is less. The first is
/// finer; the second does not count what other processes do meanwhile.
pub fn sample<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let cpu = thread_nanoseconds();
    let wall = Instant::now();
    let result = work();
    let wall = u64::try_from(wall.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let cpu = thread_nanoseconds() - cpu;
    (result, wall.min(cpu))
}

fn thread_nanoseconds() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

/// What samples have in common, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// How many samples there are.
    pub count: usize,
    /// Half of the samples are at most this.
    pub p50: u64,
    /// Nine of ten are at most this.
    pub p90: u64,
    /// Ninety-nine of a hundred are at most this.
    pub p99: u64,
    /// The greatest.
    pub max: u64,
    /// The mean.
    pub mean: f64,
}

impl Summary {
    /// Sums up; none when there are no samples.
    pub fn new(samples: &[u64]) -> Option<Self> {
        let mut sorted = samples.to_vec();
        sorted.sort_unstable();
        let max = *sorted.last()?;
        let count = sorted.len();
        // The nearest rank: the least sample that so many of a hundred do not exceed.
        let percentile = |percent: usize| sorted[(count * percent).div_ceil(100).max(1) - 1];
        let mean = sorted.iter().map(|&sample| sample as f64).sum::<f64>() / count as f64;
        Some(Self { count, p50: percentile(50), p90: percentile(90), p99: percentile(99), max, mean })
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
    fn work_takes_time() {
        let (sum, time) = sample(|| (0..100_000_u64).map(std::hint::black_box).sum::<u64>());
        assert_eq!(sum, 4_999_950_000);
        assert!(time > 1_000);
    }
}
