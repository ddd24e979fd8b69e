//! Arrays as shapes: both at once, and what an array is not.

use std::rc::Rc;

use super::shapes::Shape;
use crate::conjunction::{GoalId, Goals};
use crate::context::{Stop, Translator};
use crate::value::{Array, Contains, EvaluatedItems, least};

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
                    let contains = vec![Contains { goal, from, min: 1, max: None, place: translator.place }];
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
