//! The arena of hash-consed expressions and its memo tables; the languages that are leaves of expressions.

pub(crate) mod arena;
pub(crate) mod display;
pub(crate) mod id_table;
pub(crate) mod invariants;
pub(crate) mod node;

use crate::alphabet::partitions::{PartitionId, Partitions};
use crate::analysis::witnesses::Witnesses;
use crate::leaf::acyclic_dfa::{Acyclic, SINK};
use crate::leaf::aho_corasick::Avoid;
use crate::leaf::factor_automaton::Factors;
use crate::leaf::word_list::WordList;
use crate::number::state::{NumberState, Numbers, Place};
use crate::store::arena::Nodes;
use crate::store::id_table::IdTable;
use crate::store::node::{
    COUNTED, INHABITED, Kind, List, NO_ROW, NULLABLE, Node, PLAIN, RegularId, Spelling, TEXT, TRIMMED,
    UNBOUNDED, VOID,
};
use crate::{ByteSet, Config, Error};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// An arena of regular languages, with everything that was found out about them.
///
/// A language is a [`RegularId`]; equal expressions have equal ids. Nothing is built ahead of time: a derivative is
/// taken when it is asked for, and remembered. A clone is independent; large automata are shared with it.
///
/// ```
/// use grammask_regular::{Config, RegularId, Store};
/// let mut store = Store::new(&Config::default());
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
    pub(crate) config: Config,
    pub(crate) nodes: Nodes,
    pub(crate) lists: Vec<RegularId>,
    table: IdTable,
    pub(crate) sets: Vec<ByteSet>,
    set_ids: FxHashMap<ByteSet, u32>,
    /// The expressions for single bytes, which texts are made of; [`RegularId::EMPTY`] for those that nobody has asked for.
    single_bytes: Vec<RegularId>,
    pub(crate) partitions: Partitions,
    /// Derivatives by byte class, a row per expression.
    pub(crate) rows: Vec<u32>,
    pub(crate) acyclic: Arc<Acyclic>,
    pub(crate) words: Vec<Arc<WordList>>,
    pub(crate) word_ids: FxHashMap<Arc<WordList>, u32>,
    /// `(list, first word, last word + 1)`
    pub(crate) ranges: Vec<(u32, u32, u32)>,
    pub(crate) range_ids: FxHashMap<(u32, u32, u32), u32>,
    pub(crate) avoid: Vec<Arc<Avoid>>,
    pub(crate) avoid_ids: FxHashMap<Arc<[Box<[u8]>]>, u32>,
    pub(crate) factors: Vec<Arc<Factors>>,
    pub(crate) factor_ids: FxHashMap<Arc<[u8]>, u32>,
    pub(crate) numbers: Vec<Arc<Numbers>>,
    pub(crate) number_ids: FxHashMap<Arc<Numbers>, u32>,
    pub(crate) number_states: Vec<NumberState>,
    pub(crate) number_state_ids: FxHashMap<NumberState, u32>,
    /// Digits of escapes in JSON strings, by the characters, which are a state of the acyclic automaton.
    pub(crate) escapes: FxHashMap<u32, RegularId>,
    /// What may follow `\u` in the spellings of a language, once a digit was asked for.
    pub(crate) units: FxHashMap<(RegularId, u8), RegularId>,
    /// Whether there are JSON spellings at all.
    pub(crate) has_json: bool,
    /// Any one character, once it was asked for; and what is known about numbers of characters, by states of the acyclic automaton.
    pub(crate) character: Option<RegularId>,
    pub(crate) fixed_characters: FxHashMap<u32, Option<u32>>,
    pub(crate) skeletons: FxHashMap<(u32, u32), u32>,
    pub(crate) patterns: FxHashMap<Arc<str>, RegularId>,
    /// The states of the acyclic automaton for character classes, by their ranges.
    pub(crate) classes: FxHashMap<Arc<[(char, char)]>, u32>,
    /// Of the leaves that are shared: words, avoided texts, factors, patterns and classes.
    pub(crate) leaf_bytes: usize,
    /// Texts by which intersections were found to be inhabited.
    pub(crate) witnesses: Witnesses,
    /// Expressions whose derivatives are being taken; kept to save allocations.
    pub(crate) stack: Vec<RegularId>,
}

