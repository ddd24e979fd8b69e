//! Expansion of a schema into the values that it allows, one level deep: its own assertions, then the
//! applicators that apply other schemas to the same value.

use crate::constraint::discriminator;
use crate::keyword;
use crate::keyword::unevaluated;
use crate::value::algebra;
use crate::value::algebra::shapes;
use crate::value::evaluate;
use std::rc::Rc;

use grammask_syntax::Text;
use serde_json::{Map, Value};

use crate::Draft;
use crate::constraint::{Conjunct, ConstraintId, ScopeId, Subject};
use crate::context::{Context, Stop};
use crate::document::SchemaId;
use crate::error::Reason;
use crate::language::LanguageId;
use crate::language::number::{self, Decimal};
use crate::value::{Array, KeySet, Keys, Object, Property, Values};

/// A schema object with what its keywords depend on.
#[derive(Clone, Copy)]
pub(crate) struct Schema<'a> {
    pub id: SchemaId,
    pub scope: ScopeId,
    pub draft: Draft,
    pub entries: &'a Map<String, Value>,
    /// False if the meta-schema of the document leaves out the validation vocabulary.
    pub validates: bool,
}

impl<'a> Schema<'a> {
    pub fn get(&self, keyword: &str) -> Option<&'a Value> {
        if !self.validates && keyword::is_validation(keyword) {
            return None;
        }
        keyword::entry(self.entries, keyword)
    }

    /// Returns true if the keyword is present, whatever vocabulary it belongs to.
    pub fn has(&self, keyword: &str) -> bool {
        keyword::entry(self.entries, keyword).is_some()
    }
}

/// Branch lists of more than this many schemas are deduplicated before they are expanded.
const DEDUP_MIN_BRANCHES: usize = 1_000;

/// Number of values of an `enum` whose texts share one allocation.
const TEXTS_PER_BLOCK: usize = 1_024;

/// Up to this many dependent schemas, objects with the key and without it become separate alternatives.
const MAX_SEPARATED_DEPENDENT_SCHEMAS: usize = 4;

/// Returns the values that a schema allows.
pub(crate) fn values_of_schema(cx: &mut Context<'_>, id: SchemaId, scope: ScopeId) -> Result<Values, Stop> {
    let entries = match cx.documents.value(id) {
        Value::Bool(true) => return Ok(Values::any(cx.numbers.any)),
        Value::Bool(false) => return Ok(Values::NONE),
        Value::Object(entries) => entries,
        _ => {
            return Err(cx.error_here(Reason::Invalid("a schema is an object, true or false".to_owned())));
        }
    };
    let draft = cx.documents.draft(id);
    let scope = entered(cx, scope, id);
    let validates = cx.documents.validates(id);
    let schema = Schema { id, scope, draft, entries, validates };
    keyword::list_ignored_keywords(cx, id, entries);
    if draft <= Draft::Draft7 && schema.has("$ref") {
        return reference(cx, schema, Values::any(cx.numbers.any));
    }
    let values = keyword::assertions(cx, schema)?;
    let values = in_place(cx, schema, values)?;
    unevaluated::unevaluated(cx, schema, values)
}

/// Returns the constraint of a subschema, which is reached by these steps.
pub(crate) fn child<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    steps: &[&str],
) -> Result<ConstraintId, Stop> {
    let id = cx.documents.child(schema.id, steps)?;
    constraint_of_schema(cx, id, schema.scope)
}

