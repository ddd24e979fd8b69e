//! The Boolean algebra of value sets: intersection, union, difference, and a cheap test for emptiness.
//!
//! Shapes that a cheap test finds empty are dropped at once. So a discriminating key, such as `kind` with
//! another constant in each branch, keeps products of alternatives small.

mod array;
mod object;
mod regexes;
pub(crate) mod shapes;

use crate::constraint::ConstraintId;
use crate::context::{Context, Stop};
use crate::error::Reason;
use crate::language::{Language, LanguageId};
use crate::value::evaluate;
use crate::value::{Keys, Object, RegexStrings, Values};
use shapes::Shape;

/// Levels of nested values that are examined to prove that two shapes are disjoint.
const SATISFIABILITY_DEPTH: u32 = 3;
/// Up to this many properties, a linear search is faster than a hash table.
const LINEAR_SEARCH_MAX_PROPERTIES: usize = 8;

/// Returns the intersection of two sets.
pub(crate) fn intersect(cx: &mut Context<'_>, a: &Values, b: &Values) -> Result<Values, Stop> {
    let string = intersect_strings(cx, a.string, b.string);
    let (string, regexes) = regexes::intersect_regexes(cx, a, b, string)?;
    Ok(Values {
        null: a.null && b.null,
        booleans: [a.booleans[0] && b.booleans[0], a.booleans[1] && b.booleans[1]],
        number: intersect_numbers(cx, a.number, b.number),
        string,
        regexes,
        arrays: shapes::intersect_shapes(cx, &a.arrays, &b.arrays)?,
        objects: shapes::intersect_shapes(cx, &a.objects, &b.objects)?,
    })
}

/// Returns the union of sets.
pub(crate) fn union(cx: &mut Context<'_>, all: &[Values]) -> Result<Values, Stop> {
    let any_number = cx.numbers.any;
    let number = if all.iter().any(|values| values.number == any_number) {
        any_number
    } else {
        cx.languages.union(all.iter().map(|values| values.number))
    };
    let arrays: Vec<_> = all.iter().flat_map(|values| values.arrays.iter().cloned()).collect();
    let objects: Vec<_> = all.iter().flat_map(|values| values.objects.iter().cloned()).collect();
    Ok(Values {
        null: all.iter().any(|values| values.null),
        booleans: [0, 1].map(|truth| all.iter().any(|values| values.booleans[truth])),
        number,
        string: cx.languages.union(all.iter().map(|values| values.string)),
        regexes: all.iter().map(|values| values.regexes).max().unwrap_or(Values::NONE.regexes),
        arrays: shapes::unite_shapes(cx, arrays)?,
        objects: shapes::unite_shapes(cx, objects)?,
    })
}

/// Returns the values in `a` that are not in `b`.
pub(crate) fn subtract(cx: &mut Context<'_>, a: &Values, b: &Values) -> Result<Values, Stop> {
    let number = match b.number {
        LanguageId::NONE => a.number,
        all if all == cx.numbers.any => LanguageId::NONE,
        some if are_disjoint(cx, a.number, some)? => a.number,
        some => {
            let rest = cx.languages.not(some);
            let constrained = cx.numbers.domain;
            cx.languages.and([a.number, constrained, rest])
        }
    };
    let string = match b.string {
        LanguageId::NONE => a.string,
        some if are_disjoint(cx, a.string, some)? => a.string,
        some => {
            let rest = cx.languages.not(some);
            cx.languages.and([a.string, rest])
        }
    };
    let (string, regexes) = regexes::subtract_regexes(cx, a, b, string)?;
    Ok(Values {
        null: a.null && !b.null,
        booleans: [a.booleans[0] && !b.booleans[0], a.booleans[1] && !b.booleans[1]],
        number,
        string,
        regexes,
        arrays: shapes::subtract_shapes(cx, &a.arrays, &b.arrays)?,
        objects: shapes::subtract_shapes(cx, &a.objects, &b.objects)?,
    })
}

