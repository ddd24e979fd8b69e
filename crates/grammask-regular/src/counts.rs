//! Counters and conjunctions on the surface of an expression: what a walk over bounded strings needs to see of it.

use crate::node::{Kind, RegularId, Spelling, UNBOUNDED};
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
    /// The language as a counted repetition and what follows, if it is written so; also inside of JSON spellings, where both are
    /// spellings then.
    ///
    /// # Errors
    /// When a limit is exceeded.
    pub fn count(&mut self, a: RegularId) -> Result<Option<Count>, Error> {
        let (head, rest) = match self.node(a).kind {
            Kind::Concat(head, rest) => (head, rest),
            _ => (a, RegularId::EPSILON),
        };
        let (counted, text_rest) = match self.node(head).kind {
            Kind::Json { text, at: Spelling::Text } => match self.node(text).kind {
                Kind::Concat(counted, text_rest) => (counted, Some(text_rest)),
                _ => (text, Some(RegularId::EPSILON)),
            },
            _ => (head, None),
        };
        let Kind::Repeat { base, min, max } = self.node(counted).kind else { return Ok(None) };
        if self.is_nullable(base) {
            return Ok(None);
        }
        let max = (max != UNBOUNDED).then_some(max);
        let Some(text_rest) = text_rest else { return Ok(Some(Count { base, min, max, rest })) };
        // Only whole characters can be spelled one by one.
        if !self.is_text(base) {
            return Ok(None);
        }
        let (base, text_rest) = (self.json_node(base)?, self.json_node(text_rest)?);
        Ok(Some(Count { base, min, max, rest: self.concat_two(text_rest, rest)? }))
    }

    /// The parts of an intersection, or of the JSON spellings of one; none for what is written otherwise.
    ///
    /// # Errors
    /// When a limit is exceeded.
    pub fn conjuncts(&mut self, a: RegularId) -> Result<Vec<RegularId>, Error> {
        match self.node(a).kind {
            Kind::And(list) => Ok(self.list(list).to_vec()),
            Kind::Json { text, at: Spelling::Text } => match self.node(text).kind {
                Kind::And(list) => {
                    let members = self.list(list).to_vec();
                    members.into_iter().map(|member| self.json_node(member)).collect()
                }
                _ => Ok(Vec::new()),
            },
            _ => Ok(Vec::new()),
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
        if let Kind::Json { text, at } = self.node(a).kind {
            // No spelling is shorter than its text, but an escape that has begun may stand for a character of four bytes. This goes
            // as deep as spellings nest.
            let text = self.saturated(text, bytes.saturating_add(3))?;
            return self.json_state(text, at);
        }
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
