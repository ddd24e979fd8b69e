//! `uniqueItems`. It has an exact grammar in five cases:
//!
//! - scalars that can be listed;
//! - more strings or numbers than any array holds;
//! - numbers that can be counted;
//! - first items that are pairwise disjoint;
//! - items with one constraint, if there are as many values as `minItems` requires: the recognizer compares
//!   them as JSON values.

use crate::constraint::ConstraintId;
use crate::context::{Context, Stop};
use crate::language::number::{self, offered::offered};
use crate::language::{Language, LanguageId};
use crate::plan::DistinctScalars;
use crate::value::algebra;
use crate::value::evaluate;
use crate::value::{Array, Keys, Object, RegexStrings, Values};

/// Levels of nested values that are examined to prove that two items are disjoint.
const DISJOINTNESS_DEPTH: u32 = 3;

/// Returns true if no two items can be equal: the array has first items only, and they are pairwise disjoint.
pub(super) fn items_differ(cx: &mut Context<'_>, array: &Array) -> Result<bool, Stop> {
    let first = array.prefix.len();
    if first > cx.config.limits.max_unique_prefix
        || array.rest != ConstraintId::NEVER && array.max.is_none_or(|max| max > first as u64)
    {
        return Ok(false);
    }
    for index in 0..first {
        for other in 0..index {
            let both = cx.constraints.both(array.prefix[index], array.prefix[other]);
            if algebra::may_be_satisfiable(cx, both, DISJOINTNESS_DEPTH)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Levels of nested values that are examined to prove that there are enough values.
const COUNTING_DEPTH: u32 = 3;

/// Returns true if the recognizer can compare the items of an array as JSON values. All items have one
/// constraint, which is known to have as many values as the array must have items.
pub(super) fn can_compare_values(cx: &mut Context<'_>, array: &Array) -> Result<bool, Stop> {
    // That one value is left is decided while the grammar runs.
    let is_like = array.prefix.is_empty() && array.contains.is_empty();
    Ok(is_like && (array.min <= 1 || count_values(cx, array.rest, array.min, COUNTING_DEPTH)? >= array.min))
}

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
    Ok(Some(DistinctScalars { listed: all, compared, count }))
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

/// Returns the texts of a language that has at most
/// [`Limits::max_listed_items`](crate::Limits::max_listed_items).
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
