//! What two languages have in common, whether one lies within another, and what their strings are made of: as far as that can be read off
//! expressions. So it is seen that `.*:[0-9]+` stays what it is, whatever else a text has begun on its way.

use crate::store::node::{Kind, List, PLAIN, RegularId, Spelling, UNBOUNDED};
use crate::{ByteSet, Error, Store};

/// How deep expressions are looked into, and into how many of their parts; of what is asked for each character, into fewer.
const DEPTH: u32 = 8;
const PARTS: u32 = 4096;
const FEW: u32 = 256;

impl Store {
    /// A language that lies within both; it is [`RegularId::EMPTY`] where nothing in common shows.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// Linear in the members of unions, of which only those that stand in the same place are compared.
    ///
    /// ```
    /// # use grammask_regular::{Config, RegularId, Store};
    /// let mut store = Store::new(&Config::default());
    /// let colon = store.regex(".*:[a-z]+")?;
    /// let [open, behind] = [b'-', b':'].map(|byte| store.derivative(colon, byte));
    /// assert_eq!(store.evident_common(open?, behind?)?, colon);
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn evident_common(&mut self, a: RegularId, b: RegularId) -> Result<RegularId, Error> {
        self.common(a, b, DEPTH)
    }

    /// The depth of this recursion is bounded by a constant.
    fn common(&mut self, a: RegularId, b: RegularId, depth: u32) -> Result<RegularId, Error> {
        if a == b {
            return Ok(a);
        }
        let Some(depth) = depth.checked_sub(1) else { return Ok(RegularId::EMPTY) };
        match (self.node(a).kind, self.node(b).kind) {
            (Kind::Or(list), Kind::Or(other)) => {
                let (list, other) = (self.list(list), self.list(other));
                let (mut members, rest): (Vec<_>, Vec<_>) =
                    list.iter().partition(|member| other.binary_search(member).is_ok());
                let mut others = other.iter().copied().filter(|member| list.binary_search(member).is_err());
                if let (&[one], Some(other), None) = (&rest[..], others.next(), others.next()) {
                    members.push(self.common(one, other, depth)?);
                }
                self.union(&members)
            }
            (Kind::Or(list), _) if self.list(list).binary_search(&b).is_ok() => Ok(b),
            (_, Kind::Or(list)) if self.list(list).binary_search(&a).is_ok() => Ok(a),
            (Kind::Or(list), _) => self.members_within(list, b, depth),
            (_, Kind::Or(list)) => self.members_within(list, a, depth),
            (Kind::Concat(head, tail), Kind::Concat(other, same)) if tail == same => {
                let head = self.common(head, other, depth)?;
                self.concat_two(head, tail)
            }
            (Kind::Concat(head, tail), _) if tail == b && self.is_nullable(head) => Ok(b),
            (_, Kind::Concat(head, tail)) if tail == a && self.is_nullable(head) => Ok(a),
            (Kind::Json { text, at: Spelling::Text }, Kind::Json { text: other, at: Spelling::Text }) => {
                let text = self.common(text, other, depth)?;
                self.json_node(text)
            }
            _ if self.is_nullable(a) && self.is_nullable(b) => Ok(RegularId::EPSILON),
            _ => Ok(RegularId::EMPTY),
        }
    }

    /// Those members of a union that lie within a language.
    fn members_within(&mut self, list: List, large: RegularId, depth: u32) -> Result<RegularId, Error> {
        let parts = &mut { FEW };
        let members = self.list(list).to_vec();
        let within: Vec<RegularId> =
            members.into_iter().filter(|&member| self.is_within(member, large, depth, parts)).collect();
        self.union(&within)
    }

    /// Is it proven that each string of `small` is one of `large`?
    ///
    /// # Complexity
    /// O(1), but for unions and intersections: linear in the members of those that come first.
    pub fn is_evidently_within(&self, small: RegularId, large: RegularId) -> bool {
        self.is_within(small, large, DEPTH, &mut { FEW })
    }

