//! The JSON spellings of a language: `json(x)` contains the ways to write a string of x between quotes. Which
//! ones, say [`Escapes`].
//!
//! `Kind::Json` represents them. The continuation of `\u` is an expression of other kinds, made on demand.

use crate::analysis::utf8::is_utf8;
use crate::construct::boolean::resolve_empty;
use crate::construct::concat::concat_pair;
use crate::json::escape::escape_digits;
use crate::leaf::acyclic_dfa::{Edge, SINK};
use crate::store::node::{JsonPosition, Kind, PROVEN_NONEMPTY, RegularId, TRIMMED};
use crate::{ByteSet, Error, Escapes, Limit, Store};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Levels of JSON spellings in JSON spellings. Derivatives recurse once per level.
const MAX_JSON_NESTING: u8 = 8;

/// The regex of all UTF-8 strings.
const ANY_TEXT: &str = "(?s:.)*";

/// Characters that lead to one successor: the successor, and the characters as a state of the acyclic DFA.
type Group = (RegularId, u32);

/// Returns the limit on levels of JSON spellings.
pub(crate) fn max_json_nesting(store: &Store) -> u8 {
    store.limits.json_nesting.min(MAX_JSON_NESTING)
}

/// See [`Store::json_text_with`].
pub(crate) fn json_text(store: &mut Store, a: RegularId, escapes: Escapes) -> Result<RegularId, Error> {
    let max_nesting = max_json_nesting(store);
    if store.node(a).nesting >= max_nesting {
        let value = usize::from(max_nesting);
        return Err(Error::limit(Limit::JsonNesting, value, Some(value + 1)));
    }
    let mut text = a;
    if !is_utf8(store, a) {
        let any = store.regex(ANY_TEXT)?;
        text = store.intersection(&[a, any])?;
    }
    json_spellings(store, text, escapes)
}

/// Returns the spellings of a language that contains only UTF-8, or of a derivative of one.
pub(crate) fn json_spellings(store: &mut Store, a: RegularId, escapes: Escapes) -> Result<RegularId, Error> {
    let a = resolve_empty(store, a);
    if a == RegularId::EMPTY || a == RegularId::EPSILON {
        return Ok(a);
    }
    store.memos.has_json = true;
    store.intern(Kind::Json { text: a, escapes, at: JsonPosition::Character })
}

/// As [`json_spellings`], from a position inside a spelling. Inside an escape, the language is empty if no
/// character with such an escape can come next.
pub(crate) fn json_spellings_at(
    store: &mut Store,
    a: RegularId,
    escapes: Escapes,
    at: JsonPosition,
) -> Result<RegularId, Error> {
    let firsts = match at {
        JsonPosition::Character => return json_spellings(store, a, escapes),
        JsonPosition::AfterBackslash => escapes.escaped_bytes(),
        JsonPosition::AfterU => escapes.unit_bytes(),
    };
    let a = resolve_empty(store, a);
    if !begins_with_one_of(store, a, &firsts)? {
        return Ok(RegularId::EMPTY);
    }
    let state = store.intern(Kind::Json { text: a, escapes, at })?;
    store.arena.nodes[state.index()].flags |= PROVEN_NONEMPTY | TRIMMED;
    Ok(state)
}

/// Returns true if a byte represents itself in a JSON string.
pub(crate) const fn is_raw(byte: u8) -> bool {
    byte >= 0x20 && byte != b'"' && byte != b'\\'
}

/// Returns the derivative by a byte that does not represent itself. The characters after `\u` are examined
/// only at the first digit: every walk over a string reads a backslash, but few read digits after it.
pub(crate) fn derive_escape(
    store: &mut Store,
    a: RegularId,
    escapes: Escapes,
    at: JsonPosition,
    byte: u8,
) -> Result<RegularId, Error> {
    let short = match (at, byte) {
        (JsonPosition::Character, b'\\') => {
            return json_spellings_at(store, a, escapes, JsonPosition::AfterBackslash);
        }
        (JsonPosition::AfterBackslash, b'u') => {
            return json_spellings_at(store, a, escapes, JsonPosition::AfterU);
        }
        (JsonPosition::AfterBackslash, _) => match escapes.short_escape(byte) {
            Some(short) => short,
            None => return Ok(RegularId::EMPTY),
        },
        (JsonPosition::AfterU, b'0'..=b'9' | b'A'..=b'F' | b'a'..=b'f') => {
            let units = unicode_escapes(store, a, escapes, byte)?;
            return store.derivative(units, byte);
        }
        _ => return Ok(RegularId::EMPTY),
    };
    let next = store.derivative(a, short)?;
    json_spellings(store, next, escapes)
}

