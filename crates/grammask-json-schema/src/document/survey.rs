//! A first pass over all values of a document, schemas or not. It measures the nesting, and finds whether the
//! document mentions `unevaluatedProperties` or `unevaluatedItems`.

use std::sync::atomic::Ordering;

use serde_json::{Value, map};

use super::walk::push_step;
use crate::config::Config;
use crate::error::{Error, Limit, Reason};

/// Values between two checks of the cancellation flag.
const VALUES_PER_CANCEL_CHECK: usize = 1_024;

/// Returns true if a document mentions `unevaluatedProperties` or `unevaluatedItems`. `uri` is that of the
/// document, for errors.
///
/// # Errors
/// When it nests deeper than [`Limits::max_nesting`](crate::Limits::max_nesting), or on cancellation.
///
/// # Complexity
/// Linear in the size of the document, up to the first location that is too deep.
pub(super) fn survey(document: &Value, uri: Option<&str>, config: &Config) -> Result<bool, Error> {
    let mut asks_evaluated = false;
    let mut visited = 0_usize;
    let mut path: Vec<Inside<'_>> = Inside::of(document).into_iter().collect();
    while let Some(innermost) = path.last_mut() {
        let Some((key, value)) = innermost.next() else {
            path.pop();
            continue;
        };
        asks_evaluated |= matches!(key, Some("unevaluatedItems" | "unevaluatedProperties"));
        visited += 1;
        let cancel = config.cancel.as_ref().filter(|_| visited.is_multiple_of(VALUES_PER_CANCEL_CHECK));
        if cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Err(Error::cancelled());
        }
        let Some(inside) = Inside::of(value) else { continue };
        let limit = config.limits.max_nesting;
        if path.len() >= limit as usize {
            let mut pointer = uri.map(|uri| format!("{uri}#")).unwrap_or_default();
            path.iter().for_each(|inside| inside.write_step(&mut pointer));
            return Err(Error::new(pointer, "", Reason::limit(Limit::Nesting, limit.into())));
        }
        path.push(inside);
    }
    Ok(asks_evaluated)
}

/// An array or object, and the position of the pass in it.
enum Inside<'a> {
    Array { items: &'a [Value], next: usize },
    Object { rest: map::Iter<'a>, key: &'a str },
}

impl<'a> Inside<'a> {
    fn of(value: &'a Value) -> Option<Self> {
        match value {
            Value::Array(items) => Some(Self::Array { items, next: 0 }),
            Value::Object(object) => Some(Self::Object { rest: object.iter(), key: "" }),
            _ => None,
        }
    }

    /// Returns the next value, with its key in an object. Returns `None` at the end.
    fn next(&mut self) -> Option<(Option<&'a str>, &'a Value)> {
        match self {
            Self::Array { items, next } => {
                let item = items.get(*next)?;
                *next += 1;
                Some((None, item))
            }
            Self::Object { rest, key } => {
                let (next, value) = rest.next()?;
                *key = next;
                Some((Some(next), value))
            }
        }
    }

    /// Appends the step to the last value to a JSON pointer.
    fn write_step(&self, pointer: &mut String) {
        match self {
            Self::Array { next, .. } => push_step(pointer, &(next - 1).to_string()),
            Self::Object { key, .. } => push_step(pointer, key),
        }
    }
}
