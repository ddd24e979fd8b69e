//! Copies of languages from one store into another.

use crate::number::state::NumberState;
use crate::store::node::{Kind, RegularId, Spelling, UNBOUNDED};
use crate::{Error, Store};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// So deep, and of so many parts, may a simple expression be.
const DEPTH: u32 = 8;
const PARTS: u32 = 64;

impl Store {
    /// The same language in this store. Two imports of one language give the same id.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// Linear in the size of the expression. Texts and large automata are shared, not copied.
    pub fn import(&mut self, from: &Self, a: RegularId) -> Result<RegularId, Error> {
        if from.is_simple(a, DEPTH, &mut { PARTS }) {
            return self.import_simple(from, a);
        }
        let (order, states) = from.reachable(&[a]);
        let states = self.import_acyclic(from, &states);
        let mut copies: FxHashMap<RegularId, RegularId> = FxHashMap::default();
        for old in order {
            let copy = self.import_one(from, old, &mut |_, part| Ok(copies[&part]), &states)?;
            copies.insert(old, copy);
        }
        Ok(copies.get(&a).copied().unwrap_or(RegularId::EMPTY))
    }

    /// Whether an expression has so few parts that copying one twice, where it is shared, is less work than keeping tables of what has been
    /// copied. Automata are left out, but for that of any character.
    fn is_simple(&self, a: RegularId, depth: u32, parts: &mut u32) -> bool {
        let (mut rest, Some(depth)) = (a, depth.checked_sub(1)) else { return false };
        loop {
            let (part, tail) = match self.node(rest).kind {
                Kind::Concat(head, tail) => (head, Some(tail)),
                _ => (rest, None),
            };
            let Some(left) = parts.checked_sub(1) else { return false };
            *parts = left;
            let is_simple = match self.node(part).kind {
                Kind::Empty | Kind::Epsilon | Kind::Bytes(_) | Kind::Words { .. } => true,
                Kind::Acyclic(_) => self.character == Some(part),
                Kind::Json { text: inner, at: Spelling::Text }
                | Kind::Not(inner)
                | Kind::Repeat { base: inner, .. } => self.is_simple(inner, depth, parts),
                Kind::Or(list) | Kind::And(list) => {
                    self.list(list).iter().all(|&member| self.is_simple(member, depth, parts))
                }
                _ => false,
            };
            match tail {
                Some(tail) if is_simple => rest = tail,
                _ => return is_simple,
            }
        }
    }

    /// The copy of a simple expression; it goes as deep as that.
    fn import_simple(&mut self, from: &Self, a: RegularId) -> Result<RegularId, Error> {
        let mut heads = Vec::with_capacity(16);
        let mut rest = a;
        while let Kind::Concat(head, tail) = from.node(rest).kind {
            heads.push(head);
            rest = tail;
        }
        let mut copy = self.import_part(from, rest)?;
        while let Some(head) = heads.pop() {
            let head = self.import_part(from, head)?;
            copy = self.concat_two(head, copy)?;
        }
        Ok(copy)
    }

    /// The copy of a part of a simple expression, which is no concatenation.
    fn import_part(&mut self, from: &Self, a: RegularId) -> Result<RegularId, Error> {
        match from.node(a).kind {
            Kind::Acyclic(_) => self.character(),
            _ => self.import_one(
                from,
                a,
                &mut |store, part| store.import_simple(from, part),
                &FxHashMap::default(),
            ),
        }
    }

