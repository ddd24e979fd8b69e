//! `cargo xtask schemastore`: the schemas of SchemaStore with their documents, as tables in Markdown.

#![allow(clippy::print_stdout, reason = "a tool that prints a table")]

use grammask_benches::schemas::corpus::practice;
use grammask_benches::schemas::options::{PracticeOptions, SCHEMASTORE};

fn main() -> anyhow::Result<()> {
    let options = PracticeOptions::parse("schemastore", SCHEMASTORE, std::env::args().skip(1))?;
    print!("{}", practice::main(&options)?);
    Ok(())
}