/// Returns the constraint of a schema. Schemas that only refer to another one are skipped, so that all
/// references to a schema lead to the same constraint.
pub(crate) fn constraint_of_schema(
    cx: &mut Context<'_>,
    mut id: SchemaId,
    mut scope: ScopeId,
) -> Result<ConstraintId, Stop> {
    for _ in 0..cx.config.limits.max_depth {
        match cx.documents.value(id) {
            Value::Bool(true) => return Ok(ConstraintId::ANY),
            Value::Bool(false) => return Ok(ConstraintId::NEVER),
            Value::Object(entries) => {
                let is_bare = |name: &String| keyword::is_annotation(name);
                if entries.keys().all(is_bare) {
                    keyword::list_ignored_keywords(cx, id, entries);
                    return Ok(ConstraintId::ANY);
                }
                let reference = match keyword::entry(entries, "$ref") {
                    Some(Value::String(reference))
                        if cx.documents.draft(id) <= Draft::Draft7
                            || entries.keys().all(|name| name == "$ref" || is_bare(name)) =>
                    {
                        reference
                    }
                    _ => break,
                };
                keyword::list_ignored_keywords(cx, id, entries);
                scope = entered(cx, scope, id);
                match cx.documents.resolve(id, reference) {
                    Ok(target) => id = target,
                    // The error is reported with its location when the values are expanded.
                    Err(_) => break,
                }
            }
            _ => break,
        }
    }
    let first = cx.canonical.first(&cx.documents, id);
    // The keywords of the first schema are listed when its values are expanded.
    if let Value::Object(entries) = cx.documents.value(id)
        && first != id
    {
        keyword::list_ignored_keywords(cx, id, entries);
    }
    let id = first;
    Ok(cx.constraints.single(Conjunct { subject: Subject::Schema(id, scope), holds: true }))
}

/// Returns the values that equal a constant.
pub(crate) fn values_of_constant<'a>(cx: &mut Context<'a>, value: &'a Value) -> Result<Values, Stop> {
    let mut values = Values::NONE;
    match value {
        Value::Null => values.null = true,
        Value::Bool(truth) => values.booleans[usize::from(*truth)] = true,
        Value::Number(number) => {
            values.number = equal_number(cx, number)?;
        }
        Value::String(text) => values.string = cx.languages.text(text),
        Value::Array(items) => {
            let prefix: Vec<ConstraintId> = items.iter().map(|item| equals(cx, item)).collect();
            let len = prefix.len() as u64;
            let array = Array { prefix, rest: ConstraintId::NEVER, min: len, max: Some(len), ..Array::any() };
            values.arrays.push(Rc::new(array));
        }
        Value::Object(entries) => {
            let properties: Vec<Property> = entries
                .iter()
                .map(|(key, value)| Property {
                    key: key.as_str().into(),
                    constraint: equals(cx, value),
                    required: true,
                })
                .collect();
            // Closed by a rule instead of a count: its complement then has an exact grammar, and properties
            // may be ordered.
            let names = properties.iter().map(|property| property.key.clone()).collect();
            let known = KeySet { names, ..KeySet::default() };
            let rules = vec![(Keys::NotIn(Rc::new(known)), ConstraintId::NEVER)];
            let object = Object { properties, rules, ..Object::any() };
            values.objects.push(Rc::new(object));
        }
    }
    Ok(values)
}

fn equals<'a>(cx: &mut Context<'a>, value: &'a Value) -> ConstraintId {
    let subject = Subject::Constant(cx.constants.intern(value));
    cx.constraints.single(Conjunct { subject, holds: true })
}

fn equal_number(cx: &mut Context<'_>, number: &serde_json::Number) -> Result<LanguageId, Stop> {
    let decimal = decimal(cx, number)?;
    let language = number::equal(&mut cx.languages, &decimal);
    cx.numbers.single.insert(language);
    Ok(language)
}

/// Returns a number of the schema, exactly.
///
/// # Errors
/// When it has more digits than the limits allow.
pub(crate) fn decimal(cx: &Context<'_>, number: &serde_json::Number) -> Result<Decimal, Stop> {
    let text = number.to_string();
    Decimal::parse(&text, &cx.config.limits).map_err(|reason| cx.error_here(reason))
}

/// Returns the values that an `enum` or `const` lists.
pub(crate) fn values_among<'a>(cx: &mut Context<'a>, list: &'a [Value]) -> Result<Values, Stop> {
    let mut texts: Vec<LanguageId> = Vec::new();
    let mut numbers: Vec<LanguageId> = Vec::new();
    let mut others: Vec<Values> = Vec::new();
    // Reserved at once, so that large lists are not moved while they grow.
    cx.languages.reserve(list.len());
    let mut shared = Vec::new().into_iter();
    for (index, value) in list.iter().enumerate() {
        cx.spend(1)?;
        if index.is_multiple_of(TEXTS_PER_BLOCK) {
            let some = &list[index..list.len().min(index + TEXTS_PER_BLOCK)];
            shared = Text::all(some.iter().filter_map(Value::as_str)).into_iter();
        }
        match value {
            Value::String(_) => texts.extend(shared.next().map(|text| cx.languages.shared_text(&text))),
            Value::Number(number) => numbers.push(equal_number(cx, number)?),
            _ => others.push(values_of_constant(cx, value)?),
        }
    }
    cx.check_cancelled()?;
    let mut all = algebra::union(cx, &others)?;
    all.string = cx.languages.union(texts);
    cx.check_cancelled()?;
    all.number = cx.languages.union(numbers);
    Ok(all)
}

