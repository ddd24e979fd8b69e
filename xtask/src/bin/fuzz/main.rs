//! `cargo xtask fuzz`: random grammars, texts, tokens and bytes against the facade.
//!
//! Answers are compared with the oracle, and nothing may panic, hang or overflow the stack. A case is a
//! number and can be repeated alone.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool that prints its findings")]

mod noise;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use grammask_testkit::random::{self, Rng, Shape};
use xtask::cases::agreement::{self, Subject, Words};
use xtask::cases::watch::Watch;

/// Time between two lines of progress.
const NEWS: Duration = Duration::from_secs(10);

/// Tokens of an output whose masks are compared.
const LENGTH: usize = 8;

/// Findings after which the run ends.
const MAX_FINDINGS: usize = 20;

struct Options {
    time: Duration,
    first: u64,
    cases: Option<u64>,
    places: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the cases. Returns the number of findings.
fn run() -> anyhow::Result<usize> {
    let options = Options::parse(std::env::args().skip(1))?;
    let watch = Watch::start();
    let worker = watch.worker(options.places.as_ref().map(|places| places.join("0")));
    let begin = Instant::now();
    let mut news = Instant::now();
    let mut findings = 0;
    let mut slowest = (Duration::ZERO, options.first);
    let mut case = options.first;
    loop {
        let done = case - options.first;
        let is_over = options.cases.map_or(begin.elapsed() >= options.time, |cases| done >= cases);
        if is_over || findings >= MAX_FINDINGS {
            println!(
                "{done} cases from {} on, {findings} findings, {:.0} s",
                options.first,
                begin.elapsed().as_secs_f64()
            );
            println!("{}", agreement::closing_line());
            println!("{}", noise::closing_line());
            println!("the slowest case was {}: {:.1} s", slowest.1, slowest.0.as_secs_f64());
            return Ok(findings);
        }
        if news.elapsed() > NEWS {
            println!("at case {case}, {findings} findings, {:.0} s", begin.elapsed().as_secs_f64());
            news = Instant::now();
        }
        let again = format!("cargo xtask fuzz --seed {case} --cases 1");
        worker.enter(&again);
        let since = Instant::now();
        // The panic has printed its message; the case is still unknown.
        let found =
            catch_unwind(AssertUnwindSafe(|| try_case(case))).unwrap_or_else(|_| Err("it panics".to_owned()));
        if let Err(finding) = found {
            findings += 1;
            println!("case {case} ({again}):\n{finding}\n");
        }
        slowest = slowest.max((since.elapsed(), case));
        case += 1;
    }
}

/// Runs a case. An error describes the difference and the input.
fn try_case(case: u64) -> Result<(), String> {
    let mut rng = Rng::new(case);
    match rng.below(8) {
        0 => noise::grammar_of_bytes(&mut rng),
        1 => noise::damaged_grammar(&mut rng),
        2 => noise::repeated_grammar(&mut rng),
        3 => noise::vocabulary_of_bytes(&mut rng),
        4 => agreement::whether_it_compiles(&mut rng),
        5 => texts_or_masks(&mut rng, |subject, rng| subject.read(rng)),
        _ => texts_or_masks(&mut rng, |subject, rng| subject.walk(rng, LENGTH)),
    }
}

/// Compares a random grammar with its oracle.
fn texts_or_masks(
    rng: &mut Rng,
    compare: impl FnOnce(&Subject, &mut Rng) -> Result<(), String>,
) -> Result<(), String> {
    let random = random::grammar(rng, &Shape::default());
    let words = Arc::new(Words::random(rng)?);
    let is_eager = rng.chance(1, 3);
    match Subject::new(random, words, is_eager, None)? {
        Some(subject) => compare(&subject, rng),
        None => Ok(()),
    }
}

impl Options {
    fn parse(mut words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut options = Self { time: Duration::from_secs(60), first: 0, cases: None, places: None };
        while let Some(word) = words.next() {
            let value = words.next().with_context(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--minutes" => {
                    let minutes: f64 = value.parse().with_context(|| format!("--minutes {value}"))?;
                    options.time = Duration::try_from_secs_f64(minutes * 60.0)?;
                }
                "--seed" => options.first = value.parse().with_context(|| format!("--seed {value}"))?,
                "--cases" => options.cases = Some(value.parse().with_context(|| format!("--cases {value}"))?),
                "--places" => options.places = Some(value.into()),
                other => bail!("unknown option of fuzz: {other}"),
            }
        }
        Ok(options)
    }
}
