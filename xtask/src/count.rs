//! `cargo xtask count`: instructions for a mask, an accepted token and a compile, counted by callgrind. No noise of the machine is
//! in there, so small differences between two commits show.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

use crate::workspace::{Workspace, cargo};

/// The folder in the target folder in which callgrind keeps what it has counted.
const COUNTS: &str = "count";

/// Counts, with the vocabulary that the option names; whether there is valgrind to do it.
///
/// # Errors
/// When the program cannot be built or run, or its counts cannot be read.
pub fn run(workspace: &Workspace, options: &[String]) -> anyhow::Result<bool> {
    let vocabulary = match options {
        [] => "o200k",
        [option, value] if option == "--vocab" => value,
        _ => anyhow::bail!("count [--vocab o200k|PATH]"),
    };
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
    ensure!(status.success(), "the program whose instructions are counted does not build");

    let counts = workspace.target.join(COUNTS);
    if counts.exists() {
        std::fs::remove_dir_all(&counts)?;
    }
    std::fs::create_dir_all(&counts)?;
    eprintln!("count: everything takes some fifty times longer now, loading the vocabulary first of all");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet", "--collect-atstart=no"])
        .args(["--toggle-collect=*counted_section*", "--dump-before=*end_of_job*"])
        .arg(format!("--callgrind-out-file={}", counts.join("out").display()))
        .arg(workspace.target.join("release").join("count"))
        .arg(vocabulary)
        .current_dir(&workspace.root)
        .stderr(Stdio::inherit())
        .output()
        .context("valgrind")?;
    ensure!(output.status.success(), "the program whose instructions are counted has failed");

    println!(
        "instructions by {}, vocabulary {vocabulary}; what a call of nothing takes is taken off",
        String::from_utf8_lossy(&version.stdout).trim()
    );
    println!("{:>12}  {:<8} {:>6}  work", "instructions", "for each", "times");
    let mut nothing = 0.0;
    for (number, line) in String::from_utf8(output.stdout)?.lines().enumerate() {
        let mut parts = line.split('\t');
        let (Some(name), Some(unit), Some(times)) = (parts.next(), parts.next(), parts.next()) else {
            anyhow::bail!("what is {line:?}?")
        };
        let counted = total(&counts.join(format!("out.{}", number + 1)))?;
        // A job may have found nothing to do, such as no refused schema.
        let each = counted as f64 / times.parse::<f64>()?.max(1.0) - nothing;
        if number == 0 {
            nothing = each;
        }
        println!("{each:>12.0}  {unit:<8} {times:>6}  {name}");
    }
    println!("a row that the processor copies by one instruction counts as an instruction for each byte");
    Ok(true)
}

/// What a file of callgrind's has counted.
fn total(path: &Path) -> anyhow::Result<u64> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    total_of(&text).with_context(|| format!("{} tells no total", path.display()))
}

fn total_of(text: &str) -> Option<u64> {
    let line = text.lines().rev().find_map(|line| line.strip_prefix("totals:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_stands_at_the_end() {
        assert_eq!(total_of("events: Ir\nsummary: 7\n\nfn=(1) totals: 3\n1 5\n\ntotals: 12\n"), Some(12));
        assert_eq!(total_of("events: Ir\n"), None);
    }
}
