//! Decides whether the memory of a process still grows after it should have settled.

use std::fmt;

/// Bytes by which a settled process may grow: an eighth, and the tables of one grammar.
const fn tolerance(settled: u64) -> u64 {
    settled / 8 + (16 << 20)
}

/// Minimum number of samples for a verdict.
const MIN_SAMPLES: usize = 100;

/// Development of memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Median of the first half after warming up.
    settled: u64,
    /// Median of the last quarter.
    end: u64,
    /// True if there were enough samples for a verdict.
    is_judged: bool,
}

impl Growth {
    /// Evaluates samples that were taken at equal distances. Warming up takes the first third of them, and at
    /// least `cold` samples. Returns `None` if no sample is left.
    pub fn of(samples: &[u64], cold: usize) -> Option<Self> {
        let warm = samples.get(cold.max(samples.len() / 3)..)?;
        let settled = median(&warm[..warm.len().div_ceil(2)])?;
        let end = median(&warm[warm.len() - warm.len().div_ceil(4)..])?;
        Some(Self { settled, end, is_judged: warm.len() >= MIN_SAMPLES })
    }

    /// Returns `true` if the end exceeds the allowance.
    pub const fn is_too_much(&self) -> bool {
        self.is_judged && self.end > self.settled + tolerance(self.settled)
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self {
            _ if !self.is_judged => "too short to judge",
            _ if self.is_too_much() => "GROWS",
            _ => "flat",
        };
        write!(
            f,
            "{} MB after warming up, {} MB at the end: {verdict} ({} MB more are tolerated)",
            self.settled >> 20,
            self.end >> 20,
            tolerance(self.settled) >> 20
        )
    }
}

fn median(samples: &[u64]) -> Option<u64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1 << 20;

    #[test]
    fn settled_memory_is_flat_and_a_leak_is_not() {
        let settling: Vec<u64> = (0..300).map(|at| 200 * MB + at.min(90) * MB + at % 7 * MB).collect();
        assert!(Growth::of(&settling, 0).is_some_and(|growth| growth.is_judged && !growth.is_too_much()));
        let leaking: Vec<u64> = (0..300).map(|at| 200 * MB + at * MB / 2).collect();
        assert!(Growth::of(&leaking, 0).is_some_and(|growth| growth.is_too_much()));
    }

    #[test]
    fn warming_up_may_take_longer_than_a_third() {
        let late: Vec<u64> = (0..300).map(|at| if at < 190 { 100 * MB } else { 300 * MB }).collect();
        assert!(Growth::of(&late, 0).is_some_and(|growth| growth.is_too_much()));
        assert!(Growth::of(&late, 190).is_some_and(|growth| growth.is_judged && !growth.is_too_much()));
    }

    #[test]
    fn few_samples_give_no_verdict() {
        assert_eq!(Growth::of(&[], 0), None);
        let leaking: Vec<u64> = (0..20).map(|at| at * 100 * MB).collect();
        assert!(Growth::of(&leaking, 0).is_some_and(|growth| !growth.is_too_much()));
    }
}
