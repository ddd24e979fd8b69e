//! Changes of inputs: random ones, smaller ones, and larger ones.

use serde_json::{Value, json};

use super::Input;
use super::grammars::{RandomGrammar, grammar};
use super::schemas::pattern;
use crate::input::random::Random;

/// Greatest number that a doubled number reaches.
const MAX_NUMBER: u64 = 1 << 20;

/// Keywords whose numbers are sizes.
const SIZES: [&str; 8] = [
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minContains",
    "maxContains",
];

/// Returns an input with one to three random changes. `other` is a schema whose parts may be taken.
pub fn changed(input: &Input, other: &Value, random: &mut Random) -> Input {
    match input {
        Input::Schema(schema) => {
            let mut schema = schema.clone();
            for _ in 0..=random.below(3) {
                change_schema(&mut schema, other, random);
            }
            Input::Schema(schema)
        }
        Input::Kbnf(old) => {
            let mut rules = old.rules.clone();
            let fresh = grammar(random);
            let at = random.below(rules.len());
            if rules[at].0.is_empty() || random.chance(300) {
                return Input::Kbnf(fresh);
            }
            let alternatives = &fresh.rules[0].1;
            let own = &mut rules[at].1;
            match random.below(3) {
                0 => own.push(alternatives[alternatives.len() - 1].clone()),
                1 => own.extend_from_within(..),
                _ => {
                    let index = random.below(own.len());
                    own[index] = format!("{} {}", own[index], alternatives[alternatives.len() - 1]);
                }
            }
            Input::Kbnf(RandomGrammar { rules })
        }
    }
}

/// Returns the number of values in a value, itself included.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(values) => values.iter().map(size).sum(),
        Value::Object(members) => members.values().map(size).sum(),
        _ => 0usize,
    }
}

/// Returns the value at a position in depth-first order.
fn at(value: &mut Value, mut position: usize) -> Option<&mut Value> {
    if position == 0 {
        return Some(value);
    }
    position -= 1;
    let values: Vec<&mut Value> = match value {
        Value::Array(values) => values.iter_mut().collect(),
        Value::Object(members) => members.values_mut().collect(),
        _ => Vec::new(),
    };
    for value in values {
        let below = size(value);
        if position < below {
            return at(value, position);
        }
        position -= below;
    }
    None
}

fn change_schema(schema: &mut Value, other: &Value, random: &mut Random) {
    let taken = {
        let mut other = other.clone();
        let position = random.below(size(&other));
        at(&mut other, position).map(Value::take).filter(Value::is_object)
    };
    let position = random.below(size(schema));
    let Some(place) = at(schema, position) else { return };
    match place {
        Value::Number(number) => {
            if let Some(value) = number.as_u64().filter(|value| *value < MAX_NUMBER) {
                *place = json!(if random.chance(700) { 2 * value + 1 } else { value / 2 });
            }
        }
        // Other texts are names.
        Value::String(text) if text.contains(['^', '$', '[', '\\', '*']) => *text = pattern(random),
        Value::Array(values) if !values.is_empty() => {
            let index = random.below(values.len());
            match random.below(3) {
                0 => drop(values.remove(index)),
                1 => values.push(values[index].clone()),
                _ => values.extend(taken),
            }
        }
        Value::Object(members) => match random.below(5) {
            0 => {
                let name = members.keys().nth(random.below(members.len().max(1))).cloned();
                name.map(|name| members.remove(&name));
            }
            1 => {
                if let Some(Value::Object(taken)) = taken {
                    members.extend(taken);
                }
            }
            2 => {
                let whole = place.take();
                let keyword = ["allOf", "anyOf", "oneOf"][random.below(3)];
                *place =
                    json!({ keyword: [whole, taken.unwrap_or_else(|| json!({"pattern": pattern(random)}))] });
            }
            3 => {
                let excluded = taken.unwrap_or_else(|| json!({ "pattern": pattern(random) }));
                members.insert("not".to_owned(), excluded);
            }
            _ => {
                if let Some(taken) = taken {
                    *place = taken;
                }
            }
        },
        _ => {}
    }
}

/// Returns inputs that are smaller by one part.
pub fn smaller(input: &Input) -> Vec<Input> {
    let mut all = Vec::new();
    match input {
        Input::Schema(schema) => {
            for position in 0..size(schema) {
                without_parts(schema, position, &mut all);
            }
        }
        Input::Kbnf(grammar) => {
            for (rule, (name, alternatives)) in grammar.rules.iter().enumerate() {
                if rule > 0 {
                    let mut rules = grammar.rules.clone();
                    rules.remove(rule);
                    all.push(Input::Kbnf(RandomGrammar { rules }));
                }
                for alternative in 0..alternatives.len() {
                    if alternatives.len() > 1 && !name.is_empty() {
                        let mut rules = grammar.rules.clone();
                        rules[rule].1.remove(alternative);
                        all.push(Input::Kbnf(RandomGrammar { rules }));
                    }
                }
            }
        }
    }
    all
}

