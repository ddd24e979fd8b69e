//! `cargo xtask maskbench`, `json-schema-suite`, `large-schemas` and `hostile-schemas`: build a program of the package of benchmarks with
//! optimization and run it. They read data that does not belong to the workspace, and say so where it is not there.

use anyhow::Context;

use crate::workspace::{Workspace, cargo};

/// Runs the program of this name with these options; whether it has come to an end.
///
/// # Errors
/// When it cannot be built or run.
pub fn run(workspace: &Workspace, program: &str, options: &[String]) -> anyhow::Result<bool> {
    let status = cargo()
        .args(["run", "--release", "--quiet", "-p", "grammask-benches", "--bin", program, "--"])
        .args(options)
        .current_dir(&workspace.root)
        .status()
        .context("cargo run")?;
    Ok(status.success())
}
