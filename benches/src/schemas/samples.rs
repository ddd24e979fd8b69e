//! Percentiles of many times.

/// Times in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<u64>);

/// Percentiles by nearest rank, mean and maximum, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// Percentiles at [`RANKS`].
    pub ranks: [u64; RANKS.len()],
    /// The maximum.
    pub max: u64,
}

/// Ranks of percentiles, in parts per thousand.
pub const RANKS: [usize; 7] = [250, 500, 750, 900, 950, 990, 999];

impl Samples {
    /// Adds a time.
    pub fn push(&mut self, nanoseconds: u64) {
        self.0.push(nanoseconds);
    }

    /// Adds several times.
    pub fn extend(&mut self, nanoseconds: impl IntoIterator<Item = u64>) {
        self.0.extend(nanoseconds);
    }

    /// Adds all times of another collection.
    pub fn append(&mut self, mut others: Self) {
        self.0.append(&mut others.0);
    }

    /// Returns the number of times.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the number of greater times.
    pub fn over(&self, nanoseconds: u64) -> usize {
        self.0.iter().filter(|&&sample| sample > nanoseconds).count()
    }

    /// Returns the percentiles. Returns `None` if there are no times.
    pub fn spread(&self) -> Option<Spread> {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let max = *sorted.last()?;
        let count = sorted.len();
        let mean = sorted.iter().map(|&sample| sample as f64).sum::<f64>() / count as f64;
        let ranks = RANKS.map(|rank| sorted[(count * rank).div_ceil(1000).max(1) - 1]);
        Some(Spread { mean, ranks, max })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_nearest() {
        let mut samples = Samples::default();
        assert_eq!(samples.spread(), None);
        (1..=2000).rev().for_each(|sample| samples.push(sample));
        let spread = samples.spread().expect("there are samples");
        assert_eq!(spread.ranks, [500, 1000, 1500, 1800, 1900, 1980, 1998]);
        assert_eq!((spread.mean, spread.max, samples.over(1990)), (1000.5, 2000, 10));
    }
}
