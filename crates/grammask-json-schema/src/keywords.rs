//! The keywords that assert something of a value itself: its type, and what it is as a number, a string, an array or an object.

use std::rc::Rc;

use serde_json::Value;

use crate::error::Reason;
use crate::expand::Schema;
use crate::goals::GoalId;
use crate::languages::LanguageId;
use crate::pattern::PatternError;
use crate::translator::{Stop, Translator};
use crate::values::{Array, Contains, EvaluatedItems, Expressions, Keys, Known, Object, Property, Values};
use crate::{AdditionalProperties, Draft, Formats, format, number, pattern};

/// Keywords that a document is never held to.
const ANNOTATIONS: &[&str] = &[
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$id",
    "$recursiveAnchor",
    "$schema",
    "$vocabulary",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "examples",
    "id",
    "readOnly",
    "title",
    "writeOnly",
];

/// Keywords that a document is held to, or that say something to one that is.
const ASSERTIONS: &[&str] = &[
    "$dynamicRef",
    "$recursiveRef",
    "$ref",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "required",
    "then",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
];

/// Keywords of the validation vocabulary.
const VALIDATION: &[&str] = &[
    "const",
    "dependentRequired",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "required",
    "type",
    "uniqueItems",
];

/// Whether a keyword belongs to the validation vocabulary.
pub(crate) fn is_validation(name: &str) -> bool {
    VALIDATION.binary_search(&name).is_ok()
}

/// Whether no document is held to a keyword. Keywords that the standard does not know are annotations.
pub(crate) fn is_annotation(name: &str) -> bool {
    ASSERTIONS.binary_search(&name).is_err()
}

/// The greatest count that a grammar can say; more than that is no limit for any document that is ever written.
const MOST: u64 = 1_000_000_000;

/// What the rules of regular expressions do not see.
const NOT_OF_EXPRESSIONS: &str = "references of a regular expression to its groups, the order of long numbers of a quantifier, \
     and the order of a class's range outside of ASCII are not asserted";

impl<'a> Translator<'a> {
    /// The values that a schema's own assertions allow.
    pub fn assertions(&mut self, schema: Schema<'a>) -> Result<Values, Stop> {
        for name in schema.entries.keys() {
            if is_annotation(name) && ANNOTATIONS.binary_search(&name.as_str()).is_err() {
                self.note(schema.id, name, "an unknown keyword is an annotation");
            }
        }
        let mut values = self.types(schema)?;
        if let Some(list) = schema.get("enum") {
            let Value::Array(list) = list else {
                return Err(self.invalid(schema, "enum", "it is not a list of values"));
            };
            let listed = self.values_among(list)?;
            values = self.intersect(&values, &listed)?;
        }
        if let Some(constant) = schema.get("const").filter(|_| schema.draft >= Draft::Draft6) {
            let constant = self.values_among(std::slice::from_ref(constant))?;
            values = self.intersect(&values, &constant)?;
        }
        if values.number != LanguageId::NONE {
            let number = self.numbers(schema)?;
            values.number = self.both_numbers(values.number, number);
        }
        if values.string != LanguageId::NONE {
            let string = self.strings(schema)?;
            values = self.intersect(&values, &Values { string, ..Values::any(self.any_number) })?;
            if self.asserts_format() && schema.get("format").and_then(Value::as_str) == Some("regex") {
                let expressions = Values {
                    string: LanguageId::NONE,
                    expressions: Expressions::All,
                    ..Values::any(self.any_number)
                };
                values = self.intersect(&values, &expressions)?;
                if values.expressions != Expressions::None {
                    self.note(schema.id, "format", NOT_OF_EXPRESSIONS);
                }
            }
        }
        if !values.arrays.is_empty() {
            let arrays = self.arrays(schema)?;
            let arrays =
                Values { arrays: arrays.into_iter().map(Rc::new).collect(), ..Values::any(self.any_number) };
            values = self.intersect(&values, &arrays)?;
        }
        if !values.objects.is_empty() {
            let objects = vec![Rc::new(self.objects(schema)?)];
            let objects = Values { objects, ..Values::any(self.any_number) };
            values = self.intersect(&values, &objects)?;
        }
        Ok(values)
    }

