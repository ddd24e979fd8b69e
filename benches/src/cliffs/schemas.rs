//! Random schemas by families of keywords, combined as real ones combine them.

use serde_json::{Map, Value, json};

use crate::input::random::Random;

/// Depth of subschemas below which only scalars occur.
const MAX_DEPTH: usize = 4;

const NUMBERS: [u64; 16] = [2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 25, 33, 64, 77];
const STEPS: [f64; 5] = [0.01, 0.1, 0.25, 0.5, 1.5];
const COUNTS: [u64; 8] = [1, 2, 3, 5, 8, 20, 60, 500];
const FORMATS: [&str; 14] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "uuid",
    "json-pointer",
];
const ATOMS: [&str; 22] = [
    "a",
    "b",
    "ab",
    "[a-z]",
    "[A-Za-z0-9_]",
    "\\d",
    "\\w",
    ".",
    "[^/]",
    "-",
    "/",
    "(?:ab|c)",
    "[0-9a-f]",
    "\\s",
    "x",
    "https?://",
    "\\p{L}",
    "[^\\x00-\\x1f]",
    "(?:/\\w+)",
    "\\.",
    "_v\\d",
    "(?!x)",
];
const QUANTIFIERS: [&str; 10] = ["", "", "", "*", "+", "?", "{2,5}", "{12}", "{1,40}", "{3,}"];
const KEYS: [&str; 10] = ["a", "b", "id", "name", "type", "kind", "value", "items", "x-y", "né"];

/// Returns a random schema.
pub fn schema(random: &mut Random) -> Value {
    let mut schema = subschema(random, 0);
    if random.chance(300) {
        let definition = subschema(random, 1);
        if let Value::Object(members) = &mut schema {
            members.insert("$defs".to_owned(), json!({ "d": definition }));
        }
    }
    schema
}

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.below(from.len())]
}

/// Returns a random regular expression, as patterns of schemas have them.
pub fn pattern(random: &mut Random) -> String {
    let mut pattern = String::new();
    let is_anchored = random.chance(500);
    pattern.push_str(if is_anchored { "^" } else { "" });
    for _ in 0..=random.below(5) {
        let (atom, quantifier) = (pick(random, &ATOMS), pick(random, &QUANTIFIERS));
        pattern.push_str(atom);
        pattern.push_str(if atom.starts_with("(?!") { "" } else { quantifier_for(atom, quantifier) });
    }
    if random.chance(200) {
        let (left, right) = (pick(random, &ATOMS[..8]), pick(random, &ATOMS[..8]));
        pattern = format!("(?:{pattern}|{left}{right}){}", pick(random, &QUANTIFIERS));
    }
    pattern.push_str(if random.chance(400) { "$" } else { "" });
    pattern
}

/// Leaves the quantifier out after an atom of several characters without a group.
fn quantifier_for<'a>(atom: &str, quantifier: &'a str) -> &'a str {
    if ["ab", "https?://", "_v\\d"].contains(&atom) { "" } else { quantifier }
}

fn subschema(random: &mut Random, depth: usize) -> Value {
    let mut members = Map::new();
    let is_deep = depth >= MAX_DEPTH;
    match random.below(if is_deep { 4 } else { 12 }) {
        0 => numbers(random, &mut members),
        1 => strings(random, &mut members),
        2 => return json!({ "enum": values(random) }),
        3 => {
            return if random.chance(300) {
                json!({"$ref": pick(random, &["#", "#/$defs/d"])})
            } else {
                scalar(random)
            };
        }
        4 | 5 => objects(random, depth, &mut members),
        6 => arrays(random, depth, &mut members),
        7 => tagged(random, depth, &mut members),
        8 => {
            let keyword = pick(random, &["anyOf", "oneOf", "allOf"]);
            members.insert(keyword.to_owned(), list(random, depth));
            if random.chance(500) {
                scalars_of(random, &mut members);
            }
        }
        9 => {
            scalars_of(random, &mut members);
            members.insert("not".to_owned(), subschema(random, depth + 1));
            if random.chance(500) {
                members.insert("allOf".to_owned(), list(random, depth));
            }
        }
        10 => {
            objects(random, depth, &mut members);
            members.insert("if".to_owned(), subschema(random, depth + 1));
            members.insert("then".to_owned(), subschema(random, depth + 1));
            members.insert("else".to_owned(), subschema(random, depth + 1));
        }
        _ => {
            objects(random, depth, &mut members);
            members.insert(pick(random, &["anyOf", "allOf"]).to_owned(), list(random, depth));
            let value = if random.chance(500) { json!(false) } else { subschema(random, depth + 1) };
            members.insert("unevaluatedProperties".to_owned(), value);
        }
    }
    Value::Object(members)
}

fn list(random: &mut Random, depth: usize) -> Value {
    (0..2 + random.below(4)).map(|_| subschema(random, depth + 1)).collect()
}

/// Adds the keywords of numbers or of strings.
fn scalars_of(random: &mut Random, members: &mut Map<String, Value>) {
    if random.chance(500) { numbers(random, members) } else { strings(random, members) }
}

fn scalar(random: &mut Random) -> Value {
    json!({ "type": pick(random, &["string", "integer", "number", "boolean", "null"]) })
}

