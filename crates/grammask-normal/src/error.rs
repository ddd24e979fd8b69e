//! Errors in the meaning of a grammar, each with its kind, its place and a hint. [`Errors`] holds all of one
//! grammar.

use std::fmt;

use grammask_syntax::{Diagnostic, Span};
use thiserror::Error as ThisError;

use crate::config::LimitExceeded;
use crate::unordered::UnorderedError;

/// The kind of an error in a grammar.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A nonterminal is used but has no rule.
    #[error("undefined nonterminal `{name}`")]
    UndefinedNonterminal {
        /// Name of the nonterminal.
        name: String,
        /// The defined nonterminal with the most similar name.
        suggestion: Option<String>,
        /// True if it is alone in brackets, as a class of characters is in other notations: `[abc]`.
        is_in_brackets: bool,
    },
    /// The start symbol has no rule.
    #[error("the start symbol `{name}` has no rule")]
    UndefinedStart {
        /// Name of the start symbol.
        name: String,
        /// The defined nonterminal with the most similar name.
        suggestion: Option<String>,
    },
    /// The nonterminal in `except!` consists of more than texts.
    #[error("`{name}` cannot be the operand of `except!`: it contains {found}")]
    ExceptOperand {
        /// Name of the nonterminal.
        name: String,
        /// The first construct in it that is not a text, for messages.
        found: String,
    },
    /// The operand of `except!` contains the empty text.
    #[error("`except!` of the empty text excludes every text")]
    ExceptEmptyText {
        /// The nonterminal that contains the empty text. `None` if the operand is a text itself.
        name: Option<String>,
    },
    /// An operand of `&`, `~`, `json!` or `distinct!` is not regular.
    #[error("the operands of `{operator}` must be regular, but this is {found}")]
    NotRegular {
        /// `&`, `~`, `json!` or `distinct!`.
        operator: &'static str,
        /// The operand, for messages.
        found: String,
    },
    /// A regex has a syntax error.
    #[error("invalid regex: {message}")]
    Regex {
        /// Message of the regex parser.
        message: String,
        /// True if the regex has a backslash, so that the escapes of KBNF may be the cause.
        has_backslash: bool,
    },
    /// A terminal exceeds a limit of `grammask_regular`.
    #[error(transparent)]
    Regular(grammask_regular::Error),
    /// The grammar has no text, finite or endless.
    #[error("the language of `{start}` is empty")]
    EmptyLanguage {
        /// Name of the start symbol.
        start: String,
    },
    /// The empty text is the only text of the grammar.
    #[error("the language of `{start}` contains only the empty text")]
    OnlyEmptyText {
        /// Name of the start symbol.
        start: String,
    },
    /// `schema!` in a grammar that is compiled without a translator of JSON Schemas.
    #[error("`schema!` needs a translator of JSON Schemas")]
    UntranslatedSchema,
    /// An item or the separator of `unordered!` matches the empty text.
    #[error("{} of `unordered!` must not be empty", if *.is_separator { "the separator" } else { "an item" })]
    EmptyItem {
        /// True if it is the separator.
        is_separator: bool,
    },
    /// A `distinct!` is used outside of the items of `unordered!`.
    #[error("`distinct!` must be an item of `unordered!`")]
    MisplacedDistinct,
    /// The operand of `distinct!` is not known to have as many texts as can ever be needed.
    #[error("the operand of `distinct!` is not known to have at least {least} texts")]
    TooFewDistinctTexts {
        /// The greatest number of items; without a maximum, more than any text has.
        least: u64,
    },
    /// An `unordered!` cannot be satisfied or is not supported.
    #[error(transparent)]
    Unordered(#[from] UnorderedError),
    /// The grammar exceeds a limit of [`Limits`](crate::Limits).
    #[error(transparent)]
    LimitExceeded(#[from] LimitExceeded),
    /// The syntax tree breaks the invariants of [`Ast`](grammask_syntax::Ast): the parser did not make it.
    #[error("the syntax tree breaks its invariants at expression {expr}")]
    MalformedTree {
        /// Index of the expression.
        expr: usize,
    },
}

/// An error in the meaning of a grammar, and its place.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
#[error("{kind}")]
pub struct Error {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// Byte offsets in the text of the grammar, half-open.
    pub span: Span,
}

impl Error {
    pub(crate) const fn new(kind: ErrorKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// Returns advice on how to fix the grammar. `None` if the message says all.
    pub fn hint(&self) -> Option<String> {
        match &self.kind {
            ErrorKind::UndefinedNonterminal { name, is_in_brackets: true, .. } => Some(format!(
                "`[{name}]` is an optional rule; a class of characters is written `#'[{name}]'`"
            )),
            ErrorKind::UndefinedNonterminal { suggestion: Some(name), .. } => {
                Some(format!("did you mean `{name}`?"))
            }
            ErrorKind::UndefinedNonterminal { name, .. } => Some(format!("add a rule: {name} ::= …;")),
            ErrorKind::UndefinedStart { suggestion: Some(name), .. } => {
                Some(format!("did you mean `{name}`? `%start {name};` makes it the start symbol"))
            }
            ErrorKind::UndefinedStart { name, .. } => {
                Some(format!("add a rule `{name} ::= …;`, or name another start symbol with `%start name;`"))
            }
            ErrorKind::ExceptOperand { .. } => {
                Some("only texts, joined by `|`, juxtaposition and groups, are allowed".to_owned())
            }
            ErrorKind::ExceptEmptyText { name: Some(name) } => {
                Some(format!("every text contains the empty text; remove it from `{name}`"))
            }
            ErrorKind::ExceptEmptyText { name: None } => {
                Some("every text contains the empty text; write at least one character".to_owned())
            }
            ErrorKind::NotRegular { .. } => Some(
                "texts, regexes, `except!`, groups of them, and rules of such parts that are not recursive are regular"
                    .to_owned(),
            ),
            ErrorKind::EmptyLanguage { start } => Some(format!(
                "every derivation of `{start}` returns to itself or to a dead end without producing a byte"
            )),
            ErrorKind::OnlyEmptyText { start } => {
                Some(format!("write `%start {start}?;` if the empty text is to be an output"))
            }
            ErrorKind::LimitExceeded(_) => {
                Some("make the grammar smaller, or raise the limit in `grammask_normal::Limits`".to_owned())
            }
            ErrorKind::EmptyItem { is_separator: true } => {
                Some("omit the separator if the items follow each other directly".to_owned())
            }
            ErrorKind::EmptyItem { is_separator: false } => {
                Some("write `x?` for an item that may be omitted".to_owned())
            }
            ErrorKind::MisplacedDistinct => {
                Some("write `unordered!(distinct!(#'pattern'); separator)`".to_owned())
            }
            ErrorKind::TooFewDistinctTexts { .. } => Some(
                "add a maximum, as `{,9}`, or write each text as an optional item: `unordered!('a'?, 'b'?)`"
                    .to_owned(),
            ),
            ErrorKind::UntranslatedSchema => {
                Some("`grammask::Grammar::compile` has one with its feature `json-schema`".to_owned())
            }
            ErrorKind::Unordered(_) => None,
            ErrorKind::Regex { has_backslash: true, .. } => Some(
                "KBNF decodes its escapes first, so each backslash of the regex is written twice, `#'[^\"\\\\\\\\]'`; or write `#r'[^\"\\\\]'`"
                    .to_owned(),
            ),
            ErrorKind::Regex { .. } | ErrorKind::Regular(_) | ErrorKind::MalformedTree { .. } => None,
        }
    }
}

impl From<&Error> for Diagnostic {
    fn from(error: &Error) -> Self {
        let diagnostic = Self::new(error.to_string(), error.span);
        match error.hint() {
            Some(hint) => diagnostic.with_hint(hint),
            None => diagnostic,
        }
    }
}

/// All errors of one grammar: at least one, ordered by place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors {
    errors: Vec<Error>,
    omitted: usize,
}

impl Errors {
    /// Sorts `errors` by place, and keeps the first `max` of them, at least one.
    pub(crate) fn new(mut errors: Vec<Error>, omitted: usize, max: usize) -> Self {
        errors.sort_by_key(|error| error.span);
        // A rule may be read as a terminal as well.
        errors.dedup();
        let kept = errors.len().min(max.max(1));
        let omitted = omitted + errors.len() - kept;
        errors.truncate(kept);
        Self { errors, omitted }
    }

    /// Returns the errors: at least one, ordered by place.
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    /// Returns the number of errors beyond [`max_errors`](crate::Limits::max_errors).
    pub const fn omitted(&self) -> usize {
        self.omitted
    }

    /// Converts the errors to diagnostics, for [`grammask_syntax::Report`].
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.errors.iter().map(Diagnostic::from).collect()
    }
}

