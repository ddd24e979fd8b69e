//! What is known while a schema is translated: its documents, goals and languages, the values of goals found so far, and the work
//! that is left.

use std::rc::Rc;
use std::sync::atomic::Ordering;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use crate::conjunction::{ConstantId, GoalId, Goals, ScopeId, Subject};
use crate::document::{Documents, ResourceId, SchemaId};
use crate::error::{Error, Reason, Relaxation};
use crate::language::number;
use crate::language::number::Decimal;
use crate::language::{LanguageId, Languages};
use crate::value::Values;
use crate::{Config, Draft, Unsupported};

/// Values inside of values inside ... are not looked for any deeper.
const DEEPEST_LOOK: usize = 8;

/// Why a question was not answered.
pub(crate) enum Stop {
    /// For good.
    Error(Box<Error>),
    /// The answer is being looked for further out.
    Busy,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(Box::new(error))
    }
}

/// Whether a language is empty, or the limit that forbids to find out.
pub(crate) type Emptiness = Result<bool, grammask_regular::Error>;

/// What is known while a schema is translated.
pub(crate) struct Translator<'a> {
    pub documents: Documents<'a>,
    pub config: &'a Config,
    pub languages: Languages,
    pub goals: Goals,
    pub relaxations: Vec<Relaxation>,
    /// What is listed there.
    noted: FxHashSet<(SchemaId, String, String)>,
    /// All spellings of numbers, and those that can be compared.
    pub any_number: LanguageId,
    pub constrained_number: LanguageId,
    /// The languages that spell one number each.
    pub single_numbers: FxHashSet<LanguageId>,
    /// The schema that is being looked at.
    pub place: SchemaId,
    /// The first schema with some words, by resource, draft and words.
    pub alike: FxHashMap<(ResourceId, Draft), FxHashMap<String, SchemaId>>,
    /// The words of a schema that is looked for there; kept for its room.
    pub words: String,
    constants: Vec<&'a Value>,
    /// By address: every constant stands in a document.
    constant_ids: FxHashMap<usize, ConstantId>,
    scopes: Vec<Box<[ResourceId]>>,
    scope_ids: FxHashMap<Box<[ResourceId]>, ScopeId>,
    known: FxHashMap<Subject, Rc<Values>>,
    reached: FxHashMap<GoalId, Rc<Values>>,
    empty: FxHashMap<LanguageId, Emptiness>,
    /// The bounds of numbers, by their sets: whether it is the least number or the greatest, and which, whether or not it is in the set.
    pub bounds: FxHashMap<LanguageId, (bool, Decimal)>,
    members: FxHashMap<(LanguageId, Box<str>), bool>,
    /// What is being looked for; nothing for a step into a value.
    open: Vec<Option<Subject>>,
    /// What is larger than it is, as something was left out.
    weak: Marks,
    /// What is smaller than it is, or larger while something is looked for to be excluded: see [`host::hostname`](crate::language::format).
    rough: Marks,
    /// Whether something is looked for to be excluded, so that it must not be smaller than it is.
    pub is_wide: bool,
    /// What is known in the other case.
    other_width: (FxHashMap<Subject, Rc<Values>>, FxHashMap<GoalId, Rc<Values>>),
    work: u64,
}

/// What cannot be said exactly: how often that was met, and which answers depend on it.
#[derive(Default)]
struct Marks {
    count: u64,
    subjects: FxHashSet<Subject>,
    goals: FxHashSet<GoalId>,
}

impl Marks {
    /// An answer is used that may depend on it.
    fn recall(&mut self, subject: Subject) {
        self.count += u64::from(self.subjects.contains(&subject));
    }

    fn recall_goal(&mut self, goal: GoalId) {
        self.count += u64::from(self.goals.contains(&goal));
    }

    /// An answer depends on it if it was met meanwhile.
    fn mark(&mut self, subject: Subject, before: u64) {
        if self.count > before {
            self.subjects.insert(subject);
        }
    }

    fn mark_goal(&mut self, goal: GoalId, before: u64) {
        if self.count > before {
            self.goals.insert(goal);
        }
    }
}

impl<'a> Translator<'a> {
    pub fn new(root: &'a Value, config: &'a Config) -> Result<Self, Error> {
        let documents = Documents::new(root, config)?;
        let mut languages = Languages::new(config);
        let any_number = number::any(&mut languages);
        let constrained_number = number::constrained(&mut languages);
        let place = documents.root();
        Ok(Self {
            documents,
            config,
            languages,
            goals: Goals::new(),
            relaxations: Vec::new(),
            noted: FxHashSet::default(),
            any_number,
            constrained_number,
            single_numbers: FxHashSet::default(),
            place,
            alike: FxHashMap::default(),
            words: String::with_capacity(256),
            constants: Vec::new(),
            constant_ids: FxHashMap::default(),
            scopes: vec![Box::default()],
            scope_ids: FxHashMap::default(),
            known: FxHashMap::default(),
            reached: FxHashMap::default(),
            empty: FxHashMap::default(),
            bounds: FxHashMap::default(),
            members: FxHashMap::default(),
            open: Vec::new(),
            weak: Marks::default(),
            rough: Marks::default(),
            is_wide: false,
            other_width: Default::default(),
            work: 0,
        })
    }

