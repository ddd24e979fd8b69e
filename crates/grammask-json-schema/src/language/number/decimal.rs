//! Decimal numbers of any size, exactly as they are written in a schema.

use std::cmp::Ordering;
use std::fmt;

use crate::Limits;
use crate::error::{Limit, Reason};

/// A decimal number: `0.DIGITS` times ten to the power of `point`, with a sign.
///
/// The representation is canonical: equal numbers compare as equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Decimal {
    negative: bool,
    /// Significant digits: neither the first nor the last is `0`. Empty for zero.
    digits: String,
    /// Digits before the decimal point; negative for zeros after it. 0 for zero.
    point: i64,
}

impl Decimal {
    pub(crate) fn one() -> Self {
        Self { negative: false, digits: "1".to_owned(), point: 1 }
    }

    /// Parses a number of JSON, such as `-1.50e3`.
    ///
    /// # Errors
    /// When the text is not a number of JSON, or has more digits than [`Limits::max_significant_digits`] or
    /// [`Limits::max_number_digits`] allow.
    pub(crate) fn parse(text: &str, limits: &Limits) -> Result<Self, Reason> {
        let decimal = Self::parse_unlimited(text)?;
        for (limit, value, found) in [
            (Limit::SignificantDigits, limits.max_significant_digits, decimal.digits.len() as u64),
            (Limit::NumberDigits, limits.max_number_digits, decimal.length()),
        ] {
            if found > value {
                return Err(Reason::limit_found(limit, value, found));
            }
        }
        Ok(decimal)
    }

    /// Parses a number of JSON of any length.
    ///
    /// # Errors
    /// When the text is not a number of JSON.
    pub(crate) fn parse_unlimited(text: &str) -> Result<Self, Reason> {
        let invalid = || Reason::Invalid(format!("'{text}' is not a number"));
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned, None),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let power = exponent.map(|text| text.strip_prefix(['+', '-']).unwrap_or(text));
        let is_numeral = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let leading = whole.len() > 1 && whole.starts_with('0');
        if leading || ![Some(whole), fraction, power].into_iter().flatten().all(is_numeral) {
            return Err(invalid());
        }
        let fraction = fraction.unwrap_or_default();
        let all = [whole, fraction].concat();
        let trimmed = all.trim_start_matches('0');
        let zeros = count_digits(&all) - count_digits(trimmed);
        let digits = trimmed.trim_end_matches('0');
        if digits.is_empty() {
            return Ok(Self { negative: false, digits: String::new(), point: 0 });
        }
        // An exponent that does not fit is beyond every limit.
        let power: i64 = power.map_or(0, |power| power.parse().unwrap_or(i64::MAX / 4)).min(i64::MAX / 4);
        let power = if exponent.is_some_and(|text| text.starts_with('-')) { -power } else { power };
        let point = count_digits(whole) - zeros + power;
        Ok(Self { negative, digits: digits.to_owned(), point })
    }

    /// Returns the number of digits before and after the point, without exponent.
    fn length(&self) -> u64 {
        let before = self.point.max(1);
        let after = (count_digits(&self.digits) - self.point).max(0);
        (before + after).unsigned_abs()
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    /// Returns the digits from the first to the last that is not zero. Empty for zero.
    pub(super) fn significant(&self) -> &str {
        &self.digits
    }

    /// Returns the absolute value as a numeral without exponent.
    pub(super) fn magnitude(&self) -> String {
        let (mut whole, fraction) = self.plain();
        if !fraction.is_empty() {
            whole.push('.');
            whole.push_str(&fraction);
        }
        whole
    }

    /// Returns the number with one digit before the point and an exponent, as `-1.5e300`.
    pub(crate) fn to_scientific(&self) -> String {
        let (Some(first), false) = (self.digits.get(..1), self.is_zero()) else { return "0".to_owned() };
        let (sign, rest) = (if self.negative { "-" } else { "" }, &self.digits[1..]);
        let point = if rest.is_empty() { "" } else { "." };
        format!("{sign}{first}{point}{rest}e{}", self.point - 1)
    }

    /// Returns the digits before the point (`0` if there are none) and after it, without sign and trailing
    /// zeros.
    fn plain(&self) -> (String, String) {
        let length = count_digits(&self.digits);
        let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
        match self.point {
            ..=0 if self.is_zero() => ("0".to_owned(), String::new()),
            ..=0 => ("0".to_owned(), zeros(-self.point) + &self.digits),
            point if point < length => {
                let (whole, fraction) = self.digits.split_at(usize::try_from(point).unwrap_or(0));
                (whole.to_owned(), fraction.to_owned())
            }
            point => (self.digits.clone() + &zeros(point - length), String::new()),
        }
    }
}