impl From<Error> for Errors {
    fn from(error: Error) -> Self {
        Self { errors: vec![error], omitted: 0 }
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.errors.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{error} (at byte {})", error.span.start)?;
        }
        if self.omitted > 0 {
            write!(f, "; and {} more errors", self.omitted)?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

/// Converts an error of a terminal. For a regex, also returns the byte offset in its pattern.
pub(crate) fn describe(error: &grammask_regular::Error) -> (ErrorKind, Option<usize>) {
    match error {
        grammask_regular::Error::Regex { offset, message } => {
            (ErrorKind::Regex { message: message.clone(), has_backslash: false }, Some(*offset))
        }
        error => (ErrorKind::Regular(error.clone()), None),
    }
}

/// Returns the place in the grammar of the byte at `offset` of a regex.
///
/// `sigil` is the number of bytes before the opening quote. If the pattern was unescaped, its offsets do not
/// correspond to the grammar's, and the place is the whole regex.
pub(crate) fn place_in_pattern(span: Span, sigil: usize, pattern: &str, offset: Option<usize>) -> Span {
    match offset {
        Some(offset) if span.end.saturating_sub(span.start) == pattern.len() + sigil + 2 => {
            let at = offset.min(pattern.len());
            let width = pattern.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            let start = span.start + sigil + 1 + at;
            Span::new(start, start + width)
        }
        _ => span,
    }
}
