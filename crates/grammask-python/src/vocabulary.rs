//! `Vocabulary`: the tokens of a model, and the width of the rows that its masks fill.

mod files;

use grammask::TokenId;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use self::files::Files;
use crate::{arguments, errors, guard};

/// Number of names that a note lists at most.
const MAX_LISTED_NAMES: usize = 8;

/// The tokens of a model.
///
/// `tokens[i]` is the bytes of token `i`, or `None` where there is no such token. `special` maps ids of
/// special tokens, which have a name and no bytes, to their names. `end` names the tokens that end an output.
/// `size` is the number of logits of the model, if it has more than the tokenizer has ids; masks of the
/// additional ids are 0.
#[pyclass(frozen, weakref, module = "grammask")]
pub struct Vocabulary {
    pub(crate) inner: grammask::Vocabulary,
    pub(crate) ends: Vec<TokenId>,
    size: usize,
    /// Remarks about how a file was read.
    notes: Vec<String>,
}

impl Vocabulary {
    fn wrap(inner: grammask::Vocabulary, size: Option<usize>) -> PyResult<Self> {
        let ids = inner.id_count();
        let size = size.unwrap_or(inner.rows());
        if size < ids {
            let message = format!("{size} is less than the {ids} ids of the tokens");
            return Err(errors::wrong_value("size", &message));
        }
        let ends = inner.ends().to_vec();
        Ok(Self { inner, ends, size, notes: Vec::new() })
    }

    fn ending_with(mut self, end: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        self.ends = arguments::ends(end, &self)?;
        Ok(self)
    }

    /// True if there is a token with this id.
    pub(crate) fn has(&self, id: TokenId) -> bool {
        self.inner.bytes(id).is_some() || self.inner.specials().any(|(special, _)| special == id)
    }

    /// Words of 32 bits in a row, at least.
    pub(crate) fn row_words(&self) -> usize {
        self.size.div_ceil(32)
    }
}

#[pymethods]
impl Vocabulary {
    #[new]
    #[pyo3(signature = (tokens, special = None, *, end = None, size = None))]
    fn new(
        py: Python<'_>,
        tokens: &Bound<'_, PyAny>,
        special: Option<&Bound<'_, PyDict>>,
        end: Option<&Bound<'_, PyAny>>,
        size: Option<usize>,
    ) -> PyResult<Self> {
        let items = tokens
            .try_iter()
            .map_err(|_| errors::wrong_type("tokens", "a sequence of bytes or None", tokens))?;
        let mut texts = Vec::new();
        for (id, item) in items.enumerate() {
            let item = item?;
            if item.is_none() {
                continue;
            }
            let Ok(bytes) = item.cast::<PyBytes>() else {
                return Err(errors::wrong_type(&format!("tokens[{id}]"), "bytes or None", &item));
            };
            let id = u32::try_from(id).map_err(|_| errors::wrong_value("tokens", "more than 2^32 tokens"))?;
            texts.push((TokenId(id), bytes.as_bytes().to_vec()));
        }
        let mut names = Vec::new();
        for (id, name) in special.into_iter().flatten() {
            let id = arguments::token("special", &id)?;
            let name: String = name
                .extract()
                .map_err(|_| errors::wrong_type(&format!("special[{}]", id.0), "a str", &name))?;
            names.push((id, name));
        }
        let inner = guard::catching(|| {
            py.detach(|| grammask::Vocabulary::new(texts, names))
                .map_err(|error| errors::vocabulary(&error.to_string()))
        })?;
        Self::wrap(inner, size)?.ending_with(end)
    }

    /// Reads a tokenizer in any format: its bytes, the path of its file, or the path of a folder with the
    /// files of a model. The configurations of a folder say which tokens end a sequence.
    #[staticmethod]
    #[pyo3(signature = (data, *, format = None, added = None, end = None, size = None))]
    fn load(
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        format: Option<&str>,
        added: Option<&Bound<'_, PyAny>>,
        end: Option<&Bound<'_, PyAny>>,
        size: Option<usize>,
    ) -> PyResult<Self> {
        let options = files::options(format, added)?;
        let files = Files::read(data)?;
        let (inner, notes) = guard::catching(|| {
            py.detach(|| files.load(options)).map_err(|error| errors::vocabulary(&error.to_string()))
        })?;
        Self { notes, ..Self::wrap(inner, size)? }.ending_with(end)
    }

