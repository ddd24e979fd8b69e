//! Strings without certain substrings, and the substrings of a text.

use crate::construct::prefix::non_empty;
use crate::json::finite::listed_texts;
use crate::leaf::aho_corasick::AhoCorasick;
use crate::leaf::factor_automaton::FactorAutomaton;
use crate::store::node::{Kind, RegularId, UNBOUNDED};
use crate::{Error, Limit, Store};
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
