//! What can go wrong on the way from a text to a grammar, and while it is used.

use grammask_earley::BuildError;
use grammask_mask::BindErrors;
use grammask_normal::ErrorKind;
use grammask_syntax::{Ast, Diagnostic, Recovered, Report};
use grammask_trie::Vocabulary;

use crate::{Config, Placed, placed};

/// Why a grammar could not be compiled.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is no KBNF.
    #[error(transparent)]
    Syntax(#[from] grammask_syntax::Errors),
    /// The text is no KBNF, and what could be read of it is wrong in meaning, too.
    #[error("{syntax}\n{normal}")]
    SyntaxAndNormal {
        /// What is no KBNF.
        syntax: grammask_syntax::Errors,
        /// What is wrong in meaning.
        normal: grammask_normal::Errors,
    },
    /// The grammar does not mean anything, or too much.
    #[error(transparent)]
    Normal(#[from] grammask_normal::Errors),
    /// The JSON Schema cannot be translated.
    #[error(transparent)]
    JsonSchema(#[from] grammask_json_schema::Error),
    /// A limit of the recognizer.
    #[error(transparent)]
    Recognizer(Placed<BuildError>),
    /// The grammar or the ending names tokens that the vocabulary does not have.
    #[error(transparent)]
    Bind(Placed<BindErrors>),
}

impl Error {
    /// All that is wrong with a text that is no KBNF: also what is wrong in meaning with what could be read of it.
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
    pub fn of_recovered(recovered: Recovered, config: &Config) -> Self {
        match grammask_normal::check_recovered(&recovered, &config.normal) {
            Ok(()) => Self::Syntax(recovered.errors),
            Err(normal) => Self::SyntaxAndNormal { syntax: recovered.errors, normal },
        }
    }

    /// A network that could not be made of this grammar: for those who go through the stages one by one.
    ///
    /// ```
    /// use grammask::Error;
    /// use grammask_earley::{Config, Network};
    /// use grammask_regular::Store;
    ///
    /// let ast = grammask_syntax::parse("start ::= 'x' long; long ::= 'long' long;", &Default::default())?;
    /// let mut store = Store::new(&Default::default());
    /// let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default())?;
    /// let config = Config { max_nodes: 1, ..Default::default() };
    /// let error = Error::of_network(Network::build(&normal, store, &config).unwrap_err(), &ast);
    /// assert_eq!(error.diagnostics()[0].message, "the grammar needs more than 1 nodes (limit max_nodes)");
    /// assert_eq!(error.diagnostics()[0].span.start, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_network(error: BuildError, ast: &Ast) -> Self {
        Self::Recognizer(placed::of_network(error, ast))
    }

    /// A vocabulary, or an ending, that does not go with this grammar: for those who go through the stages one by one. Each place
    /// that names a special token which is not there is told, with a hint at what may be meant.
    pub fn of_binding(errors: BindErrors, ast: &Ast, vocabulary: &Vocabulary, config: &Config) -> Self {
        Self::Bind(placed::of_binding(errors, ast, vocabulary, config.normal.max_errors))
    }

    /// The same about the grammar of a JSON Schema: one to which no text belongs comes of a schema that no document obeys.
    ///
    /// ```
    /// use grammask::Error;
    ///
    /// let ast = grammask_syntax::parse("start ::= #'a' & #'b';", &Default::default())?;
    /// let error = Error::from(grammask_normal::normalize(&ast, &Default::default()).unwrap_err());
    /// assert!(error.about_schema().to_string().contains("no document is valid"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn about_schema(self) -> Self {
        if self.is_empty_language() {
            return grammask_json_schema::Error::unsatisfiable().into();
        }
        match &self {
            // The grammar has no places that say anything about the schema.
            Self::Normal(_) | Self::Recognizer(_) if let Some(first) = self.diagnostics().first() => {
                grammask_json_schema::Error::not_run(&first.message).into()
            }
            _ => self,
        }
    }

    /// A limit that is exceeded by the masks with which the outputs of a JSON Schema begin: better a refusal than an output that ends there.
    pub(crate) fn of_schema(limit: &grammask_earley::Error) -> Self {
        grammask_json_schema::Error::not_run(limit).into()
    }

    /// Whether there is nothing wrong but that no text belongs to the grammar.
    fn is_empty_language(&self) -> bool {
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

    /// What is wrong, each with its place, in the order of the places; empty for errors that have no place in the text.
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
            Self::JsonSchema(_) => Vec::new(),
        }
    }

    /// How many errors there are beyond those in [`diagnostics`](Self::diagnostics): more than the `max_errors` of a stage are only
    /// counted.
    pub const fn omitted(&self) -> usize {
        match self {
            Self::Syntax(errors) => errors.omitted(),
            Self::Normal(errors) => errors.omitted(),
            Self::SyntaxAndNormal { syntax, normal } => syntax.omitted() + normal.omitted(),
            Self::Bind(errors) => errors.omitted,
            Self::JsonSchema(_) | Self::Recognizer(_) => 0,
        }
    }

    /// All of it for a reader: file, line, column, the line itself with a caret, and hints.
    ///
    /// `text` is what was compiled; `name` says what to call it.
    pub fn render(&self, text: &str, name: &str) -> String {
        let diagnostics = self.diagnostics();
        if diagnostics.is_empty() {
            return format!("error: {self}\n  --> {name}\n");
        }
        let mut report = Report::new(text, name, diagnostics).with_omitted(self.omitted()).to_string();
        if let Self::Bind(errors) = self {
            report.extend(placed::elsewhere(&errors.cause).map(|error| format!("\nerror: {error}\n")));
        }
        report
    }
}

/// A limit was hit while a matcher ran. The matcher is as it was before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("after {offset} bytes of output: {cause}")]
pub struct LimitError {
    /// How many bytes of output there were.
    pub offset: usize,
    /// The limit.
    #[source]
    pub cause: grammask_earley::Error,
}

/// There are fewer tokens to take back than asked for. The matcher is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RollbackError {
    /// More tokens than were accepted.
    #[error("cannot take back {asked} tokens: {accepted} were accepted")]
    TooMany {
        /// How many were to be taken back.
        asked: usize,
        /// How many there are.
        accepted: usize,
    },
    /// A limit was hit while the text before was read again.
    #[error(transparent)]
    Limit(#[from] LimitError),
}
