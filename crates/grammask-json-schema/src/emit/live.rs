//! Which goals some finite value reaches: only for these there are rules.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::goals::GoalId;
use crate::languages::LanguageId;
use crate::plan::{ArrayPlan, Item, ObjectPlan, Plan, Rest};
use crate::values::{Expressions, Values};

/// The goals that some finite value reaches, as far as goals decide that.
pub(super) fn live(plans: &FxHashMap<GoalId, Plan>, order: &[GoalId]) -> FxHashSet<GoalId> {
    let mut live = FxHashSet::default();
    loop {
        let before = live.len();
        // Inner goals come later, so this way a schema without cycles takes one round.
        for goal in order.iter().rev() {
            if let Some(plan) = plans.get(goal)
                && !live.contains(goal)
                && is_live(plan, &live)
            {
                live.insert(*goal);
            }
        }
        if live.len() == before {
            return live;
        }
    }
}

fn is_live(plan: &Plan, live: &FxHashSet<GoalId>) -> bool {
    let Values { null, booleans, number, string, expressions, .. } = *plan.values;
    null || expressions != Expressions::None
        || booleans != [false; 2]
        || number != LanguageId::NONE
        || string != LanguageId::NONE
        || plan.arrays.iter().any(|array| is_array_live(array, live))
        || plan.objects.iter().any(|object| is_object_live(object, live))
}

pub(super) fn is_array_live(array: &ArrayPlan, live: &FxHashSet<GoalId>) -> bool {
    let len = array.prefix.len() as u64;
    let first = array.prefix.iter().take(array.min.min(len) as usize).all(|goal| live.contains(goal));
    first
        && match &array.rest {
            Rest::Same(goal) => array.min <= len || live.contains(goal),
            Rest::Mixed(items) => {
                let missing = array.min.saturating_sub(len);
                let most = |item: &Item| if live.contains(&item.goal) { item.max } else { Some(0) };
                let room = items.iter().try_fold(0u64, |sum, item| Some(sum.saturating_add(most(item)?)));
                items.iter().all(|item| item.min == 0 || live.contains(&item.goal))
                    && room.is_none_or(|room| missing <= room)
            }
            Rest::Distinct(elements) => array.min <= elements.len() as u64,
        }
}

pub(super) fn is_object_live(object: &ObjectPlan, live: &FxHashSet<GoalId>) -> bool {
    let mut members = object.members.iter().filter(|member| live.contains(&member.goal));
    object.members.iter().filter(|member| member.is_required).all(|member| live.contains(&member.goal))
        && (members.clone().count() as u64 >= object.min || members.any(|member| member.is_class))
}
