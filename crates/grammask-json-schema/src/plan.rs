//! From shapes to plans: which members an object has and how often each, which items an array has; all that is left to do then is to
//! write them down. What cannot be planned exactly is refused here.

mod contains;
mod object;

use std::rc::Rc;

use crate::documents::SchemaId;
use crate::goals::{GoalId, Subject};
use crate::languages::{Language, LanguageId};
use crate::number;
use crate::translator::{Stop, Translator};
use crate::values::{Array, Expressions, Values};

/// So many first items are compared with each other.
const MOST_DIFFERENT: usize = 16;

/// So many values may be told apart one by one.
const MOST_MEMBERS: usize = 128;

/// What a goal comes to.
#[derive(Debug)]
pub(crate) struct Plan {
    pub values: Rc<Values>,
    pub arrays: Vec<ArrayPlan>,
    pub objects: Vec<ObjectPlan>,
}

/// Members in any order.
#[derive(Debug, PartialEq)]
pub(crate) struct ObjectPlan {
    pub members: Vec<Member>,
    /// If the first member is there, so is the second.
    pub needs: Vec<(usize, usize)>,
    pub min: u64,
    pub max: Option<u64>,
    /// Who says how many members there are.
    pub counted: Option<SchemaId>,
}

/// A key, or a set of keys, and the value.
#[derive(Debug, PartialEq)]
pub(crate) struct Member {
    /// The contents of the key.
    pub key: LanguageId,
    pub goal: GoalId,
    pub is_required: bool,
    /// Whether it may come any number of times, each with another key.
    pub is_class: bool,
}

/// Items in order.
#[derive(Debug, PartialEq)]
pub(crate) struct ArrayPlan {
    pub prefix: Vec<GoalId>,
    pub rest: Rest,
    pub min: u64,
    pub max: Option<u64>,
}

/// What comes behind the first items.
#[derive(Debug, PartialEq)]
pub(crate) enum Rest {
    /// Items with one goal.
    Same(GoalId),
    /// Items of these kinds in any order, each so many times.
    Mixed(Vec<Item>),
    /// Some of these, each once.
    Distinct(Vec<Values>),
}

/// A kind of items, and how many of it there are.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    pub goal: GoalId,
    pub min: u64,
    pub max: Option<u64>,
}

