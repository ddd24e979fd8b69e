//! `unevaluatedProperties` and `unevaluatedItems`: constraints on the keys and items that no other keyword
//! has evaluated.

use std::rc::Rc;

use crate::Draft;
use crate::constraint::ConstraintId;
use crate::context::{Context, Stop};
use crate::keyword::expand;
use crate::keyword::expand::Schema;
use crate::language::LanguageId;
use crate::value::algebra;
use crate::value::{Array, EvaluatedItems, KeySet, Keys, Object, Property, Values};

/// Applies `unevaluatedProperties` and `unevaluatedItems`.
pub(crate) fn apply_unevaluated<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    mut values: Values,
) -> Result<Values, Stop> {
    if schema.draft < Draft::Draft201909 {
        return Ok(values);
    }
    if schema.has("unevaluatedProperties") {
        let constraint = expand::child(cx, schema, &["unevaluatedProperties"])?;
        let mut objects = Vec::with_capacity(values.objects.len());
        for object in &values.objects {
            let mut object = constrain_unevaluated(cx, object, constraint);
            object.evaluated = Some(vec![Keys::In(LanguageId::ANY)]);
            objects.push(Rc::new(object));
        }
        values.objects = objects;
    }
    if schema.has("unevaluatedItems") {
        let constraint = expand::child(cx, schema, &["unevaluatedItems"])?;
        let mut arrays = Vec::with_capacity(values.arrays.len());
        for array in &values.arrays {
            let evaluated = array.evaluated.clone().unwrap_or(EvaluatedItems::none());
            let mut array = Array::clone(array);
            if let Some(first) = evaluated.first {
                let constraint = evaluated
                    .matching
                    .iter()
                    .fold(constraint, |constraint, &other| cx.constraints.either(constraint, other));
                while array.prefix.len() < first {
                    array.prefix.push(array.rest);
                }
                for index in first..array.prefix.len() {
                    array.prefix[index] = cx.constraints.both(array.prefix[index], constraint);
                }
                array.rest = cx.constraints.both(array.rest, constraint);
            }
            array.evaluated = Some(EvaluatedItems { first: None, matching: Vec::new() });
            if array.normalize() {
                arrays.push(Rc::new(array));
            }
        }
        values.arrays = arrays;
    }
    Ok(values)
}

/// Returns false for objects, and then for arrays, if none in both sets has more evaluated keys or items by
/// the second one.
pub(crate) fn evaluates_more(values: &Values, more: &Values) -> [bool; 2] {
    let is_among = |keys: &Option<Vec<Keys>>, known: &Option<Vec<Keys>>| {
        let known = known.as_deref().unwrap_or_default();
        let is_known = |keys: &Keys| *keys == Keys::In(LanguageId::NONE) || known.contains(keys);
        known.contains(&Keys::In(LanguageId::ANY)) || keys.as_deref().unwrap_or_default().iter().all(is_known)
    };
    let are_among = |items: &Option<EvaluatedItems>, known: &Option<EvaluatedItems>| {
        let Some(items) = items else { return true };
        let Some(known) = known else { return *items == EvaluatedItems::none() };
        known.first.is_none()
            || items.first.is_some_and(|first| known.first.is_some_and(|known| first <= known))
                && items.matching.iter().all(|constraint| known.matching.contains(constraint))
    };
    let mut objects = values.objects.iter().flat_map(|own| more.objects.iter().map(move |more| (own, more)));
    let mut arrays = values.arrays.iter().flat_map(|own| more.arrays.iter().map(move |more| (own, more)));
    [
        objects.any(|(own, more)| !is_among(&more.evaluated, &own.evaluated)),
        arrays.any(|(own, more)| !are_among(&more.evaluated, &own.evaluated)),
    ]
}

/// Closes the objects of a constraint that is about to be written, under
/// [`AdditionalProperties::Closed`](crate::AdditionalProperties::Closed).
///
/// Values are closed as a whole and only when they are written. So a schema under `not` or `if` does not
/// close anything, and all schemas for one value count together. Required keys stay allowed.
pub(crate) fn close_objects(cx: &mut Context<'_>, mut values: Rc<Values>) -> Rc<Values> {
    if values.objects.iter().any(|object| object.is_closed_by_default) {
        for object in &mut Rc::make_mut(&mut values).objects {
            if object.is_closed_by_default {
                // A property of any value may be one that only `required` names.
                let is_only_required =
                    |property: &&Property| property.required && property.constraint == ConstraintId::ANY;
                let mut allowed = Rc::clone(object);
                for property in object.properties.iter().filter(is_only_required) {
                    let key = Keys::In(cx.languages.text(&property.key));
                    Rc::make_mut(&mut allowed).evaluated.get_or_insert_default().push(key);
                }
                *object = Rc::new(constrain_unevaluated(cx, &allowed, ConstraintId::NEVER));
            }
        }
    }
    values
}

/// Opens the objects of a condition (`if`): it does not close a value. Its keys do not count as evaluated
/// unless some schema uses the evaluated keys.
pub(crate) fn open_objects(cx: &mut Context<'_>, mut values: Rc<Values>) -> Rc<Values> {
    let asks = cx.documents.asks_evaluated();
    if values.objects.iter().any(|object| object.is_closed_by_default || !asks && object.evaluated.is_some())
    {
        for object in &mut Rc::make_mut(&mut values).objects {
            let object = Rc::make_mut(object);
            object.is_closed_by_default = false;
            object.evaluated = object.evaluated.take().filter(|_| asks);
        }
    }
    values
}

/// Returns the objects in which the values of all keys that are not evaluated satisfy a constraint.
fn constrain_unevaluated(cx: &mut Context<'_>, object: &Object, constraint: ConstraintId) -> Object {
    let keys = object.evaluated.as_deref().unwrap_or_default();
    let languages: Vec<LanguageId> = keys.iter().map(|keys| algebra::key_language(cx, keys)).collect();
    let mut object = object.clone();
    if constraint != ConstraintId::ANY && !languages.contains(&LanguageId::ANY) {
        let known = KeySet { languages, ..KeySet::default() };
        object.rules.push((Keys::NotIn(Rc::new(known)), constraint));
    }
    object
}
