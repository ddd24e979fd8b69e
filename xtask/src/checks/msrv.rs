//! `cargo xtask msrv`: builds the published crates with the minimum Rust version that `Cargo.toml` states.

use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

use crate::workspace::Workspace;

/// Checks the published crates with all features, by `rustup run VERSION cargo` or by the cargo that
/// `--cargo PATH` names. Returns `true` if they build.
///
/// # Errors
/// For an unknown option, and if there is no such toolchain.
pub fn run(workspace: &Workspace, options: &[String]) -> anyhow::Result<bool> {
    let version = &workspace.rust_version;
    let mut command = match options {
        [] => {
            let mut command = Command::new("rustup");
            command.args(["run", version, "cargo"]);
            // Else the toolchain that runs this command would be used for rustc.
            command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO").env_remove("RUSTC");
            command
        }
        [option, path] if option == "--cargo" => Command::new(path),
        _ => anyhow::bail!("msrv [--cargo PATH]"),
    };
    let probe = Command::new(command.get_program())
        .args(command.get_args())
        .arg("--version")
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success());
    ensure!(
        probe.is_some(),
        "there is no cargo of Rust {version}: rustup toolchain install {version} --profile minimal, or msrv --cargo PATH"
    );
    // A folder of its own, as artifacts of another compiler cannot be shared.
    let target = workspace.target.join("msrv");
    command.args(["check", "--locked", "--all-features", "--target-dir"]).arg(target);
    for package in workspace.packages.iter().filter(|package| package.is_published) {
        command.args(["-p", &package.name]);
    }
    println!("msrv: Rust {version}");
    Ok(command.current_dir(&workspace.root).status().context("cargo check")?.success())
}
