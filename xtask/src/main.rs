//! `cargo xtask COMMAND`: reads the command line and calls the chore.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a chore tells what it does")]

use std::process::ExitCode;

use anyhow::bail;
use xtask::{bench, ci, count, fuzz, loom, python, schemas, tidy, workspace::Workspace};

const HELP: &str = "\
cargo xtask COMMAND

  ci [--fail-fast]            everything that must hold before a change is taken: format, clippy, docs,
                              all tests together, each crate's tests alone, loom, tidy
  tidy [--prose [CRATE]]      the rules that a program can check; --prose: instead, how many findings of prose each
                              crate has, or the places of one crate (`documents`: files that belong to none)
  bench [OPTIONS]             compares with other engines and writes docs/benchmarks.md; OPTIONS go to
                              `cargo run --release -p grammask-benches`; --glrmask builds glrmask and
                              compares with it too
  maskbench [PATH] [OPTIONS]  real JSON Schemas with their documents: times of all masks, and whether every document is
                              judged right, side by side with llguidance; --walks N: documents that a random
                              model writes, which a validator must find valid; --server: each schema once, as a
                              server meets them, up to the slowest; --help lists the options
  json-schema-suite [PATH] [OPTIONS]
                              the official cases of JSON Schema, likewise
  large-schemas [OPTIONS]     JSON Schemas that are large or count far: compiling and masks
  hostile-schemas [OPTIONS]   JSON Schemas that are made to take all time or memory: what they end in, and how soon
                              they end when they are cancelled
  count [--vocab o200k|PATH]  instructions for a mask, an accepted token, a compile of fixtures and schemas, and for
                              loading a vocabulary, counted by callgrind where valgrind is installed
  digest [OPTIONS]            a hash of all masks and verdicts for each fixture and every 12th schema; --against FILE
                              compares with another commit's; --help lists the options
  fuzz [--minutes N] [--seed N] [--cases N]
                              random grammars, texts and tokens against the facade and the oracle; with
                              --cases exactly so many, beginning with the given seed
  soak [--minutes N] [--walks N] [--threads N] [--vocabulary FILE]
                              the same for long and on several threads, which share grammars: differences,
                              memory and the slowest mask
  python [--release] [-- PYTEST ARGUMENTS]
                              builds the Python wheel in a virtual environment of its own and runs its tests
  loom [NAME]                 models of the tables that threads share, in every order in which they can meet
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all is well.
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
        "bench" => bench::run(&Workspace::load()?, options),
        "digest" | "maskbench" | "json-schema-suite" | "large-schemas" | "hostile-schemas" => {
            schemas::run(&Workspace::load()?, command, options)
        }
        "fuzz" | "soak" => fuzz::run(&Workspace::load()?, command, options),
        "python" => python::run(&Workspace::load()?, &python::Options::parse(options)?),
        "loom" => loom::run(&Workspace::load()?, options),
        "count" => count::run(&Workspace::load()?, options),
        other => bail!("there is no command {other}\n\n{HELP}"),
    }
}