    /// All that languages are made of, themselves included: expressions, and states of the acyclic automaton. Both in
    /// the order of their ids, in which operands and targets come before what refers to them.
    pub(crate) fn reachable(&self, languages: &[RegularId]) -> (Vec<RegularId>, Vec<u32>) {
        let mut seen = FxHashSet::default();
        let mut stack = languages.to_vec();
        let mut states = Vec::new();
        while let Some(a) = stack.pop() {
            if !seen.insert(a) {
                continue;
            }
            match self.node(a).kind {
                Kind::Acyclic(state) => states.push(state),
                Kind::Concat(head, tail) => stack.extend([head, tail]),
                Kind::Or(list) | Kind::And(list) => stack.extend(self.list(list)),
                Kind::Not(a) | Kind::Early(a) | Kind::Json { text: a, .. } | Kind::Repeat { base: a, .. } => {
                    stack.push(a);
                }
                _ => {}
            }
        }
        let mut expressions: Vec<RegularId> = seen.into_iter().collect();
        expressions.sort_unstable();
        let mut seen = FxHashSet::default();
        while let Some(state) = states.pop() {
            if seen.insert(state) {
                states.extend(self.acyclic.edges(state).iter().map(|edge| edge.target));
            }
        }
        states.extend(seen);
        states.sort_unstable();
        (expressions, states)
    }

    fn import_acyclic(&mut self, from: &Self, order: &[u32]) -> FxHashMap<u32, u32> {
        let mut copies = FxHashMap::default();
        for &state in order {
            let mut edges = from.acyclic.edges(state).to_vec();
            edges.iter_mut().for_each(|edge| edge.target = copies[&edge.target]);
            let copy = Arc::make_mut(&mut self.acyclic).state(from.acyclic.is_final(state), &edges);
            copies.insert(state, copy);
        }
        copies
    }

    /// The copy of an expression, given how its parts are copied, and the copies of automata's states.
    fn import_one(
        &mut self,
        from: &Self,
        old: RegularId,
        copy: &mut dyn FnMut(&mut Self, RegularId) -> Result<RegularId, Error>,
        states: &FxHashMap<u32, u32>,
    ) -> Result<RegularId, Error> {
        match from.node(old).kind {
            Kind::Empty => Ok(RegularId::EMPTY),
            Kind::Epsilon => Ok(RegularId::EPSILON),
            Kind::Bytes(set) => match from.byte_set(set).single_byte() {
                Some(byte) => Ok(self.single_byte(byte)),
                None => Ok(self.bytes(*from.byte_set(set))),
            },
            Kind::Acyclic(state) => self.acyclic_leaf(states[&state]),
            Kind::Words { range, depth } => {
                let (list, start, end) = from.ranges[range as usize];
                let list = self.word_list(Arc::clone(&from.words[list as usize]));
                self.word_leaf((list, start, end), depth)
            }
            Kind::Avoid { automaton, state } => {
                let automaton = self.add_avoid(Arc::clone(&from.avoid[automaton as usize]));
                self.intern(Kind::Avoid { automaton, state })
            }
            Kind::Factor { automaton, state } => {
                let automaton = self.add_factors(Arc::clone(&from.factors[automaton as usize]));
                self.factor_leaf(automaton, state)
            }
            Kind::Concat(head, tail) => {
                let (head, tail) = (copy(self, head)?, copy(self, tail)?);
                self.concat_two(head, tail)
            }
            Kind::Or(list) | Kind::And(list) => {
                let mut parts = Vec::with_capacity(list.len as usize);
                for &member in from.list(list) {
                    parts.push(copy(self, member)?);
                }
                if matches!(from.node(old).kind, Kind::Or(_)) {
                    self.union(&parts)
                } else {
                    self.intersection(&parts)
                }
            }
            Kind::Not(a) => {
                let a = copy(self, a)?;
                self.complement(a)
            }
            Kind::Repeat { base, min, max } => {
                let base = copy(self, base)?;
                self.repeat(base, min, (max != UNBOUNDED).then_some(max))
            }
            Kind::Early(a) => {
                let a = copy(self, a)?;
                self.until_first(a)
            }
            Kind::Json { text, at } => {
                let text = copy(self, text)?;
                self.json_state(text, at)
            }
            Kind::Number(state) => {
                let state = from.number_states[state as usize];
                let numbers = self.add_numbers(Arc::clone(&from.numbers[state.numbers as usize]));
                self.number_leaf(NumberState { numbers, ..state })
            }
        }
    }
}
