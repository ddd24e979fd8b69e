//! Unions in normal form: flat, sorted, without what another member contains as far as that is cheap to see.

use crate::store::node::{COUNTED, Kind, RegularId, Spelling, UNBOUNDED};
use crate::{ByteSet, Error, Store};
use rustc_hash::FxHashSet;

impl Store {
    /// The strings that are in some part; with no part, none.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// Time O(n log n) for n members.
    pub fn union(&mut self, parts: &[RegularId]) -> Result<RegularId, Error> {
        let mut members = self.flattened(parts);
        match members[..] {
            [] => return Ok(RegularId::EMPTY),
            [member] => return Ok(member),
            _ => {}
        }
        if members.contains(&RegularId::ALL) {
            return Ok(RegularId::ALL);
        }
        self.join_bytes(&mut members)?;
        self.join_counters(&mut members)?;
        if self.has_json {
            self.join_spellings(&mut members)?;
        }
        if self.settle_epsilon(&mut members)? {
            members = self.flattened(&members);
        }
        members.sort_unstable();
        if self.has_opposites(&members) {
            return Ok(RegularId::ALL);
        }
        self.drop_contained(&mut members);
        self.drop_shortcuts(&mut members);
        members.sort_unstable();
        members.dedup();
        match members[..] {
            [] => Ok(RegularId::EMPTY),
            [member] => Ok(member),
            [RegularId::EPSILON, member] => self.intern(Kind::Repeat { base: member, min: 0, max: 1 }),
            _ => self.intern_list(&members, true),
        }
    }

    /// The members of nested unions, sorted, each once. An option is the union of its operand and the empty string.
    fn flattened(&self, parts: &[RegularId]) -> Vec<RegularId> {
        let mut members = Vec::with_capacity(parts.len() + 1);
        for &part in parts {
            let part = self.resolved(part);
            match self.node(part).kind {
                Kind::Empty => {}
                Kind::Or(list) => members.extend(self.list(list).iter().map(|&member| self.resolved(member))),
                Kind::Repeat { base, min: 0, max: 1 } => members.extend([RegularId::EPSILON, base]),
                _ => members.push(part),
            }
        }
        members.sort_unstable();
        members.dedup();
        if members.first() == Some(&RegularId::EMPTY) {
            members.remove(0);
        }
        members
    }

