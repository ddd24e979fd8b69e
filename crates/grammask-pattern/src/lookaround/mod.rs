//! Patterns with assertions and look-around anywhere, by continuations.
//!
//! A node maps the set of texts that may follow it to the set of texts that may start with it. Look-ahead is
//! then an intersection or a difference: `(?!ab)` maps K to K minus `ab.*`.

pub(crate) mod automaton;
mod avoid;
mod dfa;
mod localize;
mod matrix;

use self::avoid::{avoiding, forbidden_words};
use self::localize::localize;
use self::matrix::{PatternAlgebra, group_pure};
use crate::language::{LanguageId, Languages};
use crate::syntax::node::{Assertion, Node};
use crate::{Cause, Error};

/// The texts that may follow a position, indexed by the side to its left; see [`PatternAlgebra`].
type Continuations = Vec<LanguageId>;

pub(crate) use self::localize::lengths;

/// Returns the texts in which an alternative of a pattern matches somewhere.
///
/// Continuations give shorter expressions, automata are more general.
pub(crate) fn search(languages: &mut Languages<'_>, alternative: &Node) -> Result<LanguageId, Error> {
    match by_continuations(languages, alternative) {
        Err(Error {
            cause: Cause::Unsupported | Cause::Limit { limit: "max_pattern_copies", .. }, ..
        }) => {}
        result => return result,
    }
    let Some(parts) = split_ends(alternative) else { return automaton::search(languages, alternative) };
    let mut all = Vec::new();
    for part in parts {
        all.push(search(languages, &part)?);
    }
    Ok(languages.and(all))
}

/// Splits look-ahead at the start of a text, and look-behind at its end, from the rest of a pattern: a text
/// must match all results. Automata of the parts are smaller than one of all. Returns `None` for a pattern
/// without such look-around.
fn split_ends(alternative: &Node) -> Option<Vec<Node>> {
    let Node::Sequence(parts) = alternative else { return None };
    let is_start = |node: &Node| *node == Node::Assertion(Assertion::Start);
    let is_end = |node: &Node| *node == Node::Assertion(Assertion::End);
    let (mut all, mut rest) = (Vec::new(), parts.clone());
    if parts.first().is_some_and(is_start) {
        let is_look_ahead = |node: &&Node| matches!(node, Node::Look { ahead: true, .. });
        let count = parts[1..].iter().take_while(is_look_ahead).count();
        let looks = rest.drain(1..=count);
        all.extend(looks.map(|look| Node::sequence(vec![Node::Assertion(Assertion::Start), look])));
    }
    if rest.last().is_some_and(is_end) {
        let is_look_behind = |node: &&Node| matches!(node, Node::Look { ahead: false, .. });
        let count = rest.iter().rev().skip(1).take_while(is_look_behind).count();
        let last = rest.len() - 1;
        let looks = rest.drain(last - count..last);
        all.extend(looks.map(|look| Node::sequence(vec![look, Node::Assertion(Assertion::End)])));
    }
    // A single look-around that is all of the pattern stays as it is.
    let has_rest = rest.iter().any(|node| !is_start(node) && !is_end(node));
    if all.is_empty() || !has_rest {
        return None;
    }
    all.push(Node::sequence(rest));
    Some(all)
}

/// Returns the texts in which an alternative of a pattern matches somewhere.
fn by_continuations(languages: &mut Languages<'_>, alternative: &Node) -> Result<LanguageId, Error> {
    let limit = languages.limits().max_pattern_nodes;
    if alternative.count() > limit {
        let what = "nodes of a pattern with assertions inside";
        return Err(Error::limit(0, "max_pattern_nodes", limit, what));
    }
    let alternative = &localize(alternative, false);
    let mut algebra = PatternAlgebra::new(languages, alternative);
    let parts = match alternative {
        Node::Sequence(parts) => parts.as_slice(),
        node => std::slice::from_ref(node),
    };
    let last_look_behind = parts.iter().rposition(|part| matches!(part, Node::Look { ahead: false, .. }));
    let (before, after) = parts.split_at(last_look_behind.map_or(0, |at| at + 1));
    let continuations = vec![LanguageId::ANY; algebra.sides];
    let continuations = prepend_all(&mut algebra, after, continuations)?;
    let texts = anywhere(&mut algebra)?;
    if before.is_empty() && continuations[1..].iter().all(|&continuation| continuation == continuations[1]) {
        // The common cases have shorter forms: one continuation for every position, or for every position but
        // the start.
        let any = if continuations[0] == continuations[1] {
            LanguageId::ANY
        } else {
            algebra.languages.regex("(?s:.)+")
        };
        let inside = algebra.concat(any, continuations[1])?;
        let at_start = if continuations[0] == continuations[1] { LanguageId::NONE } else { continuations[0] };
        return algebra.union(vec![at_start, inside]);
    }
    let mut texts = texts;
    for part in group_pure(before) {
        texts = advance(&mut algebra, &texts, &part)?;
    }
    let mut all = Vec::new();
    for (left, &continuation) in continuations.iter().enumerate() {
        let same = (1..algebra.sides)
            .all(|right| texts[algebra.state(left, right)] == texts[algebra.state(left, 0)]);
        for right in 0..algebra.sides {
            let text = texts[algebra.state(left, right)];
            if text == LanguageId::NONE || (same && right > 0) {
                continue;
            }
            let continuation = if same {
                continuation
            } else {
                let first = algebra.starting_with(right);
                algebra.intersect(continuation, first)?
            };
            all.push(algebra.concat(text, continuation)?);
        }
    }
    algebra.union(all)
}

