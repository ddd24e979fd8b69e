//! Writable rows of 32-bit words in memory that Python owns.
//!
//! A row is what a mask is written into: token `t` is bit `t % 32` of word `t / 32`. Accepted are all
//! writable, C-contiguous buffers of one or two dimensions with items `int32` or `uint32` (numpy arrays,
//! `array.array`, `memoryview`), and torch tensors of that kind in main memory.
//!
//! This is the one module with `unsafe` code. The safe way, `PyBuffer::copy_from_slice`, writes each row
//! twice: 2.95 against 0.38 microseconds for the 16 KB of a row (pyo3 0.30).

use std::sync::Mutex;

use pyo3::buffer::PyUntypedBuffer;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyType, PyWeakrefMethods, PyWeakrefReference};

use crate::errors;

/// Rows of 32-bit words.
pub struct Rows {
    /// The first word.
    start: *mut u32,
    rows: usize,
    /// Words in each row.
    words: usize,
    /// Keeps the memory in place; `None` for a tensor, which the caller's argument keeps alive.
    _buffer: Option<PyUntypedBuffer>,
}

impl Rows {
    /// The rows of an object.
    ///
    /// # Errors
    /// If the object is read-only, not contiguous, has other items, or another number of dimensions.
    pub fn of(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if is_tensor(value)? {
            return Self::of_tensor(value);
        }
        Self::of_buffer(value)
    }

    fn of_buffer(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Ok(buffer) = PyUntypedBuffer::get(value) else {
            let expected = "a writable int32 or uint32 array (numpy, memoryview, array or CPU torch tensor)";
            return Err(errors::wrong_type("rows", expected, value));
        };
        if buffer.readonly() {
            return Err(errors::wrong_value("rows", "the array is read-only"));
        }
        if buffer.as_typed::<i32>().is_err() && buffer.as_typed::<u32>().is_err() {
            let format = buffer.format().to_string_lossy().into_owned();
            let message = format!("the items have format {format:?}; expected int32 or uint32");
            return Err(errors::wrong_value("rows", &message));
        }
        if !buffer.is_c_contiguous() {
            return Err(errors::wrong_value("rows", "the array is not C-contiguous"));
        }
        let (rows, words) = match *buffer.shape() {
            [words] => (1, words),
            [rows, words] => (rows, words),
            _ => {
                let message = format!("the array has {} dimensions; expected 1 or 2", buffer.dimensions());
                return Err(errors::wrong_value("rows", &message));
            }
        };
        Ok(Self { start: buffer.buf_ptr().cast(), rows, words, _buffer: Some(buffer) })
    }

    /// The rows of a torch tensor. Its numpy view is made once and remembered, as making one takes
    /// microseconds.
    fn of_tensor(tensor: &Bound<'_, PyAny>) -> PyResult<Self> {
        let address: usize = tensor.call_method0(pyo3::intern!(tensor.py(), "data_ptr"))?.extract()?;
        let mut views = VIEWS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let known = views.iter().find(|view| view.address == address && view.is_of(tensor));
        if let Some(&View { rows, words, .. }) = known {
            return Ok(Self { start: address as *mut u32, rows, words, _buffer: None });
        }
        let array = tensor.call_method0("numpy").map_err(|error| {
            let wrong = errors::wrong_value("rows", "expected an int32 tensor on the CPU");
            wrong.set_cause(tensor.py(), Some(error));
            wrong
        })?;
        let found = Self::of_buffer(&array)?;
        if views.len() >= MAX_VIEWS {
            // Slices that live for one call must not drive out the tensors that engines use again and again.
            views.retain(|view| view.tensor.bind(tensor.py()).upgrade().is_some());
            if views.len() >= MAX_VIEWS {
                views.remove(0);
            }
        }
        let tensor = PyWeakrefReference::new(tensor)?.unbind();
        views.push(View { tensor, address: found.start as usize, rows: found.rows, words: found.words });
        Ok(found)
    }

    /// The number of rows.
    pub const fn len(&self) -> usize {
        self.rows
    }

    /// The number of words in each row.
    pub const fn words(&self) -> usize {
        self.words
    }

    /// The words of `count` rows from row `first` on.
    ///
    /// # Errors
    /// If there are not that many rows.
    #[expect(unsafe_code, reason = "see the module's comment")]
    pub fn slice_mut(&mut self, first: usize, count: usize) -> PyResult<&mut [u32]> {
        if count > self.rows || first > self.rows - count {
            let (last, rows) = (first.saturating_add(count).saturating_sub(1), self.rows);
            return Err(errors::wrong_value("index", &format!("row {last} of an array with {rows} rows")));
        }
        if count == 0 || self.words == 0 {
            return Ok(&mut []);
        }
        // SAFETY: The memory holds `rows * words` contiguous, aligned items of 32 bits (checked in
        // `of_buffer`), and the range is inside of them. It stays in place: a buffer is held by `self`; a
        // tensor is held by the caller, and its storage cannot be resized since `numpy()` was called on it.
        // All bit patterns are valid. As for every extension that fills arrays, Python code that reads the
        // rows during the call sees old or new words.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.start.add(first * self.words), count * self.words) })
    }
}

/// Number of tensors that are remembered; engines use one or two.
const MAX_VIEWS: usize = 8;

static VIEWS: Mutex<Vec<View>> = Mutex::new(Vec::new());

/// The memory of a tensor, as its numpy view showed it.
struct View {
    tensor: Py<PyWeakrefReference>,
    address: usize,
    rows: usize,
    words: usize,
}

impl View {
    /// True if the view is that of `tensor`, and not of an earlier object at the same address.
    fn is_of(&self, tensor: &Bound<'_, PyAny>) -> bool {
        self.tensor.bind(tensor.py()).upgrade().is_some_and(|alive| alive.is(tensor))
    }
}

/// True if the object is exactly a `torch.Tensor`. torch is not imported for the question.
fn is_tensor(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    static TENSOR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = value.py();
    if let Some(class) = TENSOR.get(py) {
        return Ok(value.get_type().is(class.bind(py)));
    }
    let modules = py.import("sys")?.getattr("modules")?;
    match modules.get_item("torch").and_then(|torch| torch.getattr("Tensor")) {
        Ok(class) => {
            let class: Py<PyType> = class.extract()?;
            let is_tensor = value.get_type().is(class.bind(py));
            let _ = TENSOR.set(py, class);
            Ok(is_tensor)
        }
        Err(_) => Ok(false),
    }
}
