//! `uniqueItems`. It has an exact grammar for these items, also after first items. A first item that may be
//! equal to a later one must be one of a few constants:
//!
//! - scalars that can be listed;
//! - more strings or numbers than any array holds;
//! - numbers that can be counted;
//! - items with one constraint, if there are as many values as `minItems` requires: the recognizer compares
//!   them as JSON values.
//!
//! Beside `contains`, the items that it counts must be scalars that can be listed.

use crate::constraint::{Conjunct, ConstraintId, Subject};
use crate::context::{Context, Stop};
use crate::json::Value;
use crate::language::number::{self, offered::offered};
use crate::language::{Language, LanguageId};
use crate::plan::{ArrayPlan, DistinctScalars, Rest, contains};
use crate::value::algebra;
use crate::value::evaluate;
use crate::value::{Array, Contains, Keys, Object, RegexStrings, Values, smaller_max};

/// Levels of nested values that are examined to prove that two items are disjoint.
const DISJOINTNESS_DEPTH: u32 = 3;

/// Returns the plans of an array whose items all differ. Returns `None` if it has no exact grammar.
pub(super) fn plan_distinct<'a>(cx: &mut Context<'a>, array: &Array) -> Result<Option<Vec<ArrayPlan>>, Stop> {
    if array.prefix.len() > cx.config.limits.max_unique_prefix {
        return Ok(None);
    }
    let Some(cases) = split_first_items(cx, array)? else { return Ok(None) };
    let mut all = Vec::new();
    for case in cases {
        match plan_with_different_first_items(cx, &case)? {
            Some(plans) => all.extend(plans),
            None => return Ok(None),
        }
    }
    Ok(Some(all))
}

/// Returns true if items may follow the first ones.
fn has_rest(array: &Array) -> bool {
    array.rest != ConstraintId::NEVER && array.max.is_none_or(|max| max > array.prefix.len() as u64)
}

/// Splits an array by the values of its first items, so that no first item can be equal to another item. In
/// each case, a first item that might be is one constant, which all later items exclude. Returns `None` if
/// such an item may be other than a few constants, or if there are too many cases.
fn split_first_items<'a>(cx: &mut Context<'a>, array: &Array) -> Result<Option<Vec<Array>>, Stop> {
    let mut cases = vec![array.clone()];
    for index in 0..array.prefix.len() {
        let mut split = Vec::new();
        for case in cases {
            if differs_from_later_items(cx, &case, index)? {
                split.push(case);
                continue;
            }
            let Some(constants) = few_constants(cx, case.prefix[index])? else { return Ok(None) };
            for constant in constants {
                let mut with = case.clone();
                with.prefix[index] = cx.constraints.both(with.prefix[index], constant);
                let other = cx.constraints.negate(constant);
                for later in &mut with.prefix[index + 1..] {
                    *later = cx.constraints.both(*later, other);
                }
                if has_rest(&with) {
                    with.rest = cx.constraints.both(with.rest, other);
                }
                split.push(with);
            }
            if split.len() > cx.config.limits.max_listed_items {
                return Ok(None);
            }
        }
        cases = split;
    }
    Ok(Some(cases))
}

/// Returns true if a first item cannot be equal to a later item.
fn differs_from_later_items(cx: &mut Context<'_>, array: &Array, index: usize) -> Result<bool, Stop> {
    let rest = has_rest(array).then_some(array.rest);
    for other in array.prefix[index + 1..].iter().copied().chain(rest) {
        let both = cx.constraints.both(array.prefix[index], other);
        if algebra::may_be_satisfiable(cx, both, DISJOINTNESS_DEPTH)? {
            return Ok(false);
        }
    }
    Ok(true)
}

static NULL: Value = Value::Null;
static FALSE: Value = Value::Bool(false);
static TRUE: Value = Value::Bool(true);

