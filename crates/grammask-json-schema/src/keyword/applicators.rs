//! Applicators: keywords that apply other schemas to the same value, such as `$ref`, `allOf`, `oneOf`, `not`
//! and `if`.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::constraint::discriminator::discriminate;
use crate::constraint::{ConstraintId, Subject};
use crate::context::{Context, Stop};
use crate::document::SchemaId;
use crate::json::Value;
use crate::keyword::expand::{self, Schema};
use crate::keyword::relax::{self, KeywordSet};
use crate::keyword::{self, tagged, unevaluated};
use crate::language::Approximation;
use crate::value::algebra::{self, shapes};
use crate::value::evaluate;
use crate::value::{EvaluatedItems, Object, Property, Values};
use crate::{Draft, UntaggedUnions};

/// Branch lists of more than this many schemas are deduplicated before they are expanded.
const DEDUP_MIN_BRANCHES: usize = 1_000;

/// Up to this many dependent schemas, objects with the key and without it become separate alternatives.
const MAX_SEPARATED_DEPENDENT_SCHEMAS: usize = 4;

/// Intersects the values with those of all applicators for the same value.
pub(super) fn apply_all<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    mut values: Values,
) -> Result<Values, Stop> {
    cx.current_keyword = "$ref";
    if schema.has("$ref") {
        values = apply_reference(cx, schema, &values)?;
    }
    for keyword in ["$dynamicRef", "$recursiveRef"] {
        let is_known = (keyword == "$recursiveRef") == (schema.draft == Draft::Draft201909);
        cx.current_keyword = keyword;
        if let (Some(reference), true) = (schema.get(keyword), is_known && schema.draft >= Draft::Draft201909)
        {
            let Value::String(reference) = reference else {
                return Err(expand::invalid(cx, schema, keyword, "not a string"));
            };
            let scope = cx.scopes.resources(schema.scope);
            let target = cx.documents.resolve_dynamic(schema.id, reference, scope)?;
            values = intersect_with(cx, schema, &values, target)?;
        }
    }
    cx.current_keyword = "allOf";
    let mut all_of = branch_list(cx, schema, "allOf")?;
    if !values.is_none() {
        values = tagged::apply_chain(cx, schema, values, &mut all_of)?;
    }
    for branch in all_of {
        if values.is_none() {
            return Ok(values);
        }
        values = intersect_with(cx, schema, &values, branch)?;
    }
    cx.current_keyword = "if";
    if schema.has("if") && schema.draft >= Draft::Draft7 {
        values = apply_condition(cx, schema, values)?;
    }
    values = apply_dependent_schemas(cx, schema, values)?;
    cx.current_keyword = "anyOf";
    let any_of = branch_list(cx, schema, "anyOf")?;
    if !any_of.is_empty() && !values.is_none() {
        values = apply_any_of(cx, schema, &values, &any_of)?;
    }
    cx.current_keyword = "oneOf";
    let one_of = branch_list(cx, schema, "oneOf")?;
    if !one_of.is_empty() && !values.is_none() {
        values = apply_one_of(cx, schema, &values, &one_of)?;
    }
    cx.current_keyword = "not";
    if schema.has("not") && !values.is_none() {
        let excluded = cx.documents.child(schema.id, &["not"])?;
        let subject = Subject::Schema(excluded, schema.scope);
        let excluded = evaluate::values_to_exclude(cx, subject)?;
        values = algebra::subtract(cx, &values, &excluded)?;
    }
    Ok(values)
}

/// Returns the schemas of a keyword that holds a list of them. Empty if the keyword is absent.
fn branch_list<'a>(cx: &mut Context<'a>, schema: Schema<'a>, keyword: &str) -> Result<Vec<SchemaId>, Stop> {
    match schema.get(keyword) {
        None => Ok(Vec::new()),
        Some(Value::Array(list)) if !list.is_empty() => {
            let mut ids = Vec::with_capacity(list.len());
            for index in 0..list.len() {
                // Not counted as work, but lists may be very long.
                cx.check_cancelled()?;
                ids.push(cx.documents.child(schema.id, &[keyword, &index.to_string()])?);
            }
            if ids.len() > DEDUP_MIN_BRANCHES {
                replace_by_canonical(cx, &mut ids)?;
            }
            Ok(ids)
        }
        Some(_) => Err(expand::invalid(cx, schema, keyword, "not a nonempty list of schemas")),
    }
}

/// Replaces each schema by the first one with equal text, so that its values are expanded once.
fn replace_by_canonical(cx: &mut Context<'_>, ids: &mut [SchemaId]) -> Result<(), Stop> {
    for id in ids {
        cx.check_cancelled()?;
        let first = cx.canonical.first(&cx.documents, *id);
        if let Value::Object(entries) = cx.documents.value(*id)
            && first != *id
        {
            keyword::list_ignored_keywords(cx, *id, entries);
        }
        *id = first;
    }
    Ok(())
}

