//! The attributes of an expression, computed from its kind and from the attributes of its operands.

use crate::alphabet::partitions::PartitionId;
use crate::analysis::emptiness::exceeds_complements;
use crate::construct::merge_counters::counter_free_key;
use crate::number::state::{NumeralPosition, is_number_accepting, number_partition};
use crate::store::Store;
use crate::store::node::{
    HAS_COUNTER, JsonPosition, Kind, NO_ROW, NULLABLE, Node, OperandList, PROVEN_EMPTY, PROVEN_NONEMPTY,
    RegularId, STANDARD, TRIMMED, UNBOUNDED, UTF8_ONLY,
};

/// The attributes of a [`Node`] that depend on its kind.
struct Attributes {
    flags: u8,
    min: u32,
    max: u32,
    partition: PartitionId,
    nesting: u8,
}

/// The flags of a standard regular expression.
const STANDARD_FLAGS: u8 = PROVEN_NONEMPTY | TRIMMED | STANDARD;

/// Returns the flag if the condition holds, and no flag otherwise.
fn flag_if(condition: bool, flag: u8) -> u8 {
    if condition { flag } else { 0 }
}

impl Store {
    /// Returns the node of an expression that is to have the given id.
    pub(crate) fn describe(&mut self, kind: Kind, id: u32) -> Node {
        let Attributes { mut flags, min, max, partition, nesting } = match kind {
            Kind::Concat(head, tail) => self.concat_attributes(head, tail),
            Kind::Or(list) => self.union_attributes(list),
            Kind::And(list) => self.intersection_attributes(list),
            Kind::Not(a) => self.complement_attributes(a),
            Kind::Repeat { base, min, max } => self.repeat_attributes(base, min, max),
            Kind::PrefixMinimal(a) => {
                let a = self.node(a);
                let flags = a.flags & (PROVEN_NONEMPTY | UTF8_ONLY);
                Attributes { flags, min: a.min, max: a.max, partition: a.partition, nesting: a.nesting }
            }
            Kind::Json { text, at, .. } => self.json_attributes(text, at),
            leaf => self.leaf_attributes(leaf),
        };
        if flags & NULLABLE != 0 {
            flags |= PROVEN_NONEMPTY;
        }
        if flags & STANDARD != 0 {
            flags |= PROVEN_NONEMPTY | TRIMMED;
        }
        let counter_free_key = if flags & HAS_COUNTER == 0 { id } else { counter_free_key(self, kind) };
        Node { kind, min, max, partition, row: NO_ROW, counter_free_key, flags, nesting }
    }

    fn leaf_attributes(&mut self, kind: Kind) -> Attributes {
        let (flags, min, max, partition) = match kind {
            Kind::Epsilon => (STANDARD_FLAGS | NULLABLE | UTF8_ONLY, 0, 0, PartitionId::ONE),
            Kind::Bytes(set) => {
                let set = *self.byte_set(set);
                let flags = STANDARD_FLAGS | flag_if(set.is_ascii(), UTF8_ONLY);
                (flags, 1, 1, self.partitions.of_set(&set))
            }
            Kind::Acyclic(state) => {
                let acyclic = &self.leaves.acyclic;
                let nullable = acyclic.is_final(state);
                let flags = STANDARD_FLAGS
                    | flag_if(nullable, NULLABLE)
                    | flag_if(acyclic.is_ascii(state), UTF8_ONLY);
                let ranges = acyclic.edges(state).iter().map(|edge| (edge.first, edge.last, edge.target));
                let partition = self.partitions.of_targets(ranges);
                (flags, u32::from(!nullable), acyclic.longest(state), partition)
            }
            Kind::Words { range, depth } => self.word_attributes(range, depth),
            Kind::AhoCorasick { automaton, state } => {
                let classes = self.leaves.aho_corasick[automaton].classes(state);
                let flags = PROVEN_NONEMPTY | TRIMMED | NULLABLE;
                (flags, 0, UNBOUNDED, self.partitions.intern(&classes))
            }
            Kind::Factor { automaton, state } => {
                let factors = &self.leaves.factor_automata[automaton];
                let partition = self.partitions.intern(&factors.classes(state));
                (STANDARD_FLAGS | NULLABLE, 0, factors.longest(state), partition)
            }
            Kind::Number(state) => {
                let accepts = is_number_accepting(self, state);
                let flags = STANDARD_FLAGS | UTF8_ONLY | flag_if(accepts, NULLABLE);
                let max = match self.leaves.number_states[state].position {
                    NumeralPosition::Fewer(left) => left.into(),
                    _ => UNBOUNDED,
                };
                (flags, u32::from(!accepts), max, number_partition(self, state))
            }
            // Kinds with operands have functions of their own, so this is `Kind::Empty`.
            _ => (PROVEN_EMPTY | TRIMMED | UTF8_ONLY, 0, 0, PartitionId::ONE),
        };
        Attributes { flags, min, max, partition, nesting: 0 }
    }

