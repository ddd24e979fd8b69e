//! Many short times, and their summary.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

/// Measured times, in nanoseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times(Vec<u64>);

/// Percentiles, maximum and mean of times, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    pub p50: u64,
    pub p90: u64,
    pub p99: u64,
    pub max: u64,
    pub mean: u64,
}

impl Times {
    /// Adds a time.
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Returns all times, in nanoseconds, in the order of measurement.
    pub(crate) fn nanoseconds(&self) -> &[u64] {
        &self.0
    }

    /// Returns the number of times.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Computes the summary. All fields are 0 if there are no times.
    pub(crate) fn summary(&self) -> Summary {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        // The nearest-rank percentile: the smallest time that is not exceeded by this share.
        let at = |hundredths: usize| {
            let rank = (sorted.len() * hundredths).div_ceil(100).max(1);
            sorted.get(rank - 1).copied().unwrap_or(0)
        };
        let sum: u128 = sorted.iter().map(|&time| u128::from(time)).sum();
        // A mean is at most the greatest time.
        let mean = u64::try_from(sum.checked_div(sorted.len() as u128).unwrap_or(0)).unwrap_or(u64::MAX);
        Summary { p50: at(50), p90: at(90), p99: at(99), max: at(100), mean }
    }
}

impl Extend<Duration> for Times {
    fn extend<T: IntoIterator<Item = Duration>>(&mut self, times: T) {
        times.into_iter().for_each(|time| self.push(time));
    }
}

impl Summary {
    /// Converts the summary to JSON.
    pub(crate) fn to_json(self) -> Value {
        json!({ "p50": self.p50, "p90": self.p90, "p99": self.p99, "max": self.max, "mean": self.mean })
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p50, p99, max, mean] = [self.p50, self.p99, self.max, self.mean].map(readable);
        write!(f, "p50 {p50}, p99 {p99}, max {max}, mean {mean}")
    }
}

/// Returns a time in nanoseconds with a suitable unit.
pub(crate) fn readable(nanoseconds: u64) -> String {
    let time = nanoseconds as f64;
    match nanoseconds {
        0..1_000_000 => format!("{:.1} us", time / 1e3),
        1_000_000..1_000_000_000 => format!("{:.2} ms", time / 1e6),
        _ => format!("{:.2} s", time / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_measured_times() {
        let mut times = Times::default();
        assert_eq!(times.summary(), Summary { p50: 0, p90: 0, p99: 0, max: 0, mean: 0 });
        for time in (1..=200).rev() {
            times.push(Duration::from_nanos(time));
        }
        assert_eq!(times.summary(), Summary { p50: 100, p90: 180, p99: 198, max: 200, mean: 100 });
    }

    #[test]
    fn units_suit_the_time() {
        assert_eq!([900, 1_500_000, 2_000_000_000].map(readable), ["0.9 us", "1.50 ms", "2.00 s"]);
    }
}
