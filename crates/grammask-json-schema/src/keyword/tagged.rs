//! Schemas that one key tells apart: chains of `if` and `then` that compare the key with constants, and
//! `oneOf` whose branches give it different constants.
//!
//! Both are split by that key first: the key is present with one of the constants, present with another
//! value, or absent. So the number of alternatives grows with the number of constants, and not with its
//! square.

use std::rc::Rc;

use grammask_syntax::Text;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Draft;
use crate::constraint::ConstraintId;
use crate::constraint::discriminator::texts_of_key;
use crate::context::{Context, Stop};
use crate::document::SchemaId;
use crate::json::{Map, Value};
use crate::keyword;
use crate::keyword::applicators::intersect_with;
use crate::keyword::expand::{self, Schema};
use crate::language::LanguageId;
use crate::value::algebra;
use crate::value::{Object, Property, Values};

/// Chains of fewer conditions are read one by one.
const MIN_CONDITIONS: usize = 4;

/// Number of keys that are tried as the tag of a `oneOf`.
const MAX_KEYS_TRIED: usize = 8;

/// `{"if": {"properties": {KEY: {"const": …}}}, "then": …}`.
struct Condition<'a> {
    branch: SchemaId,
    key: &'a str,
    /// The constants of the key; all are strings.
    constants: Vec<&'a str>,
    /// True if the condition requires the key, so that it does not hold without.
    requires_key: bool,
    /// True if the condition requires an object, so that it does not hold for other values.
    requires_object: bool,
}

/// Removes the longest chain of conditions about one key from the branches of an `allOf`, and applies it.
pub(super) fn apply_chain<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    values: Values,
    branches: &mut Vec<SchemaId>,
) -> Result<Values, Stop> {
    if branches.len() < MIN_CONDITIONS || schema.draft < Draft::Draft7 || cx.documents.asks_evaluated() {
        return Ok(values);
    }
    let conditions: Vec<Condition<'a>> =
        branches.iter().filter_map(|&branch| condition(cx, branch)).collect();
    let mut chains: FxHashMap<(&str, bool, bool), Vec<Condition<'a>>> = FxHashMap::default();
    for condition in conditions {
        let kind = (condition.key, condition.requires_key, condition.requires_object);
        chains.entry(kind).or_default().push(condition);
    }
    // Of equally long chains, the first one: the order of a hash table is not that of the schema.
    let position = |chain: &[Condition<'_>]| branches.iter().position(|&branch| branch == chain[0].branch);
    let longest = chains.into_values().max_by_key(|chain| (chain.len(), std::cmp::Reverse(position(chain))));
    let Some(chain) =
        longest.filter(|chain| chain.len() >= MIN_CONDITIONS && have_different_constants(chain))
    else {
        return Ok(values);
    };
    let members: FxHashSet<SchemaId> = chain.iter().map(|condition| condition.branch).collect();
    branches.retain(|branch| !members.contains(branch));
    let (requires_key, requires_object) = (chain[0].requires_key, chain[0].requires_object);
    let key: Text = chain[0].key.into();
    let mut parts = Vec::with_capacity(chain.len() + 2);
    let mut other_values = ConstraintId::ANY;
    let mut thens = Vec::with_capacity(chain.len());
    for condition in &chain {
        cx.check_cancelled()?;
        list_ignored(cx, condition.branch)?;
        let constant = cx.documents.child(condition.branch, &["if", "properties", condition.key])?;
        let constant = expand::constraint_of_schema(cx, constant, schema.scope)?;
        let then = cx.documents.child(condition.branch, &["then"])?;
        let equal = algebra::intersect(cx, &values, &with_key(&key, constant, true))?;
        parts.push(intersect_with(cx, schema, &equal, then)?);
        let differs = cx.constraints.negate(constant);
        other_values = cx.constraints.both(other_values, differs);
        thens.push(then);
    }
    parts.push(algebra::intersect(cx, &values, &with_key(&key, other_values, true))?);
    // Without the key, and for values that are not objects, either all conditions hold or none.
    let mut without_key = algebra::intersect(cx, &values, &with_key(&key, ConstraintId::NEVER, false))?;
    let mut not_objects = Values { objects: Vec::new(), ..values };
    for then in thens {
        if !requires_key {
            without_key = intersect_with(cx, schema, &without_key, then)?;
        }
        if !requires_object {
            not_objects = intersect_with(cx, schema, &not_objects, then)?;
        }
    }
    parts.extend([without_key, not_objects]);
    algebra::union(cx, &parts)
}

/// Reads a branch of an `allOf` as a condition about a key. Returns `None` for other schemas.
fn condition<'a>(cx: &Context<'a>, branch: SchemaId) -> Option<Condition<'a>> {
    if cx.documents.draft(branch) < Draft::Draft7 || !cx.documents.validates(branch) {
        return None;
    }
    let Value::Object(entries) = cx.documents.value(branch) else { return None };
    let only = |entries: &'a Map, known: &[&str]| {
        entries.iter().all(|(name, _)| known.contains(&name.as_str()) || keyword::is_annotation(name))
    };
    let (Value::Object(test), true) = (entries.get("if")?, entries.get("then").is_some()) else {
        return None;
    };
    let Value::Object(properties) = test.get("properties")? else { return None };
    let mut named = properties.iter();
    let (Some((key, Value::Object(property))), None) = (named.next(), named.next()) else { return None };
    if !only(entries, &["if", "then"])
        || !only(test, &["properties", "required", "type"])
        || !only(property, &["const", "enum", "type"])
    {
        return None;
    }
    let constants: Vec<&str> = match (property.get("const"), property.get("enum")) {
        (Some(Value::String(constant)), None) => vec![constant],
        (None, Some(Value::Array(list))) => list.iter().map(Value::as_str).collect::<Option<_>>()?,
        _ => return None,
    };
    if property.get("type").is_some_and(|name| name.as_str() != Some("string")) {
        return None;
    }
    let requires_key = match test.get("required") {
        None => false,
        Some(Value::Array(list)) if list.len() == 1 && list[0].as_str() == Some(key.as_str()) => true,
        Some(_) => return None,
    };
    let requires_object = match test.get("type") {
        None => false,
        Some(name) if name.as_str() == Some("object") => true,
        Some(_) => return None,
    };
    Some(Condition { branch, key, constants, requires_key, requires_object })
}

