//! The source of a grammar: a text or a schema, with the options of its kind.

use grammask::{Config, RegexDialect, Vocabulary as Tokens, lark, tags};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::vocabulary::Vocabulary;
use crate::{arguments, errors, options};

/// The text of a grammar in one of the notations, or a JSON Schema.
pub enum Source {
    /// A KBNF text.
    Kbnf(String),
    /// A text in GBNF, the notation of llama.cpp.
    Gbnf(String),
    /// A text in the EBNF of xgrammar.
    Ebnf(String),
    /// A text in Lark, in the dialect of llguidance or in that of Lark itself.
    Lark(String),
    /// Structural tags of xgrammar, as JSON.
    StructuralTag(String),
    /// A regular expression.
    Regex(String),
    /// Texts, of which the output is one.
    Choice(Vec<String>),
    /// A JSON Schema.
    JsonSchema(serde_json::Value),
}

/// The names of the kinds: those of the methods of `Grammar`.
const KINDS: [&str; 8] = ["choice", "ebnf", "gbnf", "json_schema", "kbnf", "lark", "regex", "structural_tag"];

impl Source {
    /// Reads a source of a kind.
    ///
    /// # Errors
    /// If there is no such kind, or the object is not a source of it.
    pub fn read(kind: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        match kind {
            "json_schema" => Ok(Self::JsonSchema(arguments::schema(value)?)),
            "kbnf" => Ok(Self::Kbnf(text("text", value)?)),
            "gbnf" => Ok(Self::Gbnf(text("text", value)?)),
            "ebnf" => Ok(Self::Ebnf(text("text", value)?)),
            "lark" => Ok(Self::Lark(text("text", value)?)),
            "structural_tag" => Ok(Self::StructuralTag(json("tag", value)?)),
            "regex" => Ok(Self::Regex(text("pattern", value)?)),
            "choice" => Ok(Self::Choice(texts(value)?)),
            _ => Err(errors::wrong_value("kind", &format!("{kind:?} is not one of {}", KINDS.join(", ")))),
        }
    }

    /// Compiles the source.
    ///
    /// # Errors
    /// As the constructors of [`grammask::Grammar`].
    pub fn compile(&self, tokens: &Tokens, config: &Config) -> Result<grammask::Grammar, grammask::Error> {
        match self {
            Self::Kbnf(text) => grammask::Grammar::compile(text, tokens, config),
            Self::Gbnf(text) => grammask::Grammar::from_gbnf(text, tokens, config),
            Self::Ebnf(text) => grammask::Grammar::from_ebnf(text, tokens, config),
            Self::Lark(text) => grammask::Grammar::from_lark_with(text, &lark_config(config), tokens, config),
            Self::StructuralTag(text) => {
                grammask::Grammar::from_tags_with(text, tags_config(config), tokens, config)
            }
            Self::Regex(text) => grammask::Grammar::from_regex(text, RegexDialect::Auto, tokens, config),
            Self::Choice(texts) => {
                grammask::Grammar::from_choice(texts.iter().map(String::as_str), tokens, config)
            }
            Self::JsonSchema(schema) => grammask::Grammar::from_json_schema(schema, tokens, config),
        }
    }

    /// Checks the source of a text's kind without a vocabulary.
    ///
    /// # Errors
    /// As [`compile`](Self::compile), unless the error is about a token that a vocabulary lacks.
    pub fn check(&self, config: &Config) -> Result<(), grammask::Error> {
        use grammask::gbnf::{self, translate, translate_choices, translate_regex};
        let with_root = |mut notation: gbnf::Config| {
            if let Some(start) = &config.normal.start {
                notation.root.clone_from(start);
            }
            notation
        };
        let outcome = match self {
            Self::Gbnf(text) => translate(text, &with_root(gbnf::Config::gbnf()))?,
            Self::Ebnf(text) => translate(text, &with_root(gbnf::Config::ebnf()))?,
            Self::Lark(text) => lark::translate(text, "grammar.lark", &lark_config(config))?,
            Self::StructuralTag(text) => tags::translate(text, &tags_config(config))?,
            Self::Regex(text) => translate_regex(text, RegexDialect::Auto, "pattern", &Default::default())?,
            Self::Choice(texts) => translate_choices(texts.iter().map(String::as_str), &Default::default())?,
            Self::Kbnf(_) | Self::JsonSchema(_) => return Ok(()),
        };
        let normal = grammask_normal::Config { start: None, ..config.normal.clone() };
        grammask_normal::normalize(&outcome.ast, &normal)
            .map(drop)
            .map_err(|errors| grammask::Error::from(errors).in_notation(&outcome))
    }

