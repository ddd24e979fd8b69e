//! Work whose instructions `cargo xtask count` counts: it runs this under callgrind, which counts inside of `counted_section` only,
//! and writes down what it has counted at each call of `end_of_job`. Prints the name of each job and how often it does its work.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool that names its jobs")]

use std::hint::black_box;
use std::path::Path;

use anyhow::{Context, ensure};
use grammask::{Grammar, Matcher, TokenId, Vocabulary};
use grammask_benches::case::Case;
use grammask_benches::engine::grammask::{config, unused, used};
use grammask_benches::linear::{long_text, read, recognizer};
use grammask_benches::schemas::data::{Entry, lines};
use grammask_benches::schemas::judge::warm;
use grammask_benches::schemas::options::SCHEMAS;
use grammask_benches::vocabulary::Words;

/// How often work is done that is done once for a grammar.
const TIMES: usize = 5;

/// The lengths of texts that do nothing but nest, in bytes.
const LENGTHS: [usize; 3] = [1 << 10, 1 << 15, 1 << 20];

/// Of the schemas, each that so many come after.
const EVERY: usize = 64;

/// Files whose schemas are compiled, and of how many schemas one is taken.
const STARTS: &[(&str, usize)] =
    &[(SCHEMAS, EVERY), ("../shared/schemastore/dev.jsonl.gz", 8), ("../shared/generators/dev.jsonl.gz", 16)];

/// Tokenizer files that are loaded.
const TOKENIZERS: &[&str] = &[
    "../shared/vocab/llama3.tiktoken",
    "../shared/vocab/sentencepiece-byte-fallback.tokenizer.json",
    "../shared/vocab/rwkv_vocab_v20230424.json",
];

fn main() -> anyhow::Result<()> {
    let words = Words::load(&std::env::args().nth(1).unwrap_or_else(|| "o200k".to_owned()))?;
    let vocabulary = words.vocabulary()?;
    let config = config(&words);
    job("nothing", "call", 100, || {
        for _ in 0..100 {
            counted_section(&mut || ());
        }
        Ok(())
    })?;
    for name in ["json", "c"] {
        let case = Case::load(name)?;
        let tokens = words.encode(&case.text)?;
        let fresh = unused(&vocabulary);
        let compiles = || Grammar::compile(&case.kbnf, &fresh, &config);
        job(&format!("compile {name}"), "compile", TIMES, || {
            for _ in 0..TIMES {
                let mut compiled = None;
                counted_section(&mut || compiled = Some(compiles()));
                compiled.context("not called")??;
            }
            Ok(())
        })?;
        let mut row = vec![0; fresh.mask_words()];
        for (way, is_warm) in [("cold", false), ("warm", true)] {
            let vocabulary = if is_warm {
                used(&vocabulary, &config, &case.kbnf, &tokens).map_err(anyhow::Error::msg)?
            } else {
                unused(&vocabulary)
            };
            let mut matcher = Grammar::compile(&case.kbnf, &vocabulary, &config)?.matcher();
            job(&format!("first pass over {name}, {way} vocabulary"), "mask", tokens.len(), || {
                follow(&mut matcher, &tokens, |matcher| {
                    counted_section(&mut || {
                        let _ = black_box(matcher.fill_mask(&mut row));
                    });
                })
            })?;
            if !is_warm {
                continue;
            }
            job(&format!("known masks of {name}, by reference"), "mask", tokens.len(), || {
                follow(&mut matcher, &tokens, |matcher| {
                    counted_section(&mut || {
                        black_box(matcher.mask());
                    });
                })
            })?;
            job(&format!("known masks of {name}, row written"), "mask", tokens.len(), || {
                follow(&mut matcher, &tokens, |matcher| {
                    counted_section(&mut || {
                        let _ = black_box(matcher.fill_mask(&mut row));
                    });
                })
            })?;
            job(&format!("accepting {name}, states seen before"), "token", tokens.len(), || {
                matcher.reset();
                for &token in &tokens {
                    let mut is_accepted = false;
                    counted_section(&mut || is_accepted = matcher.accept(TokenId(token)).is_accepted());
                    ensure!(is_accepted, "the text is not in the language");
                }
                Ok(())
            })?;
        }
    }
    for length in LENGTHS {
        linear(length)?;
    }
    schemas(&words, &vocabulary)?;
    for (path, step) in STARTS {
        starts(&words, &vocabulary, Path::new(path), *step)?;
    }
    TOKENIZERS.iter().try_for_each(|path| load(Path::new(path)))
}

/// What a byte of a text that does nothing but nest takes the recognizer: each byte makes a set and an origin that nobody has seen. As many
/// instructions in a text of a megabyte as in one of a kilobyte say that it is linear where the clock also counts what memory takes.
fn linear(length: usize) -> anyhow::Result<()> {
    let case = Case::load("middle")?;
    let text = long_text(&case, length)?;
    let recognizer = recognizer(&case)?;
    job(&format!("recognizing {} KB that nest", length >> 10), "byte", text.len(), || {
        let mut outcome = Ok(());
        counted_section(&mut || outcome = read(&recognizer, text.as_bytes()));
        outcome
    })
}

