//! Expressions that differ in counters only. `[a-z]{3,7}x` and `[a-z]{4,8}x` have the same skeleton; their union is
//! `[a-z]{3,8}x`. Without this, a counted repetition that can be split in several ways would leave a member
//! behind for every byte.

use crate::store::node::{Kind, RegularId, UNBOUNDED};
use crate::{Error, Store};

/// Marks skeletons that are not the ids of expressions.
const MARK: u32 = 1 << 31;

impl Store {
    /// The skeleton of an expression with a counter on its spine: equal skeletons, equal but for counters.
    pub(crate) fn skeleton_of(&mut self, kind: Kind) -> u32 {
        let key = match kind {
            Kind::Repeat { base, .. } => (u32::MAX, base.0),
            Kind::Concat(head, tail) => (self.node(head).skeleton, self.node(tail).skeleton),
            _ => return MARK,
        };
        let next = self.skeletons.len() as u32 | MARK;
        *self.skeletons.entry(key).or_insert(next)
    }

    /// The union of two expressions with the same skeleton, if they differ in one counter and the counters have no gap
    /// between them.
    pub(crate) fn joined(&mut self, mut a: RegularId, mut b: RegularId) -> Result<Option<RegularId>, Error> {
        let mut heads = Vec::new();
        let mut result = loop {
            match (self.node(a).kind, self.node(b).kind) {
                (Kind::Concat(head, rest), Kind::Concat(other, other_rest)) => {
                    if head == other {
                        heads.push(head);
                        (a, b) = (rest, other_rest);
                        continue;
                    }
                    if rest != other_rest {
                        return Ok(None);
                    }
                    let Some(head) = self.joined_counter(head, other, rest)? else { return Ok(None) };
                    break self.concat_two(head, rest)?;
                }
                _ => match self.joined_counter(a, b, RegularId::EPSILON)? {
                    Some(joined) => break joined,
                    None => return Ok(None),
                },
            }
        };
        for head in heads.into_iter().rev() {
            result = self.concat_two(head, result)?;
        }
        Ok(Some(result))
    }

    /// The union of two counters before the same rest.
    fn joined_counter(
        &mut self,
        a: RegularId,
        b: RegularId,
        rest: RegularId,
    ) -> Result<Option<RegularId>, Error> {
        let (Kind::Repeat { base, min, max }, Kind::Repeat { base: other, min: low, max: high }) =
            (self.node(a).kind, self.node(b).kind)
        else {
            return Ok(None);
        };
        // Before all strings, the lower counter contains the higher one.
        let has_gap = min.max(low) > max.min(high).saturating_add(1) && rest != RegularId::ALL;
        if base != other || has_gap {
            return Ok(None);
        }
        let (min, max) = (min.min(low), max.max(high));
        self.repeat(base, min, (max != UNBOUNDED).then_some(max)).map(Some)
    }
}