    /// Counts work, and sees whether there is any left.
    pub fn spend(&mut self, units: u64) -> Result<(), Stop> {
        self.work += units;
        if self.work > self.config.work {
            return Err(self.error_here(Reason::Limit { limit: "work", value: self.config.work }));
        }
        if self.config.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            // Where it was does not matter, and may take long to say.
            return Err(Error::cancelled().into());
        }
        Ok(())
    }

    /// Sees whether somebody wants it to end, where many steps are no work by themselves.
    pub fn look(&mut self) -> Result<(), Stop> {
        self.spend(0)
    }

    pub fn error_here(&self, reason: Reason) -> Stop {
        self.error(self.place, "", reason)
    }

    pub fn error(&self, place: SchemaId, keyword: &str, reason: Reason) -> Stop {
        Error::new(self.documents.pointer(place), keyword, reason).into()
    }

    /// Refuses what cannot be said exactly; or lists it, where the user asked for that and leaving it out allows more, not less.
    pub fn refuse(&mut self, place: SchemaId, keyword: &str, reason: impl Into<String>) -> Result<(), Stop> {
        let reason = reason.into();
        match self.config.unsupported {
            Unsupported::Relax => {
                self.weak.count += 1;
                self.note(place, keyword, reason);
                Ok(())
            }
            Unsupported::Refuse => Err(self.error(place, keyword, Reason::Unsupported(reason))),
        }
    }

    /// Lists something that is not asserted.
    pub fn note(&mut self, place: SchemaId, keyword: &str, reason: impl Into<String>) {
        let (keyword, reason) = (keyword.to_owned(), reason.into());
        if self.noted.insert((place, keyword.clone(), reason.clone())) {
            self.relaxations.push(Relaxation { pointer: self.documents.pointer(place), keyword, reason });
        }
    }

    pub fn constant(&mut self, value: &'a Value) -> ConstantId {
        let constants = &mut self.constants;
        *self.constant_ids.entry(std::ptr::from_ref(value).addr()).or_insert_with(|| {
            constants.push(value);
            ConstantId(constants.len() as u32 - 1)
        })
    }

    pub fn constant_value(&self, id: ConstantId) -> &'a Value {
        self.constants[id.0 as usize]
    }

    /// The scope after a resource is entered.
    pub fn enter(&mut self, scope: ScopeId, resource: ResourceId) -> ScopeId {
        let known = &self.scopes[scope.0 as usize];
        if !self.documents.is_dynamic() || known.contains(&resource) {
            return scope;
        }
        let inner: Box<[ResourceId]> = known.iter().copied().chain([resource]).collect();
        let scopes = &mut self.scopes;
        *self.scope_ids.entry(inner).or_insert_with_key(|inner| {
            scopes.push(inner.clone());
            ScopeId(scopes.len() as u32 - 1)
        })
    }

    pub fn scope(&self, scope: ScopeId) -> Box<[ResourceId]> {
        self.scopes[scope.0 as usize].clone()
    }

    /// Whether a language is empty; `false` where a limit forbids to find out.
    pub fn is_empty(&mut self, language: LanguageId) -> Result<bool, Stop> {
        Ok(self.emptiness(language)?.unwrap_or(false))
    }

    /// Whether a language is empty, or the limit that forbids to find out.
    pub fn emptiness(&mut self, language: LanguageId) -> Result<Emptiness, Stop> {
        match language {
            LanguageId::NONE => return Ok(Ok(true)),
            LanguageId::ANY | LanguageId::EMPTY_TEXT => return Ok(Ok(false)),
            _ => {}
        }
        if let Some(known) = self.empty.get(&language) {
            return Ok(known.clone());
        }
        let before = self.languages.size();
        let found = match self.languages.is_empty(language) {
            Ok(Some(empty)) => Ok(empty),
            Ok(None) => return Err(Error::cancelled().into()),
            Err(limit) => Err(limit),
        };
        self.empty.insert(language, found.clone());
        // One question can take as long as everything else.
        self.spend(1 + self.languages.size().saturating_sub(before) as u64)?;
        Ok(found)
    }

    pub fn contains(&mut self, language: LanguageId, text: &str) -> Result<bool, Stop> {
        if let Some(&known) = self.members.get(&(language, text.into())) {
            return Ok(known);
        }
        self.spend(1)?;
        let contains = match self.languages.contains(language, text) {
            Ok(contains) => contains,
            Err(error) => return Err(self.error_here(Reason::Unsupported(error.to_string()))),
        };
        self.members.insert((language, text.into()), contains);
        Ok(contains)
    }

    /// The values that reach a goal inside of the value that is being looked at.
    pub fn values_inside(&mut self, goal: GoalId) -> Result<Rc<Values>, Stop> {
        if let Some(known) = self.known_values(goal) {
            return Ok(known);
        }
        if self.open.iter().filter(|open| open.is_none()).count() >= DEEPEST_LOOK {
            return Err(Stop::Busy);
        }
        let place = self.place;
        self.open.push(None);
        let values = self.values(goal);
        self.open.pop();
        self.place = place;
        values
    }

    /// The values that reach a goal, if that was found before. What was weakened then is weakened for whoever uses it.
    fn known_values(&mut self, goal: GoalId) -> Option<Rc<Values>> {
        let known = self.reached.get(&goal).map(Rc::clone)?;
        self.weak.recall_goal(goal);
        self.rough.recall_goal(goal);
        Some(known)
    }

    /// What a question answers that is only asked to leave something out: nothing is weakened by having asked.
    pub fn aside<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> T {
        let weakened = self.weak.count;
        let answer = ask(self);
        self.weak.count = weakened;
        answer
    }

    /// The values that reach a goal.
    pub fn values(&mut self, goal: GoalId) -> Result<Rc<Values>, Stop> {
        if let Some(known) = self.known_values(goal) {
            return Ok(known);
        }
        if goal == GoalId::NEVER {
            return Ok(Rc::new(Values::NONE));
        }
        let before = (self.weak.count, self.rough.count);
        let count = self.goals.claims(goal).len();
        let mut all: Option<Rc<Values>> = None;
        for place in 0..count {
            let claim = self.goals.claims(goal)[place];
            if !claim.holds {
                continue;
            }
            let values = self.values_of(claim.subject)?;
            all = Some(match all {
                Some(all) => Rc::new(self.intersect(&all, &values)?),
                None => values,
            });
        }
        let mut all = all.unwrap_or_else(|| Rc::new(Values::any(self.any_number)));
        for place in 0..count {
            let claim = self.goals.claims(goal)[place];
            if all.is_none() {
                break;
            }
            if claim.holds {
                continue;
            }
            let values = self.values_to_exclude(claim.subject)?;
            all = Rc::new(self.subtract(&all, &values)?);
        }
        self.weak.mark_goal(goal, before.0);
        self.rough.mark_goal(goal, before.1);
        self.reached.insert(goal, Rc::clone(&all));
        Ok(all)
    }

    /// The values of which something holds, for taking them away: they must not be more than that; and where they may be fewer, all that may be are
    /// taken.
    pub fn values_to_exclude(&mut self, subject: Subject) -> Result<Rc<Values>, Stop> {
        let mut values = self.values_of(subject)?;
        if self.weak.subjects.contains(&subject) {
            let reason = "what it excludes cannot be said exactly, and may not be weakened".to_owned();
            return Err(self.error_here(Reason::Unsupported(reason)));
        }
        if self.is_rough(subject) {
            self.change_width();
            let wide = self.values_of(subject);
            self.change_width();
            values = wide?;
        }
        Ok(values)
    }

    /// From now on, what is found is for the other purpose.
    fn change_width(&mut self) {
        self.is_wide = !self.is_wide;
        std::mem::swap(&mut self.known, &mut self.other_width.0);
        std::mem::swap(&mut self.reached, &mut self.other_width.1);
    }

    /// What is being looked for is smaller than it is; or larger, where it is looked for to be excluded.
    pub fn note_rough(&mut self) {
        self.rough.count += 1;
    }

    /// Whether that is so of what is known to hold.
    pub fn is_rough(&self, subject: Subject) -> bool {
        self.rough.subjects.contains(&subject)
    }

    /// The values of which something holds.
    pub fn values_of(&mut self, subject: Subject) -> Result<Rc<Values>, Stop> {
        if let Some(known) = self.known.get(&subject) {
            self.weak.recall(subject);
            self.rough.recall(subject);
            return Ok(Rc::clone(known));
        }
        self.spend(1)?;
        let before = (self.weak.count, self.rough.count);
        let place = self.place;
        if let Subject::Schema(id, _) = subject {
            self.place = id;
        }
        if let Some(at) = self.open.iter().rposition(|&open| open == Some(subject)) {
            if self.open[at..].contains(&None) {
                return Err(Stop::Busy);
            }
            return Err(self.error_here(Reason::Invalid("it refers to itself for the same value".to_owned())));
        }
        let depth = self.open.iter().rev().take_while(|open| open.is_some()).count();
        if depth >= self.config.depth as usize || self.open.len() >= 2 * self.config.depth as usize {
            let value = u64::from(self.config.depth);
            return Err(self.error_here(Reason::Limit { limit: "depth", value }));
        }
        self.open.push(Some(subject));
        let values = match subject {
            Subject::Schema(id, scope) => self.values_of_schema(id, scope).map(Rc::new),
            Subject::Constant(id) => self.values_of_constant(self.constant_value(id)).map(Rc::new),
            Subject::Goal(goal) => self.values(goal),
        };
        self.open.pop();
        self.place = place;
        let values = values?;
        self.weak.mark(subject, before.0);
        self.rough.mark(subject, before.1);
        self.known.insert(subject, Rc::clone(&values));
        Ok(values)
    }
}
