//! `cargo xtask soak --schemas`: what a server does with real schemas, for long.
//!
//! Each thread compiles schemas and follows their documents. Some compiles are cancelled, some have low
//! limits, and some grammars have small memory budgets or are compiled twice to compare their masks. All
//! share one vocabulary, whose lexicon is replaced again and again.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool that prints its findings")]

mod session;
mod totals;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::Context;
use grammask::{LexiconConfig, LexiconLimits};
use session::Session;
use totals::Totals;
use xtask::cases::schemas::{read_schemas, read_vocabulary};

const HELP: &str = "\
cargo xtask soak --schemas [OPTIONS] [FILE]

  FILE           schemas with documents (default ../shared/maskbench/dev.jsonl.gz)
  --minutes N    (default 60)
  --threads N    (default 2)
  --seed N       (default 1)
  --lexicon MB   memory budget of the shared lexicon (default 48)
  --vocab FILE   the vocabulary (default ../shared/vocab/llama3.tiktoken)
";

/// Time between two lines of memory.
const INTERVAL: Duration = Duration::from_secs(30);

/// Options of the command line.
struct Options {
    schemas: PathBuf,
    vocabulary: PathBuf,
    time: Duration,
    threads: u64,
    seed: u64,
    lexicon: usize,
}

impl Options {
    fn parse(arguments: &[String]) -> anyhow::Result<Option<Self>> {
        let mut options = Self {
            schemas: "../shared/maskbench/dev.jsonl.gz".into(),
            vocabulary: "../shared/vocab/llama3.tiktoken".into(),
            time: Duration::from_secs(60 * 60),
            threads: 2,
            seed: 1,
            lexicon: 48 << 20,
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().with_context(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--schemas" => {}
                "--minutes" => {
                    let minutes: f64 = value()?.parse().context("--minutes")?;
                    options.time = Duration::from_secs_f64(60.0 * minutes);
                }
                "--threads" => options.threads = value()?.parse().context("--threads")?,
                "--seed" => options.seed = value()?.parse().context("--seed")?,
                "--lexicon" => options.lexicon = value()?.parse::<usize>().context("--lexicon")? << 20,
                "--vocab" => options.vocabulary = value()?.into(),
                // The place of the file for the current case, which this program does not need.
                "--places" => _ = value()?,
                file if !file.starts_with('-') => options.schemas = file.into(),
                other => anyhow::bail!("unknown option {other}\n\n{HELP}"),
            }
        }
        Ok(Some(options))
    }
}

fn main() -> ExitCode {
    xtask::exit_code(run())
}

/// Runs the soak. Returns `true` if nothing differs and no call is slow.
fn run() -> anyhow::Result<bool> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(options) = Options::parse(&arguments)? else {
        print!("{HELP}");
        return Ok(true);
    };
    let limits = LexiconLimits { budget: options.lexicon, ..LexiconLimits::default() };
    let vocabulary = read_vocabulary(&options.vocabulary)?.with_lexicon(&LexiconConfig::from(limits));
    let schemas = read_schemas(&options.schemas)?;
    println!("{} schemas, resident {} MB before", schemas.len(), resident_mb());
    let is_over = AtomicBool::new(false);
    let begin = Instant::now();
    let totals = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.threads)
            .map(|thread| {
                let (vocabulary, schemas, is_over) = (vocabulary.clone(), &schemas, &is_over);
                let seed = options.seed + thread * 1_000_003;
                scope.spawn(move || {
                    let mut session = Session::new(vocabulary, seed);
                    while !is_over.load(Relaxed) {
                        session.next(schemas);
                    }
                    session.totals
                })
            })
            .collect();
        println!("| minutes | resident MB | lexicon MB |");
        println!("| --: | --: | --: |");
        while begin.elapsed() < options.time {
            std::thread::sleep(INTERVAL.min(options.time.saturating_sub(begin.elapsed())));
            let lexicon = vocabulary.stats().bytes as f64 / 1e6;
            println!("| {:.1} | {} | {lexicon:.0} |", begin.elapsed().as_secs_f64() / 60.0, resident_mb());
        }
        is_over.store(true, Relaxed);
        threads.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
    });
    let mut all = Totals::default();
    let mut panics = 0;
    for totals in totals {
        match totals {
            Ok(totals) => all.add(totals),
            Err(_) => panics += 1,
        }
    }
    println!("\n{all}");
    println!("{panics} threads panicked");
    Ok(panics == 0 && all.is_clean())
}

/// Returns the resident memory of the process. Returns 0 if the system has no such file.
fn resident_mb() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kb = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kb.unwrap_or(0) / 1_000
}
