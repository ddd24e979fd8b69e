//! Random numbers that are equal on every machine.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A seeded generator of random numbers.
///
/// Equal seeds give equal texts in all versions of `grammask generate`, so the algorithm is part of the
/// interface. SplitMix64 is small, fast, and needs no warm-up after similar seeds. The tests use it too
/// (`grammask_testkit::random::Rng`).
///
/// # Source
/// G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014.
#[derive(Clone, Debug)]
pub(crate) struct Random(SplitMix64);

impl Random {
    /// Creates a generator from a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    /// Returns a uniformly distributed number below `bound`, or 0 if `bound` is 0.
    #[expect(clippy::cast_possible_truncation, reason = "a remainder is below `bound`")]
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        if bound == 0 {
            return 0;
        }
        // Rejection sampling: numbers above the largest multiple of `bound` would favour small remainders.
        let multiple = u64::MAX - u64::MAX % bound;
        loop {
            let number = self.0.next_u64();
            if number < multiple {
                return (number % bound) as usize;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_splitmix64() {
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.0.next_u64()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn numbers_below_a_bound_are_uniform() {
        let mut random = Random::new(0);
        let mut counts = [0; 10];
        for _ in 0..10_000 {
            counts[random.below(10)] += 1;
        }
        assert!(counts.iter().all(|count| (900..1100).contains(count)), "{counts:?}");
        assert_eq!(random.below(0), 0);
        assert_eq!(random.below(1), 0);
    }
}
