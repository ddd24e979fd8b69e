//! `cargo xtask audit`: licences, sources and banned packages of all dependencies, by `cargo deny`.
//!
//! Advisories are left out, as they have to be fetched. `cargo deny check advisories` checks them.

use std::process::Stdio;

use anyhow::Context;

use crate::workspace::{Workspace, cargo};

/// Runs `cargo deny check bans licenses sources`. Returns `true` if it passes or is not installed.
///
/// # Errors
/// If cargo cannot be run.
pub fn run(workspace: &Workspace) -> anyhow::Result<bool> {
    let version = cargo().args(["deny", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !version.is_ok_and(|status| status.success()) {
        println!("audit: cargo-deny is not installed, so nothing is checked: cargo install cargo-deny");
        return Ok(true);
    }
    let status = cargo()
        .args(["deny", "check", "bans", "licenses", "sources"])
        .current_dir(&workspace.root)
        .status()
        .context("cargo deny")?;
    Ok(status.success())
}
