//! Strings that proved intersections to be non-empty, and may prove others.
//!
//! Neighboring states of an intersection with a counter or a complement are all different, but usually one
//! ending suffices for all of them. Testing it makes no states, whereas a search makes one per byte.

use crate::Store;
use crate::number::samples::is_known_member;
use crate::store::node::RegularId;

/// Number of strings that are kept, and their greatest length in bytes. Testing must cost less than a search.
const MAX_WITNESSES: usize = 4;
const MAX_WITNESS_BYTES: usize = 24;

/// The most recent strings, the newest first.
#[derive(Clone, Default)]
pub(crate) struct Witnesses(Vec<Box<[u8]>>);

/// Returns true if a recent witness is proven to be in an intersection. False means "not proven".
///
/// # Complexity
/// O(1): few short texts are tried, on expressions that are not deep.
pub(crate) fn has_witness(store: &mut Store, a: RegularId) -> bool {
    let texts = &store.memos.witnesses.0;
    let Some(place) = texts.iter().position(|text| is_known_member(store, a, text)) else { return false };
    store.memos.witnesses.0[..=place].rotate_right(1);
    true
}

/// Records a witness of an intersection: the bytes `path`, which lead to `end`, and a string of `end`.
/// Records nothing if no string of `end` is known.
pub(crate) fn learn_witness(store: &mut Store, path: &[u8], end: RegularId) {
    let rest = if store.is_nullable(end) {
        Some(&[][..])
    } else {
        store.memos.witnesses.0.iter().map(|text| &**text).find(|text| is_known_member(store, end, text))
    };
    let Some(rest) = rest else { return };
    let text = [path, rest].concat();
    if text.len() <= MAX_WITNESS_BYTES && !store.memos.witnesses.0.iter().any(|known| **known == *text) {
        store.memos.witnesses.0.truncate(MAX_WITNESSES - 1);
        store.memos.witnesses.0.insert(0, text.into());
    }
}

#[cfg(test)]
mod tests {
    use super::has_witness;
    use crate::{Error, Limits, RegularId, Store};

    /// A pattern that counts, intersected with exclusions, over all states reachable by few characters.
    #[test]
    fn witnesses_prove_only_non_empty_languages() -> Result<(), Error> {
        let mut store = Store::new(&Limits::default());
        let mut proven = 0;
        for (patterns, others) in [
            (&["(?:[ab]{1,9}\\.){1,5}[ab]+", "(?s:.){4,20}"][..], &["(?s:.)*aa\\.(?s:.)*", "[ab.]*b"][..]),
            (&["(?:a|b\\.)*[ab]", "[ab.]{3,7}"], &["(?s:.)*\\.a(?s:.)*"]),
            (&["a{2,}b*", "(?:ab|a)*"], &["a*"]),
        ] {
            let mut parts =
                patterns.iter().map(|pattern| store.regex(pattern)).collect::<Result<Vec<_>, _>>()?;
            for other in others {
                let other = store.regex(other)?;
                parts.push(store.complement(other)?);
            }
            let avoided = store.literal(b"b.b")?;
            parts.push(store.without_substring(avoided)?);
            let mut open = vec![store.intersection(&parts)?];
            let mut place = 0;
            while let Some(&state) = open.get(place) {
                place += 1;
                if has_witness(&mut store, state) {
                    // The witness that proved it has moved to the front.
                    let text = store.memos.witnesses.0[0].clone();
                    let mut end = state;
                    for &byte in &text {
                        end = store.derivative(end, byte)?;
                    }
                    assert!(
                        store.is_nullable(end),
                        "{}: {:?}",
                        store.display(state),
                        String::from_utf8_lossy(&text)
                    );
                    proven += 1;
                }
                for byte in *b"ab." {
                    let next = store.derivative(state, byte)?;
                    if next != RegularId::EMPTY && !open.contains(&next) && open.len() < 200 {
                        open.push(next);
                    }
                }
            }
        }
        assert!(proven > 100, "{proven} states");
        Ok(())
    }
}
