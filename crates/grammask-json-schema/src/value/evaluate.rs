//! Evaluation of constraints: from "the value obeys schema A and not schema B" to a set of values, one level
//! deep.
//!
//! Answers are memoized by subject and by constraint. A subject that occurs again during its own evaluation
//! is a cycle. That is an error if both occurrences concern the same value, and [`Stop::Cycle`] if a nested
//! value was entered in between.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::constraint::{ConstraintId, Subject};
use crate::context::{Context, Stop};
use crate::document::SchemaId;
use crate::error::{Limit, Reason};
use crate::keyword::constant;
use crate::keyword::relax::{self, KeywordSet};
use crate::language::Approximation;
use crate::value::{Values, algebra};

/// Levels of values inside of values that are evaluated to compare two shapes. Beyond them the answer is
/// [`Stop::Cycle`], which callers read as "perhaps".
const MAX_NESTED_EVALUATIONS: usize = 8;

/// The reason why an exclusion is dropped if the excluded schema is weakened.
pub(crate) const WEAKENED_EXCLUSION: &str =
    "it excludes a schema that is weakened (by `not`, `oneOf` or `if`)";

/// The answers that were computed under one [`Approximation`].
#[derive(Default)]
struct Answers {
    subjects: FxHashMap<Subject, Rc<Values>>,
    constraints: FxHashMap<ConstraintId, Rc<Values>>,
}

/// The memo of [`values`] and [`values_of`], and the subjects that are being evaluated.
#[derive(Default)]
pub(crate) struct Evaluation {
    /// The direction of everything that is evaluated now.
    pub approximation: Approximation,
    /// Answers under the current approximation.
    answers: Answers,
    /// Answers under the other one.
    other_answers: Answers,
    /// Subjects under evaluation, from the outside to the inside. `None` marks a step into a value.
    open: Vec<Option<Subject>>,
    /// Answers that allow more than the schema, because a constraint was omitted from them.
    relaxed: Taint,
    /// Answers that differ from the schema in the direction of their [`Approximation`].
    approximate: Taint,
}

/// Taint tracking: records which answers depend on an event that occurred while they were computed.
#[derive(Default)]
struct Taint {
    /// Number of events so far, tainted answers that were used again included.
    count: u64,
    subjects: FxHashSet<Subject>,
    constraints: FxHashSet<ConstraintId>,
}

impl Taint {
    /// Counts an event if the answer that is used is tainted.
    fn recall(&mut self, subject: Subject) {
        self.count += u64::from(self.subjects.contains(&subject));
    }

    fn recall_constraint(&mut self, constraint: ConstraintId) {
        self.count += u64::from(self.constraints.contains(&constraint));
    }

    /// Taints an answer if an event was counted since `before`.
    fn mark(&mut self, subject: Subject, before: u64) {
        if self.count > before {
            self.subjects.insert(subject);
        }
    }

    fn mark_constraint(&mut self, constraint: ConstraintId, before: u64) {
        if self.count > before {
            self.constraints.insert(constraint);
        }
    }
}

impl Evaluation {
    /// Records that the answers under evaluation allow more than the schema.
    pub(crate) fn mark_relaxed(&mut self) {
        self.relaxed.count += 1;
    }

    /// Records that the answers under evaluation differ in the direction of [`Self::approximation`].
    pub(crate) fn mark_approximate(&mut self) {
        self.approximate.count += 1;
    }

    /// Returns true if the answer for a subject is approximate.
    pub(crate) fn is_approximate(&self, subject: Subject) -> bool {
        self.approximate.subjects.contains(&subject)
    }

    /// Returns true if the subject under evaluation is not part of another one.
    pub(crate) fn is_outermost(&self) -> bool {
        self.open.len() == 1
    }

    /// Returns the memoized answer for a constraint, and passes its taint on to the answers under evaluation.
    fn memoized(&mut self, constraint: ConstraintId) -> Option<Rc<Values>> {
        let answer = self.answers.constraints.get(&constraint).map(Rc::clone)?;
        self.relaxed.recall_constraint(constraint);
        self.approximate.recall_constraint(constraint);
        Some(answer)
    }

