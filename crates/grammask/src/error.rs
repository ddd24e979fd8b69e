//! Errors of compiling a grammar, and of matchers.

mod limit;
mod located;

use grammask_earley::BuildError;
use grammask_mask::BindErrors;
use grammask_normal::ErrorKind;
use grammask_syntax::{Ast, Diagnostic, Recovery, Report};
use grammask_trie::Vocabulary;
use grammask_work::Stopped;

pub use limit::{ConfigPart, LimitExceeded};
pub use located::Located;

use crate::Config;

/// Why a grammar could not be compiled.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not KBNF.
    #[error(transparent)]
    Syntax(#[from] grammask_syntax::Errors),
    /// The text is not KBNF, and the part that could be read has mistakes in its meaning.
    #[error("{syntax}\n{normal}")]
    SyntaxAndNormal {
        /// The mistakes in the notation.
        syntax: grammask_syntax::Errors,
        /// The mistakes in the meaning.
        normal: grammask_normal::Errors,
    },
    /// The grammar has no meaning, or exceeds a limit of the normal form.
    #[error(transparent)]
    Normal(#[from] grammask_normal::Errors),
    /// The JSON Schema cannot be translated, or no document is valid.
    #[cfg(feature = "json-schema")]
    #[error(transparent)]
    JsonSchema(#[from] grammask_json_schema::Error),
    /// JSON Schemas inside of the grammar cannot be translated. `cause` is the first of their errors.
    #[cfg(feature = "json-schema")]
    #[error(transparent)]
    EmbeddedSchema(Box<Located<grammask_json_schema::Error>>),
    /// The text of another notation has mistakes.
    #[cfg(feature = "notations")]
    #[error(transparent)]
    Notation(#[from] grammask_notation::Errors),
    /// The grammar exceeds a limit of the recognizer.
    #[error(transparent)]
    Recognizer(Located<BuildError>),
    /// The grammar or the ending names tokens that the vocabulary lacks, or the ending exceeds a limit.
    #[error(transparent)]
    Bind(Located<BindErrors>),
    /// Compiling was cancelled, or did more work than
    /// [`Limits::max_compile_work`](crate::Limits::max_compile_work).
    #[error("{cause}{}", place.as_ref().map(|place| format!(", at {place}")).unwrap_or_default())]
    Stopped {
        /// The reason.
        cause: Stopped,
        /// The part of the grammar that was being compiled, if it is known: a JSON pointer, a rule, or a
        /// place in the text.
        place: Option<String>,
    },
    /// The grammars of [`Config::memory`](crate::Config::memory) hold too many bytes.
    #[error(transparent)]
    Memory(#[from] crate::MemoryExceeded),
}

impl Error {
    /// Makes the error of a compile that was stopped while `inner` was its error.
    pub(crate) fn stopped(cause: Stopped, inner: Option<&Self>) -> Self {
        let place = match inner {
            Some(Self::Stopped { place, .. }) => place.clone(),
            #[cfg(feature = "json-schema")]
            Some(Self::JsonSchema(error)) if !error.pointer.is_empty() => {
                Some(format!("'{}'", error.pointer))
            }
            Some(Self::Recognizer(located)) => Some(format!("rule `{}`", located.cause.nonterminal)),
            Some(error) => error.diagnostics().first().map(|first| format!("byte {}", first.span.start)),
            None => None,
        };
        Self::Stopped { cause, place }
    }

    /// Returns true if compiling was cancelled by a flag.
    pub fn is_cancelled(&self) -> bool {
        match self {
            Self::Stopped { cause, .. } => *cause == Stopped::Cancelled,
            #[cfg(feature = "json-schema")]
            Self::JsonSchema(error) => error.reason == grammask_json_schema::Reason::Cancelled,
            _ => false,
        }
    }

    /// Makes the error for a text that is not KBNF. It includes the mistakes in the meaning of the part that
    /// could be read.
    ///
    /// For callers that run the stages one by one.
    ///
    /// ```
    /// use grammask::Error;
    ///
    /// let text = "start ::= valeu | ; value ::= 'x';";
    /// let recovered = grammask_syntax::parse_or_recover(text, &Default::default()).unwrap_err();
    /// let messages: Vec<String> =
    ///     Error::of_recovered(*recovered, &Default::default()).diagnostics().into_iter().map(|wrong| wrong.message).collect();
    /// assert_eq!(messages, ["undefined nonterminal `valeu`", "empty alternative"]);
    /// ```
    pub fn of_recovered(recovered: Recovery, config: &Config) -> Self {
        match grammask_normal::check_recovered(&recovered, &config.normal) {
            Ok(()) => Self::Syntax(recovered.errors),
            Err(normal) => Self::SyntaxAndNormal { syntax: recovered.errors, normal },
        }
    }

    /// Makes the error for a network that exceeds a limit, located in the tree.
    ///
    /// For callers that run the stages one by one.
    ///
    /// ```
    /// use grammask::Error;
    /// use grammask_earley::{Config, Limits, Network};
    /// use grammask_regular::Store;
    ///
    /// let ast = grammask_syntax::parse("start ::= 'x' long; long ::= 'long' long;", &Default::default())?;
    /// let mut store = Store::new(&Default::default());
    /// let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default())?;
    /// let limits = Limits { max_nodes: 1, ..Default::default() };
    /// let config = Config { limits, ..Default::default() };
    /// let error = Error::of_network(Network::build(&normal, store, &config).unwrap_err(), &ast);
    /// assert_eq!(error.diagnostics()[0].message, "more than 1 network nodes (limit `max_nodes`)");
    /// assert_eq!(error.diagnostics()[0].span.start, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_network(error: BuildError, ast: &Ast) -> Self {
        Self::Recognizer(located::of_network(error, ast))
    }

    /// Makes the error for tokens that the vocabulary lacks, located wherever the tree names one, with hints.
    ///
    /// For callers that run the stages one by one.
    pub fn of_binding(errors: BindErrors, ast: &Ast, vocabulary: &Vocabulary, config: &Config) -> Self {
        Self::Bind(located::of_binding(errors, ast, vocabulary, config.normal.limits.max_errors))
    }

    /// Turns an error about the grammar of a JSON Schema into one about the schema. An empty language becomes
    /// [`Reason::Unsatisfiable`](grammask_json_schema::Reason::Unsatisfiable).
    ///
    /// ```
    /// use grammask::Error;
    ///
    /// let ast = grammask_syntax::parse("start ::= #'a' & #'b';", &Default::default())?;
    /// let error = Error::from(grammask_normal::normalize(&ast, &Default::default()).unwrap_err());
    /// assert!(error.about_schema().to_string().contains("no document is valid"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "json-schema")]
    #[must_use]
    pub fn about_schema(self) -> Self {
        if self.is_empty_language() {
            return grammask_json_schema::Error::unsatisfiable().into();
        }
        match &self {
            // Places in the grammar mean nothing to the author of the schema.
            Self::Normal(_) | Self::Recognizer(_) => match self.diagnostics().first() {
                Some(first) => grammask_json_schema::Error::not_run(&first.message).into(),
                None => self,
            },
            _ => self,
        }
    }

    /// Makes the error for a limit that the first masks of a JSON Schema exceed. Refusing the schema is
    /// better than an output that fails there.
    #[cfg(feature = "json-schema")]
    pub(crate) fn of_schema(limit: &grammask_earley::Error) -> Self {
        grammask_json_schema::Error::not_run(limit).into()
    }

    /// Returns true if the only mistake is that no text, or only the empty text, is in the language.
    pub fn is_empty_language(&self) -> bool {
        match self {
            Self::Normal(errors) => {
                let is_empty = |error: &grammask_normal::Error| {
                    matches!(error.kind, ErrorKind::EmptyLanguage { .. } | ErrorKind::OnlyEmptyText { .. })
                };
                errors.errors().iter().all(is_empty)
            }
            _ => false,
        }
    }

    /// Returns the mistakes with their places, in the order of the places. Empty for errors without a place
    /// in the text.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        match self {
            Self::Syntax(errors) => errors.diagnostics(),
            Self::Normal(errors) => errors.diagnostics(),
            Self::SyntaxAndNormal { syntax, normal } => {
                let mut all = syntax.diagnostics();
                all.extend(normal.diagnostics());
                all.sort_by_key(|diagnostic| diagnostic.span);
                all
            }
            Self::Recognizer(limit) => limit.diagnostics.clone(),
            Self::Bind(errors) => errors.diagnostics.clone(),
            Self::Stopped { .. } | Self::Memory(_) => Vec::new(),
            #[cfg(feature = "json-schema")]
            Self::JsonSchema(_) => Vec::new(),
            #[cfg(feature = "json-schema")]
            Self::EmbeddedSchema(errors) => errors.diagnostics.clone(),
            #[cfg(feature = "notations")]
            Self::Notation(errors) => errors.diagnostics().to_vec(),
        }
    }

    /// Turns an error about the tree of a front end into one about its sources: names and places are those of
    /// the notation. An error without a place stays as it is.
    ///
    /// For callers that run the stages one by one.
    #[cfg(feature = "notations")]
    #[must_use]
    pub fn in_notation(self, outcome: &grammask_notation::Outcome) -> Self {
        let diagnostics = self.diagnostics();
        if diagnostics.is_empty() {
            return self;
        }
        Self::Notation(outcome.errors(diagnostics, self.omitted()))
    }

    /// Returns the number of mistakes that [`diagnostics`](Self::diagnostics) leaves out, as they exceed the
    /// limit `max_errors` of a stage.
    pub const fn omitted(&self) -> usize {
        match self {
            Self::Syntax(errors) => errors.omitted(),
            Self::Normal(errors) => errors.omitted(),
            Self::SyntaxAndNormal { syntax, normal } => syntax.omitted() + normal.omitted(),
            Self::Bind(errors) => errors.omitted,
            #[cfg(feature = "json-schema")]
            Self::JsonSchema(_) => 0,
            #[cfg(feature = "json-schema")]
            Self::EmbeddedSchema(errors) => errors.omitted,
            #[cfg(feature = "notations")]
            Self::Notation(errors) => errors.omitted(),
            Self::Recognizer(_) | Self::Stopped { .. } | Self::Memory(_) => 0,
        }
    }

    /// Returns a report for a reader: for each mistake file, line, column, the line with a caret, and hints.
    ///
    /// `text` is the compiled text, and `name` its name in the report.
    pub fn render(&self, text: &str, name: &str) -> String {
        #[cfg(feature = "notations")]
        if let Self::Notation(errors) = self {
            return errors.render();
        }
        let diagnostics = self.diagnostics();
        if diagnostics.is_empty() {
            return format!("error: {self}\n  --> {name}\n");
        }
        let mut report = Report::new(text, name, diagnostics).with_omitted(self.omitted()).to_string();
        if let Self::Bind(errors) = self {
            report.extend(located::without_place(&errors.cause).map(|error| format!("\nerror: {error}\n")));
        }
        report
    }
}

/// A limit that a call of a matcher exceeded. The matcher is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("after {offset} bytes of output: {cause}")]
pub struct LimitError {
    /// Length of the output, in bytes.
    pub offset: usize,
    /// The exceeded limit.
    #[source]
    pub cause: grammask_earley::Error,
}

/// Why tokens were not taken back. The matcher is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RollbackError {
    /// Fewer tokens were accepted.
    #[error("cannot take back {asked} tokens: {accepted} were accepted")]
    TooMany {
        /// Number of tokens to take back.
        asked: usize,
        /// Number of accepted tokens.
        accepted: usize,
    },
    /// A limit was exceeded while the text was read again.
    #[error(transparent)]
    Limit(#[from] LimitError),
}