impl Store {
    /// A store with no more than the languages that every store has.
    pub fn new(config: &Config) -> Self {
        let mut store = Self {
            config: config.clone(),
            nodes: Nodes::default(),
            lists: Vec::new(),
            table: IdTable::default(),
            sets: Vec::new(),
            set_ids: FxHashMap::default(),
            single_bytes: vec![RegularId::EMPTY; 256],
            partitions: Partitions::new(),
            rows: Vec::new(),
            acyclic: Arc::new(Acyclic::new()),
            words: Vec::new(),
            word_ids: FxHashMap::default(),
            ranges: Vec::new(),
            range_ids: FxHashMap::default(),
            avoid: Vec::new(),
            avoid_ids: FxHashMap::default(),
            factors: Vec::new(),
            factor_ids: FxHashMap::default(),
            numbers: Vec::new(),
            number_ids: FxHashMap::default(),
            number_states: Vec::new(),
            number_state_ids: FxHashMap::default(),
            escapes: FxHashMap::default(),
            units: FxHashMap::default(),
            has_json: false,
            character: None,
            fixed_characters: FxHashMap::default(),
            skeletons: FxHashMap::default(),
            patterns: FxHashMap::default(),
            classes: FxHashMap::default(),
            leaf_bytes: 0,
            witnesses: Witnesses::default(),
            stack: Vec::new(),
        };
        store.add(Kind::Empty);
        store.add(Kind::Epsilon);
        store.bytes(ByteSet::ALL);
        store.add(Kind::Repeat { base: RegularId::ANY, min: 0, max: UNBOUNDED });
        store
    }

    /// From now on, other limits.
    pub fn set_config(&mut self, config: &Config) {
        self.config = config.clone();
    }

    /// Makes room for so many more expressions to be found again, up to 256 in all: for more, room is made as they come. Clones have the same room.
    pub fn reserve(&mut self, expressions: usize) {
        self.table.reserve(expressions);
    }

    /// Takes the address space of so many expressions and of what mostly comes with them, so that up to there nobody who adds one waits until
    /// all others have been moved to where there is room. What is not used yet takes no memory where the system gives pages when they
    /// are written. Where there is no such space, the store grows as it would have.
    pub fn take_space(&mut self, expressions: usize) {
        // What a store has at 280,000 expressions that the lexemes of some thousand schemas came to, rounded up.
        let (classes, lists) = (expressions.saturating_mul(5), expressions / 2);
        // An error is no news: then the tables are moved when they grow.
        let _ = self.nodes.try_reserve(expressions);
        let _ = self.lists.try_reserve(lists);
        let _ = self.rows.try_reserve(classes);
        self.partitions.take_space(expressions / 32);
    }

    /// The number of expressions, which is also the number of states seen so far.
    #[allow(clippy::len_without_is_empty)] // `is_empty` asks about a language; no store is empty.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// What the store takes, in bytes, roughly; what is shared with a clone is counted in both.
    pub fn bytes_used(&self) -> usize {
        self.nodes.len() * size_of::<Node>()
            + (self.lists.len() + self.rows.len()) * 4
            + self.table.bytes_used()
            + self.sets.len() * 72
            + self.ranges.len() * 32
            + (self.skeletons.len() + self.fixed_characters.len()) * 16
            + self.partitions.bytes_used()
            + self.acyclic.bytes_used()
            + self.leaf_bytes
    }

    pub(crate) fn node(&self, a: RegularId) -> &Node {
        &self.nodes[a.index()]
    }

    pub(crate) fn list(&self, list: List) -> &[RegularId] {
        &self.lists[list.range()]
    }

    pub(crate) fn byte_set(&self, set: u32) -> &ByteSet {
        &self.sets[set as usize]
    }

    /// Does the language contain the empty string?
    pub fn is_nullable(&self, a: RegularId) -> bool {
        self.node(a).has(NULLABLE)
    }

