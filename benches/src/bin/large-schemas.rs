//! `cargo xtask large-schemas`: JSON Schemas that are large or have high counts, side by side with
//! llguidance, in Markdown.

#![allow(clippy::print_stdout, reason = "a tool that prints a table")]

use std::path::Path;

use grammask_benches::schemas::large;
use grammask_benches::schemas::options::{LARGE_HELP, LargeOptions};

fn main() -> anyhow::Result<()> {
    let options = LargeOptions::parse(std::env::args().skip(1))?;
    if options.help {
        print!("{LARGE_HELP}");
        return Ok(());
    }
    if options.vocabulary != "o200k" && !Path::new(&options.vocabulary).exists() {
        println!("large-schemas: skipped, as there is no {}", options.vocabulary);
        return Ok(());
    }
    print!("{}", large::run(&options)?);
    Ok(())
}
