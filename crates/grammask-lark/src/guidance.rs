//! `x-guidance`: options of llguidance inside of a schema.

use grammask_json_schema::{Config, Unsupported, Whitespace};
use serde_json::Value;

/// Returns the options for a schema: those of the caller, changed by the key `x-guidance` of the schema.
pub(crate) fn options(json: &str, config: &Config) -> Config {
    let mut config = config.clone();
    if !json.contains("\"x-guidance\"") {
        return config;
    }
    let Ok(Value::Object(schema)) = serde_json::from_str(json) else { return config };
    let Some(Value::Object(options)) = schema.get("x-guidance") else { return config };
    let text = |key: &str| options.get(key).and_then(Value::as_str).map(str::to_owned);
    let is = |key: &str, value: bool| options.get(key).and_then(Value::as_bool) == Some(value);
    if is("lenient", true) {
        config.unsupported = Unsupported::Relax;
    }
    let separators = (text("item_separator"), text("key_separator"));
    if is("whitespace_flexible", false) || separators != (None, None) {
        config.whitespace = match separators {
            (None, None) => Whitespace::Compact,
            (item, key) => Whitespace::Separators {
                item: item.unwrap_or_else(|| ",".to_owned()),
                key: key.unwrap_or_else(|| ":".to_owned()),
            },
        };
    }
    config
}
