//! Times of very many pieces of work, and how they are spread.

/// Times in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<u64>);

/// How samples are spread: nearest ranks and the mean, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The least samples that so many of a thousand do not exceed, for each of [`RANKS`].
    pub ranks: [u64; RANKS.len()],
    /// The greatest.
    pub max: u64,
}

/// Of a thousand samples, so many are not greater.
pub const RANKS: [usize; 7] = [250, 500, 750, 900, 950, 990, 999];

impl Samples {
    /// Adds one.
    pub fn push(&mut self, nanoseconds: u64) {
        self.0.push(nanoseconds);
    }

    /// Adds several.
    pub fn extend(&mut self, nanoseconds: impl IntoIterator<Item = u64>) {
        self.0.extend(nanoseconds);
    }

    /// Adds all of others.
    pub fn append(&mut self, mut others: Self) {
        self.0.append(&mut others.0);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// How many are greater.
    pub fn over(&self, nanoseconds: u64) -> usize {
        self.0.iter().filter(|&&sample| sample > nanoseconds).count()
    }

    /// How they are spread; none when there are none.
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
