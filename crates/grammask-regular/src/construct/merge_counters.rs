//! Merges operands of a union that differ in one counter.
//!
//! `[a-z]{3,7}x` and `[a-z]{4,8}x` have equal counter-free keys; their union is `[a-z]{3,8}x`. Without this,
//! a counted repetition that can be split in several ways would leave one more operand per byte.

use crate::construct::concat::concat_pair;
use crate::store::node::{Kind, RegularId, UNBOUNDED};
use crate::{Error, Store};
use grammask_work::{charge, narrow};

/// Marks keys that are not ids of expressions.
const KEY_MARK: u32 = 1 << 31;

/// Returns the key of an expression with a counter on its chain of concatenations. Expressions with equal
/// keys differ only in counters.
pub(crate) fn counter_free_key(store: &mut Store, kind: Kind) -> u32 {
    let key = match kind {
        Kind::Repeat { base, .. } => (u32::MAX, base.0),
        Kind::Concat(head, tail) => (store.node(head).counter_free_key, store.node(tail).counter_free_key),
        _ => return KEY_MARK,
    };
    let next = narrow(store.memos.counter_free_keys.len()) | KEY_MARK;
    *store.memos.counter_free_keys.entry(key).or_insert(next)
}

/// Returns the union of two expressions with equal keys. Returns `None` unless they differ in one counter,
/// without a gap between the bounds.
pub(crate) fn merge_counters(
    store: &mut Store,
    mut a: RegularId,
    mut b: RegularId,
) -> Result<Option<RegularId>, Error> {
    let mut heads = Vec::new();
    let mut result = loop {
        charge(1)?;
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

/// Returns the union of two counters with the same base before the same rest. Returns `None` if there is a
/// gap between their bounds.
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
    // A gap does not matter before the language of all strings: the lower counter contains the higher one.
    let has_gap = min.max(low) > max.min(high).saturating_add(1) && rest != RegularId::ALL;
    if base != other || has_gap {
        return Ok(None);
    }
    let (min, max) = (min.min(low), max.max(high));
    store.repeat(base, min, (max != UNBOUNDED).then_some(max)).map(Some)
}
