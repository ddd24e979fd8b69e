//! Expansion of a schema into the values that it allows, one level deep: its own assertions, then the
//! applicators for the same value, then the unevaluated keywords.

use crate::Draft;
use crate::constraint::{Conjunct, ConstraintId, ScopeId, Subject};
use crate::context::{Context, Stop};
use crate::document::SchemaId;
use crate::error::Reason;
use crate::json::{Map, Value};
use crate::keyword::relax::{self, KeywordSet};
use crate::keyword::{self, applicators, unevaluated};
use crate::value::Values;

/// A schema object, with the context on which the meaning of its keywords depends.
#[derive(Clone, Copy)]
pub(crate) struct Schema<'a> {
    pub id: SchemaId,
    pub scope: ScopeId,
    pub draft: Draft,
    pub entries: &'a Map,
    /// False if the meta-schema of the document leaves out the validation vocabulary.
    pub validates: bool,
    /// Keywords that relaxing has dropped.
    pub dropped: KeywordSet,
}

impl<'a> Schema<'a> {
    pub(crate) fn get(&self, keyword: &str) -> Option<&'a Value> {
        if !self.validates && keyword::is_validation(keyword) || self.dropped.contains(keyword) {
            return None;
        }
        self.entries.get(keyword)
    }

    /// Returns true if the keyword is present and not dropped, even if its vocabulary is not in use.
    pub(crate) fn has(&self, keyword: &str) -> bool {
        self.entries.get(keyword).is_some() && !self.dropped.contains(keyword)
    }
}

/// Returns the values that a schema allows.
pub(crate) fn values_of_schema(cx: &mut Context<'_>, id: SchemaId, scope: ScopeId) -> Result<Values, Stop> {
    let entries = match cx.documents.value(id) {
        Value::Bool(true) => return Ok(Values::any(cx.numbers.any)),
        Value::Bool(false) => return Ok(Values::NONE),
        Value::Object(entries) => entries,
        _ => {
            return Err(cx.error_here(Reason::Invalid("a schema must be an object or a boolean".to_owned())));
        }
    };
    let draft = cx.documents.draft(id);
    let scope = entered(cx, scope, id);
    let validates = cx.documents.validates(id);
    let dropped = cx.dropped.get(&id).copied().unwrap_or_default();
    if dropped != KeywordSet::default() {
        cx.evaluation.mark_relaxed();
    }
    let schema = Schema { id, scope, draft, entries, validates, dropped };
    keyword::list_ignored_keywords(cx, id, entries);
    let any = Values::any(cx.numbers.any);
    let is_reference = draft <= Draft::Draft7 && entries.get("$ref").is_some();
    if dropped == KeywordSet::ALL || is_reference && dropped.contains("$ref") {
        return Ok(relax::evaluate_dropped(dropped, any));
    }
    let mut values = if is_reference {
        applicators::apply_reference(cx, schema, &any)?
    } else {
        let values = keyword::assertion_values(cx, schema)?;
        let values = applicators::apply_all(cx, schema, values)?;
        let values = relax::evaluate_dropped(dropped, values);
        unevaluated::apply_unevaluated(cx, schema, values)?
    };
    if keyword::is_nullable(entries, draft) {
        values.null = true;
    }
    Ok(values)
}

/// Returns the constraint of a subschema, which is reached by these steps.
pub(crate) fn child<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    steps: &[&str],
) -> Result<ConstraintId, Stop> {
    let child = cx.documents.child(schema.id, steps).map_err(Stop::from);
    let keyword = steps.first().copied().unwrap_or_default();
    match cx.or_omitted(schema.id, keyword, child)? {
        Some(id) => constraint_of_schema(cx, id, schema.scope),
        None => Ok(ConstraintId::ANY),
    }
}

/// Returns the constraint of a schema. Schemas that only refer to another one are skipped, so that all
/// references to a schema lead to the same constraint.
pub(crate) fn constraint_of_schema(
    cx: &mut Context<'_>,
    mut id: SchemaId,
    mut scope: ScopeId,
) -> Result<ConstraintId, Stop> {
    for _ in 0..cx.config.limits.max_depth {
        match cx.documents.value(id) {
            Value::Bool(true) => return Ok(ConstraintId::ANY),
            Value::Bool(false) => return Ok(ConstraintId::NEVER),
            Value::Object(entries) => {
                let is_nullable = keyword::is_nullable(entries, cx.documents.draft(id));
                let is_bare = |name: &String| keyword::is_annotation(name);
                if entries.keys().all(is_bare) {
                    keyword::list_ignored_keywords(cx, id, entries);
                    return Ok(ConstraintId::ANY);
                }
                let reference = match entries.get("$ref") {
                    Some(Value::String(reference))
                        if !is_nullable
                            && (cx.documents.draft(id) <= Draft::Draft7
                                || entries.keys().all(|name| name == "$ref" || is_bare(name))) =>
                    {
                        reference
                    }
                    _ => break,
                };
                keyword::list_ignored_keywords(cx, id, entries);
                scope = entered(cx, scope, id);
                match cx.documents.resolve(id, reference) {
                    Ok(target) => id = target,
                    // The error is reported with its location when the values are expanded.
                    Err(_) => break,
                }
            }
            _ => break,
        }
    }
    let first = cx.canonical.first(&cx.documents, id);
    // The keywords of the first schema are listed when its values are expanded.
    if let Value::Object(entries) = cx.documents.value(id)
        && first != id
    {
        keyword::list_ignored_keywords(cx, id, entries);
    }
    let id = first;
    Ok(cx.constraints.single(Conjunct { subject: Subject::Schema(id, scope), holds: true }))
}

pub(crate) fn invalid(cx: &Context<'_>, schema: Schema<'_>, keyword: &str, what: &str) -> Stop {
    cx.error(schema.id, keyword, Reason::Invalid(what.to_owned()))
}

/// Returns the dynamic scope inside of a schema.
fn entered(cx: &mut Context<'_>, scope: ScopeId, id: SchemaId) -> ScopeId {
    if cx.documents.is_dynamic() { cx.scopes.enter(scope, cx.documents.resource(id)) } else { scope }
}