/// Intersects the values with those of the target of `$ref`.
pub(super) fn apply_reference<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    values: &Values,
) -> Result<Values, Stop> {
    let Some(Value::String(reference)) = schema.get("$ref") else {
        return Err(expand::invalid(cx, schema, "$ref", "not a string"));
    };
    let target = cx.documents.resolve(schema.id, reference)?;
    intersect_with(cx, schema, values, target)
}

/// Intersects values with those of another schema.
pub(super) fn intersect_with<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    values: &Values,
    other: SchemaId,
) -> Result<Values, Stop> {
    let more = evaluate::values_of(cx, Subject::Schema(other, schema.scope))?;
    algebra::intersect(cx, values, &more)
}

/// Applies `if`, `then` and `else`: the values that satisfy `if` and `then`, and those that satisfy `else`
/// but not `if`.
fn apply_condition<'a>(cx: &mut Context<'a>, schema: Schema<'a>, values: Values) -> Result<Values, Stop> {
    let condition = cx.documents.child(schema.id, &["if"])?;
    let subject = Subject::Schema(condition, schema.scope);
    let holds = evaluate::values_of(cx, subject)?;
    let holds = unevaluated::open_objects(cx, holds);
    let mut yes = algebra::intersect(cx, &values, &holds)?;
    if schema.has("then") {
        let then = cx.documents.child(schema.id, &["then"])?;
        yes = intersect_with(cx, schema, &yes, then)?;
    } else if !schema.has("else") && !cx.documents.asks_evaluated() {
        return Ok(values);
    }
    let no =
        evaluate::values_to_exclude(cx, subject).and_then(|holds| algebra::subtract(cx, &values, &holds));
    // Without an exact condition, `else` applies or not.
    let mut no = cx.or_omitted(schema.id, "if", no)?.unwrap_or_else(|| values.clone());
    if schema.has("else") {
        let otherwise = cx.documents.child(schema.id, &["else"])?;
        no = intersect_with(cx, schema, &no, otherwise)?;
    }
    algebra::union(cx, &[yes, no])
}

/// Intersects the values with the union of the branches of `anyOf`.
fn apply_any_of<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    values: &Values,
    branches: &[SchemaId],
) -> Result<Values, Stop> {
    if !cx.documents.asks_evaluated() {
        return any_branch(cx, schema, values, branches);
    }
    if let Some(combinations) = branch_combinations(cx, schema, values, branches)? {
        return algebra::union(cx, &combinations);
    }
    let most = cx.config.limits.max_combined_branches;
    let limit = format!(
        "unevaluated properties or items after an `anyOf` of which more than 2^{most} combinations of branches \
         can hold (limit `max_combined_branches`)"
    );
    cx.refuse_or_relax(schema.id, "anyOf", limit)?;
    let any = any_branch(cx, schema, values, branches)?;
    Ok(relax::evaluate_dropped(KeywordSet::ALL, any))
}

/// Returns the values of each combination of branches that can hold together: the evaluated keys and items
/// depend on the branches that hold. Combinations with a branch that evaluates nothing more are part of
/// others. Returns `None` if there are too many.
///
/// # Complexity
/// Linear in the number of branches, if a key distinguishes them.
fn branch_combinations<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    values: &Values,
    branches: &[SchemaId],
) -> Result<Option<Vec<Values>>, Stop> {
    let mut each = Vec::with_capacity(branches.len());
    for &branch in branches {
        each.push(intersect_with(cx, schema, values, branch)?);
    }
    // Only objects and arrays have evaluated parts.
    let has_evaluated_items = |values: &Values| {
        values
            .arrays
            .iter()
            .any(|array| array.evaluated.as_ref().is_some_and(|items| *items != EvaluatedItems::none()))
    };
    let compares_arrays = each.iter().any(has_evaluated_items);
    let objects = |values: &Values| Values { objects: values.objects.clone(), ..Values::NONE };
    let objects: Vec<Values> = each.iter().map(objects).collect();
    let discriminator = discriminate(cx, &objects)?;
    // As many as there are branches are always allowed.
    let most = (1usize << cx.config.limits.max_combined_branches.min(31)).max(branches.len());
    let mut combinations = Vec::with_capacity(branches.len());
    let mut open: VecDeque<(usize, Values)> = each.into_iter().enumerate().collect();
    while let Some((last, combination)) = open.pop_front() {
        if combination.is_none() {
            continue;
        }
        if combinations.len() == most {
            return Ok(None);
        }
        let mut others: Vec<usize> = if compares_arrays {
            (last + 1..branches.len()).collect()
        } else {
            discriminator.candidates(last).filter(|&other| other > last).collect()
        };
        others.sort_unstable();
        others.dedup();
        for other in others {
            cx.spend(1)?;
            let more = evaluate::values_of(cx, Subject::Schema(branches[other], schema.scope))?;
            let [more_keys, more_items] = unevaluated::evaluates_more(&combination, &more);
            let (mut one, mut more) = (Values::NONE, Values::clone(&more));
            if more_keys {
                one.objects.clone_from(&combination.objects);
            } else {
                more.objects.clear();
            }
            if more_items {
                one.arrays.clone_from(&combination.arrays);
            } else {
                more.arrays.clear();
            }
            let both = algebra::intersect(cx, &one, &more)?;
            open.push_back((other, both));
        }
        combinations.push(combination);
    }
    Ok(Some(combinations))
}

