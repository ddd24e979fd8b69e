//! Large sets of words and long texts: sorted, and stored one after the other. A state is a range of words
//! and a depth, so no automaton is built.
//!
//! Only short suffixes are expressions of other kinds: chains of bytes, or states of the acyclic DFA.

use crate::construct::concat::concat_pair;
use crate::leaf::acyclic_dfa::acyclic_leaf;
use crate::store::node::{Kind, RegularId};
use crate::{Error, Limit, Store};
use grammask_work::{charge, narrow};
use std::ops::Range;
use std::sync::Arc;

/// Words of an interned list: those with the indices `start..end`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct WordRange {
    pub(crate) list: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Sorted, distinct words.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct WordList {
    bytes: Vec<u8>,
    /// End of each word in `bytes`.
    ends: Vec<u32>,
    longest: u32,
    is_ascii: bool,
}

impl WordList {
    /// Returns a list of words that are sorted, distinct, and have fewer than 2^32 bytes together.
    pub(crate) fn new(words: &[&[u8]]) -> Self {
        Self::new_unless(words, &mut || false).expect("never cancelled")
    }

    /// As [`new`](Self::new). Returns `None` if it is cancelled.
    fn new_unless(words: &[&[u8]], is_cancelled: &mut dyn FnMut() -> bool) -> Option<Self> {
        let mut bytes = Vec::with_capacity(words.iter().map(|word| word.len()).sum());
        let mut ends = Vec::with_capacity(words.len());
        for (place, word) in words.iter().enumerate() {
            if place.is_multiple_of(WORDS_PER_CANCEL_CHECK) && is_cancelled() {
                return None;
            }
            bytes.extend_from_slice(word);
            ends.push(narrow(bytes.len()));
        }
        let longest = narrow(words.iter().map(|word| word.len()).max().unwrap_or(0));
        let is_ascii = bytes.is_ascii();
        Some(Self { bytes, ends, longest, is_ascii })
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn longest(&self) -> u32 {
        self.longest
    }

    /// Returns true if all words are ASCII.
    pub(crate) fn is_ascii(&self) -> bool {
        self.is_ascii
    }

    pub(crate) fn word(&self, index: u32) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.bytes[start as usize..self.ends[index as usize] as usize]
    }

    /// Iterates over the words of a range without their first `depth` bytes.
    pub(crate) fn rests(&self, range: Range<u32>, depth: u32) -> impl Iterator<Item = &[u8]> {
        range.map(move |index| &self.word(index)[depth as usize..])
    }

    /// Returns the words of a range with this byte at this depth. The words agree in all bytes before it.
    pub(crate) fn step(&self, range: Range<u32>, depth: u32, byte: u8) -> Range<u32> {
        let at = |index: u32| self.word(index).get(depth as usize).copied();
        let start = first_index(range.clone(), |index| at(index) >= Some(byte));
        let end = first_index(start..range.end, |index| at(index) > Some(byte));
        start..end
    }

    /// Returns the bytes that the words of a range have at this depth.
    pub(crate) fn next_bytes(&self, range: Range<u32>, depth: u32) -> crate::ByteSet {
        let mut set = crate::ByteSet::EMPTY;
        let mut start = range.start;
        while start < range.end {
            let byte = self.word(start).get(depth as usize).copied();
            if let Some(byte) = byte {
                set.insert(byte);
            }
            start = first_index(start + 1..range.end, |index| {
                self.word(index).get(depth as usize).copied() > byte
            });
        }
        set
    }

    pub(crate) fn bytes_used(&self) -> usize {
        self.bytes.len() + self.ends.len() * 4
    }
}

/// Bytes of a suffix up to which it is a concatenation of bytes, so that equal suffixes have equal ids.
const MAX_CHAIN_BYTES: usize = 14;
/// Number of short suffixes up to which they become a state of the acyclic DFA.
const MAX_ACYCLIC_WORDS: u32 = 8;

/// Work of one word: it is sorted, and compared with its neighbors.
const UNITS_PER_WORD: u64 = 16;
/// Bytes of words that are copied as one unit of work.
const BYTES_PER_UNIT: usize = 16;

/// See [`Store::literal`].
pub(crate) fn literal(store: &mut Store, bytes: &[u8]) -> Result<RegularId, Error> {
    if bytes.len() <= MAX_CHAIN_BYTES {
        return byte_concat(store, bytes);
    }
    store.literals([bytes])
}

