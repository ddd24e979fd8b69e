//! Patterns of the unsigned numerals up to a bound, from a bound on, and equal to it. A numeral is compared digit by digit:
//! it shares a prefix with the bound, differs in the next digit, and is free after that.

use std::fmt::Write;

use super::decimal::Decimal;

/// The most digits after the point of a number with exponent. As many as any integer of 64 bits or any double needs,
/// and some more.
pub(super) const SCIENTIFIC_FRACTION: usize = 20;

/// Zero without exponent and sign.
pub(super) const ZERO: &str = r"0(?:\.0+)?";
/// Numbers without exponent and sign.
pub(super) const PLAIN: &str = r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?";
/// Numbers without exponent and sign, but for zero.
pub(super) const PLAIN_POSITIVE: &str = r"[1-9][0-9]*(?:\.[0-9]+)?|0\.0*[1-9][0-9]*";

/// The numbers with exponent, without sign.
pub(super) fn scientific() -> String {
    format!("{}[eE][+-]?[0-9]+", any_mantissa())
}

fn any_mantissa() -> String {
    format!("[1-9]{}", Fraction::UpTo(SCIENTIFIC_FRACTION).any())
}

/// Which side of a bound.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// From the bound on.
    Above,
    /// Up to the bound.
    Below,
}

/// The unsigned spellings on one side of the magnitude of a bound, which is not zero.
///
/// # Complexity
/// The pattern is as long as the square of the significant digits.
pub(super) fn bounded(bound: &Decimal, side: Side, exclusive: bool) -> String {
    let mut all = Vec::new();
    let (whole, fraction) = bound.plain();
    numerals(&whole, &fraction, side, exclusive, Fraction::Any, &mut all);

    let (first, rest) = bound.significant().split_at(1);
    let mantissa = Numeral { whole: first, fraction: rest, allowed: Fraction::UpTo(SCIENTIFIC_FRACTION) };
    let mut same = Vec::new();
    let beyond = match side {
        // Every mantissa is at least one.
        Side::Above if !exclusive && bound.significant() == "1" => bound.exponent(),
        Side::Above => {
            mantissa.above(exclusive, &mut same);
            bound.exponent() + 1
        }
        Side::Below => {
            mantissa.below('1', exclusive, &mut same);
            bound.exponent() - 1
        }
    };
    all.push(format!("{}[eE]{}", any_mantissa(), exponents(beyond, side)));
    if !same.is_empty() {
        all.push(format!("{}[eE]{}", group(&same), exponent(bound.exponent())));
    }
    all.join("|")
}

/// The unsigned spellings of the magnitude of a value, which is not zero.
pub(super) fn equal(value: &Decimal) -> String {
    let (whole, fraction) = value.plain();
    let mut all = Numeral { whole: &whole, fraction: &fraction, allowed: Fraction::Any }
        .equal()
        .into_iter()
        .collect::<Vec<_>>();
    let (first, rest) = value.significant().split_at(1);
    let mantissa = Numeral { whole: first, fraction: rest, allowed: Fraction::UpTo(SCIENTIFIC_FRACTION) };
    all.extend(
        mantissa.equal().iter().map(|mantissa| format!("{mantissa}[eE]{}", exponent(value.exponent()))),
    );
    all.join("|")
}

/// The signed exponents on one side of a bound. Leading zeros are free.
pub(super) fn exponents(bound: i64, side: Side) -> String {
    let (free, same, away) = match side {
        Side::Above => (r"\+?[0-9]+", r"\+?", "-"),
        Side::Below => ("-[0-9]+", "-", r"\+?"),
    };
    // Whether zero is on the other side: then all have the sign of the bound.
    let beyond = match side {
        Side::Above => bound > 0,
        Side::Below => bound < 0,
    };
    let numeral = bound.unsigned_abs().to_string();
    let mut all = Vec::new();
    if beyond {
        numerals(&numeral, "", Side::Above, false, Fraction::None, &mut all);
        format!("{same}0*{}", group(&all))
    } else {
        numerals(&numeral, "", Side::Below, false, Fraction::None, &mut all);
        format!("(?:{free}|{away}0*{})", group(&all))
    }
}

fn exponent(value: i64) -> String {
    match value {
        0 => "[+-]?0+".to_owned(),
        1.. => format!(r"\+?0*{value}"),
        _ => format!("-0*{}", value.unsigned_abs()),
    }
}

