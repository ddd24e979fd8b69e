//! `unevaluatedProperties` and `unevaluatedItems`: what no other keyword has looked at.

use std::rc::Rc;

use crate::Draft;
use crate::expand::Schema;
use crate::goals::GoalId;
use crate::languages::LanguageId;
use crate::translator::{Stop, Translator};
use crate::values::{Array, EvaluatedItems, Keys, Known, Object, Values};

impl<'a> Translator<'a> {
    /// Holds what no other keyword has evaluated to `unevaluatedProperties` and `unevaluatedItems`.
    pub fn unevaluated(&mut self, schema: Schema<'a>, mut values: Values) -> Result<Values, Stop> {
        if schema.draft < Draft::Draft201909 {
            return Ok(values);
        }
        if schema.has("unevaluatedProperties") {
            let goal = self.child(schema, &["unevaluatedProperties"])?;
            let mut objects = Vec::with_capacity(values.objects.len());
            for object in &values.objects {
                let keys = object.evaluated.clone().unwrap_or_default();
                let languages: Vec<LanguageId> = keys.iter().map(|keys| self.key_language(keys)).collect();
                let mut object = Object::clone(object);
                if goal != GoalId::ANY && !languages.contains(&LanguageId::ANY) {
                    let known = Known { languages, ..Known::default() };
                    object.rules.push((Keys::Others(Rc::new(known)), goal));
                }
                object.evaluated = Some(vec![Keys::In(LanguageId::ANY)]);
                objects.push(Rc::new(object));
            }
            values.objects = objects;
        }
        if schema.has("unevaluatedItems") {
            let goal = self.child(schema, &["unevaluatedItems"])?;
            let mut arrays = Vec::with_capacity(values.arrays.len());
            for array in &values.arrays {
                let evaluated = array.evaluated.clone().unwrap_or(EvaluatedItems::none());
                let mut array = Array::clone(array);
                if let Some(first) = evaluated.first {
                    let goal =
                        evaluated.matching.iter().fold(goal, |goal, &other| self.goals.either(goal, other));
                    while array.prefix.len() < first {
                        array.prefix.push(array.rest);
                    }
                    for place in first..array.prefix.len() {
                        array.prefix[place] = self.goals.both(array.prefix[place], goal);
                    }
                    array.rest = self.goals.both(array.rest, goal);
                }
                array.evaluated = Some(EvaluatedItems { first: None, matching: Vec::new() });
                if array.settle() {
                    arrays.push(Rc::new(array));
                }
            }
            values.arrays = arrays;
        }
        Ok(values)
    }
}
