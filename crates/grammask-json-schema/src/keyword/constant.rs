//! `const` and `enum`: the values that equal constants of the schema.

use std::rc::Rc;

use crate::json::{Number, Value};
use grammask_syntax::Text;

use crate::constraint::{Conjunct, ConstraintId, Subject};
use crate::context::{Context, Stop};
use crate::language::LanguageId;
use crate::language::number::{self, Decimal};
use crate::value::{Array, KeySet, Keys, Object, Property, Values, algebra};

/// Number of values of an `enum` whose texts share one allocation.
const TEXTS_PER_BLOCK: usize = 1_024;

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
            // Forbid other keys by a rule instead of a maximum count: the complement then has an exact
            // grammar, and properties may be ordered.
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

fn equal_number(cx: &mut Context<'_>, number: &Number) -> Result<LanguageId, Stop> {
    let decimal = decimal(cx, number)?;
    let language = number::equal(&mut cx.languages, &decimal);
    cx.numbers.single.insert(language, decimal);
    Ok(language)
}

/// Returns a number of the schema, exactly.
///
/// # Errors
/// When it has more digits than the limits allow.
pub(crate) fn decimal(cx: &Context<'_>, number: &Number) -> Result<Decimal, Stop> {
    let text = number.to_string();
    Decimal::parse(&text, &cx.config.limits).map_err(|reason| cx.error_here(reason))
}

/// Returns the values that an `enum` or `const` lists.
pub(crate) fn values_among<'a>(cx: &mut Context<'a>, list: &'a [Value]) -> Result<Values, Stop> {
    let mut texts: Vec<LanguageId> = Vec::new();
    let mut numbers: Vec<LanguageId> = Vec::new();
    let mut others: Vec<Values> = Vec::new();
    // Reserve once, so that large lists are not reallocated while they grow.
    cx.languages.reserve(list.len());
    let mut shared = Vec::new().into_iter();
    for (index, value) in list.iter().enumerate() {
        cx.spend(1)?;
        if index.is_multiple_of(TEXTS_PER_BLOCK) {
            let some = &list[index..list.len().min(index + TEXTS_PER_BLOCK)];
            shared = Text::share_storage(some.iter().filter_map(Value::as_str)).into_iter();
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
