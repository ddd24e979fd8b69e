//! `cargo xtask fuzz` and `cargo xtask soak`: builds the fuzzer or the soak with optimization and runs it.
//!
//! They are programs of their own in `src/bin`, because no other command needs the whole engine.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::workspace::{Workspace, cargo};

/// Runs the program `program` with `options`. Returns `true` if it finds nothing.
///
/// # Errors
/// If it cannot be built or run.
pub fn run(workspace: &Workspace, program: &str, options: &[String]) -> anyhow::Result<bool> {
    // Each thread of the program writes the command line of its current case to a file there.
    let places = workspace.target.join(format!("{program}-cases"));
    if places.exists() {
        std::fs::remove_dir_all(&places)?;
    }
    std::fs::create_dir_all(&places)?;
    let status = cargo()
        .args(["run", "--release", "--quiet", "-p", "xtask", "--features", "fuzz", "--bin", program, "--"])
        .args(options)
        .arg("--places")
        .arg(&places)
        .current_dir(&workspace.root)
        .status()
        .context("cargo run")?;
    if status.code().is_none_or(|code| code > 1) {
        // Interrupted, a stack overflow or the like, which the program cannot report itself.
        println!("{program} ended with {status} at:");
        for place in files(&places)? {
            println!("  {}", std::fs::read_to_string(place)?);
        }
    }
    Ok(status.success())
}

fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        files.push(entry?.path());
    }
    files.sort();
    Ok(files)
}
