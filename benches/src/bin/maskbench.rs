//! `cargo xtask maskbench`: real JSON Schemas with documents, side by side with llguidance, as tables in
//! Markdown.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool that prints a table")]

use std::path::Path;

use grammask_benches::schemas::corpus::{maskbench, server, together};
use grammask_benches::schemas::options::{MASKBENCH_HELP, MaskbenchOptions};
use grammask_benches::schemas::report::Markdown;
use grammask_benches::schemas::tally::write_failures;

fn main() -> anyhow::Result<()> {
    let options = MaskbenchOptions::parse(std::env::args().skip(1))?;
    if options.help {
        print!("{MASKBENCH_HELP}");
        return Ok(());
    }
    for path in [options.path.as_path(), Path::new(&options.vocabulary)] {
        if !path.exists() && path.as_os_str() != "o200k" {
            println!("maskbench: skipped, as there is no {}", path.display());
            return Ok(());
        }
    }
    // Panics are caught, counted and listed with the schema.
    std::panic::set_hook(Box::new(|_| {}));
    if options.walks.is_some() {
        return walk(&options);
    }
    if options.server {
        print!("{}", server::run(&options)?);
        return Ok(());
    }
    if options.together.is_some() {
        let together = together::run(&options)?;
        if let Some(path) = &options.failures {
            write_failures(path, together.failures.iter())?;
        }
        print!("{together}");
        anyhow::ensure!(together.differences == 0, "masks depend on other threads");
        return Ok(());
    }
    let results = maskbench::run(&options)?;
    if let Some(path) = &options.failures {
        write_failures(path, results.tallies.iter().flat_map(|(_, tally)| &tally.failures))?;
    }
    print!("{}", Markdown(&results));
    Ok(())
}

#[cfg(feature = "walks")]
fn walk(options: &MaskbenchOptions) -> anyhow::Result<()> {
    let walks = grammask_benches::schemas::corpus::walks::run(options)?;
    if let Some(path) = &options.failures {
        write_failures(path, walks.failures.iter())?;
    }
    print!("{walks}");
    Ok(())
}

#[cfg(not(feature = "walks"))]
fn walk(_: &MaskbenchOptions) -> anyhow::Result<()> {
    anyhow::bail!("--walks needs the feature `walks`")
}
