//! The work whose instructions `cargo xtask count` counts.
//!
//! callgrind counts inside of `counted_section` only, and writes a file at each call of `end_of_job`. The
//! program prints the name of each job, its unit and the number of units.
//!
//! Options: a vocabulary, parts of the names of the jobs to do (`--only`, again for another part), and the
//! profile of JSON Schema (`--profile standard|generation`).

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool that names its jobs")]

use std::hint::black_box;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use grammask::json_schema::Profile;
use grammask::notation::Outcome;
use grammask::{Config, Grammar, Matcher, RegexDialect, TokenId, Vocabulary, gbnf, lark, tags};
use grammask_benches::engine::grammask::{config, unused, used};
use grammask_benches::input::case::Case;
use grammask_benches::input::vocabulary::Words;
use grammask_benches::schemas::data::{Entry, lines};
use grammask_benches::schemas::judge::warm;
use grammask_benches::schemas::options::SCHEMAS;
use grammask_benches::workload::linear::{long_text, read, recognizer};

/// Number of repetitions of work that is done once for a grammar.
const COMPILES: usize = 5;

/// Bytes of texts that only nest.
const NESTING_TEXT_BYTES: [usize; 3] = [1 << 10, 1 << 15, 1 << 20];

/// Distance of the schemas that are counted.
const SCHEMA_STEP: usize = 64;

/// Number of tokens within which documents are to end.
const TOKENS_TO_END: u64 = 1_000;

/// Files of schemas that are compiled, and the distance of the schemas.
const SCHEMA_FILES: &[(&str, usize)] = &[
    (SCHEMAS, SCHEMA_STEP),
    ("../shared/schemastore/dev.jsonl.gz", 8),
    ("../shared/generators/dev.jsonl.gz", 16),
];

/// Tokenizer files that are loaded.
const TOKENIZERS: &[&str] = &[
    "../shared/vocab/llama3.tiktoken",
    "../shared/vocab/sentencepiece-byte-fallback.tokenizer.json",
    "../shared/vocab/rwkv_vocab_v20230424.json",
];

/// Tables of grammars in other notations, and the distance of the grammars that are compiled.
const NOTATIONS: &[(&str, usize)] = &[("gbnf", 16), ("ebnf", 32), ("lark", 32), ("regex", 32), ("tags", 32)];

/// The jobs to do, and what they share.
struct Jobs {
    words: Words,
    vocabulary: Vocabulary,
    config: Config,
    only: Vec<String>,
}

fn main() -> anyhow::Result<()> {
    let mut name = None;
    let mut only = Vec::new();
    let mut profile = Profile::Standard;
    let mut arguments = std::env::args().skip(1);
    while let Some(word) = arguments.next() {
        let mut value = || arguments.next().with_context(|| format!("{word} needs a value"));
        match word.as_str() {
            "--only" => only.push(value()?),
            "--profile" => {
                profile = match value()?.as_str() {
                    "standard" => Profile::Standard,
                    "generation" => Profile::Generation,
                    other => bail!("--profile is standard or generation, not {other}"),
                }
            }
            _ => name = Some(word),
        }
    }
    let words = Words::load(name.as_deref().unwrap_or("o200k"))?;
    let vocabulary = words.vocabulary()?;
    let config = config(&words).with_profile(profile);
    let jobs = Jobs { config, words, vocabulary, only };
    job("nothing", "call", 100, || {
        for _ in 0..100 {
            counted_section(&mut || ());
        }
        Ok(())
    })?;
    for name in ["json", "c"] {
        if jobs.include(name) {
            jobs.fixture(name)?;
        }
    }
    for length in NESTING_TEXT_BYTES {
        if jobs.include("nest") {
            linear(length)?;
        }
    }
    if jobs.include("warming") {
        jobs.warm_up()?;
    }
    if jobs.include("documents") {
        jobs.documents("", |matcher, _| _ = matcher.mask())?;
    }
    if jobs.include("in time") {
        let mut row = vec![0; jobs.vocabulary.mask_words()];
        jobs.documents(", masks that end in 1,000 tokens", move |matcher, read| {
            let _ = matcher.fill_mask_within(TOKENS_TO_END.saturating_sub(read), &mut row);
        })?;
    }
    for (path, step) in SCHEMA_FILES {
        if jobs.include(path) {
            jobs.starts(Path::new(path), *step)?;
        }
    }
    for (name, step) in NOTATIONS {
        if jobs.include("notations") {
            jobs.notation(name, *step)?;
        }
    }
    TOKENIZERS.iter().filter(|path| jobs.include(path)).try_for_each(|path| load(Path::new(path)))
}

