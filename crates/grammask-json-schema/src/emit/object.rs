//! Writes object plans as expressions: members in any order, or in the order of the schema.

use grammask_syntax::{ExprId, ExprKind, Unordered};
use grammask_work::narrow;

use super::productive::productive_members;
use super::separators::{CLOSE, NOTHING, OBJECT, OPEN};
use super::{Emitter, saturated};
use crate::PropertyOrder;
use crate::constraint::ConstraintId;
use crate::context::Stop;
use crate::language::LanguageId;
use crate::plan::{Member, ObjectPlan};

/// Expressions that a member usually needs: quotes, key, colon, value, and their sequence.
const EXPRS_PER_MEMBER: usize = 9;

impl Emitter<'_, '_> {
    /// Appends the alternatives for the objects of a plan: the empty object, and objects with members.
    pub(super) fn object(&mut self, plan: &ObjectPlan, parts: &mut Vec<ExprId>) -> Result<(), Stop> {
        let is_required = plan.members.iter().any(|member| member.is_required);
        if !is_required && plan.min == 0 {
            parts.push(self.bracket(OBJECT, NOTHING));
        }
        if plan.max == Some(0) {
            return Ok(());
        }
        let productive = productive_members(plan, self.productive).unwrap_or_default();
        let members: Vec<&Member> = productive.iter().map(|&index| &plan.members[index]).collect();
        let index_of = |index: usize| productive.binary_search(&index).ok().map(narrow);
        let requires: Vec<(u32, u32)> = plan
            .requires
            .iter()
            .filter_map(|&(first, second)| Some((index_of(first)?, index_of(second)?)))
            .collect();
        let named = members.iter().filter(|member| !member.is_class).count() as u64;
        let has_class = members.iter().any(|member| member.is_class);
        let max = plan.max.filter(|&max| has_class || max < named);
        let is_plain = plan.min <= 1 && max.is_none() && requires.is_empty();
        let list = match &members[..] {
            [first, ..] if plan.has_distinct_keys => {
                let value = first.constraint;
                Some(self.distinct_keys(&members, value, requires, plan.min, max))
            }
            [] => None,
            [member] if is_plain && !member.is_class => Some(self.member(member)),
            [member] if is_plain => {
                let (first, comma, more) = (self.member(member), self.comma(), self.member(member));
                let more = self.sequence(vec![comma, more]);
                let more = self.repeat(more, 0, None);
                Some(self.sequence(vec![first, more]))
            }
            _ if self.cx.config.property_order == PropertyOrder::AsWritten => {
                if !is_plain {
                    let schema = plan.count_schema.unwrap_or(self.cx.current_schema);
                    let reason =
                        "properties in the order of the schema that are counted, or require each other";
                    self.cx.refuse_or_relax(schema, "", reason)?;
                }
                self.as_written(&members)
            }
            _ => {
                let mut items = Vec::with_capacity(members.len());
                // Reserve once, so that large objects are not reallocated while they grow.
                self.ast.exprs.reserve(members.len() * EXPRS_PER_MEMBER);
                for member in &members {
                    self.cx.check_cancelled()?;
                    let item = self.member(member);
                    let max = if member.is_class { None } else { Some(1) };
                    items.push(self.repeat(item, u64::from(member.is_required), max));
                }
                self.unordered(items, requires, plan.min, max, false)
            }
        };
        if let Some(list) = list {
            let (open, close) = (self.bracket(OBJECT, OPEN), self.bracket(OBJECT, CLOSE));
            parts.push(self.sequence(vec![open, list, close]));
        }
        Ok(())
    }

