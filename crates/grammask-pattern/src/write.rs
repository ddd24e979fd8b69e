//! Nodes without assertions as regexes of the Rust `regex` crate.

use crate::Error;
use crate::language::{LanguageId, Languages};
use crate::syntax::class::push_char;
use crate::syntax::node::Node;

/// Bytes of the longest regex that is compiled in one piece, since its compilation cannot be cancelled.
pub(crate) const MAX_REGEX_BYTES: usize = 1 << 11;

/// Appends the regex of a node without assertions. Alternatives are put into a group unless `alone`.
pub(crate) fn write(node: &Node, alone: bool, out: &mut String) {
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
        Node::Assertion(_) | Node::Look { .. } | Node::Restricted { .. } | Node::Atomic { .. } => {}
    }
}

/// Returns the language of a node without assertions, of any length: that of its parts, each compiled as one
/// regex.
///
/// # Errors
/// On cancellation.
pub(crate) fn language(node: &Node, languages: &mut Languages<'_>) -> Result<LanguageId, Error> {
    match node {
        Node::Sequence(parts) => {
            let all = group_parts(parts, "", languages)?;
            Ok(languages.sequence(all))
        }
        Node::Alternatives(parts) => {
            let all = group_parts(parts, "|", languages)?;
            Ok(languages.union(all))
        }
        Node::Repeat(inner, min, max) if !is_small(inner) => {
            let inner = language(inner, languages)?;
            Ok(languages.repeat(inner, *min, *max))
        }
        node => Ok(languages.regex(&to_regex(node))),
    }
}

/// Returns the languages of successive nodes. Small nodes are joined by `between`.
fn group_parts(
    parts: &[Node],
    between: &str,
    languages: &mut Languages<'_>,
) -> Result<Vec<LanguageId>, Error> {
    let mut all = Vec::new();
    let mut run = String::new();
    for part in parts {
        if run.len() >= MAX_REGEX_BYTES || !run.is_empty() && !is_small(part) {
            all.push(languages.regex(&std::mem::take(&mut run)));
            if languages.is_cancelled() {
                return Err(Error::cancelled());
            }
        }
        if is_small(part) {
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

/// Returns true if the regex of a node is short: a character has a few bytes, and a class some more.
fn is_small(node: &Node) -> bool {
    !matches!(node, Node::Sequence(_) | Node::Alternatives(_) | Node::Repeat(..))
        || node.count() <= MAX_REGEX_BYTES / 8
}

/// Returns the regex of a node without assertions.
pub(crate) fn to_regex(node: &Node) -> String {
    let mut out = String::new();
    write(node, true, &mut out);
    out
}
