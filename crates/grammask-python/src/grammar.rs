//! `Grammar`: a compiled grammar, and checks that need no vocabulary.

use std::ops::ControlFlow;

use grammask::json_schema::Relaxation;
use grammask::{Config, Tables, TokenId, WarmLimits};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::matcher::Matcher;
use crate::source::Source;
use crate::vocabulary::Vocabulary;
use crate::{arguments, errors, guard, options};

/// A grammar that is compiled for a vocabulary. Immutable; shared by all its matchers and by threads.
#[pyclass(frozen, weakref, module = "grammask")]
pub struct Grammar {
    inner: grammask::Grammar,
    vocabulary: Py<Vocabulary>,
}

/// The keyword arguments of all kinds of grammars.
struct Arguments<'a, 'py> {
    end: Option<&'a Bound<'py, PyAny>>,
    begin: Option<&'a Bound<'py, PyAny>>,
    options: Option<&'a Bound<'py, PyDict>>,
}

#[pymethods]
impl Grammar {
    /// Compiles a KBNF text.
    #[staticmethod]
    #[pyo3(signature = (text, vocabulary, *, end = None, begin = None, **options))]
    fn kbnf(
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        vocabulary: Py<Vocabulary>,
        end: Option<&Bound<'_, PyAny>>,
        begin: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let arguments = Arguments { end, begin, options };
        Self::compile(py, "kbnf", text, vocabulary, &arguments)
    }

    /// Compiles a JSON Schema: text, a dict, a Pydantic model or a `TypeAdapter`.
    #[staticmethod]
    #[pyo3(signature = (schema, vocabulary, *, end = None, begin = None, **options))]
    fn json_schema(
        py: Python<'_>,
        schema: &Bound<'_, PyAny>,
        vocabulary: Py<Vocabulary>,
        end: Option<&Bound<'_, PyAny>>,
        begin: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let arguments = Arguments { end, begin, options };
        Self::compile(py, "json_schema", schema, vocabulary, &arguments)
    }

    /// Compiles a text in GBNF, the notation of llama.cpp.
    #[staticmethod]
    #[pyo3(signature = (text, vocabulary, *, end = None, begin = None, **options))]
    fn gbnf(
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        vocabulary: Py<Vocabulary>,
        end: Option<&Bound<'_, PyAny>>,
        begin: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let arguments = Arguments { end, begin, options };
        Self::compile(py, "gbnf", text, vocabulary, &arguments)
    }

    /// Compiles a text in the EBNF of xgrammar.
    #[staticmethod]
    #[pyo3(signature = (text, vocabulary, *, end = None, begin = None, **options))]
    fn ebnf(
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        vocabulary: Py<Vocabulary>,
        end: Option<&Bound<'_, PyAny>>,
        begin: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let arguments = Arguments { end, begin, options };
        Self::compile(py, "ebnf", text, vocabulary, &arguments)
    }

    /// Compiles a text in Lark, in the dialect of llguidance or in that of Lark itself.
    #[staticmethod]
    #[pyo3(signature = (text, vocabulary, *, end = None, begin = None, **options))]
    fn lark(
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        vocabulary: Py<Vocabulary>,
        end: Option<&Bound<'_, PyAny>>,
        begin: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let arguments = Arguments { end, begin, options };
        Self::compile(py, "lark", text, vocabulary, &arguments)
    }

    /// Compiles structural tags of xgrammar: a JSON text, or an object.
    #[staticmethod]
    #[pyo3(signature = (tag, vocabulary, *, end = None, begin = None, **options))]
    fn structural_tag(
        py: Python<'_>,
        tag: &Bound<'_, PyAny>,
        vocabulary: Py<Vocabulary>,
        end: Option<&Bound<'_, PyAny>>,
        begin: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let arguments = Arguments { end, begin, options };
        Self::compile(py, "structural_tag", tag, vocabulary, &arguments)
    }

    /// Compiles a regular expression, which outputs match from end to end.
    #[staticmethod]
    #[pyo3(signature = (pattern, vocabulary, *, end = None, begin = None, **options))]
    fn regex(
        py: Python<'_>,
        pattern: &Bound<'_, PyAny>,
        vocabulary: Py<Vocabulary>,
        end: Option<&Bound<'_, PyAny>>,
        begin: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let arguments = Arguments { end, begin, options };
        Self::compile(py, "regex", pattern, vocabulary, &arguments)
    }

