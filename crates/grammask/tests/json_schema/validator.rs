//! Which documents a schema calls valid, word for word as the standard says it (draft 2020-12): small, slow,
//! and made without any thought of grammars.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// A pattern, and which texts have it.
pub type Pattern = (&'static str, fn(&str) -> bool);

/// The patterns that schemas may have here.
pub const PATTERNS: &[Pattern] = &[
    ("^a", |text| text.starts_with('a')),
    ("b$", |text| text.ends_with('b')),
    ("a", |text| text.contains('a')),
    ("^[ab]*$", |text| text.chars().all(|char| matches!(char, 'a' | 'b'))),
    ("^(?!a)", |text| !text.starts_with('a')),
    ("^.{1,2}$", |text| (1..=2).contains(&text.chars().count()) && !text.contains('\n')),
    ("^(a|b|ab)$", |text| matches!(text, "a" | "b" | "ab")),
    ("[^a-c]", |text| text.chars().any(|char| !matches!(char, 'a'..='c'))),
];

/// The parts of a valid value that a keyword has evaluated.
#[derive(Clone, Debug, Default)]
struct Evaluated {
    keys: BTreeSet<String>,
    items: BTreeSet<usize>,
}

impl Evaluated {
    fn add(&mut self, other: Self) {
        self.keys.extend(other.keys);
        self.items.extend(other.items);
    }
}

/// Whether a document is valid. References are `#` and `#/$defs/name`.
pub fn is_valid(schema: &Value, document: &Value) -> bool {
    check(schema, schema, document).is_some()
}

/// Whether two values are equal: numbers by their value, objects without regard to order.
pub fn is_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let same = |(key, a): (&String, &Value)| b.get(key).is_some_and(|b| is_equal(a, b));
            a.len() == b.len() && a.iter().all(same)
        }
        _ => a == b,
    }
}

fn has_type(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => panic!("no type: {name}"),
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    let (_, meaning) = PATTERNS.iter().find(|(known, _)| *known == pattern).expect("a pattern of the table");
    meaning(text)
}

/// Returns the evaluated parts if the value is valid, and `None` otherwise.
fn check(root: &Value, schema: &Value, value: &Value) -> Option<Evaluated> {
    let schema = match schema {
        Value::Bool(truth) => return truth.then(Evaluated::default),
        Value::Object(schema) => schema,
        _ => panic!("no schema: {schema}"),
    };
    if !assertions(schema, value) {
        return None;
    }
    let mut evaluated = Evaluated::default();
    match value {
        Value::Array(items) => array(root, schema, items, &mut evaluated)?,
        Value::Object(entries) => object(root, schema, entries, &mut evaluated)?,
        _ => {}
    }
    in_place(root, schema, value, &mut evaluated)?;
    match value {
        Value::Array(items) => {
            if let Some(schema) = schema.get("unevaluatedItems") {
                for (place, item) in items.iter().enumerate() {
                    if evaluated.items.insert(place) {
                        check(root, schema, item)?;
                    }
                }
            }
        }
        Value::Object(entries) => {
            if let Some(schema) = schema.get("unevaluatedProperties") {
                for (key, value) in entries {
                    if evaluated.keys.insert(key.clone()) {
                        check(root, schema, value)?;
                    }
                }
            }
        }
        _ => {}
    }
    Some(evaluated)
}

/// The keywords that need no other schema.
fn assertions(schema: &Map<String, Value>, value: &Value) -> bool {
    let number = |keyword: &str| schema.get(keyword).map(|value| value.as_f64().expect("a number"));
    let mut holds = match schema.get("type") {
        None => true,
        Some(Value::String(name)) => has_type(name, value),
        Some(names) => names.as_array().unwrap().iter().any(|name| has_type(name.as_str().unwrap(), value)),
    };
    holds &= schema.get("const").is_none_or(|constant| is_equal(constant, value));
    holds &=
        schema.get("enum").is_none_or(|list| list.as_array().unwrap().iter().any(|one| is_equal(one, value)));
    match value {
        Value::Number(value) => {
            let value = value.as_f64().unwrap();
            holds &= number("minimum").is_none_or(|bound| value >= bound);
            holds &= number("maximum").is_none_or(|bound| value <= bound);
            holds &= number("exclusiveMinimum").is_none_or(|bound| value > bound);
            holds &= number("exclusiveMaximum").is_none_or(|bound| value < bound);
            holds &= number("multipleOf").is_none_or(|of| (value / of).fract() == 0.0);
        }
        Value::String(text) => {
            let len = text.chars().count() as f64;
            holds &= number("minLength").is_none_or(|bound| len >= bound);
            holds &= number("maxLength").is_none_or(|bound| len <= bound);
            holds &= schema.get("pattern").is_none_or(|pattern| matches(pattern.as_str().unwrap(), text));
        }
        Value::Array(items) => {
            let len = items.len() as f64;
            holds &= number("minItems").is_none_or(|bound| len >= bound);
            holds &= number("maxItems").is_none_or(|bound| len <= bound);
            if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
                let is_new =
                    |place: usize| !items[..place].iter().any(|other| is_equal(other, &items[place]));
                holds &= (0..items.len()).all(is_new);
            }
        }
        Value::Object(entries) => {
            let len = entries.len() as f64;
            holds &= number("minProperties").is_none_or(|bound| len >= bound);
            holds &= number("maxProperties").is_none_or(|bound| len <= bound);
            let has_all = |keys: &Value| {
                keys.as_array().unwrap().iter().all(|key| entries.contains_key(key.as_str().unwrap()))
            };
            holds &= schema.get("required").is_none_or(has_all);
            if let Some(Value::Object(dependent)) = schema.get("dependentRequired") {
                holds &= dependent.iter().all(|(key, keys)| !entries.contains_key(key) || has_all(keys));
            }
        }
        _ => {}
    }
    holds
}

