//! The process in which one engine meets one grammar, and how it is watched: what hangs, crashes or takes all memory ends
//! alone, and how far it came is known.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::arguments::Arguments;
use crate::case::{self, Case};
use crate::engine;
use crate::measure::{Effort, Measurement, Run};
use crate::vocabulary::Words;

/// What loading a vocabulary and binding an engine to it may take, beside the limit.
const SETUP: Duration = Duration::from_secs(60);

/// Runs one engine on one grammar and writes what came out to the standard output: a line of JSON now and then, each with
/// all that is known so far.
pub fn work(engine: &str, arguments: &Arguments) -> anyhow::Result<()> {
    let cases = case::load(&arguments.grammars)?;
    let [case] = &cases[..] else { bail!("one grammar at a time") };
    let words = Words::load(&arguments.vocabulary)?;
    let effort = Effort {
        rounds: if arguments.quick { 1 } else { 3 },
        passes: if arguments.quick { 1 } else { 3 },
        compiles: if arguments.quick { 3 } else { 15 },
        limit: arguments.limit,
    };
    let run = Run::new(engine::create(engine, &words)?, case, &words, effort)?;
    let result = run.run(|result| {
        // Who has started this one may have given up.
        tell(result).unwrap_or_default();
    });
    tell(&result)
}

/// Has another process run this engine on this grammar.
pub fn start(engine: &str, case: &Case, arguments: &Arguments) -> anyhow::Result<Measurement> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(["--work", engine, "--grammar", &case.name, "--vocab", &arguments.vocabulary])
        .args(["--limit", &arguments.limit.as_secs().to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    if arguments.quick {
        command.arg("--quick");
    }
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
    let deadline = Instant::now() + arguments.limit + SETUP;
    let mut last = Measurement::default();
    let was_cut = loop {
        match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => last = serde_json::from_str(&line)?,
            Err(RecvTimeoutError::Disconnected) => break false,
            Err(RecvTimeoutError::Timeout) => break true,
        }
    };
    if was_cut {
        child.kill()?;
    }
    let status = child.wait()?;
    reader.join().ok();
    if was_cut {
        last.end = Some(format!("cut after {} s, inside of a call", arguments.limit.as_secs()));
    } else if !status.success() {
        last.end = Some(format!("crashed ({status})"));
    }
    Ok(last)
}

fn tell(result: &Measurement) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, result)?;
    writeln!(out)?;
    Ok(out.flush()?)
}
