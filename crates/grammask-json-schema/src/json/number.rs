//! Numbers as their text.

use std::fmt;

/// A number as its text, in the form of JSON.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Number(String);

impl Number {
    /// Returns the number with a text, which must have the form of JSON.
    pub(crate) fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns the number if it is a nonnegative integer of 64 bits without point and exponent.
    pub(crate) fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// Returns the nearest `f64`. Returns `None` if it is infinite.
    pub(crate) fn as_f64(&self) -> Option<f64> {
        self.0.parse().ok().filter(|number: &f64| number.is_finite())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
