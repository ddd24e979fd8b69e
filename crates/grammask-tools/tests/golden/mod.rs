//! The outputs of `outputs.toml`, and their tags.

use grammask_tools::{Choice, Config, Reasoning, Request, format, structural_tag};
use serde::Deserialize;
use serde_json::{Value, json};

/// An output of a model.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    pub format: String,
    /// `none`, `auto`, `required` or the name of a tool.
    pub choice: String,
    /// `on`, `auto`, or `off` if it is empty.
    #[serde(default)]
    pub reasoning: String,
    pub parallel: Option<bool>,
    pub text: String,
    pub accept: bool,
}

#[derive(Deserialize)]
struct File {
    output: Vec<Output>,
}

/// Returns all outputs.
pub fn outputs() -> Vec<Output> {
    let file: File = toml::from_str(include_str!("../outputs.toml")).expect("valid TOML");
    file.output
}

/// Returns the tag of an output.
pub fn tag(output: &Output) -> Value {
    let mut request = Request::from_openai(&json!({
        "tools": [
            {"type": "function", "function": {"name": "weather", "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
                "required": ["city"],
            }}},
            {"type": "function", "function": {"name": "add", "parameters": {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                "required": ["a", "b"],
            }}},
        ],
        "parallel_tool_calls": output.parallel,
    }))
    .expect("the request is valid");
    request.choice = match output.choice.as_str() {
        "none" => Choice::None,
        "auto" => Choice::Auto,
        "required" => Choice::Required,
        name => Choice::Named(name.to_owned()),
    };
    request.reasoning = match output.reasoning.as_str() {
        "on" => Reasoning::On,
        "auto" => Reasoning::Auto,
        "" => Reasoning::Off,
        other => panic!("{other}"),
    };
    let format = format(&output.format).expect("the format exists");
    structural_tag(format, &request, &Config::default()).expect("the request is valid")
}