/// Returns all texts before a position, by the state of the position.
fn anywhere(algebra: &mut PatternAlgebra<'_, '_>) -> Result<Vec<LanguageId>, Error> {
    let mut texts = Vec::new();
    for left in 0..algebra.sides {
        let text = match left {
            0 => LanguageId::EMPTY_TEXT,
            left => {
                let class = algebra.class_of(left);
                algebra.languages.regex(&format!("(?s:.)*{class}"))
            }
        };
        texts.extend(std::iter::repeat_n(text, algebra.sides));
    }
    Ok(texts)
}

/// Returns the texts before the position after a node, given the texts before the node.
fn advance(
    algebra: &mut PatternAlgebra<'_, '_>,
    texts: &[LanguageId],
    part: &Node,
) -> Result<Vec<LanguageId>, Error> {
    let (negative, node) = match part {
        Node::Look { ahead: false, negative, node } if node.is_local() => (Some(*negative), &**node),
        part if part.is_local() => (None, part),
        _ => {
            return Err(Error::unsupported(0, "look-around before or inside of a look-behind"));
        }
    };
    let matrix = algebra.matrix(node)?;
    let from = match negative {
        Some(_) => anywhere(algebra)?,
        None => texts.to_vec(),
    };
    let states = algebra.states();
    let mut all = Vec::new();
    for to in 0..states {
        let mut parts = Vec::new();
        if matrix.empty[to] {
            parts.push(from[to]);
        }
        for (state, &text) in from.iter().enumerate() {
            let words = matrix.words[state * states + to];
            if text != LanguageId::NONE && words != LanguageId::NONE {
                parts.push(algebra.concat(text, words)?);
            }
        }
        let found = algebra.union(parts)?;
        all.push(match negative {
            None => found,
            Some(false) => algebra.intersect(texts[to], found)?,
            Some(true) => algebra.subtract(texts[to], found)?,
        });
    }
    Ok(all)
}

fn prepend_all(
    algebra: &mut PatternAlgebra<'_, '_>,
    parts: &[Node],
    mut continuations: Continuations,
) -> Result<Continuations, Error> {
    for part in group_pure(parts).iter().rev() {
        continuations = prepend(algebra, part, continuations)?;
    }
    Ok(continuations)
}

/// Returns the texts that may start with a node, given the texts that may follow it.
fn prepend(
    algebra: &mut PatternAlgebra<'_, '_>,
    node: &Node,
    continuations: Continuations,
) -> Result<Continuations, Error> {
    match node {
        node if node.is_pure()
            && continuations[1..].iter().all(|&continuation| continuation == continuations[1]) =>
        {
            let (some, all) = (algebra.nonempty(node)?, algebra.pure(node));
            let mut result = Continuations::new();
            for &continuation in &continuations {
                result.push(if node.is_nullable() && continuation != continuations[1] {
                    let on = algebra.concat(some, continuations[1])?;
                    algebra.union(vec![continuation, on])?
                } else {
                    algebra.concat(all, continuations[1])?
                });
            }
            Ok(result)
        }
        node if node.is_local() => prepend_matrix(algebra, node, &continuations),
        Node::Sequence(parts) => prepend_all(algebra, parts, continuations),
        Node::Alternatives(parts) => {
            let mut all = vec![Vec::new(); algebra.sides];
            for part in parts {
                for (all, continuation) in all.iter_mut().zip(prepend(algebra, part, continuations.clone())?)
                {
                    all.push(continuation);
                }
            }
            all.into_iter().map(|parts| algebra.union(parts)).collect()
        }
        Node::Look { ahead: false, .. } => {
            Err(Error::unsupported(0, "look-behind inside of groups or after look-ahead"))
        }
        Node::Look { negative, node, .. } => {
            let any = vec![LanguageId::ANY; algebra.sides];
            let ahead = prepend(algebra, node, any)?;
            let mut result = Continuations::new();
            for (&continuation, ahead) in continuations.iter().zip(ahead) {
                result.push(if *negative {
                    algebra.subtract(continuation, ahead)?
                } else {
                    algebra.intersect(continuation, ahead)?
                });
            }
            Ok(result)
        }
        Node::Repeat(inner, min, max) => repeat(algebra, inner, *min, *max, continuations),
        Node::Char(_)
        | Node::Class(_)
        | Node::Assertion(_)
        | Node::Restricted { .. }
        | Node::Atomic { .. } => prepend_matrix(algebra, node, &continuations),
    }
}