/// Returns the values of a constraint, one constraint for each, if they are null, booleans, or constants of
/// `const` and `enum` in one of its schemas. Returns `None` if there are others.
fn few_constants<'a>(
    cx: &mut Context<'a>,
    constraint: ConstraintId,
) -> Result<Option<Vec<ConstraintId>>, Stop> {
    let mut values: Vec<&'a Value> = vec![&NULL, &FALSE, &TRUE];
    for conjunct in cx.constraints.conjuncts(constraint) {
        match conjunct.subject {
            Subject::Schema(id, _) if conjunct.holds => {
                let schema: &'a Value = cx.documents.value(id);
                values.extend(schema.get("const"));
                if let Some(Value::Array(listed)) = schema.get("enum") {
                    values.extend(listed);
                }
            }
            Subject::Constant(id) if conjunct.holds => values.push(cx.constants.value(id)),
            _ => {}
        }
        if values.len() > cx.config.limits.max_listed_items {
            return Ok(None);
        }
    }
    let (mut found, mut left) = (Vec::new(), constraint);
    for value in values {
        cx.spend(1)?;
        let subject = Subject::Constant(cx.constants.intern(value));
        let constant = cx.constraints.single(Conjunct { subject, holds: true });
        // A constant may be listed twice, in different spellings.
        let with = cx.constraints.both(left, constant);
        if algebra::may_be_satisfiable(cx, with, DISJOINTNESS_DEPTH)? {
            found.push(constant);
            let other = cx.constraints.negate(constant);
            left = cx.constraints.both(left, other);
        }
    }
    Ok((!algebra::may_be_satisfiable(cx, left, DISJOINTNESS_DEPTH)?).then_some(found))
}

/// As [`plan_distinct`], for an array whose first items differ from each other and from all later items.
fn plan_with_different_first_items(
    cx: &mut Context<'_>,
    array: &Array,
) -> Result<Option<Vec<ArrayPlan>>, Stop> {
    let len = array.prefix.len();
    if !has_rest(array) {
        return contains::plan_contains(cx, array).map(Some);
    }
    let Some(array) = settle_contains(cx, array)? else { return Ok(Some(Vec::new())) };
    match &array.contains[..] {
        [] => {}
        [contains] if len == 0 && contains.from == 0 => return plan_counted(cx, &array, contains),
        _ => return Ok(None),
    }
    let missing = array.min.saturating_sub(len as u64);
    let Some(elements) = distinct_elements(cx, array.rest, missing)? else { return Ok(None) };
    Ok(Some(distinct_plan(&array, elements).into_iter().collect()))
}

/// Returns the plan of an array whose items after the first ones are these. Returns `None` if they are too
/// few.
fn distinct_plan(array: &Array, elements: DistinctScalars) -> Option<ArrayPlan> {
    let len = array.prefix.len() as u64;
    let count = elements.count.filter(|_| elements.values.is_none()).map(|count| count.saturating_add(len));
    let max = [array.max, count].into_iter().flatten().min();
    let min = array.min.max(elements.required as u64);
    let rest = match elements {
        DistinctScalars { ref listed, compared: None, values: Some(values), .. } if listed.is_empty() => {
            Rest::DistinctValues(values)
        }
        elements => Rest::Distinct(elements),
    };
    let plan = ArrayPlan { prefix: array.prefix.clone(), rest, min, max };
    max.is_none_or(|max| min <= max).then_some(plan)
}

/// Returns the values of a constraint as elements that can be distinguished. Returns `None` if they cannot,
/// or if it is not known that there are `min` of them.
fn distinct_elements(
    cx: &mut Context<'_>,
    constraint: ConstraintId,
    min: u64,
) -> Result<Option<DistinctScalars>, Stop> {
    if let Some(scalars) = distinct_scalars(cx, constraint)? {
        return Ok(Some(scalars));
    }
    // For a single item, the recognizer decides at run time whether a value is left.
    let has_enough = min <= 1 || count_values(cx, constraint, min, COUNTING_DEPTH)? >= min;
    Ok(has_enough.then(|| DistinctScalars {
        listed: Vec::new(),
        required: 0,
        compared: None,
        values: Some(constraint),
        count: Some(0),
    }))
}

/// Drops each `contains` that no item satisfies, and turns each `contains` that all items satisfy into bounds
/// on the number of items. Returns `None` if no array satisfies the result.
fn settle_contains(cx: &mut Context<'_>, array: &Array) -> Result<Option<Array>, Stop> {
    let mut array = array.clone();
    if !array.prefix.is_empty() {
        return Ok(Some(array));
    }
    let mut left = Vec::new();
    for contains in std::mem::take(&mut array.contains) {
        let counted = cx.constraints.both(array.rest, contains.constraint);
        if contains.from == 0 && !algebra::may_be_satisfiable(cx, counted, DISJOINTNESS_DEPTH)? {
            if contains.min > 0 {
                return Ok(None);
            }
            continue;
        }
        let other = cx.constraints.negate(contains.constraint);
        let other = cx.constraints.both(array.rest, other);
        if contains.from == 0 && !algebra::may_be_satisfiable(cx, other, DISJOINTNESS_DEPTH)? {
            array.min = array.min.max(contains.min);
            array.max = smaller_max(array.max, contains.max);
            continue;
        }
        left.push(contains);
    }
    array.contains = left;
    Ok(array.max.is_none_or(|max| array.min <= max).then_some(array))
}

