//! Proves that a language contains only UTF-8, from its expression. A failed proof does not show the
//! opposite.

use crate::store::node::{Kind, RegularId, UTF8_ONLY};
use crate::{ByteSet, Store};
use rustc_hash::FxHashSet;

/// A position inside a character: number of bytes left, and range of the next byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Utf8Position {
    left: u8,
    low: u8,
    high: u8,
}

/// The position between two characters.
const BOUNDARY: Utf8Position = Utf8Position { left: 0, low: 0, high: 0 };

/// First bytes of characters, and the position after them (RFC 3629, section 4).
const FIRST_BYTES: [(u8, u8, Utf8Position); 9] = [
    (0x00, 0x7F, BOUNDARY),
    (0xC2, 0xDF, Utf8Position { left: 1, low: 0x80, high: 0xBF }),
    (0xE0, 0xE0, Utf8Position { left: 2, low: 0xA0, high: 0xBF }),
    (0xE1, 0xEC, Utf8Position { left: 2, low: 0x80, high: 0xBF }),
    (0xED, 0xED, Utf8Position { left: 2, low: 0x80, high: 0x9F }),
    (0xEE, 0xEF, Utf8Position { left: 2, low: 0x80, high: 0xBF }),
    (0xF0, 0xF0, Utf8Position { left: 3, low: 0x90, high: 0xBF }),
    (0xF1, 0xF3, Utf8Position { left: 3, low: 0x80, high: 0xBF }),
    (0xF4, 0xF4, Utf8Position { left: 3, low: 0x80, high: 0x8F }),
];

/// Maximum number of positions that [`count_chars`] visits. Beyond it, the result is `None`.
const MAX_COUNTED_POSITIONS: usize = 1_000;

impl Utf8Position {
    /// Returns the positions after the bytes of a range. Returns `None` if a byte of the range cannot follow.
    fn after(self, first: u8, last: u8) -> Option<impl Iterator<Item = Self>> {
        let mut places = [None; FIRST_BYTES.len()];
        let is_whole = if self.left > 0 {
            let next =
                if self.left == 1 { BOUNDARY } else { Self { left: self.left - 1, low: 0x80, high: 0xBF } };
            places[0] = Some(next);
            self.low <= first && last <= self.high
        } else {
            let mut from = u16::from(first);
            for ((low, high, position), found) in FIRST_BYTES.into_iter().zip(&mut places) {
                if u16::from(low) <= from && from <= u16::from(high) && from <= u16::from(last) {
                    *found = Some(position);
                    from = u16::from(high) + 1;
                }
            }
            from > u16::from(last)
        };
        is_whole.then(|| places.into_iter().flatten())
    }
}

/// Returns true if all strings are proven to be UTF-8.
///
/// # Complexity
/// Linear in the size of the expression and of its texts.
pub fn is_utf8(store: &Store, a: RegularId) -> bool {
    if store.node(a).has(UTF8_ONLY) {
        return true;
    }
    let mut seen = FxHashSet::default();
    let mut stack = vec![a];
    while let Some(a) = stack.pop() {
        if store.node(a).has(UTF8_ONLY) || !seen.insert(a) {
            continue;
        }
        let holds = match store.node(a).kind {
            Kind::Empty | Kind::Epsilon | Kind::Number(_) => true,
            Kind::Bytes(_) | Kind::Acyclic(_) => run_utf8(store, a, BOUNDARY) == Some(BOUNDARY),
            Kind::Words { range, depth } => {
                let (list, words) = store.leaves.words(range);
                list.rests(words, depth).all(|rest| std::str::from_utf8(rest).is_ok())
            }
            Kind::Factor { automaton, .. } => store.leaves.factor_automata[automaton].text.is_ascii(),
            Kind::Concat(..) => is_utf8_concat(store, a, &mut stack),
            Kind::Or(list) => {
                stack.extend(store.list(list));
                true
            }
            Kind::And(list) => {
                // One operand that contains only UTF-8 suffices. Operands of these kinds are never proven to.
                let is_unprovable = |a: RegularId| match store.node(a).kind {
                    Kind::Not(_) | Kind::AhoCorasick { .. } => true,
                    Kind::Repeat { base, .. } => base == RegularId::ANY,
                    _ => false,
                };
                let member = store.list(list).iter().find(|&&member| !is_unprovable(member));
                stack.extend(member);
                member.is_some()
            }
            Kind::PrefixMinimal(a) | Kind::Json { text: a, .. } | Kind::Repeat { base: a, .. } => {
                stack.push(a);
                true
            }
            Kind::Not(_) | Kind::AhoCorasick { .. } => false,
        };
        if !holds {
            return false;
        }
    }
    true
}

