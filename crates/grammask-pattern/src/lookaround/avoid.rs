//! Repetitions that avoid words, such as `((?!-->).)*`: one character after the other, none of which starts a
//! word.
//!
//! A word may start in the repetition and end after it. So the repetition is split by the longest word prefix
//! that it ends with, and the rest of the text must not complete that word.

use std::collections::BTreeSet;

use super::matrix::PatternAlgebra;
use crate::Error;
use crate::language::LanguageId;
use crate::syntax::class::characters;
use crate::syntax::node::Node;

/// Maximum number of words, and maximum total length in characters. Beyond either, the repetition is treated
/// like any other.
const MAX_WORDS: usize = 64;
const MAX_WORD_CHARS: usize = 256;

/// Returns the words that negative look-aheads forbid. Returns `None` for other nodes, or if there are too
/// many words.
pub(crate) fn forbidden_words(looks: &[Node]) -> Option<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for look in looks {
        match look {
            Node::Look { ahead: true, negative: true, node } => all.extend(words(node)?),
            _ => return None,
        }
    }
    (all.len() <= MAX_WORDS && all.iter().map(|word| word.chars().count()).sum::<usize>() <= MAX_WORD_CHARS)
        .then_some(all)
}

/// Returns all texts of a node. Returns `None` if there are too many.
fn words(node: &Node) -> Option<Vec<String>> {
    let all = match node {
        Node::Char(c) => vec![c.to_string()],
        Node::Class(class) => {
            let set = characters(class);
            let count: usize = set.ranges().iter().map(|range| range.len()).sum();
            if count > MAX_WORDS {
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
                if all.len() * next.len() > MAX_WORDS {
                    return None;
                }
                all = all.iter().flat_map(|a| next.iter().map(move |b| format!("{a}{b}"))).collect();
                if all.iter().map(String::len).sum::<usize>() > 4 * MAX_WORD_CHARS {
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
        Node::Repeat(..)
        | Node::Assertion(_)
        | Node::Look { .. }
        | Node::Restricted { .. }
        | Node::Atomic { .. } => return None,
    };
    (all.len() <= MAX_WORDS).then_some(all)
}

/// Returns the texts of `run` followed by `rest` in which no word starts inside of the run.
pub(crate) fn avoiding(
    algebra: &mut PatternAlgebra<'_, '_>,
    words: &BTreeSet<String>,
    run: LanguageId,
    rest: LanguageId,
) -> Result<LanguageId, Error> {
    // Prefixes of words that the run may end with.
    let partial: BTreeSet<&str> =
        words.iter().flat_map(|word| word.char_indices().map(|(at, _)| &word[..at])).chain([""]).collect();
    let mut inside = Vec::new();
    for word in words {
        if word.is_empty() {
            // The empty word starts at every position, so the run must be empty.
            inside.push(algebra.languages.regex("(?s:.)+"));
            continue;
        }
        let word = algebra.languages.text(word);
        inside.push(algebra.languages.sequence([LanguageId::ANY, word, LanguageId::ANY]));
    }
    let inside = algebra.union(inside)?;
    let free = algebra.subtract(run, inside)?;
    let mut all = Vec::new();
    for &end in &partial {
        let mut longer = Vec::new();
        for &other in partial.iter().filter(|other| other.len() > end.len() && other.ends_with(end)) {
            longer.push(ending(algebra, other));
        }
        let longer = algebra.union(longer)?;
        let this = ending(algebra, end);
        let this = algebra.intersect(free, this)?;
        let this = algebra.subtract(this, longer)?;
        // The suffixes that complete a word of which the run's end is a prefix.
        let mut ends = Vec::new();
        for (at, _) in end.char_indices() {
            for tail in words.iter().filter_map(|word| word.strip_prefix(&end[at..])) {
                let tail = algebra.languages.text(tail);
                ends.push(algebra.concat(tail, LanguageId::ANY)?);
            }
        }
        let ends = algebra.union(ends)?;
        let rest = algebra.subtract(rest, ends)?;
        all.push(algebra.concat(this, rest)?);
    }
    algebra.union(all)
}

fn ending(algebra: &mut PatternAlgebra<'_, '_>, end: &str) -> LanguageId {
    let end = algebra.languages.text(end);
    algebra.languages.sequence([LanguageId::ANY, end])
}
