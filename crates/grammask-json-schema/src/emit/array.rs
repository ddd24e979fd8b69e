//! Arrays as expressions.

use grammask_syntax::{ExprId, ExprKind, Unordered};

use super::Emitter;
use super::separators::{ARRAY, CLOSE, NOTHING, OPEN};
use crate::plan::{ArrayPlan, Rest};

impl Emitter<'_, '_> {
    pub(super) fn array(&mut self, plan: &ArrayPlan, parts: &mut Vec<ExprId>) {
        if plan.min == 0 {
            parts.push(self.bracket(ARRAY, NOTHING));
        }
        if plan.max == Some(0) {
            return;
        }
        // From the last item to the first: what comes behind so many items.
        let live = plan.prefix.iter().take_while(|goal| self.live.contains(goal)).count();
        let len = plan.prefix.len();
        let mut behind = match live == len {
            true => self.rest(plan),
            false => None,
        };
        for place in (0..live).rev() {
            let item = self.value(plan.prefix[place]);
            let mut sequence = Vec::new();
            if place > 0 {
                sequence.push(self.comma());
            }
            sequence.push(item);
            sequence.extend(behind.take());
            let sequence = self.sequence(sequence);
            behind = Some(if place > 0 && place as u64 >= plan.min {
                self.repeat(sequence, 0, Some(1))
            } else {
                sequence
            });
        }
        if let Some(items) = behind {
            let (open, close) = (self.bracket(ARRAY, OPEN), self.bracket(ARRAY, CLOSE));
            parts.push(self.sequence(vec![open, items, close]));
        }
    }

    /// What comes behind the first items, which are all there; one item at least if there are no first ones.
    fn rest(&mut self, plan: &ArrayPlan) -> Option<ExprId> {
        let len = plan.prefix.len() as u64;
        let min = plan.min.saturating_sub(len);
        let max = plan.max.map(|max| max - len);
        match &plan.rest {
            Rest::Same(goal) if self.live.contains(goal) && max != Some(0) => {
                if len > 0 {
                    let (comma, item) = (self.comma(), self.value(*goal));
                    let item = self.sequence(vec![comma, item]);
                    return Some(self.repeat(item, min, max));
                }
                let first = self.value(*goal);
                if max == Some(1) {
                    return Some(first);
                }
                let (comma, item) = (self.comma(), self.value(*goal));
                let item = self.sequence(vec![comma, item]);
                let more = self.repeat(item, min.max(1) - 1, max.map(|max| max - 1));
                Some(self.sequence(vec![first, more]))
            }
            Rest::Same(_) => None,
            Rest::Mixed(items) => {
                let mut parts = Vec::new();
                for item in items.iter().filter(|item| self.live.contains(&item.goal) && item.max != Some(0))
                {
                    let value = self.value(item.goal);
                    parts.push(self.repeat(value, item.min, item.max));
                }
                self.in_any_order(parts, Vec::new(), min, max, len > 0)
            }
            Rest::Distinct(elements) => {
                let mut items = Vec::new();
                for element in &elements.listed {
                    let parts = self.scalar_parts(element);
                    let item = self.alternatives(parts);
                    items.push(self.repeat(item, 0, Some(1)));
                }
                if let Some(texts) = elements.texts {
                    let string = self.string(texts);
                    let string = self.sequence(string);
                    items.push(self.push(ExprKind::Distinct(string)));
                }
                self.in_any_order(items, Vec::new(), min, max, false)
            }
        }
    }

    /// Items in any order, with commas between them; one at least, or, behind others, a comma before them if there are any.
    pub(super) fn in_any_order(
        &mut self,
        mut parts: Vec<ExprId>,
        needs: Vec<(u32, u32)>,
        min: u64,
        max: Option<u64>,
        is_behind: bool,
    ) -> Option<ExprId> {
        if parts.is_empty() || max == Some(0) {
            return None;
        }
        parts.push(self.comma());
        let at_least = min.max(1).min(u64::from(u32::MAX)) as u32;
        let max = max.map(|max| max.min(u64::from(u32::MAX)) as u32);
        let list = Unordered { parts: parts.into(), has_separator: true, min: at_least, max, needs };
        let list = self.push(ExprKind::Unordered(list.into()));
        if !is_behind {
            return Some(list);
        }
        let comma = self.comma();
        let list = self.sequence(vec![comma, list]);
        Some(if min == 0 { self.repeat(list, 0, Some(1)) } else { list })
    }
}