/// See [`Store::literals`].
pub(crate) fn literals<'a>(
    store: &mut Store,
    set: impl IntoIterator<Item = &'a [u8]>,
    is_cancelled: &mut dyn FnMut() -> bool,
) -> Result<Option<RegularId>, Error> {
    let mut words: Vec<&[u8]> = set.into_iter().collect();
    charge(UNITS_PER_WORD * words.len() as u64)?;
    if !sort_unless(&mut words, is_cancelled) {
        return Ok(None);
    }
    words.dedup();
    let total: usize = words.iter().map(|word| word.len()).sum();
    charge((total / BYTES_PER_UNIT) as u64)?;
    let limit = store.limits.literal_length.min(u32::MAX as usize / 2);
    if total > limit || words.len() > limit {
        return Err(Error::limit(Limit::LiteralLength, limit, Some(total.max(words.len()))));
    }
    if words.is_empty() {
        return Ok(Some(RegularId::EMPTY));
    }
    if words.len() <= MAX_ACYCLIC_WORDS as usize && words.iter().all(|word| word.len() <= MAX_CHAIN_BYTES) {
        return short_words(store, &words).map(Some);
    }
    let Some(list) = WordList::new_unless(&words, is_cancelled) else { return Ok(None) };
    let list = store.leaves.intern_word_list(Arc::new(list));
    word_leaf(store, WordRange { list, start: 0, end: narrow(words.len()) }, 0).map(Some)
}

/// Returns the normal form of the words of a range without their first `depth` bytes.
pub(crate) fn word_leaf(store: &mut Store, range: WordRange, depth: u32) -> Result<RegularId, Error> {
    if range.start == range.end {
        return Ok(RegularId::EMPTY);
    }
    if let Some(short) = short_suffixes(store, range, depth)? {
        return Ok(short);
    }
    let (range, _) = store.leaves.word_ranges.intern(range, range);
    store.intern(Kind::Words { range, depth })
}

/// As [`word_leaf`], for an interned range.
pub(crate) fn word_leaf_at(store: &mut Store, range: u32, depth: u32) -> Result<RegularId, Error> {
    match short_suffixes(store, store.leaves.word_ranges[range], depth)? {
        Some(short) => Ok(short),
        None => store.intern(Kind::Words { range, depth }),
    }
}

/// Returns the words of a non-empty range without their first `depth` bytes, as a chain of bytes or a state
/// of the acyclic DFA. Returns `None` if they are too many or too long.
fn short_suffixes(
    store: &mut Store,
    WordRange { list, start, end }: WordRange,
    depth: u32,
) -> Result<Option<RegularId>, Error> {
    let words = &store.leaves.word_lists[list];
    if end - start == 1 {
        let rest = &words.word(start)[depth as usize..];
        let mut room = [0; MAX_CHAIN_BYTES];
        let Some(room) = room.get_mut(..rest.len()) else { return Ok(None) };
        room.copy_from_slice(rest);
        return byte_concat(store, room).map(Some);
    }
    if end - start > MAX_ACYCLIC_WORDS
        || words.rests(start..end, depth).any(|rest| rest.len() > MAX_CHAIN_BYTES)
    {
        return Ok(None);
    }
    let list = Arc::clone(words);
    let rests: Vec<&[u8]> = list.rests(start..end, depth).collect();
    short_words(store, &rests).map(Some)
}

fn byte_concat(store: &mut Store, bytes: &[u8]) -> Result<RegularId, Error> {
    let mut result = RegularId::EPSILON;
    for &byte in bytes.iter().rev() {
        let head = store.single_byte(byte);
        result = concat_pair(store, head, result)?;
    }
    Ok(result)
}

fn short_words(store: &mut Store, words: &[&[u8]]) -> Result<RegularId, Error> {
    let rows: Vec<Vec<(u8, u8)>> =
        words.iter().map(|word| word.iter().map(|&byte| (byte, byte)).collect()).collect();
    let state = Arc::make_mut(&mut store.leaves.acyclic).build(rows.iter().map(Vec::as_slice));
    state.map_or(Ok(RegularId::EMPTY), |state| acyclic_leaf(store, state))
}

