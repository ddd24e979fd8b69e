//! Complement and intersection.

use crate::store::node::{Kind, RegularId, Spelling, UNBOUNDED, VOID};
use crate::{ByteSet, Error, Store};

impl Store {
    /// [`RegularId::EMPTY`] for what has been found to be empty.
    pub(crate) fn resolved(&self, a: RegularId) -> RegularId {
        if self.node(a).has(VOID) { RegularId::EMPTY } else { a }
    }

    /// All byte strings that are not in `a`.
    ///
    /// # Errors
    /// When a limit is exceeded.
    pub fn complement(&mut self, a: RegularId) -> Result<RegularId, Error> {
        match (self.resolved(a), self.node(a).kind) {
            (RegularId::EMPTY, _) => Ok(RegularId::ALL),
            (RegularId::ALL, _) => Ok(RegularId::EMPTY),
            (_, Kind::Not(inner)) => Ok(inner),
            (a, _) => self.intern(Kind::Not(a)),
        }
    }

    /// The strings that are in all parts; with no part, all strings.
    ///
    /// # Errors
    /// When a limit is exceeded.
    pub fn intersection(&mut self, parts: &[RegularId]) -> Result<RegularId, Error> {
        let mut members = Vec::with_capacity(parts.len());
        let mut negative = Vec::new();
        for &part in parts {
            let part = self.resolved(part);
            let range = match self.node(part).kind {
                Kind::And(list) => list.range(),
                _ => 0..0,
            };
            let inner = &self.lists[range.clone()];
            for &member in if range.is_empty() { std::slice::from_ref(&part) } else { inner } {
                match self.nodes[member.index()].kind {
                    Kind::Empty => return Ok(RegularId::EMPTY),
                    Kind::Not(inner) => negative.push(inner),
                    _ if member == RegularId::ALL => {}
                    _ => members.push(member),
                }
            }
        }
        if self.has_json && !self.meet_spellings(&mut members, &mut negative)? {
            return Ok(RegularId::EMPTY);
        }
        if !self.meet_empty(&mut members, &mut negative)? {
            return Ok(RegularId::EMPTY);
        }
        members.sort_unstable();
        members.dedup();
        if !self.meet_lengths(&mut members)? || !self.meet_counted_bytes(&mut members)? {
            return Ok(RegularId::EMPTY);
        }
        let min = members.iter().map(|&member| self.node(member).min).max().unwrap_or(0);
        let max = members.iter().map(|&member| self.node(member).max).min().unwrap_or(UNBOUNDED);
        if min > max {
            return Ok(RegularId::EMPTY);
        }
        if !self.drop_met(&members, &mut negative)? || self.is_taken_away(&members, &negative) {
            return Ok(RegularId::EMPTY);
        }
        if !negative.is_empty() {
            let Some(rest) = self.meet_complements(&negative, &members, (min, max))? else {
                return Ok(RegularId::EMPTY);
            };
            if rest != RegularId::EMPTY {
                members.push(self.complement(rest)?);
            }
        }
        if max == 0 && !members.is_empty() {
            let nullable = members.iter().all(|&member| self.is_nullable(member));
            return Ok(if nullable { RegularId::EPSILON } else { RegularId::EMPTY });
        }
        self.drop_implied(&mut members);
        members.sort_unstable();
        members.dedup();
        match members[..] {
            [] => Ok(RegularId::ALL),
            [member] => Ok(member),
            _ => self.intern_list(&members, false),
        }
    }

    /// Of an intersection that is excluded, leaves out what all of it is in anyhow: `s & ~(s & a)` is `s & ~a`. `false` when nothing is left. `members`
    /// are sorted.
    fn drop_met(&mut self, members: &[RegularId], negative: &mut [RegularId]) -> Result<bool, Error> {
        for excluded in negative {
            let Kind::And(list) = self.node(*excluded).kind else { continue };
            let is_met = |member: &RegularId| members.binary_search(member).is_ok();
            let rest: Vec<_> = self.list(list).iter().copied().filter(|member| !is_met(member)).collect();
            *excluded = match rest[..] {
                [] => return Ok(false),
                [member] => member,
                _ if rest.len() == self.list(list).len() => continue,
                _ => self.intern_list(&rest, false)?,
            };
        }
        Ok(true)
    }