/// As [`prepend`], for a node without look-around, by its matrix.
fn prepend_matrix(
    algebra: &mut PatternAlgebra<'_, '_>,
    node: &Node,
    continuations: &Continuations,
) -> Result<Continuations, Error> {
    let matrix = algebra.matrix(node)?;
    let (sides, states) = (algebra.sides, algebra.states());
    let mut tied = Vec::new();
    for &continuation in continuations {
        for right in 0..sides {
            let first = algebra.starting_with(right);
            tied.push(algebra.intersect(continuation, first)?);
        }
    }
    let mut result = Continuations::new();
    for left in 0..sides {
        let mut all = Vec::new();
        let empty = |right: usize| matrix.empty[left * sides + right];
        if (0..sides).all(empty) {
            all.push(continuations[left]);
        } else {
            all.extend((0..sides).filter(|&right| empty(right)).map(|right| tied[left * sides + right]));
        }
        for right in 1..sides {
            let row = &matrix.words[algebra.state(left, right) * states..][..states];
            for end in 1..sides {
                let words = &row[end * sides..][..sides];
                if words.iter().all(|&word| word == words[0]) {
                    all.push(algebra.concat(words[0], continuations[end])?);
                    continue;
                }
                for (word, &continuation) in words.iter().zip(&tied[end * sides..]) {
                    all.push(algebra.concat(*word, continuation)?);
                }
            }
        }
        result.push(algebra.union(all)?);
    }
    Ok(result)
}

/// Returns the texts that may start with a repetition of a node with look-ahead.
fn repeat(
    algebra: &mut PatternAlgebra<'_, '_>,
    inner: &Node,
    min: u32,
    max: Option<u32>,
    continuations: Continuations,
) -> Result<Continuations, Error> {
    if inner.is_zero_width() {
        return if min == 0 { Ok(continuations) } else { prepend(algebra, inner, continuations) };
    }
    if let Some(result) = repeat_one_char(algebra, inner, min, max, &continuations)? {
        return Ok(result);
    }
    if let Some(result) = repeat_avoiding(algebra, inner, min, max, &continuations)? {
        return Ok(result);
    }
    let limit = algebra.languages.limits().max_pattern_copies;
    if max.unwrap_or(min) > limit {
        return Err(Error::limit(
            0,
            "max_pattern_copies",
            limit,
            "copies of a repetition with look-ahead inside",
        ));
    }
    let mut result = match max {
        Some(_) => continuations.clone(),
        None => match repeat_one_char(algebra, inner, 0, None, &continuations)? {
            Some(result) => result,
            None => {
                return Err(Error::unsupported(
                    0,
                    "a repetition with look-ahead inside that depends on what follows it",
                ));
            }
        },
    };
    for _ in min..max.unwrap_or(min) {
        let more = prepend(algebra, inner, result)?;
        result = Continuations::new();
        for (&continuation, more) in continuations.iter().zip(more) {
            result.push(algebra.union(vec![continuation, more])?);
        }
    }
    for _ in 0..min {
        result = prepend(algebra, inner, result)?;
    }
    Ok(result)
}

