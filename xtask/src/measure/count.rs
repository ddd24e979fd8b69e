//! `cargo xtask count`: instructions of masks, accepted tokens, compiles and loads, counted by callgrind.
//!
//! Counts do not depend on the load of the machine, so small differences between two commits show.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

use crate::workspace::{Workspace, cargo};

/// The folder for callgrind's output, in the target folder.
const COUNTS: &str = "count";

/// Counts with the vocabulary that the option names, and prints a table. Other options go to the program.
/// Returns `false` if valgrind is not installed.
///
/// # Errors
/// If the program cannot be built or run, or its counts cannot be read.
pub fn run(workspace: &Workspace, options: &[String]) -> anyhow::Result<bool> {
    let (vocabulary, options) = match options {
        [option, value, rest @ ..] if option == "--vocab" => (value.as_str(), rest),
        rest => ("o200k", rest),
    };
    let are_pairs = options.iter().step_by(2).all(|option| option == "--only" || option == "--profile");
    ensure!(
        are_pairs && options.len().is_multiple_of(2),
        "count [--vocab o200k|PATH] [--only JOB]... [--profile standard|generation]"
    );
    let version = Command::new("valgrind").arg("--version").stderr(Stdio::null()).output();
    let Some(version) = version.ok().filter(|output| output.status.success()) else {
        println!("count: valgrind is not installed, so nothing is counted");
        return Ok(false);
    };
    let status = cargo()
        .args(["build", "--release", "--quiet", "-p", "grammask-benches", "--no-default-features"])
        .args(["--bin", "count"])
        .current_dir(&workspace.root)
        .status()
        .context("cargo build")?;
    ensure!(status.success(), "the counted program does not build");

    let counts = workspace.target.join(COUNTS);
    if counts.exists() {
        std::fs::remove_dir_all(&counts)?;
    }
    std::fs::create_dir_all(&counts)?;
    eprintln!("count: valgrind is some fifty times slower; loading the vocabulary comes first");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet", "--collect-atstart=no"])
        .args(["--toggle-collect=*counted_section*", "--dump-before=*end_of_job*"])
        .arg(format!("--callgrind-out-file={}", counts.join("out").display()))
        .arg(workspace.target.join("release").join("count"))
        .arg(vocabulary)
        .args(options)
        .current_dir(&workspace.root)
        .stderr(Stdio::inherit())
        .output()
        .context("valgrind")?;
    ensure!(output.status.success(), "the counted program fails");

    let selection = [&[vocabulary.to_owned()], options].concat().join(" ");
    println!(
        "instructions by {}, vocabulary {selection}; an empty call is subtracted",
        String::from_utf8_lossy(&version.stdout).trim()
    );
    println!("{:>12}  {:<8} {:>6}  work", "instructions", "for each", "times");
    let mut nothing = 0.0;
    for (number, line) in String::from_utf8(output.stdout)?.lines().enumerate() {
        let mut parts = line.split('\t');
        let (Some(name), Some(unit), Some(times)) = (parts.next(), parts.next(), parts.next()) else {
            anyhow::bail!("the program printed {line:?}")
        };
        let counted = total(&counts.join(format!("out.{}", number + 1)))?;
        // A job may have found nothing to do, such as no refused schema.
        let each = counted as f64 / times.parse::<f64>()?.max(1.0) - nothing;
        if number == 0 {
            nothing = each;
        }
        println!("{each:>12.0}  {unit:<8} {times:>6}  {name}");
    }
    println!("a row that one instruction copies counts as one instruction a byte");
    Ok(true)
}

/// Reads the sum of a file of callgrind.
fn total(path: &Path) -> anyhow::Result<u64> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    total_of(&text).with_context(|| format!("{} has no total", path.display()))
}

fn total_of(text: &str) -> Option<u64> {
    let line = text.lines().rev().find_map(|line| line.strip_prefix("totals:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_is_the_last_line() {
        assert_eq!(total_of("events: Ir\nsummary: 7\n\nfn=(1) totals: 3\n1 5\n\ntotals: 12\n"), Some(12));
        assert_eq!(total_of("events: Ir\n"), None);
    }
}
