//! Removes exceptions of short strings: `[a-z]{1,8}` from `[a-z]{1,8}` except `if` and `else`.

use crate::construct::concat::concat_pair;
use crate::json::string::json_spellings;
use crate::store::node::{JsonPosition, Kind, RegularId, STANDARD};
use crate::{Error, Store};

/// Maximum length of the strings of an exception that is removed, in bytes.
const MAX_EXCEPTION_BYTES: u32 = 64;

/// Removes complements of short strings from an intersection, at the top or inside one JSON spelling. Returns
/// `None` if there is none to remove.
///
/// # Errors
/// If a limit is exceeded.
///
/// # Complexity
/// Linear in the members of the intersection.
///
/// ```
/// # use grammask_regular::{analysis, Limits, Store};
/// let mut store = Store::new(&Limits::default());
/// let (name, keywords) = (store.regex("[a-z]{1,8}")?, store.regex("if|else")?);
/// let others = store.complement(keywords)?;
/// let identifier = store.intersection(&[name, others])?;
/// assert_eq!(analysis::drop_exceptions(&mut store, identifier)?, Some(name));
/// assert_eq!(analysis::drop_exceptions(&mut store, name)?, None);
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn drop_exceptions(store: &mut Store, a: RegularId) -> Result<Option<RegularId>, Error> {
    let (head, tail) = match store.node(a).kind {
        Kind::Concat(head, tail) => (head, Some(tail)),
        _ => (a, None),
    };
    let (met, escapes) = match store.node(head).kind {
        Kind::Json { text, escapes, at: JsonPosition::Character } => (text, Some(escapes)),
        _ => (head, None),
    };
    let Kind::And(list) = store.node(met).kind else { return Ok(None) };
    let mut members = store.list(list).to_vec();
    let all = members.len();
    members.retain(|&member| !is_short_exception(store, member));
    if members.is_empty() || members.len() == all {
        return Ok(None);
    }
    let mut other = store.intersection(&members)?;
    if let Some(escapes) = escapes {
        other = json_spellings(store, other, escapes)?;
    }
    if let Some(tail) = tail {
        other = concat_pair(store, other, tail)?;
    }
    Ok(Some(other))
}

fn is_short_exception(store: &Store, a: RegularId) -> bool {
    let Kind::Not(exceptions) = store.node(a).kind else { return false };
    let exceptions = store.node(exceptions);
    exceptions.has(STANDARD) && exceptions.max <= MAX_EXCEPTION_BYTES
}
