//! `Grammar`: a compiled grammar, and checks that need no vocabulary.

use std::ops::ControlFlow;

use grammask::json_schema::Relaxation;
use grammask::{Config, Tables, TokenId, WarmLimits};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::matcher::Matcher;
use crate::vocabulary::Vocabulary;
use crate::{arguments, errors, guard, options};

/// A grammar that is compiled for a vocabulary. Immutable; shared by all its matchers and by threads.
#[pyclass(frozen, weakref, module = "grammask")]
pub struct Grammar {
    inner: grammask::Grammar,
    vocabulary: Py<Vocabulary>,
}

#[pymethods]
impl Grammar {
    /// Compiles a KBNF text.
    #[staticmethod]
    #[pyo3(signature = (text, vocabulary, *, start = None, end = None))]
    fn kbnf(
        py: Python<'_>,
        text: &str,
        vocabulary: Py<Vocabulary>,
        start: Option<String>,
        end: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut config = Config::default();
        if let Some(start) = start {
            config = config.with_start(start);
        }
        let config = config.ending_with(arguments::ends(end, vocabulary.get())?);
        let tokens = &vocabulary.get().inner;
        let inner = guard::catching(|| {
            py.detach(|| grammask::Grammar::compile(text, tokens, &config))
                .map_err(|error| errors::grammar(&error, Some(text)))
        })?;
        Ok(Self { inner, vocabulary })
    }

    /// Compiles a JSON Schema: text, a dict, a Pydantic model or a `TypeAdapter`.
    #[staticmethod]
    #[pyo3(signature = (schema, vocabulary, *, end = None, **options))]
    fn json_schema(
        py: Python<'_>,
        schema: &Bound<'_, PyAny>,
        vocabulary: Py<Vocabulary>,
        end: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let schema = arguments::schema(schema)?;
        let config = options::json_schema(options)?.ending_with(arguments::ends(end, vocabulary.get())?);
        let tokens = &vocabulary.get().inner;
        let inner = guard::catching(|| {
            py.detach(|| grammask::Grammar::from_json_schema(&schema, tokens, &config))
                .map_err(|error| errors::grammar(&error, None))
        })?;
        Ok(Self { inner, vocabulary })
    }

    /// Reads what `save` wrote, for an equal vocabulary.
    #[staticmethod]
    fn load(py: Python<'_>, data: &[u8], vocabulary: Py<Vocabulary>) -> PyResult<Self> {
        let tokens = &vocabulary.get().inner;
        let inner = guard::catching(|| {
            py.detach(|| grammask::Grammar::load(data, tokens)).map_err(|error| errors::load(&error))
        })?;
        Ok(Self { inner, vocabulary })
    }

    /// The compiled grammar as bytes; with `warm`, the masks that are known as well.
    #[pyo3(signature = (*, warm = false))]
    fn save<'py>(&self, py: Python<'py>, warm: bool) -> PyResult<Bound<'py, PyBytes>> {
        let tables = if warm { Tables::Warm } else { Tables::Cold };
        let bytes = guard::catching(|| Ok(py.detach(|| self.inner.save(tables))))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A matcher at the beginning of an output.
    fn matcher(slf: &Bound<'_, Self>) -> Matcher {
        Matcher::new(slf.get().inner.matcher(), slf.clone().unbind())
    }

    /// Computes masks before they are asked for: breadth first, of at most `states` states, with `threads`
    /// threads.
    #[pyo3(signature = (*, states = 1000, threads = 1))]
    fn warm(&self, py: Python<'_>, states: usize, threads: usize) -> PyResult<()> {
        let limits = WarmLimits { states, threads };
        guard::catching(|| {
            py.detach(|| self.inner.warm(&limits, |_| ControlFlow::Continue(())));
            Ok(())
        })
    }

    /// The parts of the schema that outputs are not held to, as dicts with `pointer`, `keyword` and `reason`.
    #[getter]
    fn relaxations<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        relaxations(py, self.inner.relaxations())
    }

    /// The vocabulary that the grammar was compiled for.
    #[getter]
    fn vocabulary(&self, py: Python<'_>) -> Py<Vocabulary> {
        self.vocabulary.clone_ref(py)
    }

    /// Sizes of the grammar's tables, and how often masks were asked for.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.inner.stats();
        let numbers = PyDict::new(py);
        numbers.set_item("bytes", stats.tables.bytes)?;
        numbers.set_item("states", stats.tables.sets)?;
        numbers.set_item("masks", stats.tables.masks)?;
        numbers.set_item("asked", stats.masks.requested)?;
        numbers.set_item("first_visits", stats.masks.computed)?;
        Ok(numbers)
    }

    fn __repr__(&self) -> String {
        let stats = self.inner.stats();
        format!("<grammask.Grammar: {} states, {} masks known>", stats.tables.sets, stats.tables.masks)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let this = slf.get();
        let arguments = (this.save(py, false)?, this.vocabulary.clone_ref(py));
        let make = py.get_type::<Self>().getattr("load")?;
        PyTuple::new(py, [make, arguments.into_pyobject(py)?.into_any()])
    }
}

impl Grammar {
    /// Words of 32 bits that a row needs at least.
    pub(crate) fn row_words(&self) -> usize {
        self.vocabulary.get().row_words()
    }
}

fn relaxations<'py>(py: Python<'py>, found: &[Relaxation]) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let entry = |relaxation: &Relaxation| {
        let entry = PyDict::new(py);
        entry.set_item("pointer", &relaxation.pointer)?;
        entry.set_item("keyword", &relaxation.keyword)?;
        entry.set_item("reason", &relaxation.reason)?;
        entry.set_item("weakens", relaxation.weakens)?;
        Ok(entry)
    };
    found.iter().map(entry).collect()
}

/// Tokens that let a grammar be compiled without a model's vocabulary: all bytes.
fn bytes_only() -> PyResult<grammask::Vocabulary> {
    let bytes = (0..=u8::MAX).map(|byte| (TokenId(u32::from(byte)), vec![byte]));
    grammask::Vocabulary::new(bytes, []).map_err(|error| errors::vocabulary(&error.to_string()))
}

/// Checks a KBNF text without a vocabulary. Special tokens are not looked up.
#[pyfunction]
#[pyo3(signature = (text, *, start = None))]
pub fn check_kbnf(py: Python<'_>, text: &str, start: Option<String>) -> PyResult<()> {
    let mut config = Config::default();
    if let Some(start) = start {
        config = config.with_start(start);
    }
    let result = guard::catching(|| Ok(py.detach(|| check_text(text, &config))))?;
    result.map_err(|error| errors::grammar(&error, Some(text)))
}

fn check_text(text: &str, config: &Config) -> Result<(), grammask::Error> {
    let ast = grammask_syntax::parse_or_recover(text, &config.syntax)
        .map_err(|recovered| grammask::Error::of_recovered(*recovered, config))?;
    grammask_normal::normalize(&ast, &config.normal)?;
    Ok(())
}

/// Checks a JSON Schema without a model's vocabulary, with the options of `Grammar.json_schema`; returns its
/// relaxations.
#[pyfunction]
#[pyo3(signature = (schema, **options))]
pub fn check_json_schema<'py>(
    py: Python<'py>,
    schema: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let schema = arguments::schema(schema)?;
    let config = options::json_schema(options)?;
    let vocabulary = bytes_only()?;
    let grammar = guard::catching(|| {
        py.detach(|| grammask::Grammar::from_json_schema(&schema, &vocabulary, &config))
            .map_err(|error| errors::grammar(&error, None))
    })?;
    relaxations(py, grammar.relaxations())
}
