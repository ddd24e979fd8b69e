//! `cargo xtask cancel`: the time between a cancellation and the return of the cancelled call.
//!
//! Another thread raises the flag at a random moment of compiling, loading, or computing the masks along an
//! output. The time of a moment is the smaller of two upper bounds. One is the wall clock since the flag. The
//! other is the CPU time of the thread since the system counted it before the flag.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool that prints its findings")]

mod canceller;

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use canceller::Canceller;
use grammask::json_schema::Profile;
use grammask::{CancelFlag, Config, Error, Grammar, Matcher, Tables, Vocabulary};
use grammask_testkit::random::Rng;
use grammask_testkit::worst::{Source, WorstCase, worst_cases};
use xtask::cases::schemas::{read_schemas, read_vocabulary};

const HELP: &str = "\
cargo xtask cancel [OPTIONS] [FILE]

  FILE           schemas with documents (default ../shared/maskbench/dev.jsonl.gz)
  --moments N    moments for each call of each schema (default 1)
  --worst N      moments for each call of each of the worst inputs known (default 60)
  --only TEXT    only the inputs whose names contain the text
  --scale N      multiplies the sizes of the worst inputs (default 10)
  --seed N       seed of the moments (default 1)
  --vocab FILE   the vocabulary (default ../shared/vocab/llama3.tiktoken)
";

/// The maximum time that is allowed.
const MAX_DELAY: Duration = Duration::from_millis(10);

/// Number of moments that are listed.
const MAX_LISTED_MOMENTS: usize = 20;

/// Number of places of an output at which it is to end in time.
const MOST_ENDS: usize = 12;

/// Options of the command line.
struct Options {
    schemas: PathBuf,
    vocabulary: PathBuf,
    moments: usize,
    worst: usize,
    only: String,
    scale: usize,
    seed: u64,
}

