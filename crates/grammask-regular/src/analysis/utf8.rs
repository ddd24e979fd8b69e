//! A proof that a language holds nothing but UTF-8, read off its expression. Where it fails, nothing is said.

use crate::store::node::{Kind, RegularId, TEXT};
use crate::{ByteSet, Store};
use rustc_hash::FxHashSet;

/// Where in a character: how many bytes are left of it, and which may be the next.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    left: u8,
    low: u8,
    high: u8,
}

/// Between two characters.
const BOUNDARY: Place = Place { left: 0, low: 0, high: 0 };

/// First bytes of characters, and the place behind them.
const FIRST: [(u8, u8, Place); 9] = [
    (0x00, 0x7F, BOUNDARY),
    (0xC2, 0xDF, Place { left: 1, low: 0x80, high: 0xBF }),
    (0xE0, 0xE0, Place { left: 2, low: 0xA0, high: 0xBF }),
    (0xE1, 0xEC, Place { left: 2, low: 0x80, high: 0xBF }),
    (0xED, 0xED, Place { left: 2, low: 0x80, high: 0x9F }),
    (0xEE, 0xEF, Place { left: 2, low: 0x80, high: 0xBF }),
    (0xF0, 0xF0, Place { left: 3, low: 0x90, high: 0xBF }),
    (0xF1, 0xF3, Place { left: 3, low: 0x80, high: 0xBF }),
    (0xF4, 0xF4, Place { left: 3, low: 0x80, high: 0x8F }),
];

/// Characters are counted in automata with so many places at most.
const PLACES: usize = 1_000;

impl Place {
    /// The places behind the bytes of a range; `None` when one of them does not belong here.
    fn behind(self, first: u8, last: u8) -> Option<impl Iterator<Item = Self>> {
        let mut places = [None; FIRST.len()];
        let is_whole = if self.left > 0 {
            let next =
                if self.left == 1 { BOUNDARY } else { Self { left: self.left - 1, low: 0x80, high: 0xBF } };
            places[0] = Some(next);
            self.low <= first && last <= self.high
        } else {
            let mut from = u16::from(first);
            for ((low, high, place), found) in FIRST.into_iter().zip(&mut places) {
                if u16::from(low) <= from && from <= u16::from(high) && from <= u16::from(last) {
                    *found = Some(place);
                    from = u16::from(high) + 1;
                }
            }
            from > u16::from(last)
        };
        is_whole.then(|| places.into_iter().flatten())
    }
}

impl Store {
    /// Is it proven that all strings are whole characters of UTF-8?
    ///
    /// # Complexity
    /// Linear in the size of the expression and of its texts.
    pub fn is_text(&self, a: RegularId) -> bool {
        if self.node(a).has(TEXT) {
            return true;
        }
        let mut seen = FxHashSet::default();
        let mut stack = vec![a];
        while let Some(a) = stack.pop() {
            if self.node(a).has(TEXT) || !seen.insert(a) {
                continue;
            }
            let holds = match self.node(a).kind {
                Kind::Empty | Kind::Epsilon | Kind::Number(_) => true,
                Kind::Bytes(_) | Kind::Acyclic(_) => self.run_text(a, BOUNDARY) == Some(BOUNDARY),
                Kind::Words { range, depth } => {
                    let (list, start, end) = self.ranges[range as usize];
                    let list = &self.words[list as usize];
                    list.rests(start..end, depth).all(|rest| std::str::from_utf8(rest).is_ok())
                }
                Kind::Factor { automaton, .. } => self.factors[automaton as usize].text.is_ascii(),
                Kind::Concat(..) => self.is_chain_of_texts(a, &mut stack),
                Kind::Or(list) => {
                    stack.extend(self.list(list));
                    true
                }
                Kind::And(list) => {
                    // One member is enough; these are the ones that cannot be it.
                    let is_vain = |a: RegularId| match self.node(a).kind {
                        Kind::Not(_) | Kind::Avoid { .. } => true,
                        Kind::Repeat { base, .. } => base == RegularId::ANY,
                        _ => false,
                    };
                    let member = self.list(list).iter().find(|&&member| !is_vain(member));
                    stack.extend(member);
                    member.is_some()
                }
                Kind::Early(a) | Kind::Json { text: a, .. } | Kind::Repeat { base: a, .. } => {
                    stack.push(a);
                    true
                }
                Kind::Not(_) | Kind::Avoid { .. } => false,
            };
            if !holds {
                return false;
            }
        }
        true
    }

    /// Follows the bytes of a concatenation; parts that begin between characters are left to be looked at.
    fn is_chain_of_texts(&self, a: RegularId, stack: &mut Vec<RegularId>) -> bool {
        let mut place = BOUNDARY;
        let mut rest = Some(a);
        while let Some(a) = rest {
            let head = match self.node(a).kind {
                Kind::Concat(head, tail) => {
                    rest = Some(tail);
                    head
                }
                _ => {
                    rest = None;
                    a
                }
            };
            if place == BOUNDARY && self.node(head).has(TEXT) {
                continue;
            }
            match self.run_text(head, place) {
                Some(next) => place = next,
                None if place == BOUNDARY => stack.push(head),
                None => return false,
            }
        }
        place == BOUNDARY
    }

    /// The one place behind all strings of a leaf, begun at a place.
    fn run_text(&self, a: RegularId, place: Place) -> Option<Place> {
        match self.node(a).kind {
            Kind::Bytes(set) => {
                let set: &ByteSet = self.byte_set(set);
                let mut one = None;
                for (first, last) in set.ranges() {
                    for behind in place.behind(first, last)? {
                        if *one.get_or_insert(behind) != behind {
                            return None;
                        }
                    }
                }
                one
            }
            Kind::Acyclic(state) => {
                let mut seen = FxHashSet::default();
                let mut stack = vec![(state, place)];
                while let Some((state, place)) = stack.pop() {
                    if !seen.insert((state, place)) {
                        continue;
                    }
                    if self.acyclic.is_final(state) && place != BOUNDARY {
                        return None;
                    }
                    for edge in self.acyclic.edges(state) {
                        let places = place.behind(edge.first, edge.last)?;
                        stack.extend(places.map(|place| (edge.target, place)));
                    }
                }
                Some(BOUNDARY)
            }
            // `[\x80-\xBF]{2}` at the end of a character.
            Kind::Repeat { base, min, max }
                if min == max && min < 4 && matches!(self.node(base).kind, Kind::Bytes(_)) =>
            {
                (0..min).try_fold(place, |place, _| self.run_text(base, place))
            }
            _ => None,
        }
    }

    /// The number of characters of every string from a state of the acyclic automaton, where it is the same for all and they are
    /// proven to be texts.
    pub(crate) fn fixed_characters(&mut self, state: u32) -> Option<u32> {
        if let Some(&known) = self.fixed_characters.get(&state) {
            return known;
        }
        let found = self.count_characters(state);
        self.fixed_characters.insert(state, found);
        found
    }

    fn count_characters(&self, state: u32) -> Option<u32> {
        let mut seen = FxHashSet::default();
        let mut stack = vec![(state, BOUNDARY, 0)];
        let mut common = None;
        while let Some((state, place, count)) = stack.pop() {
            if !seen.insert((state, place, count)) {
                continue;
            }
            if self.acyclic.is_final(state) && (place != BOUNDARY || *common.get_or_insert(count) != count)
                || seen.len() > PLACES
            {
                return None;
            }
            for edge in self.acyclic.edges(state) {
                for next in place.behind(edge.first, edge.last)? {
                    stack.push((edge.target, next, count + u32::from(next == BOUNDARY)));
                }
            }
        }
        common
    }
}
