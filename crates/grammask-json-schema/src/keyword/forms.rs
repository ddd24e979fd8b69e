//! Keywords whose value has another form than the standard says. Schemas in use have many of them, so they
//! are not errors: they assert nothing, or what another draft means by them, and are listed.

use serde_json::Value;

use crate::Draft;

/// Returns why a keyword does not assert what it seems to assert. Returns `None` if it does.
pub(super) fn deviation(name: &str, value: &Value, draft: Draft) -> Option<&'static str> {
    let is_late = draft >= Draft::Draft202012;
    let why = match (name, value) {
        ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(_)) if draft > Draft::Draft4 => {
            "a truth value is read as draft 4 has it"
        }
        ("minimum" | "maximum", Value::Bool(_)) => "a truth value asks for nothing",
        ("required", Value::Bool(_)) if draft == Draft::Draft4 => "a truth value asks for nothing",
        ("prefixItems", value) if is_late && !value.is_array() => "it is no list, and asks for nothing",
        ("items", Value::Array(_)) if is_late => "a list is read as draft 2019-09 has it",
        ("dependentRequired" | "dependentSchemas" | "dependencies", value) if !value.is_object() => {
            "it is no object, and asks for nothing"
        }
        ("dependentRequired", Value::Object(entries)) if entries.values().any(Value::is_string) => {
            "a text is read as the only key of a list"
        }
        ("dependentRequired", Value::Object(entries)) if !entries.values().all(Value::is_array) => {
            "what is no list of keys asks for nothing, or is read as draft 7 has it"
        }
        ("dependentSchemas", Value::Object(entries))
            if entries.values().any(|value| value.is_array() || value.is_string()) =>
        {
            "keys in place of a schema are read as draft 7 has them"
        }
        ("then" | "else", value) if !value.is_object() && !value.is_boolean() => {
            "it is no schema, and asks for nothing"
        }
        ("minContains" | "maxContains", value) if !value.is_u64() && !value.is_f64() => {
            "it is no number of items, and asks for nothing"
        }
        _ => return None,
    };
    Some(why)
}
