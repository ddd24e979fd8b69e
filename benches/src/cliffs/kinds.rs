//! The kind of an input: the families of keywords or operators that it uses.

use std::fmt;

use serde_json::Value;

use super::Input;

/// Families of keywords, each with its name. The index of a family is its bit in a [`Kind`].
const FAMILIES: [(&str, &[&str]); 12] = [
    ("multiples", &["multipleOf"]),
    ("bounds", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]),
    ("patterns", &["pattern"]),
    ("lengths", &["minLength", "maxLength"]),
    ("formats", &["format"]),
    ("keys", &["patternProperties", "propertyNames", "additionalProperties"]),
    ("counts", &["minProperties", "maxProperties", "minItems", "maxItems", "minContains", "maxContains"]),
    ("items", &["items", "prefixItems", "additionalItems", "contains", "uniqueItems"]),
    ("unions", &["anyOf", "oneOf", "if", "dependentSchemas", "dependencies"]),
    ("not", &["not"]),
    ("references", &["$ref", "$dynamicRef"]),
    ("unevaluated", &["unevaluatedProperties", "unevaluatedItems"]),
];

/// Operators of KBNF, each with its name, after the families.
const OPERATORS: [(&str, &str); 4] =
    [("intersections", "&"), ("complements", "~"), ("exceptions", "except!"), ("unordered", "unordered!")];

/// Bit of a grammar.
const GRAMMAR: u32 = 1 << 31;

/// The families of an input, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind(u32);

impl Kind {
    /// Returns the kind of an input.
    pub fn of(input: &Input) -> Self {
        match input {
            Input::Schema(schema) => {
                let mut kind = Self(0);
                kind.add(schema);
                kind
            }
            Input::Kbnf(grammar) => {
                let text = grammar.to_string();
                let used = (0..).zip(OPERATORS).filter(|(_, (_, operator))| text.contains(operator));
                Self(used.fold(GRAMMAR, |bits, (index, _)| bits | 1 << index))
            }
        }
    }

    fn add(&mut self, schema: &Value) {
        match schema {
            Value::Object(members) => {
                for (key, value) in members {
                    for (index, (_, keywords)) in FAMILIES.iter().enumerate() {
                        self.0 |= u32::from(keywords.contains(&key.as_str())) << index;
                    }
                    self.add(value);
                }
            }
            Value::Array(values) => values.iter().for_each(|value| self.add(value)),
            _ => {}
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_set = |index: usize| self.0 & 1 << index != 0;
        let names: Vec<&str> = if self.0 & GRAMMAR == 0 {
            let families = FAMILIES.iter().enumerate();
            families.filter(|(index, _)| is_set(*index)).map(|(_, (name, _))| *name).collect()
        } else {
            let operators = OPERATORS.iter().enumerate().filter(|(index, _)| is_set(*index));
            ["grammar"].into_iter().chain(operators.map(|(_, (name, _))| *name)).collect()
        };
        f.write_str(if names.is_empty() { "plain" } else { "" })?;
        f.write_str(&names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cliffs::grammars::RandomGrammar;

    #[test]
    fn kinds_are_named_by_their_families() {
        let kind = |schema| Kind::of(&Input::Schema(schema)).to_string();
        assert_eq!(kind(json!({"type": "string"})), "plain");
        assert_eq!(
            kind(json!({"allOf": [{"multipleOf": 3}, {"not": {"pattern": "a"}}]})),
            "multiples, patterns, not"
        );
        let grammar = RandomGrammar::of_text("start ::= #'a' & ~#'b';");
        assert_eq!(Kind::of(&Input::Kbnf(grammar)).to_string(), "grammar, intersections, complements");
    }
}