/// Returns true if a string of `a` begins with one of some bytes.
fn begins_with_one_of(store: &mut Store, a: RegularId, firsts: &ByteSet) -> Result<bool, Error> {
    let partition = store.node(a).partition;
    for class in 0..store.partitions.len(partition) {
        if let Some(byte) = store.partitions.class(partition, class).intersection(firsts).first()
            && store.derivative(a, byte)? != RegularId::EMPTY
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the language after `\u` in the spellings of `a`, for one first digit. It consists of the digits of
/// a character and the spellings of the remaining text.
fn unicode_escapes(store: &mut Store, a: RegularId, escapes: Escapes, digit: u8) -> Result<RegularId, Error> {
    // The first digit determines the first bytes of the UTF-8. `d` also begins the surrogates of characters
    // of four bytes.
    let value = char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok()).unwrap_or(0);
    let ranges = match value {
        0 => [(0x00, 0x7F), (0xC2, 0xDF), (0xE0, 0xE0)].as_slice(),
        0xD => &[(0xED, 0xED), (0xF0, 0xF4)],
        _ => &[(0xE0 + value, 0xE0 + value)],
    };
    if let Some(&known) = store.memos.unicode_escapes.get(&(a, escapes, value)) {
        return Ok(known);
    }
    let mut firsts = ByteSet::EMPTY;
    ranges.iter().for_each(|&(low, high)| firsts.insert_range(low, high));
    let mut parts = Vec::new();
    for (next, characters) in character_groups(store, a, &firsts.intersection(&escapes.unit_bytes()))? {
        let digits = escape_digits(store, characters, escapes.has_upper_case())?;
        let rest = json_spellings(store, next, escapes)?;
        parts.push(concat_pair(store, digits, rest)?);
    }
    let all = store.union(&parts)?;
    store.leaves.bytes += 16;
    store.memos.unicode_escapes.insert((a, escapes, value), all);
    Ok(all)
}

/// Returns the characters that begin strings of `a`, if their first byte is one of `wanted`. They are grouped
/// by successor, in the order of ids.
fn character_groups(store: &mut Store, a: RegularId, wanted: &ByteSet) -> Result<Vec<Group>, Error> {
    // First bytes of characters of one to four bytes.
    const FIRST_BYTES: [(u8, u8); 4] = [(0x00, 0x7F), (0xC2, 0xDF), (0xE0, 0xEF), (0xF0, 0xF4)];
    let mut known = FxHashMap::default();
    let mut edges = Vec::new();
    let partition = store.node(a).partition;
    for class in 0..store.partitions.len(partition) {
        let bytes = store.partitions.class(partition, class).intersection(wanted);
        let firsts = FIRST_BYTES.map(|(low, high)| bytes.intersection(&ByteSet::range(low, high)));
        if firsts.iter().all(ByteSet::is_empty) {
            continue;
        }
        let next = store.derivative(a, store.partitions.representative(partition, class))?;
        if next == RegularId::EMPTY {
            continue;
        }
        for (more, firsts) in (0..).zip(&firsts).filter(|(_, firsts)| !firsts.is_empty()) {
            for (end, state) in continuation_groups(store, next, more, &mut known)? {
                push_edges(&mut edges, end, firsts, state);
            }
        }
    }
    Ok(group_by_target(store, edges))
}

/// As [`character_groups`], for the last `more` bytes of characters.
fn continuation_groups(
    store: &mut Store,
    a: RegularId,
    more: u8,
    known: &mut FxHashMap<(RegularId, u8), Vec<Group>>,
) -> Result<Vec<Group>, Error> {
    if more == 0 {
        return Ok(vec![(a, SINK)]);
    }
    if let Some(groups) = known.get(&(a, more)) {
        return Ok(groups.clone());
    }
    let mut edges = Vec::new();
    let partition = store.node(a).partition;
    for class in 0..store.partitions.len(partition) {
        let bytes = store.partitions.class(partition, class).intersection(&ByteSet::range(0x80, 0xBF));
        let Some(byte) = bytes.first() else { continue };
        let next = store.derivative(a, byte)?;
        if next != RegularId::EMPTY {
            // The recursion is at most three levels deep.
            for (end, state) in continuation_groups(store, next, more - 1, known)? {
                push_edges(&mut edges, end, &bytes, state);
            }
        }
    }
    let groups = group_by_target(store, edges);
    known.insert((a, more), groups.clone());
    Ok(groups)
}

fn group_by_target(store: &mut Store, mut edges: Vec<(RegularId, Edge)>) -> Vec<Group> {
    edges.sort_unstable_by_key(|&(end, edge)| (end, edge.first));
    let mut groups = Vec::new();
    for group in edges.chunk_by(|a, b| a.0 == b.0) {
        let edges: Vec<Edge> = group.iter().map(|&(_, edge)| edge).collect();
        groups.push((group[0].0, Arc::make_mut(&mut store.leaves.acyclic).state(false, &edges)));
    }
    groups
}

fn push_edges(edges: &mut Vec<(RegularId, Edge)>, end: RegularId, bytes: &ByteSet, target: u32) {
    edges.extend(bytes.ranges().map(|(first, last)| (end, Edge { first, last, target })));
}
