//! The items that continue after an origin completes, including those of callers that complete with it.
//!
//! In `start ::= 'a' B 'c'; B ::= 'b' D; D ::= 'd';` the end of `D` also ends `B`, so the recognizer resumes
//! in `start`, before `'c'`.

use grammask_regular::ByteSet;
use grammask_work::charge;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::recognizer::inspect::{Inspector, NodeFlags};
use crate::{Error, Item, OriginId};

/// The items that continue after an origin completes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resumption {
    /// The items that continue, each with its FIRST set; sorted.
    pub items: Box<[(Item, ByteSet)]>,
    /// True if the text may end.
    pub is_end: bool,
    /// Origins that complete as well and whose callers are not in `items`, because there are too many of
    /// them.
    pub overflow: Box<[OriginId]>,
    /// FOLLOW set: the bytes that may follow, through `items` or through `overflow`.
    pub follow: ByteSet,
}

/// Maximum number of items in one [`Resumption`]. A chain of last calls may be as long as the text, so
/// listing all of its items for each origin would take quadratic space; the rest is in `overflow`.
const MAX_ITEMS_PER_RESUMPTION: usize = 64;

/// Work of one caller.
const UNITS_PER_CALLER: u64 = 8;

/// Returns the resumption of `origin`. Returns `None` for outermost origins.
pub(super) fn find(inspector: Inspector<'_>, origin: OriginId) -> Result<Option<&Resumption>, Error> {
    if origin.is_outermost() {
        return Ok(None);
    }
    let recognizer = inspector.recognizer;
    let cell = recognizer.resumption_cell(origin);
    if let Some(known) = cell.get() {
        return Ok(Some(known));
    }
    let mut resumption = Resumption::default();
    let mut items: SmallVec<[(Item, ByteSet); 4]> = SmallVec::new();
    let mut overflow: SmallVec<[OriginId; 4]> = SmallVec::new();
    // The origins that complete after the first one. Usually there are none, and an empty set does not
    // allocate.
    let mut completed = FxHashSet::default();
    let first = origin;
    let mut pending: SmallVec<[OriginId; 4]> = SmallVec::new();
    pending.push(origin);
    while let Some(origin) = pending.pop() {
        if let Some(known) = recognizer.resumption_cell(origin).get() {
            resumption.follow = resumption.follow.union(&known.follow);
            resumption.is_end |= known.is_end;
            if items.len() + known.items.len() > MAX_ITEMS_PER_RESUMPTION {
                overflow.push(origin);
            } else {
                items.extend_from_slice(&known.items);
                overflow.extend_from_slice(&known.overflow);
            }
            continue;
        }
        let is_full = items.len() > MAX_ITEMS_PER_RESUMPTION;
        if is_full {
            overflow.push(origin);
        }
        charge(UNITS_PER_CALLER * (1 + recognizer.callers(origin).len() as u64))?;
        for &caller in recognizer.callers(origin) {
            let NodeFlags { is_final, goes_on } = inspector.flags(caller.node);
            if goes_on {
                let bytes = inspector.first_bytes(caller.node)?;
                resumption.follow = resumption.follow.union(&bytes);
                if !is_full {
                    items.push((caller, bytes));
                }
            }
            if is_final {
                resumption.is_end |= caller.origin == OriginId::ROOT;
                if !caller.origin.is_outermost() && caller.origin != first && completed.insert(caller.origin)
                {
                    pending.push(caller.origin);
                }
            }
        }
    }
    items.sort_unstable();
    items.dedup();
    overflow.sort_unstable();
    overflow.dedup();
    recognizer.spend(size_of_val(&items[..]) + size_of_val(&overflow[..]));
    (resumption.items, resumption.overflow) = (items[..].into(), overflow[..].into());
    Ok(Some(cell.get_or_init(|| Box::new(resumption))))
}