    /// Joins members that differ only in the set of their first byte.
    fn join_bytes(&mut self, members: &mut Vec<RegularId>) -> Result<(), Error> {
        let mut heads: Vec<(RegularId, ByteSet, RegularId)> = Vec::new();
        for &member in &*members {
            match self.node(member).kind {
                Kind::Bytes(set) => heads.push((RegularId::EPSILON, *self.byte_set(set), member)),
                Kind::Concat(head, tail) => {
                    if let Kind::Bytes(set) = self.node(head).kind {
                        heads.push((tail, *self.byte_set(set), member));
                    }
                }
                _ => {}
            }
        }
        if heads.len() < 2 {
            return Ok(());
        }
        heads.sort_unstable_by_key(|&(tail, _, member)| (tail, member));
        let mut gone = Vec::new();
        let mut joined = Vec::new();
        for group in heads.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            gone.extend(group.iter().map(|&(_, _, member)| member));
            let set = group.iter().fold(ByteSet::EMPTY, |all, (_, set, _)| all.union(set));
            let head = self.bytes(set);
            joined.push(self.concat_two(head, group[0].0)?);
        }
        if !gone.is_empty() {
            gone.sort_unstable();
            members.retain(|member| gone.binary_search(member).is_err());
            members.extend(joined);
        }
        Ok(())
    }

    /// Joins members that are JSON spellings, or begin with them and go on alike. As deep as spellings nest.
    fn join_spellings(&mut self, members: &mut Vec<RegularId>) -> Result<(), Error> {
        let mut heads: Vec<(RegularId, RegularId, RegularId)> = Vec::new();
        for &member in &*members {
            let (head, tail) = match self.node(member).kind {
                Kind::Concat(head, tail) => (head, tail),
                _ => (member, RegularId::EPSILON),
            };
            if let Kind::Json { text, at: Spelling::Text } = self.node(head).kind {
                heads.push((tail, text, member));
            }
        }
        if heads.len() < 2 {
            return Ok(());
        }
        heads.sort_unstable();
        let mut gone = Vec::new();
        let mut joined = Vec::new();
        for group in heads.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            gone.extend(group.iter().map(|&(_, _, member)| member));
            let texts: Vec<RegularId> = group.iter().map(|&(_, text, _)| text).collect();
            let text = self.union(&texts)?;
            let head = self.json_node(text)?;
            joined.push(self.concat_two(head, group[0].0)?);
        }
        gone.sort_unstable();
        members.retain(|member| gone.binary_search(member).is_err());
        members.extend(joined);
        Ok(())
    }

    /// Joins members that differ in one counter only.
    fn join_counters(&mut self, members: &mut Vec<RegularId>) -> Result<(), Error> {
        let mut counted: Vec<(u32, RegularId)> = members
            .iter()
            .map(|&member| (self.node(member).skeleton, member))
            .filter(|&(_, member)| self.node(member).has(COUNTED))
            .collect();
        if counted.len() < 2 {
            return Ok(());
        }
        counted.sort_unstable();
        if counted.windows(2).all(|pair| pair[0].0 != pair[1].0) {
            return Ok(());
        }
        members.retain(|&member| !self.node(member).has(COUNTED));
        for group in counted.chunk_by(|a, b| a.0 == b.0) {
            let kept = members.len();
            for &(_, member) in group {
                self.join_counter(members, kept, member)?;
            }
        }
        Ok(())
    }

    fn join_counter(
        &mut self,
        members: &mut Vec<RegularId>,
        kept: usize,
        mut member: RegularId,
    ) -> Result<(), Error> {
        // Only some neighbours are tried: counters that can be joined come close to each other, and this bounds the work.
        const NEIGHBOURS: usize = 16;
        'again: loop {
            for index in (kept..members.len()).rev().take(NEIGHBOURS) {
                if let Some(joined) = self.joined(members[index], member)? {
                    members.remove(index);
                    member = joined;
                    continue 'again;
                }
            }
            members.push(member);
            return Ok(());
        }
    }

    /// Drops the empty string if another member has it, and makes `x{1,n}` to `x{0,n}` where the union has it. True if
    /// the members changed.
    fn settle_epsilon(&mut self, members: &mut Vec<RegularId>) -> Result<bool, Error> {
        if !members.iter().any(|&member| self.is_nullable(member)) {
            return Ok(false);
        }
        let mut has_changed = false;
        for member in members.iter_mut() {
            if let Kind::Repeat { base, min: 1, max } = self.node(*member).kind {
                *member = self.repeat(base, 0, (max != UNBOUNDED).then_some(max))?;
                has_changed = true;
            }
        }
        if members.iter().any(|&member| member != RegularId::EPSILON && self.is_nullable(member)) {
            members.retain(|&member| member != RegularId::EPSILON);
        }
        Ok(has_changed)
    }

    /// Drops `z` beside `x y z` where x and y are nullable; and `w z` beside `w x y z` in short unions, which is what is left
    /// behind when a counter has come to its end.
    fn drop_shortcuts(&self, members: &mut Vec<RegularId>) {
        // Pairs are compared, so this is for short lists.
        const SHORT: usize = 8;
        let is_optional = |member: &RegularId| match self.node(*member).kind {
            Kind::Concat(head, _) => self.is_nullable(head),
            _ => false,
        };
        if members.iter().any(is_optional) {
            let mut tails = FxHashSet::default();
            for &member in &*members {
                let mut rest = member;
                while let Kind::Concat(head, tail) = self.node(rest).kind
                    && self.is_nullable(head)
                    && tails.insert(tail)
                {
                    rest = tail;
                }
            }
            members.retain(|member| !tails.contains(member));
        }
        if members.len() <= SHORT {
            let all = members.clone();
            members.retain(|&short| !all.iter().any(|&long| long != short && self.is_shortcut(long, short)));
        }
    }

    fn is_shortcut(&self, mut long: RegularId, mut short: RegularId) -> bool {
        loop {
            let Kind::Concat(head, tail) = self.node(long).kind else { return false };
            if tail == short && self.is_nullable(head) || head == short && self.is_nullable(tail) {
                return true;
            }
            match self.node(short).kind {
                Kind::Concat(other, rest) if other == head => (long, short) = (tail, rest),
                _ => return false,
            }
        }
    }

    fn has_opposites(&self, members: &[RegularId]) -> bool {
        members.iter().any(|&member| match self.node(member).kind {
            Kind::Not(inner) => members.binary_search(&inner).is_ok(),
            _ => false,
        })
    }
}
