//! Whether a process that should have settled still grows.

use std::fmt;

/// Bytes by which a settled process may differ: an eighth, and what a grammar fills that happens to be there.
const fn tolerance(settled: u64) -> u64 {
    settled / 8 + (16 << 20)
}

/// Fewer samples say nothing.
const FEWEST: usize = 100;

/// How memory has developed, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// The median of the first half after warming up.
    settled: u64,
    /// The median of the last quarter after it.
    end: u64,
    /// Whether there were enough samples to judge.
    is_judged: bool,
}

impl Growth {
    /// Looks at samples that were taken at equal distances. Warming up takes the first third of them, and at least `cold`
    /// many. `None` where nothing is left.
    pub fn of(samples: &[u64], cold: usize) -> Option<Self> {
        let warm = samples.get(cold.max(samples.len() / 3)..)?;
        let settled = median(&warm[..warm.len().div_ceil(2)])?;
        let end = median(&warm[warm.len() - warm.len().div_ceil(4)..])?;
        Some(Self { settled, end, is_judged: warm.len() >= FEWEST })
    }

    /// Whether there is more at the end than there may be.
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
    fn what_settles_is_flat_and_what_leaks_is_not() {
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
    fn little_is_not_judged() {
        assert_eq!(Growth::of(&[], 0), None);
        let leaking: Vec<u64> = (0..20).map(|at| at * 100 * MB).collect();
        assert!(Growth::of(&leaking, 0).is_some_and(|growth| !growth.is_too_much()));
    }
}
