//! The JSON numbers whose value is a multiple of a number: which numbers they may be multiples of, and their languages.

use crate::multiple_places::{Divisor, Multiples, Place};
use crate::node::{Kind, RegularId};
use crate::{ByteClasses, ByteSet, Error, Store};
use std::sync::Arc;

/// A state: a number of the store, and where in a numeral.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MultipleState {
    pub(crate) multiples: u32,
    pub(crate) place: Place,
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
        let divisor = Self { unit, power: zeros as i8 - fraction.len() as i8 };
        if divisor.modulus().is_none() { Err(too_large()) } else { Ok(divisor) }
    }

    /// Whether it is one that can be read, so that equal divisors are the same.
    pub(crate) fn is_reduced(&self) -> bool {
        !self.unit.is_multiple_of(10)
            && usize::from(self.power.unsigned_abs()) < DIGITS
            && self.modulus().is_some()
    }
}

fn too_large() -> Error {
    Error::Limit { limit: "multiple", value: usize::MAX, place: "a number without its point" }
}

impl Store {
    /// The unsigned numbers of JSON whose value is an integer times that of `numeral`, a positive decimal numeral itself, with
    /// at most 40 digits. Zero is one of them. Numbers are
    ///
    /// - `(0|[1-9][0-9]*)(\.[0-9]+)?`;
    /// - where `numeral` is 1, 2 or 5 times a power of ten, also `[1-9](\.[0-9]{1,20})?[eE][+-]?[0-9]+`. With an exponent,
    ///   the multiples of other numbers are not regular.
    ///
    /// # Errors
    /// When `numeral` is none, or zero; when its digits without the point are a number beyond 2^64 - 1, unless it is 1, 2 or 5
    /// times a power of ten.
    ///
    /// # Complexity
    /// Constant. Up to as many states as that number, made when they are met; for 1, 2 or 5 times a power of ten some hundreds.
    ///
    /// ```
    /// # use grammask_regular::{Config, RegularId, Store};
    /// let mut store = Store::new(&Config::default());
    /// let quarters = store.multiple("0.25")?;
    /// let state = b"3.7".iter().try_fold(quarters, |state, &byte| store.derivative(state, byte))?;
    /// let five = store.derivative(state, b'5')?;
    /// assert!(!store.is_nullable(state) && store.is_nullable(five));
    /// assert_eq!(store.derivative(state, b'4')?, RegularId::EMPTY);
    ///
    /// let integers = store.multiple("1")?;
    /// let end = b"1.50e1".iter().try_fold(integers, |state, &byte| store.derivative(state, byte))?;
    /// assert!(store.is_nullable(end));
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn multiple(&mut self, numeral: &str) -> Result<RegularId, Error> {
        let multiples = self.add_multiples(Arc::new(Multiples::new(Divisor::read(numeral)?)));
        self.multiple_leaf(MultipleState { multiples, place: Place::Start })
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
        if state.place == Place::Fewer(0) {
            return Ok(RegularId::EPSILON);
        }
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
        let MultipleState { multiples, place } = self.multiple_states[state as usize];
        match self.multiples[multiples as usize].step(place, byte) {
            Some(place) => self.multiple_leaf(MultipleState { multiples, place }),
            None => Ok(RegularId::EMPTY),
        }
    }

    /// Bytes with the same next state are in one class.
    pub(crate) fn multiple_classes(&self, state: u32) -> ByteClasses {
        let MultipleState { multiples, place } = self.multiple_states[state as usize];
        let multiples = &self.multiples[multiples as usize];
        let mut targets = Vec::new();
        ByteClasses::by_key(|byte| {
            let Some(target) = multiples.step(place, byte) else { return u32::MAX };
            let known = targets.iter().position(|&other| other == target);
            known.unwrap_or_else(|| {
                targets.push(target);
                targets.len() - 1
            }) as u32
        })
    }

    /// The bytes that the states of a leaf tell apart.
    pub(crate) fn multiple_splits(&self, state: u32) -> impl Iterator<Item = ByteSet> {
        let MultipleState { multiples, .. } = self.multiple_states[state as usize];
        let exponent = [ByteSet::single(b'+'), ByteSet::single(b'-'), [b'e', b'E'].into_iter().collect()];
        let has_exponent = self.multiples[multiples as usize].divisor.is_step();
        let letters = (b'0'..=b'9').chain([b'.']).map(ByteSet::single);
        letters.chain(exponent.into_iter().filter(move |_| has_exponent))
    }
}
