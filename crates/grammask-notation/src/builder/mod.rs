//! Makes a KBNF tree from the pieces of another notation, and collects errors and notes.

mod copy;
mod expression;
mod finish;
mod graft;
mod pattern;
mod regex;
#[cfg(feature = "json-schema")]
mod schema;
mod tokens;

pub use finish::is_nullable_regex;
pub use graft::Place;

use grammask_regular::Store;
use grammask_syntax::{Ast, Diagnostic, ExprId, ExprKind, Name, Rule, Span, Text};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Annotations, Config, Errors, Names, Outcome, Sources};

/// Makes a KBNF tree, and collects errors and notes.
///
/// Spans are offsets in the virtual text of all sources: the base that [`add_source`](Self::add_source)
/// returns plus the offset in the source. An expression is used at most once; [`copy`](Self::copy) makes
/// another one. Expressions without use are dropped at the end.
pub struct Builder {
    config: Config,
    ast: Ast,
    sources: Sources,
    names: Names,
    errors: Vec<Diagnostic>,
    omitted: usize,
    notes: Vec<Diagnostic>,
    omitted_notes: usize,
    /// Compiled patterns, made at the first one.
    store: Option<Store>,
    /// By regex: true if it matches the empty text.
    nullable_regexes: FxHashMap<Text, bool>,
    /// Tokens outside of a set that stand alone so far.
    other_tokens: FxHashSet<ExprId>,
    /// True once `max_expressions` is exceeded.
    is_full: bool,
}

impl Builder {
    /// Returns a builder without rules.
    pub fn new(config: &Config) -> Self {
        Self {
            config: config.clone(),
            ast: Ast::default(),
            sources: Sources::default(),
            names: Names::default(),
            errors: Vec::new(),
            omitted: 0,
            notes: Vec::new(),
            omitted_notes: 0,
            store: None,
            nullable_regexes: FxHashMap::default(),
            other_tokens: FxHashSet::default(),
            is_full: false,
        }
    }

    /// Adds a source, and returns the offset of its first byte in the virtual text. A source beyond
    /// [`max_text_bytes`](crate::Limits::max_text_bytes) has an error, and is added empty.
    pub fn add_source(&mut self, name: &str, text: &str) -> usize {
        let limit = self.config.limits.max_text_bytes;
        if text.len() > limit.saturating_sub(self.sources.text().len()) {
            let base = self.sources.add(name, "");
            self.limit("max_text_bytes", limit, "bytes of text", Span::new(base, base));
            return base;
        }
        self.sources.add(name, text)
    }

    /// Returns the sources.
    pub const fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Returns the configuration.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// Declares names of the user, as [`Names::declare_all`].
    pub fn declare_all<'n>(&mut self, names: impl IntoIterator<Item = &'n str> + Clone) {
        self.names.declare_all(names);
    }

    /// Returns the identifier of a name of the user, and chooses one if there is none yet.
    pub fn declare(&mut self, name: &str) -> Text {
        self.names.declare(name)
    }

    /// Returns the identifier of a declared name.
    pub fn identifier(&self, name: &str) -> Option<Text> {
        self.names.identifier(name).cloned()
    }

    /// Returns an identifier for a rule that the user did not name, similar to `stem`.
    pub fn fresh(&mut self, stem: &str) -> Text {
        self.names.fresh(stem)
    }

    /// Returns the names.
    pub const fn names(&self) -> &Names {
        &self.names
    }

    /// Adds a rule. A name that has a rule gets further alternatives, as in KBNF.
    pub fn rule(&mut self, name: &str, name_span: Span, body: ExprId, span: Span) {
        let name = Name { text: name.to_owned(), span: name_span };
        self.ast.rules.push(Rule { name, body, span });
    }

    /// Adds a rule with a fresh name for an expression, and returns a reference to it.
    pub fn extract(&mut self, stem: &str, body: ExprId, span: Span) -> ExprId {
        let name = self.fresh(stem);
        self.rule(&name, span, body, span);
        self.name(&name, span)
    }

    /// Adds an error.
    pub fn error(&mut self, message: impl Into<String>, span: Span) {
        self.report(Diagnostic::new(message, span));
    }

    /// Adds an error with a hint.
    pub fn error_hint(&mut self, message: impl Into<String>, span: Span, hint: impl Into<String>) {
        self.report(Diagnostic::new(message, span).with_hint(hint));
    }

    /// Adds an error, or counts it if there are too many.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        if self.errors.len() < self.config.limits.max_errors.max(1) {
            self.errors.push(diagnostic);
        } else {
            self.omitted += 1;
        }
    }

    /// Adds the error for more than `value` of `what`.
    pub fn limit(&mut self, limit: &str, value: usize, what: &str, span: Span) {
        self.error(format!("more than {value} {what} (limit `{limit}`)"), span);
    }

    /// Adds a note, or counts it if there are too many.
    pub fn note(&mut self, message: impl Into<String>, span: Span) {
        if self.notes.len() < self.config.limits.max_notes {
            self.notes.push(Diagnostic::new(message, span));
        } else {
            self.omitted_notes += 1;
        }
    }

    /// Adds a note or an error about an attribute without effect on the language, by
    /// [`Config::annotations`](crate::Config::annotations).
    pub fn annotation(&mut self, what: &str, span: Span) {
        match self.config.annotations {
            Annotations::Note => self.note(format!("{what} does not change the language"), span),
            Annotations::Refuse => self.error(format!("{what} is not supported"), span),
        }
    }

    /// Returns true if there is an error.
    pub const fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Returns true if there are more errors than are stored.
    pub const fn omits_errors(&self) -> bool {
        self.omitted > 0
    }

    /// Returns the errors so far.
    pub fn into_errors(self) -> Errors {
        Errors::new(self.sources, self.errors, self.omitted)
    }

    /// Returns the kind of an expression.
    ///
    /// # Panics
    /// If the id is not from this builder.
    pub fn kind(&self, id: ExprId) -> &ExprKind {
        &self.ast.expr(id).kind
    }

    /// Returns the span of an expression.
    ///
    /// # Panics
    /// If the id is not from this builder.
    pub fn span(&self, id: ExprId) -> Span {
        self.ast.expr(id).span
    }

    /// Checks and returns the result. The start symbol is an identifier with a rule.
    ///
    /// # Errors
    /// If an error was reported.
    ///
    /// # Complexity
    /// Linear in the size of the tree.
    pub fn finish(mut self, start: &str, start_span: Span) -> Result<Outcome, Errors> {
        if self.has_errors() {
            return Err(self.into_errors());
        }
        let is_used = finish::used_expressions(&self.ast);
        self.report_other_tokens(&is_used);
        if self.has_errors() {
            return Err(self.into_errors());
        }
        finish::compact(&mut self.ast, &is_used);
        self.ast.start = Some(Name { text: start.to_owned(), span: start_span });
        debug_assert!(self.ast.check().is_ok(), "{:?}\n{}", self.ast.check(), self.ast);
        let empty_output = self.is_nullable_rule(start);
        self.ast.allows_empty = empty_output;
        self.notes.sort_by_key(|note| note.span);
        Ok(Outcome {
            ast: self.ast,
            sources: self.sources,
            names: self.names,
            notes: self.notes,
            omitted_notes: self.omitted_notes,
            empty_output,
        })
    }

    /// Returns the store for patterns.
    fn store(&mut self) -> &mut Store {
        self.store.get_or_insert_with(|| Store::new(&grammask_regular::Limits::default()))
    }
}