impl Translator<'_> {
    /// What a goal comes to, made ready for writing.
    pub fn plan(&mut self, goal: GoalId) -> Result<Plan, Stop> {
        let values = self.values(goal)?;
        let values = self.without_empty(goal, values)?;
        let values = self.closed(values);
        let mut arrays = Vec::new();
        for array in &values.arrays {
            for plan in self.plan_array(array)? {
                if !arrays.contains(&plan) {
                    arrays.push(plan);
                }
            }
        }
        let mut objects = Vec::new();
        for object in &values.objects {
            for plan in self.plan_object(object)? {
                self.spend(objects.len() as u64)?;
                if !objects.contains(&plan) {
                    objects.push(plan);
                }
            }
        }
        Ok(Plan { values, arrays, objects })
    }

    /// The same values; a set of numbers or of strings in which there is none is seen to be empty. Where that cannot be found out, no grammar could
    /// be run.
    fn without_empty(&mut self, goal: GoalId, mut values: Rc<Values>) -> Result<Rc<Values>, Stop> {
        let any = (self.any_number, LanguageId::ANY);
        if let Some(number) = self.replaced(goal, "multipleOf", values.number, any.0)? {
            Rc::make_mut(&mut values).number = number;
        }
        if let Some(string) = self.replaced(goal, "pattern", values.string, any.1)? {
            Rc::make_mut(&mut values).string = string;
        }
        Ok(values)
    }

    /// What stands for a language: none where it is empty, all where nobody knows and the user is content with less.
    fn replaced(
        &mut self,
        goal: GoalId,
        keyword: &str,
        language: LanguageId,
        all: LanguageId,
    ) -> Result<Option<LanguageId>, Stop> {
        if !matches!(self.languages.get(language), Language::And(_) | Language::Not(_)) {
            return Ok(None);
        }
        match self.emptiness(language)? {
            Ok(is_empty) => Ok(is_empty.then_some(LanguageId::NONE)),
            Err(limit) => {
                let schema = self.goals.claims(goal).iter().find_map(|claim| match claim.subject {
                    Subject::Schema(id, _) => Some(id),
                    _ => None,
                });
                let what = format!("all constraints together, as {limit} when looking for a value");
                self.refuse(schema.unwrap_or(self.place), keyword, what)?;
                Ok(Some(all))
            }
        }
    }

    fn plan_array(&mut self, array: &Array) -> Result<Vec<ArrayPlan>, Stop> {
        self.spend(1 + array.prefix.len() as u64)?;
        if let Some(place) = array.repeated {
            self.refuse(place, "uniqueItems", "that two items are equal")?;
        }
        if let Some(place) = array.unique {
            let elements = if array.prefix.is_empty() { self.elements(array.rest)? } else { None };
            match elements {
                _ if self.items_differ(array)? => {}
                Some(elements) if array.contains.is_empty() => {
                    let max = array.max.unwrap_or(u64::MAX).min(elements.len() as u64);
                    let plan = ArrayPlan {
                        prefix: Vec::new(),
                        rest: Rest::Distinct(elements),
                        min: array.min,
                        max: Some(max),
                    };
                    return Ok(if array.min <= max { vec![plan] } else { Vec::new() });
                }
                _ => {
                    self.refuse(place, "uniqueItems", "that infinitely many items differ, or more than 128")?;
                }
            }
        }
        self.plan_contains(array)
    }

    /// Whether no two items of an array can be equal: there are only first ones, and no two of them have a value in common.
    fn items_differ(&mut self, array: &Array) -> Result<bool, Stop> {
        let first = array.prefix.len();
        if first > MOST_DIFFERENT
            || array.rest != GoalId::NEVER && array.max.is_none_or(|max| max > first as u64)
        {
            return Ok(false);
        }
        for place in 0..first {
            for other in 0..place {
                let both = self.goals.both(array.prefix[place], array.prefix[other]);
                if !self.values(both)?.is_none() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// All values that reach a goal, one by one; nothing where these are not finitely many.
    fn elements(&mut self, goal: GoalId) -> Result<Option<Vec<Values>>, Stop> {
        let values = self.values(goal)?;
        if !values.arrays.is_empty() || !values.objects.is_empty() || values.expressions != Expressions::None
        {
            return Ok(None);
        }
        let Some(texts) = self.members(values.string)?.or_else(|| self.few_texts(values.string)) else {
            return Ok(None);
        };
        let numbers = match self.members(values.number)? {
            Some(numbers) => Some(numbers),
            None => self.few_numbers(values.number)?,
        };
        let Some(numbers) = numbers else { return Ok(None) };
        let mut all = Vec::new();
        if values.null {
            all.push(Values { null: true, ..Values::NONE });
        }
        for truth in [0, 1] {
            if values.booleans[truth] {
                let mut booleans = [false; 2];
                booleans[truth] = true;
                all.push(Values { booleans, ..Values::NONE });
            }
        }
        all.extend(texts.into_iter().map(|string| Values { string, ..Values::NONE }));
        all.extend(numbers.into_iter().map(|number| Values { number, ..Values::NONE }));
        Ok(Some(all))
    }

    /// The texts of a language, or the numbers that it spells, one by one.
    fn members(&mut self, language: LanguageId) -> Result<Option<Vec<LanguageId>>, Stop> {
        let is_one = |this: &Self, id: LanguageId| {
            matches!(this.languages.get(id), Language::Text(_)) || this.single_numbers.contains(&id)
        };
        let list = |this: &Self, id: LanguageId| match this.languages.get(id) {
            Language::None => Some(Vec::new()),
            _ if is_one(this, id) => Some(vec![id]),
            Language::Union(parts) if parts.iter().all(|&part| is_one(this, part)) => Some(parts.clone()),
            _ => None,
        };
        if let Some(all) = list(self, language) {
            return Ok(Some(all));
        }
        let Language::And(parts) = self.languages.get(language).clone() else { return Ok(None) };
        let Some(all) = parts.iter().find_map(|&part| list(self, part)) else { return Ok(None) };
        let mut some = Vec::new();
        for member in all {
            let both = self.languages.and([member, language]);
            if !self.is_empty(both)? {
                // A number may be spelled in fewer ways there; a text is itself.
                let is_text = matches!(self.languages.get(member), Language::Text(_));
                some.push(if is_text { member } else { both });
            }
        }
        Ok(Some(some))
    }

    /// The texts of a language, where a pattern says that they are few.
    fn few_texts(&mut self, language: LanguageId) -> Option<Vec<LanguageId>> {
        let texts = self.languages.few(language, MOST_MEMBERS)?;
        Some(texts.iter().map(|text| self.languages.text(text)).collect())
    }

    /// The numbers of a language one by one, where bounds leave few multiples.
    fn few_numbers(&mut self, language: LanguageId) -> Result<Option<Vec<LanguageId>>, Stop> {
        let Some(step) = self.languages.step(language) else { return Ok(None) };
        let mut members = Vec::new();
        for decimal in number::multiples_around_zero(&step, MOST_MEMBERS) {
            self.spend(1)?;
            if self.contains(language, &decimal.to_string())? {
                let spellings = number::equal(&mut self.languages, &decimal);
                members.push((decimal, spellings));
            }
        }
        // There are no others.
        let all = self.languages.union(members.iter().map(|&(_, spellings)| spellings));
        let others = self.languages.not(all);
        let others = self.languages.and([language, others]);
        if members.is_empty() || self.emptiness(others)? != Ok(true) {
            return Ok(None);
        }
        // Some may be spelled in fewer ways there.
        let members = members.into_iter().map(|(_, spellings)| self.languages.and([spellings, language]));
        Ok(Some(members.collect()))
    }
}
