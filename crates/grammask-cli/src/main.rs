//! The command `grammask`: look at every stage of a grammar, check it, ask it about texts, see and measure its masks and let a random
//! model write under them. Nothing of it is needed by those who use the library.

mod args;
mod command;
mod failure;
mod input;
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
    let arguments = Arguments::try_parse();
    // Wrong arguments may still say how they want to be told of it.
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
        Command::Compile(compile) => command::compile::run(compile, reading, out),
        Command::Show(show) => command::show::run(show, reading, out),
        Command::Accept(accept) => command::accept::run(accept, reading, out),
        Command::Mask(mask) => command::mask::run(mask, reading, out),
        Command::Bench(bench) => command::bench::run(bench, reading, out),
        Command::Generate(generate) => command::generate::run(generate, reading, out),
    }
}

/// Help and version are answers; everything else is a mistake.
fn answer_usage(usage: &clap::Error, out: &mut Output) -> Result<Status, Failure> {
    if usage.use_stderr() {
        return Err(Failure::Usage(usage.render().to_string()));
    }
    out.text(usage.render())?;
    Ok(Status::Yes)
}

/// What the exit status says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Done, or the answer is yes.
    Yes,
    /// The answer is no: the grammar is wrong, or the text is.
    No,
    /// The text is the beginning of a text of the language, and no text of it.
    LivePrefix,
    /// The generated text is not complete.
    Incomplete,
    /// There is no answer, as something is wrong.
    Trouble,
}

impl Status {
    const fn code(self) -> u8 {
        match self {
            Self::Yes => 0,
            Self::No => 1,
            Self::LivePrefix => 2,
            Self::Incomplete => 3,
            Self::Trouble => 4,
        }
    }
}
