//! JSON numbers whose value is a multiple of a divisor. The state is the remainder of the digits read.
//!
//! A *step* is a divisor that is 1, 2 or 5 times a power of ten. The last non-zero digit decides
//! divisibility, so the state is the least exponent that makes the digits read a multiple. Multiples of other
//! divisors have no exponent, because with exponents they are not a regular language.

use crate::number::state::number_leaf;
use crate::number::state::{MAX_MANTISSA_DIGITS, NumberState, Numbers, NumeralPosition};
use crate::{Error, Limit, LimitExceeded, Limits, RegularId, Store};
use std::sync::Arc;

/// A divisor: `unit` times 10^`power`. The unit does not end in a zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Divisor {
    pub(crate) unit: u64,
    pub(crate) power: i8,
}

/// The multiples of a divisor, with constants for its transitions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Multiples {
    pub(crate) divisor: Divisor,
    /// Number of digits after the point that may be other than zero.
    places: u8,
    /// The divisor in units of 10^-`places`; 1 for a step.
    modulus: u64,
    /// The powers of ten up to 10^`places`, modulo `modulus`; none for a step.
    powers: Box<[u64]>,
}

/// Digits of the longest divisor. Powers of ten are 8-bit numbers.
const MAX_DIVISOR_DIGITS: usize = 40;

/// Digits of the largest modulus.
const MAX_MODULUS_DIGITS: u8 = 20;

impl Divisor {
    fn read(numeral: &str, limits: &Limits) -> Result<Self, Error> {
        let wrong = || Error::numeral(numeral, "positive decimal numeral");
        let (whole, fraction) = numeral.split_once('.').unwrap_or((numeral, "0"));
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let digits = numeral.len() - usize::from(numeral.contains('.'));
        if !is_digits(whole) || !is_digits(fraction) {
            return Err(wrong());
        }
        let max_digits = limits.divisor_digits.min(MAX_DIVISOR_DIGITS);
        if digits > max_digits {
            return Err(Error::limit(Limit::DivisorDigits, max_digits, Some(digits)));
        }
        let too_large =
            || Error::Limit(LimitExceeded { limit: Limit::Divisor, value: limits.divisor, found: None });
        let all = || whole.bytes().chain(fraction.bytes());
        let zeros = all().rev().take_while(|&byte| byte == b'0').count();
        let mut unit: u64 = 0;
        for digit in all().take(whole.len() + fraction.len() - zeros) {
            unit = unit
                .checked_mul(10)
                .and_then(|unit| unit.checked_add(u64::from(digit - b'0')))
                .ok_or_else(too_large)?;
        }
        if unit == 0 {
            return Err(wrong());
        }
        // There are at most 40 digits, and a zero that was not written.
        let power = zeros.cast_signed() - fraction.len().cast_signed();
        let divisor = Self { unit, power: power.try_into().map_err(|_| too_large())? };
        let is_allowed = divisor.modulus().is_some_and(|_| divisor.is_step() || unit <= limits.divisor);
        if is_allowed { Ok(divisor) } else { Err(too_large()) }
    }

    /// Returns true if it can be the result of [`read`](Self::read), so that equal divisors are identical.
    pub(crate) fn is_reduced(&self) -> bool {
        !self.unit.is_multiple_of(10)
            && usize::from(self.power.unsigned_abs()) < MAX_DIVISOR_DIGITS
            && self.modulus().is_some()
    }
}

impl Divisor {
    /// Returns true for a step: the last non-zero digit and its position decide divisibility.
    pub(crate) const fn is_step(&self) -> bool {
        matches!(self.unit, 1 | 2 | 5)
    }

    /// Returns the divisor in units of 10^-`places`; 1 for a step, which needs none. Returns `None` if it
    /// exceeds 64 bits.
    pub(crate) fn modulus(&self) -> Option<u64> {
        match u32::try_from(self.power) {
            _ if self.is_step() => Some(1),
            Ok(power) => self.unit.checked_mul(10_u64.checked_pow(power)?),
            Err(_) => Some(self.unit),
        }
    }

    /// Returns the least exponent that makes a non-zero digit, `places` places after the point, a multiple of
    /// the step.
    const fn least(&self, digit: u8, places: u8) -> i8 {
        let is_one = (digit as u64).is_multiple_of(self.unit);
        self.power.saturating_add_unsigned(if is_one { places } else { places + 1 })
    }

    /// Returns the greatest result of [`least`](Self::least).
    const fn greatest_least(&self, places: u8) -> i8 {
        self.least(1, places)
    }
}