    fn types(&mut self, schema: Schema<'a>) -> Result<Values, Stop> {
        let names = match schema.get("type") {
            None => return Ok(Values::any(self.any_number)),
            Some(name @ Value::String(_)) => std::slice::from_ref(name),
            Some(Value::Array(names)) => &names[..],
            Some(_) => return Err(self.invalid(schema, "type", "it is neither a name nor a list of names")),
        };
        let mut values = Values::NONE;
        for name in names {
            match name.as_str() {
                Some("null") => values.null = true,
                Some("boolean") => values.booleans = [true; 2],
                Some("number") => values.number = self.any_number,
                // In draft 4 an integer is a number without fraction and exponent.
                Some("integer") if values.number == LanguageId::NONE => {
                    values.number = match schema.draft {
                        Draft::Draft4 => number::digits(&mut self.languages),
                        _ => number::integer(&mut self.languages),
                    };
                }
                Some("integer") => {}
                Some("string") => values.string = LanguageId::ANY,
                Some("array") => values.arrays = vec![Rc::new(Array::any())],
                Some("object") => values.objects = vec![Rc::new(Object::any())],
                _ => return Err(self.invalid(schema, "type", &format!("{name} is no type"))),
            }
        }
        Ok(values)
    }

    fn numbers(&mut self, schema: Schema<'a>) -> Result<LanguageId, Stop> {
        let mut parts: Vec<LanguageId> = Vec::new();
        for (keyword, exclusive, is_least) in
            [("minimum", "exclusiveMinimum", true), ("maximum", "exclusiveMaximum", false)]
        {
            // Draft 4 has a boolean beside the bound, later drafts a bound of its own.
            let is_exclusive = schema.get(exclusive) == Some(&Value::Bool(true));
            for (keyword, is_exclusive) in [(keyword, is_exclusive), (exclusive, true)] {
                let bound = match schema.get(keyword) {
                    None | Some(Value::Bool(_)) => continue,
                    Some(Value::Number(bound)) => self.decimal(bound)?,
                    Some(_) => return Err(self.invalid(schema, keyword, "it is not a number")),
                };
                let languages = &mut self.languages;
                parts.push(match is_least {
                    true => number::at_least(languages, &bound, is_exclusive),
                    false => number::at_most(languages, &bound, is_exclusive),
                });
            }
        }
        if let Some(of) = schema.get("multipleOf") {
            let Value::Number(of) = of else {
                return Err(self.invalid(schema, "multipleOf", "it is not a number"));
            };
            let of = self.decimal(of)?;
            if of.is_zero() || of.is_negative() {
                return Err(self.invalid(schema, "multipleOf", "it is not greater than 0"));
            }
            if number::has_multiples(&of) {
                parts.push(number::multiple_of(&mut self.languages, &of));
                // Once such multiples are among the numbers, differences are exact among their spellings only.
                let among = number::among_multiples(&mut self.languages, &of);
                if among != self.constrained_number {
                    self.constrained_number = number::plain(&mut self.languages);
                }
            } else {
                self.refuse(schema.id, "multipleOf", "the number has too many digits")?;
            }
        }
        if parts.is_empty() {
            return Ok(self.any_number);
        }
        // All of them are within these spellings, unless they are fewer.
        let constrained = number::constrained(&mut self.languages);
        if self.constrained_number != constrained {
            parts.push(self.constrained_number);
        }
        Ok(self.languages.and(parts))
    }

    fn strings(&mut self, schema: Schema<'a>) -> Result<LanguageId, Stop> {
        let mut parts: Vec<LanguageId> = Vec::new();
        let min = self.count(schema, "minLength")?;
        let max = self.count(schema, "maxLength")?;
        if min.is_some() || max.is_some() {
            let (min, max) = (min.unwrap_or(0).min(MOST), max.filter(|&max| max <= MOST));
            if max.is_some_and(|max| min > max) {
                return Ok(LanguageId::NONE);
            }
            parts.push(self.languages.length(min as u32, max.map(|max| max as u32)));
        }
        if let Some(source) = schema.get("pattern") {
            let Value::String(source) = source else {
                return Err(self.invalid(schema, "pattern", "it is not a string"));
            };
            parts.push(self.pattern(schema, "pattern", source)?.unwrap_or(LanguageId::ANY));
        }
        if let Some(name) = schema.get("format") {
            let Value::String(name) = name else {
                return Err(self.invalid(schema, "format", "it is not a string"));
            };
            let language = match self.asserts_format() {
                true => format::format(&mut self.languages, name, schema.draft),
                false => None,
            };
            match language {
                Some(language) => parts.push(language),
                // Their texts are no regular set: see `assertions`.
                None if name == "regex" && self.asserts_format() => {}
                None if name == "idn-hostname" && self.asserts_format() => {
                    let reason = "which labels of a host name are international ones, as Unicode says";
                    self.refuse(schema.id, "format", reason)?;
                }
                None => self.note(schema.id, "format", format!("the format '{name}' is an annotation")),
            }
        }
        Ok(self.languages.and(parts))
    }

