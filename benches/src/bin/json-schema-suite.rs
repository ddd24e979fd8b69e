//! `cargo xtask json-schema-suite`: the official tests of JSON Schema, side by side with llguidance, as
//! tables in Markdown.

#![allow(clippy::print_stdout, reason = "a tool that prints a table")]

use grammask_benches::schemas::options::{SUITE_HELP, SuiteOptions};
use grammask_benches::schemas::suite;
use grammask_benches::schemas::tally::write_failures;

/// Bytes of stack for engines that are recursive.
const STACK_BYTES: usize = 512 << 20;

fn main() -> anyhow::Result<()> {
    let options = SuiteOptions::parse(std::env::args().skip(1))?;
    if options.help {
        print!("{SUITE_HELP}");
        return Ok(());
    }
    if !options.path.is_dir() {
        println!("json-schema-suite: skipped, as there is no folder {}", options.path.display());
        return Ok(());
    }
    // Panics are caught, counted and listed with the case.
    std::panic::set_hook(Box::new(|_| {}));
    let results = std::thread::scope(|scope| {
        let run = || suite::run(&options);
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run)?;
        thread.join().map_err(|_| anyhow::anyhow!("a panic outside of the engines"))?
    })?;
    if let Some(path) = &options.failures {
        write_failures(path, results.failures.iter())?;
    }
    print!("{results}");
    Ok(())
}
