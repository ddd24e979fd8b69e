//! From shapes to plans: which members an object has and how often each, which items an array has; all that is left to do then is to
//! write them down. What cannot be planned exactly is refused here.

mod contains;

use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::documents::SchemaId;
use crate::goals::{GoalId, Goals};
use crate::languages::{Language, LanguageId};
use crate::translator::{Stop, Translator};
use crate::values::{Array, Expressions, Keys, Object, Values};

/// Sets of keys with more members than this are not taken apart.
const MANY_KEYS: usize = 64;

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

/// Sets of texts with more members than this are not taken apart.
const MANY_TEXTS: usize = 4_096;

/// All keys that an object's schema mentions.
type Names = FxHashSet<Rc<str>>;

impl Translator<'_> {
    /// What a goal comes to, made ready for writing.
    pub fn plan(&mut self, goal: GoalId) -> Result<Plan, Stop> {
        let values = self.values(goal)?;
        let values = self.without_empty(values)?;
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
                some.push(member);
            }
        }
        Ok(Some(some))
    }

    fn plan_object(&mut self, object: &Object) -> Result<Vec<ObjectPlan>, Stop> {
        self.spend(1 + object.properties.len() as u64)?;
        let Some((mut plan, names)) = self.named_members(object)? else { return Ok(Vec::new()) };
        self.class_members(object, &names, &mut plan)?;
        let mut plans = vec![plan];
        for (keys, goal, _) in &object.some {
            let mut next = Vec::new();
            for plan in &plans {
                self.with_some(plan, keys, *goal, &mut next)?;
            }
            // Whose objects another one has, too, is not needed.
            plans = self.outermost(next, is_within)?;
        }
        for plan in &mut plans {
            self.check_count(plan)?;
        }
        Ok(plans)
    }

    /// The members with names, and all names that the object's schema mentions; nothing where there is no such object.
    fn named_members(&mut self, object: &Object) -> Result<Option<(ObjectPlan, Names)>, Stop> {
        let mut named: Vec<(Rc<str>, GoalId, bool)> = object
            .properties
            .iter()
            .map(|property| (Rc::clone(&property.key), property.goal, property.required))
            .collect();
        let mut places = object.places();
        let mut add = |named: &mut Vec<(Rc<str>, GoalId, bool)>, key: &Rc<str>| {
            *places.entry(Rc::clone(key)).or_insert_with(|| {
                named.push((Rc::clone(key), GoalId::ANY, false));
                named.len() - 1
            })
        };
        let mut needs: Vec<(usize, usize)> = Vec::new();
        for (first, second) in &object.needs {
            needs.push((add(&mut named, first), add(&mut named, second)));
        }
        // Where a rule forbids all keys but finitely many, each of these is a name.
        for (keys, goal) in &object.rules {
            let Keys::In(language) = keys else { continue };
            if *goal != GoalId::NEVER {
                continue;
            }
            let allowed = self.languages.not(*language);
            for text in self.members(allowed)?.unwrap_or_default().iter().take(MANY_TEXTS) {
                if let Language::Text(text) = self.languages.get(*text) {
                    add(&mut named, &text.as_str().into());
                }
            }
        }
        for (key, goal, _) in &mut named {
            for (keys, more) in &object.rules {
                if *goal != GoalId::NEVER && self.has_key(keys, key)? {
                    *goal = self.goals.both(*goal, *more);
                }
            }
        }
        let mut is_settled = false;
        while !is_settled {
            is_settled = true;
            for &(first, second) in &needs {
                if named[second].1 == GoalId::NEVER && named[first].1 != GoalId::NEVER {
                    named[first].1 = GoalId::NEVER;
                    is_settled = false;
                }
                if named[first].2 && !named[second].2 {
                    named[second].2 = true;
                    is_settled = false;
                }
            }
        }
        if named.iter().any(|(_, goal, required)| *required && *goal == GoalId::NEVER) {
            return Ok(None);
        }
        let mut place_of = vec![None; named.len()];
        let mut members = Vec::new();
        for (place, (key, goal, is_required)) in named.iter().enumerate() {
            if *goal != GoalId::NEVER {
                place_of[place] = Some(members.len());
                let key = self.languages.text(key);
                members.push(Member { key, goal: *goal, is_required: *is_required, is_class: false });
            }
        }
        let needs = needs
            .iter()
            .filter_map(|&(first, second)| Some((place_of[first]?, place_of[second]?)))
            .filter(|&(first, second)| first != second && !members[second].is_required)
            .collect();
        let plan = ObjectPlan { members, needs, min: object.min, max: object.max, counted: object.counted };
        Ok(Some((plan, named.into_iter().map(|(key, ..)| key).collect())))
    }

    /// The members with other keys, one for every set of keys that the rules tell apart.
    fn class_members(&mut self, object: &Object, names: &Names, plan: &mut ObjectPlan) -> Result<(), Stop> {
        let mut sorted: Vec<&Rc<str>> = names.iter().collect();
        sorted.sort_unstable();
        let texts: Vec<LanguageId> = sorted.iter().map(|name| self.languages.text(name)).collect();
        let named = self.languages.union(texts);
        let mut classes = vec![(self.languages.not(named), GoalId::ANY)];
        for (keys, goal) in &object.rules {
            let language = match keys {
                Keys::In(language) => *language,
                Keys::Others(known) => {
                    // The names are no keys of a class anyhow.
                    let mut known_keys = known.languages.clone();
                    for name in known.names.iter().filter(|name| !names.contains(*name)) {
                        known_keys.push(self.languages.text(name));
                    }
                    let known_keys = self.languages.union(known_keys);
                    self.languages.not(known_keys)
                }
            };
            let mut split = Vec::new();
            for (class, old) in classes {
                self.spend(1)?;
                let both = self.goals.both(old, *goal);
                if language == LanguageId::ANY || both == old {
                    split.push((class, both));
                    continue;
                }
                let inside = self.languages.and([class, language]);
                let rest = self.languages.not(language);
                let outside = self.languages.and([class, rest]);
                split.extend([(inside, both), (outside, old)]);
            }
            split.retain(|&(class, goal)| goal != GoalId::NEVER && class != LanguageId::NONE);
            let mut left = Vec::new();
            for (class, goal) in split {
                if !self.is_empty(class)? {
                    left.push((class, goal));
                }
            }
            classes = left;
        }
        for (key, goal) in classes {
            // Where keys are counted, it has to be seen that they differ.
            if object.min > 1
                && let Some(texts) = self.languages.few(key, MANY_KEYS)
            {
                for text in texts {
                    let key = self.languages.text(&text);
                    plan.members.push(Member { key, goal, is_required: false, is_class: false });
                }
                continue;
            }
            plan.members.push(Member { key, goal, is_required: false, is_class: true });
        }
        Ok(())
    }

    /// The plans in which some key of a set is there, with a value that reaches a goal.
    fn with_some(
        &mut self,
        plan: &ObjectPlan,
        keys: &Keys,
        goal: GoalId,
        plans: &mut Vec<ObjectPlan>,
    ) -> Result<(), Stop> {
        let language = self.key_language(keys);
        for (place, member) in plan.members.iter().enumerate() {
            self.spend(1)?;
            let inside = self.languages.and([member.key, language]);
            let goal = self.goals.both(member.goal, goal);
            if goal == GoalId::NEVER || self.is_empty(inside)? {
                continue;
            }
            let mut with = ObjectPlan {
                members: Vec::new(),
                needs: plan.needs.clone(),
                min: plan.min,
                max: plan.max,
                counted: plan.counted,
            };
            for other in &plan.members {
                with.members.push(Member { ..*other });
            }
            if member.is_class && member.is_required {
                // Who is there for another reason may be there for this one, too.
                with.members[place].key = inside;
                with.members[place].goal = goal;
            } else if member.is_class {
                with.members.push(Member { key: inside, goal, is_required: true, is_class: true });
            } else {
                with.members[place].goal = goal;
                with.members[place].is_required = true;
            }
            plans.push(with);
        }
        Ok(())
    }

    /// Sees that the number of members can be counted: keys of a class may repeat, and nobody would see it.
    fn check_count(&mut self, plan: &mut ObjectPlan) -> Result<(), Stop> {
        let required = plan.members.iter().filter(|member| member.is_required).count() as u64;
        let has_class = plan.members.iter().any(|member| member.is_class);
        if plan.min <= required {
            plan.min = 0;
        }
        if has_class && plan.min > required + 1 {
            let place = plan.counted.unwrap_or(self.place);
            self.refuse(
                place,
                "minProperties",
                "that keys which the schema does not name differ from each other",
            )?;
            plan.min = required + 1;
        }
        Ok(())
    }
}

/// Whether all objects of one plan are obviously of the other. Both are made from the same shape.
fn is_within(plan: &ObjectPlan, other: &ObjectPlan, goals: &Goals) -> bool {
    plan.members.len() == other.members.len()
        && plan.members.iter().zip(&other.members).all(|(own, other)| {
            own.key == other.key
                && own.is_class == other.is_class
                && (own.is_required || !other.is_required)
                && goals.implies(own.goal, other.goal)
        })
}