    fn asserts_format(&self) -> bool {
        self.config.formats == Formats::Asserted
    }

    /// The texts in which a pattern is found; nothing where it was left out.
    fn pattern(
        &mut self,
        schema: Schema<'a>,
        keyword: &str,
        source: &str,
    ) -> Result<Option<LanguageId>, Stop> {
        match pattern::pattern(&mut self.languages, source) {
            Ok(language) => Ok(Some(language)),
            Err(PatternError::Invalid { offset, message }) => {
                let what =
                    format!("the pattern is no regular expression of ECMA-262: {message}, at byte {offset}");
                Err(self.invalid(schema, keyword, &what))
            }
            Err(PatternError::Unsupported { offset, message }) => {
                self.spend(1)?;
                self.refuse(schema.id, keyword, format!("{message}, at byte {offset} of the pattern"))?;
                Ok(None)
            }
        }
    }

    /// A number of characters, items or properties.
    fn count(&self, schema: Schema<'a>, keyword: &str) -> Result<Option<u64>, Stop> {
        let Some(value) = schema.get(keyword) else { return Ok(None) };
        let whole = |number: f64| (number >= 0.0 && number.fract() == 0.0).then_some(number as u64);
        match value.as_u64().or_else(|| value.as_f64().and_then(whole)) {
            Some(count) => Ok(Some(count)),
            None => Err(self.invalid(schema, keyword, "it is no whole number from 0 on")),
        }
    }