    /// Makes the configuration of the keyword arguments.
    ///
    /// # Errors
    /// If an argument is not one of the kind, or has a wrong value.
    pub fn options(&self, options: Option<&Bound<'_, PyDict>>) -> PyResult<Config> {
        match self {
            Self::JsonSchema(_) => options::json_schema(options, Default::default()),
            Self::Lark(_) => options::json_schema(options, lark::Config::default().schema),
            Self::StructuralTag(_) => options::json_schema(options, tags::Config::default().json_schema),
            Self::Kbnf(_) | Self::Gbnf(_) | Self::Ebnf(_) => options::text(options, &["start"]),
            Self::Regex(_) | Self::Choice(_) => options::text(options, &[]),
        }
    }

    /// As [`options`](Self::options), for a vocabulary, with the ends and the beginning.
    ///
    /// # Errors
    /// As [`options`](Self::options), and if a token is not one of the vocabulary.
    pub fn config(
        &self,
        vocabulary: &Vocabulary,
        end: Option<&Bound<'_, PyAny>>,
        begin: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Config> {
        let mut config = self.options(options)?.ending_with(arguments::ends(end, vocabulary)?);
        config.begin = arguments::begin(begin, vocabulary)?;
        Ok(config)
    }

    /// Makes a key that is equal for equal sources with equal configurations.
    pub fn key(&self, config: &Config) -> String {
        let (kind, text) = match self {
            Self::Kbnf(text) => ("kbnf", text.clone()),
            Self::Gbnf(text) => ("gbnf", text.clone()),
            Self::Ebnf(text) => ("ebnf", text.clone()),
            Self::Lark(text) => ("lark", text.clone()),
            Self::StructuralTag(text) => ("structural_tag", text.clone()),
            Self::Regex(text) => ("regex", text.clone()),
            Self::Choice(texts) => ("choice", format!("{texts:?}")),
            Self::JsonSchema(schema) => ("json_schema", schema.to_string()),
        };
        format!("{kind}\0{config:?}\0{text}")
    }

    /// Makes the exception of an error.
    pub fn error(&self, error: &grammask::Error) -> PyErr {
        match self {
            Self::Kbnf(text)
            | Self::Gbnf(text)
            | Self::Ebnf(text)
            | Self::Lark(text)
            | Self::StructuralTag(text)
            | Self::Regex(text) => errors::grammar(error, Some(text)),
            Self::JsonSchema(_) | Self::Choice(_) => errors::grammar(error, None),
        }
    }
}

/// Returns the options of Lark, with those for JSON Schemas of a configuration.
fn lark_config(config: &Config) -> lark::Config {
    lark::Config { schema: config.json_schema.clone(), ..Default::default() }
}

/// Returns the options of structural tags, with those for JSON Schemas of a configuration.
fn tags_config(config: &Config) -> tags::Config {
    tags::Config { json_schema: config.json_schema.clone(), ..Default::default() }
}

/// Texts that are an argument: an iterable, but not one text.
fn texts(value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let expected = "an iterable of str";
    if value.is_instance_of::<PyString>() {
        return Err(errors::wrong_type("choices", expected, value));
    }
    let items = value.try_iter().map_err(|_| errors::wrong_type("choices", expected, value))?;
    items.map(|item| text("choices", &item?)).collect()
}

/// A JSON text that is an argument, or the text of an object.
fn json(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if value.is_instance_of::<PyString>() {
        return text(argument, value);
    }
    let value = value.py().import("json")?.call_method1("dumps", (value,));
    value.map_err(|_| errors::wrong_value(argument, "it is no JSON value"))?.extract()
}

/// A text that is an argument.
fn text(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.cast::<PyString>() {
        Ok(text) => text.extract(),
        Err(_) => Err(errors::wrong_type(argument, "a str", value)),
    }
}
