//! The digits after `\u` in escapes of a set of characters: `000a`, `d83d\ude00`, as states of the acyclic
//! DFA.

use crate::leaf::acyclic_dfa::acyclic_leaf;
use crate::leaf::acyclic_dfa::{AcyclicDfa, Edge, SINK};
use crate::store::node::RegularId;
use crate::{Error, Store};
use std::sync::Arc;

const SURROGATES: (u32, u32) = (0xD800, 0xDFFF);

/// Returns the language that follows `\u` in escapes of some characters. `characters` is a state of the
/// acyclic DFA that accepts their UTF-8. The digits are in lower case, or in either case if
/// `has_upper_case`.
pub(crate) fn escape_digits(
    store: &mut Store,
    characters: u32,
    has_upper_case: bool,
) -> Result<RegularId, Error> {
    if let Some(&known) = store.memos.escape_digits.get(&(characters, has_upper_case)) {
        return Ok(known);
    }
    let acyclic = Arc::make_mut(&mut store.leaves.acyclic);
    let ranges = code_points(acyclic, characters);
    let language = match spell(acyclic, &ranges, has_upper_case) {
        Some(state) => acyclic_leaf(store, state)?,
        None => RegularId::EMPTY,
    };
    store.leaves.bytes += 16;
    store.memos.escape_digits.insert((characters, has_upper_case), language);
    Ok(language)
}

/// Returns the code points whose UTF-8 a state accepts, as ranges in ascending order.
fn code_points(acyclic: &mut AcyclicDfa, characters: u32) -> Vec<(u32, u32)> {
    let mut full = [SINK; 4];
    for more in 1..4 {
        full[more] = acyclic.state(false, &[Edge { first: 0x80, last: 0xBF, target: full[more - 1] }]);
    }
    let mut ranges = Vec::new();
    for &edge in acyclic.edges(characters) {
        let (more, bits, least) = match edge.first {
            0..=0x7F => (0, 0x7F, 0),
            0xC0..=0xDF => (1, 0x1F, 0x80),
            0xE0..=0xEF => (2, 0x0F, 0x800),
            _ => (3, 0x07, 0x1_0000),
        };
        let mut all = Vec::new();
        add_code_points(acyclic, &full, Utf8Edge { edge, more, bits, before: 0 }, &mut all);
        for (first, last) in all {
            // A language of UTF-8 has no other code points; this line guarantees it.
            let (first, last) = (first.max(least), last.min(0x10_FFFF));
            push_range(&mut ranges, first, last.min(SURROGATES.0 - 1));
            push_range(&mut ranges, first.max(SURROGATES.1 + 1), last);
        }
    }
    ranges
}

/// An edge inside the UTF-8 of a character.
#[derive(Clone, Copy)]
struct Utf8Edge {
    edge: Edge,
    /// Number of bytes after the edge.
    more: u8,
    /// Mask of the code point bits in the byte of the edge.
    bits: u32,
    /// Code point bits of the bytes before the edge.
    before: u32,
}

/// Adds the code points of an edge. The recursion is at most four levels deep.
fn add_code_points(
    acyclic: &AcyclicDfa,
    full: &[u32; 4],
    Utf8Edge { edge, more, bits, before }: Utf8Edge,
    ranges: &mut Vec<(u32, u32)>,
) {
    let width = 6 * more;
    let code = |byte: u8| (before << 6) | (u32::from(byte) & bits);
    if edge.target == full[usize::from(more)] {
        push_range(ranges, code(edge.first) << width, (code(edge.last) << width) | ((1 << width) - 1));
        return;
    }
    for byte in edge.first..=edge.last {
        for &next in acyclic.edges(edge.target) {
            let next = Utf8Edge { edge: next, more: more - 1, bits: 0x3F, before: code(byte) };
            add_code_points(acyclic, full, next, ranges);
        }
    }
}

fn push_range(ranges: &mut Vec<(u32, u32)>, first: u32, last: u32) {
    match ranges.last_mut() {
        _ if first > last => {}
        Some(before) if before.1 + 1 == first => before.1 = last,
        _ => ranges.push((first, last)),
    }
}

/// A digit of an escape: its place value as a power of two, its least value, and the number of its values.
#[derive(Clone, Copy)]
struct Digit {
    shift: u32,
    least: u32,
    count: u32,
}

