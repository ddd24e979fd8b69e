//! Commands that measure: each builds a program of the package of benchmarks with optimization and runs it.

use std::process::Command;

use anyhow::{Context, ensure};

pub mod bench;
pub mod count;
pub mod notations;
pub mod overview;
pub mod parsers;
pub mod schemas;
pub mod tokenizers;

/// Runs a command that must succeed.
fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("cannot run {:?}", command.get_program()))?;
    ensure!(status.success(), "{:?} failed", command.get_program());
    Ok(())
}
