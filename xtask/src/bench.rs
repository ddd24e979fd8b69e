//! `cargo xtask bench`: runs the comparison with other engines and keeps its table as docs/benchmarks.md.

use std::process::Stdio;

use anyhow::{Context, ensure};

use crate::workspace::{Workspace, cargo};

/// Where the table is kept, from the root of the workspace.
const TABLE: &str = "docs/benchmarks.md";

/// Runs the comparison with these options; always true, as slowness is no failure.
///
/// # Errors
/// When the comparison fails, or the table cannot be written.
pub fn run(workspace: &Workspace, options: &[String]) -> anyhow::Result<bool> {
    let keeps_table = !options.iter().any(|option| option == "--json" || option == "--help");
    let mut command = cargo();
    command
        .args(["run", "--release", "--quiet", "-p", "grammask-benches", "--"])
        .args(options)
        .current_dir(&workspace.root);
    if !keeps_table {
        return Ok(command.status().context("cargo run")?.success());
    }
    let output = command.stderr(Stdio::inherit()).output().context("cargo run")?;
    ensure!(output.status.success(), "the comparison has failed");
    std::fs::write(workspace.root.join(TABLE), &output.stdout).context(TABLE)?;
    println!("{}", String::from_utf8_lossy(&output.stdout));
    println!("kept as {TABLE}");
    Ok(true)
}
