//! A part of a pattern without assertions, written as a regex of the Rust `regex` crate.

use super::PatternError;
use super::class::push_char;
use super::node::Node;
use crate::language::{LanguageId, Languages};

/// More bytes than this are not read as one regex: nobody could stop that on the way.
pub(super) const LONG: usize = 1 << 11;

/// Appends a pure part; alternatives are put into a group, unless they stand alone.
pub(super) fn write(node: &Node, alone: bool, out: &mut String) {
    match node {
        Node::Char(c) => push_char(*c, out),
        Node::Class(class) => out.push_str(class),
        Node::Sequence(parts) => {
            for part in parts {
                write(part, false, out);
            }
        }
        Node::Alternatives(parts) => {
            out.push_str(if alone { "" } else { "(?:" });
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    out.push('|');
                }
                write(part, false, out);
            }
            out.push_str(if alone { "" } else { ")" });
        }
        Node::Repeat(inner, min, max) => {
            let atom = matches!(**inner, Node::Char(_) | Node::Class(_) | Node::Alternatives(_));
            out.push_str(if atom { "" } else { "(?:" });
            write(inner, false, out);
            out.push_str(if atom { "" } else { ")" });
            match (*min, *max) {
                (0, None) => out.push('*'),
                (1, None) => out.push('+'),
                (0, Some(1)) => out.push('?'),
                (1, Some(1)) => {}
                (min, None) => out.push_str(&format!("{{{min},}}")),
                (min, Some(max)) if min == max => out.push_str(&format!("{{{min}}}")),
                (min, Some(max)) => out.push_str(&format!("{{{min},{max}}}")),
            }
        }
        Node::Assertion(_) | Node::Look { .. } | Node::Tied { .. } => {}
    }
}

/// The texts of a pure part, however long it is: made of those of its parts, each of which is read as one regex.
///
/// # Errors
/// When it is cancelled.
pub(super) fn language(node: &Node, languages: &mut Languages) -> Result<LanguageId, PatternError> {
    match node {
        Node::Sequence(parts) => {
            let all = runs(parts, "", languages)?;
            Ok(languages.sequence(all))
        }
        Node::Alternatives(parts) => {
            let all = runs(parts, "|", languages)?;
            Ok(languages.union(all))
        }
        Node::Repeat(inner, min, max) if !is_short(inner) => {
            let inner = language(inner, languages)?;
            Ok(languages.repeat(inner, *min, *max))
        }
        node => Ok(languages.regex(&written(node))),
    }
}

/// Parts that follow each other, short ones together, with something between them.
fn runs(parts: &[Node], between: &str, languages: &mut Languages) -> Result<Vec<LanguageId>, PatternError> {
    let mut all = Vec::new();
    let mut run = String::new();
    for part in parts {
        if run.len() >= LONG || !run.is_empty() && !is_short(part) {
            all.push(languages.regex(&std::mem::take(&mut run)));
            if languages.is_cancelled() {
                return Err(PatternError::cancelled());
            }
        }
        if is_short(part) {
            run.push_str(if run.is_empty() { "" } else { between });
            write(part, false, &mut run);
        } else {
            all.push(language(part, languages)?);
        }
    }
    if !run.is_empty() {
        all.push(languages.regex(&run));
    }
    Ok(all)
}

/// Whether a part has few parts itself: a character stands for some bytes of a regex, and a class for some more.
fn is_short(node: &Node) -> bool {
    !matches!(node, Node::Sequence(_) | Node::Alternatives(_) | Node::Repeat(..)) || node.count() <= LONG / 8
}

/// A pure part as a regex of its own.
pub(super) fn written(node: &Node) -> String {
    let mut out = String::new();
    write(node, true, &mut out);
    out
}