/// Counts the bytes of a text that only nests: each byte makes a new set and a new origin. Equal counts for a
/// kilobyte and a megabyte show that the recognizer is linear, while the clock also counts the cost of
/// memory.
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

impl Jobs {
    /// Returns `true` if the job is to be done.
    fn include(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| name.contains(part.as_str()))
    }

    fn unused(&self) -> Vocabulary {
        unused(&self.vocabulary)
    }

    /// Counts compiles, masks and accepted tokens of a grammar.
    fn fixture(&self, name: &str) -> anyhow::Result<()> {
        let config = &self.config;
        let case = Case::load(name)?;
        let tokens = self.words.encode(&case.text)?;
        let fresh = self.unused();
        let compiles = || Grammar::compile(&case.kbnf, &fresh, config);
        job(&format!("compile {name}"), "compile", COMPILES, || {
            for _ in 0..COMPILES {
                let mut compiled = None;
                counted_section(&mut || compiled = Some(compiles()));
                compiled.context("not called")??;
            }
            Ok(())
        })?;
        let mut row = vec![0; fresh.mask_words()];
        for (way, is_warm) in [("cold", false), ("warm", true)] {
            let vocabulary = if is_warm {
                used(&self.vocabulary, config, &case.kbnf, &tokens).map_err(anyhow::Error::msg)?
            } else {
                self.unused()
            };
            let mut matcher = Grammar::compile(&case.kbnf, &vocabulary, config)?.matcher();
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
        Ok(())
    }

    /// Counts the warm-up of an unused vocabulary for JSON Schema. It has one thread, as callgrind counts
    /// only the thread that is in `counted_section`.
    fn warm_up(&self) -> anyhow::Result<()> {
        let vocabulary = self.unused();
        let before = vocabulary.stats();
        job("warming an unused vocabulary for JSON Schema", "warm-up", 1, || {
            let mut outcome = Ok(());
            counted_section(&mut || outcome = warm(&vocabulary, &self.config));
            Ok(outcome?)
        })?;
        let visited = vocabulary.stats().nodes - before.nodes;
        eprintln!("count: {visited} trie nodes were visited to warm the vocabulary");
        Ok(())
    }

    /// Counts the masks of documents, each by a fresh grammar of its schema, if the file of schemas exists.
    /// `fill` computes the mask, given the number of tokens before it.
    fn documents(&self, what: &str, mut fill: impl FnMut(&mut Matcher, u64)) -> anyhow::Result<()> {
        let path = Path::new(SCHEMAS);
        if !path.exists() {
            eprintln!("count: there is no {SCHEMAS}, so nothing is counted for schemas");
            return Ok(());
        }
        let (vocabulary, config) = (self.unused(), &self.config);
        warm(&vocabulary, config)?;
        let mut masks = 0;
        for line in lines(path)?.iter().step_by(SCHEMA_STEP) {
            let Ok(entry) = Entry::parse(line) else { continue };
            for instance in &entry.instances {
                let Ok(grammar) = Grammar::from_json_schema(&entry.schema, &vocabulary, config) else {
                    break;
                };
                let mut matcher = grammar.matcher();
                for token in
                    self.words.encode(&instance.text)?.into_iter().chain([self.words.end]).map(TokenId)
                {
                    masks += 1;
                    let read = matcher.len() as u64;
                    counted_section(&mut || fill(&mut matcher, read));
                    if !matcher.accept(token).is_accepted() {
                        break;
                    }
                }
            }
        }
        end_of_job();
        announce(&format!("documents of every {SCHEMA_STEP}th schema, fresh grammars{what}"), "mask", masks);
        Ok(())
    }

    /// Compiles every `step`th schema of a file and computes its first mask. Refused schemas are a job of
    /// their own.
    fn starts(&self, path: &Path, step: usize) -> anyhow::Result<()> {
        if !path.exists() {
            eprintln!("count: there is no {}, so its schemas are not compiled", path.display());
            return Ok(());
        }
        let config = &self.config;
        let entries = lines(path)?.iter().step_by(step).filter_map(|line| Entry::parse(line).ok()).collect();
        // Another vocabulary decides which schemas compile, so that none is known when its compile is
        // counted.
        let scout = self.unused();
        warm(&scout, config)?;
        let (compiled, refused): (Vec<_>, Vec<_>) = Vec::into_iter(entries)
            .partition(|entry| Grammar::from_json_schema(&entry.schema, &scout, config).is_ok());
        let vocabulary = self.unused();
        warm(&vocabulary, config)?;
        let name = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        job(
            &format!("compile and first mask, every {step}th schema of {name}"),
            "schema",
            compiled.len(),
            || {
                for entry in &compiled {
                    counted_section(&mut || {
                        let grammar = Grammar::from_json_schema(&entry.schema, &vocabulary, config);
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
                    let _ = black_box(Grammar::from_json_schema(&entry.schema, &vocabulary, config).is_ok());
                });
            }
            Ok(())
        })
    }

    /// Compiles every `step`th grammar of a table, and then the same grammars as they are printed in KBNF.
    /// Each job has an unused vocabulary.
    fn notation(&self, name: &str, step: usize) -> anyhow::Result<()> {
        let table = format!("xtask/src/notations/tables/{name}.jsonl");
        let table = std::fs::read_to_string(&table).with_context(|| table.clone())?;
        let mut grammars = Vec::new();
        for line in table.lines().step_by(step) {
            let row: Row = serde_json::from_str(line)?;
            let Some(outcome) = row.translate() else { continue };
            // Errors of the grammar itself are found later.
            let kbnf = outcome.ast.to_string();
            if Grammar::compile(&kbnf, &self.vocabulary, &self.config).is_ok() {
                grammars.push((row, kbnf));
            }
        }
        let compiles = |job_name: String, compile: &dyn Fn(&Row, &str, &Vocabulary) -> bool| {
            let vocabulary = self.unused();
            job(&job_name, "compile", grammars.len(), || {
                for (row, kbnf) in &grammars {
                    let mut is_compiled = false;
                    counted_section(&mut || is_compiled = compile(row, kbnf, &vocabulary));
                    ensure!(is_compiled, "the grammar does not compile: {}", row.grammar);
                }
                Ok(())
            })
        };
        let config = &self.config;
        compiles(format!("compile {name}, every {step}th grammar"), &|row, _, vocabulary| {
            row.compile(vocabulary, config).is_ok()
        })?;
        compiles(format!("compile KBNF printed from {name}"), &|_, kbnf, vocabulary| {
            Grammar::compile(kbnf, vocabulary, config).is_ok()
        })
    }
}