    /// Makes a vocabulary of a tokenizer object of another library; see `grammask.tokenizers`.
    #[staticmethod]
    #[pyo3(signature = (tokenizer, *, format = None, added = None, end = None, size = None))]
    fn from_tokenizer<'py>(
        py: Python<'py>,
        tokenizer: &Bound<'py, PyAny>,
        format: Option<&str>,
        added: Option<&Bound<'py, PyAny>>,
        end: Option<&Bound<'py, PyAny>>,
        size: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = PyDict::new(py);
        options.set_item("format", format)?;
        options.set_item("added", added)?;
        options.set_item("end", end)?;
        options.set_item("size", size)?;
        py.import("grammask.tokenizers")?.call_method("from_tokenizer", (tokenizer,), Some(&options))
    }

    /// A vocabulary with the same tokens and ends, for another number of logits.
    fn resized(&self, size: usize) -> PyResult<Self> {
        let mut other = Self::wrap(self.inner.clone(), Some(size))?;
        other.ends.clone_from(&self.ends);
        other.notes.clone_from(&self.notes);
        Ok(other)
    }

    /// A vocabulary with the same tokens that others end.
    fn with_ends(&self, end: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut other = self.resized(self.size)?;
        other.ends = arguments::ends(Some(end), &other)?;
        Ok(other)
    }

    /// A vocabulary with the same tokens, and as ends the special tokens whose names end a text in known
    /// models.
    fn with_known_ends(&self) -> PyResult<Self> {
        let specials = self.inner.specials().map(|(id, name)| (id, name.to_owned()));
        let named = grammask::Vocabulary::from_parts([], specials, Default::default())
            .map_err(|error| errors::vocabulary(&error.to_string()))?;
        let mut other = self.resized(self.size)?;
        other.ends = named.ends().to_vec();
        Ok(other)
    }

    /// The number of logits that a mask covers.
    #[getter]
    const fn size(&self) -> usize {
        self.size
    }

    /// The number of 32-bit words in a row.
    #[getter]
    fn words(&self) -> usize {
        self.row_words()
    }

    /// The ids of the tokens that end an output, unless a grammar is given others.
    #[getter]
    fn ends(&self) -> Vec<u32> {
        self.ends.iter().map(|end| end.0).collect()
    }

    /// The ids of the tokens that begin a sequence, as far as the tokenizer says so.
    #[getter]
    fn begins(&self) -> Vec<u32> {
        self.inner.begins().iter().map(|begin| begin.0).collect()
    }

    /// The number of logits that the tokenizer says the model has; the number of ids if it does not say.
    #[getter]
    fn rows(&self) -> usize {
        self.inner.rows()
    }

    /// True if the decoder removes one space at the beginning of a text, as SentencePiece models do. The
    /// tokens keep it.
    #[getter]
    fn strips_first_space(&self) -> bool {
        self.inner.strips_first_space()
    }

    /// Remarks about how a file was read, and a warning if no token ends an output.
    #[getter]
    fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        if self.ends.is_empty() {
            let likely = self.inner.likely_ends().take(MAX_LISTED_NAMES);
            let names: Vec<String> = likely.map(|(id, name)| format!("{name:?} ({})", id.0)).collect();
            let hint = match names.is_empty() {
                true => String::new(),
                false => format!("; these look like ends: {}", names.join(", ")),
            };
            notes.push(format!("no token ends an output{hint}"));
        }
        notes
    }

    /// The special tokens: id to name. Another name of `special`.
    #[getter]
    fn special_tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.special(py)
    }

    /// The special tokens: id to name.
    #[getter]
    fn special<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let names = PyDict::new(py);
        for (id, name) in self.inner.specials() {
            names.set_item(id.0, name)?;
        }
        Ok(names)
    }

    /// The bytes of a token; `None` for special tokens and ids without a token.
    fn token<'py>(
        &self,
        py: Python<'py>,
        token: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let id = arguments::token("token", token)?;
        Ok(self.inner.bytes(id).map(|bytes| PyBytes::new(py, bytes)))
    }

    /// Sizes of what all grammars of the vocabulary share.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.inner.stats();
        let numbers = PyDict::new(py);
        numbers.set_item("bytes", stats.bytes)?;
        numbers.set_item("nodes", stats.nodes)?;
        Ok(numbers)
    }

    /// A number that is equal for equal vocabularies, ends and sizes apart.
    #[getter]
    fn fingerprint(&self) -> u128 {
        self.inner.fingerprint()
    }

    fn __len__(&self) -> usize {
        self.size
    }

    fn __repr__(&self) -> String {
        let (size, special) = (self.size, self.inner.specials().count());
        format!("<grammask.Vocabulary of {size} ids, {special} special tokens, ends {:?}>", self.ends())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let make = py.import("grammask.tokenizers")?.getattr("_unpickle")?;
        let tokens = PyBytes::new(py, &self.inner.to_bytes());
        let arguments = (self.fingerprint(), tokens, self.ends(), self.size);
        PyTuple::new(py, [make, arguments.into_pyobject(py)?.into_any()])
    }
}