/// As [`repeat`], for negative look-aheads for listed words, followed by one character. Returns `None` for
/// any other node.
fn repeat_avoiding(
    algebra: &mut PatternAlgebra<'_, '_>,
    inner: &Node,
    min: u32,
    max: Option<u32>,
    continuations: &Continuations,
) -> Result<Option<Continuations>, Error> {
    let Node::Sequence(parts) = inner else { return Ok(None) };
    let Some((step @ (Node::Char(_) | Node::Class(_)), looks)) = parts.split_last() else { return Ok(None) };
    let Some(words) = forbidden_words(looks) else { return Ok(None) };
    if continuations.iter().any(|&continuation| continuation != continuations[1]) {
        return Ok(None);
    }
    let step = algebra.pure(step);
    let run = algebra.languages.repeat(step, min, max);
    let result = avoiding(algebra, &words, run, continuations[1])?;
    Ok(Some(vec![result; algebra.sides]))
}

/// As [`repeat`], for look-aheads, one character, and look-aheads, if the result is one expression. Returns
/// `None` for any other node.
///
/// Let A be the continuations that the look-aheads allow, N its complement, c the character and K the
/// continuation of the repetition. The result is the set of texts that reach K by steps of c, where each step
/// starts in A.
///
/// It equals c\*K minus c\*(N - K), provided that no text of K reaches N - K by one or more steps. Proof:
/// take the first position of the text whose rest is in K. The rests at earlier positions are not in K by
/// choice, and not in N - K by the subtraction, so they are in A. Conversely, the subtraction removes no text
/// of the result, by the proviso.
fn repeat_one_char(
    algebra: &mut PatternAlgebra<'_, '_>,
    inner: &Node,
    min: u32,
    max: Option<u32>,
    continuations: &Continuations,
) -> Result<Option<Continuations>, Error> {
    let parts = match inner {
        Node::Sequence(parts) => parts.as_slice(),
        _ => return Ok(None),
    };
    let is_look = |part: &&Node| matches!(part, Node::Look { ahead: true, .. });
    let ahead = parts.iter().take_while(is_look).count();
    let Some(step @ (Node::Char(_) | Node::Class(_))) = parts.get(ahead) else { return Ok(None) };
    let after = &parts[ahead + 1..];
    if !after.iter().all(|part| is_look(&part)) || (!after.is_empty() && (min, max) != (0, None)) {
        return Ok(None);
    }
    let any = vec![LanguageId::ANY; algebra.sides];
    // With look-aheads after the character, a position between two characters must satisfy both groups.
    let both: Vec<Node> = parts[..ahead].iter().chain(after).cloned().collect();
    let allowed = prepend_all(algebra, &both, any.clone())?;
    let ends = prepend_all(algebra, after, continuations.clone())?;
    if ends[1..].iter().any(|&continuation| continuation != ends[1])
        || allowed[1..].iter().any(|&continuation| continuation != allowed[1])
    {
        return Ok(None);
    }
    let (allowed, follow) = (allowed[1], ends[1]);
    let step = algebra.pure(step);
    let wrong = algebra.languages.not(allowed);
    let wrong = algebra.subtract(wrong, follow)?;
    let on = algebra.languages.repeat(step, 1, None);
    let to_wrong = algebra.concat(on, wrong)?;
    let clash = algebra.intersect(follow, to_wrong)?;
    if !algebra.is_empty(clash)? {
        return Ok(None);
    }
    if (min, max) != (0, None) {
        // The number of steps is the number in the proof only if each text reaches K in a single way.
        let again = algebra.concat(on, follow)?;
        let again = algebra.intersect(follow, again)?;
        if !algebra.is_empty(again)? {
            return Ok(None);
        }
    }
    let star = algebra.languages.repeat(step, 0, None);
    let counted = algebra.languages.repeat(step, min, max);
    let (reaching, failing) = (algebra.concat(counted, follow)?, algebra.concat(star, wrong)?);
    let inside = algebra.subtract(reaching, failing)?;
    // The start is a position like any other, unless `^` occurs, or its continuation differs.
    let start_is_ordinary =
        continuations[0] == continuations[1] && prepend_all(algebra, &both, any)?[0] == allowed;
    if after.is_empty() && start_is_ordinary {
        return Ok(Some(vec![inside; algebra.sides]));
    }
    if (min, max) != (0, None) {
        return Ok(None);
    }
    let first = Node::sequence(parts[..=ahead].to_vec());
    let more = prepend(algebra, &first, vec![inside; algebra.sides])?;
    let mut result = Continuations::new();
    for (side, (&continuation, more)) in continuations.iter().zip(more).enumerate() {
        result.push(if side > 0 && after.is_empty() {
            inside
        } else {
            algebra.union(vec![continuation, more])?
        });
    }
    Ok(Some(result))
}
