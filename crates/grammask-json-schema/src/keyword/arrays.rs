//! The keywords about arrays.

use serde_json::Value;

use super::MOST;
use crate::Draft;
use crate::context::{Stop, Translator};
use crate::error::Reason;
use crate::keyword::expand::Schema;
use crate::value::{Array, Contains, EvaluatedItems};

impl<'a> Translator<'a> {
    pub(super) fn arrays(&mut self, schema: Schema<'a>) -> Result<Option<Array>, Stop> {
        let mut array = Array::any();
        // Tuples are `items` up to 2019-09, and `prefixItems` since then.
        let (tuple, rest) = match schema.get("items") {
            Some(Value::Array(_)) => ("items", "additionalItems"),
            _ if schema.draft >= Draft::Draft202012 => ("prefixItems", "items"),
            _ => ("", "items"),
        };
        let mut evaluated = EvaluatedItems::none();
        if let Some(Value::Array(list)) = schema.get(tuple) {
            for place in 0..list.len() {
                array.prefix.push(self.child(schema, &[tuple, &place.to_string()])?);
            }
            evaluated.first = Some(list.len());
        }
        if schema.has(rest) {
            array.rest = self.child(schema, &[rest])?;
            evaluated.first = None;
        }
        array.min = self.count(schema, "minItems")?.unwrap_or(0);
        array.max = self.count(schema, "maxItems")?.filter(|&max| max <= MOST);
        if array.min > MOST {
            return Err(self.error(schema.id, "minItems", Reason::Limit { limit: "items", value: MOST }));
        }
        if schema.has("contains") && schema.draft >= Draft::Draft6 {
            let goal = self.child(schema, &["contains"])?;
            let counted = schema.draft >= Draft::Draft201909;
            let min = if counted { self.count(schema, "minContains")?.unwrap_or(1) } else { 1 };
            let max = if counted { self.count(schema, "maxContains")? } else { None };
            if min > MOST {
                let reason = Reason::Limit { limit: "items", value: MOST };
                return Err(self.error(schema.id, "minContains", reason));
            }
            let max = max.filter(|&max| max <= MOST);
            array.contains.push(Contains { goal, from: 0, min, max, place: schema.id });
            if schema.draft >= Draft::Draft202012 {
                evaluated.matching.push(goal);
            }
        }
        match schema.get("uniqueItems") {
            None | Some(Value::Bool(false)) => {}
            Some(Value::Bool(true)) => array.unique = Some(schema.id),
            Some(_) => return Err(self.invalid(schema, "uniqueItems", "it is neither true nor false")),
        }
        if self.documents.asks_evaluated() {
            array.evaluated = Some(evaluated);
        }
        Ok(array.settle().then_some(array))
    }
}
