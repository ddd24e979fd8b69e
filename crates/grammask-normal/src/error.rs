//! What can be wrong with the meaning of a grammar: kind, place, hint; all errors of a grammar in one value.

use std::fmt;

use grammask_syntax::{Diagnostic, Span};
use thiserror::Error as ThisError;

use crate::unordered::UnorderedError;

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A nonterminal is used but has no rule.
    #[error("undefined nonterminal `{name}`")]
    UndefinedNonterminal {
        /// The nonterminal.
        name: String,
        /// The defined nonterminal with the most similar name.
        suggestion: Option<String>,
    },
    /// The start symbol has no rule.
    #[error("the start symbol `{name}` has no rule")]
    UndefinedStart {
        /// The start symbol.
        name: String,
        /// The defined nonterminal with the most similar name.
        suggestion: Option<String>,
    },
    /// The nonterminal in `except!` is made of more than texts.
    #[error("`{name}` cannot stand in `except!`: it contains {found}")]
    ExceptOperand {
        /// The nonterminal.
        name: String,
        /// What it contains that is no text.
        found: String,
    },
    /// The empty text in `except!`.
    #[error("`except!` of the empty text leaves nothing")]
    ExceptEmptyText {
        /// The nonterminal that contains the empty text; `None` for a text in place.
        name: Option<String>,
    },
    /// An operand of `&`, `~`, `json!` or `distinct!` is not regular.
    #[error("`{operator}` takes regular parts only, not {found}")]
    NotRegular {
        /// `&`, `~`, `json!` or `distinct!`.
        operator: &'static str,
        /// What stands there.
        found: String,
    },
    /// A regex is wrong.
    #[error("invalid regex: {message}")]
    Regex {
        /// What is wrong with it.
        message: String,
    },
    /// A regular part breaks a limit of `grammask_regular`.
    #[error("{message}")]
    Regular {
        /// The limit and the value.
        message: String,
    },
    /// No text, and no endless output either, belongs to the grammar.
    #[error("the language of `{start}` is empty")]
    EmptyLanguage {
        /// The start symbol.
        start: String,
    },
    /// Only the empty text belongs to the grammar.
    #[error("the language of `{start}` has no text but the empty one")]
    OnlyEmptyText {
        /// The start symbol.
        start: String,
    },
    /// An item or the separator of `unordered!` stands for the empty text, among others.
    #[error("{} of `unordered!` must not be empty", if *.is_separator { "the separator" } else { "an item" })]
    EmptyItem {
        /// Whether it is the separator.
        is_separator: bool,
    },
    /// A `distinct!` that is no item of `unordered!`.
    #[error("`distinct!` may only be an item of `unordered!`")]
    MisplacedDistinct,
    /// A `distinct!` of few texts.
    #[error("`distinct!` of texts that are not seen to be more than four billion")]
    FewTexts,
    /// What an `unordered!` asks for is not supported.
    #[error(transparent)]
    Unordered(#[from] UnorderedError),
    /// A limit of [`Config`](crate::Config) is broken.
    #[error("{value} {what} exceed the limit {field} of {limit}")]
    Limit {
        /// The field of [`Config`](crate::Config).
        field: &'static str,
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        value: usize,
        /// How much may be.
        limit: usize,
    },
    /// The tree breaks its invariants: it was not made by the parser.
    #[error("the syntax tree breaks its invariants at expression {expr}")]
    MalformedTree {
        /// The index of the expression.
        expr: usize,
    },
}

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
#[error("{kind}")]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Where, in bytes of the grammar's text.
    pub span: Span,
}

impl Error {
    pub(crate) const fn new(kind: ErrorKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match &self.kind {
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
                Some("it may be made of texts by `|`, juxtaposition and groups only".to_owned())
            }
            ErrorKind::ExceptEmptyText { name: Some(name) } => Some(format!(
                "`{name}` contains the empty text, which stands in every text; take it out of `{name}`"
            )),
            ErrorKind::ExceptEmptyText { name: None } => {
                Some("the empty text stands in every text; write at least one character".to_owned())
            }
            ErrorKind::NotRegular { .. } => {
                Some("regular parts are texts, regexes, `except!`, and groups of them".to_owned())
            }
            ErrorKind::EmptyLanguage { start } => Some(format!(
                "every way through `{start}` leads back to itself or into a dead end without a byte"
            )),
            ErrorKind::OnlyEmptyText { .. } => Some("an output has at least one byte".to_owned()),
            ErrorKind::Limit { .. } => Some("the limit is a field of `grammask_normal::Config`".to_owned()),
            ErrorKind::EmptyItem { is_separator: true } => {
                Some("leave it out where nothing stands between items".to_owned())
            }
            ErrorKind::EmptyItem { is_separator: false } => {
                Some("an item that may be left out is written `x?`".to_owned())
            }
            ErrorKind::MisplacedDistinct => {
                Some("write `unordered!(distinct!(#'pattern'); separator)`".to_owned())
            }
            ErrorKind::FewTexts => {
                Some("list them as items that may be left out: `unordered!('a'?, 'b'?)`".to_owned())
            }
            ErrorKind::Unordered(_) => None,
            ErrorKind::Regex { .. } | ErrorKind::Regular { .. } | ErrorKind::MalformedTree { .. } => None,
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

/// All errors of a grammar, at least one, ordered by place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors {
    errors: Vec<Error>,
    omitted: usize,
}

impl Errors {
    /// Orders the errors by place and keeps `max`, at least one, of them.
    pub(crate) fn new(mut errors: Vec<Error>, omitted: usize, max: usize) -> Self {
        errors.sort_by_key(|error| error.span);
        let kept = errors.len().min(max.max(1));
        let omitted = omitted + errors.len() - kept;
        errors.truncate(kept);
        Self { errors, omitted }
    }

    /// The errors, at least one, ordered by place.
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    /// How many more there are beyond `max_errors`.
    pub const fn omitted(&self) -> usize {
        self.omitted
    }

    /// The errors as diagnostics, to be shown by [`grammask_syntax::Report`].
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

/// An error of a regular part as one of ours, with the offset in the pattern if it has one.
pub(crate) fn describe(error: &grammask_regular::Error) -> (ErrorKind, Option<usize>) {
    match error {
        grammask_regular::Error::Regex { offset, message } => {
            (ErrorKind::Regex { message: message.clone() }, Some(*offset))
        }
        error => (ErrorKind::Regular { message: error.to_string() }, None),
    }
}

/// The place of an offset of a pattern in the text. Where the pattern has been unescaped, offsets do not correspond, and the
/// whole regex is the place.
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
