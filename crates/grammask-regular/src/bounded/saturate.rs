//! Counters that are further from their bounds than can be seen are set to one and the same place, so that a walk over tokens need not be
//! repeated for each of their values.

use crate::bounded::horizon::Horizon;
use crate::store::node::{Kind, RegularId, Spelling, UNBOUNDED};
use crate::{ByteSet, Error, Store};

/// Concatenations are looked at up to this many parts deep.
const DEPTH: usize = 32;

/// How what is read stands for a language's strings.
#[derive(Clone, Copy)]
enum Reading {
    /// As themselves.
    Plain,
    /// As their JSON spellings; `begun` is whether the first character is in the middle of its own.
    Spelled { begun: bool },
    /// As spellings of spellings, so many deep.
    Deep(u32),
}

impl Reading {
    fn inside(self, at: Spelling) -> Self {
        match self {
            Self::Plain => Self::Spelled { begun: at != Spelling::Text },
            Self::Spelled { .. } => Self::Deep(2),
            Self::Deep(levels) => Self::Deep(levels + 1),
        }
    }
}

impl Store {
    /// A language that agrees with `a` on all strings of a horizon: it contains the same ones, and the same ones can be prolonged to a
    /// member.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// Linear in the parts of a concatenation, a union or an intersection on the surface; once for each language that is counted, it is
    /// looked for in the long texts of the horizon.
    pub fn saturated(&mut self, a: RegularId, horizon: &mut Horizon) -> Result<RegularId, Error> {
        self.saturated_in(a, Reading::Plain, horizon)
    }

    fn saturated_in(
        &mut self,
        a: RegularId,
        reading: Reading,
        horizon: &mut Horizon,
    ) -> Result<RegularId, Error> {
        let saturated = match self.node(a).kind {
            Kind::And(list) => {
                let members = self.list(list).to_vec();
                self.saturated_members(a, &members, reading, horizon)?
            }
            _ => a,
        };
        match self.node(saturated).kind {
            Kind::Or(list) => {
                let members = self.list(list).to_vec();
                let mut changed = Vec::with_capacity(members.len());
                for &member in &members {
                    changed.push(self.saturated_chain(member, reading, horizon)?);
                }
                if changed == members { Ok(saturated) } else { self.union(&changed) }
            }
            Kind::And(_) => Ok(saturated),
            _ => self.saturated_chain(saturated, reading, horizon),
        }
    }

    /// The same for an intersection. Whether it can be prolonged is more than whether each part can, so only two kinds are looked at.
    fn saturated_members(
        &mut self,
        a: RegularId,
        members: &[RegularId],
        reading: Reading,
        horizon: &mut Horizon,
    ) -> Result<RegularId, Error> {
        let counts_bytes = |store: &Self, member: RegularId| match store.node(member).kind {
            Kind::Repeat { base, min: 0 | 1, .. } => matches!(store.node(base).kind, Kind::Bytes(_)),
            _ => false,
        };
        let is_closed = |store: &Self, member: RegularId| {
            matches!(store.node(member).kind, Kind::Avoid { .. }) || counts_bytes(store, member)
        };
        if members.iter().all(|&member| is_closed(self, member)) {
            // Each prefix of a member is a member, in each part: it is prolonged in all of them or in none.
            let mut changed = Vec::with_capacity(members.len());
            for &member in members {
                changed.push(if counts_bytes(self, member) {
                    self.saturated_chain(member, reading, horizon)?
                } else {
                    member
                });
            }
            return if changed == members { Ok(a) } else { self.intersection(&changed) };
        }
        let [one, other] = members[..] else { return Ok(a) };
        for (length, text) in [(one, other), (other, one)] {
            if let Some((min, max)) = self.text_bounds(length)?
                && max != UNBOUNDED
                && self.is_text(text)
            {
                // Say some string of the texts goes on from here and is long enough. It need not be longer than to the first character behind all that is
                // read, or the first that is asked for, and from there to an end that is near.
                let outlook = self.outlook(text, horizon);
                let Some(most) = max.checked_sub(outlook.room()).filter(|&most| most > min) else {
                    return Ok(a);
                };
                if most <= horizon.short() {
                    return Ok(a);
                }
                let character = self.character_of(outlook.bytes)?;
                if most <= self.times_read(character, reading, horizon)? {
                    return Ok(a);
                }
                let base = self.character()?;
                let length = self.repeat(base, min, None)?;
                return self.intersection(&[text, length]);
            }
        }
        Ok(a)
    }

