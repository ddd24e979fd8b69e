//! Patterns of ECMA-262 as sets of texts. A pattern without assertions but at its ends, as nearly all are, becomes one regex of
//! the Rust `regex` crate; any other becomes concatenations, intersections and complements of such regexes.

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

use crate::language::{LanguageId, Languages};
use node::{Assertion, Node};

/// How deep the groups of a pattern may nest.
pub(crate) const NESTING: usize = 250;
/// The greatest number that a quantifier may hold.
pub(crate) const COUNT: u32 = 1_000_000_000;
/// The greatest number of expressions in what a pattern with assertions in its middle comes to.
pub(crate) const SIZE: u64 = 10_000;
/// The greatest number of parts, such as characters, of an alternative with assertions in its middle.
pub(crate) const PARTS: usize = 20_000;
/// How often a repetition may be written out that has assertions inside.
pub(crate) const COPIES: u32 = 100;

/// Why a pattern stands for no set of texts here.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum PatternError {
    /// It is none of ECMA-262.
    #[error("not a pattern of ECMA-262: {message}, at byte {offset}")]
    Invalid {
        /// Where in the pattern, in bytes.
        offset: usize,
        message: String,
    },
    /// It is one, but cannot be said here exactly.
    #[error("{message}, at byte {offset}")]
    Unsupported {
        /// Where in the pattern, in bytes.
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

    /// Nobody reads this: who asks for a pattern sees the flag, too.
    fn cancelled() -> Self {
        Self::unsupported(0, "cancelled")
    }
}

/// Whether a text is a pattern of ECMA-262, though perhaps one that cannot be said here.
pub(crate) fn is_pattern(source: &str) -> bool {
    !matches!(parse::parse(source), Err(PatternError::Invalid { .. }))
}

/// The texts in which a pattern of ECMA-262 matches somewhere.
///
/// The flag `u` is on, all others are off. Beyond that, the escapes and lone brackets of Annex B that mean themselves are read, such as
/// `\-`, `\@` and `{`. Escapes of other languages that ECMA-262 does not have, such as `\A`, `\Z` and `\h`, are invalid.
///
/// # Errors
/// When the pattern is invalid, refers back to a group, changes flags, or exceeds a limit: groups nested 250 deep, a quantifier of 10^9;
/// and with assertions in the middle, 20,000 parts, 10,000 expressions, and 100 copies of a repetition.
///
/// # Complexity
/// Linear in the length of the pattern, where assertions stand at its ends only.
pub(crate) fn pattern(languages: &mut Languages, source: &str) -> Result<LanguageId, PatternError> {
    let node = parse::parse(source)?;
    let alternatives = match node {
        Node::Alternatives(parts) => parts,
        node => vec![node],
    };
    let mut plain: Vec<(bool, bool, Vec<Node>)> = Vec::new();
    let mut sets = Vec::new();
    for alternative in alternatives {
        match ends(&alternative) {
            Some((start, body, end)) => {
                let body = trim(body, start, end);
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
    if source.len() > write::LONG {
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

/// The body of an alternative, and whether it is tied to the start and to the end; none, where it has other assertions.
fn ends(alternative: &Node) -> Option<(bool, &[Node], bool)> {
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

/// Drops what asks for nothing at an end where any text may stand.
fn trim(body: &[Node], start: bool, end: bool) -> Vec<Node> {
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
