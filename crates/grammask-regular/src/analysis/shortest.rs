//! Short strings of a language, read off its expression.

use crate::Store;
use crate::analysis::limits::ProofLimits;
use crate::number::samples::is_known_member;
use crate::store::node::{JsonPosition, Kind, RegularId};

/// Maximum length of a returned string, in bytes. A longer completion is not short.
const MAX_STRING_BYTES: usize = 4096;

/// Maximum number of operands of an intersection whose strings are tried.
const MAX_TRIED_OPERANDS: usize = 4;

/// Returns an upper bound of the least number of characters that complete the JSON string at the beginning of
/// `a`. Returns `None` if no short completion is found.
///
/// # Complexity
/// Bounded by a constant.
pub fn short_completion_chars(store: &Store, a: RegularId) -> Option<u32> {
    let Kind::Concat(head, _) = store.node(a).kind else { return None };
    let Kind::Json { text, at: JsonPosition::Character, .. } = store.node(head).kind else { return None };
    short_string(store, text, ProofLimits::SHORT_STRING.depth, &mut { ProofLimits::SHORT_STRING.visits })
        .and_then(|text| u32::try_from(text.len()).ok())
}

/// Returns a string of a language, not always the shortest one. The recursion is bounded by `depth`.
fn short_string(store: &Store, a: RegularId, depth: u32, visits: &mut u32) -> Option<Vec<u8>> {
    let (mut all, mut rest) = (Vec::new(), a);
    loop {
        *visits = visits.checked_sub(1)?;
        if store.is_nullable(rest) {
            return Some(all);
        }
        let (head, tail) = match store.node(rest).kind {
            Kind::Concat(head, tail) => (head, Some(tail)),
            _ => (rest, None),
        };
        let text = match store.node(head).kind {
            _ if store.is_nullable(head) => Vec::new(),
            Kind::Bytes(set) => vec![likely(|byte| store.byte_set(set).contains(byte))?],
            Kind::Acyclic(state) => short_acyclic_string(store, state)?,
            Kind::Words { range, depth } => {
                let (list, words) = store.leaves.words(range);
                let first = list.rests(words, depth).next()?;
                // A word may have megabytes, and this function runs for each state.
                (first.len() <= MAX_STRING_BYTES).then(|| first.to_vec())?
            }
            Kind::Repeat { base, min, .. } => {
                let text = short_string(store, base, depth.checked_sub(1)?, visits)?;
                (text.len().saturating_mul(min as usize) <= MAX_STRING_BYTES)
                    .then(|| text.repeat(min as usize))?
            }
            Kind::Or(list) => {
                let depth = depth.checked_sub(1)?;
                let members = store.list(list).iter();
                members
                    .filter_map(|&member| short_string(store, member, depth, visits))
                    .min_by_key(Vec::len)?
            }
            // Usually one operand determines how a text can end, and the others exclude substrings.
            Kind::And(list) => {
                let depth = depth.checked_sub(1)?;
                let members = store.list(list).iter().take(MAX_TRIED_OPERANDS);
                let mut texts = members.filter_map(|&member| short_string(store, member, depth, visits));
                texts.find(|text| is_known_member(store, head, text))?
            }
            _ => return None,
        };
        all.extend(text);
        match tail {
            Some(tail) if all.len() <= MAX_STRING_BYTES => rest = tail,
            Some(_) => return None,
            None => return Some(all),
        }
    }
}

/// Returns a string that the acyclic DFA accepts from a state, of one byte if possible.
fn short_acyclic_string(store: &Store, state: u32) -> Option<Vec<u8>> {
    let ends =
        |byte| store.leaves.acyclic.step(state, byte).is_some_and(|next| store.leaves.acyclic.is_final(next));
    if let Some(byte) = likely(ends) {
        return Some(vec![byte]);
    }
    let (mut state, mut text) = (state, Vec::new());
    while !store.leaves.acyclic.is_final(state) {
        let edge = store.leaves.acyclic.edges(state).first().filter(|_| text.len() < MAX_STRING_BYTES)?;
        text.push(edge.first);
        state = edge.target;
    }
    Some(text)
}

/// Returns a byte for which `holds` is true. Letters come first, because exclusions usually contain other
/// characters.
fn likely(holds: impl Fn(u8) -> bool) -> Option<u8> {
    (b'a'..=b'z').chain(0..=u8::MAX).find(|&byte| holds(byte))
}