    /// Exchanges under- and over-approximation, as a complement does with its operand. Memoized answers are
    /// valid for one direction only, so they are exchanged, too.
    fn flip_approximation(&mut self) {
        self.approximation = match self.approximation {
            Approximation::Under => Approximation::Over,
            Approximation::Over => Approximation::Under,
        };
        std::mem::swap(&mut self.answers, &mut self.other_answers);
    }
}

/// Returns the values that satisfy a constraint inside of the value under evaluation.
///
/// # Errors
/// [`Stop::Cycle`] if the answer depends on one that is being computed, or nests too deep.
pub(crate) fn values_inside(cx: &mut Context<'_>, constraint: ConstraintId) -> Result<Rc<Values>, Stop> {
    if let Some(answer) = cx.evaluation.memoized(constraint) {
        return Ok(answer);
    }
    let open = &mut cx.evaluation.open;
    if open.iter().filter(|open| open.is_none()).count() >= MAX_NESTED_EVALUATIONS {
        return Err(Stop::Cycle);
    }
    let outer = (cx.current_schema, cx.current_keyword);
    open.push(None);
    let values = values(cx, constraint);
    cx.evaluation.open.pop();
    (cx.current_schema, cx.current_keyword) = outer;
    values
}

/// Returns the values that satisfy a constraint inside of the value under evaluation, by the other
/// approximation. Returns `None` if they are exactly those of [`values_inside`], which must have answered.
pub(crate) fn values_of_other_approximation(
    cx: &mut Context<'_>,
    constraint: ConstraintId,
) -> Result<Option<Rc<Values>>, Stop> {
    if !cx.evaluation.approximate.constraints.contains(&constraint) {
        return Ok(None);
    }
    by_other_approximation(cx, |cx| values_inside(cx, constraint)).map(Some)
}

/// Evaluates `ask` by the other approximation.
fn by_other_approximation<'a, T>(cx: &mut Context<'a>, ask: impl FnOnce(&mut Context<'a>) -> T) -> T {
    cx.evaluation.flip_approximation();
    let answer = ask(cx);
    cx.evaluation.flip_approximation();
    answer
}

/// Evaluates `ask` without tainting the answers under evaluation. For questions whose answer only decides
/// which parts are omitted.
pub(crate) fn untainted<'a, T>(cx: &mut Context<'a>, ask: impl FnOnce(&mut Context<'a>) -> T) -> T {
    let count = cx.evaluation.relaxed.count;
    let answer = ask(cx);
    cx.evaluation.relaxed.count = count;
    answer
}

/// Returns the values that satisfy a constraint: the intersection of its subjects, minus the negated
/// subjects.
pub(crate) fn values(cx: &mut Context<'_>, constraint: ConstraintId) -> Result<Rc<Values>, Stop> {
    if let Some(answer) = cx.evaluation.memoized(constraint) {
        return Ok(answer);
    }
    if constraint == ConstraintId::NEVER {
        return Ok(Rc::new(Values::NONE));
    }
    let before = (cx.evaluation.relaxed.count, cx.evaluation.approximate.count);
    let count = cx.constraints.conjuncts(constraint).len();
    let mut all: Option<Rc<Values>> = None;
    for index in 0..count {
        let conjunct = cx.constraints.conjuncts(constraint)[index];
        if !conjunct.holds {
            continue;
        }
        let values = values_of(cx, conjunct.subject)?;
        all = Some(match all {
            Some(all) => {
                let both = algebra::intersect(cx, &all, &values);
                let schema = schema_of(cx, conjunct.subject);
                match cx.or_omitted(schema, "", both)? {
                    Some(both) => Rc::new(both),
                    None => Rc::new(relax::evaluate_dropped(KeywordSet::ALL, Values::clone(&all))),
                }
            }
            None => values,
        });
    }
    let mut all = all.unwrap_or_else(|| Rc::new(Values::any(cx.numbers.any)));
    for index in 0..count {
        let conjunct = cx.constraints.conjuncts(constraint)[index];
        if all.is_none() {
            break;
        }
        if conjunct.holds {
            continue;
        }
        let rest =
            values_to_exclude(cx, conjunct.subject).and_then(|values| algebra::subtract(cx, &all, &values));
        let schema = schema_of(cx, conjunct.subject);
        if let Some(rest) = cx.or_omitted(schema, "", rest)? {
            all = Rc::new(rest);
        }
    }
    let evaluation = &mut cx.evaluation;
    evaluation.relaxed.mark_constraint(constraint, before.0);
    evaluation.approximate.mark_constraint(constraint, before.1);
    evaluation.answers.constraints.insert(constraint, Rc::clone(&all));
    Ok(all)
}