    /// Any one character that is made of some bytes; maybe others of several bytes.
    fn character_of(&mut self, bytes: ByteSet) -> Result<RegularId, Error> {
        let ascii = ByteSet::range(0, 0x7F);
        let character = self.character()?;
        let mut some = vec![self.bytes(bytes.intersection(&ascii))];
        if !bytes.is_subset(&ascii) {
            some.push(self.regex("[^\\x00-\\x7F]")?);
        }
        if ascii.is_subset(&bytes) && some.len() == 2 { Ok(character) } else { self.union(&some) }
    }

    /// The same for what is neither a union nor an intersection.
    fn saturated_chain(
        &mut self,
        a: RegularId,
        reading: Reading,
        horizon: &mut Horizon,
    ) -> Result<RegularId, Error> {
        let mut heads = Vec::new();
        let mut rest = a;
        let mut is_changed = false;
        while let Kind::Concat(head, tail) = self.node(rest).kind
            && heads.len() < DEPTH
        {
            let saturated = self.saturated_part(head, reading, horizon)?;
            is_changed |= saturated != head;
            heads.push(saturated);
            rest = tail;
        }
        let last = self.saturated_part(rest, reading, horizon)?;
        if !is_changed && last == rest {
            return Ok(a);
        }
        heads.push(last);
        self.concat(&heads)
    }

    fn saturated_part(
        &mut self,
        a: RegularId,
        reading: Reading,
        horizon: &mut Horizon,
    ) -> Result<RegularId, Error> {
        let (base, min, max) = match self.node(a).kind {
            Kind::Json { text, at } => {
                // This goes as deep as spellings nest.
                let text = self.saturated_in(text, reading.inside(at), horizon)?;
                return self.json_state(text, at);
            }
            Kind::And(list) => {
                let members = self.list(list).to_vec();
                return self.saturated_members(a, &members, reading, horizon);
            }
            Kind::Repeat { base, min, max } => (base, min, max),
            _ => return Ok(a),
        };
        let is_within = |most: u32| min <= most && (max == UNBOUNDED || max <= most);
        if self.is_nullable(base) || is_within(horizon.short() / self.node(base).min.max(1)) {
            return Ok(a);
        }
        let most = self.times_read(base, reading, horizon)?;
        if is_within(most) {
            return Ok(a);
        }
        // What is asked for more often than it can be read is not done then, and what may be done more often does not come to its end.
        let max = if max > most { None } else { Some(max) };
        self.repeat(base, min.min(most.saturating_add(1)), max)
    }

    /// No string of the horizon stands for more strings of `base` in a row.
    fn times_read(&mut self, base: RegularId, reading: Reading, horizon: &mut Horizon) -> Result<u32, Error> {
        let least = self.node(base).min.max(1);
        match reading {
            Reading::Plain => self.most_times(base, horizon),
            Reading::Spelled { begun } if self.is_text(base) => {
                let spelled = self.json_node(base)?;
                Ok(self.most_times(spelled, horizon)?.saturating_add(u32::from(begun)))
            }
            // No spelling is shorter than its text, but an escape that has begun may stand for a character of four bytes.
            Reading::Spelled { .. } => Ok(horizon.longest().saturating_add(3) / least),
            Reading::Deep(levels) => Ok(horizon.longest().saturating_add(3 * levels) / least),
        }
    }
}