/// Adds the schemas without one member or item of the value at a position, or with a part in its place.
fn without_parts(schema: &Value, position: usize, all: &mut Vec<Input>) {
    let mut with = |change: &dyn Fn(&mut Value)| {
        let mut schema = schema.clone();
        if let Some(place) = at(&mut schema, position) {
            change(place);
            all.push(Input::Schema(schema));
        }
    };
    let mut whole = schema.clone();
    match at(&mut whole, position) {
        Some(Value::Object(members)) => {
            for (name, value) in members.iter() {
                with(&|place| _ = place.as_object_mut().and_then(|members| members.remove(name)));
                if value.is_object() {
                    with(&|place| *place = value.clone());
                }
            }
        }
        Some(Value::Array(values)) => {
            for index in 0..values.len() {
                with(&|place| _ = place.as_array_mut().map(|values| values.remove(index)));
            }
        }
        Some(Value::Number(number)) => {
            if let Some(value) = number.as_u64().filter(|&value| value > 9) {
                with(&|place| *place = json!(value / 10));
            }
        }
        _ => {}
    }
}

/// Returns an input whose sizes and lists are `factor` times as large.
pub fn larger(input: &Input, factor: usize) -> Input {
    match input {
        Input::Schema(schema) => {
            let mut schema = schema.clone();
            enlarge(&mut schema, factor);
            Input::Schema(schema)
        }
        Input::Kbnf(grammar) => {
            let mut rules = grammar.rules.clone();
            for (name, alternatives) in &mut rules {
                if !name.is_empty() {
                    let first = alternatives[0].clone();
                    alternatives[0] = vec![first; factor].join(" ");
                }
            }
            Input::Kbnf(RandomGrammar { rules })
        }
    }
}

fn enlarge(value: &mut Value, factor: usize) {
    match value {
        Value::Object(members) => {
            for (keyword, value) in members.iter_mut() {
                enlarge(value, factor);
                let number = value.as_u64().filter(|_| SIZES.contains(&keyword.as_str()));
                match (keyword.as_str(), number, &mut *value) {
                    (_, Some(number), _) => *value = json!(number.saturating_mul(factor as u64)),
                    ("anyOf" | "oneOf" | "allOf" | "enum" | "prefixItems", _, Value::Array(values)) => {
                        let copies = (1..factor).flat_map(|copy| {
                            values.iter().map(move |value| renamed(value, copy)).collect::<Vec<_>>()
                        });
                        let copies: Vec<Value> = copies.collect();
                        values.extend(copies);
                    }
                    ("properties" | "patternProperties", _, Value::Object(members)) => {
                        let copies = (1..factor).flat_map(|copy| {
                            let renamed =
                                |(name, value): (&String, &Value)| (format!("{name}{copy}"), value.clone());
                            members.iter().map(renamed).collect::<Vec<_>>()
                        });
                        let copies: Vec<_> = copies.filter(|(name, _)| !name.contains('$')).collect();
                        members.extend(copies);
                    }
                    ("pattern", _, Value::String(text)) if !text.contains(['^', '$', '|']) => {
                        *text = text.repeat(factor);
                    }
                    _ => {}
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| enlarge(value, factor)),
        _ => {}
    }
}

/// Returns a value whose constants and patterns differ from those of the original.
fn renamed(value: &Value, copy: usize) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| {
                let value = match (name.as_str(), value) {
                    ("const" | "pattern", Value::String(text)) if !text.ends_with('$') => {
                        json!(format!("{text}{copy}"))
                    }
                    ("enum", Value::Array(values)) => {
                        values.iter().map(|value| renamed(value, copy)).collect()
                    }
                    ("multipleOf", Value::Number(number)) => {
                        number.as_u64().map_or_else(|| value.clone(), |number| json!(number + copy as u64))
                    }
                    _ => renamed(value, copy),
                };
                (name.clone(), value)
            })
            .collect(),
        Value::Array(values) => values.iter().map(|value| renamed(value, copy)).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_in_depth_first_order() {
        let mut value = json!({"a": [1, 2], "b": {"c": 3}});
        assert_eq!(size(&value), 6);
        let found: Vec<Value> =
            (0..6).map(|position| at(&mut value, position).expect("a value").clone()).collect();
        assert_eq!(found[1..], [json!([1, 2]), json!(1), json!(2), json!({"c": 3}), json!(3)]);
        assert_eq!(at(&mut value, 6), None);
    }

    #[test]
    fn smaller_inputs_are_smaller() {
        let input =
            Input::Schema(json!({"type": "string", "maxLength": 500, "anyOf": [{"pattern": "a"}, {}]}));
        let all = smaller(&input);
        assert!(all.contains(&Input::Schema(
            json!({"type": "string", "maxLength": 50, "anyOf": [{"pattern": "a"}, {}]})
        )));
        assert!(all.contains(&Input::Schema(json!({"type": "string", "maxLength": 500, "anyOf": [{}]}))));
        assert!(all.iter().all(|other| other.text().len() < input.text().len()));
    }

    #[test]
    fn larger_inputs_have_more_branches_and_higher_counts() {
        let input = Input::Schema(json!({"maxLength": 5, "enum": ["a"], "anyOf": [{"multipleOf": 3}]}));
        let expected =
            json!({"maxLength": 10, "enum": ["a", "a"], "anyOf": [{"multipleOf": 3}, {"multipleOf": 4}]});
        assert_eq!(larger(&input, 2), Input::Schema(expected));
    }

    #[test]
    fn changes_repeat_with_their_seed() {
        let input = Input::Schema(
            json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^a"}}}),
        );
        let change = |seed| changed(&input, &json!({"not": {}}), &mut Random::new(seed));
        assert!((0..50).all(|seed| change(seed) == change(seed)));
        assert!((0..50).any(|seed| change(seed) != input));
    }
}
