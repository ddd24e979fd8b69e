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

mod bounds;
mod decimal;

#[cfg(test)]
mod tests;

pub(crate) use decimal::Decimal;

use crate::languages::{LanguageId, Languages};
use bounds::{PLAIN, PLAIN_POSITIVE, Side, ZERO, bounded, scientific};

/// Every JSON number.
pub(crate) fn any(languages: &mut Languages) -> LanguageId {
    languages.regex(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
}

/// The spellings among which all other sets are exact. As soon as there is one constraint, these are the numbers.
pub(crate) fn constrained(languages: &mut Languages) -> LanguageId {
    languages.regex(&format!("-?(?:{PLAIN}|{})", scientific()))
}

/// The spellings without exponent.
pub(crate) fn plain(languages: &mut Languages) -> LanguageId {
    languages.regex(&format!("-?{PLAIN}"))
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
///
/// # Complexity
/// A pattern as long as the square of the significant digits of the bound.
pub(crate) fn at_least(languages: &mut Languages, bound: &Decimal, exclusive: bool) -> LanguageId {
    let pattern = one_sided(bound, exclusive, "", "-", !bound.is_negative());
    languages.regex(&pattern)
}

/// The numbers up to a bound, without it where `exclusive`.
///
/// # Complexity
/// As that of [`at_least`].
pub(crate) fn at_most(languages: &mut Languages, bound: &Decimal, exclusive: bool) -> LanguageId {
    let pattern = one_sided(bound, exclusive, "-", "", bound.is_negative());
    languages.regex(&pattern)
}

/// The numbers on the side of the bound where those with the sign `side` are without end; the others have the sign `other`.
/// `same`: the bound is zero or lies on that side of it.
fn one_sided(bound: &Decimal, exclusive: bool, side: &str, other: &str, same: bool) -> String {
    let scientific = scientific();
    match (bound.is_zero(), exclusive) {
        (true, true) => format!("{side}(?:{PLAIN_POSITIVE}|{scientific})"),
        (true, false) => format!("{side}(?:{PLAIN}|{scientific})|{other}{ZERO}"),
        (false, _) if same => format!("{side}(?:{})", bounded(bound, Side::Above, exclusive)),
        (false, _) => {
            let up_to = bounded(bound, Side::Below, exclusive);
            format!("{side}(?:{PLAIN}|{scientific})|{other}(?:{up_to})")
        }
    }
}

/// The multiples of a positive number. Exact among [`among_multiples`], and a part of it: those of a power of ten, and of two
/// or five times one, in all spellings, those of other numbers without exponent.
pub(crate) fn multiple_of(languages: &mut Languages, of: &Decimal) -> LanguageId {
    let sign = languages.regex("-?");
    let unsigned = languages.multiple(&of.to_string());
    languages.sequence([sign, unsigned])
}

/// The spellings among which [`multiple_of`] is exact: its complement is taken within these.
pub(crate) fn among_multiples(languages: &mut Languages, of: &Decimal) -> LanguageId {
    if matches!(of.significant(), "1" | "2" | "5") { constrained(languages) } else { plain(languages) }
}

/// The spellings of one value.
pub(crate) fn equal(languages: &mut Languages, value: &Decimal) -> LanguageId {
    let pattern = match value.is_zero() {
        true => format!("-?{ZERO}"),
        false => format!("{}(?:{})", if value.is_negative() { "-" } else { "" }, bounds::equal(value)),
    };
    languages.regex(&pattern)
}
