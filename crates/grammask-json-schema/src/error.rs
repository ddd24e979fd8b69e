//! Errors and relaxations, with the schema and the keyword that cause them.

use std::fmt;

/// A schema that cannot be translated.
///
/// Displays as `at '/properties/a', type: invalid schema: "text" is not a type`. Pointers of more than 400
/// bytes are shortened to both ends.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Error {
    /// JSON pointer to the schema, such as `/properties/name`. In another document, it follows the URI and
    /// `#`.
    pub pointer: String,
    /// The keyword. Empty if the error concerns the whole schema.
    pub keyword: String,
    /// The reason of the error.
    pub reason: Reason,
}

/// The reason of an [`Error`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The schema violates the standard.
    Invalid(String),
    /// The schema is valid, but has no exact grammar, or none is known.
    Unsupported(String),
    /// No document is valid under the schema.
    Unsatisfiable(String),
    /// A limit of [`Config::limits`](crate::Config::limits) is exceeded.
    Limit(LimitExceeded),
    /// [`Config::cancel`](crate::Config::cancel) became true.
    Cancelled,
}

impl Reason {
    pub(crate) const fn limit(limit: Limit, value: u64) -> Self {
        Self::Limit(LimitExceeded { limit, value, found: None })
    }

    pub(crate) const fn limit_found(limit: Limit, value: u64, found: u64) -> Self {
        Self::Limit(LimitExceeded { limit, value, found: Some(found) })
    }
}

/// A limit, its value, and what exceeded it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitExceeded {
    /// The limit.
    pub limit: Limit,
    /// Value of the limit, in its unit.
    pub value: u64,
    /// The count that exceeded it. `None` if counting stopped at the limit.
    pub found: Option<u64>,
}

/// A limit of [`Limits`](crate::Limits). Displays as the name of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::max_work`](crate::Limits::max_work).
    Work,
    /// [`Limits::max_nesting`](crate::Limits::max_nesting).
    Nesting,
    /// [`Limits::max_depth`](crate::Limits::max_depth).
    Depth,
    /// [`Limits::max_alternatives`](crate::Limits::max_alternatives).
    Alternatives,
    /// [`Limits::max_key_classes`](crate::Limits::max_key_classes).
    KeyClasses,
    /// [`Limits::max_count`](crate::Limits::max_count).
    Count,
    /// [`Limits::max_number_digits`](crate::Limits::max_number_digits).
    NumberDigits,
    /// [`Limits::max_significant_digits`](crate::Limits::max_significant_digits).
    SignificantDigits,
    /// [`Limits::uri_bytes`](crate::Limits::uri_bytes).
    UriBytes,
    /// [`Limits::total_uri_bytes`](crate::Limits::total_uri_bytes).
    TotalUriBytes,
}

impl Limit {
    const fn name(self) -> &'static str {
        match self {
            Self::Work => "max_work",
            Self::Nesting => "max_nesting",
            Self::Depth => "max_depth",
            Self::Alternatives => "max_alternatives",
            Self::KeyClasses => "max_key_classes",
            Self::Count => "max_count",
            Self::NumberDigits => "max_number_digits",
            Self::SignificantDigits => "max_significant_digits",
            Self::UriBytes => "uri_bytes",
            Self::TotalUriBytes => "total_uri_bytes",
        }
    }

    /// The unit of the limit, as a plural.
    const fn unit(self) -> &'static str {
        match self {
            Self::Work => "units of work",
            Self::Nesting => "levels of arrays and objects in the schema's JSON",
            Self::Depth => "levels of schemas for one value",
            Self::Alternatives => "alternatives for one value",
            Self::KeyClasses => "classes of keys that match different patterns",
            Self::Count => "items or properties required",
            Self::NumberDigits => "digits of a number without exponent",
            Self::SignificantDigits => "significant digits of a number",
            Self::UriBytes => "bytes of a URI",
            Self::TotalUriBytes => "bytes of all URIs",
        }
    }
}