impl Multiples {
    /// Returns the multiples of a reduced divisor.
    pub(crate) fn new(divisor: Divisor) -> Self {
        let places = if divisor.power < 0 { divisor.power.unsigned_abs() } else { 0 };
        let modulus = divisor.modulus().unwrap_or(1);
        let powers = std::iter::successors(Some(1 % modulus), |&power| {
            Some(remainder(u128::from(power) * 10, modulus))
        });
        let count = if divisor.is_step() { 0 } else { usize::from(places) + 1 };
        Self { places, modulus, powers: powers.take(count).collect(), divisor }
    }

    /// Returns the position after a byte. Returns `None` if no multiple is reachable from there.
    pub(crate) fn step(&self, position: NumeralPosition, byte: u8) -> Option<NumeralPosition> {
        match byte {
            b'0'..=b'9' => self.digit(position, byte - b'0'),
            b'.' => match position {
                NumeralPosition::Zero => Some(NumeralPosition::Point(0)),
                NumeralPosition::First(least) => Some(NumeralPosition::Mantissa { digits: 0, least }),
                NumeralPosition::Integer(0) => Some(NumeralPosition::Point(0)),
                NumeralPosition::Integer(rest) if self.fits(rest, self.places) => {
                    Some(NumeralPosition::Point(rest))
                }
                _ => None,
            },
            b'e' | b'E' => match position {
                NumeralPosition::First(least) | NumeralPosition::Mantissa { digits: 1.., least } => {
                    Some(NumeralPosition::ExponentFrom(least.into()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// As [`step`](Self::step), for a digit.
    fn digit(&self, position: NumeralPosition, digit: u8) -> Option<NumeralPosition> {
        let is_step = self.divisor.is_step();
        Some(match position {
            NumeralPosition::Start if digit == 0 => NumeralPosition::Zero,
            NumeralPosition::Start if is_step => NumeralPosition::First(self.divisor.least(digit, 0)),
            NumeralPosition::Start => NumeralPosition::Integer(self.plus(0, digit, self.places)),
            NumeralPosition::First(least) => {
                NumeralPosition::Integer(self.zeros_missing(at_zero(least), digit))
            }
            NumeralPosition::Integer(missing) if is_step => {
                NumeralPosition::Integer(self.zeros_missing(missing, digit))
            }
            NumeralPosition::Integer(rest) => {
                let rest = remainder(u128::from(rest) * 10, self.modulus);
                NumeralPosition::Integer(self.plus(rest, digit, self.places))
            }
            NumeralPosition::Point(rest) => return self.fraction(self.places, rest, digit),
            NumeralPosition::Fraction { left, remainder } => return self.fraction(left, remainder, digit),
            NumeralPosition::Mantissa { digits, least } => {
                let digits = digits + 1;
                let least = if digit == 0 { least } else { self.divisor.least(digit, digits) };
                match digits {
                    ..=MAX_MANTISSA_DIGITS => NumeralPosition::Mantissa { digits, least },
                    _ if least > 0 => return None,
                    _ => NumeralPosition::Fraction { left: self.places.saturating_sub(digits), remainder: 0 },
                }
            }
            _ => return None,
        })
    }

    /// Returns the number of zeros that must follow before the point, after one more digit.
    fn zeros_missing(&self, missing: u64, digit: u8) -> u64 {
        if digit == 0 { missing.saturating_sub(1) } else { at_zero(self.divisor.least(digit, 0)) }
    }

    /// Returns the position after one more digit of the fraction. `left` is the number of digits, from this
    /// one on, that may be other than zero.
    fn fraction(&self, left: u8, rest: u64, digit: u8) -> Option<NumeralPosition> {
        let Some(after) = left.checked_sub(1) else {
            return (digit == 0).then_some(NumeralPosition::Fraction { left, remainder: rest });
        };
        if self.divisor.is_step() {
            // At the last place, not every digit is a multiple.
            let fits = digit == 0 || self.divisor.least(digit, self.places - after) <= 0;
            return fits.then_some(NumeralPosition::Fraction { left: after, remainder: 0 });
        }
        let rest = self.plus(rest, digit, after);
        self.fits(rest, after).then_some(NumeralPosition::Fraction { left: after, remainder: rest })
    }

    /// Returns the remainder after one more digit, which is `power` places before the last one.
    fn plus(&self, rest: u64, digit: u8, power: u8) -> u64 {
        let more = u128::from(digit) * u128::from(self.powers[usize::from(power)]);
        remainder(u128::from(rest) + more, self.modulus)
    }

    /// Returns true if `left` more digits can make the remainder zero.
    fn fits(&self, rest: u64, left: u8) -> bool {
        if self.divisor.is_step() {
            return rest == 0;
        }
        let missing = if rest == 0 { 0 } else { self.modulus - rest };
        10_u64.checked_pow(left.into()).is_none_or(|end| missing < end)
    }

    /// Returns digits that complete a numeral at a position to a multiple, the shortest first. Returns none
    /// for a step, whose state is not a remainder.
    pub(crate) fn completions(&self, position: NumeralPosition) -> Vec<String> {
        let missing = |rest: u64| if rest == 0 { 0 } else { self.modulus - rest };
        let padded = |digits: u64, length: u8| format!("{digits:0>0$}", usize::from(length));
        match position {
            _ if self.divisor.is_step() => Vec::new(),
            // The divisor itself, and an integer multiple, which exceeds most bounds.
            NumeralPosition::Start => vec![self.numeral(self.modulus, 1), self.modulus.to_string()],
            NumeralPosition::Integer(mut rest) => {
                let mut found = Vec::new();
                // Tries more digits before the point, until all digits together can reach any remainder.
                for whole in 0..=MAX_MODULUS_DIGITS {
                    if self.fits(rest, self.places + whole) {
                        found.push(self.numeral(missing(rest), whole));
                    }
                    if self.fits(1, self.places + whole) {
                        break;
                    }
                    rest = remainder(u128::from(rest) * 10, self.modulus);
                }
                found
            }
            NumeralPosition::Point(rest) => vec![padded(missing(rest), self.places)],
            NumeralPosition::Fraction { left, remainder } => vec![padded(missing(remainder), left)],
            _ => Vec::new(),
        }
    }

    /// Writes a number of units of 10^-`places`, with at least this many digits before the point.
    fn numeral(&self, units: u64, whole: u8) -> String {
        let point = 10_u64.checked_pow(self.places.into());
        let (before, after) = point.map_or((0, units), |point| (units / point, units % point));
        let before = if whole == 0 { String::new() } else { format!("{before:0>0$}", usize::from(whole)) };
        if after == 0 { before } else { format!("{before}.{after:0>0$}", usize::from(self.places)) }
    }

    /// Returns true if the position is valid for this divisor.
    pub(crate) fn is_position(&self, position: NumeralPosition) -> bool {
        let is_step = self.divisor.is_step();
        let is_least = |least: i8, digits: u8| {
            is_step && (self.divisor.power..=self.divisor.greatest_least(digits)).contains(&least)
        };
        match position {
            NumeralPosition::Start | NumeralPosition::Zero => true,
            NumeralPosition::First(least) => is_least(least, 0),
            NumeralPosition::Integer(missing) if is_step => {
                missing <= at_zero(self.divisor.greatest_least(0))
            }
            NumeralPosition::Integer(rest) => rest < self.modulus,
            NumeralPosition::Point(rest) => rest < self.modulus && self.fits(rest, self.places),
            NumeralPosition::Fraction { left, remainder } => {
                left <= self.places && remainder < self.modulus && self.fits(remainder, left)
            }
            NumeralPosition::Mantissa { digits, least } => {
                digits <= MAX_MANTISSA_DIGITS && is_least(least, digits)
            }
            _ => false,
        }
    }

    pub(crate) const fn is_accepting(position: NumeralPosition) -> bool {
        match position {
            NumeralPosition::Zero
            | NumeralPosition::Integer(0)
            | NumeralPosition::Fraction { remainder: 0, .. } => true,
            NumeralPosition::First(least) | NumeralPosition::Mantissa { digits: 1.., least } => least <= 0,
            _ => false,
        }
    }

    pub(crate) const fn is_step(&self) -> bool {
        self.divisor.is_step()
    }

    /// Returns the unit of a step: 1, 2 or 5.
    pub(crate) const fn unit(&self) -> u64 {
        self.divisor.unit
    }

    /// Returns the divisor in units of the last digit that may be other than zero.
    pub(crate) const fn modulus(&self) -> u64 {
        self.modulus
    }

    /// Returns the number of digits after the point that may be other than zero. For a step of tens or more
    /// it is negative: the number of digits before the point that have to be zero.
    pub(crate) fn room(&self) -> i32 {
        if self.is_step() { -i32::from(self.divisor.power) } else { self.places.into() }
    }

    pub(crate) fn bytes_used(&self) -> usize {
        self.powers.len() * 8
    }
}

/// See [`Store::multiple`].
pub(crate) fn multiple(store: &mut Store, numeral: &str) -> Result<RegularId, Error> {
    let multiples = Multiples::new(Divisor::read(numeral, &store.limits)?);
    let numbers = store.leaves.intern_numbers(Arc::new(Numbers::Multiples(multiples)));
    number_leaf(store, NumberState { numbers, position: NumeralPosition::Start })
}

/// Returns the number of zeros that a least exponent requires without an exponent.
const fn at_zero(least: i8) -> u64 {
    if least > 0 { least.unsigned_abs() as u64 } else { 0 }
}

/// Returns the remainder.
#[expect(clippy::cast_possible_truncation, reason = "it is less than the divisor")]
const fn remainder(a: u128, divisor: u64) -> u64 {
    (a % divisor as u128) as u64
}
