//! Texts of patterns as syntax trees.

pub(crate) mod class;
pub(crate) mod ecma;
mod escape;
pub(crate) mod node;
pub(crate) mod python;
mod python_classes;
pub(crate) mod rust;
mod sets;

use crate::{Cause, Config, Dialect, Error, Note};
use node::Node;

/// A pattern as a syntax tree.
pub(crate) struct Parsed {
    pub node: Node,
    /// Members of the class of word characters, for word boundaries.
    pub word: String,
    pub notes: Vec<Note>,
    /// Byte offset of the first POSIX class that was read as a class of its letters.
    pub posix: Option<usize>,
    /// True if a class of ECMA-262 without members is followed by `]`. Other dialects read `[]a]` as one
    /// class.
    pub is_cut: bool,
}

/// Parses a pattern. Returns the dialect that it was read in as well.
///
/// # Errors
/// Those of the dialect. With [`Dialect::Auto`], the error of ECMA-262 if no dialect has the syntax.
pub(crate) fn parse(source: &str, config: &Config) -> Result<(Parsed, Dialect), Error> {
    let limits = &config.limits;
    let (mut parsed, dialect) = match config.dialect {
        Dialect::Auto => detect(source, config)?,
        Dialect::Ecma => (ecma::parse(source, limits)?, Dialect::Ecma),
        Dialect::Rust => (rust::parse(source, limits, false)?, Dialect::Rust),
        Dialect::Python => (python::parse(source, limits)?, Dialect::Python),
    };
    if let Some(offset) = parsed.posix {
        let message = "ECMA-262 has no POSIX classes: this is a class of letters and colons";
        parsed.notes.push(Note { offset, message: message.to_owned() });
    }
    if has_slashes(source) {
        let message = "the slashes around the pattern are part of it";
        parsed.notes.push(Note { offset: 0, message: message.to_owned() });
    }
    Ok((parsed, dialect))
}

/// Parses a pattern in the first dialect that gives it a meaning.
fn detect(source: &str, config: &Config) -> Result<(Parsed, Dialect), Error> {
    let limits = &config.limits;
    let ecma = ecma::parse(source, limits);
    match &ecma {
        Ok(Parsed { posix: Some(_), .. } | Parsed { is_cut: true, .. })
        | Err(Error { cause: Cause::Invalid, .. }) => {}
        _ => return ecma.map(|parsed| (parsed, Dialect::Ecma)),
    }
    for (dialect, name) in [(Dialect::Rust, "Rust"), (Dialect::Python, "Python")] {
        let parsed = match dialect {
            Dialect::Rust => rust::parse(source, limits, true),
            _ => python::parse(source, limits),
        };
        let mut parsed = match parsed {
            Ok(parsed) => parsed,
            Err(Error { cause: Cause::Invalid, .. }) => continue,
            Err(error) => return Err(error),
        };
        let message = match &ecma {
            Ok(Parsed { is_cut: true, .. }) => {
                format!("read as a pattern of {name}, where a class may begin with `]`")
            }
            Ok(_) => format!("read as a pattern of {name}, because of its POSIX class"),
            Err(error) => format!("read as a pattern of {name}, because ECMA-262 does not have it: {error}"),
        };
        parsed.notes.push(Note { offset: 0, message });
        return Ok((parsed, dialect));
    }
    if let Err(error) = &ecma
        && let Ok(mut parsed) = ecma::parse_legacy(source, limits)
    {
        let message = format!("read as without the flag `u`, because it is not valid with it: {error}");
        parsed.notes.push(Note { offset: 0, message });
        return Ok((parsed, Dialect::Ecma));
    }
    ecma.map(|parsed| (parsed, Dialect::Ecma))
}

/// Returns true if a pattern is written with slashes around it and can hardly be meant so: `/^a/`, `/a/i`.
fn has_slashes(source: &str) -> bool {
    let Some((inside, flags)) = source.strip_prefix('/').and_then(|rest| rest.rsplit_once('/')) else {
        return false;
    };
    let has_flags = !flags.is_empty() && flags.chars().all(|c| "dgimsuvxy".contains(c));
    !inside.is_empty()
        && (has_flags || flags.is_empty() && (inside.starts_with('^') || inside.ends_with('$')))
}
