//! `cargo xtask hostile-schemas`: JSON Schemas made to take all time, memory or stack, what they end in, and how soon they end when cancelled,
//! printed as Markdown.

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
