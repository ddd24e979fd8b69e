//! `contains` with counts. Example: of the items from index 2 on, one to three satisfy A and at least two
//! satisfy B.
//!
//! A plan fixes which constraints each of the first items satisfies. All further items are counted by kind,
//! where the kind of an item is the set of counted constraints that it satisfies.

use super::{ArrayPlan, Item, Rest};
use crate::constraint::ConstraintId;
use crate::context::{Context, Stop};
use crate::value::{Array, Contains};

/// A choice for the first items: the constraint of each, and the number of them that satisfy each `contains`.
#[derive(Clone)]
struct PrefixChoice {
    prefix: Vec<ConstraintId>,
    met: Vec<u64>,
}

/// Returns plans for arrays with `contains`.
pub(super) fn plan_contains(cx: &mut Context<'_>, array: &Array) -> Result<Vec<ArrayPlan>, Stop> {
    let Some(array) = exclude_forbidden_items(cx, array) else { return Ok(Vec::new()) };
    let Array { prefix, rest, min, max, contains, .. } = &array;
    let Some(first) = contains.first() else {
        return Ok(vec![ArrayPlan { prefix: prefix.clone(), rest: Rest::Same(*rest), min: *min, max: *max }]);
    };
    let len = contains.iter().map(|contains| contains.from).fold(prefix.len(), usize::max);
    let limits = &cx.config.limits;
    let is_small = contains.len() <= limits.max_contains && len <= limits.max_contains_prefix;
    let plans = if is_small { enumerate_prefixes(cx, &array, len)? } else { None };
    if let Some(plans) = plans {
        return Ok(plans);
    }
    let reason = "`contains` with too many counted kinds of items (limits `max_contains*`)";
    cx.refuse_or_relax(first.schema, "contains", reason)?;
    Ok(vec![ArrayPlan { prefix: prefix.clone(), rest: Rest::Same(*rest), min: *min, max: *max }])
}

/// Removes each `contains` with a maximum of 0, and adds its negation to the constraint of every item it
/// counts. Returns `None` if no array satisfies the result.
fn exclude_forbidden_items(cx: &mut Context<'_>, array: &Array) -> Option<Array> {
    let mut array = array.clone();
    for contains in array.contains.iter().filter(|contains| contains.max == Some(0)) {
        let other = cx.constraints.negate(contains.constraint);
        while array.prefix.len() < contains.from {
            array.prefix.push(array.rest);
        }
        for constraint in array.prefix.iter_mut().skip(contains.from) {
            *constraint = cx.constraints.both(*constraint, other);
        }
        array.rest = cx.constraints.both(array.rest, other);
    }
    array.contains.retain(|contains| contains.max != Some(0));
    array.normalize().then_some(array)
}

/// Returns the plans of all choices for the first `len` items. Returns `None` if there are too many.
fn enumerate_prefixes(
    cx: &mut Context<'_>,
    array: &Array,
    len: usize,
) -> Result<Option<Vec<ArrayPlan>>, Stop> {
    let mut plans = Vec::new();
    let mut choices = vec![PrefixChoice { prefix: Vec::new(), met: vec![0; array.contains.len()] }];
    for position in 0..len {
        let here = position as u64;
        if here >= array.min && array.max.is_none_or(|max| here <= max) {
            for choice in &choices {
                if array.contains.iter().zip(&choice.met).all(|(contains, &met)| met >= contains.min) {
                    plans.push(exact_items(choice.prefix.clone()));
                }
            }
        }
        let mut next = Vec::new();
        for choice in &choices {
            extend_with_item(cx, array, choice, &mut next)?;
        }
        choices = next;
        if choices.len() + plans.len() > cx.config.limits.max_contains_choices {
            return Ok(None);
        }
    }
    for choice in &choices {
        if !plan_rest(cx, array, choice, &mut plans)? || plans.len() > cx.config.limits.max_contains_choices {
            return Ok(None);
        }
    }
    Ok(Some(plans))
}

/// Appends all choices in which one more item follows.
fn extend_with_item(
    cx: &mut Context<'_>,
    array: &Array,
    choice: &PrefixChoice,
    next: &mut Vec<PrefixChoice>,
) -> Result<(), Stop> {
    let position = choice.prefix.len();
    let mut options = vec![(array.item(position), choice.met.clone())];
    for (index, contains) in array.contains.iter().enumerate().filter(|(_, one)| one.from <= position) {
        let mut more = Vec::new();
        for (constraint, met) in options {
            cx.spend(1)?;
            // A minimum that has been reached need not be counted further.
            if met[index] < contains.max.unwrap_or(contains.min) {
                let mut met = met.clone();
                met[index] += 1;
                more.push((cx.constraints.both(constraint, contains.constraint), met));
            }
            let constraint = uncounted(cx, constraint, contains);
            more.push((constraint, met));
        }
        more.retain(|(constraint, _)| *constraint != ConstraintId::NEVER);
        options = more;
    }
    for (constraint, met) in options.into_iter().filter(|(constraint, _)| *constraint != ConstraintId::NEVER)
    {
        let mut prefix = choice.prefix.clone();
        prefix.push(constraint);
        next.push(PrefixChoice { prefix, met });
    }
    Ok(())
}

