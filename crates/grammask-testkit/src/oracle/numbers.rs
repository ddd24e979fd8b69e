//! What `multiple!` means: long division for numbers without exponent; for the others, a digit times a power of ten is divided.

use super::dfa::{Dfa, TooLarge};
use super::nfa::union;

/// The most digits behind the point where there is an exponent.
const MANTISSA: u8 = 20;
/// Larger exponents are all the same: numerals have at most 40 digits.
const LARGEST: i32 = 99;
/// The greatest power of ten that is looked at; multiples of the divisor do not get less above it.
const TENS: i32 = 37;

/// The unsigned numbers that are multiples of a number.
pub(super) fn multiples(numeral: &str) -> Result<Dfa, TooLarge> {
    let (whole, fraction) = numeral.split_once('.').unwrap_or((numeral, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{whole}{fraction}");
    let Ok(divisor) = digits.parse::<u128>() else { return Err(TooLarge) };
    // Room for ten times as much.
    if divisor == 0 || divisor > 10_u128.pow(TENS.unsigned_abs()) {
        return Err(TooLarge);
    }
    let places = fraction.len() as u8;
    let plain = plain(divisor, places)?;
    if !matches!(digits.trim_matches('0'), "1" | "2" | "5") {
        return Ok(plain.trimmed());
    }
    let is_multiple = |digit: u8, power: i32| {
        let power = (power + i32::from(places)).min(TENS);
        power >= 0 && (u128::from(digit) * 10_u128.pow(power.unsigned_abs())).is_multiple_of(divisor)
    };
    Ok(union(&[&plain, &scientific(is_multiple)?])?.trimmed())
}

/// Where in a number without exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Start,
    Zero,
    Whole,
    /// Behind the point and so many of the digits that count, and whether there is one.
    Fraction(u8, bool),
}

/// With what is left when the digits so far are divided; zeros are missing behind the point.
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
                // Digits behind the last place that counts are zeros.
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

/// Where in a number with exponent; with the last digit that is not zero, and how many places it stands behind the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Start,
    First(u8),
    /// So many digits behind the point.
    Mantissa(u8, u8, u8),
    Exponent(u8, u8),
    /// The sign, and the value as far as it matters.
    Power(i32, Option<i32>, u8, u8),
}

fn scientific(is_multiple: impl Fn(u8, i32) -> bool) -> Result<Dfa, TooLarge> {
    // Which of the odd digits, and which of the even ones, does not matter; but five does.
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
            (Part::Mantissa(MANTISSA, ..), b'0'..=b'9') => None,
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
                let value = (value.unwrap_or(0) * 10 + i32::from(byte - b'0')).min(LARGEST);
                Some(Part::Power(sign, Some(value), digit, places))
            }
            _ => None,
        },
    )
}
