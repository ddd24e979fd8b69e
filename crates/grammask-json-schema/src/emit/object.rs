//! Objects as expressions: members in any order, or as written.

use grammask_syntax::{ExprId, ExprKind};

use super::Emitter;
use super::productive::live_members;
use super::separators::{CLOSE, NOTHING, OBJECT, OPEN};
use crate::PropertyOrder;
use crate::context::Stop;
use crate::plan::{Member, ObjectPlan};

/// A member of an object is no more expressions, as a rule: quotes, key, colon, value, and what holds them together.
const PER_MEMBER: usize = 9;

impl Emitter<'_, '_> {
    pub(super) fn object(&mut self, plan: &ObjectPlan, parts: &mut Vec<ExprId>) -> Result<(), Stop> {
        let is_required = plan.members.iter().any(|member| member.is_required);
        if !is_required && plan.min == 0 {
            parts.push(self.bracket(OBJECT, NOTHING));
        }
        if plan.max == Some(0) {
            return Ok(());
        }
        let live = live_members(plan, self.live).unwrap_or_default();
        let members: Vec<&Member> = live.iter().map(|&place| &plan.members[place]).collect();
        let place_of = |place: usize| live.binary_search(&place).ok().map(|place| place as u32);
        let needs: Vec<(u32, u32)> = plan
            .needs
            .iter()
            .filter_map(|&(first, second)| Some((place_of(first)?, place_of(second)?)))
            .collect();
        let named = members.iter().filter(|member| !member.is_class).count() as u64;
        let has_class = members.iter().any(|member| member.is_class);
        let max = plan.max.filter(|&max| has_class || max < named);
        let is_plain = plan.min <= 1 && max.is_none() && needs.is_empty();
        let list = match &members[..] {
            [] => None,
            [member] if is_plain && !member.is_class => Some(self.member(member)),
            [member] if is_plain => {
                let (first, comma, more) = (self.member(member), self.comma(), self.member(member));
                let more = self.sequence(vec![comma, more]);
                let more = self.repeat(more, 0, None);
                Some(self.sequence(vec![first, more]))
            }
            _ if self.translator.config.property_order == PropertyOrder::AsWritten => {
                if !is_plain {
                    let place = plan.counted.unwrap_or(self.translator.place);
                    let reason =
                        "that properties are counted, or need each other, while they come as written";
                    self.translator.refuse(place, "", reason)?;
                }
                self.as_written(&members)
            }
            _ => {
                let mut items = Vec::with_capacity(members.len());
                // Nobody waits until all expressions before have been moved to where there is room.
                self.ast.exprs.reserve(members.len() * PER_MEMBER);
                for member in &members {
                    self.translator.spend(0)?;
                    let item = self.member(member);
                    let max = if member.is_class { None } else { Some(1) };
                    items.push(self.repeat(item, u64::from(member.is_required), max));
                }
                self.in_any_order(items, needs, plan.min, max, false)
            }
        };
        if let Some(list) = list {
            let (open, close) = (self.bracket(OBJECT, OPEN), self.bracket(OBJECT, CLOSE));
            parts.push(self.sequence(vec![open, list, close]));
        }
        Ok(())
    }

    /// A key and its value.
    fn member(&mut self, member: &Member) -> ExprId {
        let mut parts = self.string(member.key);
        let colon = self.signs.colon.clone();
        parts.push(self.push(ExprKind::Regex(colon)));
        parts.push(self.value(member.goal));
        self.sequence(parts)
    }

    /// Members in their order. From the last to the first: what may come when something is there before, and when nothing is.
    fn as_written(&mut self, members: &[&Member]) -> Option<ExprId> {
        let mut behind: Option<String> = None;
        let mut first: Vec<ExprId> = Vec::new();
        let last_first = members.iter().position(|member| member.is_required).unwrap_or(members.len());
        for (place, member) in members.iter().enumerate().rev() {
            let max = if member.is_class { None } else { Some(1) };
            let reference =
                |this: &mut Self| behind.clone().map(|name| this.push(ExprKind::Nonterminal(name.into())));
            // As the first of all that are there; none behind a required one is.
            if place <= last_first {
                let mut parts = vec![self.member(member)];
                if member.is_class {
                    let (comma, more) = (self.comma(), self.member(member));
                    let more = self.sequence(vec![comma, more]);
                    parts.push(self.repeat(more, 0, None));
                }
                parts.extend(reference(self));
                let alternative = self.sequence(parts);
                first.push(alternative);
            }
            if place == 0 {
                break;
            }
            // Behind others.
            let (comma, item) = (self.comma(), self.member(member));
            let item = self.sequence(vec![comma, item]);
            let item = self.repeat(item, u64::from(member.is_required), max);
            let mut parts = vec![item];
            parts.extend(reference(self));
            let body = self.sequence(parts);
            let mut name = format!("more_{}", self.taken.len());
            while !self.taken.insert(name.as_str().into()) {
                name.push('_');
            }
            self.rule(&name, body);
            behind = Some(name);
        }
        (!first.is_empty()).then(|| self.alternatives(first))
    }
}
