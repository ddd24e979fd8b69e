//! A look at all that a document holds, whatever it means: how deep it nests, and which words are in it.

use std::sync::atomic::Ordering;

use serde_json::{Value, map};

use super::walk::push_step;
use crate::config::Config;
use crate::error::{Error, Reason};

/// So many values are looked at between two looks at the flag that cancels.
const BETWEEN_LOOKS: usize = 1_024;

/// Looks at a document, which stands under this URI; whether it mentions a keyword that asks what others have evaluated.
///
/// # Errors
/// When it nests deeper than [`Config::nesting`], or on cancelling.
///
/// # Complexity
/// Linear in the size of the document, up to the first place that is too deep.
pub(super) fn survey(document: &Value, uri: Option<&str>, config: &Config) -> Result<bool, Error> {
    let mut asks_evaluated = false;
    let mut looked_at = 0_usize;
    let mut path: Vec<Inside<'_>> = Inside::of(document).into_iter().collect();
    while let Some(innermost) = path.last_mut() {
        let Some((key, value)) = innermost.next() else {
            path.pop();
            continue;
        };
        asks_evaluated |= matches!(key, Some("unevaluatedItems" | "unevaluatedProperties"));
        looked_at += 1;
        let cancel = config.cancel.as_ref().filter(|_| looked_at.is_multiple_of(BETWEEN_LOOKS));
        if cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Err(Error::cancelled());
        }
        let Some(inside) = Inside::of(value) else { continue };
        if path.len() >= config.nesting as usize {
            let mut pointer = uri.map(|uri| format!("{uri}#")).unwrap_or_default();
            path.iter().for_each(|inside| inside.write_step(&mut pointer));
            let value = u64::from(config.nesting);
            return Err(Error::new(pointer, "", Reason::Limit { limit: "nesting", value }));
        }
        path.push(inside);
    }
    Ok(asks_evaluated)
}

/// An array or object, and how far it has been looked at.
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

    /// The next value, behind its key if it has one.
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

    /// Appends the step to the value that came last.
    fn write_step(&self, pointer: &mut String) {
        match self {
            Self::Array { next, .. } => push_step(pointer, &(next - 1).to_string()),
            Self::Object { key, .. } => push_step(pointer, key),
        }
    }
}
