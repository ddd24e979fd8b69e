//! Plans: the members of an object with their counts, and the items of an array. The grammar follows from a
//! plan without further decisions, so a shape that has no exact grammar is refused here.

mod contains;
mod distinct;
mod object;

use std::rc::Rc;

use crate::constraint::{ConstraintId, Subject};
use crate::context::{Context, Stop};
use crate::document::SchemaId;
use crate::error::{Error, Limit, Reason};
use crate::keyword::unevaluated;
use crate::language::number::offered;
use crate::language::{Language, LanguageId};
use crate::value::evaluate;
use crate::value::{Array, Object, Values};

/// Keywords that may make a language too hard to analyze, those first that do so most often.
const NUMBER_KEYWORDS: [&str; 5] =
    ["multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
const STRING_KEYWORDS: [&str; 4] = ["pattern", "format", "maxLength", "minLength"];

/// The values of a constraint, ready to be written as one rule.
#[derive(Debug)]
pub(crate) struct Plan {
    pub values: Rc<Values>,
    pub arrays: Vec<ArrayPlan>,
    pub objects: Vec<ObjectPlan>,
}

/// Members in any order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ObjectPlan {
    pub members: Vec<Member>,
    /// Pairs of member indices: if the first is present, so is the second.
    pub requires: Vec<(usize, usize)>,
    pub min: u64,
    pub max: Option<u64>,
    /// The schema with `minProperties` or `maxProperties`.
    pub count_schema: Option<SchemaId>,
    /// True if no two keys may be equal, those of classes included, so that they can be counted. All members
    /// then have one constraint.
    pub has_distinct_keys: bool,
}

/// A key, or a class of keys, and the constraint on its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Member {
    /// Contents of the key.
    pub key: LanguageId,
    pub constraint: ConstraintId,
    pub is_required: bool,
    /// True if the member may occur any number of times. Its keys in a text differ only if the object has
    /// `has_distinct_keys`.
    pub is_class: bool,
}

/// First items, then further items.
#[derive(Debug, PartialEq)]
pub(crate) struct ArrayPlan {
    pub prefix: Vec<ConstraintId>,
    pub rest: Rest,
    pub min: u64,
    pub max: Option<u64>,
}

/// The items after the first ones.
#[derive(Debug, PartialEq)]
pub(crate) enum Rest {
    /// Items with one constraint.
    Same(ConstraintId),
    /// Items of these kinds in any order, each kind with a count.
    Mixed(Vec<Item>),
    /// Some of these values, each at most once.
    Distinct(DistinctScalars),
    /// Items with one constraint, all different. The recognizer compares them as JSON values.
    DistinctValues(ConstraintId),
}

/// Scalars that the grammar can distinguish, and other values that differ from them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DistinctScalars {
    /// Values, each on its own.
    pub listed: Vec<Values>,
    /// Number of the first values of `listed` that must occur.
    pub required: usize,
    /// Further values, which the recognizer compares while it runs.
    pub compared: Option<Values>,
    /// Values that are not scalars, which the recognizer compares as JSON values.
    pub values: Option<ConstraintId>,
    /// Number of all scalars. `None` if they are more than any array holds.
    pub count: Option<u64>,
}

/// A kind of items, and their number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    pub constraint: ConstraintId,
    pub min: u64,
    pub max: Option<u64>,
}

/// Returns the plan of a constraint.
pub(crate) fn plan_constraint(cx: &mut Context<'_>, constraint: ConstraintId) -> Result<Plan, Stop> {
    let mut values = evaluate::values(cx, constraint)?;
    let number = offered::offered(cx, values.number)?;
    if number != values.number {
        Rc::make_mut(&mut values).number = number;
    }
    let values = replace_empty_languages(cx, constraint, values)?;
    let values = unevaluated::close_objects(cx, values);
    let mut arrays = Vec::new();
    for array in &values.arrays {
        for plan in plan_array(cx, array)? {
            if !arrays.contains(&plan) {
                arrays.push(plan);
            }
        }
    }
    let mut objects = Vec::new();
    for object in &values.objects {
        for plan in object::plan_object(cx, object)? {
            cx.spend(objects.len() as u64)?;
            if !objects.contains(&plan) {
                objects.push(plan);
            }
        }
    }
    Ok(Plan { values, arrays, objects })
}

