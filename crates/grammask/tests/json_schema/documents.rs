//! Random documents: made after a schema, changed here and there, and spelled in all the ways that JSON has.

use grammask_testkit::random::Rng;
use serde_json::{Map, Value, json};

use crate::schemas::{KEYS, constant, number, text};

/// A document that may well obey a schema, or nearly.
pub fn document(rng: &mut Rng, root: &Value) -> Value {
    let mut document = sample(rng, root, root, 4);
    if rng.chance(1, 2) {
        change(rng, &mut document);
    }
    document
}

fn sample(rng: &mut Rng, root: &Value, schema: &Value, depth: usize) -> Value {
    let Value::Object(schema) = schema else { return any(rng, depth) };
    if depth == 0 || rng.chance(1, 20) {
        return any(rng, depth);
    }
    if let Some(constant) = schema.get("const") {
        return constant.clone();
    }
    if let Some(Value::Array(list)) = schema.get("enum") {
        return rng.pick(list).clone();
    }
    let mut document = own(rng, root, schema, depth);
    let branches =
        ["allOf", "anyOf", "oneOf"].iter().filter_map(|keyword| schema.get(*keyword)?.as_array()).flatten();
    let mut others: Vec<&Value> = branches.collect();
    others.extend(["then", "else", "if", "not"].iter().filter_map(|keyword| schema.get(*keyword)));
    if let Some(Value::String(reference)) = schema.get("$ref") {
        others.push(root.pointer(&reference[1..]).unwrap());
    }
    others
        .extend(schema.get("dependentSchemas").and_then(Value::as_object).into_iter().flat_map(Map::values));
    if !others.is_empty() {
        let other = *rng.pick(&others);
        let other = sample(rng, root, other, depth - 1);
        match (&mut document, other) {
            (Value::Object(entries), Value::Object(more)) => entries.extend(more),
            (_, other) if !schema.contains_key("type") || rng.chance(1, 2) => document = other,
            _ => {}
        }
    }
    document
}

/// A document after a schema's own words.
fn own(rng: &mut Rng, root: &Value, schema: &Map<String, Value>, depth: usize) -> Value {
    let mentions = |words: &[&str]| words.iter().any(|word| schema.contains_key(*word));
    let kind = match schema.get("type") {
        Some(Value::String(name)) => name.as_str(),
        Some(Value::Array(names)) => rng.pick(names).as_str().unwrap(),
        _ if mentions(&["properties", "required", "patternProperties", "propertyNames"]) => "object",
        _ if mentions(&["items", "prefixItems", "contains", "minItems"]) => "array",
        _ if mentions(&["pattern", "minLength", "maxLength"]) => "string",
        _ if mentions(&["minimum", "maximum", "multipleOf"]) => "number",
        _ => return any(rng, depth),
    };
    match kind {
        "null" => Value::Null,
        "boolean" => json!(rng.chance(1, 2)),
        "integer" => json!(rng.below(12) as i64 - 3),
        "number" => number(rng),
        "string" => json!(text(rng)),
        "array" => {
            let mut items: Vec<Value> = Vec::new();
            if let Some(Value::Array(prefix)) = schema.get("prefixItems") {
                items.extend(prefix.iter().map(|schema| sample(rng, root, schema, depth - 1)));
            }
            let rest = schema.get("items").or(schema.get("unevaluatedItems")).unwrap_or(&Value::Bool(true));
            items.extend((0..rng.below(3)).map(|_| sample(rng, root, rest, depth - 1)));
            if let Some(schema) = schema.get("contains") {
                let item = sample(rng, root, schema, depth - 1);
                items.insert(rng.below(items.len() + 1), item);
            }
            items.truncate(if rng.chance(1, 4) { 1 } else { 4 });
            Value::Array(items)
        }
        _ => {
            let mut entries = Map::new();
            let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let rest = schema.get("additionalProperties").unwrap_or(&Value::Bool(true));
            for key in KEYS {
                let own = schema.get("properties").and_then(|properties| properties.get(*key));
                let wanted = required.iter().any(|name| name == key);
                if wanted || rng.chance(if own.is_some() { 3 } else { 1 }, 5) {
                    let value = sample(rng, root, own.unwrap_or(rest), depth - 1);
                    entries.insert((*key).to_owned(), value);
                }
            }
            if rng.chance(1, 5) {
                let value = sample(rng, root, rest, depth - 1);
                entries.insert(text(rng).to_owned(), value);
            }
            Value::Object(entries)
        }
    }
}