/// A line of a table of grammars.
#[derive(serde::Deserialize)]
struct Row {
    notation: String,
    grammar: String,
}

impl Row {
    fn dialect(&self) -> RegexDialect {
        match self.notation.as_str() {
            "regex-xgrammar" => RegexDialect::XGrammar,
            "regex-rust" => RegexDialect::Rust,
            "regex-python" => RegexDialect::Python,
            _ => RegexDialect::Auto,
        }
    }

    fn translate(&self) -> Option<Outcome> {
        match self.notation.as_str() {
            "gbnf" => gbnf::translate(&self.grammar, &gbnf::Config::gbnf()).ok(),
            "ebnf" => gbnf::translate(&self.grammar, &gbnf::Config::ebnf()).ok(),
            "lark" => lark::translate(&self.grammar, "grammar.lark", &Default::default()).ok(),
            "tags" => tags::translate(&self.grammar, &Default::default()).ok(),
            _ => gbnf::translate_regex(&self.grammar, self.dialect(), "pattern", &Default::default()).ok(),
        }
    }

    fn compile(&self, vocabulary: &Vocabulary, config: &Config) -> Result<Grammar, grammask::Error> {
        match self.notation.as_str() {
            "gbnf" => Grammar::from_gbnf(&self.grammar, vocabulary, config),
            "ebnf" => Grammar::from_ebnf(&self.grammar, vocabulary, config),
            "lark" => Grammar::from_lark_with(&self.grammar, &Default::default(), vocabulary, config),
            "tags" => Grammar::from_tags(&self.grammar, vocabulary, config),
            _ => Grammar::from_regex(&self.grammar, self.dialect(), vocabulary, config),
        }
    }
}

/// Reads a tokenizer file, and builds a vocabulary with its lexicon.
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

/// Does some work before each token of a text.
fn follow(matcher: &mut Matcher, tokens: &[u32], mut work: impl FnMut(&mut Matcher)) -> anyhow::Result<()> {
    matcher.reset();
    for &token in tokens {
        work(matcher);
        ensure!(matcher.accept(TokenId(token)).is_accepted(), "the text is not in the language");
    }
    Ok(())
}

/// Runs a job of `times` units.
fn job(
    name: &str,
    unit: &str,
    times: usize,
    work: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    work()?;
    end_of_job();
    announce(name, unit, times);
    Ok(())
}

fn announce(name: &str, unit: &str, times: usize) {
    println!("{name}\t{unit}\t{times}");
}

/// Instructions are counted in here. It is not inlined, as callgrind finds it by its name.
#[inline(never)]
fn counted_section(work: &mut dyn FnMut()) {
    work();
    // A statement after the call keeps it from being a jump.
    black_box(());
}

/// Makes callgrind write a file.
#[inline(never)]
fn end_of_job() {
    black_box(());
}
