//! `cargo xtask cliffs`: looks for schemas and grammars that cost far more than others. Prints tables in
//! Markdown.

#![allow(clippy::print_stdout, reason = "a tool that prints a table")]

use grammask_benches::cliffs::{HELP, Options, run};

fn main() -> anyhow::Result<()> {
    match Options::parse(std::env::args().skip(1))? {
        Some(options) => print!("{}", run(&options)?),
        None => print!("{HELP}"),
    }
    Ok(())
}
