//! The process that does one piece of work, and its supervision.
//!
//! A worker that hangs, crashes or exhausts memory ends alone, and its last report is kept.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::arguments::Arguments;
use crate::engine::{self, Engine, GLRMASK, OURS};
use crate::input::case;
use crate::input::vocabulary::Words;
use crate::run::measure::{Effort, Run};
use crate::workload::{batch, bounds, hard, known, recursion};

/// Maximum time to load a vocabulary and bind an engine to it.
const MAX_SETUP_TIME: Duration = Duration::from_secs(60);

/// Maximum time of a part that only grammask takes part in.
const MAX_PART_TIME: Duration = Duration::from_secs(120);

/// The large vocabulary.
pub(crate) const LARGE_VOCABULARY: &str = "o200k";

/// Ids of the large vocabulary below this one form a small vocabulary with tokens of the same kind. Other
/// small vocabularies differ in their tokens too, such as in the number of those with a line break.
const SMALL_VOCABULARY_IDS: u32 = 32_000;

/// Engines that take minutes where others take a second.
const SLOW_ENGINES: [&str; 2] = ["kbnf", GLRMASK];

/// First line of a worker that is ready.
const READY_LINE: &str = "ready";

/// Does a piece of work and prints its results: lines of JSON, each with all results so far. The name of the
/// work is that of an engine or of a part.
///
/// # Errors
/// If the work fails.
pub fn work(work: &str, arguments: &Arguments) -> anyhow::Result<()> {
    let cases = case::load(&arguments.grammars)?;
    let words = Words::load(&arguments.vocabulary)?;
    let quick = arguments.quick;
    match work {
        "known" => report_each(|report| known::measure(&cases, &words, quick, report)),
        "vocabularies" => {
            let large = Words::load(LARGE_VOCABULARY)?;
            let other = (words.name != LARGE_VOCABULARY).then_some(words);
            let sizes: Vec<Words> =
                other.into_iter().chain([large.below(SMALL_VOCABULARY_IDS), large]).collect();
            report_each(|report| known::measure_sizes(&cases, &sizes, quick, report))
        }
        "batch" => report_each(|report| batch::measure(&cases, &words, quick, report)),
        "bounds" => report_each(|report| bounds::measure(&words, quick, report)),
        "hard" => report_each(|report| hard::measure(&words, quick, report)),
        way if recursion::WAYS.contains(&way) => report_each(|report| {
            report(recursion::measure(way, &words, quick)?);
            Ok(())
        }),
        name => run(name, engine::create(name, &words)?, &words, arguments),
    }
}

/// Runs an engine on the single grammar of the arguments, and prints the results.
///
/// # Errors
/// If there is not exactly one grammar, or the text cannot be cut into tokens.
pub fn run(name: &str, engine: Box<dyn Engine>, words: &Words, arguments: &Arguments) -> anyhow::Result<()> {
    let cases = case::load(&arguments.grammars)?;
    let [case] = &cases[..] else { bail!("one grammar at a time") };
    let run = Run::new(engine, case, words, effort(name, arguments.quick, arguments.limit_of(name)))?;
    ready()?;
    // The supervisor may have given up.
    report(&run.run(|result| report(result).unwrap_or_default()))
}

/// Returns the number of turns of an engine at a grammar. The turns of all engines alternate, so that a
/// disturbance of the machine affects all of them. Slow engines have one turn.
pub fn turns(engine: &str, quick: bool) -> usize {
    if quick || SLOW_ENGINES.contains(&engine) { 1 } else { 3 }
}

/// Returns the amount of work in each turn of an engine.
pub fn effort(engine: &str, quick: bool, limit: Duration) -> Effort {
    let (warmups, rounds, passes, compiles) = match engine {
        _ if quick => (0, 1, 1, 3),
        _ if OURS.contains(&engine) => (1, 3, 3, 9),
        _ if SLOW_ENGINES.contains(&engine) => (0, 3, 3, 25),
        _ => (1, 2, 1, 9),
    };
    Effort { warmups, rounds, passes, compiles, limit }
}

/// Result of a piece of work.
#[derive(Clone, Debug)]
pub struct Output<T> {
    /// Its last report.
    pub value: Option<T>,
    /// Reason of an early end.
    pub end: Option<String>,
}

/// Runs a piece of work in a process of its own, on one grammar or on all that the arguments name.
///
/// # Errors
/// If the process cannot be started, or prints something else.
pub fn start<T: DeserializeOwned>(
    work: &str,
    vocabulary: &str,
    grammar: Option<&str>,
    arguments: &Arguments,
) -> anyhow::Result<Output<T>> {
    let program = match &arguments.glrmask {
        Some(program) if work == GLRMASK => program.into(),
        _ => std::env::current_exe()?,
    };
    let mut command = Command::new(program);
    command
        .envs(
            ["RAYON_NUM_THREADS", "GLRMASK_COMPILE_THREADS"]
                .map(|name| (name, "1"))
                .into_iter()
                .filter(|_| work == GLRMASK),
        )
        .args(["--work", work, "--vocab", vocabulary])
        .args(["--limit", &arguments.limit.as_secs().to_string()])
        .args(["--kbnf-limit", &arguments.kbnf_limit.as_secs().to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    for name in
        grammar.into_iter().chain(arguments.grammars.iter().map(String::as_str).filter(|_| grammar.is_none()))
    {
        command.args(["--grammar", name]);
    }
    if arguments.quick {
        command.arg("--quick");
    }
    let limit = if grammar.is_some() { arguments.limit_of(work) } else { MAX_PART_TIME };
    let mut child = command.spawn()?;
    let output = child.stdout.take().context("no output")?;
    let (sender, receiver) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let mut deadline = Instant::now() + MAX_SETUP_TIME;
    let mut last = None;
    let was_cut = loop {
        match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            // One more second, as the worker notices the limit itself unless it is inside of a call.
            Ok(line) if line == READY_LINE => deadline = Instant::now() + limit + Duration::from_secs(1),
            Ok(line) => last = Some(serde_json::from_str(&line)?),
            Err(RecvTimeoutError::Disconnected) => break false,
            Err(RecvTimeoutError::Timeout) => break true,
        }
    };
    if was_cut {
        child.kill()?;
    }
    let status = child.wait()?;
    reader.join().ok();
    let end = if was_cut {
        Some(format!("cut after {} s, inside of a call", limit.as_secs()))
    } else if !status.success() {
        Some(format!("crashed ({status})"))
    } else {
        None
    };
    Ok(Output { value: last, end })
}

/// Does work that reports results one by one, and prints all results each time.
fn report_each<T: Serialize>(
    work: impl FnOnce(&mut dyn FnMut(T)) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    ready()?;
    let mut results = Vec::new();
    work(&mut |result| {
        results.push(result);
        report(&results).unwrap_or_default();
    })
}

fn ready() -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{READY_LINE}")?;
    Ok(out.flush()?)
}

fn report(result: &impl Serialize) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, result)?;
    writeln!(out)?;
    Ok(out.flush()?)
}
