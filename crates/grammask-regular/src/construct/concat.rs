//! Concatenation.

use crate::construct::boolean::resolve_empty;
use crate::construct::repeat::as_repeat;
use crate::json::string::json_spellings;
use crate::store::node::{JsonPosition, Kind, RegularId, UNBOUNDED};
use crate::{Error, Store};
use grammask_work::charge;

/// See [`Store::concat`].
pub(crate) fn concat(store: &mut Store, parts: &[RegularId]) -> Result<RegularId, Error> {
    parts.iter().rev().try_fold(RegularId::EPSILON, |tail, &head| concat_pair(store, head, tail))
}

/// Returns the concatenation of two languages as a chain: no head is itself a concatenation.
pub(crate) fn concat_pair(
    store: &mut Store,
    head: RegularId,
    mut tail: RegularId,
) -> Result<RegularId, Error> {
    // From right to left. Heads that are concatenations are taken apart, so that none stays nested.
    let mut pending = Vec::new();
    let mut next = Some(head);
    while let Some(head) = next.take().or_else(|| pending.pop()) {
        charge(1)?;
        if let Kind::Concat(first, rest) = store.node(head).kind {
            pending.push(first);
            next = Some(rest);
            continue;
        }
        (next, tail) = prepend(store, head, tail)?;
    }
    Ok(tail)
}

/// Prepends a head that is not a concatenation. Returns `None` and the result, or another head and the tail
/// that the caller has to prepend it to.
fn prepend(
    store: &mut Store,
    head: RegularId,
    tail: RegularId,
) -> Result<(Option<RegularId>, RegularId), Error> {
    let (head, tail) = (resolve_empty(store, head), resolve_empty(store, tail));
    if head == RegularId::EMPTY || tail == RegularId::EMPTY {
        return Ok((None, RegularId::EMPTY));
    }
    if head == RegularId::EPSILON || tail == RegularId::EPSILON {
        return Ok((None, if head == RegularId::EPSILON { tail } else { head }));
    }
    if head == RegularId::ALL && store.is_nullable(tail) {
        return Ok((None, RegularId::ALL));
    }
    if tail == RegularId::ALL {
        if store.is_nullable(head) {
            return Ok((None, RegularId::ALL));
        }
        // Before the language of all strings, `x{m,n}` is equal to `x{m}`.
        if let Kind::Repeat { base, min, max } = store.node(head).kind
            && base != RegularId::ANY
            && min < max
        {
            return Ok((Some(store.repeat(base, min, Some(min))?), tail));
        }
    }
    let (next, rest) = match store.node(tail).kind {
        Kind::Concat(next, rest) => (next, rest),
        _ => (tail, RegularId::EPSILON),
    };
    if let (
        Kind::Json { text: a, escapes, at: JsonPosition::Character },
        Kind::Json { text: b, escapes: other, at: JsonPosition::Character },
    ) = (store.node(head).kind, store.node(next).kind)
        && escapes == other
    {
        let text = concat_pair(store, a, b)?;
        return Ok((Some(json_spellings(store, text, escapes)?), rest));
    }
    let (a, b) = (as_repeat(store, head), as_repeat(store, next));
    if a.0 == b.0
        && let (Some(min), Some(max)) = (a.1.checked_add(b.1), add_ends(a.2, b.2))
        && min != UNBOUNDED
    {
        return Ok((Some(store.repeat(a.0, min, (max != UNBOUNDED).then_some(max))?), rest));
    }
    Ok((None, store.intern(Kind::Concat(head, tail))?))
}

/// Returns the sum of two upper bounds. Returns `None` if it is not representable.
fn add_ends(a: u32, b: u32) -> Option<u32> {
    if a == UNBOUNDED || b == UNBOUNDED {
        return Some(UNBOUNDED);
    }
    a.checked_add(b).filter(|&sum| sum != UNBOUNDED)
}
