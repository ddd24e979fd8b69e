//! The reference: a backtracking matcher over the syntax tree, by continuations, as the standard defines
//! matching.

use crate::syntax::class::characters;
use crate::syntax::node::{Assertion, Node};

/// Returns true if a pattern matches somewhere in a text.
pub(super) fn search(node: &Node, text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    (0..=text.len()).any(|at| matches(node, &text, at, &mut |_| true))
}

fn is_word(text: &[char], at: Option<usize>) -> bool {
    at.and_then(|at| text.get(at)).is_some_and(|&c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns true if the node matches at a position, such that `rest` accepts the position after it.
fn matches(node: &Node, text: &[char], at: usize, rest: &mut dyn FnMut(usize) -> bool) -> bool {
    match node {
        Node::Char(c) => text.get(at) == Some(c) && rest(at + 1),
        Node::Class(class) => {
            let found = text.get(at).is_some_and(|&c| {
                characters(class).ranges().iter().any(|range| (range.start()..=range.end()).contains(&c))
            });
            found && rest(at + 1)
        }
        Node::Sequence(parts) => match parts.split_first() {
            None => rest(at),
            Some((first, others)) => {
                let others = Node::Sequence(others.to_vec());
                matches(first, text, at, &mut |at| matches(&others, text, at, rest))
            }
        },
        Node::Alternatives(parts) => parts.iter().any(|part| matches(part, text, at, rest)),
        Node::Repeat(inner, min, max) => {
            if *max == Some(0) {
                return rest(at);
            }
            let fewer = Node::Repeat(inner.clone(), min.saturating_sub(1), max.map(|max| max - 1));
            // By the standard, an optional iteration that matches the empty text is not entered.
            let more = matches(inner, text, at, &mut |to| {
                !(*min == 0 && to == at) && matches(&fewer, text, to, rest)
            });
            more || (*min == 0 && rest(at))
        }
        Node::Assertion(assertion) => {
            let boundary = is_word(text, at.checked_sub(1)) != is_word(text, Some(at));
            let holds = match assertion {
                Assertion::Start => at == 0,
                Assertion::End => at == text.len(),
                Assertion::Boundary => boundary,
                Assertion::NotBoundary => !boundary,
                Assertion::InnerNotBoundary => !boundary && !text.is_empty(),
            };
            holds && rest(at)
        }
        Node::Look { ahead: true, negative, node } => {
            matches(node, text, at, &mut |_| true) != *negative && rest(at)
        }
        Node::Restricted { .. } | Node::Atomic { .. } => false,
        Node::Look { ahead: false, negative, node } => {
            let found = (0..=at).any(|from| matches(node, text, from, &mut |to| to == at));
            found != *negative && rest(at)
        }
    }
}
