//! The state of one translation, which every stage reads and extends: documents, constraints, languages, the
//! list of relaxations and the work that is left.

use std::sync::atomic::Ordering;

use grammask_work::charge;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::constraint::{Constants, Constraints, Scopes};
use crate::document::dedup::CanonicalSchemas;
use crate::document::{Documents, Inputs, SchemaId};
use crate::error::{Error, Limit, Note, Reason, Relaxation};
use crate::keyword::relax::KeywordSet;
use crate::language::number::Numbers;
use crate::language::{LanguageId, Languages};
use crate::value::evaluate::{Evaluation, WEAKENED_EXCLUSION};
use crate::{Config, Unsupported};

/// The reason why an evaluation ended without a result.
pub(crate) enum Stop {
    /// The translation fails.
    Error(Box<Error>),
    /// The result depends on one that is being computed: a cycle in lazy evaluation.
    Cycle,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(Box::new(error))
    }
}

/// Whether a language is empty, or the limit that was exceeded before this was known.
pub(crate) type Emptiness = Result<bool, grammask_regular::Error>;

/// The state of one translation.
pub(crate) struct Context<'a> {
    pub config: &'a Config,
    pub documents: Documents<'a>,
    pub canonical: CanonicalSchemas,
    pub constraints: Constraints,
    pub constants: Constants<'a>,
    pub scopes: Scopes,
    pub languages: Languages,
    pub numbers: Numbers,
    pub evaluation: Evaluation,
    pub relaxations: Relaxations,
    pub notes: Vec<Note>,
    /// Schema, keyword and message of each note.
    listed_notes: FxHashSet<(SchemaId, String, String)>,
    /// Hints about unknown keywords, by keyword.
    pub(crate) keyword_hints: FxHashMap<Box<str>, String>,
    /// The schema whose keywords are being read. Errors without a schema of their own name it.
    pub current_schema: SchemaId,
    /// True while the root is planned. Its schema loses a keyword if all work is spent then.
    pub is_planning_root: bool,
    /// The keyword of the current schema that is being read. Errors that name no keyword are about it.
    pub current_keyword: &'static str,
    /// Keywords that relaxing has dropped, by schema.
    pub dropped: FxHashMap<SchemaId, KeywordSet>,
    /// Memo of [`emptiness`](Self::emptiness).
    emptiness: FxHashMap<LanguageId, Emptiness>,
    /// Memo of [`contains`](Self::contains).
    membership: FxHashMap<(LanguageId, Box<str>), bool>,
    /// Work units spent so far.
    work: u64,
    /// Work units that may be spent: [`Limits::max_work`](crate::Limits::max_work), and more after relaxing.
    max_work: u64,
    /// Number of times that relaxing added to `max_work`.
    work_grants: u64,
    /// True if all work is spent, and all constraints that are left are omitted.
    is_exhausted: bool,
}

/// Units of an account of [`grammask_work`] for one unit of [`Limits::max_work`](crate::Limits::max_work).
const UNITS_PER_WORK: u64 = 16;

/// Number of times that a translation goes on after its work is spent, with one constraint less each time.
const MAX_WORK_GRANTS: u64 = 8;

/// Number of errors that are collected for one report.
const MAX_COLLECTED_ERRORS: usize = 100;

/// All constraints that the grammar does not assert, each once.
#[derive(Default)]
pub(crate) struct Relaxations {
    /// The relaxations, in the order of discovery.
    pub list: Vec<Relaxation>,
    /// The errors that the schema would have without relaxing, at most [`MAX_COLLECTED_ERRORS`].
    pub errors: Vec<Error>,
    /// Schema, keyword and reason of each relaxation.
    listed: FxHashSet<(SchemaId, String, String)>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(inputs: &'a Inputs, config: &'a Config) -> Result<Self, Error> {
        let documents = Documents::new(inputs, config)?;
        let mut languages = Languages::new(config);
        Ok(Self {
            config,
            current_schema: documents.root(),
            documents,
            canonical: CanonicalSchemas::default(),
            constraints: Constraints::new(),
            constants: Constants::default(),
            scopes: Scopes::new(),
            numbers: Numbers::new(&mut languages),
            languages,
            evaluation: Evaluation::default(),
            relaxations: Relaxations::default(),
            notes: Vec::new(),
            listed_notes: FxHashSet::default(),
            keyword_hints: FxHashMap::default(),
            is_planning_root: false,
            current_keyword: "",
            dropped: FxHashMap::default(),
            emptiness: FxHashMap::default(),
            membership: FxHashMap::default(),
            work: 0,
            max_work: config.limits.max_work,
            work_grants: 0,
            is_exhausted: false,
        })
    }

