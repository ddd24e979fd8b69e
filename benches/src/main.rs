//! Runs the comparison and prints it as Markdown or JSON.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool that prints a table")]

use std::process::ExitCode;

use grammask_benches::arguments::{Arguments, HELP, Job};
use grammask_benches::report;
use grammask_benches::run::{compare, worker};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    match arguments.job {
        Job::Help => print!("{HELP}"),
        Job::Work(ref work) => worker::work(work, &arguments)?,
        Job::Compare => {
            let results = compare::run(&arguments)?;
            if arguments.json {
                println!("{}", serde_json::to_string_pretty(&results)?);
            } else {
                print!("{}", report::Markdown(&results));
            }
        }
    }
    Ok(())
}
