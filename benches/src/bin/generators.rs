//! `cargo xtask generators`: schemas and documents that libraries write, as tables in Markdown.

#![allow(clippy::print_stdout, reason = "a tool that prints a table")]

use grammask_benches::schemas::corpus::practice;
use grammask_benches::schemas::options::{GENERATORS, PracticeOptions};

fn main() -> anyhow::Result<()> {
    let options = PracticeOptions::parse("generators", GENERATORS, std::env::args().skip(1))?;
    print!("{}", practice::main(&options)?);
    Ok(())
}
