//! Patterns with assertions and look-around anywhere, by what follows: each part turns the set of the rests of the text that may
//! follow it into the set of the rests that may begin with it. A look-ahead is then an intersection or a difference.

use super::avoid::{avoiding, forbidden};
use super::localize::localize;
use super::matrix::{Machine, runs};
use super::node::Node;
use super::{COPIES, PARTS, PatternError};
use crate::language::{LanguageId, Languages};

/// The rests of a text that may stand behind a place, by the side left of the place.
type Rests = Vec<LanguageId>;

/// The texts in which an alternative of a pattern matches somewhere.
pub(super) fn search(languages: &mut Languages, alternative: &Node) -> Result<LanguageId, PatternError> {
    if alternative.count() > PARTS {
        let message = format!("limit `parts` of {PARTS} exceeded by a pattern with assertions inside");
        return Err(PatternError::unsupported(0, message));
    }
    let alternative = &localize(alternative, false);
    let mut machine = Machine::new(languages, alternative);
    let parts = match alternative {
        Node::Sequence(parts) => parts.as_slice(),
        node => std::slice::from_ref(node),
    };
    let behind = parts.iter().rposition(|part| matches!(part, Node::Look { ahead: false, .. }));
    let (before, after) = parts.split_at(behind.map_or(0, |at| at + 1));
    let rests = vec![LanguageId::ANY; machine.sides];
    let rests = sequence(&mut machine, after, rests)?;
    let texts = anywhere(&mut machine)?;
    if before.is_empty() && rests[1..].iter().all(|&rest| rest == rests[1]) {
        // The common cases, said shorter: the same behind every place, or behind every place but the start.
        let any = if rests[0] == rests[1] { LanguageId::ANY } else { machine.languages.regex("(?s:.)+") };
        let inside = machine.then(any, rests[1])?;
        let at_start = if rests[0] == rests[1] { LanguageId::NONE } else { rests[0] };
        return machine.either(vec![at_start, inside]);
    }
    let mut texts = texts;
    for part in runs(before) {
        texts = follow(&mut machine, &texts, &part)?;
    }
    let mut all = Vec::new();
    for (left, &rest) in rests.iter().enumerate() {
        let same = (1..machine.sides)
            .all(|right| texts[machine.state(left, right)] == texts[machine.state(left, 0)]);
        for right in 0..machine.sides {
            let text = texts[machine.state(left, right)];
            if text == LanguageId::NONE || (same && right > 0) {
                continue;
            }
            let rest = if same {
                rest
            } else {
                let first = machine.first(right);
                machine.both(rest, first)?
            };
            all.push(machine.then(text, rest)?);
        }
    }
    machine.either(all)
}

/// The texts before a place, by its state, where nothing is asked of them.
fn anywhere(machine: &mut Machine<'_>) -> Result<Vec<LanguageId>, PatternError> {
    let mut texts = Vec::new();
    for left in 0..machine.sides {
        let text = match left {
            0 => LanguageId::EMPTY_TEXT,
            left => {
                let class = machine.side(left);
                machine.languages.regex(&format!("(?s:.)*{class}"))
            }
        };
        texts.extend(std::iter::repeat_n(text, machine.sides));
    }
    Ok(texts)
}

/// The texts before the place behind a part, from those before the part.
fn follow(
    machine: &mut Machine<'_>,
    texts: &[LanguageId],
    part: &Node,
) -> Result<Vec<LanguageId>, PatternError> {
    let (negative, node) = match part {
        Node::Look { ahead: false, negative, node } if node.is_local() => (Some(*negative), &**node),
        part if part.is_local() => (None, part),
        _ => {
            return Err(PatternError::unsupported(
                0,
                "look-around before or inside a look-behind is not supported",
            ));
        }
    };
    let matrix = machine.matrix(node)?;
    let from = match negative {
        Some(_) => anywhere(machine)?,
        None => texts.to_vec(),
    };
    let states = machine.states();
    let mut all = Vec::new();
    for to in 0..states {
        let mut parts = Vec::new();
        if matrix.empty[to] {
            parts.push(from[to]);
        }
        for (state, &text) in from.iter().enumerate() {
            let words = matrix.words[state * states + to];
            if text != LanguageId::NONE && words != LanguageId::NONE {
                parts.push(machine.then(text, words)?);
            }
        }
        let found = machine.either(parts)?;
        all.push(match negative {
            None => found,
            Some(false) => machine.both(texts[to], found)?,
            Some(true) => machine.except(texts[to], found)?,
        });
    }
    Ok(all)
}

