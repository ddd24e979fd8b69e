//! Rust errors as the exceptions that `grammask/errors.py` defines.

use grammask::json_schema::Reason;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyType};

/// The name of the module that defines the exceptions.
const MODULE: &str = "grammask.errors";

fn class<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyType>>,
    name: &str,
) -> PyResult<Bound<'py, PyType>> {
    cell.import(py, MODULE, name).cloned()
}

/// An exception of the class, with the message as its only argument.
fn plain(cell: &'static PyOnceLock<Py<PyType>>, name: &str, message: &str) -> PyErr {
    Python::attach(|py| match class(py, cell, name) {
        Ok(class) => PyErr::from_type(class, (message.to_owned(),)),
        Err(error) => error,
    })
}

/// A call on an object that another thread is using.
pub fn in_use(object: &str) -> PyErr {
    PyRuntimeError::new_err(format!(
        "the {object} is in use by another call; use one {object} in one thread at a time"
    ))
}

/// A panic in the engine, in the call that met it.
pub fn panicked(message: &str) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    plain(&CLASS, "InternalError", &format!("a fault in grammask, please report it: {message}"))
}

/// A call on an object that a panic has closed.
pub fn closed_by_panic(object: &str, message: &str) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let text =
        format!("the {object} cannot be used any more: an earlier call met a fault in grammask: {message}");
    plain(&CLASS, "InternalError", &text)
}

/// A limit of the configuration.
pub fn limit(message: &str) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    plain(&CLASS, "LimitError", message)
}

/// A request of a cache that was cancelled.
pub fn cancelled(message: &str) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    plain(&CLASS, "Cancelled", message)
}

/// A vocabulary that cannot be made.
pub fn vocabulary(message: &str) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    plain(&CLASS, "VocabularyError", message)
}

/// Saved bytes that belong to another vocabulary, another version, or nothing.
pub fn load(error: &grammask::LoadError) -> PyErr {
    static MISMATCH: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    match error {
        grammask::LoadError::Vocabulary { .. } => plain(&MISMATCH, "VocabularyMismatch", &error.to_string()),
        other => PyValueError::new_err(other.to_string()),
    }
}

/// An argument of a wrong type: its name, what is expected, and what was given.
pub fn wrong_type(argument: &str, expected: &str, given: &Bound<'_, PyAny>) -> PyErr {
    let name = given.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("{argument}: expected {expected}, not {name}"))
}

/// An argument of a wrong value.
pub fn wrong_value(argument: &str, message: &str) -> PyErr {
    PyValueError::new_err(format!("{argument}: {message}"))
}

/// A grammar or schema that does not compile. `text` is the KBNF text; a schema has none.
pub fn grammar(error: &grammask::Error, text: Option<&str>) -> PyErr {
    Python::attach(|py| grammar_error(py, error, text).unwrap_or_else(|error| error))
}

fn grammar_error(py: Python<'_>, error: &grammask::Error, text: Option<&str>) -> PyResult<PyErr> {
    static GRAMMAR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    if let grammask::Error::JsonSchema(schema) = error
        && matches!(schema.reason, Reason::Limit { .. })
    {
        return Ok(limit(&error.to_string()));
    }
    if let grammask::Error::Stopped { .. } = error {
        return Ok(limit(&error.to_string()));
    }
    let mut diagnostics = Vec::new();
    for found in error.diagnostics() {
        let entry = PyDict::new(py);
        entry.set_item("message", &found.message)?;
        entry.set_item("hint", &found.hint)?;
        entry.set_item("start", found.span.start)?;
        entry.set_item("end", found.span.end)?;
        if let Some(text) = text {
            let place = grammask_syntax::line_column(text, found.span.start);
            entry.set_item("line", place.line)?;
            entry.set_item("column", place.column)?;
        }
        diagnostics.push(entry);
    }
    if let grammask::Error::JsonSchema(schema) = error {
        let entry = PyDict::new(py);
        entry.set_item("message", schema.reason.to_string())?;
        entry.set_item("pointer", &schema.pointer)?;
        entry.set_item("keyword", &schema.keyword)?;
        diagnostics.push(entry);
    }
    let rendered = text.map(|text| error.render(text, "grammar"));
    let class = class(py, &GRAMMAR, "GrammarError")?;
    let diagnostics = PyList::new(py, diagnostics)?.unbind();
    Ok(PyErr::from_type(class, (error.to_string(), diagnostics, rendered)))
}
