//! Patterns of the unsigned multiples of a power of ten, and of two or five times one: the last digit that is not zero decides.

use super::bounds::{SCIENTIFIC_FRACTION, Side, exponents, group, repeat};
use super::decimal::Decimal;

/// The number whose multiples are meant: one, two or five times ten to a power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    digit: u8,
    power: i64,
}

impl Step {
    /// The number, if it is positive and such a one.
    pub fn of(number: &Decimal) -> Option<Self> {
        let digit = match number.significant() {
            "1" => 1,
            "2" => 2,
            "5" => 5,
            _ => return None,
        };
        (!number.is_negative()).then(|| Self { digit, power: number.exponent() })
    }

    /// The multiples without sign, with exponent and without.
    pub fn multiples(self) -> String {
        let Self { power, .. } = self;
        let mut all = vec![self.plain(), scientific(self.last_digit(), power)];
        if let Some(other) = self.other_last_digit() {
            // Ten times as much is a multiple whatever its digits.
            all.push(scientific(other, power + 1));
        }
        all.join("|")
    }

    /// The digits but zero that stand last in a multiple, at the place of the step's own.
    fn last_digit(self) -> &'static str {
        match self.digit {
            1 => "[1-9]",
            2 => "[2468]",
            _ => "5",
        }
    }

    fn other_last_digit(self) -> Option<&'static str> {
        match self.digit {
            1 => None,
            2 => Some("[13579]"),
            _ => Some("[1-46-9]"),
        }
    }

    fn plain(self) -> String {
        let (last, or_zero) = match self.digit {
            1 => ("[1-9]", "[0-9]"),
            2 => ("[2468]", "[02468]"),
            _ => ("5", "[05]"),
        };
        let places = usize::try_from(self.power.unsigned_abs()).unwrap_or(usize::MAX);
        if self.power >= 0 {
            let zeros = repeat("0", places, Some(places));
            let whole = match self.digit {
                1 => format!("[1-9][0-9]*{zeros}"),
                _ => format!("(?:[1-9][0-9]*{or_zero}|{last}){zeros}"),
            };
            return format!(r"(?:0|{whole})(?:\.0+)?");
        }
        let fraction = match (self.digit, places) {
            (1, _) => format!("{}0*", repeat("[0-9]", 1, Some(places))),
            (_, 1) => format!("{or_zero}0*"),
            _ => {
                let before = repeat("[0-9]", places - 1, Some(places - 1));
                format!("(?:{}|{before}{or_zero}0*)", repeat("[0-9]", 1, Some(places - 1)))
            }
        };
        format!(r"(?:0|[1-9][0-9]*)(?:\.{fraction})?")
    }
}

/// The numbers with exponent whose last digit but zeros is one of a class, at the place of this power of ten or a higher one.
fn scientific(last: &str, power: i64) -> String {
    let exponent = exponents(power, Side::Above);
    let zeros = repeat("0", 1, Some(SCIENTIFIC_FRACTION));
    // Each digit after the point, up to that last one, takes one power of ten more.
    let fractions: Vec<String> = (1..=SCIENTIFIC_FRACTION)
        .zip(power + 1..)
        .map(|(count, power)| {
            let before = repeat("[0-9]", count - 1, Some(count - 1));
            let after = repeat("0", 0, Some(SCIENTIFIC_FRACTION - count));
            format!("{before}{last}{after}[eE]{}", exponents(power, Side::Above))
        })
        .collect();
    format!(r"{last}(?:\.{zeros})?[eE]{exponent}|[1-9]\.{}", group(&fractions))
}
