//! Computes the first bytes of a language from its expression, without a derivative.
//!
//! This succeeds for literals and their JSON spellings, which are most terminals of a data format.

use crate::analysis::limits::ProofLimits;
use crate::json::string::is_raw;
use crate::store::node::{JsonPosition, Kind, PROVEN_NONEMPTY, RegularId};
use crate::{ByteSet, Store};

/// Returns the bytes that strings of `a` begin with. Returns `None` if the syntax of the expression does not
/// determine them.
///
/// # Complexity
/// O(1).
///
/// ```
/// # use grammask_regular::{analysis, Limits, Store};
/// let mut store = Store::new(&Limits::default());
/// let key = store.literal(b"key")?;
/// let spelled = store.json_text(key)?;
/// let bytes = analysis::first_bytes(&store, spelled).expect("a text shows how it begins");
/// assert_eq!(bytes.to_string(), r"[\\k]");
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn first_bytes(store: &Store, a: RegularId) -> Option<ByteSet> {
    first_bytes_at(store, a, ProofLimits::FIRST_BYTES.depth, &mut { ProofLimits::FIRST_BYTES.visits })
}

/// Returns the byte that all strings of `a` begin with, and the bytes that can follow it, if every string has
/// both. Returns `None` if the syntax of the expression does not determine them.
///
/// # Complexity
/// O(1).
///
/// ```
/// # use grammask_regular::{analysis, Limits, Store};
/// let mut store = Store::new(&Limits::default());
/// let key = store.literal(b"key")?;
/// let (first, next) = analysis::first_two_bytes(&store, key).expect("a text shows how it begins");
/// assert_eq!((first, next.to_string()), (b'k', "[e]".to_owned()));
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn first_two_bytes(store: &Store, a: RegularId) -> Option<(u8, ByteSet)> {
    let Kind::Concat(head, tail) = store.node(a).kind else { return None };
    let Kind::Bytes(set) = store.node(head).kind else { return None };
    let first = store.byte_set(set).single_byte()?;
    if store.is_nullable(tail) {
        return None;
    }
    Some((first, first_bytes(store, tail)?))
}

/// Returns `None` unless each visited operand is proven non-empty: an operand may be empty without the flag.
fn first_bytes_at(store: &Store, a: RegularId, depth: u32, visits: &mut u32) -> Option<ByteSet> {
    let depth = depth.checked_sub(1)?;
    *visits = visits.checked_sub(1)?;
    if !store.node(a).has(PROVEN_NONEMPTY) {
        return None;
    }
    match store.node(a).kind {
        Kind::Epsilon => Some(ByteSet::EMPTY),
        Kind::Bytes(set) => Some(*store.byte_set(set)),
        Kind::Words { range, depth } => {
            let (list, words) = store.leaves.words(range);
            (words.len() <= *visits as usize).then(|| list.next_bytes(words, depth))
        }
        Kind::Concat(head, _) if !store.is_nullable(head) => first_bytes_at(store, head, depth, visits),
        Kind::Concat(head, tail) => Some(
            first_bytes_at(store, head, depth, visits)?.union(&first_bytes_at(store, tail, depth, visits)?),
        ),
        Kind::Or(list) => {
            let mut all = ByteSet::EMPTY;
            for &member in store.list(list) {
                all = all.union(&first_bytes_at(store, member, depth, visits)?);
            }
            Some(all)
        }
        Kind::Repeat { base, .. } => first_bytes_at(store, base, depth, visits),
        Kind::Json { text, escapes, at: JsonPosition::Character } => {
            let text = first_bytes_at(store, text, depth, visits)?;
            let mut bytes: ByteSet = text.iter().filter(|&byte| is_raw(byte)).collect();
            if !text.intersection(&escapes.escaped_bytes()).is_empty() {
                bytes.insert(b'\\');
            }
            Some(bytes)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{first_bytes, first_two_bytes};
    use crate::{ByteSet, Limits, RegularId, Store};

    /// Returns the first bytes according to derivatives.
    fn live(store: &mut Store, a: RegularId) -> ByteSet {
        (0..=u8::MAX).filter(|&byte| store.derivative(a, byte).unwrap() != RegularId::EMPTY).collect()
    }

    #[test]
    fn first_bytes_agree_with_derivatives() {
        let mut store = Store::new(&Limits::default());
        let (mut evident, mut openings) = (0, 0);
        for pattern in [
            "abc",
            "ab|ac|d",
            "\"",
            "é|ü",
            "a*b",
            "(ab){2,5}",
            "[a-c]x|é",
            "\\n\t|x",
            "(abc|def)?",
            "x(a&b)*",
            "\u{1F600}a",
            "[ \t]{0,9}:[ \t]{0,9}",
            "(ab)?(é|c)*[x-z]?",
        ] {
            let plain = store.regex(pattern).unwrap();
            let spelled = store.json_text(plain).unwrap();
            let quote = store.literal(b"\"").unwrap();
            let string = store.concat(&[spelled, quote]).unwrap();
            let mut open = vec![plain, spelled, string];
            let mut place = 0;
            while let Some(&state) = open.get(place) {
                place += 1;
                if let Some(bytes) = first_bytes(&store, state) {
                    assert_eq!(bytes, live(&mut store, state), "{pattern}: {}", store.display(state));
                    evident += 1;
                }
                if let Some((first, next)) = first_two_bytes(&store, state) {
                    assert_eq!(live(&mut store, state).single_byte(), Some(first), "{pattern}");
                    let after = store.derivative(state, first).unwrap();
                    assert!(!store.is_nullable(after), "{pattern}: {}", store.display(state));
                    assert_eq!(next, live(&mut store, after), "{pattern}: {}", store.display(state));
                    openings += 1;
                }
                for byte in 0..=u8::MAX {
                    let next = store.derivative(state, byte).unwrap();
                    if next != RegularId::EMPTY && !open.contains(&next) && open.len() < 200 {
                        open.push(next);
                    }
                }
            }
        }
        assert!(evident > 100 && openings > 20, "{evident} states are evident, {openings} openings");
    }

    #[test]
    fn empty_operands_have_no_first_bytes() {
        let mut store = Store::new(&Limits::default());
        let mut of = |pattern: &str| store.regex(pattern).unwrap();
        let (a, b, xy, xz) = (of("a"), of("b"), of("(xy)+"), of("(xz)+"));
        let void = store.intersection(&[xy, xz]).unwrap();
        let after_a = store.concat(&[a, void]).unwrap();
        for whole in [
            store.union(&[b, after_a]).unwrap(),
            store.concat(&[after_a, b]).unwrap(),
            store.repeat(after_a, 0, None).unwrap(),
        ] {
            for whole in [whole, store.json_text(whole).unwrap()] {
                for _ in 0..2 {
                    if let Some(bytes) = first_bytes(&store, whole) {
                        assert!(!bytes.contains(b'a'), "{}", store.display(whole));
                    }
                    // The store has now recorded that the operand is empty.
                    let _ = store.derivative(whole, b'a').unwrap();
                }
            }
        }
    }
}
