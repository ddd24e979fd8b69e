//! Values as a Boolean algebra: both, either, one without the other, and whether anything is left. Shapes that obviously nothing has
//! are dropped on the way, so that a discriminating key keeps products small.

mod array;
mod expressions;
mod object;
mod shapes;

use shapes::Shape;

use crate::conjunction::GoalId;
use crate::context::{Stop, Translator};
use crate::error::Reason;
use crate::language::{Language, LanguageId};
use crate::value::{Expressions, Keys, Object, Values};

/// How deep is looked into values to see that two shapes exclude each other.
const LOOK: u32 = 3;
/// Below so many named keys a scan is faster than a table.
const FEW: usize = 8;

impl Translator<'_> {
    /// What is in both.
    pub fn intersect(&mut self, a: &Values, b: &Values) -> Result<Values, Stop> {
        let string = self.both_strings(a.string, b.string);
        let (string, expressions) = self.both_expressions(a, b, string)?;
        Ok(Values {
            null: a.null && b.null,
            booleans: [a.booleans[0] && b.booleans[0], a.booleans[1] && b.booleans[1]],
            number: self.both_numbers(a.number, b.number),
            string,
            expressions,
            arrays: self.both_lists(&a.arrays, &b.arrays)?,
            objects: self.both_lists(&a.objects, &b.objects)?,
        })
    }

    /// What is in one of them at least.
    pub fn union(&mut self, all: &[Values]) -> Result<Values, Stop> {
        let any_number = self.any_number;
        let number = match all.iter().any(|values| values.number == any_number) {
            true => any_number,
            false => self.languages.union(all.iter().map(|values| values.number)),
        };
        let arrays: Vec<_> = all.iter().flat_map(|values| values.arrays.iter().cloned()).collect();
        let objects: Vec<_> = all.iter().flat_map(|values| values.objects.iter().cloned()).collect();
        Ok(Values {
            null: all.iter().any(|values| values.null),
            booleans: [0, 1].map(|truth| all.iter().any(|values| values.booleans[truth])),
            number,
            string: self.languages.union(all.iter().map(|values| values.string)),
            expressions: all
                .iter()
                .map(|values| values.expressions)
                .max()
                .unwrap_or(Values::NONE.expressions),
            arrays: self.joined(arrays)?,
            objects: self.joined(objects)?,
        })
    }

    /// What is in `a` and not in `b`.
    pub fn subtract(&mut self, a: &Values, b: &Values) -> Result<Values, Stop> {
        let number = match b.number {
            LanguageId::NONE => a.number,
            all if all == self.any_number => LanguageId::NONE,
            some if self.are_disjoint(a.number, some)? => a.number,
            some => {
                let rest = self.languages.not(some);
                let constrained = self.constrained_number;
                self.languages.and([a.number, constrained, rest])
            }
        };
        let string = match b.string {
            LanguageId::NONE => a.string,
            some if self.are_disjoint(a.string, some)? => a.string,
            some => {
                let rest = self.languages.not(some);
                self.languages.and([a.string, rest])
            }
        };
        let (string, expressions) = self.without_expressions(a, b, string)?;
        Ok(Values {
            null: a.null && !b.null,
            booleans: [a.booleans[0] && !b.booleans[0], a.booleans[1] && !b.booleans[1]],
            number,
            string,
            expressions,
            arrays: self.without(&a.arrays, &b.arrays)?,
            objects: self.without(&a.objects, &b.objects)?,
        })
    }

    /// Whether there is such a value, as far as can be seen `depth` levels deep: `false` is certain.
    pub fn may_be(&mut self, values: &Values, depth: u32) -> Result<bool, Stop> {
        if values.null
            || values.booleans != [false; 2]
            || values.expressions != Expressions::None
            || values.number == self.any_number
            || !self.is_empty(values.number)?
            || !self.is_empty(values.string)?
        {
            return Ok(true);
        }
        for array in &values.arrays {
            if array.may_be(self, depth)? {
                return Ok(true);
            }
        }
        for object in &values.objects {
            if object.may_be(self, depth)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a goal can be reached, as far as can be seen `depth` levels deep: `false` is certain.
    pub fn may_reach(&mut self, goal: GoalId, depth: u32) -> Result<bool, Stop> {
        if goal == GoalId::NEVER || goal == GoalId::ANY || depth == 0 {
            return Ok(goal != GoalId::NEVER);
        }
        self.aside(|translator| match translator.values_inside(goal) {
            Ok(values) => translator.may_be(&values, depth - 1),
            // It is being found out; perhaps so.
            Err(Stop::Busy) => Ok(true),
            Err(error) => Err(error),
        })
    }

    /// Both goals at once. One that only excludes what the other one excludes anyhow adds nothing: without this, shapes that are the same
    /// would differ in what they had been compared with, and none would be seen to be within another.
    pub fn both_goals(&mut self, a: GoalId, b: GoalId) -> Result<GoalId, Stop> {
        for (goal, other) in [(a, b), (b, a)] {
            let Some(excluded) = self.goals.excluded(other) else { continue };
            if goal == GoalId::ANY {
                continue;
            }
            let inside = self.goals.both(goal, excluded);
            match self.may_reach(inside, 1) {
                Ok(false) => return Ok(goal),
                Ok(true) => {}
                // Whoever needs the values is told so; here nobody has to know them.
                Err(Stop::Error(error))
                    if matches!(error.reason, Reason::Unsupported(_) | Reason::Invalid(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.goals.both(a, b))
    }

    /// The goal of a property, all rules considered.
    pub fn goal_of(&mut self, object: &Object, key: &str) -> Result<GoalId, Stop> {
        let named = object.properties.iter().find(|property| &*property.key == key);
        let mut goal = named.map_or(GoalId::ANY, |property| property.goal);
        for (keys, more) in &object.rules {
            if self.has_key(keys, key)? {
                goal = self.goals.both(goal, *more);
            }
        }
        Ok(goal)
    }

    /// Whether a key is in a set.
    pub fn has_key(&mut self, keys: &Keys, key: &str) -> Result<bool, Stop> {
        Ok(match keys {
            Keys::In(LanguageId::ANY) => true,
            Keys::In(language) => self.contains(*language, key)?,
            Keys::Others(known) => {
                if known.names.contains(key) {
                    return Ok(false);
                }
                for &language in &known.languages {
                    if self.contains(language, key)? {
                        return Ok(false);
                    }
                }
                true
            }
        })
    }

    /// A set of keys as a language.
    pub fn key_language(&mut self, keys: &Keys) -> LanguageId {
        match keys {
            Keys::In(language) => *language,
            Keys::Others(known) => {
                let mut parts: Vec<LanguageId> =
                    known.names.iter().map(|name| self.languages.text(name)).collect();
                parts.extend(&known.languages);
                let all = self.languages.union(parts);
                self.languages.not(all)
            }
        }
    }

    pub fn both_numbers(&mut self, a: LanguageId, b: LanguageId) -> LanguageId {
        match (a, b) {
            (any, other) | (other, any) if any == self.any_number => other,
            _ if a == b => a,
            _ if self.are_apart(a, b) => LanguageId::NONE,
            _ => self.languages.and([a, b]),
        }
    }

    pub fn both_strings(&mut self, a: LanguageId, b: LanguageId) -> LanguageId {
        if self.are_apart(a, b) { LanguageId::NONE } else { self.languages.and([a, b]) }
    }

    /// Whether two languages are different texts, or lists of them without a common one.
    fn are_apart(&self, a: LanguageId, b: LanguageId) -> bool {
        match (self.texts(a), self.texts(b)) {
            // Members of a union are sorted.
            (Some(a), Some(b)) => !a.iter().any(|id| b.binary_search(id).is_ok()),
            _ => false,
        }
    }

    /// Whether two languages have nothing in common; `false` where a limit forbids to find out.
    fn are_disjoint(&mut self, a: LanguageId, b: LanguageId) -> Result<bool, Stop> {
        if a == LanguageId::NONE || b == LanguageId::NONE || self.are_apart(a, b) {
            return Ok(true);
        }
        if a == LanguageId::ANY || b == LanguageId::ANY || a == b {
            return Ok(false);
        }
        let both = self.languages.and([a, b]);
        self.is_empty(both)
    }

    /// The texts of a list.
    pub fn texts(&self, id: LanguageId) -> Option<Vec<LanguageId>> {
        match self.languages.get(id) {
            Language::None => Some(Vec::new()),
            Language::Text(_) => Some(vec![id]),
            Language::Union(parts) => {
                let all = parts.iter().all(|&part| matches!(self.languages.get(part), Language::Text(_)));
                all.then(|| parts.clone())
            }
            _ => None,
        }
    }
}
