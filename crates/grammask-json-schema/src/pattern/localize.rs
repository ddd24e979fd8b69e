//! Look-around that asks about its neighbours only, such as `(?!-)[a-z-]{1,63}(?<!-)`, turned into a restriction of these: what is left
//! may be repeated like any other part.

use super::class::{characters, written};
use super::node::{Node, Tie};

/// The same pattern, with look-around inside of repetitions and look-behind anywhere tied to its neighbours where they are long enough.
pub(super) fn localize(node: &Node, repeated: bool) -> Node {
    match node {
        Node::Char(_) | Node::Class(_) | Node::Assertion(_) | Node::Tied { .. } => node.clone(),
        Node::Alternatives(parts) => {
            Node::alternatives(parts.iter().map(|part| localize(part, repeated)).collect())
        }
        Node::Repeat(inner, min, max) => Node::Repeat(Box::new(localize(inner, true)), *min, *max),
        Node::Look { ahead, negative, node } => {
            Node::Look { ahead: *ahead, negative: *negative, node: Box::new(localize(node, repeated)) }
        }
        Node::Sequence(parts) => {
            let parts = parts.iter().map(|part| localize(part, repeated)).collect();
            let parts = gather(parts, false);
            Node::sequence(if repeated { gather(parts, true) } else { parts })
        }
    }
}

/// Ties each look-ahead of a sequence to what follows it, or each look-behind to what stands before it.
fn gather(parts: Vec<Node>, ahead: bool) -> Vec<Node> {
    if !parts.iter().any(|part| is_look(part, ahead)) {
        return parts;
    }
    let mut done: Vec<Node> = Vec::with_capacity(parts.len());
    // What is done stands in the order in which it is looked at: backwards for look-ahead.
    let mut todo = parts;
    if ahead {
        todo.reverse();
    }
    for part in todo {
        let longest = match &part {
            Node::Look { node, .. } if is_look(&part, ahead) && node.is_pure() => lengths(node).1,
            _ => None,
        };
        let Some(longest) = longest else {
            done.push(part);
            continue;
        };
        let longest = longest.max(1);
        let mut shortest = 0u64;
        let mut from = done.len();
        if matches!(done.last(), Some(tied @ Node::Tied { .. }) if lengths(tied).0 >= longest) {
            (from, shortest) = (from - 1, longest);
        }
        while shortest < longest && from > 0 && done[from - 1].is_pure() {
            from -= 1;
            shortest = shortest.saturating_add(lengths(&done[from]).0);
        }
        if shortest < longest {
            done.push(part);
            continue;
        }
        let mut beside = done.split_off(from);
        if ahead {
            beside.reverse();
        }
        done.push(tie(Node::sequence(beside), part));
    }
    if ahead {
        done.reverse();
    }
    done
}

fn is_look(node: &Node, wanted: bool) -> bool {
    matches!(node, Node::Look { ahead, .. } if *ahead == wanted)
}

/// A part restricted by a look-around at its side; where both are one character, another class.
fn tie(node: Node, look: Node) -> Node {
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
            Node::Class(written(&set))
        }
        _ => {
            let tie = Tie { within: *within, ahead, negative };
            match node {
                Node::Tied { node, mut ties } => {
                    ties.push(tie);
                    Node::Tied { node, ties }
                }
                node => Node::Tied { node: Box::new(node), ties: vec![tie] },
            }
        }
    }
}

/// The least and the greatest number of characters of a part; no greatest where there is none.
fn lengths(node: &Node) -> (u64, Option<u64>) {
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
        Node::Tied { node, .. } => lengths(node),
        Node::Assertion(_) | Node::Look { .. } => (0, Some(0)),
    }
}
