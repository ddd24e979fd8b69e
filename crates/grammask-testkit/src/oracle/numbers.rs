//! `multiple!` and the comparisons (`atleast!` and others), as automata over the digits of a number.
//!
//! Multiples of numbers without an exponent are found by long division. With an exponent, the last digit
//! times a power of ten is divided. Comparisons compare digits as integers with as many digits of the bound.

use grammask_syntax::Comparison;
use std::cmp::Ordering;

use super::dfa::{Dfa, TooLarge};
use super::nfa::union;

/// Digits after the point of a number with an exponent. More are not accepted.
const MAX_MANTISSA_DIGITS: u8 = 20;
/// Exponents above this one are equivalent: numerals have at most 40 digits.
const MAX_EXPONENT: i32 = 99;
/// Powers of ten above this one are equivalent: they are multiples of at least the same divisors.
const MAX_POWER_OF_TEN: i32 = 37;

/// Returns the unsigned numbers that are multiples of `numeral`.
pub(super) fn multiples(numeral: &str) -> Result<Dfa, TooLarge> {
    let (whole, fraction) = numeral.split_once('.').unwrap_or((numeral, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{whole}{fraction}");
    let Ok(divisor) = digits.parse::<u128>() else { return Err(TooLarge) };
    // Leave room to multiply by ten.
    if divisor == 0 || divisor > 10_u128.pow(MAX_POWER_OF_TEN.unsigned_abs()) {
        return Err(TooLarge);
    }
    let Ok(places) = u8::try_from(fraction.len()) else { return Err(TooLarge) };
    let plain = plain(divisor, places)?;
    if !matches!(digits.trim_matches('0'), "1" | "2" | "5") {
        return Ok(plain.trimmed());
    }
    let is_multiple = |digit: u8, power: i32| {
        let power = (power + i32::from(places)).min(MAX_POWER_OF_TEN);
        power >= 0 && (u128::from(digit) * 10_u128.pow(power.unsigned_abs())).is_multiple_of(divisor)
    };
    Ok(union(&[&plain, &scientific(is_multiple)?])?.trimmed())
}

/// The position in a number without an exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Start,
    Zero,
    Whole,
    /// After the point and this many significant digits; true if there is a digit.
    Fraction(u8, bool),
}

/// Returns the multiples without an exponent. A state has the position, and the remainder of the digits
/// before it.
fn plain(divisor: u128, places: u8) -> Result<Dfa, TooLarge> {
    let is_multiple = |rest: u128, read: u8| (read..places).fold(rest, |rest, _| rest * 10 % divisor) == 0;
    Dfa::explore(
        (Place::Start, 0),
        |&(place, rest)| match place {
            Place::Start => false,
            Place::Zero | Place::Whole => is_multiple(rest, 0),
            Place::Fraction(read, has_digit) => has_digit && is_multiple(rest, read),
        },
        |&(place, rest), byte| {
            let next = match (place, byte) {
                (Place::Start, b'0') => Place::Zero,
                (Place::Start, b'1'..=b'9') | (Place::Whole, b'0'..=b'9') => Place::Whole,
                (Place::Zero | Place::Whole, b'.') => return Some((Place::Fraction(0, false), rest)),
                // Digits after the last significant one must be zeros.
                (Place::Fraction(read, _), b'0') if read == places => {
                    return Some((Place::Fraction(read, true), rest));
                }
                (Place::Fraction(read, _), b'0'..=b'9') if read < places => Place::Fraction(read + 1, true),
                _ => return None,
            };
            Some((next, (rest * 10 + u128::from(byte - b'0')) % divisor))
        },
    )
}

/// The position in a number with an exponent, with the last non-zero digit and its position after the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Start,
    First(u8),
    /// After this many digits after the point.
    Mantissa(u8, u8, u8),
    Exponent(u8, u8),
    /// After the sign of the exponent, with its value up to [`MAX_EXPONENT`].
    Power(i32, Option<i32>, u8, u8),
}

fn scientific(is_multiple: impl Fn(u8, i32) -> bool) -> Result<Dfa, TooLarge> {
    // Only divisibility by two and five matters.
    let kind = |digit: u8| match digit {
        5 => 5,
        digit => 2 - digit % 2,
    };
    Dfa::explore(
        Part::Start,
        |&part| match part {
            Part::Power(sign, Some(value), digit, places) => {
                is_multiple(digit, sign * value - i32::from(places))
            }
            _ => false,
        },
        |&part, byte| match (part, byte) {
            (Part::Start, b'1'..=b'9') => Some(Part::First(kind(byte - b'0'))),
            (Part::First(digit), b'.') => Some(Part::Mantissa(0, digit, 0)),
            (Part::Mantissa(MAX_MANTISSA_DIGITS, ..), b'0'..=b'9') => None,
            (Part::Mantissa(read, digit, places), b'0') => Some(Part::Mantissa(read + 1, digit, places)),
            (Part::Mantissa(read, ..), b'1'..=b'9') => {
                Some(Part::Mantissa(read + 1, kind(byte - b'0'), read + 1))
            }
            (Part::First(digit), b'e' | b'E') => Some(Part::Exponent(digit, 0)),
            (Part::Mantissa(1.., digit, places), b'e' | b'E') => Some(Part::Exponent(digit, places)),
            (Part::Exponent(digit, places), b'+') => Some(Part::Power(1, None, digit, places)),
            (Part::Exponent(digit, places), b'-') => Some(Part::Power(-1, None, digit, places)),
            (Part::Exponent(digit, places), b'0'..=b'9') => {
                Some(Part::Power(1, Some(i32::from(byte - b'0')), digit, places))
            }
            (Part::Power(sign, value, digit, places), b'0'..=b'9') => {
                let value = (value.unwrap_or(0) * 10 + i32::from(byte - b'0')).min(MAX_EXPONENT);
                Some(Part::Power(sign, Some(value), digit, places))
            }
            _ => None,
        },
    )
}

