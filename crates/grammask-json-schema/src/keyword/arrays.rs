//! Keywords about arrays.

use crate::Draft;
use crate::context::{Context, Stop};
use crate::json::Value;
use crate::keyword;
use crate::keyword::expand;
use crate::keyword::expand::Schema;
use crate::value::{Array, Contains, EvaluatedItems};

/// Returns the shape of the arrays that a schema allows. Returns `None` if it allows none.
pub(super) fn array_shape<'a>(cx: &mut Context<'a>, schema: Schema<'a>) -> Result<Option<Array>, Stop> {
    let mut array = Array::any();
    // Tuples are written as `items` up to 2019-09, and as `prefixItems` since then.
    let (tuple, rest) = match schema.get("items") {
        Some(Value::Array(_)) => ("items", "additionalItems"),
        _ if schema.draft >= Draft::Draft202012 => ("prefixItems", "items"),
        _ => ("", "items"),
    };
    let mut evaluated = EvaluatedItems::none();
    if let Some(Value::Array(list)) = schema.get(tuple) {
        for index in 0..list.len() {
            array.prefix.push(expand::child(cx, schema, &[tuple, &index.to_string()])?);
        }
        evaluated.first = Some(list.len());
    }
    if schema.has(rest) {
        array.rest = expand::child(cx, schema, &[rest])?;
        evaluated.first = None;
    }
    array.min = keyword::minimum(cx, schema, "minItems", 0)?;
    array.max = keyword::maximum(cx, schema, "maxItems")?;
    if schema.has("contains") && schema.draft >= Draft::Draft6 {
        let constraint = expand::child(cx, schema, &["contains"])?;
        let counted = schema.draft >= Draft::Draft201909;
        let min = if counted { keyword::minimum(cx, schema, "minContains", 1)? } else { 1 };
        let max = if counted { keyword::maximum(cx, schema, "maxContains")? } else { None };
        array.contains.push(Contains { constraint, from: 0, min, max, schema: schema.id });
        if schema.draft >= Draft::Draft202012 {
            evaluated.matching.push(constraint);
        }
    }
    match schema.get("uniqueItems") {
        None | Some(Value::Bool(false)) => {}
        Some(Value::Bool(true)) => array.unique = Some(schema.id),
        Some(_) => return Err(expand::invalid(cx, schema, "uniqueItems", "not a boolean")),
    }
    if cx.documents.asks_evaluated() {
        array.evaluated = Some(evaluated);
    }
    Ok(array.normalize().then_some(array))
}