    /// Strings of one byte, any of the set. The language is empty if the set is.
    pub fn bytes(&mut self, set: ByteSet) -> RegularId {
        if set.is_empty() {
            return RegularId::EMPTY;
        }
        let next = self.sets.len() as u32;
        let id = *self.set_ids.entry(set).or_insert(next);
        if id == next {
            self.sets.push(set);
        }
        self.add(Kind::Bytes(id))
    }

    /// Strings of one byte, any.
    pub fn any_byte(&mut self) -> RegularId {
        RegularId::ANY
    }

    /// The one string of this byte.
    pub(crate) fn single_byte(&mut self, byte: u8) -> RegularId {
        if self.single_bytes[usize::from(byte)] == RegularId::EMPTY {
            self.single_bytes[usize::from(byte)] = self.bytes(ByteSet::single(byte));
        }
        self.single_bytes[usize::from(byte)]
    }

    /// What a state of the acyclic automaton accepts, in its normal form: as long as all ways lead to one state, a
    /// concatenation of bytes.
    pub(crate) fn acyclic_leaf(&mut self, mut state: u32) -> Result<RegularId, Error> {
        let mut heads = Vec::new();
        let last = loop {
            if state == SINK {
                break RegularId::EPSILON;
            }
            let edges = self.acyclic.edges(state);
            let target = edges.first().map_or(SINK, |edge| edge.target);
            let is_single = edges.iter().all(|edge| edge.target == target);
            if !is_single || self.acyclic.is_final(state) && target != SINK {
                break self.intern(Kind::Acyclic(state))?;
            }
            let mut set = ByteSet::EMPTY;
            edges.iter().for_each(|edge| set.insert_range(edge.first, edge.last));
            let head = self.bytes(set);
            if self.acyclic.is_final(state) {
                break self.repeat(head, 0, Some(1))?;
            }
            heads.push(head);
            state = target;
        };
        heads.into_iter().rev().try_fold(last, |tail, head| self.concat_two(head, tail))
    }

    /// The id of an expression whose operands are in normal form.
    pub(crate) fn intern(&mut self, kind: Kind) -> Result<RegularId, Error> {
        let hash = hash_of(&kind);
        if let Some(id) = self.table.find(hash, |id| self.nodes[id as usize].kind == kind) {
            return Ok(RegularId(id));
        }
        self.check_room()?;
        Ok(self.push(kind, hash))
    }

    /// The id of a union or an intersection whose operands are in normal form and sorted.
    pub(crate) fn intern_list(&mut self, members: &[RegularId], is_union: bool) -> Result<RegularId, Error> {
        let mut hasher = FxHasher::default();
        is_union.hash(&mut hasher);
        members.iter().for_each(|member| hasher.write_u32(member.0));
        let hash = hasher.finish();
        let found = self.table.find(hash, |id| match self.nodes[id as usize].kind {
            Kind::Or(list) => is_union && &self.lists[list.range()] == members,
            Kind::And(list) => !is_union && &self.lists[list.range()] == members,
            _ => false,
        });
        if let Some(id) = found {
            return Ok(RegularId(id));
        }
        self.check_room()?;
        let list = List { start: self.lists.len() as u32, len: members.len() as u32 };
        self.lists.extend_from_slice(members);
        Ok(self.push(if is_union { Kind::Or(list) } else { Kind::And(list) }, hash))
    }

    /// An expression that is small and made so seldom that no limit need be asked.
    fn add(&mut self, kind: Kind) -> RegularId {
        let hash = hash_of(&kind);
        let found = self.table.find(hash, |id| self.nodes[id as usize].kind == kind);
        RegularId(found.unwrap_or_else(|| self.push(kind, hash).0))
    }

    pub(crate) fn check_room(&self) -> Result<(), Error> {
        const PLACE: &str = "the states of regular languages";
        // Ids are below half of what a u32 holds: the upper half marks skeletons.
        let states = self.config.states.min(1 << 31);
        if self.nodes.len() >= states {
            return Err(Error::Limit { limit: "states", value: states, place: PLACE, found: None });
        }
        let memory = self.config.memory.min(1 << 33);
        if self.bytes_used() > memory {
            return Err(Error::Limit { limit: "memory", value: memory, place: PLACE, found: None });
        }
        Ok(())
    }