    /// Where the empty string is taken away: takes it from the first member from which it goes without an intersection. `false` when
    /// nothing is left.
    fn meet_empty(
        &mut self,
        members: &mut [RegularId],
        negative: &mut Vec<RegularId>,
    ) -> Result<bool, Error> {
        let Some(place) = negative.iter().position(|&a| a == RegularId::EPSILON) else { return Ok(true) };
        for member in members {
            if let Some(some) = self.directly_non_empty(*member)? {
                *member = some;
                negative.swap_remove(place);
                return Ok(some != RegularId::EMPTY);
            }
        }
        Ok(true)
    }

    /// Replaces all members that are JSON spellings by one, and takes in complements of spellings. `false` when nothing is left. As
    /// deep as spellings nest.
    fn meet_spellings(
        &mut self,
        members: &mut Vec<RegularId>,
        negative: &mut Vec<RegularId>,
    ) -> Result<bool, Error> {
        let spelled = |store: &Self, a: RegularId| match store.node(a).kind {
            Kind::Json { text: a, at: Spelling::Text } => Some(a),
            _ => None,
        };
        let mut texts: Vec<RegularId> = members.iter().filter_map(|&a| spelled(self, a)).collect();
        if texts.is_empty() {
            return Ok(true);
        }
        for &a in &*negative {
            if let Some(text) = spelled(self, a).or_else(|| (a == RegularId::EPSILON).then_some(a)) {
                texts.push(self.complement(text)?);
            }
        }
        if texts.len() < 2 {
            return Ok(true);
        }
        members.retain(|&a| spelled(self, a).is_none());
        negative.retain(|&a| spelled(self, a).is_none() && a != RegularId::EPSILON);
        let text = self.intersection(&texts)?;
        let all = self.json_node(text)?;
        members.push(all);
        Ok(all != RegularId::EMPTY)
    }

    /// Replaces all members that count bytes of a set by one. `false` when nothing is left.
    fn meet_counted_bytes(&mut self, members: &mut Vec<RegularId>) -> Result<bool, Error> {
        let counted = |store: &Self, member: RegularId| {
            let (base, min, max) = store.counter(member);
            match store.node(base).kind {
                Kind::Bytes(set) => Some((*store.byte_set(set), min, max)),
                _ => None,
            }
        };
        if members.iter().filter(|&&member| counted(self, member).is_some()).count() < 2 {
            return Ok(true);
        }
        let (mut set, mut min, mut max) = (ByteSet::ALL, 0, UNBOUNDED);
        members.retain(|&member| {
            let Some((s, low, high)) = counted(self, member) else { return true };
            (set, min, max) = (set.intersection(&s), low.max(min), high.min(max));
            false
        });
        let base = self.bytes(set);
        let all = self.repeat(base, min, (max != UNBOUNDED).then_some(max))?;
        if all != RegularId::ALL {
            members.push(all);
        }
        Ok(all != RegularId::EMPTY)
    }

    /// The union of what must not be matched, without what the members exclude anyhow by their lengths. `None` when a
    /// member itself is excluded, or all texts are, of which a member holds nothing else.
    fn meet_complements(
        &mut self,
        negative: &[RegularId],
        members: &[RegularId],
        (min, max): (u32, u32),
    ) -> Result<Option<RegularId>, Error> {
        let all = self.union(negative)?;
        let mut parts = match self.node(all).kind {
            Kind::Or(list) => self.list(list).to_vec(),
            _ => vec![all],
        };
        if all == RegularId::ALL
            || members.contains(&all)
            || members.iter().any(|m| parts.binary_search(m).is_ok())
        {
            return Ok(None);
        }
        for &part in &parts {
            if let Some(bounds) = self.text_bounds(part)?
                && members.iter().any(|&member| self.is_any_length(member, bounds))
            {
                return Ok(None);
            }
        }
        let len = parts.len();
        parts.retain(|&part| self.node(part).max >= min && self.node(part).min <= max);
        if parts.len() == len { Ok(Some(all)) } else { self.union(&parts).map(Some) }
    }
}
