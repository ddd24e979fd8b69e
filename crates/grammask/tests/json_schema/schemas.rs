//! Random schemas: all applicators in all combinations, over few keys, short texts and small numbers.

use grammask_testkit::random::Rng;
use serde_json::{Map, Value, json};

use crate::validator::PATTERNS;

/// The keys that schemas name.
pub const KEYS: &[&str] = &["a", "b", "c"];
const TYPES: &[&str] = &["null", "boolean", "number", "integer", "string", "array", "object"];
/// Number of definitions of a schema.
const DEFINITIONS: usize = 2;

/// A random schema with a few definitions, which refer to each other.
pub fn schema(rng: &mut Rng) -> Value {
    let mut root = part(rng, 3, DEFINITIONS);
    if root.is_boolean() {
        root = json!({"type": ["array", "object"], "items": root});
    }
    let definitions: Map<String, Value> =
        (0..DEFINITIONS).map(|index| (format!("d{index}"), part(rng, 2, index))).collect();
    root.as_object_mut().unwrap().insert("$defs".to_owned(), Value::Object(definitions));
    root
}

/// A value that schemas mention.
pub fn constant(rng: &mut Rng, depth: usize) -> Value {
    match rng.below(if depth > 0 { 12 } else { 10 }) {
        0 => Value::Null,
        1 => json!(rng.chance(1, 2)),
        2..=4 => number(rng),
        5..=9 => json!(text(rng)),
        10 => (0..rng.below(3)).map(|_| constant(rng, depth - 1)).collect(),
        _ => {
            let entries = (0..rng.below(3)).map(|_| ((*rng.pick(KEYS)).to_owned(), constant(rng, 0)));
            Value::Object(entries.collect())
        }
    }
}

pub fn number(rng: &mut Rng) -> Value {
    match rng.below(4) {
        0 => json!((rng.below(17) as f64 - 8.0) / 2.0),
        1 => json!(rng.below(30)),
        _ => json!(rng.below(7) as i64 - 2),
    }
}

pub fn text(rng: &mut Rng) -> &'static str {
    rng.pick::<&str>(&[
        "",
        "a",
        "b",
        "c",
        "ab",
        "aa",
        "ba",
        "abc",
        "b",
        "é",
        "a\u{1F600}",
        "\"",
        "\\/",
        "a\n",
        "bab",
    ])
}

/// Returns a schema with `depth` levels of applicators. For the same value, it refers to the first
/// definitions only.
fn part(rng: &mut Rng, depth: usize, definitions: usize) -> Value {
    if rng.chance(1, if depth == 0 { 10 } else { 25 }) {
        return Value::Bool(rng.chance(2, 3));
    }
    let mut schema = Map::new();
    if rng.chance(3, 5) {
        let count = if rng.chance(2, 3) { 1 } else { 2 };
        let types: Vec<Value> = (0..count).map(|_| json!(rng.pick(TYPES))).collect();
        let is_one = types.len() == 1 || types[0] == types[1];
        schema.insert("type".to_owned(), if is_one { types[0].clone() } else { Value::Array(types) });
    }
    for _ in 0..1 + rng.below(2) {
        match rng.below(if depth > 0 { 12 } else { 5 }) {
            0 => numbers(rng, &mut schema),
            1 => texts(rng, &mut schema),
            2 => {
                let list: Vec<Value> = (0..1 + rng.below(4)).map(|_| constant(rng, depth.min(1))).collect();
                schema.insert("enum".to_owned(), Value::Array(list));
            }
            3 => {
                schema.insert("const".to_owned(), constant(rng, depth.min(2)));
            }
            4 => {
                schema.entry("type").or_insert_with(|| json!(rng.pick(TYPES)));
            }
            5 | 6 => arrays(rng, depth, &mut schema),
            7 | 8 => objects(rng, depth, definitions, &mut schema),
            _ => applicators(rng, depth, definitions, &mut schema),
        }
    }
    Value::Object(schema)
}

/// A schema for something inside.
fn inner(rng: &mut Rng, depth: usize) -> Value {
    if rng.chance(1, 8) {
        return json!({"$ref": format!("#/$defs/d{}", rng.below(DEFINITIONS))});
    }
    part(rng, depth - 1, DEFINITIONS)
}

fn numbers(rng: &mut Rng, schema: &mut Map<String, Value>) {
    for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
        if rng.chance(1, 3) {
            schema.insert(keyword.to_owned(), number(rng));
        }
    }
    if rng.chance(1, 4) {
        schema.insert("multipleOf".to_owned(), rng.pick(&[json!(2), json!(0.5), json!(3), json!(1)]).clone());
    }
}

fn texts(rng: &mut Rng, schema: &mut Map<String, Value>) {
    if rng.chance(1, 2) {
        schema.insert("minLength".to_owned(), json!(rng.below(3)));
    }
    if rng.chance(1, 2) {
        schema.insert("maxLength".to_owned(), json!(rng.below(4)));
    }
    if rng.chance(1, 2) {
        schema.insert("pattern".to_owned(), json!(rng.pick(PATTERNS).0));
    }
}

