//! Objects as shapes: the intersection of two shapes, and the complement of one.

use std::rc::Rc;

use grammask_syntax::Text;

use super::LINEAR_SEARCH_MAX_PROPERTIES;
use super::shapes::Shape;
use crate::constraint::{ConstraintId, Constraints};
use crate::context::{Context, Stop};
use crate::language::LanguageId;
use crate::value::algebra;
use crate::value::{Keys, Object, Property, smaller_max};

impl Shape for Object {
    fn size(&self) -> u64 {
        (self.properties.len() + self.rules.len() + self.exists.len()) as u64
    }

    fn is_unrestricted(&self) -> bool {
        self.is_any() && self.evaluated.is_none() && !self.is_closed_by_default
    }

    fn meet(&self, other: &Self, cx: &mut Context<'_>) -> Result<Option<Self>, Stop> {
        let mut both = self.clone();
        let indices = if self.properties.len() > LINEAR_SEARCH_MAX_PROPERTIES {
            self.property_indices()
        } else {
            Default::default()
        };
        for property in &other.properties {
            let index = if self.properties.len() > LINEAR_SEARCH_MAX_PROPERTIES {
                indices.get(&property.key).copied()
            } else {
                self.properties.iter().position(|own| own.key == property.key)
            };
            match index.map(|index| &mut both.properties[index]) {
                Some(own) => {
                    own.constraint = algebra::conjoin(cx, own.constraint, property.constraint)?;
                    own.required |= property.required;
                    if own.required && own.constraint == ConstraintId::NEVER {
                        return Ok(None);
                    }
                }
                None => both.properties.push(property.clone()),
            }
        }
        both.rules.extend(other.rules.iter().filter(|rule| !self.rules.contains(rule)).cloned());
        both.exists.extend(other.exists.iter().filter(|exists| !self.exists.contains(exists)).cloned());
        both.requires
            .extend(other.requires.iter().filter(|requires| !self.requires.contains(requires)).cloned());
        both.min = both.min.max(other.min);
        both.max = smaller_max(both.max, other.max);
        both.count_schema = self.count_schema.or(other.count_schema);
        both.evaluated = match (both.evaluated.take(), &other.evaluated) {
            (Some(mut own), Some(more)) => {
                own.extend(more.iter().cloned());
                Some(own)
            }
            (own, more) => own.or_else(|| more.clone()),
        };
        both.is_closed_by_default |= other.is_closed_by_default;
        let required = both.properties.iter().filter(|property| property.required).count() as u64;
        Ok(both.max.is_none_or(|max| both.min.max(required) <= max).then_some(both))
    }

    fn is_subsumed_by(&self, other: &Self, constraints: &Constraints) -> bool {
        let has = |(index, wanted): (usize, &Property)| {
            let is_same = |own: &Property| own.key == wanted.key;
            let own = match self.properties.get(index) {
                Some(own) if is_same(own) => Some(own),
                _ => self.properties.iter().find(|own| is_same(own)),
            };
            match own {
                None => wanted.constraint == ConstraintId::ANY && !wanted.required,
                Some(own) => {
                    (own.required || !wanted.required)
                        && constraints.implies(own.constraint, wanted.constraint)
                }
            }
        };
        self.min >= other.min
            && other.max.is_none_or(|max| self.max.is_some_and(|own| own <= max))
            && self.evaluated == other.evaluated
            && self.is_closed_by_default == other.is_closed_by_default
            && other.rules.iter().all(|rule| self.rules.contains(rule))
            && other.exists.iter().all(|exists| self.exists.contains(exists))
            && other.requires.iter().all(|requires| self.requires.contains(requires))
            && other.properties.iter().enumerate().all(has)
    }

    fn complement(&self, cx: &mut Context<'_>) -> Vec<Rc<Self>> {
        let any = Self::any();
        let with = |key: &Text, constraint: ConstraintId, required: bool| Property {
            key: key.clone(),
            constraint,
            required,
        };
        let mut all = Vec::new();
        for property in self
            .properties
            .iter()
            .filter(|property| property.required || property.constraint != ConstraintId::ANY)
        {
            // One shape for "absent" and "present with another value". An optional property must be present
            // to violate the shape.
            let constraint = cx.constraints.negate(property.constraint);
            let properties = vec![with(&property.key, constraint, !property.required)];
            all.push(Self { properties, ..any.clone() });
        }
        for (keys, constraint) in &self.rules {
            let constraint = cx.constraints.negate(*constraint);
            if constraint != ConstraintId::NEVER {
                all.push(Self { exists: vec![(keys.clone(), constraint, cx.current_schema)], ..any.clone() });
            }
        }
        for (keys, constraint, _) in &self.exists {
            let constraint = cx.constraints.negate(*constraint);
            all.push(Self { rules: vec![(keys.clone(), constraint)], ..any.clone() });
        }
        for (first, second) in &self.requires {
            let properties =
                vec![with(first, ConstraintId::ANY, true), with(second, ConstraintId::NEVER, false)];
            all.push(Self { properties, ..any.clone() });
        }
        let count_schema = self.count_schema;
        if self.min > 0 {
            all.push(Self { max: Some(self.min - 1), count_schema, ..any.clone() });
        }
        if let Some(max) = self.max {
            all.push(Self { min: max + 1, count_schema, ..any });
        }
        all.into_iter().map(Rc::new).collect()
    }

    fn may_be_nonempty(&self, cx: &mut Context<'_>, depth: u32) -> Result<bool, Stop> {
        for property in self.properties.iter().filter(|property| property.required) {
            let constraint = algebra::property_constraint(cx, self, &property.key)?;
            if !algebra::may_be_satisfiable(cx, constraint, depth)? {
                return Ok(false);
            }
        }
        for (keys, constraint, _) in &self.exists {
            if *constraint == ConstraintId::NEVER || *keys == Keys::In(LanguageId::NONE) {
                return Ok(false);
            }
            // A rule about the same keys, or about all keys, applies to the witness as well.
            let mut constraint = *constraint;
            for (others, more) in &self.rules {
                if others == keys || *others == Keys::In(LanguageId::ANY) {
                    constraint = cx.constraints.both(constraint, *more);
                }
            }
            if !algebra::may_be_satisfiable(cx, constraint, depth)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
