//! Sets of JSON numbers, as languages of their spellings: bounds, integers, multiples and single values.
//!
//! With free exponents, "at least 5" is not regular: a finite automaton cannot count the zeros of `0.000…5`
//! against an exponent. So each set here is exact among the spellings of [`comparable`], a subset of [`any`]:
//!
//! - plain decimals, `-?(0|[1-9][0-9]*)(\.[0-9]+)?`, of any length;
//! - numbers with exponent, and one digit before the point that is not zero:
//!   `-?[1-9](\.[0-9]{1,20})?[eE][+-]?[0-9]+`.
//!
//! Zero is thus spelled without exponent. Sets may be intersected, and complemented within [`comparable`].
//! Those of [`multiple_of`] are complemented within [`multiple_domain`].

mod decimal;
pub(crate) mod offered;

#[cfg(test)]
mod tests;

use grammask_syntax::{Comparison, is_multiple_numeral};
use rustc_hash::FxHashMap;

use crate::language::{LanguageId, Languages};

pub(crate) use decimal::Decimal;

/// The number languages of one translation, and known facts about them.
pub(crate) struct Numbers {
    /// All spellings of all numbers.
    pub any: LanguageId,
    /// The spellings among which the complement of every number language of the schema is exact.
    pub domain: LanguageId,
    /// Languages that hold the spellings of one number each, and the number.
    pub single: FxHashMap<LanguageId, Decimal>,
    /// Bounds by language.
    pub bounds: FxHashMap<LanguageId, Bound>,
    /// Memo of [`offered::offered`].
    pub offered: FxHashMap<LanguageId, LanguageId>,
}

/// A bound of numbers.
pub(crate) struct Bound {
    /// True for a minimum, false for a maximum.
    pub is_minimum: bool,
    pub is_exclusive: bool,
    pub value: Decimal,
}

impl Numbers {
    pub(crate) fn new(languages: &mut Languages) -> Self {
        Self {
            any: any(languages),
            domain: comparable(languages),
            single: FxHashMap::default(),
            bounds: FxHashMap::default(),
            offered: FxHashMap::default(),
        }
    }
}

