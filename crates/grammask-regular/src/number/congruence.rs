//! Congruences of 128-bit numbers, and the Chinese remainder theorem.

/// A congruence for the value of the digits to come, in units of the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Congruence {
    pub(super) residue: u128,
    pub(super) modulus: u128,
}

impl Congruence {
    pub(super) const NONE: Self = Self { residue: 0, modulus: 1 };
    /// Exclusive upper bound of a modulus.
    const MAX_MODULUS: u128 = 1 << 120;

    /// Returns `None` if the modulus is too large.
    pub(super) fn new(residue: Option<u128>, modulus: Option<u128>) -> Option<Self> {
        Some(Self { residue: residue?, modulus: modulus.filter(|&modulus| modulus < Self::MAX_MODULUS)? })
    }

    /// Returns the conjunction of two congruences. Returns `None` if it has no solution. If its modulus would
    /// be too large, the result is the congruence with the larger modulus, which is weaker.
    ///
    /// # Source
    /// The Chinese remainder theorem, for moduli that need not be coprime.
    pub(super) fn and(self, other: Self) -> Option<Self> {
        let (divisor, inverse) = bezout(self.modulus, other.modulus);
        if self.residue % divisor != other.residue % divisor {
            return None;
        }
        let step = other.modulus / divisor;
        let apart =
            (other.residue % other.modulus + other.modulus - self.residue % other.modulus) % other.modulus;
        let times = (apart / divisor % step).checked_mul(inverse).map(|times| times % step);
        let modulus = self.modulus.checked_mul(step);
        let residue = times.zip(modulus).map(|(times, _)| self.residue + self.modulus * times);
        let larger = if self.modulus >= other.modulus { self } else { other };
        Some(Self::new(residue, modulus).unwrap_or(larger))
    }

    /// Returns true if all solutions are solutions of the other congruence.
    pub(super) fn implies(self, other: Self) -> bool {
        self.modulus.is_multiple_of(other.modulus)
            && self.residue % other.modulus == other.residue % other.modulus
    }

    /// Returns the least solution that is at least `least`.
    pub(super) fn first(self, least: u128) -> u128 {
        least + (self.residue + self.modulus - least % self.modulus) % self.modulus
    }
}

/// Returns the greatest common divisor g, and the inverse of a/g modulo b/g, by the extended Euclidean
/// algorithm.
#[expect(clippy::cast_possible_wrap, reason = "moduli are below 2^120")]
fn bezout(a: u128, b: u128) -> (u128, u128) {
    let (mut this, mut next) = (a, b);
    // Coefficients of `a` in `this` and `next`. Their magnitudes are at most `b`.
    let (mut times, mut next_times) = (1_i128, 0_i128);
    while next != 0 {
        let quotient = (this / next) as i128;
        (this, next) = (next, this % next);
        (times, next_times) = (next_times, times - quotient * next_times);
    }
    (this, times.rem_euclid((b / this) as i128) as u128)
}

#[cfg(test)]
mod tests {
    use super::{Congruence, bezout};

    #[test]
    fn two_congruences_are_one_or_exclude_each_other() {
        for (one, other) in (1..=24).flat_map(|one| (1..=24).map(move |other| (one, other))) {
            let (divisor, inverse) = bezout(one, other);
            assert_eq!(one / divisor * inverse % (other / divisor), 1 % (other / divisor), "{one}, {other}");
            for (first, second) in [(0, 0), (one - 1, 0), (one / 2, other / 3), (one / 3, other - 1)] {
                let both = |x: &u128| x % one == first && x % other == second;
                let least = (0..one * other).find(both);
                let found = Congruence { residue: first, modulus: one }
                    .and(Congruence { residue: second, modulus: other });
                assert_eq!(found.map(|found| found.first(0)), least, "{first} of {one}, {second} of {other}");
                assert!(found.is_none_or(|found| found.modulus == one * other / divisor));
            }
        }
        // A modulus that is too large makes the result weaker, not wrong.
        let large = Congruence { residue: 7, modulus: (1 << 100) + 1 };
        assert_eq!(large.and(Congruence { residue: 5, modulus: (1 << 90) + 3 }), Some(large));
    }
}
