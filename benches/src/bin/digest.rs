//! `cargo xtask digest`: one line for each grammar with a hash of its masks and verdicts.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool that prints lines")]

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use grammask_benches::digest::{differences, fixtures, schemas};
use grammask_benches::input::vocabulary::Words;
use grammask_benches::schemas::options::SCHEMAS;

const HELP: &str = "\
cargo xtask digest [OPTIONS]

  --schemas FILE   schemas with documents (default ../shared/maskbench/dev.jsonl.gz)
  --vocab FILE     the vocabulary for the schemas (default ../shared/vocab/llama3.tiktoken); fixtures use o200k
  --out FILE       write the lines to a file
  --against FILE   compare with the lines of another commit; exit status 1 if one differs
";

fn main() -> anyhow::Result<ExitCode> {
    let mut path = PathBuf::from(SCHEMAS);
    let mut vocabulary = "../shared/vocab/llama3.tiktoken".to_owned();
    let (mut out, mut against) = (None, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(word) = arguments.next() {
        let mut value = || arguments.next().with_context(|| format!("{word} needs a value"));
        match word.as_str() {
            "--help" | "-h" => {
                print!("{HELP}");
                return Ok(ExitCode::SUCCESS);
            }
            "--schemas" => path = value()?.into(),
            "--vocab" => vocabulary = value()?,
            "--out" => out = Some(PathBuf::from(value()?)),
            "--against" => against = Some(PathBuf::from(value()?)),
            other => bail!("unknown option {other}\n\n{HELP}"),
        }
    }
    // Read first, so that a wrong path is reported before the work.
    let older = match &against {
        Some(file) => Some(std::fs::read_to_string(file).with_context(|| file.display().to_string())?),
        None => None,
    };
    let mut digest = fixtures(&Words::load("o200k")?)?;
    let missing = [path.display().to_string(), vocabulary.clone()];
    match missing.iter().find(|file| !std::path::Path::new(file).exists()) {
        Some(file) => eprintln!("digest: {file} is not there, so the schemas are skipped"),
        None => {
            digest += &schemas(&Words::load(&vocabulary)?, &path, |row, rows| {
                if row % 1200 == 0 {
                    eprintln!("digest: schema {row} of {rows}");
                }
            })?;
        }
    }
    match out {
        Some(file) => std::fs::write(&file, &digest).with_context(|| file.display().to_string())?,
        None if older.is_none() => print!("{digest}"),
        None => {}
    }
    let Some(older) = older else { return Ok(ExitCode::SUCCESS) };
    let found = differences(&older, &digest);
    found.iter().for_each(|line| println!("{line}"));
    println!("{} lines, {} differ", digest.lines().count(), found.len());
    Ok(if found.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
