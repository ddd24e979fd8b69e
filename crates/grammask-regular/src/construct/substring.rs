//! Strings without certain substrings, and the substrings of a text.

use crate::leaf::aho_corasick::Avoid;
use crate::leaf::factor_automaton::Factors;
use crate::store::node::{Kind, RegularId, UNBOUNDED};
use crate::{Error, Store};
use std::sync::Arc;

impl Store {
    /// The non-empty byte strings no substring of which is in `a`; the empty language if the empty string is in `a`.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// Where `a` shows to be few texts, a state is a place in one of them, as in [`except`](Self::except); else it is a set of places in `a`.
    pub fn without(&mut self, a: RegularId) -> Result<RegularId, Error> {
        if let Some(texts) = self.few_texts(a)
            && texts.iter().map(Vec::len).sum::<usize>() <= self.config.except_length
        {
            let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
            return self.except(&texts, None);
        }
        let found = self.concat(&[RegularId::ALL, a, RegularId::ALL])?;
        let rest = self.complement(found)?;
        self.non_empty(rest)
    }

    /// The non-empty byte strings of at most `max` bytes in which none of the texts occurs. `None` and 0 allow any length.
    ///
    /// # Errors
    /// When the texts are longer than [`Config::except_length`](crate::Config::except_length) together, or `max` is
    /// greater than 2^32 - 2.
    ///
    /// # Complexity
    /// Linear in the length of the texts; a state is a place in the trie of the texts, and a number.
    ///
    /// # Source
    /// Aho, Corasick, *Efficient string matching* (1975).
    pub fn except(&mut self, texts: &[&[u8]], max: Option<u64>) -> Result<RegularId, Error> {
        let value = self.config.except_length.min(u32::MAX as usize / 2);
        let length = texts.iter().map(|text| text.len()).sum::<usize>();
        if length > value {
            let place = "the texts of an exception";
            return Err(Error::Limit { limit: "except_length", value, place, found: Some(length) });
        }
        let max = match max.filter(|&max| max > 0).map(u32::try_from) {
            Some(Ok(max)) => Some(max),
            Some(Err(_)) => Some(UNBOUNDED),
            None => None,
        };
        let some = self.repeat(RegularId::ANY, 1, max)?;
        if texts.contains(&&b""[..]) {
            return Ok(RegularId::EMPTY);
        }
        if texts.is_empty() {
            return Ok(some);
        }
        let mut texts: Vec<Box<[u8]>> = texts.iter().map(|&text| text.into()).collect();
        texts.sort_unstable();
        texts.dedup();
        let avoid = self.avoid_leaf(texts.into())?;
        self.intersection(&[avoid, some])
    }

    /// All strings in which none of the texts occurs, which are sorted, distinct and not empty.
    pub(crate) fn avoid_leaf(&mut self, texts: Arc<[Box<[u8]>]>) -> Result<RegularId, Error> {
        let automaton = match self.avoid_ids.get(&texts) {
            Some(&id) => id,
            None => self.add_avoid(Arc::new(Avoid::new(texts))),
        };
        self.intern(Kind::Avoid { automaton, state: 0 })
    }

    pub(crate) fn add_avoid(&mut self, avoid: Arc<Avoid>) -> u32 {
        let next = self.avoid.len() as u32;
        let id = *self.avoid_ids.entry(Arc::clone(&avoid.texts)).or_insert(next);
        if id == next {
            self.leaf_bytes += avoid.bytes_used();
            self.avoid.push(avoid);
        }
        id
    }

    /// The substrings of a text, in bytes, the empty one included.
    ///
    /// # Errors
    /// When the text is longer than [`Config::substrings_length`](crate::Config::substrings_length).
    ///
    /// # Complexity
    /// Linear in the length of the text: fewer than two states a byte, built at once.
    pub fn substrings(&mut self, text: &[u8]) -> Result<RegularId, Error> {
        let value = self.config.substrings_length.min(u32::MAX as usize / 8);
        if text.len() > value {
            return Err(Error::Limit {
                limit: "substrings_length",
                value,
                place: "a text given for its substrings",
                found: Some(text.len()),
            });
        }
        let automaton = match self.factor_ids.get(text) {
            Some(&id) => id,
            None => self.add_factors(Arc::new(Factors::new(text.into()))),
        };
        self.factor_leaf(automaton, 0)
    }

    pub(crate) fn add_factors(&mut self, factors: Arc<Factors>) -> u32 {
        let next = self.factors.len() as u32;
        let id = *self.factor_ids.entry(Arc::clone(&factors.text)).or_insert(next);
        if id == next {
            self.leaf_bytes += factors.bytes_used();
            self.factors.push(factors);
        }
        id
    }

    pub(crate) fn factor_leaf(&mut self, automaton: u32, state: u32) -> Result<RegularId, Error> {
        if self.factors[automaton as usize].edges(state).is_empty() {
            return Ok(RegularId::EPSILON);
        }
        self.intern(Kind::Factor { automaton, state })
    }
}
