//! The process that does one piece of work, and how it is watched: what hangs, crashes or takes all memory ends alone, and how
//! far it came is known.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::arguments::Arguments;
use crate::case;
use crate::engine::{self, Engine, GLRMASK, OURS};
use crate::measure::{Effort, Run};
use crate::vocabulary::Words;
use crate::{batch, bounds, hard, known, recursion};

/// What loading a vocabulary and binding an engine to it may take.
const SETUP: Duration = Duration::from_secs(60);

/// What work that is none of an engine's may take.
const LONGEST: Duration = Duration::from_secs(120);

/// The large vocabulary beside the small ones.
pub(crate) const LARGE: &str = "o200k";

/// Of its ids, those below this one are a small vocabulary that differs from it in nothing else. Others differ in what their tokens are, too: one may have
/// hardly any with a line's end inside, the other thousands.
const FIRST: u32 = 32_000;

/// Engines that take minutes for what others take a second for.
const SLOW: [&str; 2] = ["kbnf", GLRMASK];

/// The first line of a worker that is ready to begin.
const READY: &str = "ready";

/// Does a piece of work and writes what came out to the standard output: a line of JSON now and then, each with all that is
/// known so far. The work is the name of an engine, or of a part that no other engine takes part in.
///
/// # Errors
/// When it cannot be done.
pub fn work(work: &str, arguments: &Arguments) -> anyhow::Result<()> {
    let cases = case::load(&arguments.grammars)?;
    let words = Words::load(&arguments.vocabulary)?;
    let quick = arguments.quick;
    match work {
        "known" => told(|tell| known::measure(&cases, &words, quick, tell)),
        "vocabularies" => {
            let large = Words::load(LARGE)?;
            let other = (words.name != LARGE).then_some(words);
            let sizes: Vec<Words> = other.into_iter().chain([large.below(FIRST), large]).collect();
            told(|tell| known::measure_sizes(&cases, &sizes, quick, tell))
        }
        "batch" => told(|tell| batch::measure(&cases, &words, quick, tell)),
        "bounds" => told(|tell| bounds::measure(&words, quick, tell)),
        "hard" => told(|tell| hard::measure(&words, quick, tell)),
        way if recursion::WAYS.contains(&way) => told(|tell| {
            tell(recursion::measure(way, &words, quick)?);
            Ok(())
        }),
        name => run(name, engine::create(name, &words)?, &words, arguments),
    }
}

/// Runs an engine on the one grammar that the arguments name, and writes what comes out to the standard output.
///
/// # Errors
/// When there are more grammars or none, or the text cannot be cut into tokens.
pub fn run(name: &str, engine: Box<dyn Engine>, words: &Words, arguments: &Arguments) -> anyhow::Result<()> {
    let cases = case::load(&arguments.grammars)?;
    let [case] = &cases[..] else { bail!("one grammar at a time") };
    let run = Run::new(engine, case, words, effort(name, arguments.quick, arguments.limit_of(name)))?;
    ready()?;
    // Who has started this one may have given up.
    tell(&run.run(|result| tell(result).unwrap_or_default()))
}

/// How often an engine's turn at a grammar comes. Between two of them is that of all others, so that what disturbs the machine for a while disturbs
/// everything that is compared. Those that take long have one turn.
pub fn turns(engine: &str, quick: bool) -> usize {
    if quick || SLOW.contains(&engine) { 1 } else { 3 }
}

/// How often an engine does what, in each of its turns.
pub fn effort(engine: &str, quick: bool, limit: Duration) -> Effort {
    let (warmups, rounds, passes, compiles) = match engine {
        _ if quick => (0, 1, 1, 3),
        _ if OURS.contains(&engine) => (1, 3, 3, 9),
        _ if SLOW.contains(&engine) => (0, 3, 3, 25),
        _ => (1, 2, 1, 9),
    };
    Effort { warmups, rounds, passes, compiles, limit }
}

/// What a piece of work has come to.
#[derive(Clone, Debug)]
pub struct Output<T> {
    /// The last that it has told.
    pub value: Option<T>,
    /// Why there is no more.
    pub end: Option<String>,
}

/// Has another process do a piece of work with this vocabulary, on this grammar or on all that the arguments name.
///
/// # Errors
/// When no process can be started, or what it says is not understood.
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
    let limit = if grammar.is_some() { arguments.limit_of(work) } else { LONGEST };
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
    let mut deadline = Instant::now() + SETUP;
    let mut last = None;
    let was_cut = loop {
        match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            // A second more, for the worker notices by itself unless it is inside of a call.
            Ok(line) if line == READY => deadline = Instant::now() + limit + Duration::from_secs(1),
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

/// Does work that tells its results one by one, and passes on all there are each time.
fn told<T: Serialize>(work: impl FnOnce(&mut dyn FnMut(T)) -> anyhow::Result<()>) -> anyhow::Result<()> {
    ready()?;
    let mut results = Vec::new();
    work(&mut |result| {
        results.push(result);
        tell(&results).unwrap_or_default();
    })
}

fn ready() -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{READY}")?;
    Ok(out.flush()?)
}

fn tell(result: &impl Serialize) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, result)?;
    writeln!(out)?;
    Ok(out.flush()?)
}