/// Returns the constraint of an item that does not count for a `contains`.
fn uncounted(cx: &mut Context<'_>, constraint: ConstraintId, contains: &Contains) -> ConstraintId {
    match contains.max {
        Some(_) => {
            let other = cx.constraints.negate(contains.constraint);
            cx.constraints.both(constraint, other)
        }
        None => constraint,
    }
}

/// Adds the plans for the items after the first ones. Returns `false` if there are too many.
fn plan_rest(
    cx: &mut Context<'_>,
    array: &Array,
    choice: &PrefixChoice,
    plans: &mut Vec<ArrayPlan>,
) -> Result<bool, Stop> {
    let missing = |index: usize| array.contains[index].min.saturating_sub(choice.met[index]);
    let (with_max, without_max): (Vec<usize>, Vec<usize>) =
        (0..choice.met.len()).partition(|&index| array.contains[index].max.is_some());
    if let ([], &[index]) = (&with_max[..], &without_max[..]) {
        let constraint = cx.constraints.both(array.rest, array.contains[index].constraint);
        let items = vec![
            Item { constraint, min: missing(index), max: Some(missing(index)) },
            Item { constraint: array.rest, min: 0, max: None },
        ];
        plans.extend(rest_plan(array, choice, items));
        return Ok(true);
    }
    let required: Vec<usize> = {
        let all: u64 = without_max.iter().map(|&index| missing(index)).fold(0, u64::saturating_add);
        if all > cx.config.limits.max_contains_witnesses {
            return Ok(false);
        }
        without_max.iter().flat_map(|&index| (0..missing(index)).map(move |_| index)).collect()
    };
    let Some(all_kinds) = item_kinds(cx, array, choice, &with_max)? else { return Ok(false) };
    for kinds in all_kinds {
        let mut groupings: Vec<Vec<Witness>> = vec![Vec::new()];
        for &index in &required {
            let mut next = Vec::new();
            for grouping in &groupings {
                cx.spend(1)?;
                add_witness(cx, array.contains[index].constraint, index, &kinds, grouping, &mut next);
            }
            groupings = next;
            if groupings.len() + plans.len() > cx.config.limits.max_contains_choices {
                return Ok(false);
            }
        }
        for grouping in groupings {
            let mut kinds = kinds.clone();
            for witness in &grouping {
                let kind = &mut kinds[witness.kind];
                kind.min = kind.min.saturating_sub(1);
                kind.max = kind.max.map(|max| max - 1);
            }
            let witnesses =
                grouping.iter().map(|witness| Item { constraint: witness.constraint, min: 1, max: Some(1) });
            plans.extend(rest_plan(array, choice, witnesses.chain(kinds).collect()));
        }
    }
    Ok(true)
}