/// The masks of documents, each by a fresh grammar of its schema: of every so manieth schema, where there are any.
fn schemas(words: &Words, vocabulary: &Vocabulary) -> anyhow::Result<()> {
    let path = Path::new(SCHEMAS);
    if !path.exists() {
        eprintln!("count: there is no {SCHEMAS}, so nothing is counted for schemas");
        return Ok(());
    }
    let (vocabulary, config) = (unused(vocabulary), config(words));
    warm(&vocabulary, &config)?;
    let mut masks = 0;
    for line in lines(path)?.iter().step_by(EVERY) {
        let Ok(entry) = Entry::parse(line) else { continue };
        for instance in &entry.instances {
            let Ok(grammar) = Grammar::from_json_schema(&entry.schema, &vocabulary, &config) else { break };
            let mut matcher = grammar.matcher();
            for token in words.encode(&instance.text)?.into_iter().chain([words.end]).map(TokenId) {
                masks += 1;
                let mut is_allowed = false;
                counted_section(&mut || is_allowed = matcher.mask().allows(token));
                if !is_allowed || !matcher.accept(token).is_accepted() {
                    break;
                }
            }
        }
    }
    end_of_job();
    tell(&format!("documents of every {EVERY}th schema, fresh grammars"), "mask", masks);
    Ok(())
}

/// Compiles every `step`th schema of a file and computes its first mask. Refused schemas are a job of their own.
fn starts(words: &Words, vocabulary: &Vocabulary, path: &Path, step: usize) -> anyhow::Result<()> {
    if !path.exists() {
        eprintln!("count: there is no {}, so its schemas are not compiled", path.display());
        return Ok(());
    }
    let config = config(words);
    let entries = lines(path)?.iter().step_by(step).filter_map(|line| Entry::parse(line).ok()).collect();
    // A vocabulary of its own decides which schemas compile, so that none is known when its compile is counted.
    let scout = unused(vocabulary);
    warm(&scout, &config)?;
    let (compiled, refused): (Vec<_>, Vec<_>) = Vec::into_iter(entries)
        .partition(|entry| Grammar::from_json_schema(&entry.schema, &scout, &config).is_ok());
    let vocabulary = unused(vocabulary);
    warm(&vocabulary, &config)?;
    let name = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    job(
        &format!("compile and first mask, every {step}th schema of {name}"),
        "schema",
        compiled.len(),
        || {
            for entry in &compiled {
                counted_section(&mut || {
                    let grammar = Grammar::from_json_schema(&entry.schema, &vocabulary, &config);
                    if let Ok(grammar) = grammar {
                        black_box(grammar.matcher().mask());
                    }
                });
            }
            Ok(())
        },
    )?;
    job(&format!("refusal, every {step}th schema of {name}"), "schema", refused.len(), || {
        for entry in &refused {
            counted_section(&mut || {
                let _ = black_box(Grammar::from_json_schema(&entry.schema, &vocabulary, &config).is_ok());
            });
        }
        Ok(())
    })
}

/// Reads a tokenizer file, and builds from its tokens all that grammars share.
fn load(path: &Path) -> anyhow::Result<()> {
    let Ok(bytes) = std::fs::read(path) else {
        eprintln!("count: there is no {}, so it is not loaded", path.display());
        return Ok(());
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut tokens = None;
    job(&format!("reading {name}"), "load", 1, || {
        counted_section(&mut || tokens = Some(grammask::loaders::load(&bytes, &Default::default())));
        Ok(())
    })?;
    let mut tokens = Some(tokens.context("not called")??);
    let mut vocabulary = None;
    job(&format!("building the vocabulary of {name}"), "load", 1, || {
        counted_section(&mut || vocabulary = tokens.take().map(Vocabulary::from));
        Ok(())
    })?;
    ensure!(vocabulary.is_some(), "{name} has no vocabulary");
    Ok(())
}

/// Does something before each token of a text.
fn follow(matcher: &mut Matcher, tokens: &[u32], mut work: impl FnMut(&mut Matcher)) -> anyhow::Result<()> {
    matcher.reset();
    for &token in tokens {
        work(matcher);
        ensure!(matcher.accept(TokenId(token)).is_accepted(), "the text is not in the language");
    }
    Ok(())
}

/// Does a job that does its work so many times.
fn job(
    name: &str,
    unit: &str,
    times: usize,
    work: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    work()?;
    end_of_job();
    tell(name, unit, times);
    Ok(())
}

fn tell(name: &str, unit: &str, times: usize) {
    println!("{name}\t{unit}\t{times}");
}

/// Instructions are counted in here. Not inlined, as callgrind knows it by its name.
#[inline(never)]
fn counted_section(work: &mut dyn FnMut()) {
    work();
    // Something after the call, so that it is a call and no jump.
    black_box(());
}

/// Tells callgrind that the job is over.
#[inline(never)]
fn end_of_job() {
    black_box(());
}
