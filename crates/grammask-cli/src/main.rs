//! The command `grammask`: checks grammars, prints every stage of one, tests texts, prints and measures
//! masks, and writes random texts. The library does not depend on it.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod args;
mod command;
mod failure;
mod input;
mod interrupt;
mod measure;
mod output;
mod random;
mod shortest_completion;
mod timing;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Arguments, Command};
use crate::failure::Failure;
use crate::output::Output;

fn main() -> ExitCode {
    let arguments = Arguments::try_parse_from(args::with_schema_flag(std::env::args_os()));
    // Invalid arguments may still ask for the error as JSON.
    let json = match &arguments {
        Ok(arguments) => arguments.reading.json,
        Err(_) => std::env::args_os().any(|argument| argument == "--json"),
    };
    let mut out = Output::new(json);
    let result = match arguments {
        Ok(arguments) => run(&arguments, &mut out),
        Err(usage) => answer_usage(&usage, &mut out),
    };
    let result = result.and_then(|status| {
        out.flush()?;
        Ok(status)
    });
    let status = result.unwrap_or_else(|failure| failure.report(&mut out));
    ExitCode::from(status.code())
}

fn run(arguments: &Arguments, out: &mut Output) -> Result<Status, Failure> {
    let reading = &arguments.reading;
    match &arguments.command {
        Command::Check(check) => command::check::run(check, reading, out),
        Command::Convert(convert) => command::convert::run(convert, reading, out),
        Command::Compile(compile) => command::compile::run(compile, reading, out),
        Command::Show(show) => command::show::run(show, reading, out),
        Command::Accept(accept) => command::accept::run(accept, reading, out),
        Command::Mask(mask) => command::mask::run(mask, reading, out),
        Command::Bench(bench) => command::bench::run(bench, reading, out),
        Command::Vocab(vocab) => command::vocab::run(vocab, out),
        Command::Generate(generate) => command::generate::run(generate, reading, out),
    }
}

/// Prints help or the version. Any other outcome of parsing the arguments is an error.
fn answer_usage(usage: &clap::Error, out: &mut Output) -> Result<Status, Failure> {
    if usage.use_stderr() {
        return Err(Failure::Usage(usage.render().to_string()));
    }
    out.text(usage.render())?;
    Ok(Status::Yes)
}

/// The outcome of a command, as its exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Success, or the answer is yes.
    Yes,
    /// The answer is no: the grammar is invalid, or the text is rejected.
    No,
    /// The text is incomplete, but some text in the language begins with it.
    LivePrefix,
    /// The generated text is incomplete.
    Incomplete,
    /// There is no answer, because of an error.
    Failure,
}

impl Status {
    const fn code(self) -> u8 {
        match self {
            Self::Yes => 0,
            Self::No => 1,
            Self::LivePrefix => 2,
            Self::Incomplete => 3,
            Self::Failure => 4,
        }
    }
}
