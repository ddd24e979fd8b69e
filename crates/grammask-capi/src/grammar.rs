//! `grammask_grammar_*`: compiled grammars.
#![expect(unsafe_code, reason = "names are exported, and pointers are the caller's")]

use std::ptr;

use grammask::{Config, Tables, TokenId};

use crate::Vocabulary;
use crate::error::{Failure, fail, guarded};
use crate::memory::{boxed, copy_out, free, items, object, text};

/// A grammar that is compiled for a vocabulary. All its matchers share the masks that any of them computes.
pub struct Grammar {
    pub(crate) compiled: grammask::Grammar,
}

/// Compiles a grammar. `kind` is a text that ends with a zero: `"kbnf"` or `"json_schema"`. `ends` are the
/// tokens that end an output; with `NULL`, those of the vocabulary.
///
/// # Safety
/// `vocabulary` is an object of this library, `kind` ends with a zero, `source` has `length` bytes, and
/// `ends` has `end_count` items or is `NULL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_grammar_new(
    vocabulary: *const Vocabulary,
    kind: *const std::ffi::c_char,
    source: *const u8,
    length: usize,
    ends: *const u32,
    end_count: usize,
) -> *mut Grammar {
    guarded(ptr::null_mut(), || {
        if kind.is_null() {
            return fail("kind: the pointer is NULL");
        }
        // SAFETY: The caller's promise.
        let (vocabulary, source, kind) = unsafe {
            let kind = std::ffi::CStr::from_ptr(kind).to_bytes();
            (object("vocabulary", vocabulary)?, text("source", source, length)?, kind)
        };
        let ends: Vec<TokenId> = match ends.is_null() {
            true => vocabulary.ends.clone(),
            // SAFETY: The caller's promise.
            false => unsafe { items("ends", ends, end_count)? }.iter().copied().map(TokenId).collect(),
        };
        let config = Config::default().ending_with(ends);
        Ok(boxed(Grammar { compiled: compile(kind, source, &vocabulary.tokens, &config)? }))
    })
}

fn compile(
    kind: &[u8],
    source: &str,
    tokens: &grammask::Vocabulary,
    config: &Config,
) -> Result<grammask::Grammar, Failure> {
    match kind {
        b"kbnf" => grammask::Grammar::compile(source, tokens, config)
            .or_else(|error| fail(error.render(source, "grammar"))),
        b"json_schema" => grammask::Grammar::from_json_schema_text(source, tokens, config).or_else(fail),
        other => fail(format_args!(
            "kind: {:?} is not \"kbnf\" or \"json_schema\"",
            String::from_utf8_lossy(other)
        )),
    }
}

/// Copies the compiled grammar to `buffer`, as many bytes as fit; returns their number. With `is_warm`, known
/// masks are included. Call it with a capacity of 0 first.
///
/// # Safety
/// `grammar` is an object of this library, `buffer` has `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_grammar_save(
    grammar: *const Grammar,
    is_warm: bool,
    buffer: *mut u8,
    capacity: usize,
) -> i64 {
    guarded(-1, || {
        // SAFETY: The caller's promise.
        let grammar = unsafe { object("grammar", grammar)? };
        let bytes = grammar.compiled.save(if is_warm { Tables::Warm } else { Tables::Cold });
        // SAFETY: The caller's promise.
        unsafe { copy_out(&bytes, buffer, capacity) }
    })
}

/// Reads what `grammask_grammar_save` wrote, for an equal vocabulary.
///
/// # Safety
/// `vocabulary` is an object of this library, `data` has `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_grammar_load(
    vocabulary: *const Vocabulary,
    data: *const u8,
    length: usize,
) -> *mut Grammar {
    guarded(ptr::null_mut(), || {
        // SAFETY: The caller's promise.
        let (vocabulary, data) = unsafe { (object("vocabulary", vocabulary)?, items("data", data, length)?) };
        let compiled = grammask::Grammar::load(data, &vocabulary.tokens).or_else(fail)?;
        Ok(boxed(Grammar { compiled }))
    })
}

/// Frees a grammar. Its matchers stay valid.
///
/// # Safety
/// `grammar` is `NULL` or an object of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_grammar_free(grammar: *mut Grammar) {
    guarded((), || {
        // SAFETY: The caller's promise.
        unsafe { free(grammar) };
        Ok(())
    });
}
