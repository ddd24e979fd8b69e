//! `grammask compile`: writes a compiled grammar to a file, for programs that load it.

use std::path::Path;

use grammask::{Ending, Grammar, LoadError, Tables};
use serde_json::json;

use crate::Status;
use crate::args::{Compile, ReadingArgs, VocabularyArgs};
use crate::command::mask::{accept_text, check_limit};
use crate::failure::Failure;
use crate::input::source::{self, Source, config};
use crate::input::vocabulary;
use crate::output::Output;

pub(crate) fn run(arguments: &Compile, reading: &ReadingArgs, out: &mut Output) -> Result<Status, Failure> {
    let (grammar, _) = compile(&arguments.file, &arguments.vocabulary, reading)?;
    let vocabulary = grammar.vocabulary();
    let mut tables = Tables::Cold;
    if let Some(text) = &arguments.warm {
        tables = Tables::Warm;
        warm(&grammar, text.as_encoded_bytes())?;
    }
    let bytes = grammar.save(tables);
    let name = arguments.output.display();
    // Check that the file can be loaded before writing it.
    let saved = Grammar::load(&bytes, vocabulary).map_err(|error: LoadError| {
        Failure::other(format!("the compiled grammar cannot be loaded: {error}"))
    })?;
    std::fs::write(&arguments.output, &bytes)
        .map_err(|error| Failure::other(format!("cannot write {name}: {error}")))?;
    let masks = saved.stats().tables.masks;
    if out.is_json() {
        let fingerprint = format!("{:032x}", vocabulary.fingerprint());
        out.json(&json!({ "bytes": bytes.len(), "masks": masks, "vocabulary": fingerprint }))?;
    } else {
        out.line(format_args!("{name}: {} bytes, {masks} masks", bytes.len()))?;
    }
    Ok(Status::Yes)
}

/// Size of a compiled grammar, in bytes. A larger file is an error.
const MAX_COMPILED_BYTES: usize = 1 << 30;

/// Compiles or loads the grammar in a file for the vocabulary that the arguments name. Also returns the
/// ending.
pub(crate) fn compile_or_load(
    file: &Path,
    arguments: &VocabularyArgs,
    reading: &ReadingArgs,
) -> Result<(Grammar, Ending), Failure> {
    let bytes = if file.is_file() { source::read(file, MAX_COMPILED_BYTES)? } else { Vec::new() };
    if !source::is_compiled(&bytes) {
        return compile(file, arguments, reading);
    }
    if arguments.eager || !arguments.eos.is_empty() {
        let name = file.display();
        return Err(Failure::other(format!(
            "{name}: a compiled grammar has an ending of its own, so --eos and --eager do not apply"
        )));
    }
    let (vocabulary, _) = vocabulary::load(arguments, reading.json)?;
    let grammar = Grammar::load(&bytes, &vocabulary.into())
        .map_err(|error| Failure::other(format!("{}: {error}", file.display())))?;
    let ending = grammar.ending();
    Ok((grammar, ending))
}

/// Compiles the grammar in a file for the vocabulary that the arguments name. Also returns the ending.
pub(crate) fn compile(
    file: &Path,
    arguments: &VocabularyArgs,
    reading: &ReadingArgs,
) -> Result<(Grammar, Ending), Failure> {
    let mut config = config(reading)?;
    let source = Source::read(file, reading, &config)?;
    let ast = source.parse(&config)?;
    let (vocabulary, ending) = vocabulary::load(arguments, reading.json)?;
    config.ending = ending;
    let grammar =
        Grammar::from_ast(&ast, &vocabulary.into(), &config).map_err(|error| source.failure(&error))?;
    Ok((grammar, config.ending))
}

/// Computes the masks before and after every byte of a text.
fn warm(grammar: &Grammar, text: &[u8]) -> Result<(), Failure> {
    let mut matcher = grammar.matcher();
    // Reject an invalid text before computing masks for it.
    accept_text(&mut matcher.clone(), text)?;
    matcher.mask();
    for &byte in text {
        if !matcher.accept_bytes(&[byte]).is_accepted() {
            break;
        }
        matcher.mask();
    }
    check_limit(&matcher)
}
