//! The shortest string of a language, by a search over its derivatives.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use grammask_work::charge;
use rustc_hash::FxHashMap;

use crate::{Error, RegularId, Store};

/// Work of one derivative of the search, beside that of the derivative itself.
const UNITS_PER_STEP: u64 = 4;

/// The best known way to a state.
struct Way {
    length: u32,
    from: RegularId,
    byte: u8,
}

/// Returns a shortest string of `a` that has at least one byte. Returns `None` if `a` has none of at most
/// `max_bytes` bytes, or if the search meets more than `max_states` states.
///
/// # Errors
/// If a limit of the store or the account of work is exceeded.
///
/// # Complexity
/// The search goes first where the expression promises the shortest string. For concatenations, unions and
/// repetitions of byte sets the promise is exact. Then the search takes the derivatives of about as many
/// states as the string has bytes. For word lists, numbers and intersections it is a lower bound.
///
/// # Source
/// P. Hart, N. Nilsson, B. Raphael, "A Formal Basis for the Heuristic Determination of Minimum Cost Paths",
/// 1968.
///
/// ```
/// use grammask_regular::{Store, analysis};
///
/// let mut store = Store::new(&Default::default());
/// let language = store.regex("(?:ab){3,9}c|[a-z]{5}")?;
/// let text = analysis::shortest_text(&mut store, language, 100, 1_000)?;
/// assert_eq!(text.map(|text| text.len()), Some(5));
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn shortest_text(
    store: &mut Store,
    a: RegularId,
    max_bytes: u64,
    max_states: usize,
) -> Result<Option<Vec<u8>>, Error> {
    let mut ways: FxHashMap<RegularId, Way> = FxHashMap::default();
    // By the promised length, and where that is equal, the longest way first. `a` itself is not in `ways`
    // until a cycle returns to it, so the empty string is not found.
    let mut open = BinaryHeap::from([(Reverse(u64::from(store.node(a).min)), 0, a)]);
    while let Some((Reverse(promised), length, state)) = open.pop() {
        if promised > max_bytes || ways.len() > max_states {
            return Ok(None);
        }
        if length > 0 && ways.get(&state).is_none_or(|way| way.length < length) {
            continue;
        }
        if length > 0 && store.is_nullable(state) {
            return Ok(Some(read(store, &ways, state, length)));
        }
        let partition = store.node(state).partition;
        for class in 0..store.partitions.len(partition) {
            charge(UNITS_PER_STEP)?;
            let byte = store.partitions.representative(partition, class);
            let next = store.derivative(state, byte)?;
            let length = length + 1;
            if next == RegularId::EMPTY || ways.get(&next).is_some_and(|way| way.length <= length) {
                continue;
            }
            ways.insert(next, Way { length, from: state, byte });
            open.push((Reverse(u64::from(length) + u64::from(store.node(next).min)), length, next));
        }
    }
    Ok(None)
}

/// Returns the bytes on the way to a state, `length` of them. Of equal ones, letters and digits come first.
fn read(store: &Store, ways: &FxHashMap<RegularId, Way>, mut state: RegularId, length: u32) -> Vec<u8> {
    let mut text = Vec::with_capacity(length as usize);
    while text.len() < length as usize
        && let Some(way) = ways.get(&state)
    {
        let partition = store.node(way.from).partition;
        let class = store.partitions.class_of(partition, way.byte);
        let mut readable = (b'a'..=b'z').chain(b'0'..=b'9').chain(b'A'..=b'Z').chain(b' '..=b'~');
        let byte = readable.find(|&byte| store.partitions.class_of(partition, byte) == class);
        text.push(byte.unwrap_or(way.byte));
        state = way.from;
    }
    text.reverse();
    text
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::Limits;

    /// Returns the length of a shortest string that is not empty, breadth first.
    fn by_layers(store: &mut Store, a: RegularId) -> Option<usize> {
        let (mut seen, mut layer) = (HashSet::new(), vec![a]);
        for length in 1.. {
            let mut next = Vec::new();
            for state in layer {
                for byte in 0..=u8::MAX {
                    let after = store.derivative(state, byte).unwrap();
                    if store.is_nullable(after) {
                        return Some(length);
                    }
                    if after != RegularId::EMPTY && seen.insert(after) {
                        next.push(after);
                    }
                }
            }
            if next.is_empty() {
                return None;
            }
            layer = next;
        }
        None
    }

    #[test]
    fn lengths_equal_those_of_a_breadth_first_search() {
        let mut store = Store::new(&Limits::default());
        let patterns = [
            "",
            "a",
            "a*",
            "(?:ab)*",
            "(?:aab)+|c{4}",
            "[a-z]{3,7}é",
            "(?s:.)*ab(?s:.)*",
            "(?:a|bc){2}",
            "[0-9]+\\.[0-9]{2}",
            "(?:aaa)+",
            "(?:aaaa)+",
            "[^a]{2,}",
            "(?s:.){5}",
            "(?:a{3}|b){2,4}x?",
            "\\p{L}{2}",
        ];
        let parts: Vec<RegularId> = patterns.iter().map(|pattern| store.regex(pattern).unwrap()).collect();
        let mut compared = 0;
        for &one in &parts {
            for &other in &parts {
                let other_not = store.complement(other).unwrap();
                let both = store.intersection(&[one, other]).unwrap();
                let without = store.intersection(&[one, other_not]).unwrap();
                let spelled = store.json_text(without).unwrap();
                let either = store.union(&[one, other]).unwrap();
                let after = store.concat(&[without, other]).unwrap();
                for language in [both, without, spelled, either, after] {
                    let expected = by_layers(&mut store, language);
                    let found = shortest_text(&mut store, language, 1 << 20, 1 << 20).unwrap();
                    assert_eq!(found.as_ref().map(Vec::len), expected, "{}", store.display(language));
                    if let Some(text) = found {
                        let end = store.derivative_by_text(language, &text).unwrap();
                        assert!(store.is_nullable(end), "{text:?} of {}", store.display(language));
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 500, "{compared}");
    }

    #[test]
    fn the_nearest_end_comes_before_wide_alternatives() {
        let mut store = Store::new(&Limits::default());
        let wide = store.regex("[a-z]{1,3}(?:-[a-z0-9]{1,8}){40}|[A-Z]{60}!").unwrap();
        let before = store.len();
        let text = shortest_text(&mut store, wide, 1_000, 200).unwrap();
        assert_eq!(text.map(|text| text.len()), Some(61));
        assert!(store.len() - before < 400);
        assert_eq!(shortest_text(&mut store, wide, 60, 200), Ok(None));
    }
}