impl Options {
    fn parse(arguments: &[String]) -> anyhow::Result<Option<Self>> {
        let mut options = Self {
            schemas: "../shared/maskbench/dev.jsonl.gz".into(),
            vocabulary: "../shared/vocab/llama3.tiktoken".into(),
            moments: 1,
            worst: 60,
            only: String::new(),
            scale: 10,
            seed: 1,
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().with_context(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--moments" => options.moments = value()?.parse().context("--moments")?,
                "--worst" => options.worst = value()?.parse().context("--worst")?,
                "--only" => options.only = value()?.clone(),
                "--scale" => options.scale = value()?.parse().context("--scale")?,
                "--seed" => options.seed = value()?.parse().context("--seed")?,
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

/// The delay of one cancellation.
struct Moment {
    name: String,
    call: &'static str,
    /// Time from the beginning of the calls to the flag.
    at: Duration,
    delay: Duration,
}

/// State of the run.
struct Run {
    vocabulary: Vocabulary,
    canceller: Canceller,
    random: Rng,
    moments: Vec<Moment>,
    /// Moments at which the call had ended before the flag was raised, by call.
    missed: HashMap<&'static str, usize>,
}

fn main() -> ExitCode {
    xtask::exit_code(run())
}

fn run() -> anyhow::Result<bool> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(options) = Options::parse(&arguments)? else {
        print!("{HELP}");
        return Ok(true);
    };
    let vocabulary = read_vocabulary(&options.vocabulary)?;
    let mut run = Run {
        vocabulary,
        canceller: Canceller::start(),
        random: Rng::new(options.seed),
        moments: Vec::new(),
        missed: HashMap::new(),
    };
    let is_selected = |name: &str| name.contains(&options.only);
    for case in worst_cases(options.scale).iter().filter(|case| is_selected(&case.name)) {
        run.measure(case, options.worst);
    }
    for row in read_schemas(&options.schemas)?.into_iter().filter(|row| is_selected(&row.name)) {
        let output = row.documents.into_iter().next().unwrap_or_default();
        let case = WorstCase { name: row.name.into(), source: Source::Schema(row.schema), output };
        run.measure(&case, options.moments);
    }
    Ok(run.report())
}

impl Run {
    /// Cancels the calls for one input at random moments.
    fn measure(&mut self, case: &WorstCase, moments: usize) {
        let vocabulary = self.vocabulary.clone();
        // Each compile has a lexicon of its own where the case is repeated, so that it does all of its work.
        let fresh = || match moments {
            0 | 1 => vocabulary.clone(),
            _ => vocabulary.with_lexicon(&grammask::LexiconConfig::default()),
        };
        let begin = Instant::now();
        let compiled = compile(case, &fresh(), None);
        let time = begin.elapsed();
        for _ in 0..moments {
            let place = fresh();
            self.cancel(case, "compile", time, |flag| match compile(case, &place, Some(flag)) {
                Err(error) if error.is_cancelled() => true,
                result => {
                    drop(result);
                    false
                }
            });
        }
        let Ok(grammar) = compiled else { return };
        let begin = Instant::now();
        follow(&grammar, &case.output, None);
        let time = begin.elapsed();
        for _ in 0..moments {
            let Ok(grammar) = compile(case, &fresh(), None) else { return };
            self.cancel(case, "mask, accept", time, |flag| follow(&grammar, &case.output, Some(flag)));
        }
        let begin = Instant::now();
        end_in_time(&grammar, &case.output, None);
        let time = begin.elapsed();
        for _ in 0..moments {
            let Ok(grammar) = compile(case, &fresh(), None) else { return };
            self.cancel(case, "end in time", time, |flag| end_in_time(&grammar, &case.output, Some(flag)));
        }
        let saved = grammar.save(Tables::Warm);
        let load = |vocabulary: &Vocabulary, flag: Option<&CancelFlag>| {
            let config = Config { cancel: flag.cloned(), ..Config::default() };
            Grammar::load_within(&saved, vocabulary, &config).is_err()
        };
        let begin = Instant::now();
        load(&vocabulary, None);
        let time = begin.elapsed();
        for _ in 0..moments {
            let place = fresh();
            self.cancel(case, "load", time, |flag| load(&place, Some(flag)));
        }
    }

    /// Cancels a call that takes about `time`, and keeps the delay. The call returns true if it was
    /// cancelled.
    fn cancel(
        &mut self,
        case: &WorstCase,
        name: &'static str,
        time: Duration,
        call: impl FnOnce(&CancelFlag) -> bool,
    ) {
        let at = time.mul_f64(self.random.below(1_000) as f64 / 1_000.0);
        let (is_cancelled, delay) = self.canceller.cancel(at, call);
        match delay.filter(|_| is_cancelled) {
            Some(delay) => {
                self.moments.push(Moment { name: case.name.to_string(), call: name, at, delay });
            }
            None => *self.missed.entry(name).or_default() += 1,
        }
    }

    /// Prints the greatest delays. Returns `true` if none exceeds the maximum.
    fn report(mut self) -> bool {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        self.moments.sort_by_key(|moment| std::cmp::Reverse(moment.delay));
        println!("| call | cancelled | ended before | worst ms | 99.9 % ms | 99 % ms | over 10 ms |");
        println!("| --- |{}", " --: |".repeat(6));
        for call in ["compile", "mask, accept", "end in time", "load"] {
            let delays: Vec<Duration> =
                self.moments.iter().filter(|moment| moment.call == call).map(|moment| moment.delay).collect();
            let at =
                |share: f64| delays.get((delays.len() as f64 * share) as usize).map_or(0.0, |time| ms(*time));
            println!(
                "| {call} | {} | {} | {:.2} | {:.2} | {:.2} | {} |",
                delays.len(),
                self.missed.get(call).copied().unwrap_or_default(),
                at(0.0),
                at(0.001),
                at(0.01),
                delays.iter().filter(|delay| **delay > MAX_DELAY).count()
            );
        }
        println!();
        for moment in self.moments.iter().take(MAX_LISTED_MOMENTS) {
            println!(
                "{:.2} ms: {} of {}, cancelled after {:.1} ms",
                ms(moment.delay),
                moment.call,
                moment.name,
                ms(moment.at)
            );
        }
        self.moments.first().is_none_or(|moment| moment.delay <= MAX_DELAY)
    }
}

fn compile(case: &WorstCase, vocabulary: &Vocabulary, flag: Option<&CancelFlag>) -> Result<Grammar, Error> {
    let mut config = Config::default().with_profile(Profile::Standard);
    config.cancel = flag.cloned();
    match &case.source {
        Source::Kbnf(text) => Grammar::compile(text, vocabulary, &config),
        Source::Schema(text) => Grammar::from_json_schema_text(text, vocabulary, &config),
    }
}

/// Computes the mask before each byte of an output, and accepts the byte. Returns true if a call was
/// cancelled.
fn follow(grammar: &Grammar, output: &str, flag: Option<&CancelFlag>) -> bool {
    let mut matcher = grammar.matcher();
    matcher.set_cancel_flag(flag.cloned());
    for byte in output.bytes() {
        matcher.mask();
        if matcher.error().is_some_and(|error| error.is_cancelled()) {
            return true;
        }
        if !matcher.accept_bytes(&[byte]).is_accepted() {
            return matcher.error().is_some_and(|error| error.is_cancelled());
        }
    }
    false
}

/// Computes the bounds of an output's end, and the mask of tokens that end in time, at some places of an
/// output. Returns true if a call was cancelled.
fn end_in_time(grammar: &Grammar, output: &str, flag: Option<&CancelFlag>) -> bool {
    let mut matcher = grammar.matcher();
    matcher.set_cancel_flag(flag.cloned());
    let mut row = vec![0; grammar.vocabulary().mask_words()];
    let is_cancelled = |matcher: &Matcher| matcher.error().is_some_and(|error| error.is_cancelled());
    for piece in output.as_bytes().chunks(output.len().div_ceil(MOST_ENDS).max(1)) {
        let tokens = matcher.min_tokens_to_end().unwrap_or(100);
        if is_cancelled(&matcher) {
            return true;
        }
        let _ = matcher.fill_mask_within(tokens, &mut row);
        if is_cancelled(&matcher) {
            return true;
        }
        if !matcher.accept_bytes(piece).is_accepted() {
            return is_cancelled(&matcher);
        }
    }
    false
}
