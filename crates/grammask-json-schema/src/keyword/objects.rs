//! The keywords about objects.

use crate::keyword;
use crate::keyword::expand;
use crate::keyword::scalars;
use crate::value::evaluate;
use std::rc::Rc;

use serde_json::Value;

use super::is_known_annotation;
use crate::constraint::ConstraintId;
use crate::context::{Context, Stop};
use crate::error::Reason;
use crate::keyword::expand::Schema;
use crate::language::LanguageId;
use crate::value::{KeySet, Keys, Object, Property, RegexStrings};
use crate::{AdditionalProperties, Draft};
use grammask_syntax::Text;

pub(super) fn object_shape<'a>(cx: &mut Context<'a>, schema: Schema<'a>) -> Result<Object, Stop> {
    let mut object = Object::any();
    let mut known = KeySet::default();
    let mut evaluated: Vec<Keys> = Vec::new();
    if let Some(properties) = schema.get("properties") {
        let Value::Object(properties) = properties else {
            return Err(expand::invalid(cx, schema, "properties", "it is not an object"));
        };
        for key in properties.keys() {
            cx.check_cancelled()?;
            let constraint = expand::child(cx, schema, &["properties", key])?;
            let key: Text = key.as_str().into();
            known.names.insert(key.clone());
            object.properties.push(Property { key, constraint, required: false });
        }
    }
    if let Some(patterns) = schema.get("patternProperties") {
        let Value::Object(patterns) = patterns else {
            return Err(expand::invalid(cx, schema, "patternProperties", "it is not an object"));
        };
        for source in patterns.keys() {
            let constraint = expand::child(cx, schema, &["patternProperties", source])?;
            match scalars::pattern_language(cx, schema, "patternProperties", source)? {
                Some(language) => {
                    known.languages.push(language);
                    object.rules.push((Keys::In(language), constraint));
                }
                // What is not known to match may be a further property, or not.
                None => known.languages.push(LanguageId::ANY),
            }
        }
    }
    let mut others = ConstraintId::ANY;
    let mut all = false;
    if schema.has("additionalProperties") {
        others = expand::child(cx, schema, &["additionalProperties"])?;
        all = true;
    }
    let is_closed = cx.config.additional_properties == AdditionalProperties::Closed;
    object.is_closed_by_default = is_closed && schema.has("properties");
    if is_closed || cx.documents.asks_evaluated() {
        let languages: Vec<LanguageId> = match all {
            true => vec![LanguageId::ANY],
            false => {
                let texts: Vec<LanguageId> = known.names.iter().map(|name| cx.languages.text(name)).collect();
                [cx.languages.union(texts)].into_iter().chain(known.languages.iter().copied()).collect()
            }
        };
        evaluated.extend(languages.into_iter().map(Keys::In));
        object.evaluated = Some(evaluated);
    }
    if others != ConstraintId::ANY {
        object.rules.push((Keys::NotIn(Rc::new(known)), others));
    }
    if let Some(required) = schema.get("required")
        && !(schema.draft == Draft::Draft4 && required.is_boolean())
    {
        let keys = key_list(cx, schema, "required", required)?;
        require(&mut object, keys);
    }
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
                    return Err(expand::invalid(cx, schema, keyword, "a key is a string"));
                };
                // That a key requires itself says nothing.
                if first != second {
                    object.requires.push((first.as_str().into(), second.as_str().into()));
                }
            }
        }
    }
    if schema.has("propertyNames") && schema.draft >= Draft::Draft6 {
        let names = expand::child(cx, schema, &["propertyNames"])?;
        let names = match evaluate::values_inside(cx, names) {
            Ok(values) if values.regexes != RegexStrings::None => {
                cx.refuse_or_relax(schema.id, "propertyNames", "names that are regular expressions")?;
                LanguageId::ANY
            }
            Ok(values) => values.string,
            Err(Stop::Cycle) => {
                let reason =
                    Reason::Unsupported("the names depend on the schema that they belong to".to_owned());
                return Err(cx.error(schema.id, "propertyNames", reason));
            }
            Err(error) => return Err(error),
        };
        let wrong = cx.languages.not(names);
        if wrong != LanguageId::NONE {
            object.rules.push((Keys::In(wrong), ConstraintId::NEVER));
        }
    }
    object.min = keyword::count(cx, schema, "minProperties")?.unwrap_or(0);
    object.max =
        keyword::count(cx, schema, "maxProperties")?.filter(|&max| max <= cx.config.limits.max_count.into());
    if object.min > 0 || object.max.is_some() {
        object.count_schema = Some(schema.id);
    }
    Ok(object)
}

fn key_list<'a>(
    cx: &Context<'a>,
    schema: Schema<'a>,
    keyword: &str,
    list: &'a Value,
) -> Result<Vec<&'a str>, Stop> {
    let Value::Array(list) = list else {
        return Err(expand::invalid(cx, schema, keyword, "it is not a list of keys"));
    };
    let keys: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
    keys.ok_or_else(|| expand::invalid(cx, schema, keyword, "a key is a string"))
}

/// The keys that a schema requires, where it says nothing else: as a dependent schema, it is a list of keys.
pub(crate) fn only_required(schema: &Value) -> Option<&[Value]> {
    let schema = schema.as_object()?;
    let Value::Array(list) = schema.get("required")? else { return None };
    schema.keys().all(|name| name == "required" || is_known_annotation(name)).then_some(list)
}

/// Has the object have all these keys.
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