    fn push(&mut self, kind: Kind, hash: u64) -> RegularId {
        if let Some(space) = self.nodes.space_wanted() {
            self.take_space(space);
        }
        let id = self.nodes.len() as u32;
        let node = self.describe(kind, id);
        self.nodes.push(node);
        self.table.insert(hash, id);
        RegularId(id)
    }

    /// What follows from the kind of an expression and from what is known about its operands.
    pub(crate) fn describe(&mut self, kind: Kind, id: u32) -> Node {
        let plain = INHABITED | TRIMMED | PLAIN;
        let (mut flags, min, max, partition);
        let mut nesting = 0;
        match kind {
            Kind::Empty => (flags, min, max, partition) = (VOID | TRIMMED | TEXT, 0, 0, PartitionId::ONE),
            Kind::Epsilon => {
                (flags, min, max, partition) = (plain | NULLABLE | TEXT, 0, 0, PartitionId::ONE);
            }
            Kind::Bytes(set) => {
                let set = self.sets[set as usize];
                flags = plain | if set.is_ascii() { TEXT } else { 0 };
                (min, max, partition) = (1, 1, self.partitions.of_set(&set));
            }
            Kind::Acyclic(state) => {
                let nullable = self.acyclic.is_final(state);
                flags = plain | if nullable { NULLABLE } else { 0 };
                flags |= if self.acyclic.is_ascii(state) { TEXT } else { 0 };
                let edges = self.acyclic.edges(state).iter();
                let ranges = edges.map(|edge| (edge.first, edge.last, edge.target));
                partition = self.partitions.of_targets(ranges);
                (min, max) = (u32::from(!nullable), self.acyclic.longest(state));
            }
            Kind::Words { range, depth } => {
                let (list, start, end) = self.ranges[range as usize];
                let list = &self.words[list as usize];
                let first = list.word(start).len() as u32 - depth;
                flags =
                    plain | if first == 0 { NULLABLE } else { 0 } | if list.is_ascii() { TEXT } else { 0 };
                if end - start == 1 {
                    (min, max) = (first, first);
                    partition = match list.word(start).get(depth as usize) {
                        Some(&byte) => self.partitions.of_byte(byte),
                        None => PartitionId::ONE,
                    };
                } else {
                    // At least one of several different words goes on, so that the greatest length is never 0.
                    (min, max) = (u32::from(first != 0), list.longest() - depth);
                    let next = list.next_bytes(start..end, depth);
                    let ranges = next.iter().map(|byte| (byte, byte, u32::from(byte)));
                    partition = self.partitions.of_targets(ranges);
                }
            }
            Kind::Avoid { automaton, state } => {
                let classes = self.avoid[automaton as usize].classes(state);
                flags = INHABITED | TRIMMED | NULLABLE;
                (min, max, partition) = (0, UNBOUNDED, self.partitions.intern(&classes));
            }
            Kind::Factor { automaton, state } => {
                let factors = &self.factors[automaton as usize];
                flags = plain | NULLABLE;
                (min, max) = (0, factors.longest(state));
                partition = self.partitions.intern(&factors.classes(state));
            }
            Kind::Concat(head, tail) => {
                let (h, t) = (*self.node(head), *self.node(tail));
                flags = h.flags & t.flags & (NULLABLE | INHABITED | PLAIN | TEXT);
                flags |= (h.flags | t.flags) & COUNTED;
                nesting = h.nesting.max(t.nesting);
                min = h.min.saturating_add(t.min);
                max = h.max.saturating_add(t.max);
                partition = if h.has(NULLABLE) {
                    self.partitions.refine(h.partition, t.partition)
                } else {
                    h.partition
                };
            }
            Kind::Or(list) | Kind::And(list) => {
                let is_union = matches!(kind, Kind::Or(_));
                let (mut any, mut all) = (0, u8::MAX);
                let (mut lens, mut refined) =
                    (if is_union { (u32::MAX, 0) } else { (0, u32::MAX) }, PartitionId::ONE);
                for index in list.range() {
                    let member = *self.node(self.lists[index]);
                    any |= member.flags;
                    all &= member.flags;
                    nesting = nesting.max(member.nesting);
                    refined = self.partitions.refine(refined, member.partition);
                    lens = if is_union {
                        (lens.0.min(member.min), lens.1.max(member.max))
                    } else {
                        (lens.0.max(member.min), lens.1.min(member.max))
                    };
                }
                (min, max) = lens;
                partition = refined;
                flags = if is_union {
                    any & (NULLABLE | INHABITED) | all & (PLAIN | TEXT)
                } else {
                    all & NULLABLE | if self.goes_beyond(list) { INHABITED } else { 0 }
                };
            }
            Kind::Not(a) => {
                let a = self.node(a);
                flags = if a.has(NULLABLE) { 0 } else { NULLABLE };
                // Something is longer than all that is left out.
                if a.max != UNBOUNDED {
                    flags |= INHABITED;
                }
                (min, max, partition) = (u32::from(a.has(NULLABLE)), UNBOUNDED, a.partition);
                nesting = a.nesting;
            }
            Kind::Repeat { base, min: low, max: high } => {
                let base = self.node(base);
                flags = base.flags & (NULLABLE | INHABITED | PLAIN | TEXT) | COUNTED;
                if low == 0 {
                    flags |= NULLABLE | INHABITED;
                }
                min = base.min.saturating_mul(low);
                max = base.max.saturating_mul(high);
                partition = base.partition;
                nesting = base.nesting;
            }
            Kind::Early(a) => {
                let a = self.node(a);
                flags = a.flags & (INHABITED | TEXT);
                (min, max, partition) = (a.min, a.max, a.partition);
                nesting = a.nesting;
            }
            Kind::Json { text: a, at } => {
                let a = *self.node(a);
                // Every string has a spelling, itself where nothing needs an escape; none needs more than `\u0000` for a byte. Behind a
                // backslash one character of up to four bytes is spelled by the letters that are counted here.
                let (kept, letters) = match at {
                    Spelling::Text => (NULLABLE | INHABITED | PLAIN, None),
                    Spelling::Escape => (0, Some(1)),
                    Spelling::Unit => (0, Some(4)),
                };
                flags = a.flags & (kept | TEXT);
                min = letters.map_or(a.min, |letters| a.min.saturating_sub(4).saturating_add(letters));
                max = a.max.saturating_mul(6);
                partition = self.partitions.spelled(a.partition, at);
                nesting = a.nesting.saturating_add(1);
            }
            Kind::Number(state) => {
                let place = self.number_states[state as usize].place;
                let accepts = self.is_number_end(state);
                flags = plain | TEXT | if accepts { NULLABLE } else { 0 };
                let most = if let Place::Fewer(left) = place { left.into() } else { UNBOUNDED };
                partition = self.number_partition(state);
                (min, max) = (u32::from(!accepts), most);
            }
        }
        if flags & NULLABLE != 0 {
            flags |= INHABITED;
        }
        if flags & PLAIN != 0 {
            flags |= INHABITED | TRIMMED;
        }
        let skeleton = if flags & COUNTED == 0 { id } else { self.skeleton_of(kind) };
        Node { kind, min, max, partition, row: NO_ROW, skeleton, flags, nesting }
    }
}

fn hash_of(kind: &Kind) -> u64 {
    let mut hasher = FxHasher::default();
    kind.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_space_was_taken_nothing_is_moved() -> Result<(), Error> {
        let mut store = Store::new(&Config::default());
        store.take_space(3_000);
        let addresses = |store: &Store| (store.nodes.as_ptr(), store.lists.as_ptr(), store.rows.as_ptr());
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
    fn space_that_there_is_not_is_no_error() {
        let mut store = Store::new(&Config::default());
        store.take_space(usize::MAX);
        assert!(store.regex("[ab]c*").is_ok());
    }
}
