//! `cargo xtask memcheck`: the C interface and the Python package under valgrind's memcheck.
//!
//! These two crates have all `unsafe` code: pointers of C, and buffers that Python owns. Memcheck reports
//! reads and writes outside of blocks, and after they are freed; in C also blocks that are never freed.

use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

use crate::python::{Environment, PACKAGE, build_wheel};
use crate::workspace::{Workspace, cargo};

/// The exit status of valgrind if it found an error.
const FOUND: &str = "--error-exitcode=99";

/// Runs both. Returns true if all tests pass and nothing is reported.
///
/// # Errors
/// If valgrind is not installed, or something cannot be built or run.
pub fn run(workspace: &Workspace) -> anyhow::Result<bool> {
    let version = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status();
    ensure!(version.is_ok_and(|status| status.success()), "valgrind is not installed");
    let is_c_right = check_c(workspace)?;
    let is_python_right = check_python(workspace)?;
    println!("memcheck: C {}, Python {}", verdict(is_c_right), verdict(is_python_right));
    Ok(is_c_right && is_python_right)
}

fn verdict(is_right: bool) -> &'static str {
    if is_right { "passed" } else { "failed" }
}

/// Runs the C program of the tests, which calls every function.
fn check_c(workspace: &Workspace) -> anyhow::Result<bool> {
    let mut build = cargo();
    build.args(["test", "--quiet", "-p", "grammask-capi", "--test", "c"]).current_dir(&workspace.root);
    ensure!(build.status().context("cargo test")?.success(), "the C program does not build or run");
    let program = workspace.target.join("debug").join("deps").join("grammask_smoke");
    let mut check = Command::new("valgrind");
    check.args(["--quiet", "--leak-check=full", FOUND]).arg(program);
    Ok(check.status().context("valgrind")?.success())
}

/// Runs the tests of the wheel.
///
/// Memcheck does not report values that are read before they are set. CPython reads such values when it makes
/// small integers, and optimized code may read both sides of a condition.
fn check_python(workspace: &Workspace) -> anyhow::Result<bool> {
    let package = workspace.root.join(PACKAGE);
    let environment = Environment::at(workspace, "memcheck", &package.join("tests/requirements.txt"))?;
    let wheel = build_wheel(workspace, &environment, "dev")?;
    environment.install_wheel(&wheel)?;
    let mut check = Command::new("valgrind");
    check.args(["--quiet", "--undef-value-errors=no", FOUND]);
    check.arg(format!("--suppressions={}", workspace.root.join("xtask/src/checks/memcheck.supp").display()));
    check.arg(environment.folder.join("bin/python")).env("PYTHONMALLOC", "malloc");
    check.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).arg(package.join("tests"));
    environment.run(&mut check)
}