/// Returns the values that satisfy some branch.
fn any_branch<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    values: &Values,
    branches: &[SchemaId],
) -> Result<Values, Stop> {
    let mut each = Vec::with_capacity(branches.len());
    for &branch in branches {
        each.push(intersect_with(cx, schema, values, branch)?);
    }
    algebra::union(cx, &each)
}

/// Returns the values in exactly one branch of `oneOf`. If a key distinguishes the branches, only the values
/// without that key are compared pair by pair.
fn apply_one_of<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    values: &Values,
    branches: &[SchemaId],
) -> Result<Values, Stop> {
    let mut each: Vec<Values> = Vec::with_capacity(branches.len());
    for &branch in branches {
        each.push(intersect_with(cx, schema, values, branch)?);
    }
    match tagged::split_by_optional_key(cx, &each)? {
        Some(tagged::Split { mut present, absent }) => {
            let is_exact = cx.config.untagged_unions == UntaggedUnions::Exact
                || tagged::alternatives(&absent) <= cx.config.limits.max_alternatives as u64;
            if is_exact {
                present.push(exactly_one(cx, schema, &absent, branches)?);
            } else {
                cx.evaluation.mark_approximate();
                if cx.evaluation.approximation == Approximation::Over {
                    present.extend(absent);
                }
                let message = "documents without the key that distinguishes the branches are not offered";
                cx.list_note(schema.id, "oneOf", message);
            }
            algebra::union(cx, &present)
        }
        None => exactly_one(cx, schema, &each, branches),
    }
}

/// Returns the values that are in exactly one of `each`, the values of the branches.
fn exactly_one<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    each: &[Values],
    branches: &[SchemaId],
) -> Result<Values, Stop> {
    let mut exactly_one = Vec::with_capacity(each.len());
    let discriminator = discriminate(cx, each)?;
    for (index, own) in each.iter().enumerate() {
        cx.check_cancelled()?;
        let mut only = own.clone();
        for other in discriminator.candidates(index) {
            if only.is_none() {
                break;
            }
            cx.spend(1)?;
            let subject = Subject::Schema(branches[other], schema.scope);
            if each[other].is_none() && !cx.evaluation.is_approximate(subject) {
                continue;
            }
            // A relaxed branch must not be subtracted. For an approximate branch, subtract its
            // over-approximation.
            let rest = evaluate::values_to_exclude(cx, subject).and_then(|excluded| {
                let excluded = if cx.evaluation.is_approximate(subject) { &excluded } else { &each[other] };
                algebra::subtract(cx, &only, excluded)
            });
            // Without it, values of both branches stay.
            if let Some(rest) = cx.or_omitted(schema.id, "oneOf", rest)? {
                only = rest;
            }
        }
        exactly_one.push(only);
    }
    algebra::union(cx, &exactly_one)
}

/// Applies `dependentSchemas`, and the schemas of `dependencies`.
fn apply_dependent_schemas<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    mut values: Values,
) -> Result<Values, Stop> {
    for keyword in ["dependentSchemas", "dependencies"] {
        if keyword == "dependentSchemas" && schema.draft < Draft::Draft201909 {
            continue;
        }
        let Some(Value::Object(entries)) = schema.get(keyword) else { continue };
        // Above the limit, the key stays optional in the second alternative. The alternatives then overlap,
        // and subsumed ones are dropped.
        let are_separated = cx.documents.asks_evaluated() || entries.len() <= MAX_SEPARATED_DEPENDENT_SCHEMAS;
        for (key, value) in entries {
            if value.is_array() || value.is_string() || keyword::only_required(value).is_some() {
                continue;
            }
            let dependent = cx.documents.child(schema.id, &[keyword, key])?;
            let property = |constraint, required| Object {
                properties: vec![Property { key: key.as_str().into(), constraint, required }],
                ..Object::any()
            };
            let mut without = Values::any(cx.numbers.any);
            without.objects = vec![Rc::new(property(ConstraintId::NEVER, false))];
            let with =
                Values { objects: vec![Rc::new(property(ConstraintId::ANY, are_separated))], ..Values::NONE };
            let without = algebra::intersect(cx, &values, &without)?;
            let with = algebra::intersect(cx, &values, &with)?;
            let with = intersect_with(cx, schema, &with, dependent)?;
            values = algebra::union(cx, &[without, with])?;
            if !are_separated {
                values.objects = shapes::drop_subsumed(cx, values.objects)?;
            }
        }
    }
    Ok(values)
}
