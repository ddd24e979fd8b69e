//! The commands of `cargo xtask`, as a library so that tests can call them.
//!
//! - Checks: [`checks`], [`tidy`].
//! - Measurements: [`measure`].
//! - Tests of the Python package: [`python`]; its adapters in real engines: [`engines`].
//! - Random tests: [`fuzz`], guided by coverage in [`coverage`], and `cases`, which the programs in `src/bin`
//!   share.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command reports what it does")]

pub mod book;
#[cfg(feature = "fuzz")]
pub mod cases;
pub mod checks;
pub mod coverage;
pub mod engines;
pub mod fuzz;
pub mod measure;
pub mod python;
pub mod tidy;
pub mod workspace;

/// Returns the exit status of a command: success for `Ok(true)`. Writes an error to stderr.
pub fn exit_code(result: anyhow::Result<bool>) -> std::process::ExitCode {
    match result {
        Ok(true) => std::process::ExitCode::SUCCESS,
        Ok(false) => std::process::ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            std::process::ExitCode::FAILURE
        }
    }
}
