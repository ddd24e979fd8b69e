//! Languages of unsigned JSON numbers, as leaves: the common part of comparisons and multiples, and
//! exponents.

use crate::alphabet::partitions::PartitionId;
use crate::number::comparison::{Bound, Comparison};
use crate::number::multiple::Multiples;
use crate::store::node::{Kind, RegularId};
use crate::{ByteSet, Error, Store};
use std::cmp::Ordering;
use std::sync::Arc;

/// The numbers of a language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Numbers {
    Multiples(Multiples),
    Compared(Bound),
}

/// A state: numbers of the store, and a position in a numeral.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NumberState {
    pub(crate) numbers: u32,
    pub(crate) position: NumeralPosition,
}

/// A position in a numeral, the state of a number language. Some number of the language is reachable from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum NumeralPosition {
    /// Before the first digit.
    Start,
    /// After a zero that is the first digit.
    Zero,

    // Positions of multiples.
    /// After one non-zero digit, for a step. The number is a multiple if its exponent is at least this.
    /// Without an exponent, 0 counts as its exponent.
    First(i8),
    /// After digits before the point: their value in units of 10^-`places`, modulo the divisor. For a step,
    /// the number of missing zeros.
    Integer(u64),
    /// After the point, where no exponent can follow; the remainder, as for `Integer`.
    Point(u64),
    /// After digits of the fraction, where no exponent can follow.
    Fraction {
        /// Number of further digits that may be other than zero.
        left: u8,
        remainder: u64,
    },
    /// After one digit, the point and more digits; the least exponent, as for `First`.
    Mantissa {
        digits: u8,
        least: i8,
    },

    // Positions of comparisons. `side` is the ordering of the digits so far relative to as many digits of the
    // bound.
    /// After digits before the point.
    Whole {
        digits: u16,
        #[cfg_attr(feature = "serde", serde(with = "side"))]
        side: Ordering,
    },
    /// After more digits before the point than the bound has.
    Digits,
    /// After one digit, the point and more digits.
    Significant {
        digits: u8,
        #[cfg_attr(feature = "serde", serde(with = "side"))]
        side: Ordering,
    },
    /// After the point, where no exponent can follow and all digits are those of the bound. `at` is the index
    /// of the next digit of the bound.
    Compared {
        at: i16,
        has_digit: bool,
    },

    // Positions in exponents, and in digits without a condition.
    /// After `e`; the exponent must be at least this.
    ExponentFrom(i16),
    /// After `e`; the exponent must be at most this.
    ExponentTo(i16),
    ExponentIs(i16),
    AnyExponent,
    /// In an exponent whose magnitude must be at least `least`. `read` is zero or the value of the digits so
    /// far.
    AtLeast {
        least: u16,
        read: u16,
    },
    /// In an exponent whose magnitude must be at most `most`.
    AtMost {
        most: u16,
        read: u16,
        has_digit: bool,
    },
    Exactly {
        value: u16,
        read: u16,
        has_digit: bool,
    },
    /// At least this many digits must follow; more are allowed.
    More(u8),
    /// At most this many digits may follow.
    Fewer(u8),
}

/// Digits after the point of a number with an exponent. The grammar of numbers limits them to this.
pub(crate) const MAX_MANTISSA_DIGITS: u8 = 20;
/// Maximum number of digits of a magnitude that exponents are compared with.
const MAX_EXPONENT_DIGITS: u8 = 5;

impl Numbers {
    /// Returns the position after a byte. Returns `None` if no number is reachable from there.
    pub(crate) fn step(&self, position: NumeralPosition, byte: u8) -> Option<NumeralPosition> {
        match self {
            _ if position.is_exponent() => position.exponent_step(byte),
            Self::Multiples(multiples) => multiples.step(position, byte),
            Self::Compared(bound) => bound.step(position, byte),
        }
    }

    pub(crate) fn is_accepting(&self, position: NumeralPosition) -> bool {
        match self {
            _ if position.is_exponent() => position.is_end(),
            Self::Multiples(_) => Multiples::is_accepting(position),
            Self::Compared(bound) => bound.is_accepting(position),
        }
    }

    /// Returns true if the position is valid for these numbers.
    pub(crate) fn is_position(&self, position: NumeralPosition) -> bool {
        match self {
            _ if position.is_exponent() => self.has_exponent() && position.is_canonical(),
            Self::Multiples(multiples) => multiples.is_position(position),
            Self::Compared(bound) => bound.is_position(position),
        }
    }

    /// Returns true if the positions in exponents are valid. Comparisons use some of them also after the
    /// point, where no condition is left.
    fn has_exponent(&self) -> bool {
        match self {
            Self::Multiples(multiples) => multiples.is_step(),
            Self::Compared(_) => true,
        }
    }

