//! Counters and conjunctions on the surface of an expression: what a walk over bounded strings needs to see of it.

use crate::node::{Kind, RegularId, UNBOUNDED};
use crate::{ByteSet, Error, Store};

/// A language that begins with a counted repetition: `base{min,max}` and then `rest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// What is repeated. It does not contain the empty string.
    pub base: RegularId,
    /// The least number of times.
    pub min: u32,
    /// The greatest number of times; `None` for any.
    pub max: Option<u32>,
    /// What follows.
    pub rest: RegularId,
}

/// Concatenations are looked at up to this many parts deep.
const DEPTH: usize = 32;

impl Store {
    /// The language as a counted repetition and what follows, if it is written so.
    pub fn count(&self, a: RegularId) -> Option<Count> {
        let (head, rest) = match self.node(a).kind {
            Kind::Concat(head, rest) => (head, rest),
            _ => (a, RegularId::EPSILON),
        };
        match self.node(head).kind {
            Kind::Repeat { base, min, max } if !self.is_nullable(base) => {
                Some(Count { base, min, max: (max != UNBOUNDED).then_some(max), rest })
            }
            _ => None,
        }
    }

    /// The parts of an intersection; none for what is written otherwise.
    pub fn conjuncts(&self, a: RegularId) -> &[RegularId] {
        match self.node(a).kind {
            Kind::And(list) => self.list(list),
            _ => &[],
        }
    }

    /// The bytes whose derivative of `a` is that of `byte`, as far as is known without taking them.
    pub fn alike(&self, a: RegularId, byte: u8) -> &ByteSet {
        let partition = self.node(a).partition;
        self.partitions.class(partition, self.partitions.class_of(partition, byte))
    }

    /// A language that agrees with `a` on all strings of up to `bytes` bytes: it contains the same ones, and the same ones can be
    /// prolonged to a member. Counters that are further than that from their bounds are set to one and the same place, so that a
    /// walk over tokens need not be repeated for each of their values.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// Linear in the parts of a concatenation, a union or an intersection on the surface.
    pub fn saturated(&mut self, a: RegularId, bytes: u32) -> Result<RegularId, Error> {
        match self.node(a).kind {
            Kind::Or(list) => {
                let members = self.list(list).to_vec();
                let mut changed = Vec::with_capacity(members.len());
                for &member in &members {
                    changed.push(self.saturated_chain(member, bytes)?);
                }
                if changed == members { Ok(a) } else { self.union(&changed) }
            }
            Kind::And(list) => {
                // Whether an intersection can be prolonged is more than whether each part can. It is the same where every
                // prefix of a member is a member, in each part.
                let members = self.list(list).to_vec();
                let mut changed = Vec::with_capacity(members.len());
                for &member in &members {
                    match self.node(member).kind {
                        Kind::Avoid { .. } => changed.push(member),
                        Kind::Repeat { base, min: 0 | 1, .. }
                            if matches!(self.node(base).kind, Kind::Bytes(_)) =>
                        {
                            changed.push(self.saturated_chain(member, bytes)?);
                        }
                        _ => return Ok(a),
                    }
                }
                if changed == members { Ok(a) } else { self.intersection(&changed) }
            }
            _ => self.saturated_chain(a, bytes),
        }
    }

    /// The same for what is neither a union nor an intersection.
    fn saturated_chain(&mut self, a: RegularId, bytes: u32) -> Result<RegularId, Error> {
        let mut heads = Vec::new();
        let mut rest = a;
        let mut is_changed = false;
        while let Kind::Concat(head, tail) = self.node(rest).kind
            && heads.len() < DEPTH
        {
            let saturated = self.saturated_repeat(head, bytes)?;
            is_changed |= saturated != head;
            heads.push(saturated);
            rest = tail;
        }
        let last = self.saturated_repeat(rest, bytes)?;
        if !is_changed && last == rest {
            return Ok(a);
        }
        heads.push(last);
        self.concat(&heads)
    }

    fn saturated_repeat(&mut self, a: RegularId, bytes: u32) -> Result<RegularId, Error> {
        let Kind::Repeat { base, min, max } = self.node(a).kind else { return Ok(a) };
        if self.is_nullable(base) || (min <= bytes && (max == UNBOUNDED || max <= bytes)) {
            return Ok(a);
        }
        // Each time takes a byte or more. So what is asked for more than `bytes` times is not done within them, and what may be done more than
        // `bytes` times does not come to its end.
        let max = if max > bytes { None } else { Some(max) };
        self.repeat(base, min.min(bytes.saturating_add(1)), max)
    }
}