/// The keywords that apply schemas to items.
fn array(
    root: &Value,
    schema: &Map<String, Value>,
    items: &[Value],
    evaluated: &mut Evaluated,
) -> Option<()> {
    let mut first = 0;
    if let Some(Value::Array(prefix)) = schema.get("prefixItems") {
        for (place, (item, schema)) in items.iter().zip(prefix).enumerate() {
            check(root, schema, item)?;
            evaluated.items.insert(place);
        }
        first = prefix.len();
    }
    if let Some(schema) = schema.get("items") {
        for (place, item) in items.iter().enumerate().skip(first) {
            check(root, schema, item)?;
            evaluated.items.insert(place);
        }
    }
    if let Some(contained) = schema.get("contains") {
        let found: Vec<usize> =
            (0..items.len()).filter(|&place| check(root, contained, &items[place]).is_some()).collect();
        let bound = |keyword: &str| schema.get(keyword).map(|bound| bound.as_u64().unwrap() as usize);
        if found.len() < bound("minContains").unwrap_or(1)
            || bound("maxContains").is_some_and(|bound| found.len() > bound)
        {
            return None;
        }
        evaluated.items.extend(found);
    }
    Some(())
}

/// The keywords that apply schemas to keys and to values of properties.
fn object(
    root: &Value,
    schema: &Map<String, Value>,
    entries: &Map<String, Value>,
    evaluated: &mut Evaluated,
) -> Option<()> {
    for (key, value) in entries {
        let mut is_additional = true;
        if let Some(schema) = schema.get("properties").and_then(|properties| properties.get(key)) {
            check(root, schema, value)?;
            is_additional = false;
        }
        if let Some(Value::Object(patterns)) = schema.get("patternProperties") {
            for (_, schema) in patterns.iter().filter(|(pattern, _)| matches(pattern, key)) {
                check(root, schema, value)?;
                is_additional = false;
            }
        }
        if !is_additional {
            evaluated.keys.insert(key.clone());
        } else if let Some(schema) = schema.get("additionalProperties") {
            check(root, schema, value)?;
            evaluated.keys.insert(key.clone());
        }
        if let Some(schema) = schema.get("propertyNames") {
            check(root, schema, &Value::String(key.clone()))?;
        }
    }
    Some(())
}

/// The keywords that apply schemas to the same value.
fn in_place(
    root: &Value,
    schema: &Map<String, Value>,
    value: &Value,
    evaluated: &mut Evaluated,
) -> Option<()> {
    if let Some(Value::String(reference)) = schema.get("$ref") {
        let target = root.pointer(reference.strip_prefix('#').expect("a pointer")).expect("a schema");
        evaluated.add(check(root, target, value)?);
    }
    let branches = |keyword: &str| -> Option<Vec<Option<Evaluated>>> {
        let branches = schema.get(keyword)?.as_array().unwrap();
        Some(branches.iter().map(|branch| check(root, branch, value)).collect())
    };
    for outcome in branches("allOf").unwrap_or_default() {
        evaluated.add(outcome?);
    }
    if let Some(outcomes) = branches("anyOf") {
        if outcomes.iter().all(Option::is_none) {
            return None;
        }
        outcomes.into_iter().flatten().for_each(|outcome| evaluated.add(outcome));
    }
    if let Some(outcomes) = branches("oneOf") {
        let mut right = outcomes.into_iter().flatten();
        evaluated.add(right.next()?);
        if right.next().is_some() {
            return None;
        }
    }
    if schema.get("not").is_some_and(|schema| check(root, schema, value).is_some()) {
        return None;
    }
    if let Some(condition) = schema.get("if") {
        let outcome = check(root, condition, value);
        let consequence = if outcome.is_some() { "then" } else { "else" };
        evaluated.add(outcome.unwrap_or_default());
        if let Some(schema) = schema.get(consequence) {
            evaluated.add(check(root, schema, value)?);
        }
    }
    if let (Some(Value::Object(dependent)), Value::Object(entries)) = (schema.get("dependentSchemas"), value)
    {
        for (_, schema) in dependent.iter().filter(|(key, _)| entries.contains_key(*key)) {
            evaluated.add(check(root, schema, value)?);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::is_valid;

    #[test]
    fn the_validator_itself() {
        let schema = json!({
            "properties": {"a": {"multipleOf": 0.5}},
            "anyOf": [{"required": ["a"]}, {"properties": {"b": {"const": 1}}, "required": ["b"]}],
            "unevaluatedProperties": false,
        });
        assert!(is_valid(&schema, &json!({"a": 1.5})));
        assert!(is_valid(&schema, &json!({"b": 1.0, "a": 1})));
        assert!(!is_valid(&schema, &json!({"b": 2, "a": 1})), "b is not evaluated");
        assert!(!is_valid(&schema, &json!({"a": 1.25})));
        assert!(is_valid(&schema, &json!(7)));
        let schema =
            json!({"$ref": "#/$defs/l", "$defs": {"l": {"type": "array", "items": {"$ref": "#/$defs/l"}}}});
        assert!(is_valid(&schema, &json!([[], [[]]])));
        assert!(!is_valid(&schema, &json!([[], [1]])));
        let schema =
            json!({"contains": {"const": "a"}, "maxContains": 1, "unevaluatedItems": {"type": "null"}});
        assert!(is_valid(&schema, &json!([null, "a"])));
        assert!(!is_valid(&schema, &json!(["a", "a"])));
        assert!(!is_valid(&schema, &json!(["a", 1])));
    }
}
