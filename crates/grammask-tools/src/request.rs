//! The part of an OpenAI request that is about tools.

use serde_json::Value;

use crate::Error;

/// A tool that the model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The name.
    pub name: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
    /// True if the arguments obey the schema. Without it, some servers allow any object.
    pub strict: Option<bool>,
}

/// Whether the model calls tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// It does not.
    None,
    /// It decides.
    #[default]
    Auto,
    /// At least one call.
    Required,
    /// A call of this tool.
    Named(String),
    /// Only some of the tools; at least one call if the flag is true.
    Allowed(Vec<String>, bool),
}

/// Whether the output has reasoning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reasoning {
    /// None.
    #[default]
    Off,
    /// The output begins with it. If the template writes its first text into the prompt, the output begins
    /// inside of it.
    On,
    /// It may begin with it, and with its first text.
    Auto,
}

/// Tools, and what the model does with them.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The tools.
    pub tools: Vec<Tool>,
    /// Whether the model calls them.
    pub choice: Choice,
    /// Whether an output may have more than one call.
    pub parallel: bool,
    /// Whether the output has reasoning.
    pub reasoning: Reasoning,
}

impl Request {
    /// Reads `tools`, `tool_choice` and `parallel_tool_calls` of a request of the chat completions API. Tools
    /// of the responses API, whose fields are not below `function`, are read as well.
    ///
    /// # Errors
    /// If one of them has another form, or names a tool that does not exist.
    ///
    /// ```
    /// use grammask_tools::{Choice, Request};
    /// use serde_json::json;
    ///
    /// let request = Request::from_openai(&json!({
    ///     "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
    ///     "tool_choice": {"type": "function", "function": {"name": "f"}},
    /// }))?;
    /// assert_eq!(request.choice, Choice::Named("f".to_owned()));
    ///
    /// let error = Request::from_openai(&json!({"tools": [{"type": "function"}]})).unwrap_err();
    /// assert_eq!(error.to_string(), "at '/tools/0': the tool has no `name`");
    /// # Ok::<(), grammask_tools::Error>(())
    /// ```
    pub fn from_openai(request: &Value) -> Result<Self, Error> {
        let tools = match &request["tools"] {
            Value::Null => Vec::new(),
            Value::Array(tools) => {
                tools.iter().enumerate().map(|(i, tool)| read_tool(tool, i)).collect::<Result<_, _>>()?
            }
            _ => return Err(Error::new("/tools", "expected a list")),
        };
        let parallel = match &request["parallel_tool_calls"] {
            Value::Null => true,
            Value::Bool(parallel) => *parallel,
            _ => return Err(Error::new("/parallel_tool_calls", "expected true or false")),
        };
        let choice = read_choice(&request["tool_choice"], !tools.is_empty())?;
        let request = Self { tools, choice, parallel, reasoning: Reasoning::Off };
        request.check()?;
        Ok(request)
    }

    /// Tests that names are unique, and that the choice names tools.
    ///
    /// # Errors
    /// If this is not so.
    pub fn check(&self) -> Result<(), Error> {
        for (i, tool) in self.tools.iter().enumerate() {
            if tool.name.is_empty() {
                return Err(Error::new(format!("/tools/{i}"), "the name of the tool is empty"));
            }
            if self.tools[..i].iter().any(|known| known.name == tool.name) {
                return Err(Error::new(
                    format!("/tools/{i}"),
                    format!("the tool `{}` occurs twice", tool.name),
                ));
            }
        }
        let named: &[String] = match &self.choice {
            Choice::Named(name) => std::slice::from_ref(name),
            Choice::Allowed(names, _) => names,
            Choice::Required if self.tools.is_empty() => {
                return Err(Error::new("/tool_choice", "a call is required, but there are no tools"));
            }
            _ => &[],
        };
        match named.iter().find(|name| !self.tools.iter().any(|tool| tool.name == **name)) {
            Some(name) => Err(Error::new("/tool_choice", format!("there is no tool `{name}`"))),
            None => Ok(()),
        }
    }

    /// Returns the tools that may be called.
    pub(crate) fn callable(&self) -> Vec<&Tool> {
        let is_callable = |tool: &&Tool| match &self.choice {
            Choice::None => false,
            Choice::Auto | Choice::Required => true,
            Choice::Named(name) => tool.name == *name,
            Choice::Allowed(names, _) => names.contains(&tool.name),
        };
        self.tools.iter().filter(is_callable).collect()
    }

