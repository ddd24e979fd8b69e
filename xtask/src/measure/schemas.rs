//! `cargo xtask maskbench` and the other commands for JSON Schema, `cargo xtask digest` and `cliffs`.
//!
//! They read data that does not belong to the workspace, and say so where it is missing.

use anyhow::Context;

use crate::workspace::{Workspace, cargo};

/// Features of the programs that compare with no other engine: a build without peers takes less time.
const ALONE: [&str; 3] = ["--no-default-features", "--features", "walks"];

/// Runs the program `program` with `options`. Returns `true` if it succeeds.
///
/// # Errors
/// If cargo cannot be run.
pub fn run(workspace: &Workspace, program: &str, options: &[String]) -> anyhow::Result<bool> {
    let features: &[&str] =
        if matches!(program, "schemastore" | "generators" | "cliffs") { &ALONE } else { &[] };
    let status = cargo()
        .args(["run", "--release", "--quiet", "-p", "grammask-benches", "--bin", program])
        .args(features)
        .arg("--")
        .args(options)
        .current_dir(&workspace.root)
        .status()
        .context("cargo run")?;
    Ok(status.success())
}
