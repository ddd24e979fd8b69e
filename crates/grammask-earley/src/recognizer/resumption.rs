//! What goes on when an origin is complete: its callers, and where a caller is complete then as well, the callers of that.

use grammask_regular::ByteSet;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::{Error, Item, OriginId, Recognizer};

/// What goes on when an origin is complete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resumption {
    /// Who goes on, and with which bytes; sorted.
    pub items: Box<[(Item, ByteSet)]>,
    /// Whether the text may end.
    pub is_end: bool,
    /// Origins that are complete then, too, and whose callers are not in `items`: where there are very many, the rest.
    pub beyond: Box<[OriginId]>,
    /// The bytes of all that goes on, beyond included.
    pub follow: ByteSet,
}

/// So many items are listed with one origin; chains of last calls may be as long as the text.
const MANY: usize = 64;

impl Recognizer {
    /// What goes on when `origin` is complete and nothing else is going on; `None` for outermost origins.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// O(1) when asked before; else linear in the callers that are told, transitively.
    pub fn resumption(&self, origin: OriginId) -> Result<Option<&Resumption>, Error> {
        if origin.is_outermost() {
            return Ok(None);
        }
        let place = self.known_resumption(origin);
        if let Some(known) = place.get() {
            return Ok(Some(known));
        }
        let mut found = Resumption::default();
        let mut items: SmallVec<[(Item, ByteSet); 4]> = SmallVec::new();
        let mut beyond: SmallVec<[OriginId; 4]> = SmallVec::new();
        // Whoever is told besides the first one: mostly nobody, and then nothing is allocated.
        let mut told = FxHashSet::default();
        let first = origin;
        let mut open: SmallVec<[OriginId; 4]> = SmallVec::new();
        open.push(origin);
        while let Some(origin) = open.pop() {
            if let Some(known) = self.known_resumption(origin).get() {
                found.follow = found.follow.union(&known.follow);
                found.is_end |= known.is_end;
                if items.len() + known.items.len() > MANY {
                    beyond.push(origin);
                } else {
                    items.extend_from_slice(&known.items);
                    beyond.extend_from_slice(&known.beyond);
                }
                continue;
            }
            let is_beyond = items.len() > MANY;
            if is_beyond {
                beyond.push(origin);
            }
            for &caller in self.callers(origin) {
                let (is_final, goes_on) = self.nature(caller.node);
                if goes_on {
                    let takes = self.takes(caller.node)?;
                    found.follow = found.follow.union(&takes);
                    if !is_beyond {
                        items.push((caller, takes));
                    }
                }
                if is_final {
                    found.is_end |= caller.origin == OriginId::ROOT;
                    if !caller.origin.is_outermost() && caller.origin != first && told.insert(caller.origin) {
                        open.push(caller.origin);
                    }
                }
            }
        }
        items.sort_unstable();
        items.dedup();
        beyond.sort_unstable();
        beyond.dedup();
        self.spend(size_of_val(&items[..]) + size_of_val(&beyond[..]));
        (found.items, found.beyond) = (items[..].into(), beyond[..].into());
        Ok(Some(place.get_or_init(|| Box::new(found))))
    }
}
