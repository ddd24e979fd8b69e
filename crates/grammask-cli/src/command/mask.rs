//! `grammask mask`: prints the tokens that may follow a text.

use grammask::{Matcher, Outcome};
use serde_json::json;

use crate::Status;
use crate::args::{Mask, MaskFormat, ReadingArgs};
use crate::command::compile::compile_or_load;
use crate::failure::Failure;
use crate::output::Output;
use crate::output::listing::{ending_json, token_json};

pub(crate) fn run(arguments: &Mask, reading: &ReadingArgs, out: &mut Output) -> Result<Status, Failure> {
    let (grammar, ending) = compile_or_load(&arguments.file, &arguments.vocabulary, reading)?;
    let vocabulary = grammar.vocabulary();
    let mut matcher = grammar.matcher();
    accept_text(&mut matcher, arguments.after.as_encoded_bytes())?;
    let (is_complete, is_finished) = (matcher.is_complete(), matcher.is_finished());
    let mask = matcher.mask().clone();
    check_limit(&matcher)?;
    if out.is_json() {
        let mut answer = json!({
            "after": crate::output::bytes_to_json(arguments.after.as_encoded_bytes()),
            "complete": is_complete,
            "finished": is_finished,
            "count": mask.count(),
            "ending": ending_json(&ending),
        });
        let notes = grammar.notes();
        if !notes.is_empty() && arguments.vocabulary.eos.is_empty() {
            answer["notes"] = notes.iter().map(ToString::to_string).collect();
        }
        match arguments.format {
            MaskFormat::Count => {}
            MaskFormat::Ids => answer["ids"] = mask.iter().map(|id| id.0).collect(),
            MaskFormat::Text => {
                answer["tokens"] = mask.iter().map(|id| token_json(vocabulary, id)).collect();
            }
        }
        out.json(&answer)?;
        return Ok(Status::Yes);
    }
    match arguments.format {
        MaskFormat::Count => out.line(mask.count())?,
        MaskFormat::Ids => {
            for id in mask.iter() {
                out.line(id.0)?;
            }
        }
        MaskFormat::Text => {
            for id in mask.iter() {
                out.line(vocabulary.display(id))?;
            }
        }
    }
    Ok(Status::Yes)
}

/// Accepts a text.
///
/// # Errors
/// Returns an error with the offset of the first byte that cannot follow.
pub(crate) fn accept_text(matcher: &mut Matcher, text: &[u8]) -> Result<(), Failure> {
    if text.is_empty() {
        return Ok(());
    }
    match matcher.accept_bytes(text) {
        Outcome::Rejected => {}
        outcome if outcome.is_accepted() => return Ok(()),
        _ => return check_limit(matcher),
    }
    for (at, &byte) in text.iter().enumerate() {
        match matcher.accept_bytes(&[byte]) {
            Outcome::Rejected => return Err(Failure::NotLive { at }),
            Outcome::LimitExceeded => return check_limit(matcher),
            _ => {}
        }
    }
    Ok(())
}

/// Returns an error if the matcher has exceeded a limit.
pub(crate) fn check_limit(matcher: &Matcher) -> Result<(), Failure> {
    matcher.error().map_or(Ok(()), |error| Err(Failure::other(error.to_string())))
}
