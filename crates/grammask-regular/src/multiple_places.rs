//! The places in a numeral whose value shall be a multiple of a number, and what is kept at each: a remainder; or, for 1, 2 and 5
//! times a power of ten, which exponents are large enough for the digits so far. Each place can still become a multiple.

/// The number whose multiples are meant: `unit` times 10^`power`; the unit does not end in a zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Divisor {
    pub(crate) unit: u64,
    pub(crate) power: i8,
}

/// A divisor with what its places need.
pub(crate) struct Multiples {
    pub(crate) divisor: Divisor,
    /// How many digits behind the point may be other than zero.
    places: u8,
    /// The divisor in units of 10^-`places`; 1 for a step.
    modulus: u64,
    /// The powers of ten up to 10^`places` modulo `modulus`; none for a step.
    powers: Box<[u64]>,
}

/// Where in a numeral.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Place {
    /// Before the first digit.
    Start,
    /// Behind a zero that is the first digit.
    Zero,
    /// Behind one digit that is not zero. With an exponent from this on it is a multiple of the step; without one it has the
    /// exponent 0.
    First(i8),
    /// Behind digits before the point: what they are worth in units of 10^-`places`, modulo the divisor; for a step, how many
    /// zeros are missing.
    Integer(u64),
    /// Behind the point, where there is no exponent any more; the remainder, as above.
    Point(u64),
    /// Behind digits of the fraction, where there is no exponent any more.
    Fraction {
        /// How many more of them may be other than zero.
        left: u8,
        remainder: u64,
    },
    /// Behind one digit, the point and so many more digits.
    Mantissa { digits: u8, least: i8 },
    /// Behind the `e` before an exponent that is at least so much.
    Exponent(i8),
    /// In an exponent without sign, or with `+`, that is at least so much. What was read is zero or its first digits.
    AtLeast { least: u8, read: u8 },
    /// In an exponent, where at least so many digits are missing, and more do no harm.
    More(u8),
    /// In an exponent behind `-` that is at most so much.
    AtMost { most: u8, read: u8, has_digit: bool },
    /// In an exponent, where so many digits may follow at most.
    Fewer(u8),
}

/// The most digits behind the point of a number with exponent.
const MANTISSA: u8 = 20;
/// The most digits of an exponent that is compared with a bound.
const EXPONENT: u8 = 2;

impl Divisor {
    /// Whether the last digit that is not zero and its place tell multiples.
    pub(crate) const fn is_step(&self) -> bool {
        matches!(self.unit, 1 | 2 | 5)
    }

    /// The number in units of 10^-`places`; 1 for a step, which needs none.
    pub(crate) fn modulus(&self) -> Option<u64> {
        match u32::try_from(self.power) {
            _ if self.is_step() => Some(1),
            Ok(power) => self.unit.checked_mul(10_u64.checked_pow(power)?),
            Err(_) => Some(self.unit),
        }
    }

    /// The least exponent that makes a digit a multiple of the step, so many places behind the point. It must not be zero.
    const fn least(&self, digit: u8, places: u8) -> i8 {
        let is_one = digit.is_multiple_of(self.unit as u8);
        self.power + places as i8 + if is_one { 0 } else { 1 }
    }

    /// The greatest of them.
    const fn greatest_least(&self, places: u8) -> i8 {
        self.least(1, places)
    }
}

impl Multiples {
    /// The divisor is reduced.
    pub(crate) fn new(divisor: Divisor) -> Self {
        let places = if divisor.power < 0 { divisor.power.unsigned_abs() } else { 0 };
        let modulus = divisor.modulus().unwrap_or(1);
        let powers = std::iter::successors(Some(1 % modulus), |&power| {
            Some(remainder(u128::from(power) * 10, modulus))
        });
        let count = if divisor.is_step() { 0 } else { usize::from(places) + 1 };
        Self { places, modulus, powers: powers.take(count).collect(), divisor }
    }

