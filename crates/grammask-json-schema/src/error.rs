//! Why a schema cannot be translated, and what was weakened where that was asked for.

use std::fmt;

/// Why a schema cannot be translated, with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Error {
    /// A JSON pointer to the schema, as `/properties/name`; behind the document's URI and `#` where it is another document.
    pub pointer: String,
    /// The keyword; empty where the whole schema is meant.
    pub keyword: String,
    /// What is wrong.
    pub reason: Reason,
}

/// What is wrong with a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The schema is not as the standard wants it.
    Invalid(String),
    /// The schema is fine, but there is no exact grammar for it, or none is known.
    Unsupported(String),
    /// No document is valid.
    Unsatisfiable(String),
    /// A limit of [`Config`](crate::Config) is exceeded.
    Limit {
        /// The name of the limit.
        limit: &'static str,
        /// Its value.
        value: u64,
    },
    /// [`Config::cancel`](crate::Config::cancel) has turned true.
    Cancelled,
}

/// A part of a schema that the grammar does not hold documents to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Relaxation {
    /// A JSON pointer to the schema.
    pub pointer: String,
    /// The keyword.
    pub keyword: String,
    /// What is not asserted, and why.
    pub reason: String,
}

impl Error {
    /// That the whole schema has no valid document.
    pub fn unsatisfiable() -> Self {
        let what = "the schema contradicts itself, or asks for something without end";
        Self::new("", "", Reason::Unsatisfiable(what.to_owned()))
    }

    /// That the grammar of a schema cannot be run, as it exceeds a limit.
    pub fn not_run(limit: &impl fmt::Display) -> Self {
        Self::new("", "", Reason::Unsupported(format!("all constraints together, as {limit}")))
    }

    /// That somebody wanted it to end.
    pub fn cancelled() -> Self {
        Self::new("", "", Reason::Cancelled)
    }

    pub(crate) fn new(pointer: impl Into<String>, keyword: &str, reason: Reason) -> Self {
        Self { pointer: pointer.into(), keyword: keyword.to_owned(), reason }
    }
}

/// The longest pointer that is shown as it is, and what is shown of both ends of a longer one, in bytes.
const LONGEST: usize = 400;
const END: usize = 150;

/// Both ends of a pointer that nobody would read.
fn ends(pointer: &str) -> Option<(&str, &str)> {
    (pointer.len() > LONGEST).then(|| {
        (
            &pointer[..pointer.floor_char_boundary(END)],
            &pointer[pointer.ceil_char_boundary(pointer.len() - END)..],
        )
    })
}

/// The place in a schema; of very long pointers only both ends.
fn write_place(f: &mut fmt::Formatter<'_>, pointer: &str, keyword: &str) -> fmt::Result {
    match ends(pointer) {
        Some((start, end)) => write!(f, "at '{start}…{end}'")?,
        None => write!(f, "at '{pointer}'")?,
    }
    if keyword.is_empty() { Ok(()) } else { write!(f, ", {keyword}") }
}

impl fmt::Display for Error {
    /// What is wrong, behind the place; of very long pointers only both ends.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, &self.pointer, &self.keyword)?;
        write!(f, ": {}", self.reason)
    }
}

impl fmt::Display for Relaxation {
    /// What is not asserted, behind the place; of very long pointers only both ends.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, &self.pointer, &self.keyword)?;
        write!(f, ": not asserted: {}", self.reason)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(what) => write!(f, "invalid schema: {what}"),
            Self::Unsupported(what) => write!(f, "cannot be said exactly: {what}"),
            Self::Unsatisfiable(what) => write!(f, "no document is valid: {what}"),
            Self::Limit { limit, value } => write!(f, "the limit {limit} ({value}) is exceeded"),
            Self::Cancelled => write!(f, "cancelled"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_pointer_is_shown_in_short() {
        let of = |pointer: String| Error::new(pointer, "", Reason::Cancelled).to_string();
        assert_eq!(of("/é".repeat(130)), format!("at '{}': cancelled", "/é".repeat(130)));
        assert_eq!(of("/é".repeat(1_000)), format!("at '{0}…{0}': cancelled", "/é".repeat(50)));
        assert_eq!(
            of("é".repeat(1_000) + "/x"),
            format!("at '{}…{}/x': cancelled", "é".repeat(75), "é".repeat(74))
        );
    }
}
