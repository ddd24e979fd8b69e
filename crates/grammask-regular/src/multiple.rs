//! The decimal numerals whose value is a multiple of a number, as an automaton that keeps a remainder.

use crate::node::{Kind, RegularId};
use crate::{ByteClasses, Error, Store};
use std::sync::Arc;

/// The number whose multiples are meant: `unit` / 10^`places`, without a zero at the end of its fraction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Divisor {
    pub(crate) unit: u64,
    pub(crate) places: u8,
}

/// A divisor with the powers of ten up to 10^`places`, as remainders.
pub(crate) struct Multiples {
    pub(crate) divisor: Divisor,
    powers: Box<[u64]>,
}

/// Where in a numeral.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Position {
    /// Before the first digit.
    Start,
    /// Behind a digit before the point.
    Integer,
    /// Behind the point.
    Point,
    /// Behind a digit of the fraction; so many more of them count.
    Fraction(u8),
}

/// A state: where in a numeral, and what was read so far, in units of 10^-`places`, modulo `unit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MultipleState {
    pub(crate) multiples: u32,
    pub(crate) position: Position,
    pub(crate) remainder: u64,
}

/// The greatest number of digits of a number whose multiples are asked for.
const DIGITS: usize = 40;

impl Divisor {
    fn read(numeral: &str) -> Result<Self, Error> {
        let wrong = || Error::Numeral { numeral: numeral.chars().take(DIGITS + 2).collect() };
        let (whole, fraction) = numeral.split_once('.').unwrap_or((numeral, "0"));
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let digits = numeral.len() - usize::from(numeral.contains('.'));
        if !is_digits(whole) || !is_digits(fraction) || digits > DIGITS {
            return Err(wrong());
        }
        let fraction = fraction.trim_end_matches('0');
        let mut unit: u64 = 0;
        for digit in whole.bytes().chain(fraction.bytes()) {
            unit = unit.checked_mul(10).and_then(|unit| unit.checked_add(u64::from(digit - b'0'))).ok_or(
                Error::Limit { limit: "multiple", value: usize::MAX, place: "a number without its point" },
            )?;
        }
        // There are at most 40 digits.
        if unit == 0 { Err(wrong()) } else { Ok(Self { unit, places: fraction.len() as u8 }) }
    }

    /// Whether it is written with as few places as can be, so that equal divisors are the same.
    pub(crate) fn is_reduced(&self) -> bool {
        self.unit > 0
            && usize::from(self.places) <= DIGITS
            && (self.places == 0 || !self.unit.is_multiple_of(10))
    }
}

impl Multiples {
    pub(crate) fn new(divisor: Divisor) -> Self {
        let powers = std::iter::successors(Some(1 % divisor.unit), |&power| {
            Some(remainder(u128::from(power) * 10, divisor.unit))
        });
        let powers = powers.take(usize::from(divisor.places) + 1).collect();
        Self { divisor, powers }
    }

    fn step(&self, position: Position, read: u64, byte: u8) -> Option<(Position, u64)> {
        let places = self.divisor.places;
        let plus = |power: u8, read: u128| {
            let digit = u128::from(byte - b'0') * u128::from(self.powers[usize::from(power)]);
            remainder(read + digit, self.divisor.unit)
        };
        let next = match (position, byte) {
            (Position::Start | Position::Integer, b'0'..=b'9') => {
                (Position::Integer, plus(places, u128::from(read) * 10))
            }
            (Position::Integer, b'.') => (Position::Point, read),
            (Position::Point | Position::Fraction(_), b'0'..=b'9') => {
                let left = if let Position::Fraction(left) = position { left } else { places };
                match left.checked_sub(1) {
                    Some(left) => (Position::Fraction(left), plus(left, u128::from(read))),
                    None if byte == b'0' => (Position::Fraction(0), read),
                    None => return None,
                }
            }
            _ => return None,
        };
        self.is_live(next.0, next.1).then_some(next)
    }

    /// Whether a multiple can still be reached. Before the point it always can; behind it, what is missing must fit into the places
    /// that are left.
    fn is_live(&self, position: Position, read: u64) -> bool {
        let left = match position {
            Position::Start | Position::Integer => return true,
            Position::Point => self.divisor.places,
            Position::Fraction(left) => left,
        };
        let missing = if read == 0 { 0 } else { self.divisor.unit - read };
        10_u64.checked_pow(left.into()).is_none_or(|end| missing < end)
    }

