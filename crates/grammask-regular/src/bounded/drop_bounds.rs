//! Counters whose bounds are further than a text is long need not count: what is left has fewer states, often just a few.

use crate::analysis::utf8::is_utf8;
use crate::json::string::json_spellings;
use crate::store::node::{JsonPosition, Kind, OperandList, RegularId, UNBOUNDED};
use crate::{Error, Store};

/// How deep parts are looked into, and into how many of them.
const NESTING: u32 = 8;
const PARTS: u32 = 256;

/// What is looked at, and what has been found.
struct BoundSearch {
    /// Bounds that are nearer stay.
    least: u32,
    /// The nearest bound that has been left out.
    nearest: u32,
    parts: u32,
}

/// A language without the upper bounds of counted repetitions that are at least `least`, and the nearest of these bounds: texts of no
/// more characters are in both languages or in neither. In spellings of JSON strings, the characters of the texts that they spell. Nothing
/// where there is no such bound that is seen to count characters, or what has at least one.
///
/// # Errors
/// When a limit is exceeded.
///
/// # Complexity
/// Linear in the parts of the expression; only so many are looked at.
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
    let mut search = BoundSearch { least, nearest: UNBOUNDED, parts: PARTS };
    let free = drop_bounds_at(store, a, NESTING, &mut search)?;
    Ok((search.nearest != UNBOUNDED).then_some((free, search.nearest)))
}

/// Each rule holds as a short text has short parts only; so nothing is left out below a complement, where a text is in the language as
/// another one is not. What is not looked into stays as it is. The depth of this recursion is bounded by a constant.
fn drop_bounds_at(
    store: &mut Store,
    a: RegularId,
    nesting: u32,
    search: &mut BoundSearch,
) -> Result<RegularId, Error> {
    let (Some(nesting), Some(left)) = (nesting.checked_sub(1), search.parts.checked_sub(1)) else {
        return Ok(a);
    };
    search.parts = left;
    match store.node(a).kind {
        Kind::Concat(..) => {
            let (mut parts, mut rest) = (Vec::new(), a);
            while let Kind::Concat(head, tail) = store.node(rest).kind
                && let Some(left) = search.parts.checked_sub(1)
            {
                search.parts = left;
                parts.push(drop_bounds_at(store, head, nesting, search)?);
                rest = tail;
            }
            parts.push(drop_bounds_at(store, rest, nesting, search)?);
            store.concat(&parts)
        }
        Kind::Or(list) => {
            let members = drop_member_bounds(store, list, nesting, search)?;
            store.union(&members)
        }
        Kind::And(list) => {
            let members = drop_member_bounds(store, list, nesting, search)?;
            store.intersection(&members)
        }
        Kind::Json { text, at: JsonPosition::Character } => {
            let text = drop_bounds_at(store, text, nesting, search)?;
            json_spellings(store, text)
        }
        Kind::Repeat { base, min, max } => {
            let free = drop_bounds_at(store, base, nesting, search)?;
            // Every round but those that are empty anyhow has a character, if what is repeated is whole characters.
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
    nesting: u32,
    search: &mut BoundSearch,
) -> Result<Vec<RegularId>, Error> {
    let members = store.list(list).to_vec();
    members.into_iter().map(|member| drop_bounds_at(store, member, nesting, search)).collect()
}
