//! Relaxing: where a schema has no translation, one of its keywords is dropped and listed.
//!
//! `{"type": "text", "minimum": 1}` is read as `{"minimum": 1}`. The innermost schema around an error loses
//! the keyword that was being read, so all other constraints stay.

use crate::context::{Context, Stop};
use crate::document::SchemaId;
use crate::error::{Error, Reason};
use crate::json::Value;
use crate::keyword::expand;
use crate::language::LanguageId;
use crate::value::{EvaluatedItems, Keys, Values};
use std::rc::Rc;

/// Keywords that can be dropped from a schema, all other keywords kept.
const DROPPABLE: [&str; 41] = [
    "$dynamicRef",
    "$recursiveRef",
    "$ref",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "required",
    "then",
    "type",
    "uniqueItems",
];

/// Keywords that evaluate properties or items of the value. Without one of them, unevaluated keywords would
/// apply to more of the value.
const EVALUATING: [&str; 18] = [
    "$dynamicRef",
    "$recursiveRef",
    "$ref",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "dependencies",
    "dependentSchemas",
    "else",
    "if",
    "items",
    "oneOf",
    "patternProperties",
    "prefixItems",
    "properties",
    "then",
];

/// A set of the keywords in [`DROPPABLE`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeywordSet(u64);

impl KeywordSet {
    pub(crate) const ALL: Self = Self(u64::MAX);

    /// Returns true if the keyword is in the set. The set of all keywords contains every name.
    pub(crate) fn contains(self, keyword: &str) -> bool {
        match self {
            Self(0) => false,
            Self::ALL => true,
            Self(bits) => index(keyword).is_some_and(|index| bits >> index & 1 == 1),
        }
    }

    /// Adds a keyword, and those that would assert more without it.
    fn insert(&mut self, keyword: &str) {
        let dependent: &[&str] = match keyword {
            "properties" | "patternProperties" => &["additionalProperties"],
            "prefixItems" | "items" => &["items", "additionalItems"],
            "minContains" => &["contains"],
            _ => &[],
        };
        for keyword in dependent.iter().chain([&keyword]) {
            if let Some(index) = index(keyword) {
                self.0 |= 1 << index;
            }
        }
    }

    fn evaluates(self) -> bool {
        EVALUATING.iter().any(|keyword| self.contains(keyword))
    }
}

/// Returns the names of all keywords that restrict documents.
pub(crate) fn asserting_names() -> impl Iterator<Item = &'static str> {
    DROPPABLE.into_iter().chain(["unevaluatedItems", "unevaluatedProperties"])
}

fn index(keyword: &str) -> Option<usize> {
    DROPPABLE.binary_search(&keyword).ok()
}

/// Returns the values that a schema allows. Under [`Unsupported::Relax`](crate::Unsupported::Relax), keywords
/// are dropped until there is no error.
pub(crate) fn values_of_schema(
    cx: &mut Context<'_>,
    id: SchemaId,
    scope: crate::constraint::ScopeId,
) -> Result<Values, Stop> {
    loop {
        match expand::values_of_schema(cx, id, scope) {
            Err(Stop::Error(error)) if cx.may_relax(&error) => drop_keyword(cx, id, *error)?,
            // Inside of the root, the place that takes too much work is omitted as a whole.
            Err(Stop::Error(error))
                if cx.is_planning_root && cx.evaluation.is_outermost() && cx.grant_work(&error) =>
            {
                drop_keyword(cx, id, *error)?;
            }
            result => return result,
        }
    }
}

/// Drops and lists the keyword that an error is about, or the one that was being read.
///
/// # Errors
/// The error, if the schema has nothing left to drop, or if nothing is left of the root schema.
fn drop_keyword(cx: &mut Context<'_>, id: SchemaId, error: Error) -> Result<(), Stop> {
    let Value::Object(entries) = cx.documents.value(id) else { return Err(error.into()) };
    let mut dropped = cx.dropped.get(&id).copied().unwrap_or_default();
    if dropped == KeywordSet::ALL {
        return Err(error.into());
    }
    let pointer = cx.documents.pointer(id);
    let is_own = error.pointer == pointer;
    let may_drop = |keyword: &&str| {
        index(keyword).is_some() && !dropped.contains(keyword) && entries.contains_key(keyword)
    };
    let named = Some(&*error.keyword).filter(|keyword| is_own && may_drop(keyword));
    let keyword = named.or(Some(cx.current_keyword).filter(may_drop)).unwrap_or_default().to_owned();
    if keyword.is_empty() {
        dropped = KeywordSet::ALL;
    } else {
        dropped.insert(&keyword);
    }
    let is_left = |name: &String| index(name).is_some() && !dropped.contains(name);
    let is_support = matches!(error.reason, Reason::Unsupported(_));
    if id == cx.documents.root() && !is_support && !entries.keys().any(is_left) {
        return Err(error.into());
    }
    cx.dropped.insert(id, dropped);
    cx.list_weakening(id, &keyword, error);
    Ok(())
}

/// Marks all keys and items as evaluated if a dropped keyword could have evaluated them. Without this, the
/// unevaluated keywords of the schema and of those around it would forbid more.
pub(crate) fn evaluate_dropped(dropped: KeywordSet, mut values: Values) -> Values {
    if dropped.evaluates() {
        for object in &mut values.objects {
            Rc::make_mut(object).evaluated = Some(vec![Keys::In(LanguageId::ANY)]);
        }
        for array in &mut values.arrays {
            Rc::make_mut(array).evaluated = Some(EvaluatedItems { first: None, matching: Vec::new() });
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted_and_those_that_evaluate_are_droppable() {
        assert!(DROPPABLE.is_sorted() && EVALUATING.is_sorted());
        assert!(EVALUATING.iter().all(|keyword| index(keyword).is_some()));
    }

    #[test]
    fn keywords_that_would_assert_more_are_dropped_as_well() {
        let mut set = KeywordSet::default();
        set.insert("properties");
        assert!(set.contains("additionalProperties") && !set.contains("required"));
        assert!(!set.contains("title") && KeywordSet::ALL.contains("title"));
    }
}