const fn digit(shift: u32, least: u32, count: u32) -> Digit {
    Digit { shift, least, count }
}

/// The digits of a code point up to U+FFFF.
const BASIC_DIGITS: [Digit; 4] = [digit(12, 0, 16), digit(8, 0, 16), digit(4, 0, 16), digit(0, 0, 16)];
/// The digits after each `d` of a surrogate pair, for a code point beyond U+FFFF.
const SURROGATE_DIGITS: [Digit; 6] =
    [digit(18, 8, 4), digit(14, 0, 16), digit(10, 0, 16), digit(8, 12, 4), digit(4, 0, 16), digit(0, 0, 16)];
/// Index of the digit of a pair that follows `\ud`.
const LOW_SURROGATE_DIGIT: usize = 3;

struct DigitsBuilder<'a> {
    acyclic: &'a mut AcyclicDfa,
    ranges: &'a [(u32, u32)],
    has_upper_case: bool,
    digits: &'static [Digit],
    /// For each digit, the state before it that accepts all values of the digits from there on, if it has
    /// been built.
    full: [Option<u32>; 7],
}

/// Returns the state that accepts the digits of these code points. Returns `None` if there is none.
fn spell(acyclic: &mut AcyclicDfa, ranges: &[(u32, u32)], has_upper_case: bool) -> Option<u32> {
    let mut pairs =
        DigitsBuilder { acyclic, ranges, has_upper_case, digits: &SURROGATE_DIGITS, full: [None; 7] };
    let high: Vec<Option<u32>> = (0..4).map(|high| pairs.block(1, 0x1_0000 + (high << 18))).collect();
    let mut plain = DigitsBuilder { acyclic, ranges, has_upper_case, digits: &BASIC_DIGITS, full: [None; 7] };
    let mut targets: Vec<Option<u32>> = (0..16).map(|first| plain.block(1, first << 12)).collect();
    let mut behind_d: Vec<Option<u32>> =
        (0..8).map(|second| plain.block(2, 0xD000 + (second << 8))).collect();
    behind_d.extend(high);
    targets[0xD] = plain.hex(0, &behind_d);
    plain.hex(0, &targets)
}

impl DigitsBuilder<'_> {
    /// Returns the state before digit `at` for one block of code points. The block begins at `low` and
    /// contains as many code points as the digits from `at` on distinguish. The recursion is as deep as there
    /// are digits.
    fn block(&mut self, at: usize, low: u32) -> Option<u32> {
        let size = self.digits[at - 1..].first().map_or(1, |before| 1 << before.shift);
        let covering = self.ranges.partition_point(|&(_, last)| last < low);
        let &(first, last) = self.ranges.get(covering).filter(|&&(first, _)| first < low + size)?;
        let is_full = first <= low && last >= low + size - 1;
        if is_full && let Some(state) = self.full[at] {
            return Some(state);
        }
        let Some(&Digit { shift, least, count }) = self.digits.get(at) else { return Some(SINK) };
        let targets: Vec<Option<u32>> =
            (0..count).map(|value| self.block(at + 1, low + (value << shift))).collect();
        let mut state = self.hex(least as usize, &targets)?;
        if self.digits.len() == SURROGATE_DIGITS.len() && at == LOW_SURROGATE_DIGIT {
            state = self.hex(0xD, &[Some(state)])?;
            for letter in [b'u', b'\\'] {
                state = self.acyclic.state(false, &[Edge { first: letter, last: letter, target: state }]);
            }
        }
        if is_full {
            self.full[at] = Some(state);
        }
        Some(state)
    }

    /// Returns the state whose edges by the digits from `least` on lead to `targets`, in order. Returns
    /// `None` if there is no edge.
    fn hex(&mut self, least: usize, targets: &[Option<u32>]) -> Option<u32> {
        let mut edges = Vec::new();
        let upper = if self.has_upper_case { &b"ABCDEF"[..] } else { b"" };
        for (letters, base) in [(&b"0123456789"[..], 0), (upper, 10), (b"abcdef", 10)] {
            for (&letter, value) in letters.iter().zip(base..) {
                let target = usize::checked_sub(value, least).and_then(|place| *targets.get(place)?);
                edges.extend(target.map(|target| Edge { first: letter, last: letter, target }));
            }
        }
        if edges.is_empty() { None } else { Some(self.acyclic.state(false, &edges)) }
    }
}
