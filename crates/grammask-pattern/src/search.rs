//! The texts in which a pattern matches: regexes, if it has assertions at its ends only.

use crate::Error;
use crate::language::{LanguageId, Languages};
use crate::lookaround;
use crate::syntax::node::{Assertion, Node};
use crate::write;

/// Returns the texts in which a pattern of `bytes` bytes matches somewhere.
pub(crate) fn search(languages: &mut Languages<'_>, node: Node, bytes: usize) -> Result<LanguageId, Error> {
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
    if bytes > write::MAX_REGEX_BYTES {
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