/// Returns the schema that a subject is about, for messages.
fn schema_of(cx: &Context<'_>, subject: Subject) -> SchemaId {
    match subject {
        Subject::Schema(id, _) => id,
        Subject::Constant(_) | Subject::Constraint(_) => cx.current_schema,
    }
}

/// Returns the values of a subject for a subtraction: exactly those, or more where no regular set is exact.
///
/// # Errors
/// Refuses a subject whose values were relaxed: to subtract more than the schema excludes would forbid valid
/// values.
pub(crate) fn values_to_exclude(cx: &mut Context<'_>, subject: Subject) -> Result<Rc<Values>, Stop> {
    let values = values_of(cx, subject)?;
    if cx.evaluation.relaxed.subjects.contains(&subject) {
        return Err(cx.error_here(Reason::Unsupported(WEAKENED_EXCLUSION.to_owned())));
    }
    if !cx.evaluation.is_approximate(subject) {
        return Ok(values);
    }
    by_other_approximation(cx, |cx| values_of(cx, subject))
}

/// Returns the values for which a subject holds.
///
/// # Errors
/// [`Stop::Cycle`] if the subject is being evaluated around a value that contains this one; an error if it
/// refers to itself for the same value, or nests deeper than [`max_depth`](crate::Limits::max_depth).
pub(crate) fn values_of(cx: &mut Context<'_>, subject: Subject) -> Result<Rc<Values>, Stop> {
    let evaluation = &mut cx.evaluation;
    if let Some(answer) = evaluation.answers.subjects.get(&subject) {
        evaluation.relaxed.recall(subject);
        evaluation.approximate.recall(subject);
        return Ok(Rc::clone(answer));
    }
    cx.spend(1)?;
    let before = (cx.evaluation.relaxed.count, cx.evaluation.approximate.count);
    let outer = (cx.current_schema, cx.current_keyword);
    if let Subject::Schema(id, _) = subject {
        cx.current_schema = id;
    }
    if let Err(stop) = check_nesting(cx, subject) {
        cx.current_schema = outer.0;
        return Err(stop);
    }
    cx.evaluation.open.push(Some(subject));
    let values = match subject {
        Subject::Schema(id, scope) => relax::values_of_schema(cx, id, scope).map(Rc::new),
        Subject::Constant(id) => {
            let value = cx.constants.value(id);
            constant::values_of_constant(cx, value).map(Rc::new)
        }
        Subject::Constraint(constraint) => values(cx, constraint),
    };
    cx.evaluation.open.pop();
    (cx.current_schema, cx.current_keyword) = outer;
    let values = values?;
    let evaluation = &mut cx.evaluation;
    evaluation.relaxed.mark(subject, before.0);
    evaluation.approximate.mark(subject, before.1);
    evaluation.answers.subjects.insert(subject, Rc::clone(&values));
    Ok(values)
}

/// Refuses a subject that is being evaluated already, or lies too deep.
fn check_nesting(cx: &Context<'_>, subject: Subject) -> Result<(), Stop> {
    let open = &cx.evaluation.open;
    if let Some(at) = open.iter().rposition(|&open| open == Some(subject)) {
        if open[at..].contains(&None) {
            return Err(Stop::Cycle);
        }
        let what = "the schema refers to itself for the same value, without a property or item in between";
        return Err(cx.error_here(Reason::Invalid(what.to_owned())));
    }
    let limit = cx.config.limits.max_depth as usize;
    let depth = open.iter().rev().take_while(|open| open.is_some()).count();
    if depth >= limit || open.len() >= 2 * limit {
        return Err(cx.limit_here(Limit::Depth, limit as u64));
    }
    Ok(())
}