/// Intersects the values with those of all applicators for the same value.
fn in_place<'a>(cx: &mut Context<'a>, schema: Schema<'a>, mut values: Values) -> Result<Values, Stop> {
    if schema.has("$ref") {
        values = reference(cx, schema, values)?;
    }
    for keyword in ["$dynamicRef", "$recursiveRef"] {
        let is_known = (keyword == "$recursiveRef") == (schema.draft == Draft::Draft201909);
        if let (Some(reference), true) = (schema.get(keyword), is_known && schema.draft >= Draft::Draft201909)
        {
            let Value::String(reference) = reference else {
                return Err(invalid(cx, schema, keyword, "it is not a string"));
            };
            let scope = cx.scopes.resources(schema.scope);
            let target = cx.documents.resolve_dynamic(schema.id, reference, scope)?;
            values = applied(cx, schema, &values, target)?;
        }
    }
    for branch in branches(cx, schema, "allOf")? {
        if values.is_none() {
            return Ok(values);
        }
        values = applied(cx, schema, &values, branch)?;
    }
    if schema.has("if") && schema.draft >= Draft::Draft7 {
        values = condition(cx, schema, values)?;
    }
    values = dependent_schemas(cx, schema, values)?;
    let any_of = branches(cx, schema, "anyOf")?;
    if !any_of.is_empty() && !values.is_none() {
        values = apply_any_of(cx, schema, &values, &any_of)?;
    }
    let one_of = branches(cx, schema, "oneOf")?;
    if !one_of.is_empty() && !values.is_none() {
        values = apply_one_of(cx, schema, &values, &one_of)?;
    }
    if schema.has("not") && !values.is_none() {
        let excluded = cx.documents.child(schema.id, &["not"])?;
        let subject = Subject::Schema(excluded, schema.scope);
        let excluded = evaluate::values_to_exclude(cx, subject)?;
        values = algebra::subtract(cx, &values, &excluded)?;
    }
    Ok(values)
}

pub(crate) fn invalid(cx: &Context<'_>, schema: Schema<'_>, keyword: &str, what: &str) -> Stop {
    cx.error(schema.id, keyword, Reason::Invalid(what.to_owned()))
}

/// Returns the schemas of a keyword that holds a list of them. Empty if the keyword is absent.
fn branches<'a>(cx: &mut Context<'a>, schema: Schema<'a>, keyword: &str) -> Result<Vec<SchemaId>, Stop> {
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
        Some(_) => Err(invalid(cx, schema, keyword, "it is no list of schemas")),
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

fn reference<'a>(cx: &mut Context<'a>, schema: Schema<'a>, values: Values) -> Result<Values, Stop> {
    let Some(Value::String(reference)) = schema.get("$ref") else {
        return Err(invalid(cx, schema, "$ref", "it is not a string"));
    };
    match cx.documents.resolve(schema.id, reference) {
        Ok(target) => applied(cx, schema, &values, target),
        Err(error) => {
            if cx.config.unsupported == crate::Unsupported::Refuse {
                return Err(error.into());
            }
            let reason = match error.reason {
                Reason::Unsupported(what) => what,
                other => other.to_string(),
            };
            cx.refuse_or_relax(schema.id, "$ref", reason)?;
            Ok(values)
        }
    }
}

/// Intersects values with those of another schema.
fn applied<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    values: &Values,
    other: SchemaId,
) -> Result<Values, Stop> {
    let more = evaluate::values_of(cx, Subject::Schema(other, schema.scope))?;
    algebra::intersect(cx, values, &more)
}

