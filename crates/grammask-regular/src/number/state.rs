//! Languages of unsigned JSON numbers, as leaves: what they have in common, and what is behind the `e` of an exponent.

use crate::alphabet::partitions::PartitionId;
use crate::number::comparison::{Bound, Comparison};
use crate::number::multiple::Multiples;
use crate::store::node::{Kind, RegularId};
use crate::{ByteSet, Error, Store};
use std::cmp::Ordering;
use std::sync::Arc;

/// Which numbers are meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Numbers {
    Multiples(Multiples),
    Compared(Bound),
}

/// A state: numbers of the store, and where in a numeral.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NumberState {
    pub(crate) numbers: u32,
    pub(crate) position: NumeralPosition,
}

/// Where in a numeral. From each position, a number that is meant can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum NumeralPosition {
    /// Before the first digit.
    Start,
    /// Behind a zero that is the first digit.
    Zero,

    // Of multiples.
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
    /// Behind one digit, the point and so many more digits; the least exponent, as above.
    Mantissa {
        digits: u8,
        least: i8,
    },

    // Of comparisons, with the ordering of the digits so far and as many of the bound.
    /// Behind digits before the point.
    Whole {
        digits: u16,
        #[cfg_attr(feature = "serde", serde(with = "side"))]
        side: Ordering,
    },
    /// Behind more digits before the point than the bound has.
    Digits,
    /// Behind one digit, the point and so many more digits.
    Significant {
        digits: u8,
        #[cfg_attr(feature = "serde", serde(with = "side"))]
        side: Ordering,
    },
    /// Behind the point, where there is no exponent any more and all digits are those of the bound; which of its digits is the
    /// next.
    Compared {
        at: i16,
        has_digit: bool,
    },

    // Of exponents, and of digits that are free.
    /// Behind the `e` before an exponent that is at least so much.
    ExponentFrom(i16),
    /// The same for one that is at most so much.
    ExponentTo(i16),
    ExponentIs(i16),
    AnyExponent,
    /// In an exponent whose magnitude is at least so much. What was read is zero or its first digits.
    AtLeast {
        least: u16,
        read: u16,
    },
    /// In one whose magnitude is at most so much.
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
    /// Where at least so many digits are missing, and more do no harm.
    More(u8),
    /// Where so many digits may follow at most.
    Fewer(u8),
}

/// The most digits behind the point of a number with exponent.
pub(crate) const MANTISSA: u8 = 20;
/// The most digits of a magnitude that exponents are compared with.
const EXPONENT: u8 = 5;

impl Numbers {
    /// The position behind a byte, if a number can be reached from there.
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

    /// Whether there is such a position.
    pub(crate) fn is_position(&self, position: NumeralPosition) -> bool {
        match self {
            _ if position.is_exponent() => self.has_exponent() && position.is_canonical(),
            Self::Multiples(multiples) => multiples.is_position(position),
            Self::Compared(bound) => bound.is_position(position),
        }
    }

    /// Whether there are numbers with exponent; or with free digits, for comparisons.
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
    const fn is_exponent(self) -> bool {
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

    /// Of the places in exponents.
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

    /// Behind a sign. All that counts is the magnitude then.
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
        // Whether larger magnitudes are meant, and whether the bound has this sign.
        let is_same = if is_negative { bound <= 0 } else { bound >= 0 };
        match (from != is_negative, is_same) {
            (true, true) if magnitude > 0 => Some(at_least(magnitude, 0)),
            (true, _) => Some(Self::More(1)),
            (false, true) => Some(Self::AtMost { most: magnitude, read: 0, has_digit: false }),
            (false, false) => None,
        }
    }

    /// Whether a position in an exponent is one that steps lead to.
    fn is_canonical(self) -> bool {
        const LARGEST: u16 = crate::number::comparison::MAX_BOUND_DIGITS as u16 + 1;
        match self {
            Self::ExponentFrom(bound) | Self::ExponentTo(bound) | Self::ExponentIs(bound) => {
                bound.unsigned_abs() <= LARGEST
            }
            Self::AtLeast { least, read } => (1..=LARGEST).contains(&least) && at_least(least, read) == self,
            Self::AtMost { most, read, has_digit } => {
                let is_state = if has_digit { at_most(most, read) == Some(self) } else { read == 0 };
                most <= LARGEST && is_state
            }
            Self::Exactly { value, read, has_digit } => {
                let is_state = if has_digit { exactly(value, read) == Some(self) } else { read == 0 };
                value <= LARGEST && is_state
            }
            Self::More(digits) => digits <= EXPONENT,
            Self::Fewer(digits) => (1..=EXPONENT).contains(&digits),
            Self::AnyExponent => true,
            _ => false,
        }
    }
}

/// The position in an exponent that is at least `least`, which is positive, behind digits.
fn at_least(least: u16, read: u16) -> NumeralPosition {
    let mut range = (u64::from(read), u64::from(read));
    for missing in 0..=EXPONENT {
        match range {
            (low, _) if low >= least.into() => return NumeralPosition::More(missing),
            (_, high) if high >= least.into() || read == 0 => break,
            (low, high) => range = (low * 10, high * 10 + 9),
        }
    }
    NumeralPosition::AtLeast { least, read }
}

/// The position in an exponent that is at most `most`, behind digits; `None` where it is more.
fn at_most(most: u16, read: u16) -> Option<NumeralPosition> {
    if read > most {
        return None;
    }
    let mut range = (u64::from(read), u64::from(read));
    for left in 0..=EXPONENT {
        range = (range.0 * 10, range.1 * 10 + 9);
        match range {
            (low, _) if low > most.into() => return Some(NumeralPosition::Fewer(left)),
            (_, high) if high > most.into() || read == 0 => break,
            _ => {}
        }
    }
    Some(NumeralPosition::AtMost { most, read, has_digit: true })
}

/// The position in an exponent that is `value`, behind digits that it begins with.
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

pub(crate) fn number_leaf(store: &mut Store, state: NumberState) -> Result<RegularId, Error> {
    if state.position == NumeralPosition::Fewer(0) {
        return Ok(RegularId::EPSILON);
    }
    let id = store.leaves.intern_number_state(state);
    store.intern(Kind::Number(id))
}

/// The state after a byte.
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

/// Bytes with the same next state are in one class.
pub(crate) fn number_partition(store: &mut Store, state: u32) -> PartitionId {
    let NumberState { numbers, position } = store.leaves.number_states[state];
    let numbers = &store.leaves.numbers[numbers];
    let steps = b"+-.0123456789Ee".iter();
    let targets = steps.filter_map(|&byte| Some((byte, byte, numbers.step(position, byte)?)));
    store.partitions.of_targets(targets)
}

/// The bytes that the states of a leaf tell apart.
pub(crate) fn number_splits(store: &Store, state: u32) -> impl Iterator<Item = ByteSet> {
    let NumberState { numbers, .. } = store.leaves.number_states[state];
    let exponent = [ByteSet::single(b'+'), ByteSet::single(b'-'), [b'e', b'E'].into_iter().collect()];
    let has_exponent = store.leaves.numbers[numbers].has_exponent();
    let letters = (b'0'..=b'9').chain([b'.']).map(ByteSet::single);
    letters.chain(exponent.into_iter().filter(move |_| has_exponent))
}

/// An ordering as -1, 0 or 1.
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