/// Returns the plans of an array with a `contains` that counts listed scalars: one for each choice of those
/// that must occur. Returns `None` if there are too many, or if other values are counted.
fn plan_counted(
    cx: &mut Context<'_>,
    array: &Array,
    contains: &Contains,
) -> Result<Option<Vec<ArrayPlan>>, Stop> {
    let counted = cx.constraints.both(array.rest, contains.constraint);
    let Some(DistinctScalars { listed: counted, compared: None, .. }) = distinct_scalars(cx, counted)? else {
        return Ok(None);
    };
    let other = cx.constraints.negate(contains.constraint);
    let other = cx.constraints.both(array.rest, other);
    let missing = array.min.saturating_sub(contains.min);
    let Some(others) = distinct_elements(cx, other, missing)? else { return Ok(None) };
    // A maximum counts all values, which the recognizer compares only some of.
    if others.compared.is_some() && others.count.is_some() {
        return Ok(None);
    }
    // Without a maximum, some that must occur are chosen, and the others may occur as well.
    let sizes = contains.min..=contains.max.unwrap_or(contains.min);
    let mut choices: Vec<Vec<usize>> = Vec::new();
    for size in (0..=counted.len()).filter(|&size| sizes.contains(&(size as u64))) {
        let before = choices.len();
        let mut open: Vec<Vec<usize>> = vec![Vec::new()];
        while let Some(choice) = open.pop() {
            cx.spend(1)?;
            if choice.len() == size {
                choices.push(choice);
                if choices.len() > cx.config.limits.max_listed_items {
                    return Ok(None);
                }
                continue;
            }
            let first = choice.last().map_or(0, |last| last + 1);
            let needed = size - choice.len();
            for next in first..=counted.len().saturating_sub(needed) {
                let mut choice = choice.clone();
                choice.push(next);
                open.push(choice);
            }
        }
        choices[before..].reverse();
    }
    let mut plans = Vec::new();
    for choice in choices {
        let mut listed: Vec<Values> = choice.iter().map(|&index| counted[index].clone()).collect();
        let required = listed.len();
        if contains.max.is_none() {
            let free = (0..counted.len()).filter(|index| !choice.contains(index));
            listed.extend(free.map(|index| counted[index].clone()));
        }
        let count = others.count.map(|count| count.saturating_add(listed.len() as u64));
        listed.extend(others.listed.iter().cloned());
        let elements = DistinctScalars { listed, required, count, ..others.clone() };
        plans.extend(distinct_plan(array, elements));
    }
    Ok(Some(plans))
}

/// Levels of nested values that are examined to prove that there are enough values.
const COUNTING_DEPTH: u32 = 3;

/// Returns a number of different values that a constraint is known to have, and not more than `most`.
fn count_values(cx: &mut Context<'_>, constraint: ConstraintId, most: u64, depth: u32) -> Result<u64, Stop> {
    cx.spend(1)?;
    let values = evaluate::values(cx, constraint)?;
    let mut count = u64::from(values.null) + values.booleans.iter().map(|&has| u64::from(has)).sum::<u64>();
    count += match listed_members(cx, values.string)? {
        Some(few) => few.len() as u64,
        None if cx.languages.has_many_strings(values.string) => most,
        None => enumerate_texts(cx, values.string).map_or(0, |few| few.len() as u64),
    };
    if count < most {
        let numbers = offered(cx, values.number)?;
        count += match listed_members(cx, numbers)? {
            Some(few) => few.len() as u64,
            None if cx.languages.has_many_numbers(numbers, Some(most)) => most,
            None => 0,
        };
    }
    if depth == 0 {
        return Ok(count.min(most));
    }
    for array in &values.arrays {
        if count < most && array.contains.is_empty() && array.prefix.is_empty() && array.unique.is_none() {
            // Arrays of different lengths are different.
            let has_items = count_values(cx, array.rest, 1, depth - 1)? > 0;
            let lengths = array.max.map_or(most, |max| max.saturating_sub(array.min).saturating_add(1));
            count += if has_items { lengths } else { u64::from(array.min == 0) };
        }
    }
    for object in &values.objects {
        if count < most {
            count += count_objects(cx, object, most, depth)?;
        }
    }
    Ok(count.min(most))
}

