//! `cargo xtask book`: builds the documents as one book, where mdbook is installed.

use std::process::{Command, Stdio};

use anyhow::Context;

use crate::workspace::Workspace;

/// Builds `target/book` from `docs/SUMMARY.md`; returns true if mdbook is installed and succeeds.
///
/// # Errors
/// If mdbook is installed and cannot be run.
pub fn run(workspace: &Workspace) -> anyhow::Result<bool> {
    let version =
        Command::new("mdbook").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !version.is_ok_and(|status| status.success()) {
        println!("book: mdbook is not installed (cargo install mdbook)");
        return Ok(false);
    }
    let status =
        Command::new("mdbook").arg("build").current_dir(&workspace.root).status().context("mdbook")?;
    Ok(status.success())
}