    /// Counts units of work.
    ///
    /// # Errors
    /// When [`Limits::max_work`](crate::Limits::max_work) is exceeded, or on cancellation.
    pub(crate) fn spend(&mut self, units: u64) -> Result<(), Stop> {
        self.work = self.work.saturating_add(units);
        if self.work > self.max_work && !self.is_exhausted {
            return Err(self.limit_here(Limit::Work, self.config.limits.max_work));
        }
        if charge(UNITS_PER_WORK.saturating_mul(units.max(1))).is_err() {
            // The caller knows why the account of the call is closed.
            return Err(self.error_here(Reason::Cancelled));
        }
        if self.config.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            // Omits the pointer of the schema, because writing it may take long.
            return Err(Error::cancelled().into());
        }
        Ok(())
    }

    /// Ends the translation on cancellation. For loops whose iterations do not count as work.
    pub(crate) fn check_cancelled(&mut self) -> Result<(), Stop> {
        self.spend(0)
    }

    /// Returns true if the constraint that an error is about may be omitted instead, and the translation goes
    /// on. After all work is spent, [`grant_work`](Self::grant_work) decides.
    pub(crate) fn may_relax(&self, error: &Error) -> bool {
        let is_local = match &error.reason {
            Reason::Invalid(_) | Reason::Unsupported(_) => true,
            Reason::Limit(exceeded) => !matches!(exceeded.limit, Limit::Nesting | Limit::Work),
            Reason::Unsatisfiable(_) | Reason::Cancelled => false,
        };
        is_local && self.config.unsupported == Unsupported::Relax
    }

    /// Returns true if relaxing may go on after an error that all work is spent, without the constraint that
    /// took it. It may then spend an eighth of [`Limits::max_work`](crate::Limits::max_work) in addition.
    pub(crate) fn grant_work(&mut self, error: &Error) -> bool {
        let is_work = matches!(&error.reason, Reason::Limit(exceeded) if exceeded.limit == Limit::Work);
        let may_grant =
            is_work && self.config.unsupported == Unsupported::Relax && self.work_grants < MAX_WORK_GRANTS;
        if may_grant {
            self.work_grants += 1;
            self.max_work = self.work.saturating_add(self.config.limits.max_work / MAX_WORK_GRANTS);
        }
        may_grant
    }

    /// Returns a result, or lists its error and returns `None` if the constraint may be omitted.
    pub(crate) fn or_omitted<T>(
        &mut self,
        schema: SchemaId,
        keyword: &str,
        result: Result<T, Stop>,
    ) -> Result<Option<T>, Stop> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Error(error)) if self.may_relax(&error) => {
                self.evaluation.mark_relaxed();
                self.list_weakening(schema, keyword, *error);
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }

    /// Returns the result of `work`. Returns `None` if it must be omitted, because it has no exact grammar or
    /// because all work is spent.
    pub(crate) fn attempt<T>(
        &mut self,
        schema: SchemaId,
        work: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<Option<T>, Stop> {
        if self.is_exhausted {
            let limit = Reason::limit(Limit::Work, self.config.limits.max_work);
            self.list(schema, "", limit.to_string());
            return Ok(None);
        }
        match work(self) {
            Err(Stop::Error(error)) if self.may_relax(&error) || self.grant_or_exhaust(&error) => {
                self.list_weakening(schema, "", *error);
                Ok(None)
            }
            result => result.map(Some),
        }
    }

    /// Returns true if an error says that all work is spent, and the translation goes on without the
    /// constraint that took it, or without all constraints that are left.
    pub(crate) fn grant_or_exhaust(&mut self, error: &Error) -> bool {
        let is_work = matches!(&error.reason, Reason::Limit(exceeded) if exceeded.limit == Limit::Work);
        let goes_on = is_work && self.config.unsupported == Unsupported::Relax;
        if goes_on && !self.grant_work(error) {
            self.is_exhausted = true;
        }
        goes_on
    }

    /// Returns true if all constraints that are left are omitted.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    /// Returns an error at the current schema.
    pub(crate) fn error_here(&self, reason: Reason) -> Stop {
        self.error(self.current_schema, "", reason)
    }

    /// Returns the error for an exceeded limit at the current schema.
    pub(crate) fn limit_here(&self, limit: Limit, value: u64) -> Stop {
        self.error_here(Reason::limit(limit, value))
    }

    pub(crate) fn error(&self, schema: SchemaId, keyword: &str, reason: Reason) -> Stop {
        Error::new(self.documents.pointer(schema), keyword, reason).into()
    }

    /// Handles a constraint that has no exact grammar. By [`Config::unsupported`], returns an error, or lists
    /// a relaxation, after which the caller omits the constraint.
    ///
    /// Without the constraint, the caller must allow more values, never fewer.
    pub(crate) fn refuse_or_relax(
        &mut self,
        schema: SchemaId,
        keyword: &str,
        reason: impl Into<String>,
    ) -> Result<(), Stop> {
        let reason = reason.into();
        match self.config.unsupported {
            Unsupported::Relax => {
                self.evaluation.mark_relaxed();
                let error = Error::new(self.documents.pointer(schema), keyword, Reason::Unsupported(reason));
                self.list_weakening(schema, keyword, error);
                Ok(())
            }
            Unsupported::Refuse => Err(self.error(schema, keyword, Reason::Unsupported(reason))),
        }
    }

    /// Lists a constraint of which the grammar asserts a part only, relaxed or not.
    pub(crate) fn list_partial(&mut self, schema: SchemaId, keyword: &str, reason: impl Into<String>) {
        self.list(schema, keyword, reason.into());
    }

    /// Lists a constraint that is omitted, and collects the error that it is without relaxing.
    pub(crate) fn list_weakening(&mut self, schema: SchemaId, keyword: &str, error: Error) {
        let place = match &error.pointer {
            pointer if *pointer == self.documents.pointer(schema) => String::new(),
            pointer => format!(", at '{pointer}'"),
        };
        let reason = match &error.reason {
            Reason::Unsupported(what) => format!("{what}{place}"),
            reason => format!("{reason}{place}"),
        };
        let errors = &mut self.relaxations.errors;
        let is_consequence = matches!(&error.reason, Reason::Unsupported(what) if what == WEAKENED_EXCLUSION);
        if errors.len() < MAX_COLLECTED_ERRORS && !is_consequence && !errors.contains(&error) {
            errors.push(error);
        }
        self.list(schema, keyword, reason);
    }

    /// Adds a relaxation to the list, unless it is listed already.
    fn list(&mut self, schema: SchemaId, keyword: &str, reason: String) {
        let keyword = keyword.to_owned();
        if self.relaxations.listed.insert((schema, keyword.clone(), reason.clone())) {
            let pointer = self.documents.pointer(schema);
            self.relaxations.list.push(Relaxation { pointer, keyword, reason });
        }
    }

    /// Adds a note, unless it is listed already.
    pub(crate) fn list_note(&mut self, schema: SchemaId, keyword: &str, message: impl Into<String>) {
        let message = message.into();
        if self.listed_notes.insert((schema, keyword.to_owned(), message.clone())) {
            let pointer = self.documents.pointer(schema);
            self.notes.push(Note { pointer, keyword: keyword.to_owned(), message });
        }
    }

    /// Returns true if a language is known to be empty. Returns false if a limit was exceeded before this was
    /// known.
    pub(crate) fn is_empty(&mut self, language: LanguageId) -> Result<bool, Stop> {
        Ok(self.emptiness(language)?.unwrap_or(false))
    }

    /// Decides whether a language is empty.
    pub(crate) fn emptiness(&mut self, language: LanguageId) -> Result<Emptiness, Stop> {
        match language {
            LanguageId::NONE => return Ok(Ok(true)),
            LanguageId::ANY | LanguageId::EMPTY_TEXT => return Ok(Ok(false)),
            _ => {}
        }
        if let Some(known) = self.emptiness.get(&language) {
            return Ok(known.clone());
        }
        let before = self.languages.size();
        let emptiness = match self.languages.is_empty(language) {
            Ok(Some(empty)) => Ok(empty),
            Ok(None) => return Err(Error::cancelled().into()),
            Err(limit) => Err(limit),
        };
        self.emptiness.insert(language, emptiness.clone());
        // One search can take as long as all other work, so charge it by the automata that it built.
        self.spend(1 + self.languages.size().saturating_sub(before) as u64)?;
        Ok(emptiness)
    }

    /// Stores that a language is not empty, which the caller knows without a search.
    pub(crate) fn set_inhabited(&mut self, language: LanguageId) {
        self.emptiness.insert(language, Ok(false));
    }

    #[cfg(test)]
    pub(crate) fn is_known_inhabited(&self, language: LanguageId) -> bool {
        self.emptiness.get(&language).is_some_and(|known| matches!(known, Ok(false)))
    }

    /// Decides whether a text is in a language.
    pub(crate) fn contains(&mut self, language: LanguageId, text: &str) -> Result<bool, Stop> {
        if let Some(&known) = self.membership.get(&(language, text.into())) {
            return Ok(known);
        }
        self.spend(1)?;
        let contains = match self.languages.contains(language, text) {
            Ok(contains) => contains,
            Err(error) => return Err(self.error_here(Reason::Unsupported(error.to_string()))),
        };
        self.membership.insert((language, text.into()), contains);
        Ok(contains)
    }
}
