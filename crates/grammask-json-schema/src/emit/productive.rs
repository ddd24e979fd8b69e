//! Productive constraints: those that some finite value satisfies. Other constraints get no rule, and members
//! and items that need them are left out.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::constraint::ConstraintId;
use crate::context::Stop;
use crate::language::LanguageId;
use crate::plan::{ArrayPlan, Item, ObjectPlan, Plan, Rest};
use crate::value::{RegexStrings, Values};

/// Returns the productive constraints, by the structure of their plans alone. `order` lists them outermost
/// first, and `spend` counts work.
///
/// # Complexity
/// Linear for schemas without recursion, otherwise at most quadratic in the number of constraints.
pub(super) fn productive(
    plans: &FxHashMap<ConstraintId, Plan>,
    order: &[ConstraintId],
    mut spend: impl FnMut(u64) -> Result<(), Stop>,
) -> Result<FxHashSet<ConstraintId>, Stop> {
    let mut productive = FxHashSet::default();
    // Inner constraints come later in `order`. In reverse order, one round therefore suffices without
    // recursion. Rounds alternate between both directions.
    let mut open: Vec<ConstraintId> =
        order.iter().rev().copied().filter(|constraint| plans.contains_key(constraint)).collect();
    loop {
        let before = open.len();
        let mut left = Vec::new();
        for constraint in open {
            let plan = &plans[&constraint];
            spend(plan.arrays.len() as u64 / 8 + plan.objects.len() as u64 / 8)?;
            if is_productive(plan, &productive) {
                productive.insert(constraint);
            } else {
                left.push(constraint);
            }
        }
        if left.len() == before {
            return Ok(productive);
        }
        spend(left.len() as u64 / 8)?;
        left.reverse();
        open = left;
    }
}

fn is_productive(plan: &Plan, productive: &FxHashSet<ConstraintId>) -> bool {
    let Values { null, booleans, number, string, regexes, .. } = *plan.values;
    null || regexes != RegexStrings::None
        || booleans != [false; 2]
        || number != LanguageId::NONE
        || string != LanguageId::NONE
        || plan.arrays.iter().any(|array| is_array_productive(array, productive))
        || plan.objects.iter().any(|object| is_object_productive(object, productive))
}

/// Returns true if some finite array follows the plan.
pub(super) fn is_array_productive(array: &ArrayPlan, productive: &FxHashSet<ConstraintId>) -> bool {
    let len = array.prefix.len() as u64;
    let first = array.prefix.iter().zip(0..array.min).all(|(constraint, _)| productive.contains(constraint));
    first
        && match &array.rest {
            Rest::Same(constraint) | Rest::DistinctValues(constraint) => {
                array.min <= len || productive.contains(constraint)
            }
            Rest::Mixed(items) => {
                let missing = array.min.saturating_sub(len);
                let most =
                    |item: &Item| if productive.contains(&item.constraint) { item.max } else { Some(0) };
                let room = items.iter().try_fold(0u64, |sum, item| Some(sum.saturating_add(most(item)?)));
                items.iter().all(|item| item.min == 0 || productive.contains(&item.constraint))
                    && room.is_none_or(|room| missing <= room)
            }
            Rest::Distinct(elements) => {
                let has_values = elements.values.is_some_and(|values| productive.contains(&values));
                let missing = array.min.saturating_sub(len);
                has_values || elements.count.is_none_or(|count| missing <= count)
            }
        }
}

/// Returns true if some finite object follows the plan.
pub(super) fn is_object_productive(object: &ObjectPlan, productive: &FxHashSet<ConstraintId>) -> bool {
    productive_members(object, productive).is_some()
}

/// Returns the indices of the members that may be present, ascending. Returns `None` if no finite object
/// follows the plan.
pub(super) fn productive_members(
    object: &ObjectPlan,
    productive: &FxHashSet<ConstraintId>,
) -> Option<Vec<usize>> {
    let members = &object.members;
    let mut indices: Vec<usize> =
        (0..members.len()).filter(|&index| productive.contains(&members[index].constraint)).collect();
    // A member that requires one that is never present is never present itself.
    let has = |indices: &[usize], index: usize| indices.binary_search(&index).is_ok();
    while let Some(&(first, _)) =
        object.requires.iter().find(|&&(first, second)| has(&indices, first) && !has(&indices, second))
    {
        indices.retain(|&index| index != first);
    }
    let required = members.iter().filter(|member| member.is_required).count();
    let is_required_there = indices.iter().filter(|&&index| members[index].is_required).count() == required;
    let is_countable =
        indices.iter().any(|&index| members[index].is_class) || object.min <= indices.len() as u64;
    let fits = object.max.is_none_or(|max| object.min.max(required as u64) <= max);
    (is_required_there && is_countable && fits).then_some(indices)
}
