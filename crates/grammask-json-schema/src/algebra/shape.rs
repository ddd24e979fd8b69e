//! What the algebra of values needs to know of one shape of arrays or of objects: what two shapes have in common, what is left
//! outside of one, and whether anything has it.

use std::hash::Hash;
use std::rc::Rc;

use super::FEW;
use crate::goals::{GoalId, Goals};
use crate::languages::LanguageId;
use crate::translator::{Stop, Translator};
use crate::values::{Array, Contains, EvaluatedItems, Keys, Object, Property, least};

/// Arrays and objects alike: what the algebra of their lists needs.
pub(crate) trait Shape: Eq + Hash + Sized {
    fn is_all(&self) -> bool;
    /// How much there is to look at.
    fn size(&self) -> u64;
    /// Both shapes; nothing where that is impossible.
    fn meet(&self, other: &Self, translator: &mut Translator<'_>) -> Result<Option<Self>, Stop>;
    /// Shapes that together have everything that this one has not.
    fn others(&self, translator: &mut Translator<'_>) -> Vec<Rc<Self>>;
    /// Whether everything of this shape is obviously of the other one, too.
    fn is_within(&self, other: &Self, goals: &Goals) -> bool;
    /// Whether something has the shape, as far as can be seen: `false` is certain.
    fn may_be(&self, translator: &mut Translator<'_>, depth: u32) -> Result<bool, Stop>;
}

impl Shape for Array {
    fn size(&self) -> u64 {
        (self.prefix.len() + self.contains.len()) as u64
    }

    fn is_all(&self) -> bool {
        self.is_any() && self.evaluated.is_none()
    }

    fn meet(&self, other: &Self, translator: &mut Translator<'_>) -> Result<Option<Self>, Stop> {
        let goals = &mut translator.goals;
        let len = self.prefix.len().max(other.prefix.len());
        let prefix = (0..len).map(|place| goals.both(self.item(place), other.item(place))).collect();
        let mut contains = self.contains.clone();
        contains.extend(other.contains.iter().filter(|more| !self.contains.contains(more)).cloned());
        let evaluated = match (&self.evaluated, &other.evaluated) {
            (Some(a), Some(b)) => Some(EvaluatedItems {
                first: a.first.zip(b.first).map(|(a, b)| a.max(b)),
                matching: a.matching.iter().chain(&b.matching).copied().collect(),
            }),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        let mut both = Self {
            prefix,
            rest: goals.both(self.rest, other.rest),
            min: self.min.max(other.min),
            max: least(self.max, other.max),
            contains,
            unique: self.unique.or(other.unique),
            repeated: self.repeated.or(other.repeated),
            evaluated,
        };
        Ok((both.settle() && !(both.unique.is_some() && both.repeated.is_some())).then_some(both))
    }

    fn is_within(&self, other: &Self, goals: &Goals) -> bool {
        let places = self.prefix.len().max(other.prefix.len()) + 1;
        self.min >= other.min
            && other.max.is_none_or(|max| self.max.is_some_and(|own| own <= max))
            && (other.unique.is_none() || self.unique.is_some())
            && (other.repeated.is_none() || self.repeated.is_some())
            && self.evaluated == other.evaluated
            && other.contains.iter().all(|contains| self.contains.contains(contains))
            && (0..places).all(|place| goals.implies(self.item(place), other.item(place)))
    }

    fn others(&self, translator: &mut Translator<'_>) -> Vec<Rc<Self>> {
        let goals = &mut translator.goals;
        let mut all = Vec::new();
        let any = Self::any();
        for (place, &goal) in self.prefix.iter().enumerate() {
            if goal != GoalId::ANY {
                let mut prefix = vec![GoalId::ANY; place];
                prefix.push(goals.negate(goal));
                all.push(Self { prefix, min: place as u64 + 1, ..any.clone() });
            }
        }
        let from = self.prefix.len();
        let is_closed = self.rest == GoalId::NEVER && self.max.is_some_and(|max| max <= from as u64);
        if self.rest != GoalId::ANY && !is_closed {
            let goal = goals.negate(self.rest);
            match goal {
                GoalId::ANY => all.push(Self { min: from as u64 + 1, ..any.clone() }),
                _ => {
                    let place = self.contains.first().map_or(translator.place, |contains| contains.place);
                    let contains = vec![Contains { goal, from, min: 1, max: None, place }];
                    all.push(Self { contains, min: from as u64 + 1, ..any.clone() });
                }
            }
        }
        for contains in &self.contains {
            let Contains { min, max, .. } = *contains;
            if min > 0 {
                let fewer = Contains { min: 0, max: Some(min - 1), ..contains.clone() };
                all.push(Self { contains: vec![fewer], ..any.clone() });
            }
            if let Some(max) = max {
                let more = Contains { min: max + 1, max: None, ..contains.clone() };
                all.push(Self { contains: vec![more], ..any.clone() });
            }
        }
        if self.min > 0 {
            all.push(Self { max: Some(self.min - 1), ..any.clone() });
        }
        if let Some(max) = self.max {
            all.push(Self { min: max + 1, ..any.clone() });
        }
        if let Some(place) = self.unique {
            all.push(Self { repeated: Some(place), ..any.clone() });
        }
        if let Some(place) = self.repeated {
            all.push(Self { unique: Some(place), ..any });
        }
        all.into_iter().filter_map(|mut shape| shape.settle().then(|| Rc::new(shape))).collect()
    }

    fn may_be(&self, translator: &mut Translator<'_>, depth: u32) -> Result<bool, Stop> {
        for place in 0..self.min.min(self.prefix.len() as u64 + 1) {
            if !translator.may_reach(self.item(place as usize), depth)? {
                return Ok(false);
            }
        }
        for contains in self.contains.iter().filter(|contains| contains.min > 0) {
            let goal = match self.prefix[..] {
                [] => translator.goals.both(contains.goal, self.rest),
                _ => contains.goal,
            };
            if !translator.may_reach(goal, depth)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Shape for Object {
    fn size(&self) -> u64 {
        (self.properties.len() + self.rules.len() + self.some.len()) as u64
    }

    fn is_all(&self) -> bool {
        self.is_any() && self.evaluated.is_none()
    }

    fn meet(&self, other: &Self, translator: &mut Translator<'_>) -> Result<Option<Self>, Stop> {
        let mut both = self.clone();
        let places = if self.properties.len() > FEW { self.places() } else { Default::default() };
        for property in &other.properties {
            let place = if self.properties.len() > FEW {
                places.get(&property.key).copied()
            } else {
                self.properties.iter().position(|own| own.key == property.key)
            };
            match place.map(|place| &mut both.properties[place]) {
                Some(own) => {
                    own.goal = translator.goals.both(own.goal, property.goal);
                    own.required |= property.required;
                    if own.required && own.goal == GoalId::NEVER {
                        return Ok(None);
                    }
                }
                None => both.properties.push(property.clone()),
            }
        }
        both.rules.extend(other.rules.iter().filter(|rule| !self.rules.contains(rule)).cloned());
        both.some.extend(other.some.iter().filter(|some| !self.some.contains(some)).cloned());
        both.needs.extend(other.needs.iter().filter(|needs| !self.needs.contains(needs)).cloned());
        both.min = both.min.max(other.min);
        both.max = least(both.max, other.max);
        both.counted = self.counted.or(other.counted);
        both.evaluated = match (both.evaluated.take(), &other.evaluated) {
            (Some(mut own), Some(more)) => {
                own.extend(more.iter().cloned());
                Some(own)
            }
            (own, more) => own.or_else(|| more.clone()),
        };
        let required = both.properties.iter().filter(|property| property.required).count() as u64;
        Ok(both.max.is_none_or(|max| both.min.max(required) <= max).then_some(both))
    }

    fn is_within(&self, other: &Self, goals: &Goals) -> bool {
        let has = |(place, wanted): (usize, &Property)| {
            let is_same = |own: &Property| Rc::ptr_eq(&own.key, &wanted.key) || own.key == wanted.key;
            let own = match self.properties.get(place) {
                Some(own) if is_same(own) => Some(own),
                _ => self.properties.iter().find(|own| is_same(own)),
            };
            match own {
                None => wanted.goal == GoalId::ANY && !wanted.required,
                Some(own) => (own.required || !wanted.required) && goals.implies(own.goal, wanted.goal),
            }
        };
        self.min >= other.min
            && other.max.is_none_or(|max| self.max.is_some_and(|own| own <= max))
            && self.evaluated == other.evaluated
            && other.rules.iter().all(|rule| self.rules.contains(rule))
            && other.some.iter().all(|some| self.some.contains(some))
            && other.needs.iter().all(|needs| self.needs.contains(needs))
            && other.properties.iter().enumerate().all(has)
    }

    fn others(&self, translator: &mut Translator<'_>) -> Vec<Rc<Self>> {
        let any = Self::any();
        let with =
            |key: &Rc<str>, goal: GoalId, required: bool| Property { key: Rc::clone(key), goal, required };
        let mut all = Vec::new();
        for property in
            self.properties.iter().filter(|property| property.required || property.goal != GoalId::ANY)
        {
            // Not there, or with another value: one shape says both. What may be missing has to be there to be wrong.
            let goal = translator.goals.negate(property.goal);
            let properties = vec![with(&property.key, goal, !property.required)];
            all.push(Self { properties, ..any.clone() });
        }
        for (keys, goal) in &self.rules {
            let goal = translator.goals.negate(*goal);
            if goal != GoalId::NEVER {
                all.push(Self { some: vec![(keys.clone(), goal, translator.place)], ..any.clone() });
            }
        }
        for (keys, goal, _) in &self.some {
            let goal = translator.goals.negate(*goal);
            all.push(Self { rules: vec![(keys.clone(), goal)], ..any.clone() });
        }
        for (first, second) in &self.needs {
            let properties = vec![with(first, GoalId::ANY, true), with(second, GoalId::NEVER, false)];
            all.push(Self { properties, ..any.clone() });
        }
        let counted = self.counted;
        if self.min > 0 {
            all.push(Self { max: Some(self.min - 1), counted, ..any.clone() });
        }
        if let Some(max) = self.max {
            all.push(Self { min: max + 1, counted, ..any });
        }
        all.into_iter().map(Rc::new).collect()
    }

    fn may_be(&self, translator: &mut Translator<'_>, depth: u32) -> Result<bool, Stop> {
        for property in self.properties.iter().filter(|property| property.required) {
            let goal = translator.goal_of(self, &property.key)?;
            if !translator.may_reach(goal, depth)? {
                return Ok(false);
            }
        }
        for (keys, goal, _) in &self.some {
            if *goal == GoalId::NEVER || *keys == Keys::In(LanguageId::NONE) {
                return Ok(false);
            }
            // A rule about the same keys, or about all, decides at once.
            let mut goal = *goal;
            for (others, more) in &self.rules {
                if others == keys || *others == Keys::In(LanguageId::ANY) {
                    goal = translator.goals.both(goal, *more);
                }
            }
            if !translator.may_reach(goal, depth)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