    /// The place behind a byte, if a multiple can be reached from there.
    pub(crate) fn step(&self, place: Place, byte: u8) -> Option<Place> {
        match byte {
            b'0'..=b'9' => self.digit(place, byte - b'0'),
            b'.' => match place {
                Place::Zero => Some(Place::Point(0)),
                Place::First(least) => Some(Place::Mantissa { digits: 0, least }),
                Place::Integer(0) => Some(Place::Point(0)),
                Place::Integer(rest) if self.fits(rest, self.places) => Some(Place::Point(rest)),
                _ => None,
            },
            b'e' | b'E' => match place {
                Place::First(least) | Place::Mantissa { digits: 1.., least } => Some(Place::Exponent(least)),
                _ => None,
            },
            b'+' => match place {
                Place::Exponent(least) if least > 0 => Some(at_least(least.unsigned_abs(), 0)),
                Place::Exponent(_) => Some(Place::More(1)),
                _ => None,
            },
            b'-' => match place {
                Place::Exponent(least) if least <= 0 => {
                    Some(Place::AtMost { most: least.unsigned_abs(), read: 0, has_digit: false })
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn digit(&self, place: Place, digit: u8) -> Option<Place> {
        let is_step = self.divisor.is_step();
        Some(match place {
            Place::Start if digit == 0 => Place::Zero,
            Place::Start if is_step => Place::First(self.divisor.least(digit, 0)),
            Place::Start => Place::Integer(self.plus(0, digit, self.places)),
            Place::Zero => return None,
            Place::First(least) => Place::Integer(self.zeros_missing(at_zero(least), digit)),
            Place::Integer(missing) if is_step => Place::Integer(self.zeros_missing(missing, digit)),
            Place::Integer(rest) => {
                let rest = remainder(u128::from(rest) * 10, self.modulus);
                Place::Integer(self.plus(rest, digit, self.places))
            }
            Place::Point(rest) => return self.fraction(self.places, rest, digit),
            Place::Fraction { left, remainder } => return self.fraction(left, remainder, digit),
            Place::Mantissa { digits, least } => {
                let digits = digits + 1;
                let least = if digit == 0 { least } else { self.divisor.least(digit, digits) };
                match digits {
                    ..=MANTISSA => Place::Mantissa { digits, least },
                    _ if least > 0 => return None,
                    _ => Place::Fraction { left: self.places.saturating_sub(digits), remainder: 0 },
                }
            }
            Place::Exponent(least) if least > 0 => at_least(least.unsigned_abs(), digit),
            Place::Exponent(_) => Place::More(0),
            Place::AtLeast { least, read } => at_least(least, read * 10 + digit),
            Place::More(missing) => Place::More(missing.saturating_sub(1)),
            Place::AtMost { most, read, .. } => return at_most(most, read * 10 + digit),
            Place::Fewer(left) => Place::Fewer(left.checked_sub(1)?),
        })
    }

    /// How many zeros are missing before the point behind one more digit.
    fn zeros_missing(&self, missing: u64, digit: u8) -> u64 {
        if digit == 0 { missing.saturating_sub(1) } else { at_zero(self.divisor.least(digit, 0)) }
    }

    fn fraction(&self, left: u8, rest: u64, digit: u8) -> Option<Place> {
        let Some(after) = left.checked_sub(1) else {
            return (digit == 0).then_some(Place::Fraction { left, remainder: rest });
        };
        if self.divisor.is_step() {
            // At the last place, not every digit is a multiple.
            let fits = digit == 0 || self.divisor.least(digit, self.places - after) <= 0;
            return fits.then_some(Place::Fraction { left: after, remainder: 0 });
        }
        let rest = self.plus(rest, digit, after);
        self.fits(rest, after).then_some(Place::Fraction { left: after, remainder: rest })
    }

    /// The remainder with a digit more, that many places before the last one.
    fn plus(&self, rest: u64, digit: u8, power: u8) -> u64 {
        let more = u128::from(digit) * u128::from(self.powers[usize::from(power)]);
        remainder(u128::from(rest) + more, self.modulus)
    }

    /// Whether what is missing fits into so many digits.
    fn fits(&self, rest: u64, left: u8) -> bool {
        if self.divisor.is_step() {
            return rest == 0;
        }
        let missing = if rest == 0 { 0 } else { self.modulus - rest };
        10_u64.checked_pow(left.into()).is_none_or(|end| missing < end)
    }

    /// Whether there is such a place.
    pub(crate) fn is_place(&self, place: Place) -> bool {
        let is_step = self.divisor.is_step();
        let is_least = |least: i8, digits: u8| {
            is_step && (self.divisor.power..=self.divisor.greatest_least(digits)).contains(&least)
        };
        match place {
            Place::Start | Place::Zero => true,
            Place::First(least) => is_least(least, 0),
            Place::Integer(missing) if is_step => missing <= at_zero(self.divisor.greatest_least(0)),
            Place::Integer(rest) => rest < self.modulus,
            Place::Point(rest) => rest < self.modulus && self.fits(rest, self.places),
            Place::Fraction { left, remainder } => {
                left <= self.places && remainder < self.modulus && self.fits(remainder, left)
            }
            Place::Mantissa { digits, least } => digits <= MANTISSA && is_least(least, digits),
            Place::Exponent(least) => is_least(least, MANTISSA),
            Place::AtLeast { least, read } => {
                i8::try_from(least).is_ok_and(|least| least > 0 && is_least(least, MANTISSA))
                    && read < least
                    && at_least(least, read) == place
            }
            Place::More(missing) => is_step && missing <= EXPONENT,
            Place::AtMost { most, read, has_digit } => {
                let most_of_all = if self.divisor.power < 0 { self.divisor.power.unsigned_abs() } else { 0 };
                is_step
                    && most <= most_of_all
                    && read <= most
                    && if has_digit { at_most(most, read) == Some(place) } else { read == 0 }
            }
            Place::Fewer(left) => is_step && (1..=EXPONENT).contains(&left),
        }
    }

    pub(crate) fn bytes_used(&self) -> usize {
        size_of::<Self>() + self.powers.len() * 8
    }
}

impl Place {
    pub(crate) const fn is_accepting(self) -> bool {
        match self {
            Self::Zero | Self::Integer(0) | Self::Fraction { remainder: 0, .. } => true,
            Self::First(least) | Self::Mantissa { digits: 1.., least } => least <= 0,
            Self::More(missing) => missing == 0,
            Self::AtMost { has_digit, .. } => has_digit,
            Self::Fewer(_) => true,
            _ => false,
        }
    }
}

/// The place in an exponent that is at least `least`, which is positive, behind digits.
fn at_least(least: u8, read: u8) -> Place {
    let (least, mut low) = (u32::from(least), u32::from(read));
    let mut high = low;
    for missing in 0..=EXPONENT {
        match () {
            () if low >= least => return Place::More(missing),
            () if high >= least || read == 0 => break,
            () => (low, high) = (low * 10, high * 10 + 9),
        }
    }
    Place::AtLeast { least: least as u8, read }
}

/// The place in an exponent that is at most `most`, behind digits; `None` where it is more.
fn at_most(most: u8, read: u8) -> Option<Place> {
    let (bound, mut low) = (u32::from(most), u32::from(read));
    let mut high = low;
    if low > bound {
        return None;
    }
    for left in 0..=EXPONENT {
        (low, high) = (low * 10, high * 10 + 9);
        match () {
            () if low > bound => return Some(Place::Fewer(left)),
            () if high > bound || read == 0 => break,
            () => {}
        }
    }
    Some(Place::AtMost { most, read, has_digit: true })
}

/// How many zeros a least exponent asks for where there is none.
const fn at_zero(least: i8) -> u64 {
    if least > 0 { least.unsigned_abs() as u64 } else { 0 }
}

/// The remainder, which is less than the divisor and so fits.
const fn remainder(a: u128, divisor: u64) -> u64 {
    (a % divisor as u128) as u64
}
