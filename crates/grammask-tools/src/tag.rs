//! Requests to structural tags.

use serde_json::{Value, json};

use crate::format::{Arguments, Format, Think};
use crate::request::{Reasoning, Request, Tool};
use crate::value::{Notation, members};
use crate::{Choice, Error};

/// Options of a tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// True if the arguments of a tool without `"strict": true` may be any object, as servers do by default.
    /// Default: false, the schema always holds.
    pub any_arguments_unless_strict: bool,
}

/// Returns the structural tag of an output: reasoning, then an answer or calls.
///
/// The value has the JSON form of XGrammar 0.2.8.
///
/// # Errors
/// If the request names a tool that does not exist, or has two tools of one name.
///
/// ```
/// use grammask_tools::{Config, Request, format, structural_tag};
/// use serde_json::json;
///
/// let request = Request::from_openai(&json!({
///     "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
///     "tool_choice": "required",
///     "parallel_tool_calls": false,
/// }))?;
/// let tag = structural_tag(format("hermes").unwrap(), &request, &Config::default())?;
/// assert_eq!(tag["type"], "structural_tag");
/// assert_eq!(tag["format"]["type"], "tags_with_separator");
/// assert_eq!(tag["format"]["tags"][0]["begin"], "<tool_call>\n{\"name\": \"f\", \"arguments\": ");
/// # Ok::<(), grammask_tools::Error>(())
/// ```
pub fn structural_tag(format: &Format, request: &Request, config: &Config) -> Result<Value, Error> {
    request.check()?;
    let inner = if format.harmony {
        harmony(request, config)
    } else {
        let answer = answer(format, request, config);
        with_reasoning(format, request.reasoning, answer)
    };
    Ok(json!({"type": "structural_tag", "format": inner}))
}

fn text(text: &str) -> Value {
    json!({"type": "const_string", "value": text})
}

fn sequence(mut elements: Vec<Value>) -> Value {
    elements.retain(|element| element["value"] != "");
    match elements.len() {
        0 => text(""),
        1 => elements.remove(0),
        _ => json!({"type": "sequence", "elements": elements}),
    }
}

fn one_of(mut elements: Vec<Value>) -> Value {
    if elements.len() == 1 { elements.remove(0) } else { json!({"type": "or", "elements": elements}) }
}

fn optional(content: &Value) -> Value {
    json!({"type": "optional", "content": content})
}

fn tag(begin: &str, content: &Value, end: &str) -> Value {
    json!({"type": "tag", "begin": begin, "content": content, "end": end})
}

/// Returns the reasoning, if there may be some, followed by the rest.
fn with_reasoning(format: &Format, reasoning: Reasoning, rest: Value) -> Value {
    let Some(think) = &format.reasoning else { return rest };
    let content = json!({"type": "any_text", "excludes": think_markers(think)});
    match reasoning {
        Reasoning::Off => rest,
        Reasoning::On => {
            let begin = if think.prefilled { "" } else { think.begin.trim_end() };
            sequence(vec![tag(begin, &content, &think.end), rest])
        }
        Reasoning::Auto => sequence(vec![optional(&tag(think.begin.trim_end(), &content, &think.end)), rest]),
    }
}

/// Returns the texts of the reasoning without line breaks: they occur nowhere else.
fn think_markers(think: &Think) -> Vec<&str> {
    vec![think.begin.trim(), think.end.trim()]
}

/// Returns everything after the reasoning.
fn answer(format: &Format, request: &Request, config: &Config) -> Value {
    let tools = request.callable();
    let excludes: Vec<&str> = format.reasoning.iter().flat_map(think_markers).collect();
    if tools.is_empty() {
        let mut excludes = excludes;
        let forbidden = trigger(format);
        if matches!(request.choice, Choice::None) && !request.tools.is_empty() && !format.trigger_per_tool {
            excludes.push(&forbidden);
        }
        return json!({"type": "any_text", "excludes": excludes});
    }
    if request.requires_call() {
        let lead_in = format.lead_in.iter().map(|lead| optional(&text(lead)));
        let lead_out = format.lead_out.iter().map(|lead| optional(&text(lead)));
        let calls = calls(format, request, &tools, config);
        return sequence(lead_in.chain([calls]).chain(lead_out).collect());
    }
    let (triggers, tags) = triggered(format, request, &tools, config);
    json!({
        "type": "triggered_tags",
        "triggers": triggers,
        "tags": tags,
        "at_least_one": false,
        "stop_after_first": request.is_single(),
        "excludes": excludes,
    })
}

fn trigger(format: &Format) -> String {
    match (&format.trigger, &format.section) {
        (Some(trigger), _) => trigger.clone(),
        (None, Some((begin, _))) => begin.clone(),
        (None, None) => format.begin.clone(),
    }
}

/// Returns the calls of an output that has at least one.
fn calls(format: &Format, request: &Request, tools: &[&Tool], config: &Config) -> Value {
    let tags: Vec<Value> = tools.iter().map(|tool| call(format, tool, config)).collect();
    let list = json!({
        "type": "tags_with_separator",
        "tags": tags,
        "separator": format.separator,
        "at_least_one": true,
        "stop_after_first": request.is_single(),
    });
    match &format.section {
        Some((begin, end)) => tag(begin, &list, end),
        None => list,
    }
}

