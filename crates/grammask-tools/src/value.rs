//! Arguments that are not JSON: keyword arguments of Python, and the objects of Gemma.
//!
//! Values are written by the schema, to a fixed depth. Deeper values, and those without a known type, may be
//! any value.

use serde_json::{Map, Value, json};

/// A notation of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// `name="text", flag=True`
    Python,
    /// `name:<quote>text<quote>,flag:true`
    Gemma { quote: &'static str },
}

/// Levels of arrays and objects that are written by their schemas.
const MAX_TYPED_LEVELS: usize = 4;

/// Levels of arrays and objects in a value of any type.
const MAX_ANY_LEVELS: usize = 3;

const NUMBER: &str = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?";

/// Returns the members of an object, without its brackets.
pub(crate) fn members(schema: &Value, notation: Notation) -> Value {
    fields(schema, notation, MAX_TYPED_LEVELS, true)
}

fn text(value: impl Into<String>) -> Value {
    json!({"type": "const_string", "value": value.into()})
}

fn pattern(pattern: &str) -> Value {
    json!({"type": "regex", "pattern": pattern})
}

fn sequence(elements: Vec<Value>) -> Value {
    let mut sequence = json!({"type": "sequence"});
    sequence["elements"] = Value::Array(elements);
    sequence
}

fn one_of(mut elements: Vec<Value>) -> Value {
    if elements.len() == 1 { elements.remove(0) } else { json!({"type": "or", "elements": elements}) }
}

impl Notation {
    const fn separator(self) -> &'static str {
        match self {
            Self::Python => ", ",
            Self::Gemma { .. } => ",",
        }
    }

    /// Returns a key and the sign after it.
    fn key(self, name: &str, is_top: bool) -> String {
        match self {
            Self::Python if is_top => format!("{name}="),
            Self::Python => format!("{}: ", Value::from(name)),
            Self::Gemma { .. } => format!("{name}:"),
        }
    }

    fn constant(self, value: &Value) -> Value {
        text(self.spelling(value))
    }

    fn spelling(self, value: &Value) -> String {
        match (self, value) {
            (Self::Python, Value::Null) => "None".to_owned(),
            (Self::Python, Value::Bool(true)) => "True".to_owned(),
            (Self::Python, Value::Bool(false)) => "False".to_owned(),
            (Self::Gemma { quote }, Value::String(text)) => format!("{quote}{text}{quote}"),
            (_, Value::Array(items)) => {
                let items: Vec<String> = items.iter().map(|item| self.spelling(item)).collect();
                format!("[{}]", items.join(self.separator()))
            }
            (_, Value::Object(object)) => {
                let members: Vec<String> = object
                    .iter()
                    .map(|(name, value)| self.key(name, false) + &self.spelling(value))
                    .collect();
                format!("{{{}}}", members.join(self.separator()))
            }
            (_, value) => value.to_string(),
        }
    }

    fn string(self) -> Value {
        match self {
            Self::Python => pattern(r#""([^"\\\n]|\\[^\n])*"|'([^'\\\n]|\\[^\n])*'"#),
            Self::Gemma { quote } => {
                json!({"type": "tag", "begin": quote, "content": {"type": "any_text"}, "end": quote})
            }
        }
    }
}

/// Returns a value that obeys a schema, as far as its types, constants and members say.
fn value(schema: &Value, notation: Notation, levels: usize) -> Value {
    if let Some(constant) = schema.get("const") {
        return notation.constant(constant);
    }
    if let Some(constants) = schema["enum"].as_array().filter(|constants| !constants.is_empty()) {
        return one_of(constants.iter().map(|constant| notation.constant(constant)).collect());
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(parts) = schema[key].as_array().filter(|parts| !parts.is_empty()) {
            return one_of(parts.iter().map(|part| value(part, notation, levels)).collect());
        }
    }
    match &schema["type"] {
        Value::String(name) => typed(name, schema, notation, levels),
        Value::Array(names) if !names.is_empty() => {
            let names = names.iter().filter_map(Value::as_str);
            one_of(names.map(|name| typed(name, schema, notation, levels)).collect())
        }
        _ => any(notation, levels.min(MAX_ANY_LEVELS)),
    }
}

