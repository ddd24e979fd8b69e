//! A store of regular languages: hash-consed expressions, their derivatives, and proven facts about them.

pub(crate) mod arena;
mod attributes;
pub(crate) mod display;
pub(crate) mod id_table;
pub(crate) mod invariants;
pub(crate) mod node;
pub(crate) mod node_vec;
pub(crate) mod operations;

use crate::alphabet::partitions::Partitions;
use crate::analysis::witnesses::Witnesses;
use crate::leaf::Leaves;
use crate::{ByteSet, Error, Escapes, Limit, Limits};
use arena::{Arena, Lookup};
use grammask_work::{charge, narrow};
use node::{Kind, NULLABLE, Node, OperandList, RegularId, UNBOUNDED};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Work of storing an expression, and of one operand of a union or intersection in it.
const UNITS_PER_EXPRESSION: u64 = 8;
const UNITS_PER_OPERAND: u64 = 2;

/// A store of regular languages, their derivatives, and proven facts about them.
///
/// A language is a [`RegularId`]; equal expressions have equal ids. Nothing is built in advance: a derivative
/// is taken on demand, and kept. A clone is independent; large automata are shared with it.
///
/// ```
/// use grammask_regular::{Limits, RegularId, Store};
/// let mut store = Store::new(&Limits::default());
/// let name = store.regex("[a-z]+")?;
/// let keyword = store.literals([&b"if"[..], b"else"])?;
/// let other = store.complement(keyword)?;
/// let identifier = store.intersection(&[name, other])?;
/// let i = store.derivative(identifier, b'i')?;
/// let f = store.derivative(i, b'f')?;
/// assert!(store.is_nullable(i) && !store.is_nullable(f));
/// assert_eq!(store.derivative(i, b'!')?, RegularId::EMPTY);
/// # Ok::<(), grammask_regular::Error>(())
/// ```
#[derive(Clone)]
pub struct Store {
    pub(crate) limits: Limits,
    pub(crate) arena: Arena,
    pub(crate) leaves: Leaves,
    pub(crate) partitions: Partitions,
    pub(crate) derivatives: Derivatives,
    pub(crate) memos: Memos,
}

/// Derivatives that have been taken.
#[derive(Clone, Default)]
pub(crate) struct Derivatives {
    /// Derivatives by byte class, one row per expression with a row; [`UNKNOWN`](node::UNKNOWN) if not taken
    /// yet.
    pub(crate) rows: Vec<u32>,
    /// Expressions whose derivatives are being taken. Kept to save allocations.
    pub(crate) stack: Vec<RegularId>,
}

/// Cached results of constructors and proofs.
#[derive(Clone)]
pub(crate) struct Memos {
    /// The expression of each single byte; [`RegularId::EMPTY`] until its first use.
    single_bytes: Vec<RegularId>,
    /// Digits of JSON escapes, by the characters as a state of the acyclic DFA. True: in either case.
    pub(crate) escape_digits: FxHashMap<(u32, bool), RegularId>,
    /// Continuations of `\u` that begin with a digit, by language, escapes and digit.
    pub(crate) unicode_escapes: FxHashMap<(RegularId, Escapes, u8), RegularId>,
    /// True if the store has JSON spellings.
    pub(crate) has_json: bool,
    /// The language of single characters.
    pub(crate) any_character: Option<RegularId>,
    /// Number of characters of all strings from a state of the acyclic DFA, if it is the same for all.
    pub(crate) fixed_char_counts: FxHashMap<u32, Option<u32>>,
    /// See `construct::merge_counters`.
    pub(crate) counter_free_keys: FxHashMap<(u32, u32), u32>,
    /// Regexes by their pattern.
    pub(crate) patterns: FxHashMap<Arc<str>, RegularId>,
    pub(crate) witnesses: Witnesses,
    /// See `analysis::has_one_spelling_per_number`.
    pub(crate) one_spelling: FxHashMap<RegularId, bool>,
}

impl Default for Memos {
    fn default() -> Self {
        Self {
            single_bytes: vec![RegularId::EMPTY; 256],
            escape_digits: FxHashMap::default(),
            unicode_escapes: FxHashMap::default(),
            has_json: false,
            any_character: None,
            fixed_char_counts: FxHashMap::default(),
            counter_free_keys: FxHashMap::default(),
            patterns: FxHashMap::default(),
            witnesses: Witnesses::default(),
            one_spelling: FxHashMap::default(),
        }
    }
}

/// Greatest number of bytes of all tables, whatever the limit: 8 GiB, or all that 32-bit addresses reach.
const MAX_TABLE_BYTES: usize = match 1_usize.checked_shl(33) {
    Some(bytes) => bytes,
    None => usize::MAX,
};

impl Store {
    /// Returns a store with the four languages that every store has.
    pub fn new(limits: &Limits) -> Self {
        let mut store = Self {
            limits: limits.clone(),
            arena: Arena::default(),
            leaves: Leaves::default(),
            partitions: Partitions::new(),
            derivatives: Derivatives::default(),
            memos: Memos::default(),
        };
        store.add(Kind::Empty);
        store.add(Kind::Epsilon);
        store.bytes(ByteSet::ALL);
        store.add(Kind::Repeat { base: RegularId::ANY, min: 0, max: UNBOUNDED });
        store
    }

    /// Replaces the limits. Expressions that exist are kept.
    pub fn set_limits(&mut self, limits: &Limits) {
        self.limits = limits.clone();
    }

    /// Reserves hash table slots for more expressions, up to 256 in all. Clones have the same slots.
    pub fn reserve(&mut self, expressions: usize) {
        self.arena.reserve_slots(expressions);
    }