/// Returns a number of different objects that a shape is known to have.
fn count_objects(cx: &mut Context<'_>, object: &Object, most: u64, depth: u32) -> Result<u64, Stop> {
    if object.is_any() {
        return Ok(most);
    }
    // An object for each value of one property, if all other parts of the shape can hold beside it.
    let is_simple = object.exists.is_empty()
        && object.requires.is_empty()
        && object.max.is_none()
        && object.min <= object.properties.iter().filter(|property| property.required).count() as u64;
    if !is_simple {
        return Ok(0);
    }
    let mut count = 1;
    for property in &object.properties {
        let wanted = if property.required { most } else { 1 };
        let with_rules =
            object.rules.iter().fold(property.constraint, |all, (keys, constraint)| match keys {
                Keys::NotIn(set) if set.names.contains(&property.key) => all,
                _ => cx.constraints.both(all, *constraint),
            });
        let found = count_values(cx, with_rules, wanted, depth - 1)?;
        if property.required && found == 0 {
            return Ok(0);
        }
        count = if property.required { count.max(found) } else { count + u64::from(found > 0) };
    }
    Ok(count.min(most))
}

/// Returns the values of a constraint as distinct scalars. Returns `None` if they cannot be distinguished.
pub(super) fn distinct_scalars(
    cx: &mut Context<'_>,
    constraint: ConstraintId,
) -> Result<Option<DistinctScalars>, Stop> {
    let values = evaluate::values(cx, constraint)?;
    if !values.arrays.is_empty() || !values.objects.is_empty() || values.regexes != RegexStrings::None {
        return Ok(None);
    }
    let (few, texts) = match listed_members(cx, values.string)? {
        Some(few) => (few, None),
        // Proving that there are many strings takes less work than listing them.
        None if cx.languages.has_many_strings(values.string) => (Vec::new(), Some(values.string)),
        None => match enumerate_texts(cx, values.string) {
            Some(few) => (few, None),
            None => return Ok(None),
        },
    };
    let numbers = match listed_members(cx, values.number)? {
        Some(numbers) => Some(numbers),
        None => enumerate_numbers(cx, values.number)?,
    };
    let (numbers, many) = match numbers {
        Some(numbers) => (numbers, None),
        None => match many_numbers(cx, values.number)? {
            Some(many) => (Vec::new(), Some(many)),
            None => return Ok(None),
        },
    };
    let mut all = Vec::new();
    if values.null {
        all.push(Values { null: true, ..Values::NONE });
    }
    for truth in [0, 1] {
        if values.booleans[truth] {
            let mut booleans = [false; 2];
            booleans[truth] = true;
            all.push(Values { booleans, ..Values::NONE });
        }
    }
    all.extend(few.into_iter().map(|string| Values { string, ..Values::NONE }));
    for number in numbers {
        let number = offered(cx, number)?;
        all.push(Values { number, ..Values::NONE });
    }
    let listed = all.len() as u64;
    let (number, number_count) = many.unwrap_or((LanguageId::NONE, Some(0)));
    let string = texts.unwrap_or(LanguageId::NONE);
    let is_countable = string == LanguageId::NONE;
    let count = number_count.filter(|_| is_countable).map(|count| count.saturating_add(listed));
    let mut compared = Values { string, number, ..Values::NONE };
    if count.is_some() && number != LanguageId::NONE {
        // With a maximum, all values must be compared by the recognizer.
        for one in std::mem::take(&mut all) {
            compared.null |= one.null;
            compared.booleans = [0, 1].map(|truth| compared.booleans[truth] || one.booleans[truth]);
            compared.string = cx.languages.union([compared.string, one.string]);
        }
    }
    let compared = (!compared.is_none()).then_some(compared);
    Ok(Some(DistinctScalars { listed: all, required: 0, compared, values: None, count }))
}

/// Returns the offered spellings of numbers that are too many to be listed, and how many numbers these are:
/// `None` if there are more than any array holds. Returns `None` if their number is unknown.
fn many_numbers(cx: &mut Context<'_>, all: LanguageId) -> Result<Option<(LanguageId, Option<u64>)>, Stop> {
    let mut some = offered(cx, all)?;
    if some == all {
        // Numbers are compared without exponent, which can be of any size.
        let plain = number::plain(&mut cx.languages);
        some = if all == cx.numbers.any { plain } else { cx.languages.and([all, plain]) };
    }
    if cx.languages.has_many_numbers(some, None) {
        return Ok(Some((some, None)));
    }
    let count = integers_between_bounds(cx, all);
    let count = count.filter(|&count| cx.languages.has_many_numbers(some, Some(count)));
    Ok(count.map(|count| (some, Some(count))))
}

