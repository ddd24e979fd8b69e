//! Exceeded limits of all stages in one form.

use std::fmt::Display;

use grammask_earley::Error as RecognizerError;
use grammask_mask::{BindError, BindErrors};
use grammask_normal::ErrorKind;
use grammask_regular::Error as RegularError;
use grammask_syntax::ErrorKind as SyntaxErrorKind;
use grammask_work::Stopped;

use super::{Error, LimitError, RollbackError};

/// An exceeded limit of any stage.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimitExceeded {
    /// The part of [`Config`](crate::Config) with the limit.
    pub part: ConfigPart,
    /// Name of the field that holds the limit.
    pub limit: String,
    /// Value of the limit.
    pub value: u64,
    /// The size that exceeds the limit. `None` if the computation stopped at the limit.
    pub found: Option<u64>,
}

/// A part of [`Config`](crate::Config).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConfigPart {
    /// [`Config::limits`](crate::Config::limits).
    Limits,
    /// [`Config::syntax`](crate::Config::syntax).
    Syntax,
    /// [`Config::normal`](crate::Config::normal).
    Normal,
    /// The configuration of regular languages, inside of [`Config::normal`](crate::Config::normal) and
    /// [`Config::recognizer`](crate::Config::recognizer).
    Regular,
    /// [`Config::recognizer`](crate::Config::recognizer).
    Recognizer,
    /// [`Config::masks`](crate::Config::masks).
    Masks,
    /// The field `json_schema` of [`Config`](crate::Config).
    JsonSchema,
    /// [`Config::memory`](crate::Config::memory).
    Memory,
}

impl Error {
    /// Returns the first exceeded limit. Returns `None` if the error has another reason, such as a mistake in
    /// the grammar.
    ///
    /// ```
    /// use grammask::{Config, Grammar, TokenId, Vocabulary};
    ///
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], [])?;
    /// let mut config = Config::default();
    /// config.recognizer.limits.max_nodes = 1;
    /// let error = Grammar::compile("start ::= 'aaa' start | 'a';", &vocabulary, &config).unwrap_err();
    /// let exceeded = error.limit().expect("a limit");
    /// assert_eq!((exceeded.limit.as_str(), exceeded.value), ("max_nodes", 1));
    /// # Ok::<(), grammask::VocabularyError>(())
    /// ```
    pub fn limit(&self) -> Option<LimitExceeded> {
        match self {
            Self::Syntax(errors) => of_syntax(errors),
            Self::Normal(errors) => of_normal(errors),
            Self::SyntaxAndNormal { syntax, normal } => of_syntax(syntax).or_else(|| of_normal(normal)),
            #[cfg(feature = "json-schema")]
            Self::JsonSchema(error) => of_json_schema(error),
            #[cfg(feature = "json-schema")]
            Self::EmbeddedSchema(located) => of_json_schema(&located.cause),
            // The message names the limit.
            #[cfg(feature = "notations")]
            Self::Notation(_) => None,
            Self::Recognizer(located) => of_recognizer(&located.cause.cause),
            Self::Bind(located) => of_binding(&located.cause),
            Self::Stopped { cause, .. } => of_stopped(*cause),
            Self::Memory(found) => {
                Some(exceeded(ConfigPart::Memory, &"memory", found.value as u64, Some(found.found as u64)))
            }
        }
    }
}

impl LimitError {
    /// Returns true if the call was cancelled by a flag.
    pub fn is_cancelled(&self) -> bool {
        matches!(self.cause, RecognizerError::Cancelled | RecognizerError::Stopped(Stopped::Cancelled))
    }

    /// Returns the exceeded limit. Returns `None` if the work was cancelled.
    pub fn limit(&self) -> Option<LimitExceeded> {
        of_recognizer(&self.cause)
    }
}

impl RollbackError {
    /// Returns the exceeded limit. Returns `None` if the error has another reason.
    pub fn limit(&self) -> Option<LimitExceeded> {
        match self {
            Self::TooMany { .. } => None,
            Self::Limit(error) => error.limit(),
        }
    }
}

fn of_syntax(errors: &grammask_syntax::Errors) -> Option<LimitExceeded> {
    errors.iter().find_map(|error| match error.kind() {
        SyntaxErrorKind::LimitExceeded(found) => {
            Some(exceeded(ConfigPart::Syntax, &found.limit, found.value, found.found))
        }
        _ => None,
    })
}

fn of_normal(errors: &grammask_normal::Errors) -> Option<LimitExceeded> {
    errors.errors().iter().find_map(|error| match &error.kind {
        ErrorKind::LimitExceeded(found) => {
            Some(exceeded(ConfigPart::Normal, &found.limit, found.value, found.found))
        }
        ErrorKind::Regular(error) => of_regular(error),
        _ => None,
    })
}

#[cfg(feature = "json-schema")]
fn of_json_schema(error: &grammask_json_schema::Error) -> Option<LimitExceeded> {
    match &error.reason {
        grammask_json_schema::Reason::Limit(found) => {
            Some(exceeded(ConfigPart::JsonSchema, &found.limit, found.value, found.found))
        }
        _ => None,
    }
}

fn of_recognizer(error: &RecognizerError) -> Option<LimitExceeded> {
    match error {
        RecognizerError::Limit(found) => {
            Some(exceeded(ConfigPart::Recognizer, &found.limit, found.value, found.found))
        }
        RecognizerError::Regular(error) => of_regular(error),
        RecognizerError::Stopped(stopped) => of_stopped(*stopped),
        _ => None,
    }
}

fn of_binding(errors: &BindErrors) -> Option<LimitExceeded> {
    errors.as_slice().iter().find_map(|error| match error {
        BindError::Limit(found) => Some(exceeded(ConfigPart::Masks, &found.limit, found.value, found.found)),
        _ => None,
    })
}

/// Returns the limit of an account of work. Those of masks and steps are limits of [`Config::masks`].
///
/// [`Config::masks`]: crate::Config::masks
fn of_stopped(stopped: Stopped) -> Option<LimitExceeded> {
    match stopped {
        Stopped::WorkExceeded { limit, units } => {
            let is_outer = matches!(limit, "max_compile_work" | "max_end_work");
            let part = if is_outer { ConfigPart::Limits } else { ConfigPart::Masks };
            Some(exceeded(part, &limit, units, None))
        }
        _ => None,
    }
}

fn of_regular(error: &RegularError) -> Option<LimitExceeded> {
    match error {
        RegularError::Limit(found) => {
            Some(exceeded(ConfigPart::Regular, &found.limit, found.value, found.found))
        }
        _ => None,
    }
}

fn exceeded(part: ConfigPart, limit: &impl Display, value: u64, found: Option<u64>) -> LimitExceeded {
    LimitExceeded { part, limit: limit.to_string(), value, found }
}
