//! Which goals some finite value reaches: the others get no rule, and what needs them is left out.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::conjunction::GoalId;
use crate::context::Stop;
use crate::language::LanguageId;
use crate::plan::{ArrayPlan, Item, ObjectPlan, Plan, Rest};
use crate::value::{Expressions, Values};

/// The goals that some finite value reaches, as far as goals decide that. `spend` counts work.
pub(super) fn live(
    plans: &FxHashMap<GoalId, Plan>,
    order: &[GoalId],
    mut spend: impl FnMut(u64) -> Result<(), Stop>,
) -> Result<FxHashSet<GoalId>, Stop> {
    let mut live = FxHashSet::default();
    // Inner goals come later, so this way a schema without cycles takes one round; some with cycles are faster the other way.
    let mut open: Vec<GoalId> = order.iter().rev().copied().filter(|goal| plans.contains_key(goal)).collect();
    loop {
        let before = open.len();
        let mut left = Vec::new();
        for goal in open {
            let plan = &plans[&goal];
            spend(plan.arrays.len() as u64 / 8 + plan.objects.len() as u64 / 8)?;
            if is_live(plan, &live) {
                live.insert(goal);
            } else {
                left.push(goal);
            }
        }
        if left.len() == before {
            return Ok(live);
        }
        spend(left.len() as u64 / 8)?;
        left.reverse();
        open = left;
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

/// Whether there is such an array.
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
            Rest::Distinct(elements) => elements.texts.is_some() || array.min <= elements.listed.len() as u64,
        }
}

/// Whether there is such an object.
pub(super) fn is_object_live(object: &ObjectPlan, live: &FxHashSet<GoalId>) -> bool {
    live_members(object, live).is_some()
}

/// The places of the members that may be there, in order; nothing where there is no such object, as far as goals and counts decide that.
pub(super) fn live_members(object: &ObjectPlan, live: &FxHashSet<GoalId>) -> Option<Vec<usize>> {
    let members = &object.members;
    let mut places: Vec<usize> =
        (0..members.len()).filter(|&place| live.contains(&members[place].goal)).collect();
    // What needs something that is never there is never there itself.
    let has = |places: &[usize], place: usize| places.binary_search(&place).is_ok();
    while let Some(&(first, _)) =
        object.needs.iter().find(|&&(first, second)| has(&places, first) && !has(&places, second))
    {
        places.retain(|&place| place != first);
    }
    let required = members.iter().filter(|member| member.is_required).count();
    let is_required_there = places.iter().filter(|&&place| members[place].is_required).count() == required;
    let is_countable =
        places.iter().any(|&place| members[place].is_class) || object.min <= places.len() as u64;
    let fits = object.max.is_none_or(|max| object.min.max(required as u64) <= max);
    (is_required_there && is_countable && fits).then_some(places)
}
