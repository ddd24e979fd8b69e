//! The state of one translation, which every stage reads and extends: documents, constraints, languages, the
//! list of relaxations and the work that is left.

use std::sync::atomic::Ordering;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use crate::constraint::{Constants, Constraints, Scopes};
use crate::document::dedup::CanonicalSchemas;
use crate::document::{Documents, SchemaId};
use crate::error::{Error, Limit, Note, Reason, Relaxation};
use crate::language::number::Numbers;
use crate::language::{LanguageId, Languages};
use crate::value::evaluate::Evaluation;
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
    /// The schema whose keywords are being read. Errors without a schema of their own name it.
    pub current_schema: SchemaId,
    /// Memo of [`emptiness`](Self::emptiness).
    emptiness: FxHashMap<LanguageId, Emptiness>,
    /// Memo of [`contains`](Self::contains).
    membership: FxHashMap<(LanguageId, Box<str>), bool>,
    /// Work units spent so far.
    work: u64,
}

/// All constraints and keywords that the schema mentions and the grammar does not assert, each once.
#[derive(Default)]
pub(crate) struct Relaxations {
    /// The relaxations, in the order of discovery.
    pub list: Vec<Relaxation>,
    /// Schema, keyword and reason of each relaxation.
    listed: FxHashSet<(SchemaId, String, String)>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(root: &'a Value, config: &'a Config) -> Result<Self, Error> {
        let documents = Documents::new(root, config)?;
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
            emptiness: FxHashMap::default(),
            membership: FxHashMap::default(),
            work: 0,
        })
    }

    /// Counts units of work.
    ///
    /// # Errors
    /// When [`Limits::max_work`](crate::Limits::max_work) is exceeded, or on cancellation.
    pub(crate) fn spend(&mut self, units: u64) -> Result<(), Stop> {
        self.work += units;
        let limit = self.config.limits.max_work;
        if self.work > limit {
            return Err(self.limit_here(Limit::Work, limit));
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
                self.list_relaxation(schema, keyword, reason);
                Ok(())
            }
            Unsupported::Refuse => Err(self.error(schema, keyword, Reason::Unsupported(reason))),
        }
    }

    /// Adds a relaxation to the list, unless it is listed already.
    pub(crate) fn list_relaxation(&mut self, schema: SchemaId, keyword: &str, reason: impl Into<String>) {
        let (keyword, reason) = (keyword.to_owned(), reason.into());
        if self.relaxations.listed.insert((schema, keyword.clone(), reason.clone())) {
            let pointer = self.documents.pointer(schema);
            self.relaxations.list.push(Relaxation { pointer, keyword, reason });
        }
    }

    /// Adds a note, unless it is listed already.
    pub(crate) fn list_note(&mut self, schema: SchemaId, keyword: &str, message: String) {
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