/// Returns the unsigned numbers that satisfy a comparison with `numeral`.
pub(super) fn compared(comparison: Comparison, numeral: &str) -> Result<Dfa, TooLarge> {
    let (whole, fraction) = numeral.split_once('.').unwrap_or((numeral, ""));
    if numeral.len() > 30 {
        return Err(TooLarge);
    }
    let whole: u128 = whole.parse().map_err(|_| TooLarge)?;
    let allows = |ordering: Ordering| match comparison {
        Comparison::AtLeast => ordering.is_ge(),
        Comparison::Above => ordering.is_gt(),
        Comparison::AtMost => ordering.is_le(),
        Comparison::Below => ordering.is_lt(),
        Comparison::Equal => ordering.is_eq(),
    };
    let plain = plain_compared(whole, fraction.as_bytes(), allows)?;
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    // A numeral of 30 bytes has no more digits.
    let count = |digits: &str| i32::try_from(digits.len()).map_err(|_| TooLarge);
    let exponent = count(&whole.to_string())? - 1 - (count(&all)? - count(digits)?);
    // Zero is below all numbers with an exponent.
    let exponent = if digits.is_empty() { -MAX_EXPONENT - 1 } else { exponent };
    let scientific = scientific_compared(digits.trim_end_matches('0').as_bytes(), exponent, allows)?;
    Ok(union(&[&plain, &scientific])?.trimmed())
}

/// The position in a number, with the value before the point up to the bound, or the ordering of the digits
/// so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Read {
    Start,
    Whole(u128),
    Fraction(usize, bool, Ordering),
}

fn plain_compared(whole: u128, fraction: &[u8], allows: impl Fn(Ordering) -> bool) -> Result<Dfa, TooLarge> {
    let rest = |read: usize| fraction[read..].iter().any(|&digit| digit > b'0');
    let outcome = |read: usize, ordering: Ordering| {
        if ordering.is_eq() && rest(read) { Ordering::Less } else { ordering }
    };
    Dfa::explore(
        Read::Start,
        |&read| match read {
            Read::Start | Read::Fraction(_, false, _) => false,
            Read::Whole(value) => allows(outcome(0, value.cmp(&whole))),
            Read::Fraction(read, true, ordering) => allows(outcome(read, ordering)),
        },
        |&read, byte| match (read, byte) {
            (Read::Start, b'0'..=b'9') => Some(Read::Whole(u128::from(byte - b'0').min(whole + 1))),
            // A number must not have leading zeros.
            (Read::Whole(0), b'0'..=b'9') => None,
            (Read::Whole(value), b'0'..=b'9') => {
                Some(Read::Whole((value * 10 + u128::from(byte - b'0')).min((whole + 1).max(1))))
            }
            (Read::Whole(value), b'.') => Some(Read::Fraction(0, false, value.cmp(&whole))),
            (Read::Fraction(read, _, ordering), b'0'..=b'9') => {
                let other = fraction.get(read).copied().unwrap_or(b'0');
                Some(Read::Fraction((read + 1).min(fraction.len()), true, ordering.then(byte.cmp(&other))))
            }
            _ => None,
        },
    )
}

fn scientific_compared(
    digits: &[u8],
    exponent: i32,
    allows: impl Fn(Ordering) -> bool,
) -> Result<Dfa, TooLarge> {
    // Returns the first digits of the bound as an integer.
    let prefix = |read: usize| {
        (0..read)
            .fold(0, |value, at| value * 10 + u128::from(digits.get(at).map_or(0, |&digit| digit - b'0')))
    };
    let next = |read: usize, ordering: Ordering, byte: u8| {
        ordering.then((prefix(read) * 10 + u128::from(byte - b'0')).cmp(&prefix(read + 1)))
    };
    let end = |read: usize, ordering: Ordering| {
        if ordering.is_eq() && read < digits.len() { Ordering::Less } else { ordering }
    };
    // Number of digits and their ordering; then the part of the number, the sign and the value of the
    // exponent.
    let start = (0, Ordering::Equal, b'0', 1, None);
    Dfa::explore(
        start,
        |&(_, ordering, part, sign, value): &(usize, Ordering, u8, i32, Option<i32>)| {
            part == b'+' && value.is_some_and(|value| allows((sign * value).cmp(&exponent).then(ordering)))
        },
        |&(read, ordering, part, sign, value), byte| match (part, byte) {
            (b'0', b'1'..=b'9') => Some((1, next(0, ordering, byte), b'1', 1, None)),
            (b'1', b'.') => Some((read, ordering, b'.', 1, None)),
            (b'.', b'0'..=b'9') if read <= usize::from(MAX_MANTISSA_DIGITS) => {
                Some((read + 1, next(read, ordering, byte), b'.', 1, None))
            }
            (b'1' | b'.', b'e' | b'E') if part == b'1' || read > 1 => {
                Some((0, end(read, ordering), b'e', 1, None))
            }
            (b'e', b'+' | b'-') => Some((0, ordering, b'+', if byte == b'-' { -1 } else { 1 }, None)),
            (b'e' | b'+', b'0'..=b'9') => {
                let value = (value.unwrap_or(0) * 10 + i32::from(byte - b'0')).min(MAX_EXPONENT);
                Some((0, ordering, b'+', sign, Some(value)))
            }
            _ => None,
        },
    )
}