fn sequence(machine: &mut Machine<'_>, parts: &[Node], mut rests: Rests) -> Result<Rests, PatternError> {
    for part in runs(parts).iter().rev() {
        rests = before(machine, part, rests)?;
    }
    Ok(rests)
}

/// The rests that may begin with a part, from those that may follow it.
fn before(machine: &mut Machine<'_>, node: &Node, rests: Rests) -> Result<Rests, PatternError> {
    match node {
        node if node.is_pure() && rests[1..].iter().all(|&rest| rest == rests[1]) => {
            let (some, all) = (machine.nonempty(node)?, machine.pure(node));
            let mut result = Rests::new();
            for &rest in &rests {
                result.push(match node.is_nullable() {
                    true if rest == rests[1] => machine.then(all, rest)?,
                    true => {
                        let on = machine.then(some, rests[1])?;
                        machine.either(vec![rest, on])?
                    }
                    false => machine.then(all, rests[1])?,
                });
            }
            Ok(result)
        }
        node if node.is_local() => local(machine, node, &rests),
        Node::Sequence(parts) => sequence(machine, parts, rests),
        Node::Alternatives(parts) => {
            let mut all = vec![Vec::new(); machine.sides];
            for part in parts {
                for (all, rest) in all.iter_mut().zip(before(machine, part, rests.clone())?) {
                    all.push(rest);
                }
            }
            all.into_iter().map(|parts| machine.either(parts)).collect()
        }
        Node::Look { ahead: false, .. } => Err(PatternError::unsupported(
            0,
            "look-behind inside of groups or behind look-ahead is not supported",
        )),
        Node::Look { negative, node, .. } => {
            let any = vec![LanguageId::ANY; machine.sides];
            let ahead = before(machine, node, any)?;
            let mut result = Rests::new();
            for (&rest, ahead) in rests.iter().zip(ahead) {
                result.push(if *negative {
                    machine.except(rest, ahead)?
                } else {
                    machine.both(rest, ahead)?
                });
            }
            Ok(result)
        }
        Node::Repeat(inner, min, max) => repeat(machine, inner, *min, *max, rests),
        Node::Char(_) | Node::Class(_) | Node::Assertion(_) | Node::Tied { .. } => {
            local(machine, node, &rests)
        }
    }
}

/// A part without look-around, by its matrix.
fn local(machine: &mut Machine<'_>, node: &Node, rests: &Rests) -> Result<Rests, PatternError> {
    let matrix = machine.matrix(node)?;
    let (sides, states) = (machine.sides, machine.states());
    let mut tied = Vec::new();
    for &rest in rests {
        for right in 0..sides {
            let first = machine.first(right);
            tied.push(machine.both(rest, first)?);
        }
    }
    let mut result = Rests::new();
    for left in 0..sides {
        let mut all = Vec::new();
        let empty = |right: usize| matrix.empty[left * sides + right];
        if (0..sides).all(empty) {
            all.push(rests[left]);
        } else {
            all.extend((0..sides).filter(|&right| empty(right)).map(|right| tied[left * sides + right]));
        }
        for right in 1..sides {
            let row = &matrix.words[machine.state(left, right) * states..][..states];
            for end in 1..sides {
                let words = &row[end * sides..][..sides];
                if words.iter().all(|&word| word == words[0]) {
                    all.push(machine.then(words[0], rests[end])?);
                    continue;
                }
                for (word, &rest) in words.iter().zip(&tied[end * sides..]) {
                    all.push(machine.then(*word, rest)?);
                }
            }
        }
        result.push(machine.either(all)?);
    }
    Ok(result)
}

/// A repetition of a part that looks ahead.
fn repeat(
    machine: &mut Machine<'_>,
    inner: &Node,
    min: u32,
    max: Option<u32>,
    rests: Rests,
) -> Result<Rests, PatternError> {
    if inner.is_zero_width() {
        return if min == 0 { Ok(rests) } else { before(machine, inner, rests) };
    }
    if let Some(result) = steps(machine, inner, min, max, &rests)? {
        return Ok(result);
    }
    if let Some(result) = runs_without_words(machine, inner, min, max, &rests)? {
        return Ok(result);
    }
    if max.unwrap_or(min) > COPIES {
        return Err(PatternError::unsupported(
            0,
            format!("limit `copies` of {COPIES} exceeded by a repetition with look-ahead inside"),
        ));
    }
    let mut result = match max {
        Some(_) => rests.clone(),
        None => match steps(machine, inner, 0, None, &rests)? {
            Some(result) => result,
            None => {
                return Err(PatternError::unsupported(
                    0,
                    "such a repetition with look-ahead inside is not supported",
                ));
            }
        },
    };
    for _ in min..max.unwrap_or(min) {
        let more = before(machine, inner, result)?;
        result = Rests::new();
        for (&rest, more) in rests.iter().zip(more) {
            result.push(machine.either(vec![rest, more])?);
        }
    }
    for _ in 0..min {
        result = before(machine, inner, result)?;
    }
    Ok(result)
}