/// Returns the number of some digits. It fits, as no text has more than `isize::MAX` bytes.
fn count_digits(digits: &str) -> i64 {
    i64::try_from(digits.len()).unwrap_or(i64::MAX)
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |of: &Self| {
            if of.is_zero() {
                0
            } else if of.negative {
                -1
            } else {
                1
            }
        };
        let magnitude = || self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits));
        sign(self)
            .cmp(&sign(other))
            .then_with(|| if self.negative { magnitude().reverse() } else { magnitude() })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Writes the number without exponent, as `-1500` or `0.025`.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        write!(f, "{sign}{}", self.magnitude())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text, &Limits::default()).unwrap()
    }

    #[test]
    fn decimals_print_without_exponent() {
        for (text, plain) in [
            ("0", "0"),
            ("-0.00", "0"),
            ("0e999999999999999999999", "0"),
            ("12", "12"),
            ("-1.50e3", "-1500"),
            ("1.50E-3", "0.0015"),
            ("100", "100"),
            ("12.3450", "12.345"),
            ("0.5e+1", "5"),
            ("1e+02", "100"),
        ] {
            assert_eq!(decimal(text).to_string(), plain, "{text}");
        }
    }

    #[test]
    fn long_decimals_print_with_an_exponent() {
        for (text, scientific) in
            [("0", "0"), ("-1.50e300", "-1.5e300"), ("1e-400", "1e-400"), ("12", "1.2e1")]
        {
            assert_eq!(decimal(text).to_scientific(), scientific, "{text}");
        }
    }

    #[test]
    fn order_of_decimals_is_that_of_their_values() {
        let ordered =
            ["-1e400", "-12", "-1.5", "-1", "-0.2", "0", "0.015", "0.1", "1", "1.01", "9", "10", "1e400"];
        for (left, text) in ordered.iter().enumerate() {
            for (right, other) in ordered.iter().enumerate() {
                assert_eq!(decimal(text).cmp(&decimal(other)), left.cmp(&right), "{text} {other}");
            }
        }
        assert_eq!(decimal("1.0"), decimal("10e-1"));
        assert_eq!(decimal("-0"), decimal("0e5"));
    }

    #[test]
    fn malformed_and_long_numbers_are_refused() {
        let limits = Limits::default();
        let parse = |text: &str| Decimal::parse(text, &limits);
        for text in ["", "-", "01", "1.", ".5", "1e", "1e+-2", "+1", "1.5.5", "0x1", " 1", "1e5.0"] {
            assert!(matches!(parse(text), Err(Reason::Invalid(_))), "{text}");
        }
        for text in ["1e10000", "1e-10001", "1e99999999999999999999", "-1e-99999999999999999999"] {
            let Err(Reason::Limit(exceeded)) = parse(text) else { panic!("{text}") };
            assert_eq!((exceeded.limit, exceeded.value), (Limit::NumberDigits, 10_000), "{text}");
        }
        assert!(parse("1e9999").is_ok());
        assert!(parse(&"9".repeat(1_000)).is_ok());
        assert!(matches!(parse(&"9".repeat(1_001)), Err(Reason::Limit(_))));
    }
}
