//! `cargo xtask maskbench` and the other commands for JSON Schema, and `cargo xtask digest`.
//!
//! They read data that does not belong to the workspace, and say so where it is missing.

use anyhow::Context;

use crate::workspace::{Workspace, cargo};

/// Runs the program `program` with `options`. Returns `true` if it succeeds.
///
/// # Errors
/// If cargo cannot be run.
pub fn run(workspace: &Workspace, program: &str, options: &[String]) -> anyhow::Result<bool> {
    let status = cargo()
        .args(["run", "--release", "--quiet", "-p", "grammask-benches", "--bin", program, "--"])
        .args(options)
        .current_dir(&workspace.root)
        .status()
        .context("cargo run")?;
    Ok(status.success())
}