/// Returns every JSON number.
pub(crate) fn any(languages: &mut Languages) -> LanguageId {
    languages.regex(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
}

/// Returns the spellings among which all other sets are exact. A schema with a numeric constraint accepts
/// only these.
pub(crate) fn comparable(languages: &mut Languages) -> LanguageId {
    let unsigned = languages.compared(Comparison::AtLeast, "0");
    with_any_sign(languages, unsigned)
}

/// Returns the spellings without exponent.
pub(crate) fn plain(languages: &mut Languages) -> LanguageId {
    languages.regex(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
}

/// Returns the integers that are written as digits only, with or without sign.
pub(crate) fn digits(languages: &mut Languages) -> LanguageId {
    languages.regex("-?(?:0|[1-9][0-9]*)")
}

/// Returns every number whose value is an integer: `5`, `-0`, `1.0`, `1e3`, `1.50E2`.
pub(crate) fn integer(languages: &mut Languages) -> LanguageId {
    multiple_of(languages, &Decimal::one())
}

/// Returns the numbers from a bound on, or above it if `exclusive`.
pub(crate) fn at_least(languages: &mut Languages, bound: &Decimal, exclusive: bool) -> LanguageId {
    one_sided(languages, bound, exclusive, false)
}

/// Returns the numbers up to a bound, or below it if `exclusive`.
pub(crate) fn at_most(languages: &mut Languages, bound: &Decimal, exclusive: bool) -> LanguageId {
    one_sided(languages, bound, exclusive, true)
}

/// Returns the half-line of numbers from a bound towards minus infinity if `negative`, else towards plus
/// infinity.
fn one_sided(languages: &mut Languages, bound: &Decimal, exclusive: bool, negative: bool) -> LanguageId {
    let magnitude = bound.magnitude();
    let (far, near) = if exclusive {
        (Comparison::Above, Comparison::Below)
    } else {
        (Comparison::AtLeast, Comparison::AtMost)
    };
    let is_same = bound.is_zero() || bound.is_negative() == negative;
    let unbounded = if is_same {
        languages.compared(far, &magnitude)
    } else {
        languages.compared(Comparison::AtLeast, "0")
    };
    let unbounded = with_sign(languages, unbounded, negative);
    if is_same && (exclusive || !bound.is_zero()) {
        return unbounded;
    }
    let others = languages.compared(near, &magnitude);
    let others = with_sign(languages, others, !negative);
    languages.union([unbounded, others])
}

/// Returns true if the multiples of a positive number have an automaton. It must be a numeral of at most 40
/// digits. In addition, a single digit must decide, or its digits without the point must fit into 64 bits.
pub(crate) fn has_multiples(of: &Decimal) -> bool {
    is_multiple_numeral(&of.to_string())
        && (is_decided_by_one_digit(of) || of.to_string().replace('.', "").parse::<u64>().is_ok())
}

/// Returns the least common multiple of two positive numerals. Returns `None` if its multiples have no
/// automaton.
pub(crate) fn least_common_multiple(a: &str, b: &str) -> Option<String> {
    let scale = fraction_digits(a).max(fraction_digits(b));
    let (a, b) = (scaled(a, scale)?, scaled(b, scale)?);
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    let least = unscaled((a / divisor).checked_mul(b)?, scale)?;
    has_multiples(&least).then(|| least.to_string())
}

/// Returns the multiples of a positive numeral in `first..=last`. Returns `None` if there are more than
/// `most`, or if a number is too long for arithmetic in `i128`.
pub(crate) fn multiples_between(
    of: &str,
    first: &Decimal,
    last: &Decimal,
    most: usize,
) -> Option<Vec<Decimal>> {
    let (first, last) = (first.to_string(), last.to_string());
    let scale = fraction_digits(of).max(fraction_digits(&first)).max(fraction_digits(&last));
    let (of, first, last) = (scaled(of, scale)?, scaled(&first, scale)?, scaled(&last, scale)?);
    let (first, last) = (-(-first).div_euclid(of), last.div_euclid(of));
    if last.checked_sub(first)? >= most as i128 {
        return None;
    }
    (first..=last).map(|factor| unscaled(factor.checked_mul(of)?, scale)).collect()
}

/// Returns how many multiples of a positive numeral two bounds include. Returns `None` if a number is too
/// long for arithmetic in `i128`.
pub(crate) fn count_multiples_between(of: &str, least: &Bound, most: &Bound) -> Option<u128> {
    let (first, last) = (least.value.to_string(), most.value.to_string());
    let scale = fraction_digits(of).max(fraction_digits(&first)).max(fraction_digits(&last));
    let (of, first, last) = (scaled(of, scale)?, scaled(&first, scale)?, scaled(&last, scale)?);
    // Without an excluded bound, the next numbers inside are at least one unit of the scale away.
    let first = first + i128::from(least.is_exclusive);
    let last = last - i128::from(most.is_exclusive);
    let (first, last) = (-(-first).div_euclid(of), last.div_euclid(of));
    Some(u128::try_from(last.checked_sub(first)?.checked_add(1)?).unwrap_or(0))
}

/// Returns the number of digits after the decimal point.
fn fraction_digits(numeral: &str) -> usize {
    numeral.split_once('.').map_or(0, |(_, fraction)| fraction.len())
}

/// Returns a numeral times `10^scale`. Returns `None` if it may not fit.
fn scaled(numeral: &str, scale: usize) -> Option<i128> {
    // With sign and point, 36 bytes hold at most 36 digits: less than i128::MAX.
    const MAX_I128_BYTES: usize = 36;
    let zeros = scale - fraction_digits(numeral);
    (numeral.len() + zeros <= MAX_I128_BYTES)
        .then(|| numeral.replace('.', "") + &"0".repeat(zeros))?
        .parse()
        .ok()
}

/// Returns `value / 10^scale`.
fn unscaled(value: i128, scale: usize) -> Option<Decimal> {
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let sign = if value < 0 { "-" } else { "" };
    Decimal::parse_unlimited(format!("{sign}{whole}.{fraction}").trim_end_matches('.')).ok()
}

/// Returns the multiples of a positive number, as a subset of [`multiple_domain`] that is exact within it.
///
/// Multiples of a power of ten, or of two or five times one, are in all comparable spellings. Those of other
/// numbers are without exponent.
pub(crate) fn multiple_of(languages: &mut Languages, of: &Decimal) -> LanguageId {
    let unsigned = languages.multiple(&of.to_string());
    with_any_sign(languages, unsigned)
}

/// Returns the spellings among which [`multiple_of`] is exact. Its complement is taken within these.
pub(crate) fn multiple_domain(languages: &mut Languages, of: &Decimal) -> LanguageId {
    if is_decided_by_one_digit(of) { comparable(languages) } else { plain(languages) }
}

/// Returns true if one digit decides whether a number is a multiple: for 1, 2 or 5 times a power of ten.
fn is_decided_by_one_digit(of: &Decimal) -> bool {
    matches!(of.significant(), "1" | "2" | "5")
}

/// Returns the spellings of one value.
pub(crate) fn equal(languages: &mut Languages, value: &Decimal) -> LanguageId {
    let unsigned = languages.compared(Comparison::Equal, &value.magnitude());
    if value.is_zero() {
        with_any_sign(languages, unsigned)
    } else {
        with_sign(languages, unsigned, value.is_negative())
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
