//! Tool-call formats as data.

use std::sync::LazyLock;

use serde::Deserialize;

/// How a model writes tool calls.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Format {
    /// The name.
    pub name: String,
    /// Other names: of models, and of parsers in servers.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Text before the name of the tool.
    #[serde(default)]
    pub begin: String,
    /// Regex after `begin`, and the text that follows it, before the name.
    #[serde(default)]
    pub id: Option<String>,
    /// Text between `id` and the name.
    #[serde(default)]
    pub before_name: String,
    /// Regex after the name.
    #[serde(default)]
    pub index: Option<String>,
    /// Text between the name and the arguments.
    #[serde(default)]
    pub between: String,
    /// Text after the arguments.
    #[serde(default)]
    pub end: String,
    /// Regex before `end`.
    #[serde(default)]
    pub end_pattern: Option<String>,
    /// Notation of the arguments.
    pub arguments: Arguments,
    /// Text between two calls.
    #[serde(default)]
    pub separator: String,
    /// Texts before the first and after the last call.
    #[serde(default)]
    pub section: Option<(String, String)>,
    /// Text that commits to a call.
    #[serde(default)]
    pub trigger: Option<String>,
    /// True if the name of the tool belongs to the trigger, because the text before it is too common.
    #[serde(default)]
    pub trigger_per_tool: bool,
    /// Texts of which one may precede the calls.
    #[serde(default)]
    pub lead_in: Vec<String>,
    /// Texts of which one may follow the calls.
    #[serde(default)]
    pub lead_out: Vec<String>,
    /// Texts around the reasoning.
    #[serde(default)]
    pub reasoning: Option<Think>,
    /// Pieces that are special tokens in the vocabulary of the model.
    #[serde(default)]
    pub markers: Vec<String>,
    /// True for the messages of gpt-oss.
    #[serde(default)]
    pub harmony: bool,
}

/// Texts around the reasoning.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Think {
    /// The first text.
    pub begin: String,
    /// The last text, with what the template writes after it.
    pub end: String,
    /// True if the prompt ends with `begin`.
    pub prefilled: bool,
}

/// Notations of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arguments {
    /// A JSON document.
    Json,
    /// `<parameter=k>v</parameter>`
    QwenXml,
    /// `<parameter name="k">v</parameter>`
    MinimaxXml,
    /// `<arg_key>k</arg_key><arg_value>v</arg_value>`
    GlmXml,
    /// `k="v", n=1`
    Python,
    /// `{k:<|"|>v<|"|>,n:1}`
    Gemma,
    /// `{k:<escape>v<escape>,n:1}`
    FunctionGemma,
}

#[derive(Deserialize)]
struct File {
    format: Vec<Format>,
}

static FORMATS: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("formats.toml")).expect("a test reads the file");
    file.format
});

/// Returns all formats.
pub fn formats() -> &'static [Format] {
    &FORMATS
}

/// Returns the format with a name or an alias.
///
/// ```
/// assert_eq!(grammask_tools::format("gpt-oss").unwrap().name, "harmony");
/// assert!(grammask_tools::format("abacus").is_none());
/// ```
pub fn format(name: &str) -> Option<&'static Format> {
    formats().iter().find(|format| format.name == name || format.aliases.iter().any(|alias| alias == name))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::formats;

    #[test]
    fn names_and_aliases_are_unique() {
        let mut names = HashSet::new();
        for format in formats() {
            for name in std::iter::once(&format.name).chain(&format.aliases) {
                assert!(names.insert(name), "{name}");
            }
        }
        assert!(formats().len() >= 20);
    }

    #[test]
    fn triggers_begin_what_they_announce() {
        for format in formats().iter().filter(|format| !format.harmony) {
            let first = format.section.as_ref().map_or(&format.begin, |(begin, _)| begin);
            if let Some(trigger) = &format.trigger {
                assert!(first.starts_with(trigger.as_str()), "{}", format.name);
            }
            assert!(!first.is_empty(), "{}", format.name);
        }
    }
}