fn arrays(rng: &mut Rng, depth: usize, schema: &mut Map<String, Value>) {
    if rng.chance(2, 5) {
        let prefix: Vec<Value> = (0..1 + rng.below(2)).map(|_| inner(rng, depth)).collect();
        schema.insert("prefixItems".to_owned(), Value::Array(prefix));
    }
    if rng.chance(3, 5) {
        schema.insert("items".to_owned(), inner(rng, depth));
    }
    if rng.chance(1, 3) {
        schema.insert("minItems".to_owned(), json!(rng.below(3)));
    }
    if rng.chance(1, 3) {
        schema.insert("maxItems".to_owned(), json!(rng.below(4)));
    }
    if rng.chance(1, 4) {
        schema.insert("contains".to_owned(), inner(rng, depth));
        if rng.chance(1, 3) {
            schema.insert("minContains".to_owned(), json!(rng.below(3)));
        }
        if rng.chance(1, 3) {
            schema.insert("maxContains".to_owned(), json!(1 + rng.below(2)));
        }
    }
    if rng.chance(1, 12) {
        let items = match rng.below(8) {
            6 => {
                let members = json!({"a": constant(rng, 0), "b": {"type": "boolean"}});
                json!({"type": "object", "properties": {"a": {"enum": [members["a"], 1]}, "b": members["b"]},
                       "additionalProperties": rng.chance(1, 2)})
            }
            // Numbers that are items themselves have fewer spellings.
            7 => json!({"type": ["array", "object", "boolean"], "items": inner(rng, depth)}),
            0 => {
                let least = rng.below(5) as i64 - 2;
                json!({"type": "integer", "minimum": least, "maximum": least + rng.below(4) as i64})
            }
            1 => json!({"type": "string", "pattern": "^(a|b|ab)$"}),
            2 => json!({"type": ["string", "null"], "minLength": rng.below(3)}),
            3 => json!({"type": "string", "pattern": "^[ab]*$"}),
            _ => {
                let list: Vec<Value> = (0..1 + rng.below(4)).map(|_| constant(rng, 0)).collect();
                json!({"enum": list})
            }
        };
        schema.insert("items".to_owned(), items);
        schema.remove("prefixItems");
        schema.remove("contains");
        schema.insert("uniqueItems".to_owned(), json!(true));
    }
    if rng.chance(1, 10) {
        schema.insert("unevaluatedItems".to_owned(), inner(rng, depth));
    }
}

fn objects(rng: &mut Rng, depth: usize, definitions: usize, schema: &mut Map<String, Value>) {
    let some_keys =
        |rng: &mut Rng| -> Vec<&str> { KEYS.iter().copied().filter(|_| rng.chance(1, 2)).collect() };
    if rng.chance(4, 5) {
        let keys = some_keys(rng);
        let properties = keys.iter().map(|key| ((*key).to_owned(), inner(rng, depth)));
        schema.insert("properties".to_owned(), Value::Object(properties.collect()));
    }
    if rng.chance(2, 5) {
        schema.insert("required".to_owned(), json!(some_keys(rng)));
    }
    if rng.chance(2, 5) {
        let others = if rng.chance(1, 2) { json!(false) } else { inner(rng, depth) };
        schema.insert("additionalProperties".to_owned(), others);
    }
    if rng.chance(1, 5) {
        let patterns = (0..1 + rng.below(2)).map(|_| (rng.pick(PATTERNS).0.to_owned(), inner(rng, depth)));
        schema.insert("patternProperties".to_owned(), Value::Object(patterns.collect()));
    }
    if rng.chance(1, 6) {
        let mut names = Map::new();
        texts(rng, &mut names);
        schema.insert("propertyNames".to_owned(), Value::Object(names));
    }
    if rng.chance(1, 6) {
        schema.insert("minProperties".to_owned(), json!(rng.below(3)));
    }
    if rng.chance(1, 6) {
        schema.insert("maxProperties".to_owned(), json!(1 + rng.below(2)));
        schema.insert("additionalProperties".to_owned(), json!(false));
    }
    if rng.chance(1, 6) {
        schema.insert("dependentRequired".to_owned(), json!({*rng.pick(KEYS): [rng.pick(KEYS)]}));
    }
    if rng.chance(1, 6) {
        let dependent = part(rng, depth - 1, definitions);
        schema.insert("dependentSchemas".to_owned(), json!({*rng.pick(KEYS): dependent}));
    }
    if rng.chance(1, 8) {
        let others = if rng.chance(1, 2) { json!(false) } else { inner(rng, depth) };
        schema.insert("unevaluatedProperties".to_owned(), others);
    }
}

fn applicators(rng: &mut Rng, depth: usize, definitions: usize, schema: &mut Map<String, Value>) {
    let one = |rng: &mut Rng| part(rng, depth - 1, definitions);
    match rng.below(6) {
        0 => {
            schema.insert("not".to_owned(), one(rng));
        }
        1 => {
            for keyword in ["if", "then", "else"] {
                if keyword == "if" || rng.chance(2, 3) {
                    schema.insert(keyword.to_owned(), one(rng));
                }
            }
        }
        2 if definitions > 0 => {
            schema.insert("$ref".to_owned(), json!(format!("#/$defs/d{}", rng.below(definitions))));
        }
        kind => {
            let keyword = ["allOf", "anyOf", "oneOf"][kind % 3];
            let branches: Vec<Value> = (0..1 + rng.below(3)).map(|_| one(rng)).collect();
            schema.insert(keyword.to_owned(), Value::Array(branches));
        }
    }
}
