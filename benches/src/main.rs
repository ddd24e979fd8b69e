//! Compares grammask with the crates `kbnf` and `llguidance`: the same grammars, texts and vocabulary, on one thread, one
//! engine after the other in one run. Prints a Markdown table, or JSON.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool that prints a table")]

mod arguments;
mod case;
mod compare;
mod engine;
mod linear;
mod machine;
mod measure;
mod report;
mod timing;
mod vocabulary;
mod worker;

use std::process::ExitCode;

use arguments::{Arguments, Job};

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
        Job::Help => print!("{}", arguments::HELP),
        Job::Work(ref engine) => worker::work(engine, &arguments)?,
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