fn values(random: &mut Random) -> Value {
    let value = |random: &mut Random| match random.below(4) {
        0 => json!(pick(random, &NUMBERS)),
        1 => json!(pick(random, &STEPS)),
        2 => json!({ pick(random, &KEYS): pick(random, &NUMBERS) }),
        _ => json!(format!("{}{}", pick(random, &KEYS), pick(random, &KEYS))),
    };
    (0..=random.below(8)).map(|_| value(random)).collect()
}

fn numbers(random: &mut Random, members: &mut Map<String, Value>) {
    members.insert("type".to_owned(), json!(pick(random, &["integer", "number"])));
    if random.chance(500) {
        let step =
            if random.chance(700) { json!(pick(random, &NUMBERS)) } else { json!(pick(random, &STEPS)) };
        members.insert("multipleOf".to_owned(), step);
    }
    if random.chance(400) {
        members.insert("minimum".to_owned(), json!(-(pick(random, &COUNTS) as i64) * 37));
    }
    if random.chance(400) {
        members.insert("exclusiveMaximum".to_owned(), json!(pick(random, &COUNTS) * 1001));
    }
}

fn strings(random: &mut Random, members: &mut Map<String, Value>) {
    members.insert("type".to_owned(), json!("string"));
    if random.chance(600) {
        members.insert("pattern".to_owned(), json!(pattern(random)));
    }
    if random.chance(300) {
        members.insert("maxLength".to_owned(), json!(pick(random, &COUNTS) + 2));
    }
    if random.chance(200) {
        members.insert("minLength".to_owned(), json!(pick(random, &COUNTS[..5])));
    }
    if random.chance(200) {
        members.insert("format".to_owned(), json!(pick(random, &FORMATS)));
    }
}

fn objects(random: &mut Random, depth: usize, members: &mut Map<String, Value>) {
    members.insert("type".to_owned(), json!("object"));
    let mut properties = Map::new();
    for _ in 0..random.below(5) {
        properties.insert(pick(random, &KEYS).to_owned(), subschema(random, depth + 1));
    }
    let required: Vec<String> = properties.keys().filter(|_| random.chance(500)).cloned().collect();
    members.insert("properties".to_owned(), Value::Object(properties));
    members.insert("required".to_owned(), json!(required));
    if random.chance(250) {
        let mut patterns = Map::new();
        for _ in 0..=random.below(3) {
            patterns.insert(pattern(random), subschema(random, depth + 1));
        }
        members.insert("patternProperties".to_owned(), Value::Object(patterns));
    }
    match random.below(5) {
        0 | 1 => _ = members.insert("additionalProperties".to_owned(), json!(false)),
        2 => _ = members.insert("additionalProperties".to_owned(), subschema(random, depth + 1)),
        _ => {}
    }
    if random.chance(100) {
        members.insert("propertyNames".to_owned(), json!({ "pattern": pattern(random) }));
    }
    if random.chance(100) {
        members.insert("maxProperties".to_owned(), json!(pick(random, &COUNTS[..6])));
    }
    if random.chance(100) {
        let key = pick(random, &KEYS);
        members.insert("dependentSchemas".to_owned(), json!({ key: subschema(random, depth + 1) }));
    }
}

fn arrays(random: &mut Random, depth: usize, members: &mut Map<String, Value>) {
    members.insert("type".to_owned(), json!("array"));
    members.insert("items".to_owned(), subschema(random, depth + 1));
    if random.chance(200) {
        let first: Value = (0..=random.below(3)).map(|_| subschema(random, depth + 1)).collect();
        members.insert("prefixItems".to_owned(), first);
    }
    if random.chance(200) {
        members.insert("contains".to_owned(), subschema(random, depth + 1));
    }
    if random.chance(200) {
        members.insert("uniqueItems".to_owned(), json!(true));
    }
    for keyword in ["minItems", "maxItems"] {
        if random.chance(300) {
            members.insert(keyword.to_owned(), json!(pick(random, &COUNTS[..6])));
        }
    }
}

/// Adds a union of objects that a key tells apart.
fn tagged(random: &mut Random, depth: usize, members: &mut Map<String, Value>) {
    let branches = 2 + random.below(6);
    let branch = |random: &mut Random, number: usize| {
        let mut branch = Map::new();
        objects(random, depth + 1, &mut branch);
        let tag = if random.chance(500) {
            json!({"const": number})
        } else {
            json!({"enum": [format!("k{number}")]})
        };
        branch["properties"]["type"] = tag;
        if random.chance(700) {
            branch.insert("required".to_owned(), json!(["type"]));
        }
        Value::Object(branch)
    };
    let list: Value = (0..branches).map(|number| branch(random, number)).collect();
    members.insert(pick(random, &["oneOf", "anyOf"]).to_owned(), list);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cliffs::Input;
    use crate::cliffs::kinds::Kind;

    #[test]
    fn schemas_are_of_many_kinds_and_repeat_with_their_seed() {
        let mut kinds = BTreeSet::new();
        for seed in 0..300 {
            let made = schema(&mut Random::new(seed));
            assert_eq!(made, schema(&mut Random::new(seed)));
            kinds.insert(Kind::of(&Input::Schema(made)));
        }
        assert!(kinds.len() > 50, "{}", kinds.len());
    }
}
