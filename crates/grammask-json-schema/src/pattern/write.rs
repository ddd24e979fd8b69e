//! A part of a pattern without assertions, written as a regex of the Rust `regex` crate.

use super::class::push_char;
use super::node::Node;

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

/// A pure part as a regex of its own.
pub(super) fn written(node: &Node) -> String {
    let mut out = String::new();
    write(node, true, &mut out);
    out
}
