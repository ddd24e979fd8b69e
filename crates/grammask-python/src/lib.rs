//! The extension module `grammask._grammask`: the facade as Python classes.
//!
//! | file | contents |
//! | --- | --- |
//! | `vocabulary.rs` | `Vocabulary` |
//! | `vocabulary/files.rs` | the files of a tokenizer |
//! | `grammar.rs` | `Grammar`, and checks that need no vocabulary |
//! | `matcher.rs` | `Matcher` |
//! | `source.rs` | what a grammar is compiled from, with its options |
//! | `cache.rs` | `GrammarCache`: compiled grammars for many requests |
//! | `batch.rs` | `fill_masks`: many matchers in one call |
//! | `rows.rs` | writable rows of numpy arrays, memory views and torch tensors |
//! | `options.rs` | keyword arguments to a configuration |
//! | `arguments.rs` | token ids and schemas from Python objects |
//! | `errors.rs` | Rust errors as the exceptions of `grammask/errors.py` |
//! | `guard.rs` | a value that one call at a time uses, and that a panic closes |
//!
//! The GIL is released while a grammar is compiled, a batch is filled, tables are warmed, or a mask is
//! computed for the first time. A known mask takes less time than a release.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod arguments;
mod batch;
mod cache;
mod errors;
mod grammar;
mod guard;
mod matcher;
mod options;
mod rows;
mod source;
mod vocabulary;

use pyo3::prelude::*;

/// The native part of the package `grammask`.
#[pymodule(gil_used = false)]
fn _grammask(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<vocabulary::Vocabulary>()?;
    module.add_class::<grammar::Grammar>()?;
    module.add_class::<matcher::Matcher>()?;
    module.add_class::<cache::GrammarCache>()?;
    module.add_class::<cache::Request>()?;
    module.add_function(wrap_pyfunction!(batch::fill_masks, module)?)?;
    module.add_function(wrap_pyfunction!(grammar::check_kbnf, module)?)?;
    module.add_function(wrap_pyfunction!(grammar::check_json_schema, module)?)?;
    module.add_function(wrap_pyfunction!(grammar::check_gbnf, module)?)?;
    module.add_function(wrap_pyfunction!(grammar::check_ebnf, module)?)?;
    module.add_function(wrap_pyfunction!(grammar::check_regex, module)?)?;
    module.add_function(wrap_pyfunction!(grammar::check_choice, module)?)?;
    module.add_function(wrap_pyfunction!(grammar::check_lark, module)?)?;
    module.add_function(wrap_pyfunction!(grammar::check_structural_tag, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