/// Number of words that are processed between two calls of the cancellation function.
const WORDS_PER_CANCEL_CHECK: usize = 1 << 10;

/// Sorts words. Returns false if it is cancelled.
fn sort_unless(words: &mut Vec<&[u8]>, is_cancelled: &mut dyn FnMut() -> bool) -> bool {
    for run in words.chunks_mut(WORDS_PER_CANCEL_CHECK) {
        run.sort_unstable();
        if is_cancelled() {
            return false;
        }
    }
    // Most lists are sorted already, and need no buffer.
    if (WORDS_PER_CANCEL_CHECK..words.len())
        .step_by(WORDS_PER_CANCEL_CHECK)
        .all(|place| words[place - 1] <= words[place])
    {
        return true;
    }
    let mut merged: Vec<&[u8]> = Vec::new();
    let mut sorted = WORDS_PER_CANCEL_CHECK;
    while sorted < words.len() {
        merged.reserve(words.len());
        for pair in words.chunks(2 * sorted) {
            let (mut left, mut right) = pair.split_at(sorted.min(pair.len()));
            if left.last() <= right.first() {
                merged.extend_from_slice(left);
                left = &[];
            }
            while let (Some(first), Some(second)) = (left.first(), right.first()) {
                let rest = if first <= second { &mut left } else { &mut right };
                merged.push(rest[0]);
                *rest = &rest[1..];
                if merged.len().is_multiple_of(WORDS_PER_CANCEL_CHECK) && is_cancelled() {
                    return false;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(words, &mut merged);
        merged.clear();
        sorted *= 2;
    }
    true
}

/// Returns the first index of a range for which `holds`, a monotone predicate. Galloping search, as the index
/// is often near.
fn first_index(range: Range<u32>, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut step) = (range.start, 1);
    let mut high = range.end;
    while low < high {
        let probe = low.saturating_add(step - 1);
        if probe >= high {
            break;
        }
        if holds(probe) {
            high = probe;
            break;
        }
        low = probe + 1;
        step = step.saturating_mul(2);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::{WORDS_PER_CANCEL_CHECK, WordList, first_index, sort_unless};

    #[test]
    fn ranges_narrow_byte_by_byte() {
        let list = WordList::new(&[b"", b"a", b"ab", b"abc", b"b", b"bc"]);
        assert_eq!(list.step(0..6, 0, b'a'), 1..4);
        assert_eq!(list.step(1..4, 1, b'b'), 2..4);
        assert_eq!(list.step(0..6, 0, b'b'), 4..6);
        assert!(list.step(0..6, 0, b'c').is_empty());
        assert!(list.step(0..6, 0, 0).is_empty());
        assert_eq!(list.next_bytes(0..6, 0).to_string(), "[ab]");
        assert_eq!(list.next_bytes(1..4, 1).to_string(), "[b]");
        assert_eq!(list.word(0), b"");
        assert_eq!((list.word(3), list.longest(), list.len()), (&b"abc"[..], 3, 6));
    }

    #[test]
    fn sorting_can_be_cancelled_at_each_check() {
        for count in [
            0,
            1,
            WORDS_PER_CANCEL_CHECK - 1,
            WORDS_PER_CANCEL_CHECK,
            WORDS_PER_CANCEL_CHECK + 1,
            5 * WORDS_PER_CANCEL_CHECK + 7,
        ] {
            for shuffled in [false, true] {
                let number = |index: usize| if shuffled { index * 2_654_435_761 % 65_537 } else { index };
                let texts: Vec<String> = (0..count).map(|index| format!("{:06}", number(index))).collect();
                let mut words: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
                let given = words.clone();
                let mut asked = 0;
                assert!(sort_unless(&mut words, &mut || {
                    asked += 1;
                    false
                }));
                assert!(words.is_sorted() && words.len() == count && asked >= count / WORDS_PER_CANCEL_CHECK);
                for last in 1..=asked {
                    let mut left = last;
                    assert!(!sort_unless(&mut given.clone(), &mut || {
                        left -= 1;
                        left == 0
                    }));
                }
            }
        }
    }

    #[test]
    fn galloping_finds_every_border() {
        for len in 0..40 {
            for border in 0..=len {
                assert_eq!(first_index(5..5 + len, |i| i >= 5 + border), 5 + border);
            }
        }
    }
}
