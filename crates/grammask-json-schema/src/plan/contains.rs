//! Arrays of whose items some reach a goal, so many and no more: which of the first items do is chosen one by one, the others are counted
//! by kinds, where a kind is what an item reaches of all that is counted.

use super::{ArrayPlan, Item, Rest};
use crate::conjunction::GoalId;
use crate::context::{Stop, Translator};
use crate::value::{Array, Contains};

/// More goals that items are counted by are not looked at in all combinations.
const MOST_GOALS: usize = 6;
/// Nor are more first items.
const MOST_FIRST: usize = 8;
/// Nor more items that must be there one by one.
const MOST_WITNESSES: u64 = 6;
/// Nor more combinations than these, for one array.
const MOST_CHOICES: usize = 4_096;

/// What the first items are, and how many of them reach each goal.
#[derive(Clone)]
struct Choice {
    prefix: Vec<GoalId>,
    met: Vec<u64>,
}

impl Translator<'_> {
    /// Arrays some of whose items reach goals.
    pub(super) fn plan_contains(&mut self, array: &Array) -> Result<Vec<ArrayPlan>, Stop> {
        let Some(array) = self.without_excluded(array) else { return Ok(Vec::new()) };
        let Array { prefix, rest, min, max, contains, .. } = &array;
        let Some(first) = contains.first() else {
            return Ok(vec![ArrayPlan {
                prefix: prefix.clone(),
                rest: Rest::Same(*rest),
                min: *min,
                max: *max,
            }]);
        };
        let len = contains.iter().map(|contains| contains.from).fold(prefix.len(), usize::max);
        let plans = match contains.len() <= MOST_GOALS && len <= MOST_FIRST {
            true => self.chosen(&array, len)?,
            false => None,
        };
        if let Some(plans) = plans {
            return Ok(plans);
        }
        let reason = "many kinds of items of which an array must have so many";
        self.refuse(first.place, "contains", reason)?;
        Ok(vec![ArrayPlan { prefix: prefix.clone(), rest: Rest::Same(*rest), min: *min, max: *max }])
    }

    /// The array with what must not be there taken out of the items' goals; nothing where there is no such array.
    fn without_excluded(&mut self, array: &Array) -> Option<Array> {
        let mut array = array.clone();
        for contains in array.contains.iter().filter(|contains| contains.max == Some(0)) {
            let other = self.goals.negate(contains.goal);
            while array.prefix.len() < contains.from {
                array.prefix.push(array.rest);
            }
            for goal in array.prefix.iter_mut().skip(contains.from) {
                *goal = self.goals.both(*goal, other);
            }
            array.rest = self.goals.both(array.rest, other);
        }
        array.contains.retain(|contains| contains.max != Some(0));
        array.settle().then_some(array)
    }

    /// The plans of all choices; nothing where these are too many.
    fn chosen(&mut self, array: &Array, len: usize) -> Result<Option<Vec<ArrayPlan>>, Stop> {
        let mut plans = Vec::new();
        let mut choices = vec![Choice { prefix: Vec::new(), met: vec![0; array.contains.len()] }];
        for place in 0..len {
            let here = place as u64;
            if here >= array.min && array.max.is_none_or(|max| here <= max) {
                for choice in &choices {
                    if array.contains.iter().zip(&choice.met).all(|(contains, &met)| met >= contains.min) {
                        plans.push(closed(choice.prefix.clone()));
                    }
                }
            }
            let mut next = Vec::new();
            for choice in &choices {
                self.with_item(array, choice, &mut next)?;
            }
            choices = next;
            if choices.len() + plans.len() > MOST_CHOICES {
                return Ok(None);
            }
        }
        for choice in &choices {
            if !self.counted(array, choice, &mut plans)? || plans.len() > MOST_CHOICES {
                return Ok(None);
            }
        }
        Ok(Some(plans))
    }

    /// One more of the first items, in all ways to be counted.
    fn with_item(&mut self, array: &Array, choice: &Choice, next: &mut Vec<Choice>) -> Result<(), Stop> {
        let place = choice.prefix.len();
        let mut ways = vec![(array.item(place), choice.met.clone())];
        for (index, contains) in array.contains.iter().enumerate().filter(|(_, one)| one.from <= place) {
            let mut more = Vec::new();
            for (goal, met) in ways {
                self.spend(1)?;
                // Where nobody counts any further, it need not be known.
                if met[index] < contains.max.unwrap_or(contains.min) {
                    let mut met = met.clone();
                    met[index] += 1;
                    more.push((self.goals.both(goal, contains.goal), met));
                }
                let goal = self.unless_counted(goal, contains);
                more.push((goal, met));
            }
            more.retain(|(goal, _)| *goal != GoalId::NEVER);
            ways = more;
        }
        for (goal, met) in ways.into_iter().filter(|(goal, _)| *goal != GoalId::NEVER) {
            let mut prefix = choice.prefix.clone();
            prefix.push(goal);
            next.push(Choice { prefix, met });
        }
        Ok(())
    }

    /// The goal of an item that is not counted.
    fn unless_counted(&mut self, goal: GoalId, contains: &Contains) -> GoalId {
        match contains.max {
            Some(_) => {
                let other = self.goals.negate(contains.goal);
                self.goals.both(goal, other)
            }
            None => goal,
        }
    }

    /// The plans behind the first items. `false` where they are too many.
    fn counted(&mut self, array: &Array, choice: &Choice, plans: &mut Vec<ArrayPlan>) -> Result<bool, Stop> {
        let missing = |index: usize| array.contains[index].min.saturating_sub(choice.met[index]);
        let (capped, open): (Vec<usize>, Vec<usize>) =
            (0..choice.met.len()).partition(|&index| array.contains[index].max.is_some());
        if let ([], &[index]) = (&capped[..], &open[..]) {
            let goal = self.goals.both(array.rest, array.contains[index].goal);
            let items = vec![
                Item { goal, min: missing(index), max: Some(missing(index)) },
                Item { goal: array.rest, min: 0, max: None },
            ];
            plans.extend(behind(array, choice, items));
            return Ok(true);
        }
        let wanted: Vec<usize> = {
            let all: u64 = open.iter().map(|&index| missing(index)).fold(0, u64::saturating_add);
            if all > MOST_WITNESSES {
                return Ok(false);
            }
            open.iter().flat_map(|&index| std::iter::repeat_n(index, missing(index) as usize)).collect()
        };
        let Some(all_kinds) = self.kinds(array, choice, &capped)? else { return Ok(false) };
        for kinds in all_kinds {
            let mut groupings: Vec<Vec<Witness>> = vec![Vec::new()];
            for &index in &wanted {
                let mut next = Vec::new();
                for grouping in &groupings {
                    self.spend(1)?;
                    self.with_witness(array.contains[index].goal, index, &kinds, grouping, &mut next);
                }
                groupings = next;
                if groupings.len() + plans.len() > MOST_CHOICES {
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
                    grouping.iter().map(|witness| Item { goal: witness.goal, min: 1, max: Some(1) });
                plans.extend(behind(array, choice, witnesses.chain(kinds).collect()));
            }
        }
        Ok(true)
    }

    /// Kinds of items, told apart by the goals that there may not be too many of: lists of how many of each there may be, all of which
    /// together are all that is allowed. Nothing where these are too many.
    fn kinds(
        &mut self,
        array: &Array,
        choice: &Choice,
        capped: &[usize],
    ) -> Result<Option<Vec<Vec<Item>>>, Stop> {
        let bounds: Vec<(u64, u64)> = capped
            .iter()
            .map(|&index| {
                let (contains, met) = (&array.contains[index], choice.met[index]);
                (contains.min.saturating_sub(met), contains.max.unwrap_or(u64::MAX) - met)
            })
            .collect();
        let mut goals = Vec::new();
        for kind in 0..1usize << capped.len() {
            self.spend(1)?;
            let mut goal = array.rest;
            for (bit, &index) in capped.iter().enumerate() {
                let own = array.contains[index].goal;
                let own = if kind >> bit & 1 == 1 { own } else { self.goals.negate(own) };
                goal = self.goals.both(goal, own);
            }
            goals.push(goal);
        }
        let reaches = |kind: usize, bit: usize| kind >> bit & 1 == 1;
        // How many there are of the kinds that reach several goals is chosen; a range does for all others.
        let mut all: Vec<Vec<(usize, u64)>> = vec![Vec::new()];
        let several = (1..goals.len()).filter(|kind| kind.count_ones() > 1);
        for kind in several.filter(|&kind| goals[kind] != GoalId::NEVER) {
            let reached = bounds.iter().enumerate().filter(|&(bit, _)| reaches(kind, bit));
            let most = reached.map(|(_, &(_, most))| most).min().unwrap_or(0);
            let mut next = Vec::new();
            for counts in &all {
                for count in 0..=most {
                    self.spend(1)?;
                    if next.len() > MOST_CHOICES {
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
            let mut items = vec![Item { goal: goals[0], min: 0, max: None }];
            for (bit, &(least, most)) in bounds.iter().enumerate() {
                let sum =
                    counts.iter().filter(|&&(kind, _)| reaches(kind, bit)).map(|(_, count)| count).sum();
                let goal = goals[1 << bit];
                if sum > most || (goal == GoalId::NEVER && sum < least) {
                    continue 'counts;
                }
                items.push(Item { goal, min: least.saturating_sub(sum), max: Some(most - sum) });
            }
            items.extend(counts.iter().map(|&(kind, count)| Item {
                goal: goals[kind],
                min: count,
                max: Some(count),
            }));
            items.retain(|item| item.goal != GoalId::NEVER);
            lists.push(items);
        }
        Ok(Some(lists))
    }

    /// One more item that must be there for a goal: one that is there for another, or a new one of some kind.
    fn with_witness(
        &mut self,
        wanted: GoalId,
        index: usize,
        kinds: &[Item],
        grouping: &[Witness],
        next: &mut Vec<Vec<Witness>>,
    ) {
        for place in (0..grouping.len()).filter(|&place| grouping[place].last != index) {
            let goal = self.goals.both(grouping[place].goal, wanted);
            if goal != GoalId::NEVER {
                let mut with = grouping.to_vec();
                with[place] = Witness { goal, last: index, ..with[place] };
                next.push(with);
            }
        }
        for (kind, item) in kinds.iter().enumerate() {
            let used = grouping.iter().filter(|witness| witness.kind == kind).count() as u64;
            let goal = self.goals.both(item.goal, wanted);
            if goal != GoalId::NEVER && item.max.is_none_or(|max| used < max) {
                let mut with = grouping.to_vec();
                with.push(Witness { kind, goal, last: index });
                next.push(with);
            }
        }
    }
}

/// An item that must be there.
#[derive(Clone, Copy)]
struct Witness {
    /// The kind that it is one of.
    kind: usize,
    goal: GoalId,
    /// For what it was taken last: goals come one after the other, so it is not taken twice for one.
    last: usize,
}

/// Exactly these items.
fn closed(prefix: Vec<GoalId>) -> ArrayPlan {
    let len = prefix.len() as u64;
    ArrayPlan { prefix, rest: Rest::Same(GoalId::NEVER), min: len, max: Some(len) }
}

/// Items of these kinds behind the first ones, if an array may be so long.
fn behind(array: &Array, choice: &Choice, mut items: Vec<Item>) -> Option<ArrayPlan> {
    let here = choice.prefix.len() as u64;
    if items.iter().any(|item| item.goal == GoalId::NEVER && item.min > 0) {
        return None;
    }
    items.retain(|item| item.goal != GoalId::NEVER && item.max != Some(0));
    let least = items.iter().map(|item| item.min).fold(here, u64::saturating_add);
    let min = array.min.max(least);
    if array.max.is_some_and(|max| min > max) {
        return None;
    }
    if items.is_empty() {
        return (min <= here).then(|| closed(choice.prefix.clone()));
    }
    Some(ArrayPlan { prefix: choice.prefix.clone(), rest: Rest::Mixed(items), min, max: array.max })
}
