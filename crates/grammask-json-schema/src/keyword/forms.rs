//! Keywords whose value has a form that the standard does not define. They are frequent in practice, so they
//! are listed instead of refused. They assert nothing, or their meaning in another draft.

use crate::Draft;
use crate::json::Value;

/// Returns the reason why a keyword deviates from its usual meaning. Returns `None` if it does not.
pub(super) fn deviation(name: &str, value: &Value, draft: Draft) -> Option<&'static str> {
    let is_late = draft >= Draft::Draft202012;
    let why = match (name, value) {
        ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(_)) if draft > Draft::Draft4 => {
            "a boolean is read as in draft 4"
        }
        ("minimum" | "maximum", Value::Bool(_)) => "a boolean asserts nothing",
        ("required", Value::Bool(_)) if draft <= Draft::Draft4 => "a boolean asserts nothing",
        ("prefixItems", value) if is_late && !value.is_array() => "not a list, so it asserts nothing",
        ("dependentRequired" | "dependentSchemas" | "dependencies", value) if !value.is_object() => {
            "not an object, so it asserts nothing"
        }
        ("dependentRequired", Value::Object(entries)) if entries.values().any(Value::is_string) => {
            "a string is read as a list of one key"
        }
        ("dependentRequired", Value::Object(entries)) if !entries.values().all(Value::is_array) => {
            "entries that are not a list of keys assert nothing, or are read as in draft 7"
        }
        ("dependentSchemas", Value::Object(entries))
            if entries.values().any(|value| value.is_array() || value.is_string()) =>
        {
            "keys in place of a schema are read as in draft 7"
        }
        ("then" | "else", value) if !value.is_object() && !value.is_boolean() => {
            "not a schema, so it asserts nothing"
        }
        ("minContains" | "maxContains", value) if !value.is_number() => "not a number, so it asserts nothing",
        _ => return None,
    };
    Some(why)
}
