//! `fill_masks`: the masks of many matchers in one call, without the GIL.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;

use crate::errors;
use crate::guard::panic_message;
use crate::matcher::Matcher;
use crate::rows::Rows;

/// Writes the masks of a batch: matcher `i` into row `indices[i]`, or row `i` without `indices`.
///
/// At most `threads` threads work, the calling one among them (default 1). Returns the number of matchers
/// that met a limit; their rows are 0, and `Matcher.error` says which limit.
#[pyfunction]
#[pyo3(signature = (matchers, rows, *, indices = None, threads = 1))]
pub fn fill_masks(
    py: Python<'_>,
    matchers: Vec<Py<Matcher>>,
    rows: &Bound<'_, PyAny>,
    indices: Option<Vec<usize>>,
    threads: usize,
) -> PyResult<usize> {
    let mut rows = Rows::of(rows)?;
    if let Some(indices) = &indices
        && indices.len() != matchers.len()
    {
        let message = format!("{} indices for {} matchers", indices.len(), matchers.len());
        return Err(errors::wrong_value("indices", &message));
    }
    let Some(first) = matchers.first() else { return Ok(0) };
    for matcher in &matchers {
        matcher.get().check_width(&rows)?;
    }
    let start = indices.as_ref().map_or(0, |indices| indices[0]);
    let is_run =
        indices.as_ref().is_none_or(|indices| indices.iter().zip(start..).all(|(&index, row)| index == row));
    if let Some(&index) = indices.iter().flatten().find(|&&index| index >= rows.len()) {
        let message = format!("row {index} of an array with {} rows", rows.len());
        return Err(errors::wrong_value("indices", &message));
    }
    let words = rows.words();
    let _ = first;
    let mut taken = Taken::new(&matchers)?;
    if is_run {
        let target = rows.slice_mut(start, matchers.len())?;
        return taken.fill(py, target, threads);
    }
    let mut scratch = vec![0; words * matchers.len()];
    let limited = taken.fill(py, &mut scratch, threads)?;
    for (row, &index) in scratch.chunks(words.max(1)).zip(indices.iter().flatten()) {
        rows.slice_mut(index, 1)?.copy_from_slice(row);
    }
    Ok(limited)
}

/// Matchers that are taken out of their Python objects, and given back at the end whatever happens.
struct Taken<'a> {
    objects: &'a [Py<Matcher>],
    matchers: Vec<grammask::Matcher>,
    /// The message of a panic that left the matchers in an unknown state.
    panic: Option<String>,
}

impl<'a> Taken<'a> {
    fn new(objects: &'a [Py<Matcher>]) -> PyResult<Self> {
        let mut taken = Self { objects, matchers: Vec::with_capacity(objects.len()), panic: None };
        for object in objects {
            // Those that were taken before go back when `taken` is dropped.
            taken.matchers.push(object.get().inner.take()?);
        }
        Ok(taken)
    }

    fn fill(&mut self, py: Python<'_>, rows: &mut [u32], threads: usize) -> PyResult<usize> {
        let matchers = &mut self.matchers;
        let work = || py.detach(|| grammask::fill_masks(matchers, rows, threads));
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(result) => result.map_err(|error| errors::wrong_value("rows", &error.to_string())),
            Err(panic) => {
                let message = panic_message(&*panic);
                self.panic = Some(message.clone());
                Err(errors::panicked(&message))
            }
        }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        for (object, matcher) in self.objects.iter().zip(self.matchers.drain(..)) {
            let value = self.panic.clone().map_or(Ok(matcher), Err);
            object.get().inner.put_back(value);
        }
    }
}
