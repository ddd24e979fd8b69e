//! Schemas as texts: errors and notes have places in them.

use grammask_syntax::Span;
use grammask_work::{Stopped, stopped};

use crate::config::Config;
use crate::document::Inputs;
use crate::error::{Error, Note, Reason};
use crate::json::read::{Problem, ProblemKind, Repeated, read};
use crate::{Limit, Translation, json, translate_inputs, with_further_errors};

/// An error of a schema, and its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedError {
    /// The error.
    pub error: Error,
    /// Bytes of the text that the error is about: a keyword, or a schema. `None` if it is about another
    /// document or about an option, or if the call was cancelled.
    pub span: Option<Span>,
}

/// Translates the JSON text of a schema.
///
/// Keys count in the order of the text, and numbers with all of their digits, whatever features `serde_json`
/// has. Of repeated keys, the last one counts, and a note is listed.
///
/// ```
/// use grammask_json_schema::{Config, translate_text};
///
/// let text = r#"{"properties": {"a": {"type": "int"}, "b": {"minimum": "1"}}}"#;
/// let errors = translate_text(text, &Config::default()).unwrap_err();
/// let places: Vec<&str> =
///     errors.iter().filter_map(|error| error.span).map(|span| &text[span.start..span.end]).collect();
/// assert_eq!(places, [r#""type""#, r#""minimum""#]);
/// ```
///
/// # Errors
/// All errors at once, as [`all_errors`](crate::all_errors) returns them. A text that is not JSON has one.
///
/// # Complexity
/// That of [`translate`](crate::translate). Each error is located by reading the text once more.
pub fn translate_text(text: &str, config: &Config) -> Result<Translation, Vec<LocatedError>> {
    let limit = config.limits.max_nesting;
    let (root, repeated) = read(text, limit).map_err(|problem| {
        let Problem { offset, kind } = problem;
        let reason = match kind {
            ProblemKind::Syntax(what) => Reason::Invalid(format!("not JSON: {what}")),
            ProblemKind::Nesting => Reason::limit(Limit::Nesting, limit.into()),
            ProblemKind::Stopped(_) => Reason::Cancelled,
        };
        let end = text[offset..].chars().next().map_or(offset, |next| offset + next.len_utf8());
        vec![LocatedError { error: Error::new("", "", reason), span: Some(Span::new(offset, end)) }]
    })?;
    let located = |error: Error| {
        // Finding the place reads the text once more, which a cancelled call has no time for.
        let is_cancelled = stopped() == Some(Stopped::Cancelled);
        let span = if is_cancelled { None } else { locate(text, &error.pointer, &error.keyword) };
        LocatedError { error, span }
    };
    let inputs = Inputs::new(root, config).map_err(|error| vec![located(error)])?;
    match translate_inputs(&inputs, config) {
        Ok(mut translation) => {
            translation.notes.extend(repeated.into_iter().map(note_of_repeated));
            Ok(translation)
        }
        Err(first) => Err(with_further_errors(first, &inputs, config).into_iter().map(located).collect()),
    }
}

fn note_of_repeated(repeated: Repeated) -> Note {
    let Repeated { pointer, key, .. } = repeated;
    let message = "the key occurs more than once, and the last value counts".to_owned();
    Note { pointer, keyword: key, message }
}

/// Returns the place of a keyword in the schema at a JSON pointer, as errors and relaxations name them.
///
/// The place is that of the key, or of the whole value if `keyword` is empty or not there.
///
/// Returns `None` if the pointer leads nowhere, as one to another document does, or if the text is not JSON.
///
/// # Complexity
/// Linear in the text.
pub fn locate(text: &str, pointer: &str, keyword: &str) -> Option<Span> {
    json::locate::locate(text, pointer, keyword)
}