fn condition<'a>(cx: &mut Context<'a>, schema: Schema<'a>, values: Values) -> Result<Values, Stop> {
    let condition = cx.documents.child(schema.id, &["if"])?;
    let subject = Subject::Schema(condition, schema.scope);
    let holds = evaluate::values_of(cx, subject)?;
    let holds = unevaluated::open_objects(cx, holds);
    let mut yes = algebra::intersect(cx, &values, &holds)?;
    if schema.has("then") {
        let then = cx.documents.child(schema.id, &["then"])?;
        yes = applied(cx, schema, &yes, then)?;
    } else if !schema.has("else") && !cx.documents.asks_evaluated() {
        return Ok(values);
    }
    let holds = evaluate::values_to_exclude(cx, subject)?;
    let mut no = algebra::subtract(cx, &values, &holds)?;
    if schema.has("else") {
        let otherwise = cx.documents.child(schema.id, &["else"])?;
        no = applied(cx, schema, &no, otherwise)?;
    }
    algebra::union(cx, &[yes, no])
}

fn apply_any_of<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    values: &Values,
    branches: &[SchemaId],
) -> Result<Values, Stop> {
    if !cx.documents.asks_evaluated() {
        let mut each = Vec::with_capacity(branches.len());
        for &branch in branches {
            each.push(applied(cx, schema, values, branch)?);
        }
        return algebra::union(cx, &each);
    }
    // What is evaluated depends on the branches that hold, so each combination of branches is an alternative.
    let most = cx.config.limits.max_combined_branches;
    if branches.len() > most {
        let limit = Reason::Unsupported(format!(
            "unevaluated properties or items after an `anyOf` of more than {most} branches \
             (limit `max_combined_branches`)"
        ));
        return Err(cx.error(schema.id, "anyOf", limit));
    }
    let mut selections = Vec::new();
    for selection in 1..1u32 << branches.len() {
        let mut one = values.clone();
        for (index, &branch) in branches.iter().enumerate() {
            if selection >> index & 1 == 1 && !one.is_none() {
                one = applied(cx, schema, &one, branch)?;
            }
        }
        selections.push(one);
    }
    algebra::union(cx, &selections)
}

fn apply_one_of<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    values: &Values,
    branches: &[SchemaId],
) -> Result<Values, Stop> {
    let mut each: Vec<Values> = Vec::with_capacity(branches.len());
    for &branch in branches {
        each.push(applied(cx, schema, values, branch)?);
    }
    let mut exactly_one = Vec::with_capacity(each.len());
    let discriminator = discriminator::discriminate(cx, &each)?;
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
            // A relaxed branch must not be subtracted; of an approximate one, everything that it may contain
            // is.
            let excluded = evaluate::values_to_exclude(cx, subject)?;
            let excluded = if cx.evaluation.is_approximate(subject) { &excluded } else { &each[other] };
            only = algebra::subtract(cx, &only, excluded)?;
        }
        exactly_one.push(only);
    }
    algebra::union(cx, &exactly_one)
}

/// Applies `dependentSchemas`, and the schemas of `dependencies`.
fn dependent_schemas<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    mut values: Values,
) -> Result<Values, Stop> {
    for keyword in ["dependentSchemas", "dependencies"] {
        if keyword == "dependentSchemas" && schema.draft < Draft::Draft201909 {
            continue;
        }
        let Some(Value::Object(entries)) = schema.get(keyword) else { continue };
        // Many alternatives overlap, so that objects without the key are not listed twice.
        let are_disjoint_lists =
            cx.documents.asks_evaluated() || entries.len() <= MAX_SEPARATED_DEPENDENT_SCHEMAS;
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
            let with = Values {
                objects: vec![Rc::new(property(ConstraintId::ANY, are_disjoint_lists))],
                ..Values::NONE
            };
            let without = algebra::intersect(cx, &values, &without)?;
            let with = algebra::intersect(cx, &values, &with)?;
            let with = applied(cx, schema, &with, dependent)?;
            values = algebra::union(cx, &[without, with])?;
            if !are_disjoint_lists {
                values.objects = shapes::drop_subsumed(cx, values.objects)?;
            }
        }
    }
    Ok(values)
}

/// Returns the dynamic scope inside of a schema.
fn entered(cx: &mut Context<'_>, scope: ScopeId, id: SchemaId) -> ScopeId {
    if cx.documents.is_dynamic() { cx.scopes.enter(scope, cx.documents.resource(id)) } else { scope }
}