fn any(rng: &mut Rng, depth: usize) -> Value {
    constant(rng, depth.min(2))
}

/// Changes something, somewhere.
fn change(rng: &mut Rng, value: &mut Value) {
    match value {
        Value::Array(items) if !items.is_empty() && rng.chance(4, 5) => {
            let place = rng.below(items.len());
            match rng.below(4) {
                0 => drop(items.remove(place)),
                1 => items.insert(place, items[place].clone()),
                _ => change(rng, &mut items[place]),
            }
        }
        Value::Object(entries) if !entries.is_empty() && rng.chance(4, 5) => {
            let key = entries.keys().nth(rng.below(entries.len())).unwrap().clone();
            match rng.below(4) {
                0 => drop(entries.shift_remove(&key)),
                1 => {
                    let value = entries[&key].clone();
                    entries.insert((*rng.pick(KEYS)).to_owned(), value);
                }
                _ => change(rng, &mut entries[&key]),
            }
        }
        other => *other = constant(rng, 1),
    }
}

/// Writes a document in one of its spellings. With multiples about, numbers are spelled without exponent.
pub fn spell(rng: &mut Rng, value: &Value, exponents: bool, out: &mut String) {
    space(rng, out);
    match value {
        Value::Null | Value::Bool(_) => out.push_str(&value.to_string()),
        Value::Number(number) => out.push_str(&spell_number(rng, number.as_f64().unwrap(), exponents)),
        Value::String(text) => spell_text(rng, text, out),
        Value::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                spell(rng, item, exponents, out);
            }
            space(rng, out);
            out.push(']');
        }
        Value::Object(entries) => {
            let mut entries: Vec<(&String, &Value)> = entries.iter().collect();
            for place in (1..entries.len()).rev() {
                entries.swap(place, rng.below(place + 1));
            }
            out.push('{');
            for (place, (key, value)) in entries.into_iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                space(rng, out);
                spell_text(rng, key, out);
                space(rng, out);
                out.push(':');
                spell(rng, value, exponents, out);
            }
            space(rng, out);
            out.push('}');
        }
    }
    space(rng, out);
}

fn space(rng: &mut Rng, out: &mut String) {
    out.push_str(rng.pick::<&str>(&["", "", "", "", " ", "\n\t", "\r\n  "]));
}

fn spell_text(rng: &mut Rng, text: &str, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        let short = match char {
            '"' => Some("\\\""),
            '\\' => Some("\\\\"),
            '/' => Some("\\/"),
            '\n' => Some("\\n"),
            _ => None,
        };
        match rng.below(4) {
            0 => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    let upper = rng.chance(1, 2);
                    out.push_str(&if upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") });
                }
            }
            _ if short.is_some() && (char != '/' || rng.chance(1, 2)) => out.push_str(short.unwrap()),
            _ => out.push(char),
        }
    }
    out.push('"');
}

fn spell_number(rng: &mut Rng, number: f64, exponents: bool) -> String {
    if number == 0.0 {
        return (*rng.pick(&["0", "0", "-0", "0.0", "-0.00"])).to_owned();
    }
    if exponents && rng.chance(1, 4) {
        let text = format!("{number:e}");
        let (digits, exponent) = text.split_once('e').unwrap();
        let zeros = match digits.contains('.') {
            true => *rng.pick(&["", "0", "00"]),
            false => *rng.pick(&["", ".0", ".00"]),
        };
        let sign = if exponent.starts_with('-') { "" } else { rng.pick(&["", "+", "0"]) };
        return format!("{digits}{zeros}{}{sign}{exponent}", rng.pick(&["e", "E"]));
    }
    let zeros = match number.fract() == 0.0 {
        true => *rng.pick(&["", "", "", ".0", ".000"]),
        false => *rng.pick(&["", "0"]),
    };
    format!("{number}{zeros}")
}