    fn arrays(&mut self, schema: Schema<'a>) -> Result<Option<Array>, Stop> {
        let mut array = Array::any();
        // Tuples are `items` up to 2019-09, and `prefixItems` since then.
        let (tuple, rest) = match schema.get("items") {
            Some(Value::Array(_)) => ("items", "additionalItems"),
            _ if schema.draft >= Draft::Draft202012 => ("prefixItems", "items"),
            _ => ("", "items"),
        };
        let mut evaluated = EvaluatedItems::none();
        if let Some(Value::Array(list)) = schema.get(tuple) {
            for place in 0..list.len() {
                array.prefix.push(self.child(schema, &[tuple, &place.to_string()])?);
            }
            evaluated.first = Some(list.len());
        }
        if schema.entries.contains_key(rest) {
            array.rest = self.child(schema, &[rest])?;
            evaluated.first = None;
        }
        array.min = self.count(schema, "minItems")?.unwrap_or(0);
        array.max = self.count(schema, "maxItems")?.filter(|&max| max <= MOST);
        if array.min > MOST {
            return Err(self.error(schema.id, "minItems", Reason::Limit { limit: "items", value: MOST }));
        }
        if schema.entries.contains_key("contains") && schema.draft >= Draft::Draft6 {
            let goal = self.child(schema, &["contains"])?;
            let counted = schema.draft >= Draft::Draft201909;
            let min = if counted { self.count(schema, "minContains")?.unwrap_or(1) } else { 1 };
            let max = if counted { self.count(schema, "maxContains")? } else { None };
            if min > MOST {
                let reason = Reason::Limit { limit: "items", value: MOST };
                return Err(self.error(schema.id, "minContains", reason));
            }
            let max = max.filter(|&max| max <= MOST);
            array.contains.push(Contains { goal, from: 0, min, max, place: schema.id });
            if schema.draft >= Draft::Draft202012 {
                evaluated.matching.push(goal);
            }
        }
        if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
            array.unique = Some(schema.id);
        }
        if self.asks_evaluated {
            array.evaluated = Some(evaluated);
        }
        Ok(array.settle().then_some(array))
    }

    fn objects(&mut self, schema: Schema<'a>) -> Result<Object, Stop> {
        let mut object = Object::any();
        let mut known = Known::default();
        let mut evaluated: Vec<Keys> = Vec::new();
        if let Some(properties) = schema.get("properties") {
            let Value::Object(properties) = properties else {
                return Err(self.invalid(schema, "properties", "it is not an object"));
            };
            for key in properties.keys() {
                let goal = self.child(schema, &["properties", key])?;
                let key: Rc<str> = key.as_str().into();
                known.names.insert(Rc::clone(&key));
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
        if schema.entries.contains_key("additionalProperties") {
            others = self.child(schema, &["additionalProperties"])?;
            all = true;
        } else if self.config.additional_properties == AdditionalProperties::Closed
            && schema.entries.contains_key("properties")
        {
            others = GoalId::NEVER;
            all = true;
        }
        if self.asks_evaluated {
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
        for keyword in ["dependentRequired", "dependencies"] {
            if keyword == "dependentRequired" && schema.draft < Draft::Draft201909 {
                continue;
            }
            let Some(Value::Object(entries)) = schema.get(keyword) else { continue };
            for (first, seconds) in entries {
                let seconds = match seconds {
                    Value::String(_) => std::slice::from_ref(seconds),
                    Value::Array(list) => &list[..],
                    _ => continue,
                };
                for second in seconds {
                    let Value::String(second) = second else {
                        return Err(self.invalid(schema, keyword, "a key is a string"));
                    };
                    object.needs.push((first.as_str().into(), second.as_str().into()));
                }
            }
        }
        if schema.entries.contains_key("propertyNames") && schema.draft >= Draft::Draft6 {
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

    /// Holds what no other keyword has evaluated to `unevaluatedProperties` and `unevaluatedItems`.
    pub fn unevaluated(&mut self, schema: Schema<'a>, mut values: Values) -> Result<Values, Stop> {
        if schema.draft < Draft::Draft201909 {
            return Ok(values);
        }
        if schema.entries.contains_key("unevaluatedProperties") {
            let goal = self.child(schema, &["unevaluatedProperties"])?;
            let mut objects = Vec::with_capacity(values.objects.len());
            for object in &values.objects {
                let keys = object.evaluated.clone().unwrap_or_default();
                let languages: Vec<LanguageId> = keys.iter().map(|keys| self.key_language(keys)).collect();
                let mut object = Object::clone(object);
                if goal != GoalId::ANY && !languages.contains(&LanguageId::ANY) {
                    let known = Known { languages, ..Known::default() };
                    object.rules.push((Keys::Others(Rc::new(known)), goal));
                }
                object.evaluated = Some(vec![Keys::In(LanguageId::ANY)]);
                objects.push(Rc::new(object));
            }
            values.objects = objects;
        }
        if schema.entries.contains_key("unevaluatedItems") {
            let goal = self.child(schema, &["unevaluatedItems"])?;
            let mut arrays = Vec::with_capacity(values.arrays.len());
            for array in &values.arrays {
                let evaluated = array.evaluated.clone().unwrap_or(EvaluatedItems::none());
                let mut array = Array::clone(array);
                if let Some(first) = evaluated.first {
                    let goal =
                        evaluated.matching.iter().fold(goal, |goal, &other| self.goals.either(goal, other));
                    while array.prefix.len() < first {
                        array.prefix.push(array.rest);
                    }
                    for place in first..array.prefix.len() {
                        array.prefix[place] = self.goals.both(array.prefix[place], goal);
                    }
                    array.rest = self.goals.both(array.rest, goal);
                }
                array.evaluated = Some(EvaluatedItems { first: None, matching: Vec::new() });
                if array.settle() {
                    arrays.push(Rc::new(array));
                }
            }
            values.arrays = arrays;
        }
        Ok(values)
    }
}

/// Has the object have all these keys.
fn require(object: &mut Object, keys: Vec<&str>) {
    let mut places = object.places();
    for key in keys {
        match places.get(key) {
            Some(&place) => object.properties[place].required = true,
            None => {
                let key: Rc<str> = key.into();
                places.insert(Rc::clone(&key), object.properties.len());
                object.properties.push(Property { key, goal: GoalId::ANY, required: true });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_keywords_are_sorted() {
        assert!(ANNOTATIONS.is_sorted() && ASSERTIONS.is_sorted() && VALIDATION.is_sorted());
    }
}
