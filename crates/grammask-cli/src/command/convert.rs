//! `grammask convert`: prints a grammar in another notation as KBNF.

use serde_json::json;

use crate::Status;
use crate::args::{Convert, ReadingArgs};
use crate::failure::Failure;
use crate::input::source::{Source, config};
use crate::output::Output;

pub(crate) fn run(arguments: &Convert, reading: &ReadingArgs, out: &mut Output) -> Result<Status, Failure> {
    let config = config(reading)?;
    let source = Source::read(&arguments.file, reading, &config)?;
    let kbnf = source.parse(&config)?.to_string();
    if out.is_json() {
        let mut answer = json!({ "kbnf": kbnf });
        if let Some(notes) = source.notation_notes() {
            answer["notes"] = json!(notes);
        }
        out.json(&answer)?;
    } else {
        out.text(&kbnf)?;
    }
    Ok(Status::Yes)
}