    /// Returns members with one constraint whose keys all differ. The separator of the keys is the text
    /// between two keys, the value of the first one included.
    fn distinct_keys(
        &mut self,
        members: &[&Member],
        value: ConstraintId,
        requires: Vec<(u32, u32)>,
        min: u64,
        max: Option<u64>,
    ) -> ExprId {
        let (classes, named): (Vec<&Member>, Vec<&Member>) =
            members.iter().copied().partition(|member| member.is_class);
        let mut parts = Vec::with_capacity(members.len() + 1);
        for member in named {
            let key = self.string(member.key);
            let key = self.sequence(key);
            parts.push(self.repeat(key, u64::from(member.is_required), Some(1)));
        }
        let keys: Vec<LanguageId> = classes.iter().map(|member| member.key).collect();
        let keys = self.cx.languages.union(keys);
        let key = self.string(keys);
        let key = self.sequence(key);
        parts.push(self.push(ExprKind::Distinct(key)));
        let [between, last] = [true, false].map(|goes_on| {
            let colon = self.separators.colon.clone();
            let mut parts = vec![self.push(ExprKind::Regex(colon)), self.value(value)];
            if goes_on {
                parts.push(self.comma());
            }
            self.sequence(parts)
        });
        parts.push(between);
        let (min, max) = (saturated(min), max.map(saturated));
        let keys = Unordered { parts: parts.into(), has_separator: true, min, max, requires };
        let keys = self.push(ExprKind::Unordered(keys.into()));
        self.sequence(vec![keys, last])
    }

    /// Returns the key, the colon and the value of a member.
    fn member(&mut self, member: &Member) -> ExprId {
        let mut parts = self.string(member.key);
        let colon = self.separators.colon.clone();
        parts.push(self.push(ExprKind::Regex(colon)));
        parts.push(self.value(member.constraint));
        self.sequence(parts)
    }

    /// Returns named members in their order, then members of classes in any order. Returns `None` if there
    /// are no members.
    ///
    /// Built from the last to the first, in two forms: `rest` follows some member, `first` starts the object.
    fn as_written(&mut self, members: &[&Member]) -> Option<ExprId> {
        let (classes, named): (Vec<&Member>, Vec<&Member>) =
            members.iter().copied().partition(|member| member.is_class);
        let last_possible_first = named.iter().position(|member| member.is_required).unwrap_or(named.len());
        let mut rest: Option<String> = None;
        let mut first: Vec<ExprId> = Vec::new();
        if !classes.is_empty() {
            if last_possible_first == named.len() {
                first.push(self.in_any_order(&classes, false));
            }
            let body = self.in_any_order(&classes, true);
            rest = Some(self.helper_rule(body));
        }
        for (index, member) in named.iter().enumerate().rev() {
            let reference =
                |this: &mut Self| rest.clone().map(|name| this.push(ExprKind::Nonterminal(name.into())));
            // The member as the first one that is present. A required member must not be before it.
            if index <= last_possible_first {
                let mut parts = vec![self.member(member)];
                parts.extend(reference(self));
                let alternative = self.sequence(parts);
                first.push(alternative);
            }
            if index == 0 {
                break;
            }
            // The member after others.
            let (comma, item) = (self.comma(), self.member(member));
            let item = self.sequence(vec![comma, item]);
            let item = self.repeat(item, u64::from(member.is_required), Some(1));
            let mut parts = vec![item];
            parts.extend(reference(self));
            let body = self.sequence(parts);
            rest = Some(self.helper_rule(body));
        }
        (!first.is_empty()).then(|| self.alternatives(first))
    }

    /// Returns members of classes in any order. After other members, a comma precedes each, and all may be
    /// absent. Otherwise there is at least one.
    fn in_any_order(&mut self, classes: &[&Member], after_items: bool) -> ExprId {
        if classes.iter().any(|member| member.is_required) {
            let mut items = Vec::with_capacity(classes.len());
            for member in classes {
                let item = self.member(member);
                items.push(self.repeat(item, u64::from(member.is_required), None));
            }
            // Some class is required, so there is at least one member.
            if let Some(list) = self.unordered(items, Vec::new(), 1, None, after_items) {
                return list;
            }
        }
        let one = |this: &mut Self| {
            let members = classes.iter().map(|member| this.member(member)).collect();
            this.alternatives(members)
        };
        let (first, comma, item) = ((!after_items).then(|| one(self)), self.comma(), one(self));
        let more = self.sequence(vec![comma, item]);
        let more = self.repeat(more, 0, None);
        self.sequence(first.into_iter().chain([more]).collect())
    }

    /// Adds a rule under a new name, and returns the name.
    fn helper_rule(&mut self, body: ExprId) -> String {
        let mut name = format!("more_{}", self.used_names.len());
        while !self.used_names.insert(name.as_str().into()) {
            name.push('_');
        }
        self.rule(&name, body);
        name
    }
}
