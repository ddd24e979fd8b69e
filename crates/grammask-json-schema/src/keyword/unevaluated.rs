//! `unevaluatedProperties` and `unevaluatedItems`: what no other keyword has looked at.

use std::rc::Rc;

use crate::Draft;
use crate::conjunction::GoalId;
use crate::context::{Stop, Translator};
use crate::keyword::expand::Schema;
use crate::language::LanguageId;
use crate::value::{Array, EvaluatedItems, Keys, Known, Object, Values};

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
                let mut object = self.with_others(object, goal);
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

    /// The values of a goal as a document may have them: by choice, objects whose keys a schema lists have no others. It is so said of values that are
    /// written, not of those that are compared: a schema under `not` or `if` is not closed, and those that speak of one value are together.
    pub fn closed(&mut self, mut values: Rc<Values>) -> Rc<Values> {
        if values.objects.iter().any(|object| object.closes) {
            for object in &mut Rc::make_mut(&mut values).objects {
                if object.closes {
                    *object = Rc::new(self.with_others(object, GoalId::NEVER));
                }
            }
        }
        values
    }

    /// The values of a condition: it closes nothing, and names no key that would be allowed because of that, unless the schema asks for those that were
    /// evaluated.
    pub fn opened(&mut self, mut values: Rc<Values>) -> Rc<Values> {
        let asks = self.documents.asks_evaluated();
        if values.objects.iter().any(|object| object.closes || !asks && object.evaluated.is_some()) {
            for object in &mut Rc::make_mut(&mut values).objects {
                let object = Rc::make_mut(object);
                object.closes = false;
                object.evaluated = object.evaluated.take().filter(|_| asks);
            }
        }
        values
    }

    /// The objects in which the values of keys that have not been evaluated reach a goal.
    fn with_others(&mut self, object: &Object, goal: GoalId) -> Object {
        let keys = object.evaluated.as_deref().unwrap_or_default();
        let languages: Vec<LanguageId> = keys.iter().map(|keys| self.key_language(keys)).collect();
        let mut object = object.clone();
        if goal != GoalId::ANY && !languages.contains(&LanguageId::ANY) {
            let known = Known { languages, ..Known::default() };
            object.rules.push((Keys::Others(Rc::new(known)), goal));
        }
        object
    }
}