    /// Returns flags, least and greatest length, and partition of the words of a range without their first
    /// bytes.
    fn word_attributes(&mut self, range: u32, depth: u32) -> (u8, u32, u32, PartitionId) {
        let (list, words) = self.leaves.words(range);
        let first = grammask_work::narrow(list.word(words.start).len()) - depth;
        let flags = STANDARD_FLAGS | flag_if(first == 0, NULLABLE) | flag_if(list.is_ascii(), UTF8_ONLY);
        if words.len() == 1 {
            let partition = match list.word(words.start).get(depth as usize) {
                Some(&byte) => self.partitions.of_byte(byte),
                None => PartitionId::ONE,
            };
            return (flags, first, first, partition);
        }
        // Of several different words, at least one has further bytes, so the greatest length is never 0.
        let (min, max) = (u32::from(first != 0), list.longest() - depth);
        let next = list.next_bytes(words, depth);
        let ranges = next.iter().map(|byte| (byte, byte, u32::from(byte)));
        (flags, min, max, self.partitions.of_targets(ranges))
    }

    fn concat_attributes(&mut self, head: RegularId, tail: RegularId) -> Attributes {
        let (head, tail) = (*self.node(head), *self.node(tail));
        let partition = if head.has(NULLABLE) {
            self.partitions.refine(head.partition, tail.partition)
        } else {
            head.partition
        };
        Attributes {
            flags: head.flags & tail.flags & (NULLABLE | PROVEN_NONEMPTY | STANDARD | UTF8_ONLY)
                | (head.flags | tail.flags) & HAS_COUNTER,
            min: head.min.saturating_add(tail.min),
            max: head.max.saturating_add(tail.max),
            partition,
            nesting: head.nesting.max(tail.nesting),
        }
    }

    /// Returns the attributes of a union. Some flags need one operand that has them, the others all operands.
    fn union_attributes(&mut self, list: OperandList) -> Attributes {
        let (mut any, mut all) = (0, u8::MAX);
        let mut union =
            Attributes { flags: 0, min: u32::MAX, max: 0, partition: PartitionId::ONE, nesting: 0 };
        for index in list.range() {
            let member = *self.node(self.arena.lists[index]);
            any |= member.flags;
            all &= member.flags;
            union.min = union.min.min(member.min);
            union.max = union.max.max(member.max);
            union.partition = self.partitions.refine(union.partition, member.partition);
            union.nesting = union.nesting.max(member.nesting);
        }
        union.flags = any & (NULLABLE | PROVEN_NONEMPTY) | all & (STANDARD | UTF8_ONLY);
        union
    }

    fn intersection_attributes(&mut self, list: OperandList) -> Attributes {
        let mut all = u8::MAX;
        let mut intersection =
            Attributes { flags: 0, min: 0, max: u32::MAX, partition: PartitionId::ONE, nesting: 0 };
        for index in list.range() {
            let member = *self.node(self.arena.lists[index]);
            all &= member.flags;
            intersection.min = intersection.min.max(member.min);
            intersection.max = intersection.max.min(member.max);
            intersection.partition = self.partitions.refine(intersection.partition, member.partition);
            intersection.nesting = intersection.nesting.max(member.nesting);
        }
        intersection.flags = all & NULLABLE | flag_if(exceeds_complements(self, list), PROVEN_NONEMPTY);
        intersection
    }

    fn complement_attributes(&self, a: RegularId) -> Attributes {
        let a = self.node(a);
        // A string that is longer than all strings of the operand is in its complement.
        let flags = flag_if(!a.has(NULLABLE), NULLABLE) | flag_if(a.max != UNBOUNDED, PROVEN_NONEMPTY);
        Attributes {
            flags,
            min: u32::from(a.has(NULLABLE)),
            max: UNBOUNDED,
            partition: a.partition,
            nesting: a.nesting,
        }
    }

    fn repeat_attributes(&self, base: RegularId, min: u32, max: u32) -> Attributes {
        let base = self.node(base);
        let flags = base.flags & (NULLABLE | PROVEN_NONEMPTY | STANDARD | UTF8_ONLY)
            | HAS_COUNTER
            | flag_if(min == 0, NULLABLE | PROVEN_NONEMPTY);
        Attributes {
            flags,
            min: base.min.saturating_mul(min),
            max: base.max.saturating_mul(max),
            partition: base.partition,
            nesting: base.nesting,
        }
    }

    fn json_attributes(&mut self, text: RegularId, at: JsonPosition) -> Attributes {
        /// Bytes of the longest spelling, `\u0000`, of one byte.
        const MAX_SPELLING_BYTES: u32 = 6;
        /// Bytes of the longest character.
        const MAX_UTF8_BYTES: u32 = 4;

        let text = *self.node(text);
        // Every string has a spelling. After a backslash, one character of up to four bytes is spelled by at
        // least this many letters.
        let (kept, letters) = match at {
            JsonPosition::Character => (NULLABLE | PROVEN_NONEMPTY | STANDARD, None),
            JsonPosition::AfterBackslash => (0, Some(1)),
            JsonPosition::AfterU => (0, Some(4)),
        };
        let min = letters
            .map_or(text.min, |letters| text.min.saturating_sub(MAX_UTF8_BYTES).saturating_add(letters));
        Attributes {
            flags: text.flags & (kept | UTF8_ONLY),
            min,
            max: text.max.saturating_mul(MAX_SPELLING_BYTES),
            partition: self.partitions.spelled(text.partition, at),
            nesting: text.nesting.saturating_add(1),
        }
    }
}
