//! Arrays as shapes: the intersection of two shapes, and the complement of one.

use std::rc::Rc;

use super::shapes::Shape;
use crate::constraint::{ConstraintId, Constraints};
use crate::context::{Context, Stop};
use crate::value::algebra;
use crate::value::{Array, Contains, EvaluatedItems, smaller_max};

impl Shape for Array {
    fn size(&self) -> u64 {
        (self.prefix.len() + self.contains.len()) as u64
    }

    fn is_unrestricted(&self) -> bool {
        self.is_any() && self.evaluated.is_none()
    }

    fn meet(&self, other: &Self, cx: &mut Context<'_>) -> Result<Option<Self>, Stop> {
        let constraints = &mut cx.constraints;
        let len = self.prefix.len().max(other.prefix.len());
        let prefix = (0..len).map(|index| constraints.both(self.item(index), other.item(index))).collect();
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
            rest: constraints.both(self.rest, other.rest),
            min: self.min.max(other.min),
            max: smaller_max(self.max, other.max),
            contains,
            unique: self.unique.or(other.unique),
            repeated: self.repeated.or(other.repeated),
            evaluated,
        };
        Ok((both.normalize() && !(both.unique.is_some() && both.repeated.is_some())).then_some(both))
    }

    fn is_subsumed_by(&self, other: &Self, constraints: &Constraints) -> bool {
        let len = self.prefix.len().max(other.prefix.len()) + 1;
        self.min >= other.min
            && other.max.is_none_or(|max| self.max.is_some_and(|own| own <= max))
            && (other.unique.is_none() || self.unique.is_some())
            && (other.repeated.is_none() || self.repeated.is_some())
            && self.evaluated == other.evaluated
            && other.contains.iter().all(|contains| self.contains.contains(contains))
            && (0..len).all(|index| constraints.implies(self.item(index), other.item(index)))
    }

    fn complement(&self, cx: &mut Context<'_>) -> Vec<Rc<Self>> {
        let constraints = &mut cx.constraints;
        let mut all = Vec::new();
        let any = Self::any();
        for (index, &constraint) in self.prefix.iter().enumerate() {
            if constraint != ConstraintId::ANY {
                let mut prefix = vec![ConstraintId::ANY; index];
                prefix.push(constraints.negate(constraint));
                all.push(Self { prefix, min: index as u64 + 1, ..any.clone() });
            }
        }
        let from = self.prefix.len();
        let is_closed = self.rest == ConstraintId::NEVER && self.max.is_some_and(|max| max <= from as u64);
        if self.rest != ConstraintId::ANY && !is_closed {
            let constraint = constraints.negate(self.rest);
            match constraint {
                ConstraintId::ANY => all.push(Self { min: from as u64 + 1, ..any.clone() }),
                _ => {
                    let contains =
                        vec![Contains { constraint, from, min: 1, max: None, schema: cx.current_schema }];
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
        if let Some(schema) = self.unique {
            all.push(Self { repeated: Some(schema), ..any.clone() });
        }
        if let Some(schema) = self.repeated {
            all.push(Self { unique: Some(schema), ..any });
        }
        all.into_iter().filter_map(|mut shape| shape.normalize().then(|| Rc::new(shape))).collect()
    }

    fn may_be_nonempty(&self, cx: &mut Context<'_>, depth: u32) -> Result<bool, Stop> {
        for index in (0..=self.prefix.len()).take_while(|&index| (index as u64) < self.min) {
            if !algebra::may_be_satisfiable(cx, self.item(index), depth)? {
                return Ok(false);
            }
        }
        for contains in self.contains.iter().filter(|contains| contains.min > 0) {
            let constraint = match self.prefix[..] {
                [] => cx.constraints.both(contains.constraint, self.rest),
                _ => contains.constraint,
            };
            if !algebra::may_be_satisfiable(cx, constraint, depth)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
