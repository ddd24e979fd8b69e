//! Why there is no answer, and how that is told: as text on stderr, or as JSON on stdout.

use std::io::{self, Write};

use grammask_syntax::{Diagnostic, Span, line_column};
use serde_json::{Value, json};

use crate::Status;
use crate::input::source::Source;
use crate::output::Output;

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments are wrong; the whole message.
    Usage(String),
    /// The grammar is wrong.
    Grammar(Box<WrongGrammar>),
    /// The text that was to come before belongs to no text of the language.
    NotLive {
        /// The offset of the first byte after which nothing goes on.
        at: usize,
    },
    /// A text belongs to no text of the language.
    Refused(Box<Refusal>),
    /// Anything else, in a line.
    Other(String),
}

/// What is wrong with a grammar.
#[derive(Debug)]
pub(crate) struct WrongGrammar {
    /// For readers, with places and carets.
    pub report: String,
    /// For scripts.
    pub errors: Vec<Value>,
    /// How many more there are.
    pub omitted: usize,
}

/// Where a text stops being one of the language.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// The offset of the first byte after which nothing goes on.
    pub at: usize,
    /// For readers, in a line.
    pub message: String,
    /// How many tokens are allowed there, and the first of them, for scripts.
    pub count: usize,
    pub allowed: Value,
}

impl Failure {
    /// A failure with a message of its own.
    pub(crate) fn other(message: impl Into<String>) -> Self {
        Self::Other(message.into())
    }

    /// Tells what is wrong.
    pub(crate) fn report(self, out: &mut Output) -> Status {
        let status = match self {
            Self::NotLive { .. } | Self::Refused(_) => Status::No,
            _ => Status::Trouble,
        };
        if out.is_json() {
            // There is nobody left to tell when this fails.
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
            Self::Grammar(wrong) => wrong.report.clone(),
            Self::NotLive { at } => format!("error: the text before is rejected at byte {at}\n"),
            Self::Refused(refusal) => format!("error: {}\n", refusal.message),
            Self::Other(message) => format!("error: {message}\n"),
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Usage(message) => json!({ "kind": "usage", "message": message.trim_end() }),
            Self::Grammar(wrong) => {
                json!({
                    "kind": "grammar",
                    "message": wrong.report.trim_end(),
                    "errors": wrong.errors,
                    "omitted": wrong.omitted,
                })
            }
            Self::NotLive { at } => {
                json!({ "kind": "text", "message": format!("the text before is rejected at byte {at}"), "at": at })
            }
            Self::Refused(refusal) => json!({
                "kind": "text",
                "message": refusal.message,
                "at": refusal.at,
                "count": refusal.count,
                "allowed": refusal.allowed,
            }),
            Self::Other(message) => json!({ "kind": "other", "message": message }),
        }
    }
}

impl From<io::Error> for Failure {
    /// All errors of reading are told with the file's name; what is left is the output.
    fn from(error: io::Error) -> Self {
        Self::Other(format!("cannot write the output: {error}"))
    }
}

impl From<grammask_earley::Error> for Failure {
    fn from(error: grammask_earley::Error) -> Self {
        Self::Other(error.to_string())
    }
}

/// Diagnostics with their places.
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