/// The numerals without leading zeros on one side of a bound, which is not zero where it is the lower one.
fn numerals(
    whole: &str,
    fraction: &str,
    side: Side,
    exclusive: bool,
    allowed: Fraction,
    all: &mut Vec<String>,
) {
    let numeral = Numeral { whole, fraction, allowed };
    let length = whole.len();
    match side {
        Side::Above if whole == "0" => {
            all.push(format!("[1-9][0-9]*{}", allowed.any()));
            numeral.above_fraction(exclusive, all);
        }
        Side::Above if !exclusive && fraction.is_empty() && whole.trim_end_matches('0') == "1" => {
            all.push(format!("[1-9]{}{}", repeat("[0-9]", length - 1, None), allowed.any()));
        }
        Side::Above => {
            all.push(format!("[1-9]{}{}", repeat("[0-9]", length, None), allowed.any()));
            numeral.above(exclusive, all);
        }
        Side::Below if length == 1 => numeral.below('0', exclusive, all),
        Side::Below => {
            let shorter = repeat("[0-9]", 0, Some(length - 2));
            all.push(format!("(?:0|[1-9]{shorter}){}", allowed.any()));
            numeral.below('1', exclusive, all);
        }
    }
}

/// What may stand after the digits before the point.
#[derive(Clone, Copy)]
enum Fraction {
    None,
    Any,
    /// So many digits.
    UpTo(usize),
}

impl Fraction {
    fn most(self) -> Option<usize> {
        match self {
            Self::None => Some(0),
            Self::Any => None,
            Self::UpTo(most) => Some(most),
        }
    }

    /// Whether so many digits may stand after the point.
    fn allows(self, digits: usize) -> bool {
        self.most().is_none_or(|most| digits <= most)
    }

    fn left(self, used: usize) -> Option<usize> {
        self.most().map(|most| most.saturating_sub(used))
    }

    /// Point and digits, or nothing.
    fn any(self) -> String {
        self.of("[0-9]")
    }

    fn of(self, digit: &str) -> String {
        match self {
            Self::None => String::new(),
            _ => format!(r"(?:\.{})?", repeat(digit, 1, self.most())),
        }
    }

    /// Any digits, or zeros only, after so many.
    fn rest(self, digit: &str, used: usize) -> String {
        repeat(digit, 0, self.left(used))
    }

    /// Digits that are not all zero, after so many.
    fn positive(self, used: usize) -> Vec<String> {
        match self.left(used) {
            None => vec!["0*[1-9][0-9]*".to_owned()],
            Some(left) => (0..left)
                .map(|zeros| {
                    let before = repeat("0", zeros, Some(zeros));
                    format!("{before}[1-9]{}", repeat("[0-9]", 0, Some(left - zeros - 1)))
                })
                .collect(),
        }
    }
}

/// A bound, or its mantissa, among the numerals with as many digits before the point.
struct Numeral<'a> {
    whole: &'a str,
    /// Without trailing zeros.
    fraction: &'a str,
    allowed: Fraction,
}

