//! Random numbers that are the same in every run and on every machine.

/// A generator of random numbers.
///
/// # Source
/// G. Marsaglia, "Xorshift RNGs", 2003; with 64 bits.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Default for Random {
    fn default() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }
}

impl Random {
    /// Returns a generator for a seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Self((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        // Similar seeds give similar first numbers, which are skipped.
        (0..8).for_each(|_| {
            random.below(2);
        });
        random
    }

    /// Returns a number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    /// Returns `true` in `permille` of a thousand cases.
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
    fn chances_are_as_large_as_said() {
        let mut random = Random::new(7);
        let count = (0..10_000).filter(|_| random.chance(250)).count();
        assert!((2_200..2_800).contains(&count), "{count}");
    }
}