    /// Whether there is such a state, from which a multiple can be reached.
    pub(crate) fn is_state(&self, position: Position, read: u64) -> bool {
        let is_possible = match position {
            Position::Start => read == 0,
            Position::Fraction(left) => left <= self.divisor.places,
            Position::Integer | Position::Point => true,
        };
        is_possible && read < self.divisor.unit && self.is_live(position, read)
    }

    pub(crate) fn bytes_used(&self) -> usize {
        size_of::<Self>() + self.powers.len() * 8
    }
}

/// The remainder, which is less than the divisor and so fits.
const fn remainder(a: u128, divisor: u64) -> u64 {
    (a % divisor as u128) as u64
}

impl MultipleState {
    pub(crate) fn is_accepting(&self) -> bool {
        self.remainder == 0 && matches!(self.position, Position::Integer | Position::Fraction(_))
    }
}

impl Store {
    /// The decimal numerals `[0-9]+(\.[0-9]+)?` whose value is an integer times that of `numeral`, a positive decimal numeral itself,
    /// with at most 40 digits. Zero is one of them; zeros before and behind change nothing.
    ///
    /// # Errors
    /// When `numeral` is none, or zero; when its digits without the point are a number beyond 2^64 - 1.
    ///
    /// # Complexity
    /// Constant; up to as many states as that number, made when they are met.
    ///
    /// ```
    /// # use grammask_regular::{Config, RegularId, Store};
    /// let mut store = Store::new(&Config::default());
    /// let quarters = store.multiple("0.25")?;
    /// let state = b"3.7".iter().try_fold(quarters, |state, &byte| store.derivative(state, byte))?;
    /// let five = store.derivative(state, b'5')?;
    /// assert!(!store.is_nullable(state) && store.is_nullable(five));
    /// assert_eq!(store.derivative(state, b'4')?, RegularId::EMPTY);
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn multiple(&mut self, numeral: &str) -> Result<RegularId, Error> {
        let multiples = self.add_multiples(Arc::new(Multiples::new(Divisor::read(numeral)?)));
        self.multiple_leaf(MultipleState { multiples, position: Position::Start, remainder: 0 })
    }

    pub(crate) fn add_multiples(&mut self, multiples: Arc<Multiples>) -> u32 {
        let next = self.multiples.len() as u32;
        let id = *self.multiple_ids.entry(multiples.divisor.clone()).or_insert(next);
        if id == next {
            self.leaf_bytes += multiples.bytes_used();
            self.multiples.push(multiples);
        }
        id
    }

    pub(crate) fn multiple_leaf(&mut self, state: MultipleState) -> Result<RegularId, Error> {
        let next = self.multiple_states.len() as u32;
        let id = *self.multiple_state_ids.entry(state).or_insert(next);
        if id == next {
            self.leaf_bytes += 3 * size_of::<MultipleState>();
            self.multiple_states.push(state);
        }
        self.intern(Kind::Multiple(id))
    }

    /// The state after a byte.
    pub(crate) fn multiple_step(&mut self, state: u32, byte: u8) -> Result<RegularId, Error> {
        let MultipleState { multiples, position, remainder } = self.multiple_states[state as usize];
        match self.multiples[multiples as usize].step(position, remainder, byte) {
            Some((position, remainder)) => {
                self.multiple_leaf(MultipleState { multiples, position, remainder })
            }
            None => Ok(RegularId::EMPTY),
        }
    }

    /// Bytes with the same next state are in one class.
    pub(crate) fn multiple_classes(&self, state: u32) -> ByteClasses {
        let MultipleState { multiples, position, remainder } = self.multiple_states[state as usize];
        let multiples = &self.multiples[multiples as usize];
        let mut targets = Vec::new();
        ByteClasses::by_key(|byte| {
            let Some(target) = multiples.step(position, remainder, byte) else { return u32::MAX };
            let known = targets.iter().position(|&other| other == target);
            known.unwrap_or_else(|| {
                targets.push(target);
                targets.len() - 1
            }) as u32
        })
    }
}
