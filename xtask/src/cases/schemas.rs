//! Real schemas with documents: the lines of a file of MaskBench.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::Context;
use flate2::read::GzDecoder;
use grammask::Vocabulary;
use grammask::loaders::Preset;
use serde_json::Value;

/// A schema with documents.
#[derive(Clone, Debug)]
pub struct SchemaCase {
    /// Its name.
    pub name: String,
    /// Its JSON text.
    pub schema: String,
    /// The JSON texts of documents, valid ones and others.
    pub documents: Vec<String>,
}

/// Reads a file with a JSON object on each line: `name`, `schema` and `tests`, which have `data`. The file
/// may be compressed by gzip.
///
/// # Errors
/// If the file cannot be read or has another form.
pub fn read_schemas(path: &Path) -> anyhow::Result<Vec<SchemaCase>> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let is_compressed = path.extension().is_some_and(|extension| extension == "gz");
    let reader: Box<dyn Read> = if is_compressed { Box::new(GzDecoder::new(file)) } else { Box::new(file) };
    let mut cases = Vec::new();
    for (number, line) in BufReader::new(reader).lines().enumerate() {
        let line = line?;
        let row: Value =
            serde_json::from_str(&line).with_context(|| format!("{}:{}", path.display(), number + 1))?;
        let tests = row["tests"].as_array().map(Vec::as_slice).unwrap_or_default();
        cases.push(SchemaCase {
            name: format!("{} (line {})", row["name"].as_str().unwrap_or_default(), number + 1),
            schema: row["schema"].to_string(),
            documents: tests.iter().map(|test| test["data"].to_string()).collect(),
        });
    }
    Ok(cases)
}

/// Reads the vocabulary of Llama 3 from its file of ranks.
///
/// # Errors
/// If the file cannot be read.
pub fn read_vocabulary(path: &Path) -> anyhow::Result<Vocabulary> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Vocabulary::from_tiktoken(&bytes, Preset::Llama3).context("the vocabulary")
}
