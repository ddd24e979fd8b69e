//! From shapes to plans: which members an object has and how often each, which items an array has; all that is left to do then is to
//! write them down. What cannot be planned exactly is refused here.

mod contains;
mod object;

use std::rc::Rc;

use crate::documents::SchemaId;
use crate::goals::GoalId;
use crate::languages::{Language, LanguageId};
use crate::translator::{Stop, Translator};
use crate::values::{Array, Expressions, Values};

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
        let values = self.without_empty(values)?;
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

    /// The same values; a set of numbers or of strings in which there is none is seen to be empty.
    fn without_empty(&mut self, mut values: Rc<Values>) -> Result<Rc<Values>, Stop> {
        let may_be_empty =
            |this: &Self, id| matches!(this.languages.get(id), Language::And(_) | Language::Not(_));
        if may_be_empty(self, values.number) && self.is_empty(values.number)? {
            Rc::make_mut(&mut values).number = LanguageId::NONE;
        }
        if may_be_empty(self, values.string) && self.is_empty(values.string)? {
            Rc::make_mut(&mut values).string = LanguageId::NONE;
        }
        Ok(values)
    }

    fn plan_array(&mut self, array: &Array) -> Result<Vec<ArrayPlan>, Stop> {
        self.spend(1 + array.prefix.len() as u64)?;
        if let Some(place) = array.repeated {
            self.refuse(place, "uniqueItems", "that two items are equal")?;
        }
        if let Some(place) = array.unique {
            let elements = if array.prefix.is_empty() { self.elements(array.rest)? } else { None };
            match elements {
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
                _ => self.refuse(place, "uniqueItems", "that infinitely many items differ")?,
            }
        }
        self.plan_contains(array)
    }

    /// All values that reach a goal, one by one; nothing where these are not finitely many.
    fn elements(&mut self, goal: GoalId) -> Result<Option<Vec<Values>>, Stop> {
        let values = self.values(goal)?;
        if !values.arrays.is_empty() || !values.objects.is_empty() || values.expressions != Expressions::None
        {
            return Ok(None);
        }
        let (Some(texts), Some(numbers)) = (self.members(values.string)?, self.members(values.number)?)
        else {
            return Ok(None);
        };
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
}
