//! Look-around that depends on its neighbours only, such as `(?!-)[a-z-]{1,63}(?<!-)`, becomes a restriction
//! of these neighbours. The restricted node may be repeated like any other.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use crate::syntax::class::{characters, to_class};
use crate::syntax::node::{Node, Restriction};

/// Replaces look-around by restrictions of its neighbours where these are long enough: look-behind
/// everywhere, look-ahead inside of repetitions.
pub(crate) fn localize(node: &Node, repeated: bool) -> Node {
    match node {
        Node::Char(_)
        | Node::Class(_)
        | Node::Assertion(_)
        | Node::Restricted { .. }
        | Node::Atomic { .. } => node.clone(),
        Node::Alternatives(parts) => {
            Node::alternatives(parts.iter().map(|part| localize(part, repeated)).collect())
        }
        Node::Repeat(inner, min, max) => Node::Repeat(Box::new(localize(inner, true)), *min, *max),
        Node::Look { ahead, negative, node } => {
            Node::Look { ahead: *ahead, negative: *negative, node: Box::new(localize(node, repeated)) }
        }
        Node::Sequence(parts) => {
            let parts = parts.iter().map(|part| localize(part, repeated)).collect();
            let parts = restrict_neighbors(parts, false);
            Node::sequence(if repeated { restrict_neighbors(parts, true) } else { parts })
        }
    }
}

/// Turns each look-ahead of a sequence into a restriction of what follows it, or each look-behind of what
/// precedes it.
fn restrict_neighbors(parts: Vec<Node>, ahead: bool) -> Vec<Node> {
    if !parts.iter().any(|part| is_look(part, ahead)) {
        return parts;
    }
    let mut done: Vec<Node> = Vec::with_capacity(parts.len());
    // `done` is in the order of processing: backwards for look-ahead.
    let mut todo = parts;
    if ahead {
        todo.reverse();
    }
    for part in todo {
        let longest = match &part {
            Node::Look { node, .. } if is_look(&part, ahead) && node.is_pure() => {
                lengths(node).1.unwrap_or(u64::MAX).max(1)
            }
            _ => {
                done.push(part);
                continue;
            }
        };
        let mut shortest = 0u64;
        let mut from = done.len();
        if matches!(done.last(), Some(tied @ Node::Restricted { .. }) if lengths(tied).0 >= longest) {
            (from, shortest) = (from - 1, longest);
        }
        while shortest < longest && from > 0 && done[from - 1].is_pure() {
            from -= 1;
            shortest = shortest.saturating_add(lengths(&done[from]).0);
        }
        if shortest < longest {
            match frame(&done, &part, ahead) {
                Some(start) => from = start,
                None => {
                    done.push(part);
                    continue;
                }
            }
        }
        let mut neighbors = done.split_off(from);
        if ahead {
            neighbors.reverse();
        }
        done.push(restrict(Node::sequence(neighbors), part));
    }
    if ahead {
        done.reverse();
    }
    done
}

/// Returns the index in `done` from which on its nodes contain all that a look-around can read, although some
/// of their texts may be shorter. Returns `None` if there is no such index.
///
/// In `(?!xn--)[a-z-]+\.`, a text of the look-ahead contains no dot, so it does not go beyond the dot.
fn frame(done: &[Node], look: &Node, ahead: bool) -> Option<usize> {
    let Node::Look { node, .. } = look else { return None };
    let mut read = ClassUnicode::empty();
    add_characters(node, &mut read);
    let mut from = done.len();
    while from > 0 && done[from - 1].is_pure() {
        from -= 1;
        let farthest = &done[from];
        if farthest.is_nullable() {
            continue;
        }
        let mut edge = ClassUnicode::empty();
        add_edge(farthest, ahead, &mut edge);
        edge.intersect(&read);
        if edge.ranges().is_empty() {
            return Some(from);
        }
    }
    None
}

/// Adds the characters that occur in texts of a node without assertions.
fn add_characters(node: &Node, set: &mut ClassUnicode) {
    match node {
        Node::Char(c) => set.push(ClassUnicodeRange::new(*c, *c)),
        Node::Class(class) => set.union(&characters(class)),
        Node::Sequence(parts) | Node::Alternatives(parts) => {
            parts.iter().for_each(|part| add_characters(part, set));
        }
        Node::Repeat(node, ..)
        | Node::Look { node, .. }
        | Node::Restricted { node, .. }
        | Node::Atomic { node, .. } => add_characters(node, set),
        Node::Assertion(_) => {}
    }
}

/// Adds the characters at the end of texts of a node without assertions, or at their start unless `last`.
fn add_edge(node: &Node, last: bool, set: &mut ClassUnicode) {
    match node {
        Node::Sequence(parts) => {
            for index in 0..parts.len() {
                let part = &parts[if last { parts.len() - 1 - index } else { index }];
                add_edge(part, last, set);
                if !part.is_nullable() {
                    break;
                }
            }
        }
        Node::Alternatives(parts) => parts.iter().for_each(|part| add_edge(part, last, set)),
        Node::Repeat(node, ..)
        | Node::Look { node, .. }
        | Node::Restricted { node, .. }
        | Node::Atomic { node, .. } => add_edge(node, last, set),
        Node::Char(_) | Node::Class(_) | Node::Assertion(_) => add_characters(node, set),
    }
}

fn is_look(node: &Node, wanted: bool) -> bool {
    matches!(node, Node::Look { ahead, .. } if *ahead == wanted)
}

/// Restricts a node by a look-around next to it. If both are one character, the result is a class.
fn restrict(node: Node, look: Node) -> Node {
    let Node::Look { ahead, negative, node: within } = look else { return node };
    let class = |node: &Node| match node {
        Node::Char(c) => Some(characters(&regex_syntax::escape(&c.to_string()))),
        Node::Class(class) => Some(characters(class)),
        _ => None,
    };
    match (class(&node), class(&within)) {
        (Some(mut set), Some(other)) => {
            if negative {
                set.difference(&other);
            } else {
                set.intersect(&other);
            }
            Node::Class(to_class(&set))
        }
        _ => {
            let restrict = Restriction { within: *within, ahead, negative };
            match node {
                Node::Restricted { node, mut restrictions } => {
                    restrictions.push(restrict);
                    Node::Restricted { node, restrictions }
                }
                node => Node::Restricted { node: Box::new(node), restrictions: vec![restrict] },
            }
        }
    }
}

/// Returns the least and the greatest number of characters. `None` is infinite.
pub(crate) fn lengths(node: &Node) -> (u64, Option<u64>) {
    match node {
        Node::Char(_) | Node::Class(_) => (1, Some(1)),
        Node::Sequence(parts) => parts.iter().map(lengths).fold((0, Some(0)), |(min, max), (least, most)| {
            (min.saturating_add(least), max.zip(most).map(|(a, b)| a.saturating_add(b)))
        }),
        Node::Alternatives(parts) => {
            let all = || parts.iter().map(lengths);
            (
                all().map(|(least, _)| least).min().unwrap_or(0),
                all().map(|(_, most)| most).collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().max()),
            )
        }
        Node::Repeat(inner, min, max) => {
            let (least, most) = lengths(inner);
            let max = if most == Some(0) { Some(0) } else { *max };
            (
                least.saturating_mul((*min).into()),
                max.zip(most).map(|(max, most)| most.saturating_mul(max.into())),
            )
        }
        Node::Restricted { node, .. } | Node::Atomic { node, .. } => lengths(node),
        Node::Assertion(_) | Node::Look { .. } => (0, Some(0)),
    }
}
