//! `cargo xtask fuzz`: builds the fuzzer with optimization and runs it. The fuzzer is a program of its own, as it needs the
//! whole engine, which no other chore does; see `src/bin/fuzz`.

use anyhow::Context;

use crate::workspace::{Workspace, cargo};

/// The file in the target folder in which the fuzzer keeps the number of the case that it is at.
const PLACE: &str = "fuzz-case";

/// Runs the fuzzer with these options; whether it has found nothing.
///
/// # Errors
/// When it cannot be built or run.
pub fn run(workspace: &Workspace, options: &[String]) -> anyhow::Result<bool> {
    std::fs::create_dir_all(&workspace.target)?;
    let place = workspace.target.join(PLACE);
    std::fs::write(&place, "")?;
    let status = cargo()
        .args(["run", "--release", "--quiet", "-p", "xtask", "--features", "fuzz", "--bin", "fuzz", "--"])
        .args(options)
        .arg("--place")
        .arg(&place)
        .current_dir(&workspace.root)
        .status()
        .context("cargo run")?;
    if status.code().is_none_or(|code| code > 1) {
        // A stack overflow or the like, about which the fuzzer could say nothing itself.
        let case = std::fs::read_to_string(&place).unwrap_or_default();
        println!("the fuzzer has died ({status}) at case {case}: cargo xtask fuzz --seed {case} --cases 1");
    }
    Ok(status.success())
}
