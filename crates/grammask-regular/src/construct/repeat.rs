//! Repetition, with counters that are not unrolled.

use crate::construct::boolean::resolve_empty;
use crate::store::node::{Kind, RegularId, UNBOUNDED};
use crate::{Error, Limit, Store};

/// See [`Store::repeat`].
pub(crate) fn repeat(
    store: &mut Store,
    a: RegularId,
    min: u32,
    max: Option<u32>,
) -> Result<RegularId, Error> {
    let limit = store.limits.counter.min(UNBOUNDED - 1);
    let bound = min.max(max.unwrap_or(0));
    if bound > limit {
        return Err(Error::limit(Limit::Counter, limit as usize, Some(bound as usize)));
    }
    let (a, max) = (resolve_empty(store, a), max.unwrap_or(UNBOUNDED));
    if min > max {
        return Ok(RegularId::EMPTY);
    }
    if max == 0 || a == RegularId::EPSILON {
        return Ok(RegularId::EPSILON);
    }
    if a == RegularId::EMPTY {
        return Ok(if min == 0 { RegularId::EPSILON } else { RegularId::EMPTY });
    }
    if (min, max) == (1, 1) || a == RegularId::ALL {
        return Ok(a);
    }
    let (mut base, mut min, mut max) = (a, min, max);
    if store.is_nullable(base) {
        min = 0;
        base = drop_epsilon_member(store, base)?;
    }
    if let Kind::Repeat { base: inner, min: p, max: q } = store.node(base).kind
        && let Some((low, high)) = product(p, q, min, max)
    {
        (base, min, max) = (inner, low, high);
        if (min, max) == (1, 1) {
            return Ok(base);
        }
    }
    if (min, max) == (0, 1) {
        if store.is_nullable(base) {
            return Ok(base);
        }
        if let Kind::Or(_) = store.node(base).kind {
            return store.union(&[RegularId::EPSILON, base]);
        }
    }
    store.intern(Kind::Repeat { base, min, max })
}

/// Returns an expression as a repetition: base, lower and upper bound.
pub(crate) fn as_repeat(store: &Store, a: RegularId) -> (RegularId, u32, u32) {
    match store.node(a).kind {
        Kind::Repeat { base, min, max } => (base, min, max),
        _ => (a, 1, 1),
    }
}

/// Returns a union without its operand "empty string", and other expressions unchanged.
pub(crate) fn drop_epsilon_member(store: &mut Store, a: RegularId) -> Result<RegularId, Error> {
    if let Kind::Or(list) = store.node(a).kind
        && store.list(list)[0] == RegularId::EPSILON
    {
        let rest = store.list(list)[1..].to_vec();
        return store.union(&rest);
    }
    if let Kind::Repeat { base, min: 0, max: 1 } = store.node(a).kind {
        return Ok(base);
    }
    Ok(a)
}

/// Returns the numbers of times that `(x{p,q}){min,max}` repeats x, if they are an interval.
fn product(p: u32, q: u32, min: u32, max: u32) -> Option<(u32, u32)> {
    // If the intervals of k and k + 1 rounds are adjacent for k = min, they are for all greater k as well.
    let high_of = |k: u64| if q == UNBOUNDED && k > 0 { u64::MAX } else { k * u64::from(q) };
    let is_interval =
        min == max || (u64::from(min) + 1) * u64::from(p) <= high_of(min.into()).saturating_add(1);
    if !is_interval {
        return None;
    }
    let low = p.checked_mul(min).filter(|&low| low != UNBOUNDED)?;
    if q == UNBOUNDED || max == UNBOUNDED {
        return Some((low, UNBOUNDED));
    }
    Some((low, q.checked_mul(max).filter(|&high| high != UNBOUNDED)?))
}

#[cfg(test)]
mod tests {
    use super::product;
    use crate::store::node::UNBOUNDED;

    #[test]
    fn products_are_intervals_without_gaps() {
        for p in 0..5u32 {
            for q in p.max(1)..7 {
                for min in 0..4u32 {
                    for max in min.max(1)..6 {
                        let sums = |n: u32| (min..=max).any(|k| k * p <= n && n <= k * q);
                        let numbers: Vec<u32> = (0..60).filter(|&n| sums(n)).collect();
                        let (low, high) = (numbers[0], numbers[numbers.len() - 1]);
                        let is_interval = numbers.len() as u32 == high - low + 1;
                        assert_eq!(
                            product(p, q, min, max),
                            is_interval.then_some((low, high)),
                            "{p} {q} {min} {max}"
                        );
                    }
                }
            }
        }
        assert_eq!(product(0, UNBOUNDED, 0, UNBOUNDED), Some((0, UNBOUNDED)));
        assert_eq!(product(1, UNBOUNDED, 3, 7), Some((3, UNBOUNDED)));
        assert_eq!(product(2, UNBOUNDED, 0, 1), None);
        assert_eq!(product(1 << 20, 1 << 20, 1 << 20, 1 << 20), None);
    }
}
