//! Keywords about objects.

use std::rc::Rc;

use crate::json::Value;
use grammask_syntax::Text;

use super::is_known_annotation;
use crate::constraint::ConstraintId;
use crate::context::{Context, Stop};
use crate::error::Reason;
use crate::keyword;
use crate::keyword::expand::{self, Schema};
use crate::keyword::scalars;
use crate::language::LanguageId;
use crate::value::evaluate;
use crate::value::{KeySet, Keys, Object, Property, RegexStrings};
use crate::{AdditionalProperties, Draft};

/// Returns the objects that a schema's own keywords allow.
pub(super) fn object_shape<'a>(cx: &mut Context<'a>, schema: Schema<'a>) -> Result<Object, Stop> {
    let mut object = Object::any();
    let mut known = KeySet::default();
    named_properties(cx, schema, &mut object, &mut known)?;
    pattern_properties(cx, schema, &mut object, &mut known)?;
    additional_properties(cx, schema, &mut object, known)?;
    if let Some(required) = schema.get("required")
        && !(schema.draft <= Draft::Draft4 && required.is_boolean())
    {
        let keys = key_list(cx, schema, "required", required)?;
        require(&mut object, keys);
    }
    dependent_keys(cx, schema, &mut object)?;
    if schema.has("propertyNames") && schema.draft >= Draft::Draft6 {
        property_names(cx, schema, &mut object)?;
    }
    object.min = keyword::minimum(cx, schema, "minProperties", 0)?;
    object.max = keyword::maximum(cx, schema, "maxProperties")?;
    if object.min > 0 || object.max.is_some() {
        object.count_schema = Some(schema.id);
    }
    Ok(object)
}

/// Reads `properties`.
fn named_properties<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    object: &mut Object,
    known: &mut KeySet,
) -> Result<(), Stop> {
    let Some(properties) = schema.get("properties") else { return Ok(()) };
    let Value::Object(properties) = properties else {
        return Err(expand::invalid(cx, schema, "properties", "not an object"));
    };
    for key in properties.keys() {
        cx.check_cancelled()?;
        let constraint = expand::child(cx, schema, &["properties", key])?;
        let key: Text = key.as_str().into();
        known.names.insert(key.clone());
        object.properties.push(Property { key, constraint, required: false });
    }
    Ok(())
}

/// Reads `patternProperties`.
fn pattern_properties<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    object: &mut Object,
    known: &mut KeySet,
) -> Result<(), Stop> {
    let Some(patterns) = schema.get("patternProperties") else { return Ok(()) };
    let Value::Object(patterns) = patterns else {
        return Err(expand::invalid(cx, schema, "patternProperties", "not an object"));
    };
    for source in patterns.keys() {
        let constraint = expand::child(cx, schema, &["patternProperties", source])?;
        match scalars::pattern_language(cx, schema, "patternProperties", source)? {
            Some(language) => {
                known.languages.push(language);
                object.rules.push((Keys::In(language), constraint));
            }
            // Any key may match the relaxed pattern, so none is known to be an additional property.
            None => known.languages.push(LanguageId::ANY),
        }
    }
    Ok(())
}

/// Reads `additionalProperties`. Stores the evaluated keys if some schema uses them. `known` are the keys of
/// `properties` and `patternProperties`.
fn additional_properties<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    object: &mut Object,
    known: KeySet,
) -> Result<(), Stop> {
    let has_additional = schema.has("additionalProperties");
    let additional = if has_additional {
        expand::child(cx, schema, &["additionalProperties"])?
    } else {
        ConstraintId::ANY
    };
    let is_closed = cx.config.additional_properties == AdditionalProperties::Closed;
    object.is_closed_by_default = is_closed && schema.has("properties");
    if is_closed || cx.documents.asks_evaluated() {
        let languages: Vec<LanguageId> = if has_additional {
            vec![LanguageId::ANY]
        } else {
            let texts: Vec<LanguageId> = known.names.iter().map(|name| cx.languages.text(name)).collect();
            [cx.languages.union(texts)].into_iter().chain(known.languages.iter().copied()).collect()
        };
        object.evaluated = Some(languages.into_iter().map(Keys::In).collect());
    }
    if additional != ConstraintId::ANY {
        object.rules.push((Keys::NotIn(Rc::new(known)), additional));
    }
    Ok(())
}

