//! `cargo xtask loom`: runs the models of the tables in grammask-cache, built from the primitives of loom.

use anyhow::Context;

use crate::workspace::{Workspace, cargo};

/// Selects loom's primitives. Models are small, so optimizing across crates and debug information only cost
/// time.
pub const ENVIRONMENT: [(&str, &str); 4] = [
    ("RUSTFLAGS", "--cfg loom"),
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "none"),
];

/// Returns the arguments that select the models.
///
/// They are built in a folder of their own, as their flags would make cargo build everything else again.
pub fn selection(workspace: &Workspace) -> Vec<String> {
    let target = workspace.target.join("loom");
    ["--locked", "-p", "grammask-cache", "--test", "loom", "--target-dir"]
        .into_iter()
        .map(str::to_owned)
        .chain([target.display().to_string()])
        .collect()
}

/// Runs the models. Returns `true` if all hold. `options` go to the test program, such as part of a model's
/// name.
///
/// # Errors
/// If cargo cannot be run.
pub fn run(workspace: &Workspace, options: &[String]) -> anyhow::Result<bool> {
    let status = cargo()
        .args(["test", "--release"])
        .args(selection(workspace))
        .arg("--")
        .args(options)
        .envs(ENVIRONMENT)
        .current_dir(&workspace.root)
        .status()
        .context("cargo test")?;
    Ok(status.success())
}