fn typed(name: &str, schema: &Value, notation: Notation, levels: usize) -> Value {
    match name {
        "string" => notation.string(),
        "integer" => pattern("-?(0|[1-9][0-9]*)"),
        "number" => pattern(NUMBER),
        "boolean" => one_of(vec![notation.constant(&true.into()), notation.constant(&false.into())]),
        "null" => notation.constant(&Value::Null),
        "array" if levels > 0 => list(&value(&schema["items"], notation, levels - 1), notation),
        "object" if levels > 0 => {
            sequence(vec![text("{"), fields(schema, notation, levels - 1, false), text("}")])
        }
        _ => any(notation, levels.min(MAX_ANY_LEVELS)),
    }
}

/// Returns a list of items with separators.
fn list(item: &Value, notation: Notation) -> Value {
    sequence(vec![text("["), separated(item, notation), text("]")])
}

/// Returns any number of items with separators.
fn separated(item: &Value, notation: Notation) -> Value {
    let further = sequence(vec![text(notation.separator()), item.clone()]);
    let further = json!({"type": "star", "content": further});
    json!({"type": "optional", "content": sequence(vec![item.clone(), further])})
}

/// Returns any value.
fn any(notation: Notation, levels: usize) -> Value {
    let mut parts = vec![
        notation.string(),
        pattern(NUMBER),
        notation.constant(&true.into()),
        notation.constant(&false.into()),
        notation.constant(&Value::Null),
    ];
    if levels > 0 {
        let inner = any(notation, levels - 1);
        parts.push(list(&inner, notation));
        let key = match notation {
            Notation::Python => sequence(vec![notation.string(), text(": ")]),
            Notation::Gemma { .. } => pattern("[A-Za-z_][A-Za-z0-9_]*:"),
        };
        let member = sequence(vec![key, inner]);
        parts.push(sequence(vec![text("{"), separated(&member, notation), text("}")]));
    }
    one_of(parts)
}

/// Returns the members that a schema names, in its order. Those that it does not require may be missing.
fn fields(schema: &Value, notation: Notation, levels: usize, is_top: bool) -> Value {
    let empty = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let all: Vec<(Value, bool)> = properties
        .iter()
        .map(|(name, inner)| {
            let member = sequence(vec![text(notation.key(name, is_top)), value(inner, notation, levels)]);
            (member, required.contains(&name.as_str()))
        })
        .collect();
    if all.is_empty() {
        let is_open = schema["properties"].is_null() && schema["additionalProperties"] != false;
        return if is_open { open_fields(notation, levels, is_top) } else { text("") };
    }
    // The first member that is there has no separator before it.
    let mut starts = Vec::new();
    for (first, (member, is_required)) in all.iter().enumerate() {
        let mut parts = vec![member.clone()];
        for (member, is_required) in &all[first + 1..] {
            let further = sequence(vec![text(notation.separator()), member.clone()]);
            parts.push(if *is_required { further } else { json!({"type": "optional", "content": further}) });
        }
        starts.push(sequence(parts));
        if *is_required {
            return one_of(starts);
        }
    }
    json!({"type": "optional", "content": one_of(starts)})
}

/// Returns members with any names.
fn open_fields(notation: Notation, levels: usize, is_top: bool) -> Value {
    let key = match notation {
        Notation::Python if is_top => pattern("[A-Za-z_][A-Za-z0-9_]*="),
        Notation::Python => sequence(vec![notation.string(), text(": ")]),
        Notation::Gemma { .. } => pattern("[A-Za-z_][A-Za-z0-9_]*:"),
    };
    let member = sequence(vec![key, any(notation, levels.min(MAX_ANY_LEVELS))]);
    separated(&member, notation)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Notation, members};

    #[test]
    fn optional_members_may_come_first() {
        let schema = json!({"properties": {"a": {"const": 1}, "b": {"const": true}}, "required": ["b"]});
        let value = members(&schema, Notation::Python).to_string();
        assert!(value.contains(r#""value":"a=""#) && value.contains(r#""value":"True""#), "{value}");
        assert_eq!(value.matches("optional").count(), 0);
        assert_eq!(members(&json!({"properties": {}}), Notation::Python)["value"], "");
    }

    #[test]
    fn nesting_of_schemas_is_bounded() {
        let mut schema = json!({"type": "integer"});
        for _ in 0..50 {
            schema = json!({"type": "array", "items": schema});
        }
        let schema = json!({"properties": {"a": schema}});
        assert!(members(&schema, Notation::Gemma { quote: "<q>" }).to_string().len() < 20_000);
    }
}