/// Reads the keys that are required with another one. `dependentSchemas` may list keys only, too.
fn dependent_keys(cx: &Context<'_>, schema: Schema<'_>, object: &mut Object) -> Result<(), Stop> {
    for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
        if keyword != "dependencies" && schema.draft < Draft::Draft201909 {
            continue;
        }
        let Some(Value::Object(entries)) = schema.get(keyword) else { continue };
        for (first, seconds) in entries {
            let seconds = match seconds {
                Value::String(_) => std::slice::from_ref(seconds),
                Value::Array(list) => &list[..],
                _ => match only_required(seconds) {
                    Some(list) => list,
                    None => continue,
                },
            };
            for second in seconds {
                let Value::String(second) = second else {
                    return Err(expand::invalid(cx, schema, keyword, "a key is not a string"));
                };
                // A key that requires itself is redundant.
                if first != second {
                    object.requires.push((first.as_str().into(), second.as_str().into()));
                }
            }
        }
    }
    Ok(())
}

/// Reads `propertyNames`: no key outside of its strings may be present.
fn property_names<'a>(cx: &mut Context<'a>, schema: Schema<'a>, object: &mut Object) -> Result<(), Stop> {
    let names = expand::child(cx, schema, &["propertyNames"])?;
    let names = match evaluate::values_inside(cx, names) {
        Ok(values) if values.regexes != RegexStrings::None => {
            // As elsewhere, the format is asserted in part only: here, keys are any strings.
            cx.evaluation.mark_relaxed();
            cx.list_partial(schema.id, "propertyNames", "the format 'regex' of property names");
            LanguageId::ANY
        }
        Ok(values) => values.string,
        Err(Stop::Cycle) => {
            let reason =
                Reason::Unsupported("property names that depend on the schema they belong to".to_owned());
            return Err(cx.error(schema.id, "propertyNames", reason));
        }
        Err(error) => return Err(error),
    };
    if cx.is_empty(names)? {
        cx.list_note(schema.id, "propertyNames", "no key is allowed, so `{}` is the only object");
    }
    let wrong = cx.languages.not(names);
    if wrong != LanguageId::NONE {
        object.rules.push((Keys::In(wrong), ConstraintId::NEVER));
    }
    Ok(())
}

/// Reads a list of keys.
fn key_list<'a>(
    cx: &Context<'a>,
    schema: Schema<'a>,
    keyword: &str,
    list: &'a Value,
) -> Result<Vec<&'a str>, Stop> {
    let Value::Array(list) = list else {
        return Err(expand::invalid(cx, schema, keyword, "not a list of keys"));
    };
    let keys: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
    keys.ok_or_else(|| expand::invalid(cx, schema, keyword, "a key is not a string"))
}

/// Returns the keys of `required` if a schema asserts nothing else. Such a dependent schema is equivalent to
/// a list of keys.
pub(crate) fn only_required(schema: &Value) -> Option<&[Value]> {
    let schema = schema.as_object()?;
    let Value::Array(list) = schema.get("required")? else { return None };
    schema.keys().all(|name| name == "required" || is_known_annotation(name)).then_some(list)
}

/// Makes keys of a shape required.
fn require(object: &mut Object, keys: Vec<&str>) {
    let mut indices = object.property_indices();
    for key in keys {
        match indices.get(key) {
            Some(&index) => object.properties[index].required = true,
            None => {
                let key: Text = key.into();
                indices.insert(key.clone(), object.properties.len());
                object.properties.push(Property { key, constraint: ConstraintId::ANY, required: true });
            }
        }
    }
}
