//! Sets of JSON numbers, as languages of their spellings: bounds, integers, multiples and single values.
//!
//! With free exponents, "at least 5" is not regular: `0.000…5e…` has to count. So constraints hold for the spellings in
//! [`constrained`], a part of [`any`], and each set here is exact among them:
//!
//! - plain decimals, `-?(0|[1-9][0-9]*)(\.[0-9]+)?`, of any length;
//! - numbers with exponent, and one digit before the point that is not zero: `-?[1-9](\.[0-9]{1,20})?[eE][+-]?[0-9]+`.
//!
//! Zero is thus spelled without exponent. Sets may be intersected, and complemented within [`constrained`]; those of
//! [`multiple_of`] within [`among_multiples`].

mod decimal;

#[cfg(test)]
mod tests;

pub(crate) use decimal::Decimal;

use crate::language::{LanguageId, Languages};
use grammask_syntax::{Comparison, is_numeral};

/// Every JSON number.
pub(crate) fn any(languages: &mut Languages) -> LanguageId {
    languages.regex(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
}

/// The spellings among which all other sets are exact. As soon as there is one constraint, these are the numbers.
pub(crate) fn constrained(languages: &mut Languages) -> LanguageId {
    let unsigned = languages.compared(Comparison::AtLeast, "0");
    with_any_sign(languages, unsigned)
}

/// The spellings without exponent.
pub(crate) fn plain(languages: &mut Languages) -> LanguageId {
    languages.regex(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
}

/// The integers that are written with digits only, with a sign or without.
pub(crate) fn digits(languages: &mut Languages) -> LanguageId {
    languages.regex("-?(?:0|[1-9][0-9]*)")
}

/// Every number whose value is an integer: `5`, `-0`, `1.0`, `1e3`, `1.50E2`.
pub(crate) fn integer(languages: &mut Languages) -> LanguageId {
    multiple_of(languages, &Decimal::one())
}

/// The numbers from a bound on, without it where `exclusive`.
pub(crate) fn at_least(languages: &mut Languages, bound: &Decimal, exclusive: bool) -> LanguageId {
    one_sided(languages, bound, exclusive, false)
}

/// The numbers up to a bound, without it where `exclusive`.
pub(crate) fn at_most(languages: &mut Languages, bound: &Decimal, exclusive: bool) -> LanguageId {
    one_sided(languages, bound, exclusive, true)
}

/// The numbers on the side of a bound where those with one sign, `negative` or not, are without end.
fn one_sided(languages: &mut Languages, bound: &Decimal, exclusive: bool, negative: bool) -> LanguageId {
    let magnitude = bound.magnitude();
    let (far, near) = match exclusive {
        true => (Comparison::Above, Comparison::Below),
        false => (Comparison::AtLeast, Comparison::AtMost),
    };
    let is_same = bound.is_zero() || bound.is_negative() == negative;
    let without_end = match is_same {
        true => languages.compared(far, &magnitude),
        false => languages.compared(Comparison::AtLeast, "0"),
    };
    let without_end = with_sign(languages, without_end, negative);
    if is_same && (exclusive || !bound.is_zero()) {
        return without_end;
    }
    let others = languages.compared(near, &magnitude);
    let others = with_sign(languages, others, !negative);
    languages.union([without_end, others])
}

/// Whether the multiples of a positive number can be said: it has at most 40 digits, and is less than 2^64 without its point,
/// unless one digit decides.
pub(crate) fn has_multiples(of: &Decimal) -> bool {
    is_numeral(&of.to_string())
        && (is_told_by_a_digit(of) || of.to_string().replace('.', "").parse::<u64>().is_ok())
}

/// The least common multiple of two positive numerals of which [`has_multiples`] is true, where it is true of it, too.
pub(crate) fn least_common_multiple(a: &str, b: &str) -> Option<String> {
    let scale = places(a).max(places(b));
    let (a, b) = (scaled(a, scale)?, scaled(b, scale)?);
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    let least = unscaled((a / divisor).checked_mul(b)?, scale)?;
    has_multiples(&least).then(|| least.to_string())
}

/// The multiples of a positive numeral from one number to another, where they are at most `most`, and none of the three is too long to count with.
pub(crate) fn multiples_between(
    of: &str,
    first: &Decimal,
    last: &Decimal,
    most: usize,
) -> Option<Vec<Decimal>> {
    let (first, last) = (first.to_string(), last.to_string());
    let scale = places(of).max(places(&first)).max(places(&last));
    let (of, first, last) = (scaled(of, scale)?, scaled(&first, scale)?, scaled(&last, scale)?);
    let (first, last) = (-(-first).div_euclid(of), last.div_euclid(of));
    if last.checked_sub(first)? >= most as i128 {
        return None;
    }
    (first..=last).map(|factor| unscaled(factor.checked_mul(of)?, scale)).collect()
}

/// How many digits a numeral has behind the point.
fn places(numeral: &str) -> usize {
    numeral.split_once('.').map_or(0, |(_, fraction)| fraction.len())
}

/// A numeral of up to `scale` digits behind the point, without it; nothing for one of more than some thirty digits.
fn scaled(numeral: &str, scale: usize) -> Option<i128> {
    const LONGEST: usize = 36;
    let zeros = scale - places(numeral);
    (numeral.len() + zeros <= LONGEST).then(|| numeral.replace('.', "") + &"0".repeat(zeros))?.parse().ok()
}

/// The number with `scale` digits behind the point.
fn unscaled(value: i128, scale: usize) -> Option<Decimal> {
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let sign = if value < 0 { "-" } else { "" };
    Decimal::parse(format!("{sign}{whole}.{fraction}").trim_end_matches('.')).ok()
}

/// The multiples of a positive number. Exact among [`among_multiples`], and a part of it: those of a power of ten, and of two
/// or five times one, in all spellings, those of other numbers without exponent.
pub(crate) fn multiple_of(languages: &mut Languages, of: &Decimal) -> LanguageId {
    let unsigned = languages.multiple(&of.to_string());
    with_any_sign(languages, unsigned)
}

/// The spellings among which [`multiple_of`] is exact: its complement is taken within these.
pub(crate) fn among_multiples(languages: &mut Languages, of: &Decimal) -> LanguageId {
    if is_told_by_a_digit(of) { constrained(languages) } else { plain(languages) }
}

fn is_told_by_a_digit(of: &Decimal) -> bool {
    matches!(of.significant(), "1" | "2" | "5")
}

/// The spellings of one value.
pub(crate) fn equal(languages: &mut Languages, value: &Decimal) -> LanguageId {
    let unsigned = languages.compared(Comparison::Equal, &value.magnitude());
    match value.is_zero() {
        true => with_any_sign(languages, unsigned),
        false => with_sign(languages, unsigned, value.is_negative()),
    }
}

fn with_any_sign(languages: &mut Languages, unsigned: LanguageId) -> LanguageId {
    let minus = languages.text("-");
    let sign = languages.repeat(minus, 0, Some(1));
    languages.sequence([sign, unsigned])
}

fn with_sign(languages: &mut Languages, unsigned: LanguageId, negative: bool) -> LanguageId {
    if !negative {
        return unsigned;
    }
    let minus = languages.text("-");
    languages.sequence([minus, unsigned])
}