/// A constraint of a schema that the grammar does not assert: it allows documents that the schema forbids.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Relaxation {
    /// JSON pointer to the schema.
    pub pointer: String,
    /// The keyword.
    pub keyword: String,
    /// The constraint that is not asserted, or why it is not.
    pub reason: String,
}

/// A remark about a keyword that asserts nothing, such as an unknown one, or about a reading of the schema
/// that its author may not expect. The grammar allows what the schema allows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Note {
    /// JSON pointer to the schema.
    pub pointer: String,
    /// The keyword.
    pub keyword: String,
    /// The remark.
    pub message: String,
}

impl Error {
    /// Returns the error of a schema under which no document is valid.
    pub fn unsatisfiable() -> Self {
        let what = "the schema contradicts itself, or requires an infinite document";
        Self::new("", "", Reason::Unsatisfiable(what.to_owned()))
    }

    /// Returns the error of a schema that was translated, but whose grammar exceeds a limit when it is
    /// compiled or run.
    pub fn not_run(limit: &impl fmt::Display) -> Self {
        Self::new("", "", Reason::Unsupported(format!("all constraints together exceed a limit: {limit}")))
    }

    /// Returns the error of a translation that was cancelled.
    pub fn cancelled() -> Self {
        Self::new("", "", Reason::Cancelled)
    }

    pub(crate) fn new(pointer: impl Into<String>, keyword: &str, reason: Reason) -> Self {
        Self { pointer: pointer.into(), keyword: keyword.to_owned(), reason }
    }
}

/// Maximum length of a pointer that is shown in full, in bytes.
const MAX_SHOWN_POINTER_BYTES: usize = 400;
/// Number of bytes shown of each end of a longer pointer.
const SHOWN_END_BYTES: usize = 150;

/// Returns both ends of a pointer that is too long to be shown.
fn ends(pointer: &str) -> Option<(&str, &str)> {
    (pointer.len() > MAX_SHOWN_POINTER_BYTES).then(|| {
        (
            &pointer[..pointer.floor_char_boundary(SHOWN_END_BYTES)],
            &pointer[pointer.ceil_char_boundary(pointer.len() - SHOWN_END_BYTES)..],
        )
    })
}

/// Writes the location in a schema.
fn write_location(f: &mut fmt::Formatter<'_>, pointer: &str, keyword: &str) -> fmt::Result {
    match ends(pointer) {
        Some((start, end)) => write!(f, "at '{start}…{end}'")?,
        None => write!(f, "at '{pointer}'")?,
    }
    if keyword.is_empty() { Ok(()) } else { write!(f, ", {keyword}") }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_location(f, &self.pointer, &self.keyword)?;
        write!(f, ": {}", self.reason)
    }
}

impl fmt::Display for Relaxation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_location(f, &self.pointer, &self.keyword)?;
        write!(f, ": not asserted: {}", self.reason)
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_location(f, &self.pointer, &self.keyword)?;
        write!(f, ": {}", self.message)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(what) => write!(f, "invalid schema: {what}"),
            Self::Unsupported(what) => write!(f, "no exact grammar: {what}"),
            Self::Unsatisfiable(what) => write!(f, "no document is valid: {what}"),
            Self::Limit(exceeded) => exceeded.fmt(f),
            Self::Cancelled => write!(f, "cancelled"),
        }
    }
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, value, found } = self;
        match found {
            Some(found) => write!(f, "{found} {}, more than {value} (limit `{limit}`)", limit.unit()),
            None => write!(f, "more than {value} {} (limit `{limit}`)", limit.unit()),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_pointers_are_shortened_to_both_ends() {
        let of = |pointer: String| Error::new(pointer, "", Reason::Cancelled).to_string();
        assert_eq!(of("/é".repeat(130)), format!("at '{}': cancelled", "/é".repeat(130)));
        assert_eq!(of("/é".repeat(1_000)), format!("at '{0}…{0}': cancelled", "/é".repeat(50)));
        assert_eq!(
            of("é".repeat(1_000) + "/x"),
            format!("at '{}…{}/x': cancelled", "é".repeat(75), "é".repeat(74))
        );
    }
}