    /// Returns true if the output has at least one call.
    pub(crate) const fn requires_call(&self) -> bool {
        matches!(self.choice, Choice::Required | Choice::Named(_) | Choice::Allowed(_, true))
    }

    /// Returns true if the output has at most one call.
    pub(crate) const fn is_single(&self) -> bool {
        !self.parallel || matches!(self.choice, Choice::Named(_))
    }
}

fn read_tool(tool: &Value, i: usize) -> Result<Tool, Error> {
    let pointer = format!("/tools/{i}");
    match tool["type"].as_str() {
        Some("function") | None => {}
        Some(other) => {
            return Err(Error::new(pointer, format!("tools of type `{other}` have no calls in texts")));
        }
    }
    let function = if tool["function"].is_object() { &tool["function"] } else { tool };
    let Some(name) = function["name"].as_str() else {
        return Err(Error::new(pointer, "the tool has no `name`"));
    };
    let parameters = match &function["parameters"] {
        Value::Null => serde_json::json!({"type": "object", "properties": {}}),
        parameters @ (Value::Object(_) | Value::Bool(_)) => parameters.clone(),
        _ => return Err(Error::new(pointer, "`parameters` is not a schema")),
    };
    let strict = function["strict"].as_bool();
    Ok(Tool { name: name.to_owned(), parameters, strict })
}

fn read_choice(choice: &Value, has_tools: bool) -> Result<Choice, Error> {
    let wrong = || Error::new("/tool_choice", "expected `none`, `auto`, `required` or a tool");
    let name = |of: &Value| {
        let name = of["function"]["name"].as_str().or_else(|| of["name"].as_str());
        name.map(str::to_owned).ok_or_else(wrong)
    };
    match choice {
        Value::Null if has_tools => Ok(Choice::Auto),
        Value::Null => Ok(Choice::None),
        Value::String(text) => match text.as_str() {
            "none" => Ok(Choice::None),
            "auto" => Ok(Choice::Auto),
            "required" | "any" => Ok(Choice::Required),
            _ => Err(wrong()),
        },
        Value::Object(object) => match object.get("type").and_then(Value::as_str) {
            Some("function") => Ok(Choice::Named(name(choice)?)),
            Some("allowed_tools") => {
                let inner =
                    if choice["allowed_tools"].is_object() { &choice["allowed_tools"] } else { choice };
                let names = inner["tools"].as_array().ok_or_else(wrong)?;
                let names = names.iter().map(name).collect::<Result<_, _>>()?;
                Ok(Choice::Allowed(names, inner["mode"] == "required"))
            }
            _ => Err(wrong()),
        },
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Choice, Request};

    fn read(choice: &Value) -> Result<Choice, String> {
        let tools =
            json!([{"type": "function", "function": {"name": "f"}}, {"type": "function", "name": "g"}]);
        let request = json!({"tools": tools, "tool_choice": choice});
        Request::from_openai(&request).map(|request| request.choice).map_err(|error| error.to_string())
    }

    #[test]
    fn choices_are_those_of_both_apis() {
        assert_eq!(read(&Value::Null), Ok(Choice::Auto));
        assert_eq!(read(&json!("required")), Ok(Choice::Required));
        assert_eq!(read(&json!({"type": "function", "name": "g"})), Ok(Choice::Named("g".to_owned())));
        let allowed = json!({"type": "allowed_tools", "mode": "required", "tools": [{"name": "f"}]});
        assert_eq!(read(&allowed), Ok(Choice::Allowed(vec!["f".to_owned()], true)));
        assert!(read(&json!({"type": "function", "name": "h"})).unwrap_err().contains("no tool `h`"));
        assert!(read(&json!("sometimes")).is_err() && read(&json!(1)).is_err());
    }

    #[test]
    fn tools_have_unique_names() {
        let tool = json!({"name": "f"});
        let error = Request::from_openai(&json!({"tools": [tool, tool]})).unwrap_err();
        assert_eq!(
            (error.pointer.as_str(), error.message.as_str()),
            ("/tools/1", "the tool `f` occurs twice")
        );
    }
}
