//! The hash-consed expressions of a store: every expression is stored once, and its id is its index.

use crate::ByteSet;
use crate::store::id_table::IdTable;
use crate::store::node::{Kind, Node, OperandList, RegularId};
use crate::store::node_vec::NodeVec;
use grammask_work::narrow;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// The result of looking an expression up.
pub(crate) enum Lookup {
    Found(RegularId),
    /// The hash under which the expression is to be inserted.
    Missing(u64),
}

/// Expressions, the operand lists of unions and intersections, and the byte sets of `Kind::Bytes`.
#[derive(Clone, Default)]
pub(crate) struct Arena {
    pub(crate) nodes: NodeVec,
    /// The operands of all unions and intersections, one list after the other.
    pub(crate) lists: Vec<RegularId>,
    /// Finds expressions by their content.
    ids: IdTable,
    sets: Vec<ByteSet>,
    set_ids: FxHashMap<ByteSet, u32>,
}

impl Arena {
    /// Number of expressions.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn node(&self, a: RegularId) -> &Node {
        &self.nodes[a.index()]
    }

    pub(crate) fn list(&self, list: OperandList) -> &[RegularId] {
        &self.lists[list.range()]
    }

    pub(crate) fn byte_set(&self, set: u32) -> &ByteSet {
        &self.sets[set as usize]
    }

    /// Interns a byte set.
    pub(crate) fn intern_set(&mut self, set: ByteSet) -> u32 {
        let next = narrow(self.sets.len());
        let id = *self.set_ids.entry(set).or_insert(next);
        if id == next {
            self.sets.push(set);
        }
        id
    }

    /// Looks an expression up that is not a union or an intersection.
    pub(crate) fn find(&self, kind: &Kind) -> Lookup {
        let mut hasher = FxHasher::default();
        kind.hash(&mut hasher);
        self.find_by(hasher.finish(), |other| other == kind)
    }

    /// Looks a union or an intersection up by its sorted operands.
    pub(crate) fn find_list(&self, operands: &[RegularId], is_union: bool) -> Lookup {
        let mut hasher = FxHasher::default();
        is_union.hash(&mut hasher);
        operands.iter().for_each(|operand| hasher.write_u32(operand.0));
        self.find_by(hasher.finish(), |other| match *other {
            Kind::Or(list) => is_union && self.list(list) == operands,
            Kind::And(list) => !is_union && self.list(list) == operands,
            _ => false,
        })
    }

    fn find_by(&self, hash: u64, is_same: impl Fn(&Kind) -> bool) -> Lookup {
        match self.ids.find(hash, |id| is_same(&self.nodes[id as usize].kind)) {
            Some(id) => Lookup::Found(RegularId(id)),
            None => Lookup::Missing(hash),
        }
    }

    /// Stores an operand list.
    pub(crate) fn push_list(&mut self, operands: &[RegularId]) -> OperandList {
        let list = OperandList { start: narrow(self.lists.len()), len: narrow(operands.len()) };
        self.lists.extend_from_slice(operands);
        list
    }

    /// Stores an expression that is not stored yet, under the hash of [`Lookup::Missing`].
    pub(crate) fn push(&mut self, node: Node, hash: u64) -> RegularId {
        let id = narrow(self.nodes.len());
        self.nodes.push(node);
        self.ids.insert(hash, id);
        RegularId(id)
    }

    /// Reserves slots of the hash table for more expressions, up to 256 in all.
    pub(crate) fn reserve_slots(&mut self, expressions: usize) {
        self.ids.reserve(expressions);
    }

    /// Reserves address space for expressions and their operand lists. Best effort: on failure, the vectors
    /// grow as usual.
    pub(crate) fn reserve_address_space(&mut self, expressions: usize) {
        let _ = self.nodes.try_reserve(expressions);
        // A store of 280,000 expressions, the lexemes of some thousand JSON schemas, had half as many
        // operands.
        let _ = self.lists.try_reserve(expressions / 2);
    }

    /// Heap bytes, approximately.
    pub(crate) fn bytes_used(&self) -> usize {
        self.nodes.len() * size_of::<Node>()
            + self.lists.len() * 4
            + self.ids.bytes_used()
            + self.sets.len() * 72
    }
}
