//! Objects as shapes: both at once, and what an object is not.

use std::rc::Rc;

use super::FEW;
use super::shapes::Shape;
use crate::conjunction::{GoalId, Goals};
use crate::context::{Stop, Translator};
use crate::language::LanguageId;
use crate::value::{Keys, Object, Property, least};
use grammask_syntax::Text;

impl Shape for Object {
    fn size(&self) -> u64 {
        (self.properties.len() + self.rules.len() + self.some.len()) as u64
    }

    fn is_all(&self) -> bool {
        self.is_any() && self.evaluated.is_none() && !self.closes
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
                    own.goal = translator.both_goals(own.goal, property.goal)?;
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
        both.closes |= other.closes;
        let required = both.properties.iter().filter(|property| property.required).count() as u64;
        Ok(both.max.is_none_or(|max| both.min.max(required) <= max).then_some(both))
    }

    fn is_within(&self, other: &Self, goals: &Goals) -> bool {
        let has = |(place, wanted): (usize, &Property)| {
            let is_same = |own: &Property| own.key == wanted.key;
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
            && self.closes == other.closes
            && other.rules.iter().all(|rule| self.rules.contains(rule))
            && other.some.iter().all(|some| self.some.contains(some))
            && other.needs.iter().all(|needs| self.needs.contains(needs))
            && other.properties.iter().enumerate().all(has)
    }

    fn others(&self, translator: &mut Translator<'_>) -> Vec<Rc<Self>> {
        let any = Self::any();
        let with = |key: &Text, goal: GoalId, required: bool| Property { key: key.clone(), goal, required };
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