/// A repetition of look-aheads that forbid a few words, and one character.
fn runs_without_words(
    machine: &mut Machine<'_>,
    inner: &Node,
    min: u32,
    max: Option<u32>,
    rests: &Rests,
) -> Result<Option<Rests>, PatternError> {
    let Node::Sequence(parts) = inner else { return Ok(None) };
    let Some((step @ (Node::Char(_) | Node::Class(_)), looks)) = parts.split_last() else { return Ok(None) };
    let Some(words) = forbidden(looks) else { return Ok(None) };
    if rests.iter().any(|&rest| rest != rests[1]) {
        return Ok(None);
    }
    let step = machine.pure(step);
    let run = machine.languages.repeat(step, min, max);
    let result = avoiding(machine, &words, run, rests[1])?;
    Ok(Some(vec![result; machine.sides]))
}

/// A repetition of look-aheads, one character, look-aheads, where the set can be said in one piece.
///
/// Let A hold the rests that the look-aheads allow, c the characters, K what follows, and N be all that is not in A. Wanted are the rests
/// that come to one in K by steps of c, all from places in A. They are c*K without c*(N - K), as long as no rest in K comes by
/// c+ to one in N - K: take the first place on the way whose rest is in K; the places before it are neither in K nor in N - K, so
/// they are in A.
fn steps(
    machine: &mut Machine<'_>,
    inner: &Node,
    min: u32,
    max: Option<u32>,
    rests: &Rests,
) -> Result<Option<Rests>, PatternError> {
    let parts = match inner {
        Node::Sequence(parts) => parts.as_slice(),
        _ => return Ok(None),
    };
    let is_look = |part: &&Node| matches!(part, Node::Look { ahead: true, .. });
    let ahead = parts.iter().take_while(is_look).count();
    let Some(step @ (Node::Char(_) | Node::Class(_))) = parts.get(ahead) else { return Ok(None) };
    let behind = &parts[ahead + 1..];
    if !behind.iter().all(|part| is_look(&part)) || (!behind.is_empty() && (min, max) != (0, None)) {
        return Ok(None);
    }
    let any = vec![LanguageId::ANY; machine.sides];
    // With look-aheads behind the character, the places between two characters are asked both.
    let both: Vec<Node> = parts[..ahead].iter().chain(behind).cloned().collect();
    let allowed = sequence(machine, &both, any.clone())?;
    let ends = sequence(machine, behind, rests.clone())?;
    if ends[1..].iter().any(|&rest| rest != ends[1]) || allowed[1..].iter().any(|&rest| rest != allowed[1]) {
        return Ok(None);
    }
    let (allowed, follow) = (allowed[1], ends[1]);
    let step = machine.pure(step);
    let wrong = machine.languages.not(allowed);
    let wrong = machine.except(wrong, follow)?;
    let on = machine.languages.repeat(step, 1, None);
    let to_wrong = machine.then(on, wrong)?;
    let clash = machine.both(follow, to_wrong)?;
    if !machine.is_empty(clash)? {
        return Ok(None);
    }
    if (min, max) != (0, None) {
        // Only where there is one way to come to K is the number of steps that of the way taken above.
        let again = machine.then(on, follow)?;
        let again = machine.both(follow, again)?;
        if !machine.is_empty(again)? {
            return Ok(None);
        }
    }
    let star = machine.languages.repeat(step, 0, None);
    let counted = machine.languages.repeat(step, min, max);
    let (reaching, failing) = (machine.then(counted, follow)?, machine.then(star, wrong)?);
    let inside = machine.except(reaching, failing)?;
    // The start is a place like the others, unless `^` is asked there, or something else may follow.
    let alike = rests[0] == rests[1] && sequence(machine, &both, any)?[0] == allowed;
    if behind.is_empty() && alike {
        return Ok(Some(vec![inside; machine.sides]));
    }
    if (min, max) != (0, None) {
        return Ok(None);
    }
    let first = Node::sequence(parts[..=ahead].to_vec());
    let more = before(machine, &first, vec![inside; machine.sides])?;
    let mut result = Rests::new();
    for (side, (&rest, more)) in rests.iter().zip(more).enumerate() {
        result.push(if side > 0 && behind.is_empty() { inside } else { machine.either(vec![rest, more])? });
    }
    Ok(Some(result))
}