/// Returns a plan that allows more than a constraint: all arrays in place of arrays that have no plan, and
/// all objects in place of such objects. After all work is spent, every value is allowed.
///
/// # Errors
/// The error, if nothing is known of the root.
pub(crate) fn weaken_constraint(
    cx: &mut Context<'_>,
    constraint: ConstraintId,
    is_root: bool,
    error: Error,
) -> Result<Plan, Stop> {
    let schema = schema_of(cx, constraint);
    let is_work = matches!(&error.reason, Reason::Limit(exceeded) if exceeded.limit == Limit::Work);
    if is_work && !is_root {
        // Another evaluation would take as much work.
        cx.list_weakening(schema, "", error);
        return plan_constraint(cx, ConstraintId::ANY);
    }
    let values = cx.attempt(schema, |cx| {
        let values = evaluate::values(cx, constraint)?;
        Ok(unevaluated::close_objects(cx, values))
    })?;
    let values = match values {
        Some(values) => values,
        None if is_root => return Err(error.into()),
        None => Rc::new(Values::any(cx.numbers.any)),
    };
    let values = cx
        .attempt(schema, |cx| replace_empty_languages(cx, constraint, Rc::clone(&values)))?
        .unwrap_or(values);
    let mut arrays = Vec::new();
    for array in &values.arrays {
        match cx.attempt(schema, |cx| plan_array(cx, array))? {
            Some(plans) => arrays.extend(plans),
            None => {
                let rest = Rest::Same(ConstraintId::ANY);
                arrays.push(ArrayPlan { prefix: Vec::new(), rest, min: 0, max: None });
            }
        }
    }
    let mut objects = Vec::new();
    for object in &values.objects {
        match cx.attempt(schema, |cx| object::plan_object(cx, object))? {
            Some(plans) => objects.extend(plans),
            None => objects.extend(object::plan_object(cx, &Object::any())?),
        }
    }
    Ok(Plan { values, arrays, objects })
}

/// Returns the first schema of a constraint, for messages.
fn schema_of(cx: &Context<'_>, constraint: ConstraintId) -> SchemaId {
    let mut schemas = cx.constraints.conjuncts(constraint).iter();
    let schema = schemas.find_map(|conjunct| match conjunct.subject {
        Subject::Schema(id, _) => Some(id),
        _ => None,
    });
    schema.unwrap_or(cx.current_schema)
}

/// Replaces the languages of numbers and strings by the empty language where they are empty.
///
/// # Errors
/// When a limit is exceeded before this is known: the grammar could not run either.
fn replace_empty_languages(
    cx: &mut Context<'_>,
    constraint: ConstraintId,
    mut values: Rc<Values>,
) -> Result<Rc<Values>, Stop> {
    if let Some(number) = replacement(cx, constraint, &NUMBER_KEYWORDS, values.number, cx.numbers.any)? {
        Rc::make_mut(&mut values).number = number;
    }
    if let Some(string) = replacement(cx, constraint, &STRING_KEYWORDS, values.string, LanguageId::ANY)? {
        Rc::make_mut(&mut values).string = string;
    }
    Ok(values)
}

/// Returns a replacement for a language: the empty language if it is empty, or `all` if that is unknown and
/// the user accepts a weaker constraint. Returns `None` if the language stays.
fn replacement(
    cx: &mut Context<'_>,
    constraint: ConstraintId,
    keywords: &[&'static str],
    language: LanguageId,
    all: LanguageId,
) -> Result<Option<LanguageId>, Stop> {
    if !matches!(cx.languages.get(language), Language::And(_) | Language::Not(_)) {
        return Ok(None);
    }
    match cx.emptiness(language)? {
        Ok(is_empty) => Ok(is_empty.then_some(LanguageId::NONE)),
        Err(limit) => {
            let schema = schema_of(cx, constraint);
            let said = |keyword: &&&str| cx.documents.value(schema).get(keyword).is_some();
            let keyword = keywords.iter().find(said).copied().unwrap_or_default();
            let what = format!("all constraints together exceed a limit in the search for a value: {limit}");
            cx.refuse_or_relax(schema, keyword, what)?;
            Ok(Some(all))
        }
    }
}

/// Returns plans that together allow the arrays of a shape.
fn plan_array(cx: &mut Context<'_>, array: &Array) -> Result<Vec<ArrayPlan>, Stop> {
    cx.spend(1 + array.prefix.len() as u64)?;
    if let Some(schema) = array.repeated {
        cx.refuse_or_relax(schema, "uniqueItems", "two equal items")?;
    }
    if let Some(schema) = array.unique {
        if let Some(plans) = distinct::plan_distinct(cx, array)? {
            return Ok(plans);
        }
        let reason = if array.contains.is_empty() {
            "distinct items with constraints on the first ones, or of which it is not known that there are as \
             many values as `minItems` requires"
        } else {
            "distinct items beside `contains`"
        };
        cx.refuse_or_relax(schema, "uniqueItems", reason)?;
    }
    contains::plan_contains(cx, array)
}