/// Returns true if no constant occurs in two conditions.
fn have_different_constants(chain: &[Condition<'_>]) -> bool {
    let mut seen = FxHashSet::default();
    chain.iter().all(|condition| {
        let own: FxHashSet<&str> = condition.constants.iter().copied().collect();
        own.into_iter().all(|constant| seen.insert(constant))
    })
}

/// Lists the keywords of a condition that assert nothing.
fn list_ignored(cx: &mut Context<'_>, branch: SchemaId) -> Result<(), Stop> {
    let test = cx.documents.child(branch, &["if"])?;
    for id in [branch, test] {
        if let Value::Object(entries) = cx.documents.value(id) {
            keyword::list_ignored_keywords(cx, id, entries);
        }
    }
    Ok(())
}

/// Returns the objects whose key satisfies a constraint.
fn with_key(key: &Text, constraint: ConstraintId, required: bool) -> Values {
    let properties = vec![Property { key: key.clone(), constraint, required }];
    Values { objects: vec![Rc::new(Object { properties, ..Object::any() })], ..Values::NONE }
}

/// The values of the branches of a `oneOf`, split by a key to which each branch gives other texts.
pub(super) struct Split {
    /// For each branch, its objects with the key. No two branches share one.
    pub present: Vec<Values>,
    /// For each branch, its objects without the key.
    pub absent: Vec<Values>,
}

/// Splits the branches of a `oneOf` by a key that no branch has to have. Returns `None` if there is no such
/// key.
///
/// # Complexity
/// Linear in the number of branches, for each of at most [`MAX_KEYS_TRIED`] keys.
pub(super) fn split_by_optional_key(
    cx: &mut Context<'_>,
    branches: &[Values],
) -> Result<Option<Split>, Stop> {
    let Some(Values { objects, .. }) = branches.first() else { return Ok(None) };
    let [object] = &objects[..] else { return Ok(None) };
    let object = Rc::clone(object);
    let optional = object.properties.iter().filter(|property| !property.required);
    for key in optional.map(|property| property.key.clone()).take(MAX_KEYS_TRIED) {
        if !has_different_texts(cx, branches, &key)? {
            continue;
        }
        let (with, without) =
            (with_key(&key, ConstraintId::ANY, true), with_key(&key, ConstraintId::NEVER, false));
        let (mut present, mut absent) = (Vec::new(), Vec::new());
        for branch in branches {
            present.push(algebra::intersect(cx, branch, &with)?);
            absent.push(algebra::intersect(cx, branch, &without)?);
        }
        return Ok(Some(Split { present, absent }));
    }
    Ok(None)
}

/// Returns an estimate of the alternatives for values that are in exactly one branch: for each branch, the
/// product of the ways to violate the others.
pub(super) fn alternatives(branches: &[Values]) -> u64 {
    let ways = |branch: &Values| {
        branch.objects.iter().fold(1u64, |product, object| {
            let is_restricted = |property: &&Property| {
                property.required || !matches!(property.constraint, ConstraintId::ANY | ConstraintId::NEVER)
            };
            let own = object.properties.iter().filter(is_restricted).count();
            let rules = object.rules.len() + object.exists.len() + object.requires.len();
            product.saturating_mul(((own + rules) as u64).max(1))
        })
    };
    let each: Vec<u64> = branches.iter().map(ways).collect();
    let of_others = |index: usize| {
        let others = each.iter().enumerate().filter(|&(other, _)| other != index);
        others.fold(1u64, |product, (_, &ways)| product.saturating_mul(ways))
    };
    (0..each.len()).fold(0u64, |sum, index| sum.saturating_add(of_others(index)))
}

/// Returns true if all values of the branches are objects, and the listed texts of a key differ from branch
/// to branch.
fn has_different_texts(cx: &mut Context<'_>, branches: &[Values], key: &str) -> Result<bool, Stop> {
    let mut seen = FxHashSet::default();
    for branch in branches {
        let Some(texts) = texts_of_key(cx, branch, key, false)? else { return Ok(false) };
        // Several objects of one branch may have the same text.
        let own: FxHashSet<LanguageId> = texts.into_iter().collect();
        if own.into_iter().any(|text| !seen.insert(text)) {
            return Ok(false);
        }
    }
    Ok(true)
}
