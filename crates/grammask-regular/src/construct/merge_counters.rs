//! Expressions that differ in counters only. `[a-z]{3,7}x` and `[a-z]{4,8}x` have the same skeleton; their union is
//! `[a-z]{3,8}x`. Without this, a counted repetition that can be split in several ways would leave a member
//! behind for every byte.

use crate::construct::concat::concat_pair;
use crate::store::node::{Kind, RegularId, UNBOUNDED};
use crate::{Error, Store};

/// Marks skeletons that are not the ids of expressions.
const MARK: u32 = 1 << 31;

/// The skeleton of an expression with a counter on its spine: equal skeletons, equal but for counters.
pub(crate) fn counter_free_key(store: &mut Store, kind: Kind) -> u32 {
    let key = match kind {
        Kind::Repeat { base, .. } => (u32::MAX, base.0),
        Kind::Concat(head, tail) => (store.node(head).counter_free_key, store.node(tail).counter_free_key),
        _ => return MARK,
    };
    let next = store.memos.counter_free_keys.len() as u32 | MARK;
    *store.memos.counter_free_keys.entry(key).or_insert(next)
}

/// The union of two expressions with the same skeleton, if they differ in one counter and the counters have no gap
/// between them.
pub(crate) fn merge_counters(
    store: &mut Store,
    mut a: RegularId,
    mut b: RegularId,
) -> Result<Option<RegularId>, Error> {
    let mut heads = Vec::new();
    let mut result = loop {
        match (store.node(a).kind, store.node(b).kind) {
            (Kind::Concat(head, rest), Kind::Concat(other, other_rest)) => {
                if head == other {
                    heads.push(head);
                    (a, b) = (rest, other_rest);
                    continue;
                }
                if rest != other_rest {
                    return Ok(None);
                }
                let Some(head) = merge_counter_pair(store, head, other, rest)? else { return Ok(None) };
                break concat_pair(store, head, rest)?;
            }
            _ => match merge_counter_pair(store, a, b, RegularId::EPSILON)? {
                Some(joined) => break joined,
                None => return Ok(None),
            },
        }
    };
    for head in heads.into_iter().rev() {
        result = concat_pair(store, head, result)?;
    }
    Ok(Some(result))
}

/// The union of two counters before the same rest.
fn merge_counter_pair(
    store: &mut Store,
    a: RegularId,
    b: RegularId,
    rest: RegularId,
) -> Result<Option<RegularId>, Error> {
    let (Kind::Repeat { base, min, max }, Kind::Repeat { base: other, min: low, max: high }) =
        (store.node(a).kind, store.node(b).kind)
    else {
        return Ok(None);
    };
    // Before all strings, the lower counter contains the higher one.
    let has_gap = min.max(low) > max.min(high).saturating_add(1) && rest != RegularId::ALL;
    if base != other || has_gap {
        return Ok(None);
    }
    let (min, max) = (min.min(low), max.max(high));
    store.repeat(base, min, (max != UNBOUNDED).then_some(max)).map(Some)
}
