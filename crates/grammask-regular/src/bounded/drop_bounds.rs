//! Removes upper bounds of counters that no token reaches. The resulting language has fewer states.

use crate::analysis::limits::ProofLimits;
use crate::analysis::utf8::is_utf8;
use crate::json::string::json_spellings;
use crate::store::node::{JsonPosition, Kind, OperandList, RegularId, UNBOUNDED};
use crate::{Error, Store};

/// The parameters and results of one call.
struct BoundSearch {
    /// Minimum value of an upper bound that is removed.
    least: u32,
    /// Smallest upper bound that has been removed so far; [`UNBOUNDED`] if none has been.
    nearest: u32,
    /// Operands that may still be visited.
    visits: u32,
}

/// Removes the upper bounds of counters that are at least `least`. Returns the resulting language, and the
/// smallest bound that was removed. The language agrees with `a` on all texts of at most that many
/// characters; inside JSON spellings, these are the characters of the value.
///
/// Returns `None` if no such bound is proven to count characters.
///
/// # Errors
/// If a limit is exceeded.
///
/// # Complexity
/// Linear in the visited operands, whose number is bounded.
///
/// ```
/// # use grammask_regular::{analysis, Limits, Store};
/// let mut store = Store::new(&Limits::default());
/// let words = store.regex("([a-z]+ ){0,29}[a-z]{1,8}")?;
/// let free = store.regex("([a-z]+ )*[a-z]{1,8}")?;
/// assert_eq!(analysis::drop_bounds(&mut store, words, 16)?, Some((free, 29)));
/// assert_eq!(analysis::drop_bounds(&mut store, words, 30)?, None);
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn drop_bounds(store: &mut Store, a: RegularId, least: u32) -> Result<Option<(RegularId, u32)>, Error> {
    let mut search = BoundSearch { least, nearest: UNBOUNDED, visits: ProofLimits::COUNTER_BOUNDS.visits };
    let free = drop_bounds_at(store, a, ProofLimits::COUNTER_BOUNDS.depth, &mut search)?;
    Ok((search.nearest != UNBOUNDED).then_some((free, search.nearest)))
}

/// Each rule is sound because the parts of a short text are short. Bounds below a complement are kept:
/// without such a bound, the complement would have fewer texts. The recursion is bounded by `depth`.
fn drop_bounds_at(
    store: &mut Store,
    a: RegularId,
    depth: u32,
    search: &mut BoundSearch,
) -> Result<RegularId, Error> {
    let (Some(depth), Some(left)) = (depth.checked_sub(1), search.visits.checked_sub(1)) else {
        return Ok(a);
    };
    search.visits = left;
    match store.node(a).kind {
        Kind::Concat(..) => {
            let (mut parts, mut rest) = (Vec::new(), a);
            while let Kind::Concat(head, tail) = store.node(rest).kind
                && let Some(left) = search.visits.checked_sub(1)
            {
                search.visits = left;
                parts.push(drop_bounds_at(store, head, depth, search)?);
                rest = tail;
            }
            parts.push(drop_bounds_at(store, rest, depth, search)?);
            store.concat(&parts)
        }
        Kind::Or(list) => {
            let members = drop_member_bounds(store, list, depth, search)?;
            store.union(&members)
        }
        Kind::And(list) => {
            let members = drop_member_bounds(store, list, depth, search)?;
            store.intersection(&members)
        }
        Kind::Json { text, escapes, at: JsonPosition::Character } => {
            let text = drop_bounds_at(store, text, depth, search)?;
            json_spellings(store, text, escapes)
        }
        Kind::Repeat { base, min, max } => {
            let free = drop_bounds_at(store, base, depth, search)?;
            // Every non-empty round has a character if the base consists of whole characters.
            if max != UNBOUNDED && max >= search.least && is_utf8(store, base) {
                search.nearest = search.nearest.min(max);
                return store.repeat(free, min, None);
            }
            store.repeat(free, min, (max != UNBOUNDED).then_some(max))
        }
        _ => Ok(a),
    }
}

fn drop_member_bounds(
    store: &mut Store,
    list: OperandList,
    depth: u32,
    search: &mut BoundSearch,
) -> Result<Vec<RegularId>, Error> {
    let members = store.list(list).to_vec();
    members.into_iter().map(|member| drop_bounds_at(store, member, depth, search)).collect()
}
