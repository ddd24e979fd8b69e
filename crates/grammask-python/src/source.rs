//! The source of a grammar: a text or a schema, with the options of its kind.

use grammask::{Config, Vocabulary as Tokens};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::vocabulary::Vocabulary;
use crate::{arguments, errors, options};

/// The text of a grammar in one of the notations, or a JSON Schema.
pub enum Source {
    /// A KBNF text.
    Kbnf(String),
    /// A JSON Schema.
    JsonSchema(serde_json::Value),
}

/// The names of the kinds: those of the methods of `Grammar`.
const KINDS: [&str; 2] = ["json_schema", "kbnf"];

impl Source {
    /// Reads a source of a kind.
    ///
    /// # Errors
    /// If there is no such kind, or the object is not a source of it.
    pub fn read(kind: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        match kind {
            "json_schema" => Ok(Self::JsonSchema(arguments::schema(value)?)),
            "kbnf" => Ok(Self::Kbnf(text("text", value)?)),
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
            Self::JsonSchema(schema) => grammask::Grammar::from_json_schema(schema, tokens, config),
        }
    }

    /// Makes the configuration of the keyword arguments.
    ///
    /// # Errors
    /// If an argument is not one of the kind, or has a wrong value.
    pub fn config(
        &self,
        vocabulary: &Vocabulary,
        end: Option<&Bound<'_, PyAny>>,
        begin: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Config> {
        let mut config = match self {
            Self::JsonSchema(_) => options::json_schema(options)?,
            Self::Kbnf(_) => options::text(options)?,
        };
        config = config.ending_with(arguments::ends(end, vocabulary)?);
        config.begin = arguments::begin(begin, vocabulary)?;
        Ok(config)
    }

    /// Makes a key that is equal for equal sources with equal configurations.
    pub fn key(&self, config: &Config) -> String {
        let (kind, text) = match self {
            Self::Kbnf(text) => ("kbnf", text.clone()),
            Self::JsonSchema(schema) => ("json_schema", schema.to_string()),
        };
        format!("{kind}\0{config:?}\0{text}")
    }

    /// Makes the exception of an error.
    pub fn error(&self, error: &grammask::Error) -> PyErr {
        match self {
            Self::Kbnf(text) => errors::grammar(error, Some(text)),
            Self::JsonSchema(_) => errors::grammar(error, None),
        }
    }
}

/// A text that is an argument.
fn text(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.cast::<PyString>() {
        Ok(text) => text.extract(),
        Err(_) => Err(errors::wrong_type(argument, "a str", value)),
    }
}
