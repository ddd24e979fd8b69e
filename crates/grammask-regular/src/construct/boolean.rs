//! Concatenation, repetition, complement and intersection, and what is made of them. Every constructor returns a normal
//! form, so that equal languages mostly get equal ids and automata stay small.

use crate::leaf::aho_corasick::Avoid;
use crate::leaf::factor_automaton::Factors;
use crate::store::node::{Kind, RegularId, Spelling, UNBOUNDED, VOID};
use crate::{ByteSet, Error, Store};
use std::sync::Arc;

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

    /// An expression as a repetition: base, least and greatest number of times.
    fn counter(&self, a: RegularId) -> (RegularId, u32, u32) {
        match self.node(a).kind {
            Kind::Repeat { base, min, max } => (base, min, max),
            _ => (a, 1, 1),
        }
    }

    /// [`RegularId::EMPTY`] for what has been found to be empty.
    pub(crate) fn resolved(&self, a: RegularId) -> RegularId {
        if self.node(a).has(VOID) { RegularId::EMPTY } else { a }
    }

    /// The strings that are made of `min` to `max` strings of `a`; `None` is without end. Nothing is unrolled: the
    /// numbers stand in the expression. The language is empty when `min > max`.
    ///
    /// # Errors
    /// When a limit is exceeded, or `max` is `u32::MAX`.
    pub fn repeat(&mut self, a: RegularId, min: u32, max: Option<u32>) -> Result<RegularId, Error> {
        if max == Some(UNBOUNDED) || min == UNBOUNDED {
            let value = UNBOUNDED as usize - 1;
            return Err(Error::Limit {
                limit: "counter",
                value,
                place: "a repetition",
                found: Some(UNBOUNDED as usize),
            });
        }
        let (a, max) = (self.resolved(a), max.unwrap_or(UNBOUNDED));
        if min > max {
            return Ok(RegularId::EMPTY);
        }
        if max == 0 || a == RegularId::EPSILON {
            return Ok(RegularId::EPSILON);
        }
        if a == RegularId::EMPTY {
            return Ok(if min == 0 { RegularId::EPSILON } else { RegularId::EMPTY });
        }
        if (min, max) == (1, 1) || a == RegularId::ALL {
            return Ok(a);
        }
        let (mut base, mut min, mut max) = (a, min, max);
        if self.is_nullable(base) {
            min = 0;
            base = self.without_epsilon_member(base)?;
        }
        if let Kind::Repeat { base: inner, min: p, max: q } = self.node(base).kind
            && let Some((low, high)) = product(p, q, min, max)
        {
            (base, min, max) = (inner, low, high);
            if (min, max) == (1, 1) {
                return Ok(base);
            }
        }
        if (min, max) == (0, 1) {
            if self.is_nullable(base) {
                return Ok(base);
            }
            if let Kind::Or(_) = self.node(base).kind {
                return self.union(&[RegularId::EPSILON, base]);
            }
        }
        self.intern(Kind::Repeat { base, min, max })
    }

    /// A union without its member "empty string"; anything else as it is.
    fn without_epsilon_member(&mut self, a: RegularId) -> Result<RegularId, Error> {
        if let Kind::Or(list) = self.node(a).kind
            && self.list(list)[0] == RegularId::EPSILON
        {
            let rest = self.list(list)[1..].to_vec();
            return self.union(&rest);
        }
        if let Kind::Repeat { base, min: 0, max: 1 } = self.node(a).kind {
            return Ok(base);
        }
        Ok(a)
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

    /// The strings of `a` but the empty one.
    ///
    /// # Errors
    /// When a limit is exceeded.
    pub fn non_empty(&mut self, a: RegularId) -> Result<RegularId, Error> {
        if !self.is_nullable(a) {
            return Ok(self.resolved(a));
        }
        if let Some(some) = self.directly_non_empty(a)? {
            return Ok(some);
        }
        let some = self.repeat(RegularId::ANY, 1, None)?;
        self.intersection(&[a, some])
    }

    /// The same, if that can be written without an intersection. `a` contains the empty string.
    fn directly_non_empty(&mut self, a: RegularId) -> Result<Option<RegularId>, Error> {
        match self.node(a).kind {
            Kind::Epsilon => Ok(Some(RegularId::EMPTY)),
            Kind::Repeat { base, min: 0, max } if !self.is_nullable(base) => {
                self.repeat(base, 1, (max != UNBOUNDED).then_some(max)).map(Some)
            }
            Kind::Or(list) if self.list(list)[0] == RegularId::EPSILON => {
                self.without_epsilon_member(a).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The non-empty strings of `a` no proper non-empty prefix of which is in `a`.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// ```
    /// # use grammask_regular::{Config, RegularId, Store};
    /// let mut store = Store::new(&Config::default());
    /// let many = store.regex("a*")?;
    /// let first = store.early(many)?;
    /// assert_eq!(store.derivative(first, b'a')?, RegularId::EPSILON);
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn early(&mut self, a: RegularId) -> Result<RegularId, Error> {
        let a = self.non_empty(a)?;
        self.until_first(a)
    }

    /// The strings of `a` no proper prefix of which is in `a`.
    pub(crate) fn until_first(&mut self, a: RegularId) -> Result<RegularId, Error> {
        let a = self.resolved(a);
        let node = self.node(a);
        if self.is_nullable(a) {
            Ok(RegularId::EPSILON)
        } else if node.min == node.max && node.max != UNBOUNDED || matches!(node.kind, Kind::Early(_)) {
            Ok(a)
        } else {
            self.intern(Kind::Early(a))
        }
    }

    /// The non-empty byte strings no substring of which is in `a`; the empty language if the empty string is in `a`.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// Where `a` shows to be few texts, a state is a place in one of them, as in [`except`](Self::except); else it is a set of places in `a`.
    pub fn without(&mut self, a: RegularId) -> Result<RegularId, Error> {
        if let Some(texts) = self.few_texts(a)
            && texts.iter().map(Vec::len).sum::<usize>() <= self.config.except_length
        {
            let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
            return self.except(&texts, None);
        }
        let found = self.concat(&[RegularId::ALL, a, RegularId::ALL])?;
        let rest = self.complement(found)?;
        self.non_empty(rest)
    }

    /// The non-empty byte strings of at most `max` bytes in which none of the texts occurs. `None` and 0 allow any length.
    ///
    /// # Errors
    /// When the texts are longer than [`Config::except_length`](crate::Config::except_length) together, or `max` is
    /// greater than 2^32 - 2.
    ///
    /// # Complexity
    /// Linear in the length of the texts; a state is a place in the trie of the texts, and a number.
    ///
    /// # Source
    /// Aho, Corasick, *Efficient string matching* (1975).
    pub fn except(&mut self, texts: &[&[u8]], max: Option<u64>) -> Result<RegularId, Error> {
        let value = self.config.except_length.min(u32::MAX as usize / 2);
        let length = texts.iter().map(|text| text.len()).sum::<usize>();
        if length > value {
            let place = "the texts of an exception";
            return Err(Error::Limit { limit: "except_length", value, place, found: Some(length) });
        }
        let max = match max.filter(|&max| max > 0).map(u32::try_from) {
            Some(Ok(max)) => Some(max),
            Some(Err(_)) => Some(UNBOUNDED),
            None => None,
        };
        let some = self.repeat(RegularId::ANY, 1, max)?;
        if texts.contains(&&b""[..]) {
            return Ok(RegularId::EMPTY);
        }
        if texts.is_empty() {
            return Ok(some);
        }
        let mut texts: Vec<Box<[u8]>> = texts.iter().map(|&text| text.into()).collect();
        texts.sort_unstable();
        texts.dedup();
        let avoid = self.avoid_leaf(texts.into())?;
        self.intersection(&[avoid, some])
    }

    /// All strings in which none of the texts occurs, which are sorted, distinct and not empty.
    pub(crate) fn avoid_leaf(&mut self, texts: Arc<[Box<[u8]>]>) -> Result<RegularId, Error> {
        let automaton = match self.avoid_ids.get(&texts) {
            Some(&id) => id,
            None => self.add_avoid(Arc::new(Avoid::new(texts))),
        };
        self.intern(Kind::Avoid { automaton, state: 0 })
    }

    pub(crate) fn add_avoid(&mut self, avoid: Arc<Avoid>) -> u32 {
        let next = self.avoid.len() as u32;
        let id = *self.avoid_ids.entry(Arc::clone(&avoid.texts)).or_insert(next);
        if id == next {
            self.leaf_bytes += avoid.bytes_used();
            self.avoid.push(avoid);
        }
        id
    }

    /// The substrings of a text, in bytes, the empty one included.
    ///
    /// # Errors
    /// When the text is longer than [`Config::substrings_length`](crate::Config::substrings_length).
    ///
    /// # Complexity
    /// Linear in the length of the text: fewer than two states a byte, built at once.
    pub fn substrings(&mut self, text: &[u8]) -> Result<RegularId, Error> {
        let value = self.config.substrings_length.min(u32::MAX as usize / 8);
        if text.len() > value {
            return Err(Error::Limit {
                limit: "substrings_length",
                value,
                place: "a text given for its substrings",
                found: Some(text.len()),
            });
        }
        let automaton = match self.factor_ids.get(text) {
            Some(&id) => id,
            None => self.add_factors(Arc::new(Factors::new(text.into()))),
        };
        self.factor_leaf(automaton, 0)
    }

    pub(crate) fn add_factors(&mut self, factors: Arc<Factors>) -> u32 {
        let next = self.factors.len() as u32;
        let id = *self.factor_ids.entry(Arc::clone(&factors.text)).or_insert(next);
        if id == next {
            self.leaf_bytes += factors.bytes_used();
            self.factors.push(factors);
        }
        id
    }

    pub(crate) fn factor_leaf(&mut self, automaton: u32, state: u32) -> Result<RegularId, Error> {
        if self.factors[automaton as usize].edges(state).is_empty() {
            return Ok(RegularId::EPSILON);
        }
        self.intern(Kind::Factor { automaton, state })
    }
}

/// The sum of two upper ends; `None` where it is too large to count.
fn add_ends(a: u32, b: u32) -> Option<u32> {
    if a == UNBOUNDED || b == UNBOUNDED {
        return Some(UNBOUNDED);
    }
    a.checked_add(b).filter(|&sum| sum != UNBOUNDED)
}

/// The numbers of times that `(x{p,q}){min,max}` repeats x, if they are an interval.
fn product(p: u32, q: u32, min: u32, max: u32) -> Option<(u32, u32)> {
    // k times p to q, and k + 1 times: neighbours for k = min are neighbours for all greater k as well.
    let high_of = |k: u64| if q == UNBOUNDED && k > 0 { u64::MAX } else { k * u64::from(q) };
    let is_interval =
        min == max || (u64::from(min) + 1) * u64::from(p) <= high_of(min.into()).saturating_add(1);
    if !is_interval {
        return None;
    }
    let low = p.checked_mul(min).filter(|&low| low != UNBOUNDED)?;
    if q == UNBOUNDED || max == UNBOUNDED {
        return Some((low, UNBOUNDED));
    }
    Some((low, q.checked_mul(max).filter(|&high| high != UNBOUNDED)?))
}

#[cfg(test)]
mod tests {
    use super::product;
    use crate::store::node::UNBOUNDED;

    #[test]
    fn products_are_intervals_without_gaps() {
        for p in 0..5u32 {
            for q in p.max(1)..7 {
                for min in 0..4u32 {
                    for max in min.max(1)..6 {
                        let sums = |n: u32| (min..=max).any(|k| k * p <= n && n <= k * q);
                        let numbers: Vec<u32> = (0..60).filter(|&n| sums(n)).collect();
                        let (low, high) = (numbers[0], numbers[numbers.len() - 1]);
                        let is_interval = numbers.len() as u32 == high - low + 1;
                        assert_eq!(
                            product(p, q, min, max),
                            is_interval.then_some((low, high)),
                            "{p} {q} {min} {max}"
                        );
                    }
                }
            }
        }
        assert_eq!(product(0, UNBOUNDED, 0, UNBOUNDED), Some((0, UNBOUNDED)));
        assert_eq!(product(1, UNBOUNDED, 3, 7), Some((3, UNBOUNDED)));
        assert_eq!(product(2, UNBOUNDED, 0, 1), None);
        assert_eq!(product(1 << 20, 1 << 20, 1 << 20, 1 << 20), None);
    }
}