    pub(crate) fn bytes_used(&self) -> usize {
        let more = match self {
            Self::Multiples(multiples) => multiples.bytes_used(),
            Self::Compared(bound) => bound.digits.len(),
        };
        2 * size_of::<Self>() + more
    }
}

impl NumeralPosition {
    /// Returns true if the position is in an exponent, or in digits without a condition.
    pub(super) const fn is_exponent(self) -> bool {
        matches!(
            self,
            Self::ExponentFrom(_)
                | Self::ExponentTo(_)
                | Self::ExponentIs(_)
                | Self::AnyExponent
                | Self::AtLeast { .. }
                | Self::AtMost { .. }
                | Self::Exactly { .. }
                | Self::More(_)
                | Self::Fewer(_)
        )
    }

    const fn is_end(self) -> bool {
        match self {
            Self::More(missing) => missing == 0,
            Self::AtMost { has_digit, .. } => has_digit,
            Self::Exactly { value, has_digit, .. } => value == 0 && has_digit,
            Self::Fewer(_) => true,
            _ => false,
        }
    }

    /// Returns the position after a byte in an exponent.
    fn exponent_step(self, byte: u8) -> Option<Self> {
        let digit = match byte {
            b'0'..=b'9' => u16::from(byte - b'0'),
            b'+' | b'-' => return self.signed(byte == b'-'),
            _ => return None,
        };
        match self {
            Self::ExponentFrom(_) | Self::ExponentTo(_) | Self::ExponentIs(_) | Self::AnyExponent => {
                self.signed(false)?.exponent_step(byte)
            }
            Self::AtLeast { least, read } => Some(at_least(least, read * 10 + digit)),
            Self::AtMost { most, read, .. } => at_most(most, read * 10 + digit),
            Self::Exactly { value, read, .. } => exactly(value, read * 10 + digit),
            Self::More(missing) => Some(Self::More(missing.saturating_sub(1))),
            Self::Fewer(left) => Some(Self::Fewer(left.checked_sub(1)?)),
            _ => None,
        }
    }

    /// Returns the position after a sign. From there on, only the magnitude is compared.
    fn signed(self, is_negative: bool) -> Option<Self> {
        let (from, bound) = match self {
            Self::AnyExponent => return Some(Self::More(1)),
            Self::ExponentFrom(bound) => (true, bound),
            Self::ExponentTo(bound) => (false, bound),
            Self::ExponentIs(value) => {
                let has_sign = value == 0 || (value < 0) == is_negative;
                let value = value.unsigned_abs();
                return has_sign.then_some(Self::Exactly { value, read: 0, has_digit: false });
            }
            _ => return None,
        };
        let magnitude = bound.unsigned_abs();
        // True if larger magnitudes are allowed, and true if the bound has this sign.
        let is_same = if is_negative { bound <= 0 } else { bound >= 0 };
        match (from != is_negative, is_same) {
            (true, true) if magnitude > 0 => Some(at_least(magnitude, 0)),
            (true, _) => Some(Self::More(1)),
            (false, true) => Some(Self::AtMost { most: magnitude, read: 0, has_digit: false }),
            (false, false) => None,
        }
    }

    /// Returns true if a numeral can lead to this position in an exponent.
    fn is_canonical(self) -> bool {
        const MAX_EXPONENT: u16 = crate::number::comparison::MAX_BOUND_DIGITS + 1;
        match self {
            Self::ExponentFrom(bound) | Self::ExponentTo(bound) | Self::ExponentIs(bound) => {
                bound.unsigned_abs() <= MAX_EXPONENT
            }
            Self::AtLeast { least, read } => {
                (1..=MAX_EXPONENT).contains(&least) && at_least(least, read) == self
            }
            Self::AtMost { most, read, has_digit } => {
                let is_state = if has_digit { at_most(most, read) == Some(self) } else { read == 0 };
                most <= MAX_EXPONENT && is_state
            }
            Self::Exactly { value, read, has_digit } => {
                let is_state = if has_digit { exactly(value, read) == Some(self) } else { read == 0 };
                value <= MAX_EXPONENT && is_state
            }
            Self::More(digits) => digits <= MAX_EXPONENT_DIGITS,
            Self::Fewer(digits) => (1..=MAX_EXPONENT_DIGITS).contains(&digits),
            Self::AnyExponent => true,
            _ => false,
        }
    }
}

/// Returns the position after the digits `read` of an exponent that is at least `least`, which is positive.
fn at_least(least: u16, read: u16) -> NumeralPosition {
    let mut range = (u64::from(read), u64::from(read));
    for missing in 0..=MAX_EXPONENT_DIGITS {
        match range {
            (low, _) if low >= least.into() => return NumeralPosition::More(missing),
            (_, high) if high >= least.into() || read == 0 => break,
            (low, high) => range = (low * 10, high * 10 + 9),
        }
    }
    NumeralPosition::AtLeast { least, read }
}