    /// Compiles texts, of which the output is one.
    #[staticmethod]
    #[pyo3(signature = (choices, vocabulary, *, end = None, begin = None, **options))]
    fn choice(
        py: Python<'_>,
        choices: &Bound<'_, PyAny>,
        vocabulary: Py<Vocabulary>,
        end: Option<&Bound<'_, PyAny>>,
        begin: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let arguments = Arguments { end, begin, options };
        Self::compile(py, "choice", choices, vocabulary, &arguments)
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

    /// A matcher at the beginning of an output. `end` names the tokens that end this output, instead of those
    /// of the grammar; matchers with the same ends share their masks.
    #[pyo3(signature = (*, end = None))]
    fn matcher(slf: &Bound<'_, Self>, end: Option<&Bound<'_, PyAny>>) -> PyResult<Matcher> {
        let this = slf.get();
        let inner = match end.filter(|end| !end.is_none()) {
            None => this.inner.matcher(),
            Some(end) => {
                let ends = arguments::ends(Some(end), this.vocabulary.get())?;
                let made = guard::catching(|| Ok(slf.py().detach(|| this.inner.matcher_with_ends(ends))))?;
                made.map_err(|error| errors::wrong_value("end", &error.to_string()))?
            }
        };
        Ok(Matcher::new(inner, slf.clone().unbind()))
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

    /// The ids of the tokens that end an output.
    #[getter]
    fn ends(&self) -> Vec<u32> {
        self.inner.ending().tokens().iter().map(|end| end.0).collect()
    }

    /// Remarks for the person who runs the grammar: that no token ends an output is one.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.inner.notes().iter().map(ToString::to_string).collect()
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
        numbers.set_item("seconds", stats.masks.compute_time.as_secs_f64())?;
        numbers.set_item("max_seconds", stats.masks.max_compute_time.as_secs_f64())?;
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
    pub(crate) const fn new(inner: grammask::Grammar, vocabulary: Py<Vocabulary>) -> Self {
        Self { inner, vocabulary }
    }

    fn compile(
        py: Python<'_>,
        kind: &str,
        source: &Bound<'_, PyAny>,
        vocabulary: Py<Vocabulary>,
        arguments: &Arguments<'_, '_>,
    ) -> PyResult<Self> {
        let source = Source::read(kind, source)?;
        let config = source.config(vocabulary.get(), arguments.end, arguments.begin, arguments.options)?;
        let tokens = &vocabulary.get().inner;
        let inner = guard::catching(|| {
            py.detach(|| source.compile(tokens, &config)).map_err(|error| source.error(&error))
        })?;
        Ok(Self::new(inner, vocabulary))
    }

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

/// Checks a source of a kind without a model's vocabulary: special tokens are not looked up.
fn check(
    py: Python<'_>,
    kind: &str,
    value: &Bound<'_, PyAny>,
    start: Option<String>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let source = Source::read(kind, value)?;
    let mut config = source.options(options)?;
    if let Some(start) = start {
        config = config.with_start(start);
    }
    let result = guard::catching(|| Ok(py.detach(|| source.check(&config))))?;
    result.map_err(|error| source.error(&error))
}

/// Checks a GBNF text without a vocabulary.
#[pyfunction]
#[pyo3(signature = (text, *, start = None))]
pub fn check_gbnf(py: Python<'_>, text: &Bound<'_, PyAny>, start: Option<String>) -> PyResult<()> {
    check(py, "gbnf", text, start, None)
}

/// Checks an EBNF text without a vocabulary.
#[pyfunction]
#[pyo3(signature = (text, *, start = None))]
pub fn check_ebnf(py: Python<'_>, text: &Bound<'_, PyAny>, start: Option<String>) -> PyResult<()> {
    check(py, "ebnf", text, start, None)
}

/// Checks a regular expression without a vocabulary.
#[pyfunction]
pub fn check_regex(py: Python<'_>, pattern: &Bound<'_, PyAny>) -> PyResult<()> {
    check(py, "regex", pattern, None, None)
}

/// Checks a text in Lark without a vocabulary.
#[pyfunction]
#[pyo3(signature = (text, **options))]
pub fn check_lark(
    py: Python<'_>,
    text: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    check(py, "lark", text, None, options)
}

/// Checks structural tags without a vocabulary.
#[pyfunction]
#[pyo3(signature = (tag, **options))]
pub fn check_structural_tag(
    py: Python<'_>,
    tag: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    check(py, "structural_tag", tag, None, options)
}

/// Checks a list of texts without a vocabulary.
#[pyfunction]
pub fn check_choice(py: Python<'_>, choices: &Bound<'_, PyAny>) -> PyResult<()> {
    check(py, "choice", choices, None, None)
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
    let config = options::json_schema(options, Default::default())?;
    let vocabulary = bytes_only()?;
    let grammar = guard::catching(|| {
        py.detach(|| grammask::Grammar::from_json_schema(&schema, &vocabulary, &config))
            .map_err(|error| errors::grammar(&error, None))
    })?;
    relaxations(py, grammar.relaxations())
}
