//! Random choices that are equal in every run and on every machine.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A seeded generator of random numbers: SplitMix64, as in the tests and in `grammask generate`.
///
/// # Source
/// G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Default for Random {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Random {
    /// Creates a generator from a seed.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    /// Returns a number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound as u64) as usize
    }

    /// Returns true in `of_thousand` of a thousand cases.
    pub fn chance(&mut self, of_thousand: usize) -> bool {
        self.below(1000) < of_thousand
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_differ_and_repeat() {
        let numbers = |seed| {
            let mut random = Random::new(seed);
            (0..20).map(|_| random.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
        assert_ne!(numbers(0), numbers(1));
    }

    #[test]
    fn chances_have_their_frequency() {
        let mut random = Random::new(7);
        let count = (0..10_000).filter(|_| random.chance(250)).count();
        assert!((2_200..2_800).contains(&count), "{count}");
    }
}
