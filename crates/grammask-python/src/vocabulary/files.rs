//! The files of a tokenizer: one file in any format, or a folder with the files of a model.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use grammask::VocabularyError;
use grammask::loaders::{self, AddedSpecials, Format, Options, Preset, VocabularyFiles};
use pyo3::exceptions::PyFileNotFoundError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::errors;

/// Size of a vocabulary file, in bytes. A larger file is an error. The tensors of a GGUF file do not count.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Number of bytes of a GGUF file that are read first. Headers of models in use are smaller.
const FIRST_GGUF_BYTES: u64 = 1 << 24;

/// The bytes of a tokenizer, and of the configurations beside it.
#[derive(Default)]
pub struct Files {
    pub tokenizer: Vec<u8>,
    pub tokenizer_config: Option<Vec<u8>>,
    pub generation_config: Option<Vec<u8>>,
}

impl Files {
    /// Reads the files that an argument names: bytes, or the path of a file or a folder.
    ///
    /// # Errors
    /// If the argument is neither, a file cannot be read, or a folder has no tokenizer or several.
    pub fn read(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = data.cast::<PyBytes>() {
            return Ok(Self { tokenizer: bytes.as_bytes().to_vec(), ..Self::default() });
        }
        let path: PathBuf =
            data.extract().map_err(|_| errors::wrong_type("data", "bytes or a path", data))?;
        if !path.is_dir() {
            return Ok(Self { tokenizer: read_file(&path)?, ..Self::default() });
        }
        let other = |name: &str| {
            let path = path.join(name);
            if path.is_file() { read_file(&path).map(Some) } else { Ok(None) }
        };
        Ok(Self {
            tokenizer: read_file(&tokenizer_in(&path)?)?,
            tokenizer_config: other("tokenizer_config.json")?,
            generation_config: other("generation_config.json")?,
        })
    }

    /// Loads the vocabulary. Also returns remarks about how it was read.
    ///
    /// # Errors
    /// If a file is damaged or in no known format.
    pub fn load(&self, mut options: Options) -> Result<(grammask::Vocabulary, Vec<String>), VocabularyError> {
        let files = VocabularyFiles {
            tokenizer: &self.tokenizer,
            tokenizer_config: self.tokenizer_config.as_deref(),
            generation_config: self.generation_config.as_deref(),
        };
        let load = |options: &Options| loaders::load_files(&files, options, &Default::default());
        let vocabulary = load(&options)?;
        let is_plain = options.format.is_none() && Format::sniff(&self.tokenizer) == Some(Format::Tiktoken);
        let guess = Preset::guess(vocabulary.token_count()).filter(|_| is_plain);
        let Some(preset) = guess.filter(|_| vocabulary.special_tokens().len() == 0) else {
            return Ok((vocabulary.into(), Vec::new()));
        };
        options.preset = Some(preset);
        let note = format!(
            "the file has as many tokens as {preset}, so it gets its special tokens; format=\"tiktoken:NAME\" \
             chooses others, and format=\"tiktoken\" none"
        );
        Ok((load(&options)?.into(), vec![note]))
    }
}

/// Reads a file. Of a GGUF file, reads as much as its header needs.
fn read_file(path: &Path) -> PyResult<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    let mut wanted = FIRST_GGUF_BYTES;
    loop {
        let before = bytes.len() as u64;
        let read = (&mut file).take(wanted - before).read_to_end(&mut bytes)? as u64;
        let is_whole = read < wanted - before;
        let needs_more = || loaders::is_cut_gguf(&bytes) || Format::sniff(&bytes) != Some(Format::Gguf);
        if is_whole || !needs_more() {
            return Ok(bytes);
        }
        if wanted >= MAX_FILE_BYTES {
            let message = format!("{} has more than {MAX_FILE_BYTES} bytes", path.display());
            return Err(errors::wrong_value("data", &message));
        }
        wanted = (wanted * 4).min(MAX_FILE_BYTES + 1);
    }
}

/// Returns the tokenizer of a folder: a file with a known name, or the only file with a known ending.
fn tokenizer_in(folder: &Path) -> PyResult<PathBuf> {
    if let Some(path) =
        loaders::TOKENIZER_FILES.iter().map(|name| folder.join(name)).find(|path| path.is_file())
    {
        return Ok(path);
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "gguf" || end == "tiktoken"))
        .collect();
    found.sort();
    match found.pop() {
        Some(path) if found.is_empty() => Ok(path),
        Some(_) => {
            let message = format!("{}: several tokenizers; name one", folder.display());
            Err(errors::wrong_value("data", &message))
        }
        None => Err(PyFileNotFoundError::new_err(format!(
            "{}: no tokenizer: none of {}, *.gguf and *.tiktoken",
            folder.display(),
            loaders::TOKENIZER_FILES.join(", ")
        ))),
    }
}

/// Makes the options of the arguments `format` and `added`.
///
/// # Errors
/// If a value is not one of those documented; the message lists them.
pub fn options(format: Option<&str>, added: Option<&Bound<'_, PyAny>>) -> PyResult<Options> {
    let mut options = Options::default();
    if let Some(added) = added {
        options.added = added_specials(added)?;
    }
    match format {
        None => Ok(options),
        Some(name) => {
            options.with_format(name).map_err(|error| errors::wrong_value("format", &error.to_string()))
        }
    }
}

/// `"turns"`, `"flag"`, `"all"`, or the names of the added tokens that are special.
fn added_specials(value: &Bound<'_, PyAny>) -> PyResult<AddedSpecials> {
    let expected = "\"turns\", \"flag\", \"all\" or an iterable of names";
    if let Ok(name) = value.cast::<PyString>() {
        return match name.to_str()? {
            "turns" => Ok(AddedSpecials::FlagAndTurns),
            "flag" => Ok(AddedSpecials::Flag),
            "all" => Ok(AddedSpecials::All),
            other => Err(errors::wrong_value("added", &format!("{other:?} is not {expected}"))),
        };
    }
    let items = value.try_iter().map_err(|_| errors::wrong_type("added", expected, value))?;
    let name = |item: PyResult<Bound<'_, PyAny>>| {
        let item = item?;
        item.extract::<String>().map_err(|_| errors::wrong_type("added", expected, &item))
    };
    Ok(AddedSpecials::Named(items.map(name).collect::<PyResult<_>>()?))
}
