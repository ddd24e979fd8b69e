//! The numbers between bounds, to tell cheaply that there are some, or that there are few.

use crate::context::Context;
use crate::language::LanguageId;
use crate::language::number::Decimal;

/// Greatest number of multiples that are tried one by one.
const MAX_TRIED_MULTIPLES: f64 = 256.0;

/// The numbers between some bounds.
pub(super) struct Interval {
    /// The bounds, rounded to doubles.
    least: f64,
    most: f64,
    /// True if all that was added are bounds, which are finite as doubles.
    pub(super) is_known: bool,
}

impl Default for Interval {
    fn default() -> Self {
        Self { least: f64::NEG_INFINITY, most: f64::INFINITY, is_known: true }
    }
}

impl Interval {
    /// Greatest bound that is rounded to a double less than a quarter away.
    const MAX_ROUNDED_BOUND: f64 = (1_u64 << 50) as f64;

    /// Keeps the numbers that are in a set, too.
    pub(super) fn add(&mut self, cx: &Context<'_>, part: LanguageId) {
        match cx.numbers.bounds.get(&part) {
            Some(bound) => self.cut(&bound.value, bound.is_minimum),
            None => self.is_known = false,
        }
    }

    /// Keeps the numbers on one side of a bound.
    pub(super) fn cut(&mut self, bound: &Decimal, is_minimum: bool) {
        match bound.to_string().parse::<f64>() {
            Ok(bound) if bound.is_finite() && is_minimum => self.least = self.least.max(bound),
            Ok(bound) if bound.is_finite() => self.most = self.most.min(bound),
            _ => self.is_known = false,
        }
    }

    /// Returns the multiples of an integer that lie between the bounds, and some next to them. Returns `None`
    /// if there are more than [`MAX_TRIED_MULTIPLES`].
    #[expect(clippy::cast_possible_truncation, reason = "bounds are short, and a greater step saturates")]
    pub(super) fn multiples(&self, step: f64) -> Option<impl Iterator<Item = i64>> {
        let (first, last) = ((self.least / step).floor(), (self.most / step).ceil());
        let is_exact = |bound: f64| bound.abs() < Self::MAX_ROUNDED_BOUND;
        let is_short = last - first <= MAX_TRIED_MULTIPLES;
        (is_exact(self.least) && is_exact(self.most) && is_short)
            .then(|| (first as i64..=last as i64).map(move |factor| factor * step as i64))
    }

    /// Returns true if an integer certainly lies between the bounds, neither of which it equals.
    pub(super) fn has_integer(&self) -> bool {
        let width = self.most - self.least;
        let is_wide = || width > 2.0 + 1e-9 * (self.least.abs() + self.most.abs());
        self.is_known && (width == f64::INFINITY || is_wide())
    }

    /// As [`has_integer`](Self::has_integer), for an integer that a double holds.
    pub(super) fn has_integer_as_double(&self) -> bool {
        let is_exact = |bound: f64| bound.is_infinite() || bound.abs() < Self::MAX_ROUNDED_BOUND;
        self.has_integer() && is_exact(self.least) && is_exact(self.most)
    }
}
