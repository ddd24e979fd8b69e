//! `cargo xtask hostile-schemas`: JSON Schemas that are made to exhaust time, memory or stack, as a table in
//! Markdown.

#![allow(clippy::print_stdout, reason = "a tool that prints a table")]

use grammask_benches::schemas::hostile;
use grammask_benches::schemas::options::{HOSTILE_HELP, HostileOptions};

fn main() -> anyhow::Result<()> {
    let options = HostileOptions::parse(std::env::args().skip(1))?;
    if options.help {
        print!("{HOSTILE_HELP}");
        return Ok(());
    }
    print!("{}", hostile::run(&options)?);
    Ok(())
}
