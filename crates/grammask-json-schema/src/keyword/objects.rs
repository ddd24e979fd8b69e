//! The keywords about objects.

use std::rc::Rc;

use serde_json::Value;

use super::{MOST, is_known_annotation};
use crate::conjunction::GoalId;
use crate::context::{Stop, Translator};
use crate::error::Reason;
use crate::keyword::expand::Schema;
use crate::language::LanguageId;
use crate::value::{Expressions, Keys, Known, Object, Property};
use crate::{AdditionalProperties, Draft};
use grammask_syntax::Text;

impl<'a> Translator<'a> {
    pub(super) fn objects(&mut self, schema: Schema<'a>) -> Result<Object, Stop> {
        let mut object = Object::any();
        let mut known = Known::default();
        let mut evaluated: Vec<Keys> = Vec::new();
        if let Some(properties) = schema.get("properties") {
            let Value::Object(properties) = properties else {
                return Err(self.invalid(schema, "properties", "it is not an object"));
            };
            for key in properties.keys() {
                self.look()?;
                let goal = self.child(schema, &["properties", key])?;
                let key: Text = key.as_str().into();
                known.names.insert(key.clone());
                object.properties.push(Property { key, goal, required: false });
            }
        }
        if let Some(patterns) = schema.get("patternProperties") {
            let Value::Object(patterns) = patterns else {
                return Err(self.invalid(schema, "patternProperties", "it is not an object"));
            };
            for source in patterns.keys() {
                let goal = self.child(schema, &["patternProperties", source])?;
                match self.pattern(schema, "patternProperties", source)? {
                    Some(language) => {
                        known.languages.push(language);
                        object.rules.push((Keys::In(language), goal));
                    }
                    // What is not known to match may be a further property, or not.
                    None => known.languages.push(LanguageId::ANY),
                }
            }
        }
        let mut others = GoalId::ANY;
        let mut all = false;
        if schema.has("additionalProperties") {
            others = self.child(schema, &["additionalProperties"])?;
            all = true;
        }
        let is_closed = self.config.additional_properties == AdditionalProperties::Closed;
        object.closes = is_closed && schema.has("properties");
        if is_closed || self.documents.asks_evaluated() {
            let languages: Vec<LanguageId> = match all {
                true => vec![LanguageId::ANY],
                false => {
                    let texts: Vec<LanguageId> =
                        known.names.iter().map(|name| self.languages.text(name)).collect();
                    [self.languages.union(texts)].into_iter().chain(known.languages.iter().copied()).collect()
                }
            };
            evaluated.extend(languages.into_iter().map(Keys::In));
            object.evaluated = Some(evaluated);
        }
        if others != GoalId::ANY {
            object.rules.push((Keys::Others(Rc::new(known)), others));
        }
        if let Some(required) = schema.get("required")
            && !(schema.draft == Draft::Draft4 && required.is_boolean())
        {
            let keys = self.key_list(schema, "required", required)?;
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
                        return Err(self.invalid(schema, keyword, "a key is a string"));
                    };
                    // That a key needs itself says nothing.
                    if first != second {
                        object.needs.push((first.as_str().into(), second.as_str().into()));
                    }
                }
            }
        }
        if schema.has("propertyNames") && schema.draft >= Draft::Draft6 {
            let names = self.child(schema, &["propertyNames"])?;
            let names = match self.values_inside(names) {
                Ok(values) if values.expressions != Expressions::None => {
                    self.refuse(schema.id, "propertyNames", "names that are regular expressions")?;
                    LanguageId::ANY
                }
                Ok(values) => values.string,
                Err(Stop::Busy) => {
                    let reason =
                        Reason::Unsupported("the names depend on the schema that they belong to".to_owned());
                    return Err(self.error(schema.id, "propertyNames", reason));
                }
                Err(error) => return Err(error),
            };
            let wrong = self.languages.not(names);
            if wrong != LanguageId::NONE {
                object.rules.push((Keys::In(wrong), GoalId::NEVER));
            }
        }
        object.min = self.count(schema, "minProperties")?.unwrap_or(0);
        object.max = self.count(schema, "maxProperties")?.filter(|&max| max <= MOST);
        if object.min > 0 || object.max.is_some() {
            object.counted = Some(schema.id);
        }
        Ok(object)
    }

    fn key_list(&self, schema: Schema<'a>, keyword: &str, list: &'a Value) -> Result<Vec<&'a str>, Stop> {
        let Value::Array(list) = list else {
            return Err(self.invalid(schema, keyword, "it is not a list of keys"));
        };
        let keys: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
        keys.ok_or_else(|| self.invalid(schema, keyword, "a key is a string"))
    }
}

/// The keys that a schema requires, where it says nothing else: as a dependent schema, it is a list of keys.
pub(crate) fn only_required(schema: &Value) -> Option<&[Value]> {
    let schema = schema.as_object()?;
    let Value::Array(list) = schema.get("required")? else { return None };
    schema.keys().all(|name| name == "required" || is_known_annotation(name)).then_some(list)
}

/// Has the object have all these keys.
fn require(object: &mut Object, keys: Vec<&str>) {
    let mut places = object.places();
    for key in keys {
        match places.get(key) {
            Some(&place) => object.properties[place].required = true,
            None => {
                let key: Text = key.into();
                places.insert(key.clone(), object.properties.len());
                object.properties.push(Property { key, goal: GoalId::ANY, required: true });
            }
        }
    }
}
