//! Languages without the empty string, and languages of first matches.

use crate::construct::boolean::resolve_empty;
use crate::construct::repeat::drop_epsilon_member;
use crate::store::node::{Kind, RegularId, UNBOUNDED};
use crate::{Error, Store};

/// See [`Store::non_empty`].
pub(crate) fn non_empty(store: &mut Store, a: RegularId) -> Result<RegularId, Error> {
    if !store.is_nullable(a) {
        return Ok(resolve_empty(store, a));
    }
    if let Some(some) = non_empty_without_intersection(store, a)? {
        return Ok(some);
    }
    let some = store.repeat(RegularId::ANY, 1, None)?;
    store.intersection(&[a, some])
}

/// As [`non_empty`], if the result is expressible without an intersection. `a` contains the empty string.
pub(crate) fn non_empty_without_intersection(
    store: &mut Store,
    a: RegularId,
) -> Result<Option<RegularId>, Error> {
    match store.node(a).kind {
        Kind::Epsilon => Ok(Some(RegularId::EMPTY)),
        Kind::Repeat { base, min: 0, max } if !store.is_nullable(base) => {
            store.repeat(base, 1, (max != UNBOUNDED).then_some(max)).map(Some)
        }
        Kind::Or(list) if store.list(list)[0] == RegularId::EPSILON => {
            drop_epsilon_member(store, a).map(Some)
        }
        _ => Ok(None),
    }
}

/// See [`Store::shortest_match`].
pub(crate) fn shortest_match(store: &mut Store, a: RegularId) -> Result<RegularId, Error> {
    let a = non_empty(store, a)?;
    prefix_minimal(store, a)
}

/// Returns the strings of `a` of which no proper prefix is in `a`: MIN(`a`).
pub(crate) fn prefix_minimal(store: &mut Store, a: RegularId) -> Result<RegularId, Error> {
    let a = resolve_empty(store, a);
    let node = store.node(a);
    if store.is_nullable(a) {
        Ok(RegularId::EPSILON)
    } else if node.min == node.max && node.max != UNBOUNDED || matches!(node.kind, Kind::PrefixMinimal(_)) {
        Ok(a)
    } else {
        store.intern(Kind::PrefixMinimal(a))
    }
}
