//! Writes array plans as expressions.

use grammask_syntax::{ExprId, ExprKind, Unordered};

use super::separators::{ARRAY, CLOSE, NOTHING, OPEN};
use super::{Emitter, saturated};
use crate::plan::{ArrayPlan, Rest};

impl Emitter<'_, '_> {
    /// Appends the alternatives for the arrays of a plan: the empty array, and arrays with items.
    pub(super) fn array(&mut self, plan: &ArrayPlan, parts: &mut Vec<ExprId>) {
        if plan.min == 0 {
            parts.push(self.bracket(ARRAY, NOTHING));
        }
        if plan.max == Some(0) {
            return;
        }
        // Built from the last item to the first: `rest` is what may follow the items before it.
        let productive =
            plan.prefix.iter().take_while(|constraint| self.productive.contains(constraint)).count();
        let len = plan.prefix.len();
        let mut rest = if productive == len { self.rest(plan) } else { None };
        for index in (0..productive).rev() {
            let item = self.value(plan.prefix[index]);
            let mut sequence = Vec::new();
            if index > 0 {
                sequence.push(self.comma());
            }
            sequence.push(item);
            sequence.extend(rest.take());
            let sequence = self.sequence(sequence);
            rest = Some(if index > 0 && index as u64 >= plan.min {
                self.repeat(sequence, 0, Some(1))
            } else {
                sequence
            });
        }
        if let Some(items) = rest {
            let (open, close) = (self.bracket(ARRAY, OPEN), self.bracket(ARRAY, CLOSE));
            parts.push(self.sequence(vec![open, items, close]));
        }
    }

    /// Returns the items after the first ones, if all first items are present. Without first items, the
    /// result has at least one item. Returns `None` if there are no further items.
    fn rest(&mut self, plan: &ArrayPlan) -> Option<ExprId> {
        let len = plan.prefix.len() as u64;
        let min = plan.min.saturating_sub(len);
        let max = plan.max.map(|max| max - len);
        match &plan.rest {
            Rest::Same(constraint) if self.productive.contains(constraint) && max != Some(0) => {
                if len > 0 {
                    let (comma, item) = (self.comma(), self.value(*constraint));
                    let item = self.sequence(vec![comma, item]);
                    return Some(self.repeat(item, min, max));
                }
                let first = self.value(*constraint);
                if max == Some(1) {
                    return Some(first);
                }
                let (comma, item) = (self.comma(), self.value(*constraint));
                let item = self.sequence(vec![comma, item]);
                let more = self.repeat(item, min.max(1) - 1, max.map(|max| max - 1));
                Some(self.sequence(vec![first, more]))
            }
            Rest::Same(_) => None,
            Rest::Mixed(items) => {
                let mut parts = Vec::new();
                for item in items
                    .iter()
                    .filter(|item| self.productive.contains(&item.constraint) && item.max != Some(0))
                {
                    let value = self.value(item.constraint);
                    parts.push(self.repeat(value, item.min, item.max));
                }
                self.unordered(parts, Vec::new(), min, max, len > 0)
            }
            Rest::DistinctValues(constraint) if self.productive.contains(constraint) => {
                let item = self.value(*constraint);
                let item = self.push(ExprKind::Distinct(item));
                self.unordered(vec![item], Vec::new(), min, max, len > 0)
            }
            Rest::DistinctValues(_) => None,
            Rest::Distinct(elements) => {
                let mut items = Vec::new();
                for (index, element) in elements.listed.iter().enumerate() {
                    let parts = self.scalar_parts(element);
                    let item = self.alternatives(parts);
                    items.push(self.repeat(item, u64::from(index < elements.required), Some(1)));
                }
                if let Some(compared) = &elements.compared {
                    let parts = self.scalar_parts(compared);
                    let item = self.alternatives(parts);
                    items.push(self.push(ExprKind::Distinct(item)));
                }
                if let Some(values) = elements.values.filter(|values| self.productive.contains(values)) {
                    let item = self.value(values);
                    items.push(self.push(ExprKind::Distinct(item)));
                }
                self.unordered(items, Vec::new(), min, max, len > 0)
            }
        }
    }

    /// Returns parts in any order, separated by commas, with at least one. With `after_items`, a comma
    /// precedes them, and all of them may be absent if `min` is 0. Returns `None` if there are no parts.
    pub(super) fn unordered(
        &mut self,
        mut parts: Vec<ExprId>,
        requires: Vec<(u32, u32)>,
        min: u64,
        max: Option<u64>,
        after_items: bool,
    ) -> Option<ExprId> {
        if parts.is_empty() || max == Some(0) {
            return None;
        }
        parts.push(self.comma());
        let (at_least, max) = (saturated(min.max(1)), max.map(saturated));
        let list = Unordered { parts: parts.into(), has_separator: true, min: at_least, max, requires };
        let list = self.push(ExprKind::Unordered(list.into()));
        if !after_items {
            return Some(list);
        }
        let comma = self.comma();
        let list = self.sequence(vec![comma, list]);
        Some(if min == 0 { self.repeat(list, 0, Some(1)) } else { list })
    }
}
