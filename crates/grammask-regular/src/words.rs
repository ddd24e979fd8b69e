//! Large sets of words and long texts: sorted, one behind the other. A state is a range of words and a depth, so
//! that no automaton has to be built at all.

use std::ops::Range;

/// Sorted words, each once.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct WordList {
    bytes: Vec<u8>,
    /// Where each word ends in `bytes`.
    ends: Vec<u32>,
    longest: u32,
    is_ascii: bool,
}

impl WordList {
    /// The words, which are sorted and distinct and have fewer than 2^32 bytes together.
    pub(crate) fn new(words: &[&[u8]]) -> Self {
        let mut bytes = Vec::with_capacity(words.iter().map(|word| word.len()).sum());
        let mut ends = Vec::with_capacity(words.len());
        for word in words {
            bytes.extend_from_slice(word);
            ends.push(bytes.len() as u32);
        }
        let longest = words.iter().map(|word| word.len()).max().unwrap_or(0) as u32;
        let is_ascii = bytes.is_ascii();
        Self { bytes, ends, longest, is_ascii }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn longest(&self) -> u32 {
        self.longest
    }

    /// Whether all words are.
    pub(crate) fn is_ascii(&self) -> bool {
        self.is_ascii
    }

    pub(crate) fn word(&self, index: u32) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.bytes[start as usize..self.ends[index as usize] as usize]
    }

    /// The words of a range without their first `depth` bytes.
    pub(crate) fn rests(&self, range: Range<u32>, depth: u32) -> impl Iterator<Item = &[u8]> {
        range.map(move |index| &self.word(index)[depth as usize..])
    }

    /// The words of the range that have this byte at this depth; they agree in all bytes before it.
    pub(crate) fn step(&self, range: Range<u32>, depth: u32, byte: u8) -> Range<u32> {
        let at = |index: u32| self.word(index).get(depth as usize).copied();
        let start = first_index(range.clone(), |index| at(index) >= Some(byte));
        let end = first_index(start..range.end, |index| at(index) > Some(byte));
        start..end
    }

    /// The bytes that the words of the range have at this depth.
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

/// The first index of the range for which `holds`, which holds for all behind it as well. Gallops, as it is often near.
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
    use super::{WordList, first_index};

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
    fn galloping_finds_every_border() {
        for len in 0..40 {
            for border in 0..=len {
                assert_eq!(first_index(5..5 + len, |i| i >= 5 + border), 5 + border);
            }
        }
    }
}
