//! A second opinion on documents, by the crate `jsonschema`.

use grammask_json_schema::{Document, Draft};
use jsonschema::{PatternOptions, Retrieve, Uri, Validator};
use serde_json::Value;

/// Steps of a pattern with look-around, which is beyond the linear engine.
const MAX_BACKTRACKS: usize = 100_000;

/// Maximum length of a message, in characters.
const MAX_MESSAGE_CHARACTERS: usize = 200;

/// Returns a validator that asserts formats and reads references from `documents`. Patterns run in linear
/// time where possible.
///
/// # Errors
/// If the validator refuses the schema.
pub fn validator(schema: &Value, draft: Draft, documents: &[Document]) -> Result<Validator, String> {
    let options = || {
        let options = jsonschema::options().should_validate_formats(true);
        let named = schema.get("$schema").is_some();
        let options = if named { options } else { options.with_draft(draft_of(draft)) };
        options.with_retriever(Given(documents.to_vec()))
    };
    options()
        .with_pattern_options(PatternOptions::regex())
        .build(schema)
        .or_else(|_| {
            let patterns = PatternOptions::fancy_regex().backtrack_limit(MAX_BACKTRACKS);
            options().with_pattern_options(patterns).build(schema)
        })
        .map_err(|error| error.to_string().chars().take(MAX_MESSAGE_CHARACTERS).collect())
}

fn draft_of(draft: Draft) -> jsonschema::Draft {
    match draft {
        // The validator has no OpenAPI 3.0, which is based on draft 4.
        Draft::Draft4 | Draft::OpenApi30 => jsonschema::Draft::Draft4,
        Draft::Draft6 => jsonschema::Draft::Draft6,
        Draft::Draft7 => jsonschema::Draft::Draft7,
        Draft::Draft201909 => jsonschema::Draft::Draft201909,
        Draft::Draft202012 => jsonschema::Draft::Draft202012,
    }
}

/// The documents that references may name.
struct Given(Vec<Document>);

impl Retrieve for Given {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        let document = self.0.iter().find(|document| document.uri == uri.as_str());
        document.map(|document| document.schema.clone()).ok_or_else(|| format!("{uri} is not given").into())
    }
}
