//! Atomic groups and possessive quantifiers, as alternatives and look-ahead.
//!
//! `a*+` is `a*(?!a)`, and `(?>a|b)` is `a|(?!a)b`. Both hold for nodes of which no text starts with another
//! one, so that a node matches at most one text at a position.

use crate::Error;
use crate::language::{LanguageId, Languages};
use crate::lookaround::lengths;
use crate::syntax::node::Node;
use crate::write;

/// Returns a node without atomic ones.
///
/// # Errors
/// When an atomic node has no such form.
pub(crate) fn resolve(node: Node, languages: &mut Languages<'_>) -> Result<Node, Error> {
    if !node.any(&|node| matches!(node, Node::Atomic { .. })) {
        return Ok(node);
    }
    let mut all = |parts: Vec<Node>| -> Result<Vec<Node>, Error> {
        parts.into_iter().map(|part| resolve(part, languages)).collect()
    };
    Ok(match node {
        Node::Sequence(parts) => Node::sequence(all(parts)?),
        Node::Alternatives(parts) => Node::alternatives(all(parts)?),
        Node::Repeat(inner, min, max) => Node::Repeat(Box::new(resolve(*inner, languages)?), min, max),
        Node::Look { ahead, negative, node } => Node::look(ahead, negative, resolve(*node, languages)?),
        Node::Atomic { node, lazy, offset } => {
            let node = resolve(*node, languages)?;
            let result = match lazy {
                true if is_prefix_free(&node, languages)? => Some(node),
                true => None,
                false => first_match(node, languages)?,
            };
            result.ok_or_else(|| {
                let message =
                    "an atomic group or possessive quantifier over texts that start with each other";
                Error::unsupported(offset, message)
            })?
        }
        node => node,
    })
}

/// Returns the first matches of a node with greedy quantifiers only. Returns `None` for other nodes.
fn first_match(node: Node, languages: &mut Languages<'_>) -> Result<Option<Node>, Error> {
    if is_prefix_free(&node, languages)? {
        return Ok(Some(node));
    }
    Ok(match node {
        Node::Repeat(inner, min, max) if is_prefix_free(&inner, languages)? => {
            let stop = Node::look(true, true, (*inner).clone());
            let counted = |min, max| Node::repeat((*inner).clone(), min, max);
            Some(match max {
                None => Node::sequence(vec![counted(min, None), stop]),
                Some(max) if max > min => Node::alternatives(vec![
                    counted(max, Some(max)),
                    Node::sequence(vec![counted(min, Some(max - 1)), stop]),
                ]),
                Some(max) => counted(max, Some(max)),
            })
        }
        Node::Sequence(mut parts) => {
            let Some(last) = parts.pop() else { return Ok(Some(Node::Sequence(parts))) };
            for part in &parts {
                if !is_prefix_free(part, languages)? {
                    return Ok(None);
                }
            }
            let Some(last) = first_match(last, languages)? else { return Ok(None) };
            parts.push(last);
            Some(Node::sequence(parts))
        }
        Node::Alternatives(parts) => {
            let (mut all, mut before) = (Vec::new(), Vec::new());
            for part in parts {
                let Some(first) = first_match(part.clone(), languages)? else { return Ok(None) };
                let mut sequence: Vec<Node> = Vec::new();
                if !before.is_empty() {
                    sequence.push(Node::look(true, true, Node::alternatives(before.clone())));
                }
                sequence.push(first);
                all.push(Node::sequence(sequence));
                before.push(part);
            }
            Some(Node::alternatives(all))
        }
        _ => None,
    })
}

/// Returns true if no text of a node starts with another text of it.
fn is_prefix_free(node: &Node, languages: &mut Languages<'_>) -> Result<bool, Error> {
    let (least, most) = lengths(node);
    if most == Some(least) {
        return Ok(true);
    }
    if !node.is_pure() || node.is_nullable() {
        return Ok(false);
    }
    let texts = write::language(node, languages)?;
    let any = languages.regex("(?s:.)+");
    let longer = languages.sequence([texts, any]);
    let both = languages.and([texts, longer]);
    if both == LanguageId::NONE {
        return Ok(true);
    }
    match languages.is_empty(both) {
        Ok(Some(empty)) => Ok(empty),
        Ok(None) => Err(Error::cancelled()),
        Err(error) => Err(Error::unsupported(0, error.to_string())),
    }
}
