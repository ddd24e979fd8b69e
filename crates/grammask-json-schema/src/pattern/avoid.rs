//! Repetitions such as `((?!-->).)*`: one character after the other, none of which begins one of a few words. A word may begin in the
//! repetition and end behind it; so the texts of the repetition are told apart by how much of a word they end with.

use std::collections::BTreeSet;

use super::PatternError;
use super::class::characters;
use super::matrix::Machine;
use super::node::Node;
use crate::language::LanguageId;

/// The greatest number of words, and the greatest length of all together, in characters.
const WORDS: usize = 64;
const LETTERS: usize = 256;

/// The words that look-aheads forbid; none, where one of them is no negative look-ahead at a few words.
pub(super) fn forbidden(looks: &[Node]) -> Option<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for look in looks {
        match look {
            Node::Look { ahead: true, negative: true, node } => all.extend(words(node)?),
            _ => return None,
        }
    }
    (all.len() <= WORDS && all.iter().map(|word| word.chars().count()).sum::<usize>() <= LETTERS)
        .then_some(all)
}

/// All texts of a part, if they are few.
fn words(node: &Node) -> Option<Vec<String>> {
    let all = match node {
        Node::Char(c) => vec![c.to_string()],
        Node::Class(class) => {
            let set = characters(class);
            let count: usize = set.ranges().iter().map(|range| range.len()).sum();
            if count > WORDS {
                return None;
            }
            set.ranges().iter().flat_map(|range| range.start()..=range.end()).map(String::from).collect()
        }
        Node::Alternatives(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(words(part)?);
            }
            all
        }
        Node::Sequence(parts) => {
            let mut all = vec![String::new()];
            for part in parts {
                let next = words(part)?;
                if all.len() * next.len() > WORDS {
                    return None;
                }
                all = all.iter().flat_map(|a| next.iter().map(move |b| format!("{a}{b}"))).collect();
                if all.iter().map(String::len).sum::<usize>() > 4 * LETTERS {
                    return None;
                }
            }
            all
        }
        Node::Repeat(inner, 0, Some(1)) => {
            let mut all = words(inner)?;
            all.push(String::new());
            all
        }
        Node::Repeat(..) | Node::Assertion(_) | Node::Look { .. } | Node::Tied { .. } => return None,
    };
    (all.len() <= WORDS).then_some(all)
}

/// The rests that go on in `rest` behind some of `run`, with no word beginning in the run.
pub(super) fn avoiding(
    machine: &mut Machine<'_>,
    words: &BTreeSet<String>,
    run: LanguageId,
    rest: LanguageId,
) -> Result<LanguageId, PatternError> {
    // What the run may end with that may become a word.
    let begun: BTreeSet<&str> =
        words.iter().flat_map(|word| word.char_indices().map(|(at, _)| &word[..at])).chain([""]).collect();
    let mut inside = Vec::new();
    for word in words {
        if word.is_empty() {
            // It begins everywhere, so that no character may stand in the run.
            inside.push(machine.languages.regex("(?s:.)+"));
            continue;
        }
        let word = machine.languages.text(word);
        inside.push(machine.languages.sequence([LanguageId::ANY, word, LanguageId::ANY]));
    }
    let inside = machine.either(inside)?;
    let free = machine.except(run, inside)?;
    let mut all = Vec::new();
    for &end in &begun {
        let mut longer = Vec::new();
        for &other in begun.iter().filter(|other| other.len() > end.len() && other.ends_with(end)) {
            longer.push(ending(machine, other));
        }
        let longer = machine.either(longer)?;
        let this = ending(machine, end);
        let this = machine.both(free, this)?;
        let this = machine.except(this, longer)?;
        // How each word goes on of which an end of the run is the beginning.
        let mut ends = Vec::new();
        for (at, _) in end.char_indices() {
            for tail in words.iter().filter_map(|word| word.strip_prefix(&end[at..])) {
                let tail = machine.languages.text(tail);
                ends.push(machine.then(tail, LanguageId::ANY)?);
            }
        }
        let ends = machine.either(ends)?;
        let rest = machine.except(rest, ends)?;
        all.push(machine.then(this, rest)?);
    }
    machine.either(all)
}

fn ending(machine: &mut Machine<'_>, end: &str) -> LanguageId {
    let end = machine.languages.text(end);
    machine.languages.sequence([LanguageId::ANY, end])
}