/// Returns the number of integers, or multiples, in a language of all those between its bounds. Returns
/// `None` for any other language.
fn integers_between_bounds(cx: &mut Context<'_>, language: LanguageId) -> Option<u64> {
    let digits = number::digits(&mut cx.languages);
    let unrestricted =
        [cx.numbers.any, number::comparable(&mut cx.languages), number::plain(&mut cx.languages)];
    let Language::And(parts) = cx.languages.get(language) else { return None };
    let (mut of, mut least, mut most) = (None, None, None);
    for &part in parts {
        if let Some(bound) = cx.numbers.bounds.get(&part) {
            let side = if bound.is_minimum { &mut least } else { &mut most };
            if side.replace(bound).is_some() {
                return None;
            }
        } else if part == digits {
            of = Some("1");
        } else if let Some(multiple) = cx.languages.multiples_of(part) {
            of = Some(multiple);
        } else if !unrestricted.contains(&part) {
            return None;
        }
    }
    let (least, most) = (least?, most?);
    let count = number::count_multiples_between(of?, least, most)?;
    u64::try_from(count).ok()
}

/// Returns the texts, or the numbers, of a language that is written as a list. Returns `None` for any other
/// language.
pub(super) fn listed_members(
    cx: &mut Context<'_>,
    language: LanguageId,
) -> Result<Option<Vec<LanguageId>>, Stop> {
    let is_one = |this: &Context<'_>, id: LanguageId| {
        matches!(this.languages.get(id), Language::Text(_)) || this.numbers.single.contains_key(&id)
    };
    let list = |this: &Context<'_>, id: LanguageId| match this.languages.get(id) {
        Language::None => Some(Vec::new()),
        _ if is_one(this, id) => Some(vec![id]),
        Language::Union(parts) if parts.iter().all(|&part| is_one(this, part)) => Some(parts.clone()),
        _ => None,
    };
    if let Some(all) = list(cx, language) {
        return Ok(Some(all));
    }
    let Language::And(parts) = cx.languages.get(language).clone() else { return Ok(None) };
    let Some(all) = parts.iter().find_map(|&part| list(cx, part)) else { return Ok(None) };
    let mut some = Vec::new();
    for member in all {
        let both = cx.languages.and([member, language]);
        if !cx.is_empty(both)? {
            // A number may have fewer spellings in the intersection; a text has only one.
            let is_text = matches!(cx.languages.get(member), Language::Text(_));
            some.push(if is_text { member } else { both });
        }
    }
    Ok(Some(some))
}

/// Returns the texts of a language. Returns `None` if it has more than
/// [`Limits::max_listed_items`](crate::Limits::max_listed_items), or if they are too long to enumerate.
fn enumerate_texts(cx: &mut Context<'_>, language: LanguageId) -> Option<Vec<LanguageId>> {
    let texts = cx.languages.enumerate(language, cx.config.limits.max_listed_items)?;
    Some(texts.iter().map(|text| cx.languages.text(text)).collect())
}

/// Returns the numbers of a language if it has a minimum and a maximum and lies within the multiples of one
/// number. Returns `None` if there are too many.
fn enumerate_numbers(cx: &mut Context<'_>, language: LanguageId) -> Result<Option<Vec<LanguageId>>, Stop> {
    let Some(candidates) = multiples_between_bounds(cx, language) else { return Ok(None) };
    let mut members = Vec::new();
    for decimal in candidates {
        cx.spend(1)?;
        match cx.languages.contains(language, &decimal.to_string()) {
            Ok(false) => {}
            Ok(true) => {
                // The number may have fewer spellings in the language.
                let spellings = number::equal(&mut cx.languages, &decimal);
                cx.numbers.single.insert(spellings, decimal);
                members.push(cx.languages.and([spellings, language]));
            }
            // A limit of the automata was exceeded, so the number of members is unknown.
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(members))
}

/// Returns the multiples between a minimum and a maximum, as candidates. Returns `None` if either is missing.
fn multiples_between_bounds(cx: &mut Context<'_>, language: LanguageId) -> Option<Vec<number::Decimal>> {
    let digits = number::digits(&mut cx.languages);
    let Language::And(parts) = cx.languages.get(language) else { return None };
    let known = &cx.numbers.bounds;
    let bound = |is_minimum| {
        let mut bounds = parts.iter().filter_map(|part| known.get(part));
        bounds.find(|bound| bound.is_minimum == is_minimum).map(|bound| &bound.value)
    };
    // Any minimum and maximum will do: the other ones are checked for each candidate.
    let (least, most) = (bound(true)?, bound(false)?);
    let of = parts.iter().find_map(
        |&part| {
            if part == digits { Some("1") } else { cx.languages.multiples_of(part) }
        },
    );
    number::multiples_between(of?, least, most, cx.config.limits.max_listed_items)
}
