//! From shapes to plans: which members an object has and how often each, which items an array has; all that is left to do then is to
//! write them down. What cannot be planned exactly is refused here.

mod contains;
mod distinct;
mod object;

use std::rc::Rc;

use crate::conjunction::{GoalId, Subject};
use crate::context::{Stop, Translator};
use crate::document::SchemaId;
use crate::language::{Language, LanguageId};
use crate::value::{Array, Values};

/// The keywords that may make a set of numbers too hard to see through, and a set of strings; those first that mostly do.
const OF_NUMBERS: [&str; 5] = ["multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
const OF_STRINGS: [&str; 4] = ["pattern", "format", "maxLength", "minLength"];

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

/// Why items cannot be told apart.
const UNTOLD: &str = "that more than 128 items differ, other than strings of which there are billions";

/// What comes behind the first items.
#[derive(Debug, PartialEq)]
pub(crate) enum Rest {
    /// Items with one goal.
    Same(GoalId),
    /// Items of these kinds in any order, each so many times.
    Mixed(Vec<Item>),
    /// Some of these, each once.
    Distinct(Elements),
}

/// Scalars that can be told apart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Elements {
    /// One by one.
    pub listed: Vec<Values>,
    /// All strings of a language that has more of them than an array ever holds.
    pub texts: Option<LanguageId>,
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
        if let Some(number) = self.replaced(goal, &OF_NUMBERS, values.number, self.any_number)? {
            Rc::make_mut(&mut values).number = number;
        }
        if let Some(string) = self.replaced(goal, &OF_STRINGS, values.string, LanguageId::ANY)? {
            Rc::make_mut(&mut values).string = string;
        }
        Ok(values)
    }

    /// What stands for a language: none where it is empty, all where nobody knows and the user is content with less.
    fn replaced(
        &mut self,
        goal: GoalId,
        keywords: &[&'static str],
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
                let schema = schema.unwrap_or(self.place);
                let said = |keyword: &&&str| self.documents.value(schema).get(keyword).is_some();
                let keyword = keywords.iter().find(said).copied().unwrap_or_default();
                let what = format!("all constraints together, as {limit} when looking for a value");
                self.refuse(schema, keyword, what)?;
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
                    let most = elements.texts.is_none().then_some(elements.listed.len() as u64);
                    let max = [array.max, most].into_iter().flatten().min();
                    let plan =
                        ArrayPlan { prefix: Vec::new(), rest: Rest::Distinct(elements), min: array.min, max };
                    return Ok(if max.is_none_or(|max| array.min <= max) { vec![plan] } else { Vec::new() });
                }
                _ => {
                    self.refuse(place, "uniqueItems", UNTOLD)?;
                }
            }
        }
        self.plan_contains(array)
    }
}