/// Returns the position after the digits `read` of an exponent that is at most `most`. Returns `None` if it
/// is greater.
fn at_most(most: u16, read: u16) -> Option<NumeralPosition> {
    if read > most {
        return None;
    }
    let mut range = (u64::from(read), u64::from(read));
    for left in 0..=MAX_EXPONENT_DIGITS {
        range = (range.0 * 10, range.1 * 10 + 9);
        match range {
            (low, _) if low > most.into() => return Some(NumeralPosition::Fewer(left)),
            (_, high) if high > most.into() || read == 0 => break,
            _ => {}
        }
    }
    Some(NumeralPosition::AtMost { most, read, has_digit: true })
}

/// Returns the position after the digits `read` of an exponent that must be `value`. Returns `None` if
/// `value` does not begin with these digits.
fn exactly(value: u16, read: u16) -> Option<NumeralPosition> {
    let mut rest = value;
    while rest > read {
        rest /= 10;
    }
    match () {
        () if rest != read => None,
        () if read == value && value > 0 => Some(NumeralPosition::Fewer(0)),
        () => Some(NumeralPosition::Exactly { value, read, has_digit: true }),
    }
}

/// See [`Store::compared`].
pub(crate) fn compared(store: &mut Store, comparison: Comparison, numeral: &str) -> Result<RegularId, Error> {
    let bound = Bound::read(comparison, numeral, &store.limits)?;
    if bound.is_zero() && comparison == Comparison::Below {
        return Ok(RegularId::EMPTY);
    }
    let numbers = store.leaves.intern_numbers(Arc::new(Numbers::Compared(bound)));
    number_leaf(store, NumberState { numbers, position: NumeralPosition::Start })
}

pub(crate) fn number_leaf(store: &mut Store, mut state: NumberState) -> Result<RegularId, Error> {
    if state.position == NumeralPosition::Fewer(0) {
        return Ok(RegularId::EPSILON);
    }
    if let Numbers::Compared(bound) = &*store.leaves.numbers[state.numbers]
        && let Some(simplest) = bound.simplest_at(state.position)
    {
        state.numbers = store.leaves.intern_numbers(Arc::new(Numbers::Compared(simplest)));
    }
    let id = store.leaves.intern_number_state(state);
    store.intern(Kind::Number(id))
}

/// Returns the state after a byte.
pub(crate) fn number_step(store: &mut Store, state: u32, byte: u8) -> Result<RegularId, Error> {
    let NumberState { numbers, position } = store.leaves.number_states[state];
    match store.leaves.numbers[numbers].step(position, byte) {
        Some(position) => number_leaf(store, NumberState { numbers, position }),
        None => Ok(RegularId::EMPTY),
    }
}

pub(crate) fn is_number_accepting(store: &Store, state: u32) -> bool {
    let NumberState { numbers, position } = store.leaves.number_states[state];
    store.leaves.numbers[numbers].is_accepting(position)
}

/// Returns the partition of the bytes by next state.
pub(crate) fn number_partition(store: &mut Store, state: u32) -> PartitionId {
    let NumberState { numbers, position } = store.leaves.number_states[state];
    let numbers = &store.leaves.numbers[numbers];
    let steps = b"+-.0123456789Ee".iter();
    let targets = steps.filter_map(|&byte| Some((byte, byte, numbers.step(position, byte)?)));
    store.partitions.of_targets(targets)
}

/// Returns the byte sets that the states of a leaf distinguish.
pub(crate) fn number_splits(store: &Store, state: u32) -> impl Iterator<Item = ByteSet> {
    let NumberState { numbers, .. } = store.leaves.number_states[state];
    let exponent = [ByteSet::single(b'+'), ByteSet::single(b'-'), [b'e', b'E'].into_iter().collect()];
    let has_exponent = store.leaves.numbers[numbers].has_exponent();
    let letters = (b'0'..=b'9').chain([b'.']).map(ByteSet::single);
    letters.chain(exponent.into_iter().filter(move |_| has_exponent))
}

/// Serializes an ordering as -1, 0 or 1.
#[cfg(feature = "serde")]
mod side {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::cmp::Ordering;

    // The signature is that of `serialize_with`.
    #[allow(clippy::trivially_copy_pass_by_ref)]
    pub(super) fn serialize<S: Serializer>(side: &Ordering, serializer: S) -> Result<S::Ok, S::Error> {
        (*side as i8).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Ordering, D::Error> {
        Ok(i8::deserialize(deserializer)?.cmp(&0))
    }
}
