//! Errors of a command, and their output: text on stderr, or JSON on stdout.

use std::io::{self, Write};

use grammask::notation::{Errors, Guess};
use grammask_syntax::{Diagnostic, Span, line_column};
use serde_json::{Value, json};

use crate::Status;
use crate::input::source::Source;
use crate::output::Output;

/// An error of a command.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments are invalid. Holds the whole message.
    Usage(String),
    /// The grammar is invalid.
    Grammar(Box<InvalidGrammar>),
    /// No text in the language begins with the given text.
    NotLive {
        /// Offset of the first byte that cannot follow.
        at: usize,
    },
    /// As `NotLive`, with the tokens that are allowed instead.
    Rejected(Box<Rejection>),
    /// Any other error, as a message of one line.
    Other(String),
}

/// The errors of a grammar.
#[derive(Debug)]
pub(crate) struct InvalidGrammar {
    /// The errors as text, with places and carets.
    pub report: String,
    /// The errors as JSON.
    pub errors: Vec<Value>,
    /// Number of further errors.
    pub omitted: usize,
    /// True if the only mistake is that the grammar has no outputs.
    pub is_empty_language: bool,
}

/// The place where a text is rejected.
#[derive(Debug)]
pub(crate) struct Rejection {
    /// Offset of the first byte that cannot follow.
    pub at: usize,
    /// The error as one line of text.
    pub message: String,
    /// Number of tokens that are allowed there.
    pub count: usize,
    /// The first of them, as JSON.
    pub allowed: Value,
}

impl Failure {
    /// Creates an error with this message.
    pub(crate) fn other(message: impl Into<String>) -> Self {
        Self::Other(message.into())
    }

    /// Converts the errors of a grammar in another notation than KBNF.
    pub(crate) fn of_notation(errors: &Errors) -> Self {
        let place = |span: Span| {
            let (file, place) = errors.sources().locate(span.start);
            json!({ "file": file, "line": place.line, "column": place.column })
        };
        let one = |diagnostic: &Diagnostic| {
            let mut value = place(diagnostic.span);
            value["message"] = json!(diagnostic.message);
            value["hint"] = json!(diagnostic.hint);
            value["note"] = diagnostic.note.as_ref().map_or(Value::Null, |note| {
                let mut value = place(note.span);
                value["message"] = json!(note.message);
                value
            });
            value
        };
        Self::Grammar(Box::new(InvalidGrammar {
            report: errors.render(),
            errors: errors.diagnostics().iter().map(one).collect(),
            omitted: errors.omitted(),
            is_empty_language: false,
        }))
    }

    /// Adds a hint to the errors of a grammar if its text looks like another notation than the chosen one.
    /// `None` is KBNF.
    pub(crate) fn with_guess(mut self, text: &str, chosen: Option<Guess>) -> Self {
        if let Self::Grammar(invalid) = &mut self
            && let Some(guess) = Guess::of(text)
            && guess != chosen.unwrap_or(Guess::Kbnf)
        {
            let name = guess.notation();
            invalid.report.push_str(&format!("hint: this looks like {guess}: `--notation {name}`\n"));
        }
        self
    }

    /// Writes the error, and returns the exit status.
    pub(crate) fn report(self, out: &mut Output) -> Status {
        let status = match self {
            Self::NotLive { .. } | Self::Rejected(_) => Status::No,
            _ => Status::Failure,
        };
        if out.is_json() {
            // Best effort: an error of writing the error cannot be reported.
            let _ = out.json(&json!({ "error": self.to_json() }));
            let _ = out.flush();
        } else {
            let _ = write!(io::stderr(), "{}", self.to_text());
        }
        status
    }

    fn to_text(&self) -> String {
        match self {
            Self::Usage(message) => message.clone(),
            Self::Grammar(invalid) => invalid.report.clone(),
            Self::NotLive { at } => format!("error: the text is rejected at byte {at}\n"),
            Self::Rejected(rejection) => format!("error: {}\n", rejection.message),
            Self::Other(message) => format!("error: {message}\n"),
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Usage(message) => json!({ "kind": "usage", "message": message.trim_end() }),
            Self::Grammar(invalid) => {
                json!({
                    "kind": "grammar",
                    "message": invalid.report.trim_end(),
                    "errors": invalid.errors,
                    "omitted": invalid.omitted,
                })
            }
            Self::NotLive { at } => {
                json!({ "kind": "text", "message": format!("the text is rejected at byte {at}"), "at": at })
            }
            Self::Rejected(rejection) => json!({
                "kind": "text",
                "message": rejection.message,
                "at": rejection.at,
                "count": rejection.count,
                "allowed": rejection.allowed,
            }),
            Self::Other(message) => json!({ "kind": "other", "message": message }),
        }
    }
}

impl From<io::Error> for Failure {
    /// Converts an error of writing to stdout. Errors of reading carry the name of the file and are converted
    /// elsewhere.
    fn from(error: io::Error) -> Self {
        Self::Other(format!("cannot write the output: {error}"))
    }
}

impl From<grammask_earley::Error> for Failure {
    fn from(error: grammask_earley::Error) -> Self {
        Self::Other(error.to_string())
    }
}

/// Converts diagnostics to JSON, with their places.
pub(crate) fn diagnostics_to_json(source: &Source, diagnostics: &[Diagnostic]) -> Vec<Value> {
    let place = |span: Span| {
        let place = line_column(&source.bytes, span.start);
        json!({ "line": place.line, "column": place.column, "start": span.start, "end": span.end })
    };
    let one = |diagnostic: &Diagnostic| {
        let mut value = place(diagnostic.span);
        value["file"] = json!(source.name);
        value["message"] = json!(diagnostic.message);
        value["hint"] = json!(diagnostic.hint);
        value["note"] = diagnostic.note.as_ref().map_or(Value::Null, |note| {
            let mut value = place(note.span);
            value["message"] = json!(note.message);
            value
        });
        value
    };
    diagnostics.iter().map(one).collect()
}