/// Follows the bytes of a concatenation. Operands that begin between characters are pushed to be examined on
/// their own.
fn is_utf8_concat(store: &Store, a: RegularId, stack: &mut Vec<RegularId>) -> bool {
    let mut position = BOUNDARY;
    let mut rest = Some(a);
    while let Some(a) = rest {
        let head = match store.node(a).kind {
            Kind::Concat(head, tail) => {
                rest = Some(tail);
                head
            }
            _ => {
                rest = None;
                a
            }
        };
        if position == BOUNDARY && store.node(head).has(UTF8_ONLY) {
            continue;
        }
        match run_utf8(store, head, position) {
            Some(next) => position = next,
            None if position == BOUNDARY => stack.push(head),
            None => return false,
        }
    }
    position == BOUNDARY
}

/// Returns the position after the strings of a leaf. Returns `None` if it is not the same for all strings.
fn run_utf8(store: &Store, a: RegularId, position: Utf8Position) -> Option<Utf8Position> {
    match store.node(a).kind {
        Kind::Bytes(set) => {
            let set: &ByteSet = store.byte_set(set);
            let mut one = None;
            for (first, last) in set.ranges() {
                for after in position.after(first, last)? {
                    if *one.get_or_insert(after) != after {
                        return None;
                    }
                }
            }
            one
        }
        Kind::Acyclic(state) => {
            let mut seen = FxHashSet::default();
            let mut stack = vec![(state, position)];
            while let Some((state, position)) = stack.pop() {
                if !seen.insert((state, position)) {
                    continue;
                }
                if store.leaves.acyclic.is_final(state) && position != BOUNDARY {
                    return None;
                }
                for edge in store.leaves.acyclic.edges(state) {
                    let places = position.after(edge.first, edge.last)?;
                    stack.extend(places.map(|position| (edge.target, position)));
                }
            }
            Some(BOUNDARY)
        }
        // `[\x80-\xBF]{2}` at the end of a character.
        Kind::Repeat { base, min, max }
            if min == max && min < 4 && matches!(store.node(base).kind, Kind::Bytes(_)) =>
        {
            (0..min).try_fold(position, |position, _| run_utf8(store, base, position))
        }
        _ => None,
    }
}

/// Returns the number of characters of the strings that the acyclic DFA accepts from a state. Returns `None`
/// if it is not the same for all, or if the strings are not proven to be UTF-8.
pub(crate) fn fixed_char_count(store: &mut Store, state: u32) -> Option<u32> {
    if let Some(&known) = store.memos.fixed_char_counts.get(&state) {
        return known;
    }
    let found = count_chars(store, state);
    store.memos.fixed_char_counts.insert(state, found);
    found
}

/// As [`fixed_char_count`], without a cache.
fn count_chars(store: &Store, state: u32) -> Option<u32> {
    let mut seen = FxHashSet::default();
    let mut stack = vec![(state, BOUNDARY, 0)];
    let mut common = None;
    while let Some((state, position, count)) = stack.pop() {
        if !seen.insert((state, position, count)) {
            continue;
        }
        if store.leaves.acyclic.is_final(state)
            && (position != BOUNDARY || *common.get_or_insert(count) != count)
            || seen.len() > MAX_COUNTED_POSITIONS
        {
            return None;
        }
        for edge in store.leaves.acyclic.edges(state) {
            for next in position.after(edge.first, edge.last)? {
                stack.push((edge.target, next, count + u32::from(next == BOUNDARY)));
            }
        }
    }
    common
}
