//! `cargo xtask loom`: builds the tables of grammask-cache from the primitives of loom and runs their models.

use anyhow::Context;

use crate::workspace::{Workspace, cargo};

/// Says that the tables are to be made of loom's primitives.
pub const FLAGS: (&str, &str) = ("RUSTFLAGS", "--cfg loom");

/// What cargo is told after the command that builds the models, which have a folder of their own: with other flags,
/// everything would be built again each time.
pub fn selection(workspace: &Workspace) -> Vec<String> {
    let target = workspace.target.join("loom");
    ["--locked", "-p", "grammask-cache", "--test", "loom", "--target-dir"]
        .into_iter()
        .map(str::to_owned)
        .chain([target.display().to_string()])
        .collect()
}

/// Runs the models; whether all hold. `options` go to the test program: the beginning of a model's name, for one.
///
/// # Errors
/// When cargo cannot be run.
pub fn run(workspace: &Workspace, options: &[String]) -> anyhow::Result<bool> {
    let status = cargo()
        .args(["test", "--release"])
        .args(selection(workspace))
        .arg("--")
        .args(options)
        .envs([FLAGS])
        .current_dir(&workspace.root)
        .status()
        .context("cargo test")?;
    Ok(status.success())
}
