//! Strings without certain substrings, the substrings of a text, and runs of consecutive chunks of a list.

use crate::construct::prefix::non_empty;
use crate::json::finite::listed_texts;
use crate::leaf::aho_corasick::AhoCorasick;
use crate::leaf::factor_automaton::FactorAutomaton;
use crate::store::node::{Kind, RegularId, UNBOUNDED};
use crate::{Error, Limit, Store};
use grammask_work::narrow;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// See [`Store::without_substring`].
pub(crate) fn without_substring(store: &mut Store, a: RegularId) -> Result<RegularId, Error> {
    if let Some(texts) = listed_texts(store, a)
        && texts.iter().map(Vec::len).sum::<usize>() <= store.limits.except_length
    {
        let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
        return store.except(&texts, None);
    }
    let found = store.concat(&[RegularId::ALL, a, RegularId::ALL])?;
    let rest = store.complement(found)?;
    non_empty(store, rest)
}

/// See [`Store::except`].
pub(crate) fn except(store: &mut Store, texts: &[&[u8]], max: Option<u64>) -> Result<RegularId, Error> {
    let value = store.limits.except_length.min(u32::MAX as usize / 2);
    let length = texts.iter().map(|text| text.len()).sum::<usize>();
    if length > value {
        return Err(Error::limit(Limit::ExceptLength, value, Some(length)));
    }
    let max = match max.filter(|&max| max > 0).map(u32::try_from) {
        Some(Ok(max)) => Some(max),
        Some(Err(_)) => Some(UNBOUNDED),
        None => None,
    };
    let some = store.repeat(RegularId::ANY, 1, max)?;
    if texts.contains(&&b""[..]) {
        return Ok(RegularId::EMPTY);
    }
    if texts.is_empty() {
        return Ok(some);
    }
    let mut texts: Vec<Box<[u8]>> = texts.iter().map(|&text| text.into()).collect();
    texts.sort_unstable();
    texts.dedup();
    let avoid = aho_corasick_leaf(store, texts.into())?;
    store.intersection(&[avoid, some])
}

/// Returns all strings that contain none of the texts, which are sorted, distinct and not empty.
pub(crate) fn aho_corasick_leaf(store: &mut Store, texts: Arc<[Box<[u8]>]>) -> Result<RegularId, Error> {
    let automaton = match store.leaves.aho_corasick.find(&texts) {
        Some(id) => id,
        None => store.leaves.intern_aho_corasick(Arc::new(AhoCorasick::new(texts))),
    };
    store.intern(Kind::AhoCorasick { automaton, state: 0 })
}

/// See [`Store::substrings`].
pub(crate) fn substrings(store: &mut Store, text: &[u8]) -> Result<RegularId, Error> {
    let value = store.limits.substrings_length.min(u32::MAX as usize / 8);
    if text.len() > value {
        return Err(Error::limit(Limit::SubstringsLength, value, Some(text.len())));
    }
    let automaton = match store.leaves.factor_automata.find(text) {
        Some(id) => id,
        None => store.leaves.intern_factor_automaton(Arc::new(FactorAutomaton::new(text.into()))),
    };
    factor_leaf(store, automaton, 0)
}

pub(crate) fn factor_leaf(store: &mut Store, automaton: u32, state: u32) -> Result<RegularId, Error> {
    if store.leaves.factor_automata[automaton].edges(state).is_empty() {
        return Ok(RegularId::EPSILON);
    }
    store.intern(Kind::Factor { automaton, state })
}

/// A state of a suffix automaton: length of its longest string, suffix link, and edges by chunk.
#[derive(Clone, Default)]
struct State {
    length: usize,
    link: Option<usize>,
    edges: BTreeMap<u32, usize>,
}

/// See [`Store::chunk_runs`].
///
/// The suffix automaton of the list, with a chunk as one letter, has fewer than two states a chunk. Each
/// state becomes an expression, from the last ones to the start, so that the result is linear in the list.
///
/// # Source
/// A. Blumer et al., "The smallest automaton recognizing the subwords of a text", 1985.
pub(crate) fn chunk_runs(store: &mut Store, chunks: &[&[u8]]) -> Result<RegularId, Error> {
    let value = store.limits.substrings_length.min(u32::MAX as usize / 8);
    let length = chunks.iter().fold(0usize, |sum, chunk| sum.saturating_add(chunk.len()));
    if length > value {
        return Err(Error::limit(Limit::SubstringsLength, value, Some(length)));
    }
    let mut numbers: FxHashMap<&[u8], u32> = FxHashMap::default();
    let mut distinct: Vec<&[u8]> = Vec::new();
    let letters = chunks.iter().filter(|chunk| !chunk.is_empty()).map(|&chunk| {
        *numbers.entry(chunk).or_insert_with(|| {
            let next = narrow(distinct.len());
            distinct.push(chunk);
            next
        })
    });
    let states = suffix_automaton(&letters.collect::<Vec<u32>>());
    let literals: Vec<RegularId> =
        distinct.iter().map(|chunk| store.literal(chunk)).collect::<Result<_, _>>()?;
    // Each edge leads to a longer string, so the longest come first.
    let mut order: Vec<usize> = (0..states.len()).collect();
    order.sort_by_key(|&state| std::cmp::Reverse(states[state].length));
    let mut languages = vec![RegularId::EPSILON; states.len()];
    let mut parts = Vec::new();
    for state in order {
        parts.clear();
        parts.push(RegularId::EPSILON);
        for (&letter, &to) in &states[state].edges {
            parts.push(store.concat(&[literals[letter as usize], languages[to]])?);
        }
        languages[state] = store.union(&parts)?;
    }
    Ok(languages[0])
}

/// Returns the suffix automaton of a list of letters. State 0 is the start.
fn suffix_automaton(letters: &[u32]) -> Vec<State> {
    let mut states = vec![State::default()];
    let mut last = 0;
    for &letter in letters {
        let current = states.len();
        states.push(State { length: states[last].length + 1, link: Some(0), edges: BTreeMap::new() });
        let mut node = Some(last);
        while let Some(at) = node
            && !states[at].edges.contains_key(&letter)
        {
            states[at].edges.insert(letter, current);
            node = states[at].link;
        }
        if let Some(at) = node {
            let target = states[at].edges[&letter];
            if states[target].length == states[at].length + 1 {
                states[current].link = Some(target);
            } else {
                let copy = states.len();
                states.push(State { length: states[at].length + 1, ..states[target].clone() });
                let mut node = Some(at);
                while let Some(at) = node
                    && states[at].edges.get(&letter) == Some(&target)
                {
                    states[at].edges.insert(letter, copy);
                    node = states[at].link;
                }
                states[target].link = Some(copy);
                states[current].link = Some(copy);
            }
        }
        last = current;
    }
    states
}
