//! JSON numbers that compare with a bound. A numeral is compared digit by digit. The state is the number of
//! digits read, and their ordering relative to as many digits of the bound.

use crate::number::state::{MAX_MANTISSA_DIGITS, NumeralPosition};
use crate::{Error, Limit, Limits};
use std::cmp::Ordering;

/// How a number compares with a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Comparison {
    /// At least the bound.
    AtLeast,
    /// Greater than the bound.
    Above,
    /// At most the bound.
    AtMost,
    /// Less than the bound.
    Below,
    /// Equal to the bound, however it is written.
    Equal,
}

impl Comparison {
    /// Returns true if a number with this ordering relative to the bound is allowed.
    pub const fn allows(self, ordering: Ordering) -> bool {
        match self {
            Self::AtLeast => ordering.is_ge(),
            Self::Above => ordering.is_gt(),
            Self::AtMost => ordering.is_le(),
            Self::Below => ordering.is_lt(),
            Self::Equal => ordering.is_eq(),
        }
    }
}

/// A bound: its digits with the point after the first one, times 10^`exponent`. Neither the first nor the
/// last digit is zero; zero has no digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bound {
    pub(crate) comparison: Comparison,
    pub(crate) digits: Box<[u8]>,
    pub(crate) exponent: i16,
}

/// Digits of the longest bound. Positions are 16-bit numbers.
pub(crate) const MAX_BOUND_DIGITS: u16 = 10_000;

impl Bound {
    pub(crate) fn read(comparison: Comparison, numeral: &str, limits: &Limits) -> Result<Self, Error> {
        let (whole, fraction) = numeral.split_once('.').unwrap_or((numeral, "0"));
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let digits = numeral.len() - usize::from(numeral.contains('.'));
        if !is_digits(whole) || !is_digits(fraction) {
            return Err(Error::numeral(numeral, "decimal numeral"));
        }
        let max_digits = limits.numeral_digits.min(usize::from(MAX_BOUND_DIGITS));
        let too_long = || Error::limit(Limit::NumeralDigits, max_digits, Some(digits));
        if digits > max_digits {
            return Err(too_long());
        }
        let all = || whole.bytes().chain(fraction.bytes());
        let zeros = all().take_while(|&byte| byte == b'0').count();
        let mut digits: Vec<u8> = all().skip(zeros).map(|byte| byte - b'0').collect();
        digits.truncate(digits.iter().rposition(|&digit| digit > 0).map_or(0, |last| last + 1));
        // There are at most 10,000 digits, and a zero that was not written.
        let exponent = match whole.len().cast_signed() - zeros.cast_signed() - 1 {
            _ if digits.is_empty() => -1,
            exponent => i16::try_from(exponent).map_err(|_| too_long())?,
        };
        Ok(Self { comparison, digits: digits.into(), exponent })
    }

