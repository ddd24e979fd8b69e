//! The invariants of a store, and the check of them.

use crate::Store;
use crate::json::string::max_json_nesting;
use crate::store::node::{
    Kind, NO_ROW, NULLABLE, PROVEN_EMPTY, PROVEN_NONEMPTY, RegularId, UNBOUNDED, UNKNOWN,
};
use grammask_work::narrow;
use thiserror::Error;

/// An invariant of a [`Store`] that does not hold: a bug of this crate.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{id}: {rule}")]
pub struct Violation {
    /// The expression.
    pub id: RegularId,
    /// The rule that it breaks.
    pub rule: &'static str,
}

impl Store {
    /// Checks the invariants:
    ///
    /// 1. operands have smaller ids than the expression;
    /// 2. the head of a concatenation is not a concatenation, and no operand of one is the empty string or
    ///    the empty language;
    /// 3. operands of unions and intersections are at least two, sorted, distinct, and not of the same kind;
    /// 4. counters have `min <= max` and are not `{1,1}`, and the operand of a prefix-minimal language
    ///    does not contain the empty string;
    /// 5. JSON spellings have a text other than the empty one, and nest within the limit;
    /// 6. no expression is proven both empty and non-empty, and a nullable one is proven non-empty;
    /// 7. the attributes of an expression follow from its operands;
    /// 8. derivatives in rows are expressions of the store.
    ///
    /// # Errors
    /// The first violation.
    ///
    /// # Complexity
    /// Linear in the size of the store.
    pub fn check(&self) -> Result<(), Violation> {
        let ids = || (0..narrow(self.arena.len())).map(RegularId);
        for id in ids() {
            let violation = |rule| Err(Violation { id, rule });
            let node = self.node(id);
            let broken = match node.kind {
                Kind::Or(list) => self.broken_list(id, self.list(list), true),
                Kind::And(list) => self.broken_list(id, self.list(list), false),
                kind => self.broken_kind(id, kind),
            };
            if let Some(rule) = broken {
                return violation(rule);
            }
            if node.has(PROVEN_NONEMPTY | PROVEN_EMPTY) || node.has(NULLABLE) && !node.has(PROVEN_NONEMPTY) {
                return violation(
                    "an expression is not proven both empty and non-empty, and a nullable one is non-empty",
                );
            }
            if node.row != NO_ROW {
                let len = self.partitions.len(node.partition);
                let row = self.derivatives.rows.get(node.row as usize..node.row as usize + len);
                if !row.is_some_and(|row| {
                    row.iter().all(|&id| id == UNKNOWN || (id as usize) < self.arena.nodes.len())
                }) {
                    return violation("derivatives are expressions of the store");
                }
            }
        }
        // Describing interns partitions and keys, so this works on a copy.
        let mut copy = self.clone();
        for id in ids() {
            let node = self.node(id);
            let again = copy.describe(node.kind, id.0);
            let same_nullable = again.has(NULLABLE) == node.has(NULLABLE);
            if !same_nullable
                || (again.min, again.max) != (node.min, node.max)
                || again.partition != node.partition
                || again.has(PROVEN_NONEMPTY) && node.has(PROVEN_EMPTY)
            {
                let rule = "the attributes of an expression follow from its operands";
                return Err(Violation { id, rule });
            }
        }
        Ok(())
    }

    /// Returns the rule about operands that an expression breaks. Unions and intersections are for
    /// [`broken_list`](Self::broken_list).
    pub(crate) fn broken_kind(&self, id: RegularId, kind: Kind) -> Option<&'static str> {
        let trivial = |operand: RegularId| operand == RegularId::EMPTY || operand == RegularId::EPSILON;
        match kind {
            Kind::Concat(head, tail) => {
                if head.max(tail) >= id {
                    return Some(OPERAND_ORDER);
                }
                let nested = matches!(self.node(head).kind, Kind::Concat(..));
                (trivial(head) || trivial(tail) || nested).then_some("concatenations are in normal form")
            }
            Kind::Not(a) | Kind::PrefixMinimal(a) | Kind::Json { text: a, .. } if a >= id => {
                Some(OPERAND_ORDER)
            }
            Kind::Json { text: a, .. } if trivial(a) || self.node(a).nesting >= max_json_nesting(self) => {
                Some("JSON spellings have a text other than the empty one, and nest within the limit")
            }
            Kind::PrefixMinimal(a) if self.is_nullable(a) => {
                Some("the operand of a prefix-minimal language does not contain the empty string")
            }
            Kind::Repeat { base, .. } if base >= id => Some(OPERAND_ORDER),
            Kind::Repeat { base, min, max } => {
                let odd = min > max || (min, max) == (1, 1) || max == 0 || min == UNBOUNDED;
                (trivial(base) || odd).then_some("counters are in normal form")
            }
            _ => None,
        }
    }

    /// Returns the rule that a union or an intersection of these operands breaks.
    pub(crate) fn broken_list(
        &self,
        id: RegularId,
        members: &[RegularId],
        is_union: bool,
    ) -> Option<&'static str> {
        if members.iter().any(|&member| member >= id) {
            return Some(OPERAND_ORDER);
        }
        let is_same = |member: &RegularId| match self.node(*member).kind {
            Kind::Or(_) => is_union,
            Kind::And(_) => !is_union,
            Kind::Empty => true,
            _ => false,
        };
        let sound = members.len() >= 2 && members.is_sorted_by(|a, b| a < b) && !members.iter().any(is_same);
        (!sound).then_some("unions and intersections are in normal form")
    }
}

const OPERAND_ORDER: &str = "operands have smaller ids";