impl Numeral<'_> {
    fn above(&self, exclusive: bool, all: &mut Vec<String>) {
        let Self { whole, fraction, allowed } = self;
        let length = whole.len();
        let significant = if fraction.is_empty() { whole.trim_end_matches('0').len() } else { length };
        let free = fraction.is_empty() && !exclusive;
        for (at, digit) in whole.char_indices().take(significant) {
            // The last digit of an inclusive bound may be the same: nothing after it makes the number less.
            let lowest = if free && at + 1 == significant { Some(digit) } else { next(digit) };
            if let Some(class) = lowest.and_then(|lowest| class(lowest, '9')) {
                let rest = repeat("[0-9]", length - 1 - at, Some(length - 1 - at));
                all.push(format!("{}{class}{rest}{}", written(&whole[..at]), allowed.any()));
            }
        }
        if free {
            return;
        }
        let prefix = written(&whole[..significant]);
        let zeros = length - significant;
        for at in 0..zeros {
            let before = repeat("0", at, Some(at));
            let rest = repeat("[0-9]", zeros - 1 - at, Some(zeros - 1 - at));
            all.push(format!("{prefix}{before}[1-9]{rest}{}", allowed.any()));
        }
        self.above_fraction(exclusive, all);
    }

    /// Those that have the same digits before the point, and more after it.
    fn above_fraction(&self, exclusive: bool, all: &mut Vec<String>) {
        let Self { fraction, allowed, .. } = self;
        let whole = written(self.whole);
        let used = fraction.len();
        let mut from = 0;
        if let Fraction::Any = allowed {
            // All the zeros that the fraction begins with in one pattern.
            from = used - fraction.trim_start_matches('0').len();
            if from > 0 {
                all.push(format!(r"{whole}\.{}[1-9][0-9]*", repeat("0", 0, Some(from - 1))));
            }
        }
        let digits = fraction.char_indices().skip(from);
        for (at, digit) in digits.take_while(|&(at, _)| allowed.allows(at + 1)) {
            let lowest = if !exclusive && at + 1 == used { Some(digit) } else { next(digit) };
            if let Some(class) = lowest.and_then(|lowest| class(lowest, '9')) {
                let prefix = written(&fraction[..at]);
                all.push(format!(r"{whole}\.{prefix}{class}{}", allowed.rest("[0-9]", at + 1)));
            }
        }
        let more = if exclusive { allowed.positive(used) } else { Vec::new() };
        if !more.is_empty() {
            all.push(format!(r"{whole}\.{}{}", written(fraction), group(&more)));
        }
    }

    /// `first` is the lowest digit that may stand first.
    fn below(&self, first: char, exclusive: bool, all: &mut Vec<String>) {
        let Self { whole, fraction, allowed } = self;
        for (at, digit) in whole.char_indices() {
            let lowest = if at == 0 { first } else { '0' };
            if let Some(class) = previous(digit).and_then(|previous| class(lowest, previous)) {
                let rest = repeat("[0-9]", whole.len() - 1 - at, Some(whole.len() - 1 - at));
                all.push(format!("{}{class}{rest}{}", written(&whole[..at]), allowed.any()));
            }
        }
        // Where the digits end early, zeros are meant: that is less, since the last digit of the bound is not zero.
        let whole = written(whole);
        let zeros = fraction.len() - fraction.trim_start_matches('0').len();
        match zeros {
            0 => {}
            1 => all.push(whole.clone()),
            _ => {
                let most = allowed.left(0).map_or(zeros - 1, |left| left.min(zeros - 1));
                all.push(format!(r"{whole}(?:\.{})?", repeat("0", 1, Some(most))));
            }
        }
        let digits = fraction.char_indices().skip(zeros);
        for (at, digit) in digits.take_while(|&(at, _)| allowed.allows(at)) {
            let mut pattern = whole.clone();
            if at > 0 {
                let _ = write!(pattern, r"\.{}", written(&fraction[..at]));
            }
            let class = previous(digit).and_then(|previous| class('0', previous));
            if let Some(class) = class.filter(|_| allowed.allows(at + 1)) {
                let point = if at == 0 { r"\." } else { "" };
                let _ = write!(pattern, "(?:{point}{class}{})?", allowed.rest("[0-9]", at + 1));
            }
            all.push(pattern);
        }
        if !exclusive {
            all.extend(self.equal());
        }
    }

    fn equal(&self) -> Option<String> {
        let (whole, fraction) = (written(self.whole), written(self.fraction));
        let used = self.fraction.len();
        match used {
            0 => Some(format!("{whole}{}", self.allowed.of("0"))),
            _ if !self.allowed.allows(used) => None,
            _ => Some(format!(r"{whole}\.{fraction}{}", self.allowed.rest("0", used))),
        }
    }
}

/// A pattern of exactly these digits, with long runs of zeros counted.
fn written(digits: &str) -> String {
    let mut pattern = String::new();
    let mut rest = digits;
    while let Some(at) = rest.find(LONG_RUN) {
        let run = &rest[at..];
        let after = run.trim_start_matches('0');
        let zeros = run.len() - after.len();
        let _ = write!(pattern, "{}{}", &rest[..at], repeat("0", zeros, Some(zeros)));
        rest = after;
    }
    pattern + rest
}

const LONG_RUN: &str = "0000000000";

fn next(digit: char) -> Option<char> {
    (digit < '9').then(|| char::from(digit as u8 + 1))
}

fn previous(digit: char) -> Option<char> {
    (digit > '0').then(|| char::from(digit as u8 - 1))
}

/// One digit out of a range, unless it is empty.
fn class(from: char, to: char) -> Option<String> {
    match (from, to) {
        (from, to) if from > to => None,
        (from, to) if from == to => Some(from.to_string()),
        (from, to) => Some(format!("[{from}-{to}]")),
    }
}

pub(super) fn repeat(what: &str, min: usize, max: Option<usize>) -> String {
    match (min, max) {
        (_, Some(0)) => String::new(),
        (1, Some(1)) => what.to_owned(),
        (0, Some(1)) => format!("{what}?"),
        (0, None) => format!("{what}*"),
        (1, None) => format!("{what}+"),
        (min, None) => format!("{what}{{{min},}}"),
        (min, Some(max)) if min == max => format!("{what}{{{min}}}"),
        (min, Some(max)) => format!("{what}{{{min},{max}}}"),
    }
}

pub(super) fn group(alternatives: &[String]) -> String {
    match alternatives {
        [one] if !one.contains('|') => one.clone(),
        _ => format!("(?:{})", alternatives.join("|")),
    }
}