/// Returns false if the set is empty, as far as `depth` levels of nested values show. Otherwise returns true.
pub(crate) fn may_be_nonempty(cx: &mut Context<'_>, values: &Values, depth: u32) -> Result<bool, Stop> {
    if values.null
        || values.booleans != [false; 2]
        || values.regexes != RegexStrings::None
        || values.number == cx.numbers.any
        || !cx.is_empty(values.number)?
        || !cx.is_empty(values.string)?
    {
        return Ok(true);
    }
    for array in &values.arrays {
        if array.may_be_nonempty(cx, depth)? {
            return Ok(true);
        }
    }
    for object in &values.objects {
        if object.may_be_nonempty(cx, depth)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns false if a constraint is unsatisfiable, as far as `depth` levels show. Otherwise returns true.
pub(crate) fn may_be_satisfiable(
    cx: &mut Context<'_>,
    constraint: ConstraintId,
    depth: u32,
) -> Result<bool, Stop> {
    if constraint == ConstraintId::NEVER || constraint == ConstraintId::ANY || depth == 0 {
        return Ok(constraint != ConstraintId::NEVER);
    }
    evaluate::untainted(cx, |cx| match evaluate::values_inside(cx, constraint) {
        Ok(values) if may_be_nonempty(cx, &values, depth - 1)? => Ok(true),
        // Nothing that is known to satisfy it. A subtraction needs to know about what may.
        Ok(_) => match evaluate::values_of_other_approximation(cx, constraint)? {
            Some(values) => may_be_nonempty(cx, &values, depth - 1),
            None => Ok(false),
        },
        // An outer evaluation is still computing the answer: assume that it may be satisfiable.
        Err(Stop::Cycle) => Ok(true),
        Err(error) => Err(error),
    })
}

/// Returns the conjunction of two constraints, without exclusions that are implied.
///
/// If `b` already excludes all values that `a` excludes, the result is `b`. Otherwise equal shapes would
/// accumulate different exclusions, and none would be known to subsume another.
pub(crate) fn conjoin(cx: &mut Context<'_>, a: ConstraintId, b: ConstraintId) -> Result<ConstraintId, Stop> {
    for (constraint, other) in [(a, b), (b, a)] {
        let Some(excluded) = cx.constraints.excluded(other) else { continue };
        if constraint == ConstraintId::ANY {
            continue;
        }
        let inside = cx.constraints.both(constraint, excluded);
        match may_be_satisfiable(cx, inside, 1) {
            Ok(false) => return Ok(constraint),
            Ok(true) => {}
            // The caller needs no exact answer. The error is reported when the values themselves are needed.
            Err(Stop::Error(error))
                if matches!(error.reason, Reason::Unsupported(_) | Reason::Invalid(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(cx.constraints.both(a, b))
}

/// Returns the constraint on the value of a key, rules included.
pub(crate) fn property_constraint(
    cx: &mut Context<'_>,
    object: &Object,
    key: &str,
) -> Result<ConstraintId, Stop> {
    let named = object.properties.iter().find(|property| &*property.key == key);
    let mut constraint = named.map_or(ConstraintId::ANY, |property| property.constraint);
    for (keys, more) in &object.rules {
        if keys_contain(cx, keys, key)? {
            constraint = cx.constraints.both(constraint, *more);
        }
    }
    Ok(constraint)
}

/// Decides whether a key is in a set.
pub(crate) fn keys_contain(cx: &mut Context<'_>, keys: &Keys, key: &str) -> Result<bool, Stop> {
    Ok(match keys {
        Keys::In(LanguageId::ANY) => true,
        Keys::In(language) => cx.contains(*language, key)?,
        Keys::NotIn(known) => {
            if known.names.contains(key) {
                return Ok(false);
            }
            for &language in &known.languages {
                if cx.contains(language, key)? {
                    return Ok(false);
                }
            }
            true
        }
    })
}

/// Returns a set of keys as a language.
pub(crate) fn key_language(cx: &mut Context<'_>, keys: &Keys) -> LanguageId {
    match keys {
        Keys::In(language) => *language,
        Keys::NotIn(known) => {
            let mut parts: Vec<LanguageId> = known.names.iter().map(|name| cx.languages.text(name)).collect();
            parts.extend(&known.languages);
            let all = cx.languages.union(parts);
            cx.languages.not(all)
        }
    }
}

pub(crate) fn intersect_numbers(cx: &mut Context<'_>, a: LanguageId, b: LanguageId) -> LanguageId {
    match (a, b) {
        (any, other) | (other, any) if any == cx.numbers.any => other,
        _ if a == b => a,
        _ if are_disjoint_lists(cx, a, b) => LanguageId::NONE,
        _ => cx.languages.and([a, b]),
    }
}

pub(crate) fn intersect_strings(cx: &mut Context<'_>, a: LanguageId, b: LanguageId) -> LanguageId {
    if are_disjoint_lists(cx, a, b) { LanguageId::NONE } else { cx.languages.and([a, b]) }
}

/// Returns true if two languages are finite lists of texts without a common text.
fn are_disjoint_lists(cx: &Context<'_>, a: LanguageId, b: LanguageId) -> bool {
    match (listed_texts(cx, a), listed_texts(cx, b)) {
        // The members of a union are sorted.
        (Some(a), Some(b)) => !a.iter().any(|id| b.binary_search(id).is_ok()),
        _ => false,
    }
}

/// Returns true if two languages are known to be disjoint.
fn are_disjoint(cx: &mut Context<'_>, a: LanguageId, b: LanguageId) -> Result<bool, Stop> {
    if a == LanguageId::NONE || b == LanguageId::NONE || are_disjoint_lists(cx, a, b) {
        return Ok(true);
    }
    if a == LanguageId::ANY || b == LanguageId::ANY || a == b {
        return Ok(false);
    }
    let both = cx.languages.and([a, b]);
    cx.is_empty(both)
}

/// Returns the texts of a language that is written as a list of texts. Returns `None` for any other language.
pub(crate) fn listed_texts(cx: &Context<'_>, id: LanguageId) -> Option<Vec<LanguageId>> {
    match cx.languages.get(id) {
        Language::None => Some(Vec::new()),
        Language::Text(_) => Some(vec![id]),
        Language::Union(parts) => {
            let all = parts.iter().all(|&part| matches!(cx.languages.get(part), Language::Text(_)));
            all.then(|| parts.clone())
        }
        _ => None,
    }
}