    /// Reserves address space for more expressions, and for the operands, derivatives and partitions of
    /// these.
    ///
    /// Growing the tables up to there moves nothing, so no addition of an expression waits for a move. Space
    /// that is not used takes no memory if the system maps pages when they are written. Best effort: on
    /// failure, the tables grow as usual.
    pub fn reserve_address_space(&mut self, expressions: usize) {
        // Ratios of a store of 280,000 expressions, the lexemes of some thousand JSON schemas, rounded up.
        let (row_entries, partitions) = (expressions.saturating_mul(5), expressions / 32);
        self.arena.reserve_address_space(expressions);
        let _ = self.derivatives.rows.try_reserve(row_entries);
        self.partitions.reserve_address_space(partitions);
    }

    /// Returns the number of expressions, which is also the number of states made so far.
    #[allow(clippy::len_without_is_empty)] // `is_empty` asks about a language; no store is empty.
    pub fn len(&self) -> usize {
        self.arena.len()
    }

    /// Returns the heap bytes of the store, approximately. Automata that clones share count in each of them.
    pub fn bytes_used(&self) -> usize {
        self.arena.bytes_used()
            + self.leaves.bytes_used()
            + self.partitions.bytes_used()
            + self.derivatives.rows.len() * 4
            + (self.memos.counter_free_keys.len() + self.memos.fixed_char_counts.len()) * 16
    }

    /// Returns true if the language contains the empty string.
    pub fn is_nullable(&self, a: RegularId) -> bool {
        self.node(a).has(NULLABLE)
    }

    /// Returns the strings of one byte of the set. The language is empty if the set is empty.
    pub fn bytes(&mut self, set: ByteSet) -> RegularId {
        if set.is_empty() {
            return RegularId::EMPTY;
        }
        let set = self.arena.intern_set(set);
        self.add(Kind::Bytes(set))
    }

    /// Returns the strings of one byte.
    pub fn any_byte(&mut self) -> RegularId {
        RegularId::ANY
    }
}

/// Access to expressions, and interning of those whose operands are in normal form.
impl Store {
    pub(crate) fn node(&self, a: RegularId) -> &Node {
        self.arena.node(a)
    }

    pub(crate) fn list(&self, list: OperandList) -> &[RegularId] {
        self.arena.list(list)
    }

    pub(crate) fn byte_set(&self, set: u32) -> &ByteSet {
        self.arena.byte_set(set)
    }

    /// Returns the language of one string of one byte.
    pub(crate) fn single_byte(&mut self, byte: u8) -> RegularId {
        if self.memos.single_bytes[usize::from(byte)] == RegularId::EMPTY {
            self.memos.single_bytes[usize::from(byte)] = self.bytes(ByteSet::single(byte));
        }
        self.memos.single_bytes[usize::from(byte)]
    }

    /// Interns an expression that is not a union or an intersection.
    pub(crate) fn intern(&mut self, kind: Kind) -> Result<RegularId, Error> {
        match self.arena.find(&kind) {
            Lookup::Found(id) => Ok(id),
            Lookup::Missing(hash) => {
                charge(UNITS_PER_EXPRESSION)?;
                self.check_room()?;
                Ok(self.push(kind, hash))
            }
        }
    }

    /// Interns a union or an intersection of at least two sorted operands.
    pub(crate) fn intern_list(&mut self, operands: &[RegularId], is_union: bool) -> Result<RegularId, Error> {
        match self.arena.find_list(operands, is_union) {
            Lookup::Found(id) => Ok(id),
            Lookup::Missing(hash) => {
                charge(UNITS_PER_EXPRESSION + UNITS_PER_OPERAND * operands.len() as u64)?;
                self.check_room()?;
                let list = self.arena.push_list(operands);
                Ok(self.push(if is_union { Kind::Or(list) } else { Kind::And(list) }, hash))
            }
        }
    }

    /// Interns an expression without checking the limits: there are at most some thousand of these in a
    /// store.
    fn add(&mut self, kind: Kind) -> RegularId {
        match self.arena.find(&kind) {
            Lookup::Found(id) => id,
            Lookup::Missing(hash) => self.push(kind, hash),
        }
    }

    /// Fails if the store has no room for another expression.
    pub(crate) fn check_room(&self) -> Result<(), Error> {
        // Ids are below 2^31: the upper half of a u32 marks counter-free keys.
        let states = self.limits.states.min(1 << 31);
        if self.arena.len() >= states {
            return Err(Error::limit(Limit::States, states, None));
        }
        let memory = self.limits.memory.min(MAX_TABLE_BYTES);
        if self.bytes_used() > memory {
            return Err(Error::limit(Limit::Memory, memory, None));
        }
        Ok(())
    }

    fn push(&mut self, kind: Kind, hash: u64) -> RegularId {
        if let Some(expressions) = self.arena.nodes.wanted_space() {
            self.reserve_address_space(expressions);
        }
        let node = self.describe(kind, narrow(self.arena.len()));
        self.arena.push(node, hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_address_space_prevents_moves() -> Result<(), Error> {
        let mut store = Store::new(&Limits::default());
        store.reserve_address_space(3_000);
        let addresses = |store: &Store| {
            (store.arena.nodes.as_ptr(), store.arena.lists.as_ptr(), store.derivatives.rows.as_ptr())
        };
        let before = addresses(&store);
        let mut state = store.regex("[ab]{0,300}c|[a-c]{0,500}d")?;
        while state != RegularId::EMPTY {
            state = store.derivative(state, b'a')?;
        }
        assert!(store.len() > 1_000 && store.len() < 3_000, "{}", store.len());
        assert_eq!(addresses(&store), before);
        Ok(())
    }

    #[test]
    fn failed_reservation_is_not_an_error() {
        let mut store = Store::new(&Limits::default());
        store.reserve_address_space(usize::MAX);
        assert!(store.regex("[ab]c*").is_ok());
    }
}