/// Returns triggers, and the tags that begin with one of them.
fn triggered(
    format: &Format,
    request: &Request,
    tools: &[&Tool],
    config: &Config,
) -> (Vec<String>, Vec<Value>) {
    let Some((begin, end)) = &format.section else {
        let tags = tools.iter().map(|tool| call(format, tool, config)).collect();
        return (vec![trigger(format)], tags);
    };
    if !format.trigger_per_tool {
        return (vec![trigger(format)], vec![calls(format, request, tools, config)]);
    }
    let others: Vec<Value> = tools.iter().map(|tool| call(format, tool, config)).collect();
    let further = json!({"type": "star", "content": sequence(vec![text(&format.separator), one_of(others)])});
    let mut triggers = Vec::new();
    let mut tags = Vec::new();
    for tool in tools {
        let first = format!("{begin}{}{}{}", format.begin, tool.name, format.between);
        let mut content = vec![arguments(format, tool, config), text(&format.end)];
        if !request.is_single() {
            content.push(further.clone());
        }
        tags.push(tag(&first, &sequence(content), end));
        triggers.push(first);
    }
    (triggers, tags)
}

/// Returns the tag of one call.
fn call(format: &Format, tool: &Tool, config: &Config) -> Value {
    let pattern = |pattern: &str| json!({"type": "regex", "pattern": pattern});
    let mut begin = format.begin.clone();
    let mut content = Vec::new();
    match &format.id {
        Some(id) => {
            content.push(pattern(id));
            content.push(text(&format!("{}{}", format.before_name, tool.name)));
        }
        None => begin += &tool.name,
    }
    if let Some(index) = &format.index {
        content.push(pattern(index));
    }
    match content.is_empty() {
        true => begin += &format.between,
        false => content.push(text(&format.between)),
    }
    content.push(arguments(format, tool, config));
    content.extend(format.end_pattern.as_deref().map(pattern));
    tag(&begin, &sequence(content), &format.end)
}

fn schema_of(tool: &Tool, config: &Config) -> Value {
    if config.any_arguments_unless_strict && tool.strict != Some(true) {
        json!({"type": "object", "additionalProperties": true})
    } else {
        tool.parameters.clone()
    }
}

fn arguments(format: &Format, tool: &Tool, config: &Config) -> Value {
    let schema = schema_of(tool, config);
    let styled = |style: &str| json!({"type": "json_schema", "json_schema": schema, "style": style});
    match format.arguments {
        Arguments::Json => json!({"type": "json_schema", "json_schema": schema}),
        Arguments::QwenXml => styled("qwen_xml"),
        Arguments::MinimaxXml => styled("minimax_xml"),
        Arguments::GlmXml => styled("glm_xml"),
        Arguments::Python => members(&schema, Notation::Python),
        Arguments::Gemma => {
            sequence(vec![text("{"), members(&schema, Notation::Gemma { quote: "<|\"|>" }), text("}")])
        }
        Arguments::FunctionGemma => {
            sequence(vec![text("{"), members(&schema, Notation::Gemma { quote: "<escape>" }), text("}")])
        }
    }
}

/// Returns the messages of gpt-oss. The prompt ends with `<|start|>assistant`.
fn harmony(request: &Request, config: &Config) -> Value {
    const NEXT: &str = "<|start|>assistant";
    let message = |channel: &str| {
        tag(&format!("<|channel|>{channel}<|message|>"), &json!({"type": "any_text"}), "<|end|>")
    };
    let tools = request.callable();
    let analysis = sequence(vec![message("analysis"), text(NEXT)]);
    let preamble = sequence(vec![message("commentary"), text(NEXT)]);
    let mut before = Vec::new();
    match request.reasoning {
        Reasoning::Off => {}
        Reasoning::On => before.push(json!({"type": "plus", "content": analysis})),
        Reasoning::Auto => before.push(json!({"type": "star", "content": analysis})),
    }
    if !tools.is_empty() {
        before.push(optional(&preamble));
    }
    let last = sequence(vec![
        text("<|channel|>final<|message|>"),
        json!({"type": "any_text", "excludes": ["<|return|>", "<|end|>", "<|start|>", "<|call|>"]}),
        optional(&text("<|return|>")),
    ]);
    let mut ends = Vec::new();
    if !request.requires_call() {
        ends.push(last);
    }
    if !tools.is_empty() {
        let tags: Vec<Value> = tools.iter().flat_map(|tool| harmony_calls(tool, config)).collect();
        ends.push(json!({
            "type": "tags_with_separator",
            "tags": tags,
            "separator": NEXT,
            "at_least_one": true,
            "stop_after_first": request.is_single(),
        }));
    }
    before.push(one_of(ends));
    sequence(before)
}

/// Returns the spellings of a call: the recipient after the channel, with or without a blank, and before it.
fn harmony_calls(tool: &Tool, config: &Config) -> Vec<Value> {
    let name = &tool.name;
    let schema = schema_of(tool, config);
    let content = json!({"type": "json_schema", "json_schema": schema});
    [
        format!("<|channel|>commentary to=functions.{name}<|constrain|>json<|message|>"),
        format!("<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>"),
        format!("<|channel|>commentary to=functions.{name} json<|message|>"),
        format!(" to=functions.{name}<|channel|>commentary json<|message|>"),
        format!(" to=functions.{name}<|channel|>commentary <|constrain|>json<|message|>"),
    ]
    .iter()
    .map(|begin| tag(begin, &content, "<|call|>"))
    .collect()
}
