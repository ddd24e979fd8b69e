//! Concatenation.

use crate::store::node::{Kind, RegularId, Spelling, UNBOUNDED};
use crate::{Error, Store};

impl Store {
    /// The strings that are made of one string of each part, in order; with no part, the empty string.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// Linear in the number of parts, where parts that are concatenations count with their parts.
    pub fn concat(&mut self, parts: &[RegularId]) -> Result<RegularId, Error> {
        parts.iter().rev().try_fold(RegularId::EPSILON, |tail, &head| self.concat_two(head, tail))
    }

    pub(crate) fn concat_two(&mut self, head: RegularId, mut tail: RegularId) -> Result<RegularId, Error> {
        // From the right to the left: heads that are concatenations are taken apart, so that none stays nested.
        let mut pending = Vec::new();
        let mut next = Some(head);
        while let Some(head) = next.take().or_else(|| pending.pop()) {
            if let Kind::Concat(first, rest) = self.node(head).kind {
                pending.push(first);
                next = Some(rest);
                continue;
            }
            (next, tail) = self.prepend(head, tail)?;
        }
        Ok(tail)
    }

    /// A concatenation whose head is none: the result, or another head and tail to go on with.
    fn prepend(&mut self, head: RegularId, tail: RegularId) -> Result<(Option<RegularId>, RegularId), Error> {
        let (head, tail) = (self.resolved(head), self.resolved(tail));
        if head == RegularId::EMPTY || tail == RegularId::EMPTY {
            return Ok((None, RegularId::EMPTY));
        }
        if head == RegularId::EPSILON || tail == RegularId::EPSILON {
            return Ok((None, if head == RegularId::EPSILON { tail } else { head }));
        }
        if head == RegularId::ALL && self.is_nullable(tail) {
            return Ok((None, RegularId::ALL));
        }
        if tail == RegularId::ALL {
            if self.is_nullable(head) {
                return Ok((None, RegularId::ALL));
            }
            // What is repeated beyond the least number of times can as well be read by the tail.
            if let Kind::Repeat { base, min, max } = self.node(head).kind
                && base != RegularId::ANY
                && min < max
            {
                return Ok((Some(self.repeat(base, min, Some(min))?), tail));
            }
        }
        let (next, rest) = match self.node(tail).kind {
            Kind::Concat(next, rest) => (next, rest),
            _ => (tail, RegularId::EPSILON),
        };
        if let (Kind::Json { text: a, at: Spelling::Text }, Kind::Json { text: b, at: Spelling::Text }) =
            (self.node(head).kind, self.node(next).kind)
        {
            let text = self.concat_two(a, b)?;
            return Ok((Some(self.json_node(text)?), rest));
        }
        let (a, b) = (self.counter(head), self.counter(next));
        if a.0 == b.0
            && let (Some(min), Some(max)) = (a.1.checked_add(b.1), add_ends(a.2, b.2))
            && min != UNBOUNDED
        {
            return Ok((Some(self.repeat(a.0, min, (max != UNBOUNDED).then_some(max))?), rest));
        }
        Ok((None, self.intern(Kind::Concat(head, tail))?))
    }
}

/// The sum of two upper ends; `None` where it is too large to count.
fn add_ends(a: u32, b: u32) -> Option<u32> {
    if a == UNBOUNDED || b == UNBOUNDED {
        return Some(UNBOUNDED);
    }
    a.checked_add(b).filter(|&sum| sum != UNBOUNDED)
}