    /// Returns true if it can be the result of [`read`](Self::read).
    pub(crate) fn is_reduced(&self) -> bool {
        let ends = [self.digits.first(), self.digits.last()];
        self.digits.iter().all(|&digit| digit <= 9)
            && ends.iter().all(|&end| end != Some(&0))
            && self.digits.len() <= usize::from(MAX_BOUND_DIGITS)
            && self.exponent.unsigned_abs() <= MAX_BOUND_DIGITS
            && (!self.digits.is_empty() || self.exponent == -1)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Returns the number of digits before the point; zero if it is only `0`.
    fn length(&self) -> u16 {
        u16::try_from(self.exponent + 1).unwrap_or(0)
    }

    fn allows(&self, ordering: Ordering) -> bool {
        self.comparison.allows(ordering)
    }

    /// Returns the position after a byte. Returns `None` if no allowed number is reachable from there.
    pub(crate) fn step(&self, position: NumeralPosition, byte: u8) -> Option<NumeralPosition> {
        match byte {
            b'0'..=b'9' => self.digit(position, byte - b'0'),
            b'.' => match position {
                NumeralPosition::Zero if self.length() > 0 => self.decided(Ordering::Less, 1),
                NumeralPosition::Zero => self.fraction(i32::from(self.exponent) + 1, false),
                NumeralPosition::Whole { digits: 1, side } => self.mantissa(0, side),
                NumeralPosition::Whole { digits, .. } if digits < self.length() => {
                    self.decided(Ordering::Less, 1)
                }
                NumeralPosition::Whole { digits, side: Ordering::Equal } => {
                    self.fraction(digits.into(), false)
                }
                NumeralPosition::Whole { side, .. } => self.decided(side, 1),
                NumeralPosition::Digits => Some(NumeralPosition::More(1)),
                _ => None,
            },
            b'e' | b'E' => match position {
                NumeralPosition::Whole { digits: 1, side } => self.exponents(1, side),
                NumeralPosition::Significant { digits: digits @ 1.., side } => {
                    self.exponents(digits + 1, side)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// As [`step`](Self::step), for a digit.
    fn digit(&self, position: NumeralPosition, digit: u8) -> Option<NumeralPosition> {
        match position {
            NumeralPosition::Start if digit == 0 => {
                // Digits after the point may make it an allowed number.
                let is_alive = self.is_accepting(NumeralPosition::Zero)
                    || self.step(NumeralPosition::Zero, b'.').is_some();
                is_alive.then_some(NumeralPosition::Zero)
            }
            NumeralPosition::Start => self.whole(1, self.side(0, Ordering::Equal, digit)),
            NumeralPosition::Whole { digits, side } if digits < self.length() => {
                self.whole(digits + 1, self.side(digits.into(), side, digit))
            }
            NumeralPosition::Whole { .. } | NumeralPosition::Digits => {
                self.allows(Ordering::Greater).then_some(NumeralPosition::Digits)
            }
            NumeralPosition::Significant { digits, side } => {
                self.mantissa(digits + 1, self.side(i32::from(digits) + 1, side, digit))
            }
            NumeralPosition::Compared { at, .. } => match self.side(at.into(), Ordering::Equal, digit) {
                Ordering::Equal => self.fraction(i32::from(at) + 1, true),
                side => self.decided(side, 0),
            },
            _ => None,
        }
    }

    /// Returns the ordering after one more digit at index `at`. `side` is the ordering before it.
    fn side(&self, at: i32, side: Ordering, digit: u8) -> Ordering {
        let other = usize::try_from(at).ok().and_then(|at| self.digits.get(at)).copied().unwrap_or(0);
        side.then(digit.cmp(&other))
    }

    /// Returns the ordering of a number that ends after `read` digits.
    fn outcome(&self, read: i32, side: Ordering) -> Ordering {
        let is_less = side.is_eq() && self.has_more(read);
        if is_less { Ordering::Less } else { side }
    }

    /// Returns true if the bound has non-zero digits after this many.
    fn has_more(&self, read: i32) -> bool {
        usize::try_from(read).ok().is_none_or(|read| read < self.digits.len())
    }

    /// Returns `Greater` instead of `Equal` if further digits make no difference. This is so for `AtLeast`
    /// after the last digit of the bound.
    fn merged(&self, read: i32, side: Ordering) -> Ordering {
        let is_done = side.is_eq() && !self.has_more(read) && self.comparison == Comparison::AtLeast;
        if is_done { Ordering::Greater } else { side }
    }

    /// Returns the position after the ordering is decided. At least `missing` more digits must follow.
    fn decided(&self, ordering: Ordering, missing: u8) -> Option<NumeralPosition> {
        self.allows(ordering).then_some(NumeralPosition::More(missing))
    }

    /// Returns the position after digits before the point: one digit, or at most as many as the bound has.
    fn whole(&self, digits: u16, side: Ordering) -> Option<NumeralPosition> {
        let side = self.merged(digits.into(), side);
        let length = self.length();
        let is_alive = match self.comparison {
            Comparison::AtLeast | Comparison::Above => true,
            // A negative exponent makes the number less.
            Comparison::AtMost | Comparison::Below if digits == 1 => !self.is_zero(),
            Comparison::AtMost | Comparison::Below if digits < length => true,
            Comparison::AtMost => side.is_le(),
            Comparison::Below => self.outcome(digits.into(), side).is_lt(),
            Comparison::Equal if digits == 1 && length == 0 => side.is_eq() && self.fits(),
            Comparison::Equal => side.is_eq(),
        };
        is_alive.then_some(NumeralPosition::Whole { digits, side })
    }

    /// Returns true if a number with an exponent can have all digits of the bound.
    fn fits(&self) -> bool {
        (1..=usize::from(MAX_MANTISSA_DIGITS) + 1).contains(&self.digits.len())
    }

    /// Returns the position after one digit, the point, and `digits` more digits.
    fn mantissa(&self, digits: u8, side: Ordering) -> Option<NumeralPosition> {
        let read = i32::from(digits) + 1;
        if digits > MAX_MANTISSA_DIGITS {
            return match 0.cmp(&self.exponent).then(side) {
                Ordering::Equal => self.fraction(read, true),
                ordering => self.decided(ordering, 0),
            };
        }
        let side = self.merged(read, side);
        let is_alive = match self.comparison {
            Comparison::AtLeast | Comparison::Above => true,
            Comparison::AtMost | Comparison::Below => !self.is_zero(),
            Comparison::Equal => side.is_eq() && (self.fits() || self.exponent == 0),
        };
        is_alive.then_some(NumeralPosition::Significant { digits, side })
    }

    /// Returns the position after the point, where all digits so far are those of the bound, and no exponent
    /// can follow.
    fn fraction(&self, at: i32, has_digit: bool) -> Option<NumeralPosition> {
        let has_more = self.has_more(at);
        // A bound has at most 10,000 digits.
        let at = if has_more { at.try_into().ok()? } else { self.digits.len().try_into().ok()? };
        match self.comparison {
            Comparison::AtLeast if !has_more => return Some(NumeralPosition::More(u8::from(!has_digit))),
            Comparison::Below if !has_more => return None,
            _ => {}
        }
        Some(NumeralPosition::Compared { at, has_digit })
    }

    /// Returns the position after `e`, which contains the allowed exponents.
    fn exponents(&self, read: u8, side: Ordering) -> Option<NumeralPosition> {
        if self.is_zero() {
            return self.allows(Ordering::Greater).then_some(NumeralPosition::AnyExponent);
        }
        let exponent = self.exponent;
        let is_same = self.allows(self.outcome(read.into(), side));
        match self.comparison {
            Comparison::AtLeast | Comparison::Above => {
                Some(NumeralPosition::ExponentFrom(if is_same { exponent } else { exponent + 1 }))
            }
            Comparison::AtMost | Comparison::Below => {
                Some(NumeralPosition::ExponentTo(if is_same { exponent } else { exponent - 1 }))
            }
            Comparison::Equal => is_same.then_some(NumeralPosition::ExponentIs(exponent)),
        }
    }

    /// Returns the simplest bound with the same numbers from a position on. Returns `None` if there is no
    /// simpler one.
    ///
    /// Once the ordering is decided, further digits of the bound make no difference. So the states of all
    /// bounds with as many digits before the point are the same ones from there on.
    pub(crate) fn simplest_at(&self, position: NumeralPosition) -> Option<Self> {
        let is_open = self.allows(Ordering::Greater);
        let (comparison, digits, exponent): (_, &[u8], _) = match position {
            NumeralPosition::Whole { side, .. } | NumeralPosition::Significant { side, .. }
                if side.is_ne() && !self.is_zero() =>
            {
                (if is_open { Comparison::AtLeast } else { Comparison::AtMost }, &[1], self.exponent)
            }
            // Only a bound from above leaves a number that begins with 0 alive. No condition is left but that
            // digits follow a point.
            NumeralPosition::Zero if self.length() > 0 => (Comparison::AtMost, &[1], 0),
            NumeralPosition::Digits => (Comparison::AtLeast, &[], -1),
            position if position.is_exponent() => (Comparison::AtLeast, &[], -1),
            _ => return None,
        };
        let is_simplest =
            self.comparison == comparison && *self.digits == *digits && self.exponent == exponent;
        (!is_simplest).then(|| Self { comparison, digits: digits.into(), exponent })
    }

    /// Returns true if an allowed number may end at the position.
    pub(crate) fn is_accepting(&self, position: NumeralPosition) -> bool {
        let ordering = match position {
            NumeralPosition::Zero if self.is_zero() => Ordering::Equal,
            NumeralPosition::Zero => Ordering::Less,
            NumeralPosition::Whole { digits, side } => {
                digits.cmp(&self.length()).then(self.outcome(digits.into(), side))
            }
            NumeralPosition::Significant { digits: digits @ 1.., side } => {
                0.cmp(&self.exponent).then(self.outcome(i32::from(digits) + 1, side))
            }
            NumeralPosition::Compared { at, has_digit: true } => self.outcome(at.into(), Ordering::Equal),
            NumeralPosition::Digits => return true,
            _ => return false,
        };
        self.allows(ordering)
    }

    /// Returns true if the position is valid for this bound and is not in an exponent.
    pub(crate) fn is_position(&self, position: NumeralPosition) -> bool {
        match position {
            NumeralPosition::Start => true,
            NumeralPosition::Zero => self.digit(NumeralPosition::Start, 0).is_some(),
            NumeralPosition::Digits => self.allows(Ordering::Greater),
            NumeralPosition::Whole { digits, side } => {
                (1..=self.length().max(1)).contains(&digits) && self.whole(digits, side) == Some(position)
            }
            NumeralPosition::Significant { digits, side } => {
                digits <= MAX_MANTISSA_DIGITS && self.mantissa(digits, side) == Some(position)
            }
            NumeralPosition::Compared { at, has_digit } => {
                at > self.exponent.min(0) && self.fraction(at.into(), has_digit) == Some(position)
            }
            _ => false,
        }
    }
}