/// Returns lists of item kinds with their counts. Their union represents the items that satisfy all
/// `contains` with a maximum. Returns `None` if there are too many lists.
///
/// Two constraints A and B with a maximum have the kinds "neither", "A alone", "B alone" and "both".
fn item_kinds(
    cx: &mut Context<'_>,
    array: &Array,
    choice: &PrefixChoice,
    with_max: &[usize],
) -> Result<Option<Vec<Vec<Item>>>, Stop> {
    let bounds: Vec<(u64, u64)> = with_max
        .iter()
        .map(|&index| {
            let (contains, met) = (&array.contains[index], choice.met[index]);
            (contains.min.saturating_sub(met), contains.max.unwrap_or(u64::MAX) - met)
        })
        .collect();
    if with_max.len() >= usize::BITS as usize {
        return Ok(None);
    }
    // A kind is a bit set: bit `i` is set if its items satisfy the `i`-th constraint of `with_max`.
    let mut constraints = Vec::new();
    for kind in 0..1usize << with_max.len() {
        cx.spend(1)?;
        let mut constraint = array.rest;
        for (bit, &index) in with_max.iter().enumerate() {
            let own = array.contains[index].constraint;
            let own = if kind >> bit & 1 == 1 { own } else { cx.constraints.negate(own) };
            constraint = cx.constraints.both(constraint, own);
        }
        constraints.push(constraint);
    }
    let satisfies = |kind: usize, bit: usize| kind >> bit & 1 == 1;
    // A kind that satisfies several constraints gets one list for each count. For all other kinds, a range
    // suffices.
    let mut all: Vec<Vec<(usize, u64)>> = vec![Vec::new()];
    let several = (1..constraints.len()).filter(|kind| kind.count_ones() > 1);
    for kind in several.filter(|&kind| constraints[kind] != ConstraintId::NEVER) {
        let own_bounds = bounds.iter().enumerate().filter(|&(bit, _)| satisfies(kind, bit));
        let most = own_bounds.map(|(_, &(_, most))| most).min().unwrap_or(0);
        let mut next = Vec::new();
        for counts in &all {
            for count in 0..=most {
                cx.spend(1)?;
                if next.len() > cx.config.limits.max_contains_choices {
                    return Ok(None);
                }
                let mut counts = counts.clone();
                counts.push((kind, count));
                next.push(counts);
            }
        }
        all = next;
    }
    let mut lists = Vec::new();
    'counts: for counts in all {
        let mut items = vec![Item { constraint: constraints[0], min: 0, max: None }];
        for (bit, &(least, most)) in bounds.iter().enumerate() {
            let sum = counts.iter().filter(|&&(kind, _)| satisfies(kind, bit)).map(|(_, count)| count).sum();
            let constraint = constraints[1 << bit];
            if sum > most || (constraint == ConstraintId::NEVER && sum < least) {
                continue 'counts;
            }
            items.push(Item { constraint, min: least.saturating_sub(sum), max: Some(most - sum) });
        }
        items.extend(counts.iter().map(|&(kind, count)| Item {
            constraint: constraints[kind],
            min: count,
            max: Some(count),
        }));
        items.retain(|item| item.constraint != ConstraintId::NEVER);
        lists.push(items);
    }
    Ok(Some(lists))
}

/// Appends all ways to satisfy one more required constraint: by an item that is already required, or by a new
/// one.
fn add_witness(
    cx: &mut Context<'_>,
    wanted: ConstraintId,
    index: usize,
    kinds: &[Item],
    grouping: &[Witness],
    next: &mut Vec<Vec<Witness>>,
) {
    for position in (0..grouping.len()).filter(|&position| grouping[position].last != index) {
        let constraint = cx.constraints.both(grouping[position].constraint, wanted);
        if constraint != ConstraintId::NEVER {
            let mut with = grouping.to_vec();
            with[position] = Witness { constraint, last: index, ..with[position] };
            next.push(with);
        }
    }
    for (kind, item) in kinds.iter().enumerate() {
        let used = grouping.iter().filter(|witness| witness.kind == kind).count() as u64;
        let constraint = cx.constraints.both(item.constraint, wanted);
        if constraint != ConstraintId::NEVER && item.max.is_none_or(|max| used < max) {
            let mut with = grouping.to_vec();
            with.push(Witness { kind, constraint, last: index });
            next.push(with);
        }
    }
}

/// An item that some `contains` requires.
#[derive(Clone, Copy)]
struct Witness {
    /// Index of the item's kind.
    kind: usize,
    constraint: ConstraintId,
    /// Index of the last `contains` that the item counts for. No item counts twice for one `contains`.
    last: usize,
}

/// Returns the plan of an array with exactly these items.
fn exact_items(prefix: Vec<ConstraintId>) -> ArrayPlan {
    let len = prefix.len() as u64;
    ArrayPlan { prefix, rest: Rest::Same(ConstraintId::NEVER), min: len, max: Some(len) }
}

/// Returns the plan of the arrays that begin with the chosen prefix and continue with these kinds of items.
/// Returns `None` if there is no such array.
fn rest_plan(array: &Array, choice: &PrefixChoice, mut items: Vec<Item>) -> Option<ArrayPlan> {
    let here = choice.prefix.len() as u64;
    if items.iter().any(|item| item.constraint == ConstraintId::NEVER && item.min > 0) {
        return None;
    }
    items.retain(|item| item.constraint != ConstraintId::NEVER && item.max != Some(0));
    let least = items.iter().map(|item| item.min).fold(here, u64::saturating_add);
    let min = array.min.max(least);
    if array.max.is_some_and(|max| min > max) {
        return None;
    }
    if items.is_empty() {
        return (min <= here).then(|| exact_items(choice.prefix.clone()));
    }
    Some(ArrayPlan { prefix: choice.prefix.clone(), rest: Rest::Mixed(items), min, max: array.max })
}