    /// A language that lies within another one and is simpler, but goes on as it does: where that is a loop without some strings, it is what of
    /// the loop has a byte that none of these has. The empty language where nothing of the kind is seen at once.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// Linear in the strings that the loop is without, and 128 derivatives of what is repeated.
    ///
    /// ```
    /// use grammask_regular::{RegularId, Store};
    ///
    /// let mut store = Store::new(&Default::default());
    /// let (all, tag) = (store.regex("[a-z-]*")?, store.regex("[a-z]+")?);
    /// let other = store.complement(tag)?;
    /// let no_tag = store.intersection(&[all, other])?;
    /// let kernel = store.evident_kernel(no_tag)?;
    /// assert!(kernel != RegularId::EMPTY && store.is_evidently_within(kernel, no_tag));
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn evident_kernel(&mut self, a: RegularId) -> Result<RegularId, Error> {
        match self.node(a).kind {
            Kind::Concat(head, tail) => {
                let head = self.evident_kernel_of_text(head)?;
                self.concat_two(head, tail)
            }
            _ => self.evident_kernel_of_text(a),
        }
    }

    fn evident_kernel_of_text(&mut self, a: RegularId) -> Result<RegularId, Error> {
        match self.node(a).kind {
            Kind::Json { text, at: Spelling::Text } => {
                let text = self.kernel_of_intersection(text)?;
                self.json_node(text)
            }
            _ => self.kernel_of_intersection(a),
        }
    }

    fn kernel_of_intersection(&mut self, a: RegularId) -> Result<RegularId, Error> {
        let Kind::And(list) = self.node(a).kind else { return Ok(RegularId::EMPTY) };
        let (mut all, mut without) = (None, ByteSet::EMPTY);
        for &member in self.list(list) {
            match self.node(member).kind {
                Kind::Not(some) => without = without.union(&self.evident_alphabet(some)),
                Kind::Repeat { base, min: 0, max: UNBOUNDED } if all.is_none() => all = Some((member, base)),
                _ => return Ok(RegularId::EMPTY),
            }
        }
        let Some((all, base)) = all else { return Ok(RegularId::EMPTY) };
        let mut others = ByteSet::EMPTY;
        for byte in (0..0x80).filter(|&byte| !without.contains(byte)) {
            if self.derivative(base, byte)? == RegularId::EPSILON {
                others.insert(byte);
            }
        }
        if others.is_empty() {
            return Ok(RegularId::EMPTY);
        }
        let other = self.bytes(others);
        let rest = self.concat_two(other, all)?;
        self.concat_two(all, rest)
    }

    /// The depth of this recursion is bounded by a constant.
    fn is_within(&self, small: RegularId, large: RegularId, depth: u32, parts: &mut u32) -> bool {
        if small == large || small == RegularId::EMPTY {
            return true;
        }
        let (Some(depth), Some(left)) = (depth.checked_sub(1), parts.checked_sub(1)) else { return false };
        *parts = left;
        if small == RegularId::EPSILON {
            return self.is_nullable(large);
        }
        match (self.node(small).kind, self.node(large).kind) {
            (Kind::Or(list), _) => {
                self.list(list).iter().all(|&member| self.is_within(member, large, depth, parts))
            }
            (_, Kind::Or(list)) => {
                let members = self.list(list);
                members.binary_search(&small).is_ok()
                    || members
                        .iter()
                        .take(left as usize)
                        .any(|&member| self.is_within(small, member, depth, parts))
            }
            (Kind::Concat(head, tail), Kind::Concat(other, same))
                if tail == same && self.is_within(head, other, depth, parts) =>
            {
                true
            }
            (_, Kind::Concat(head, tail)) if self.is_nullable(head) => {
                self.is_within(small, tail, depth, parts)
            }
            (Kind::Json { text, at: Spelling::Text }, Kind::Json { text: other, at: Spelling::Text }) => {
                self.is_within(text, other, depth, parts)
            }
            (_, Kind::And(list)) => {
                self.list(list).iter().all(|&member| self.is_within(small, member, depth, parts))
            }
            (_, Kind::Not(without)) => {
                let bytes = self.alphabet(without, DEPTH, parts);
                self.needs_other(small, &bytes, depth, parts)
            }
            _ => self.contains_all_of(large, small),
        }
    }

    /// Is it known without a search that there are strings in a language, and in all of its derivatives that have any?
    pub fn is_inhabited_throughout(&self, a: RegularId) -> bool {
        self.node(a).has(PLAIN)
    }

    /// The bytes of the strings of a language; perhaps more.
    ///
    /// # Complexity
    /// O(1).
    pub fn evident_alphabet(&self, a: RegularId) -> ByteSet {
        self.alphabet(a, DEPTH, &mut { FEW })
    }

