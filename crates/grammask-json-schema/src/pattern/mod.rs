//! Patterns of ECMA-262 as regular languages.
//!
//! A pattern with assertions at its ends only, as nearly all are, becomes one regex of the Rust `regex`
//! crate: `^ab` is `ab(?s:.)*`. Any other pattern becomes concatenations, intersections and complements of
//! such regexes.

mod avoid;
mod class;
mod localize;
mod lookaround;
mod matrix;
mod node;
mod parse;
mod write;

#[cfg(test)]
mod tests;

use thiserror::Error;

use crate::Limits;
use crate::language::{LanguageId, Languages};
use node::{Assertion, Node};

/// The reason why a pattern has no language.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum PatternError {
    /// The text is not a pattern of ECMA-262.
    #[error("not a pattern of ECMA-262: {message}, at byte {offset}")]
    Invalid {
        /// Byte offset in the pattern.
        offset: usize,
        message: String,
    },
    /// The pattern is valid, but has no exact language here.
    #[error("{message}, at byte {offset}")]
    Unsupported {
        /// Byte offset in the pattern.
        offset: usize,
        message: String,
    },
}

impl PatternError {
    fn invalid(offset: usize, message: impl Into<String>) -> Self {
        Self::Invalid { offset, message: message.into() }
    }

    fn unsupported(offset: usize, message: impl Into<String>) -> Self {
        Self::Unsupported { offset, message: message.into() }
    }

    /// Returns the error for a cancellation. It is never shown, because the caller checks the cancellation
    /// flag as well.
    fn cancelled() -> Self {
        Self::unsupported(0, "cancelled")
    }
}

/// Returns true if a text is a regular expression of ECMA-262, supported here or not.
pub(crate) fn is_pattern(source: &str, limits: &Limits) -> bool {
    !matches!(parse::parse(source, limits), Err(PatternError::Invalid { .. }))
}

/// Returns the texts in which a pattern of ECMA-262 matches somewhere.
///
/// The flag `u` is on, all others are off. In addition, escapes and lone brackets of Annex B that match
/// themselves are valid, such as `\-`, `\@` and `{`. Escapes of other dialects, such as `\A`, `\Z` and `\h`,
/// are invalid.
///
/// # Errors
/// When the pattern is invalid, has back-references or flags, or exceeds one of the limits for patterns.
///
/// # Complexity
/// Linear in the length of the pattern, if it has assertions at its ends only.
pub(crate) fn pattern(languages: &mut Languages, source: &str) -> Result<LanguageId, PatternError> {
    let node = parse::parse(source, languages.limits())?;
    let alternatives = match node {
        Node::Alternatives(parts) => parts,
        node => vec![node],
    };
    let mut plain: Vec<(bool, bool, Vec<Node>)> = Vec::new();
    let mut sets = Vec::new();
    for alternative in alternatives {
        match split_anchors(&alternative) {
            Some((start, body, end)) => {
                let body = drop_optional_ends(body, start, end);
                if body.is_empty() && !(start && end) {
                    return Ok(LanguageId::ANY);
                }
                match plain.iter_mut().find(|known| (known.0, known.1) == (start, end)) {
                    Some(known) => known.2.push(Node::Sequence(body)),
                    None => plain.push((start, end, vec![Node::Sequence(body)])),
                }
            }
            None => sets.push(lookaround::search(languages, &alternative)?),
        }
    }
    if source.len() > write::MAX_REGEX_BYTES {
        for (start, end, bodies) in plain {
            let body = write::language(&Node::alternatives(bodies), languages)?;
            let around = |is_tied| if is_tied { LanguageId::EMPTY_TEXT } else { LanguageId::ANY };
            sets.push(languages.sequence([around(start), body, around(end)]));
        }
        return Ok(languages.union(sets));
    }
    let mut regex = String::new();
    let alone = plain.len() == 1;
    for (i, (start, end, bodies)) in plain.into_iter().enumerate() {
        if i > 0 {
            regex.push('|');
        }
        let body = Node::alternatives(bodies);
        if start && end {
            write::write(&body, alone, &mut regex);
        } else {
            regex.push_str(if start { "" } else { "(?s:.)*" });
            write::write(&body, false, &mut regex);
            regex.push_str(if end { "" } else { "(?s:.)*" });
        }
    }
    if alone && regex.is_empty() {
        sets.push(LanguageId::EMPTY_TEXT);
    } else if !regex.is_empty() {
        sets.push(languages.regex(&regex));
    }
    Ok(languages.union(sets))
}

/// Returns the body of an alternative, and whether it is anchored at the start and at the end. Returns `None`
/// if it has other assertions.
fn split_anchors(alternative: &Node) -> Option<(bool, &[Node], bool)> {
    let parts = match alternative {
        Node::Sequence(parts) => parts.as_slice(),
        node => std::slice::from_ref(node),
    };
    let is = |node: &Node, which| matches!(node, Node::Assertion(found) if *found == which);
    let before = parts.iter().take_while(|part| is(part, Assertion::Start)).count();
    let rest = &parts[before..];
    let after = rest.iter().rev().take_while(|part| is(part, Assertion::End)).count();
    let body = &rest[..rest.len() - after];
    body.iter().all(Node::is_pure).then_some((before > 0, body, after > 0))
}

/// Drops optional nodes at an end that is not anchored: any text may follow there.
fn drop_optional_ends(body: &[Node], start: bool, end: bool) -> Vec<Node> {
    let mut body = body.to_vec();
    if !end {
        while body.last().is_some_and(Node::is_nullable) {
            body.pop();
        }
        if let Some(Node::Repeat(_, min, max)) = body.last_mut() {
            *max = Some(*min);
        }
    }
    if !start {
        let nullable = body.iter().take_while(|part| part.is_nullable()).count();
        body.drain(..nullable);
        if let Some(Node::Repeat(_, min, max)) = body.first_mut() {
            *max = Some(*min);
        }
    }
    body
}
