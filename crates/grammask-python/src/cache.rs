//! `GrammarCache`: compiled grammars for many requests, compiled once each.

use grammask::CacheError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::grammar::Grammar;
use crate::source::Source;
use crate::vocabulary::Vocabulary;
use crate::{errors, guard};

/// Compiled grammars of one vocabulary, by their text and options.
#[pyclass(frozen, weakref, module = "grammask")]
pub struct GrammarCache {
    inner: grammask::GrammarCache<String>,
    vocabulary: Py<Vocabulary>,
    budget: usize,
}

/// A caller of `GrammarCache.get` that may give up.
#[pyclass(frozen, weakref, module = "grammask")]
pub struct Request {
    inner: grammask::Request,
}

#[pymethods]
impl Request {
    #[new]
    fn new() -> Self {
        Self { inner: grammask::Request::new() }
    }

    /// True if `GrammarCache.cancel` was called for it.
    #[getter]
    fn is_cancelled(&self) -> bool {
        self.inner.is_cancelled()
    }
}

#[pymethods]
impl GrammarCache {
    #[new]
    #[pyo3(signature = (vocabulary, *, budget = 268435456))]
    fn new(vocabulary: Py<Vocabulary>, budget: usize) -> Self {
        Self { inner: grammask::GrammarCache::new(budget), vocabulary, budget }
    }

    /// Returns the grammar of a source: compiles it on this thread, or waits for another thread that does.
    #[pyo3(signature = (kind, source, *, end = None, begin = None, request = None, **options))]
    #[expect(clippy::too_many_arguments, reason = "they are those of the Python method")]
    fn get(
        &self,
        py: Python<'_>,
        kind: &str,
        source: &Bound<'_, PyAny>,
        end: Option<&Bound<'_, PyAny>>,
        begin: Option<&Bound<'_, PyAny>>,
        request: Option<Py<Request>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Grammar> {
        let source = Source::read(kind, source)?;
        let vocabulary = self.vocabulary.get();
        let config = source.config(vocabulary, end, begin, options)?;
        let key = source.key(&config);
        let request = request.map(|request| request.get().inner.clone()).unwrap_or_default();
        let result = guard::catching(|| {
            Ok(py.detach(|| {
                self.inner.get_or_compile(key, &request, |flag| {
                    let mut config = config.clone();
                    config.cancel = Some(flag.clone().into());
                    source.compile(&vocabulary.inner, &config)
                })
            }))
        })?;
        match result {
            Ok(inner) => Ok(Grammar::new(inner, self.vocabulary.clone_ref(py))),
            Err(CacheError::Compile(error)) => Err(source.error(&error)),
            Err(error) => Err(errors::cancelled(&error.to_string())),
        }
    }

    /// Cancels a request: its call raises `Cancelled` soon.
    fn cancel(&self, request: &Bound<'_, Request>) {
        self.inner.cancel(&request.get().inner);
    }

    /// Drops all grammars. Those in use stay alive.
    fn clear(&self, py: Python<'_>) {
        py.detach(|| self.inner.clear());
    }

    /// The vocabulary of all grammars.
    #[getter]
    fn vocabulary(&self, py: Python<'_>) -> Py<Vocabulary> {
        self.vocabulary.clone_ref(py)
    }

    /// Sizes and counts of the cache.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.inner.stats();
        let numbers = PyDict::new(py);
        numbers.set_item("grammars", stats.grammars)?;
        numbers.set_item("bytes", stats.bytes)?;
        numbers.set_item("budget", self.budget)?;
        numbers.set_item("compiling", stats.compiling)?;
        numbers.set_item("hits", stats.hits)?;
        numbers.set_item("misses", stats.misses)?;
        numbers.set_item("shared", stats.shared)?;
        numbers.set_item("failures", stats.failures)?;
        numbers.set_item("cancelled", stats.cancelled)?;
        numbers.set_item("evicted", stats.evicted)?;
        Ok(numbers)
    }

    fn __len__(&self) -> usize {
        self.inner.stats().grammars
    }

    /// Always true: a cache without grammars is not an empty container.
    const fn __bool__(&self) -> bool {
        true
    }

    fn __repr__(&self) -> String {
        let stats = self.inner.stats();
        format!(
            "<grammask.GrammarCache: {} grammars, {} bytes of {}>",
            stats.grammars, stats.bytes, self.budget
        )
    }
}
