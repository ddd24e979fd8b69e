//! Schemas with their documents, as a file has them: one line for each schema.
//!
//! A line is `{name, schema, tests: [{valid, data}]}`, or `{id, schema, documents: [text]}` where all
//! documents are valid.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::Context;
use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::python::dumps;

/// A schema with its documents.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Name of the schema.
    pub name: String,
    /// The schema.
    pub schema: Value,
    /// Draft of the schema if it has no `$schema`, such as `7` or `2019-09`, where the data name it.
    pub draft: Option<String>,
    /// The documents.
    pub instances: Vec<Instance>,
}

/// A document with its expected verdict.
#[derive(Clone, Debug)]
pub struct Instance {
    /// True if the schema calls it valid.
    pub is_valid: bool,
    /// The document as Python writes it.
    pub text: String,
}

#[derive(Deserialize)]
struct Line {
    #[serde(alias = "id")]
    name: String,
    schema: Value,
    draft: Option<String>,
    tests: Option<Vec<Test>>,
    documents: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Test {
    valid: bool,
    data: Box<RawValue>,
}

impl Entry {
    /// Reads a line.
    ///
    /// # Errors
    /// If the line has another form, or its schema nests more than 127 levels.
    pub fn parse(line: &str) -> anyhow::Result<Self> {
        let Line { name, schema, draft, tests, documents } = serde_json::from_str(line)?;
        let instances = match (tests, documents) {
            (Some(tests), _) => tests.iter().map(|test| Instance::new(test.valid, &test.data)).collect(),
            (None, Some(texts)) => texts.into_iter().map(|text| Instance { is_valid: true, text }).collect(),
            (None, None) => anyhow::bail!("neither `tests` nor `documents`"),
        };
        Ok(Self { name, schema, draft, instances })
    }
}

impl Instance {
    /// Returns a document with its expected verdict.
    pub fn new(is_valid: bool, data: &RawValue) -> Self {
        Self { is_valid, text: dumps(data.get()) }
    }
}

/// Returns the lines of a file. A file whose name ends in `.gz` is decompressed.
///
/// # Errors
/// If it cannot be read.
pub fn lines(path: &Path) -> anyhow::Result<Vec<String>> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    let reader: Box<dyn Read> = if path.extension().is_some_and(|extension| extension == "gz") {
        Box::new(GzDecoder::new(file))
    } else {
        Box::new(file)
    };
    let lines =
        BufReader::new(reader).lines().filter(|line| line.as_ref().is_ok_and(|line| !line.is_empty()));
    lines.collect::<Result<_, _>>().with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_written_as_python_does() {
        let line =
            r#"{"name":"n","schema":{"type":"object"},"tests":[{"valid":true,"data":{"b":1e16,"a":[1,2]}}]}"#;
        let entry = Entry::parse(line).expect("a line");
        assert_eq!(entry.name, "n");
        assert!(entry.instances[0].is_valid);
        assert_eq!(entry.instances[0].text, r#"{"b": 1e+16, "a": [1, 2]}"#);
        assert!(Entry::parse("{}").is_err());
        assert!(Entry::parse(r#"{"name":"n","schema":{}}"#).is_err());
    }

    #[test]
    fn documents_of_generators_are_valid_and_kept_as_written() {
        let line = r#"{"id":"n","schema":{},"draft":"7","documents":["[1,2]"]}"#;
        let entry = Entry::parse(line).expect("a line");
        assert_eq!(entry.name, "n");
        assert!(entry.instances[0].is_valid);
        assert_eq!(entry.instances[0].text, "[1,2]");
        assert_eq!(entry.draft.as_deref(), Some("7"));
    }
}