    /// The depth of this recursion is bounded by a constant.
    fn alphabet(&self, a: RegularId, depth: u32, parts: &mut u32) -> ByteSet {
        let (Some(depth), Some(left)) = (depth.checked_sub(1), parts.checked_sub(1)) else {
            return ByteSet::ALL;
        };
        *parts = left;
        match self.node(a).kind {
            Kind::Empty | Kind::Epsilon => ByteSet::EMPTY,
            Kind::Bytes(set) => *self.byte_set(set),
            Kind::Words { range, depth } => {
                let (list, start, end) = self.ranges[range as usize];
                let mut bytes = self.words[list as usize].rests(start..end, depth).flatten();
                let found: ByteSet = bytes.by_ref().take(left as usize).copied().collect();
                // Some have not been looked at.
                if bytes.next().is_some() { ByteSet::ALL } else { found }
            }
            Kind::Concat(head, mut tail) => {
                let mut all = self.alphabet(head, depth, parts);
                // A chain may be long, but is not deep.
                while let (Kind::Concat(head, next), Some(left)) =
                    (self.node(tail).kind, parts.checked_sub(1))
                {
                    *parts = left;
                    all = all.union(&self.alphabet(head, depth, parts));
                    tail = next;
                }
                all.union(&self.alphabet(tail, depth, parts))
            }
            Kind::Or(list) if list.len > left => ByteSet::ALL,
            Kind::Or(list) => {
                let members = self.list(list).iter().map(|&member| self.alphabet(member, depth, parts));
                members.fold(ByteSet::EMPTY, |all, member| all.union(&member))
            }
            Kind::And(list) => {
                let members = self.list(list).iter().take(left as usize);
                let members = members.map(|&member| self.alphabet(member, depth, parts));
                members.fold(ByteSet::ALL, |all, member| all.intersection(&member))
            }
            Kind::Repeat { base, .. } | Kind::Early(base) => self.alphabet(base, depth, parts),
            // Escapes are made of letters, digits and these two.
            Kind::Json { .. } => {
                (0..=u8::MAX).filter(|&byte| Self::is_raw(byte) || matches!(byte, b'"' | b'\\')).collect()
            }
            _ => ByteSet::ALL,
        }
    }

    /// Is it proven that every string of a language has a byte that is not one of these?
    ///
    /// # Complexity
    /// O(1).
    pub fn evidently_needs_other(&self, a: RegularId, bytes: &ByteSet) -> bool {
        self.needs_other(a, bytes, DEPTH, &mut { PARTS })
    }

    /// The depth of this recursion is bounded by a constant.
    fn needs_other(&self, a: RegularId, bytes: &ByteSet, depth: u32, parts: &mut u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let mut rest = a;
        loop {
            let Some(left) = parts.checked_sub(1) else { return false };
            *parts = left;
            return match self.node(rest).kind {
                Kind::Empty => true,
                Kind::Bytes(set) => self.byte_set(set).intersection(bytes).is_empty(),
                Kind::Words { range, depth } => {
                    let (list, start, end) = self.ranges[range as usize];
                    let mut rests = self.words[list as usize].rests(start..end, depth);
                    let needs =
                        |rest: &[u8]| rest.iter().take(FEW as usize).any(|&byte| !bytes.contains(byte));
                    end - start <= left.min(FEW) && rests.all(needs)
                }
                Kind::Concat(head, tail) => {
                    if !self.needs_other(head, bytes, depth, parts) {
                        rest = tail;
                        continue;
                    }
                    true
                }
                Kind::Or(list) => {
                    self.list(list).iter().all(|&member| self.needs_other(member, bytes, depth, parts))
                }
                Kind::And(list) => {
                    self.list(list).iter().any(|&member| self.needs_other(member, bytes, depth, parts))
                }
                Kind::Repeat { base, min, .. } => min > 0 && self.needs_other(base, bytes, depth, parts),
                Kind::Early(base) => self.needs_other(base, bytes, depth, parts),
                // A byte of the text stands for itself, or behind a backslash.
                Kind::Json { text, at: Spelling::Text } => {
                    !bytes.contains(b'\\') && self.needs_other(text, bytes, depth, parts)
                }
                _ => false,
            };
        }
    }
}
