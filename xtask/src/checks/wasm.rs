//! `cargo xtask wasm`: builds the C interface for WebAssembly, and runs a matcher under Node.js.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

use crate::workspace::{Workspace, cargo};

const TARGET: &str = "wasm32-unknown-unknown";

/// The linker of Debian's `lld-19`, for toolchains without `rust-lld`.
const DEBIAN_LINKER: &str = "wasm-ld-19";

/// Builds and runs the module. Returns `true` if both succeed.
///
/// The standard library is that of the toolchain (`rustup target add wasm32-unknown-unknown`). If it has
/// none, it is built from the toolchain's sources, as Debian's `rust-web-src` has them.
///
/// # Errors
/// If cargo or Node.js cannot be run.
pub fn run(workspace: &Workspace) -> anyhow::Result<bool> {
    let target = workspace.target.join("wasm");
    let mut command = cargo();
    command.args(["build", "--release", "--locked", "-p", "grammask-capi", "--target", TARGET]);
    command.arg("--target-dir").arg(&target).current_dir(&workspace.root);
    if !has_standard_library()? {
        println!("wasm: the toolchain has no standard library for {TARGET}, so it is built");
        command.arg("-Zbuild-std=std,panic_abort").env("RUSTC_BOOTSTRAP", "1");
        if is_there(DEBIAN_LINKER) {
            command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", DEBIAN_LINKER);
        }
    }
    if !command.status().context("cargo build")?.success() {
        return Ok(false);
    }
    let module = target.join(TARGET).join("release").join("grammask_c.wasm");
    let size = std::fs::metadata(&module).with_context(|| module.display().to_string())?.len();
    println!("wasm: {} has {:.1} MB", module.display(), size as f64 / 1e6);
    ensure!(is_there("node"), "Node.js is not installed, so the module is not run");
    let script = workspace.root.join("xtask").join("wasm").join("smoke.mjs");
    Ok(Command::new("node").arg(script).arg(module).status().context("node")?.success())
}

/// Returns true if the toolchain has the standard library for the target.
fn has_standard_library() -> anyhow::Result<bool> {
    let output = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output()?;
    let folder = String::from_utf8(output.stdout)?;
    let mut files = std::fs::read_dir(Path::new(folder.trim())).into_iter().flatten();
    Ok(files.any(|file| file.is_ok_and(|file| file.file_name().to_string_lossy().starts_with("libstd"))))
}

/// Returns true if a program can be run.
fn is_there(program: &str) -> bool {
    let probe = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    probe.is_ok_and(|status| status.success())
}
