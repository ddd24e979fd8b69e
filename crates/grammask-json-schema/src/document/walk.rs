//! The walk over a document: finds subschemas by draft, and registers identifiers and anchors. It is one loop
//! over a stack, since the author of a document decides how deep it nests.

use std::borrow::Cow;

use crate::json::{Map, Value, push_step};

use super::{Documents, Parent, Resource, ResourceId, Schema, SchemaId, uri};
use crate::config::Draft;
use crate::error::{Error, Limit, Reason};

/// Schemas between two checks of the cancellation flag.
const SCHEMAS_PER_CANCEL_CHECK: usize = 128;

/// How the value of a keyword contains subschemas.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subschemas {
    /// The value is a schema.
    One,
    /// The items of the array are schemas.
    List,
    /// The values of the object are schemas.
    Map,
}

/// Returns how a keyword contains subschemas. Returns `None` if it does not. Drafts that renamed
/// `dependencies` and `definitions` still have them here.
pub(crate) fn subschemas(keyword: &str, value: &Value, draft: Draft) -> Option<Subschemas> {
    use Draft::{Draft4, Draft6, Draft7, Draft201909, Draft202012};
    let (since, subschemas) = match keyword {
        "additionalProperties" | "not" => (Draft4, Subschemas::One),
        "properties" | "patternProperties" | "definitions" | "dependencies" => (Draft4, Subschemas::Map),
        "allOf" | "anyOf" | "oneOf" => (Draft4, Subschemas::List),
        "items" if value.is_array() => (Draft4, Subschemas::List),
        "items" => (Draft4, Subschemas::One),
        "additionalItems" => (Draft4, Subschemas::One),
        "contains" | "propertyNames" => (Draft6, Subschemas::One),
        "if" | "then" | "else" => (Draft7, Subschemas::One),
        "$defs" | "dependentSchemas" => (Draft201909, Subschemas::Map),
        "unevaluatedItems" | "unevaluatedProperties" | "contentSchema" => (Draft201909, Subschemas::One),
        "prefixItems" => (Draft202012, Subschemas::List),
        _ => return None,
    };
    let gone =
        draft >= Draft202012 && (keyword == "additionalItems" || keyword == "items" && value.is_array());
    (since <= draft && !gone).then_some(subschemas)
}

/// Returns the draft that `$schema` names: `Some(None)` for an unknown one. Returns `None` without `$schema`.
pub(super) fn draft_of(schema: &Map) -> Option<Option<Draft>> {
    let uri = schema.get("$schema")?.as_str()?;
    let uri = uri.split_once('#').map_or(uri, |(resource, _)| resource);
    let known = uri.strip_prefix("http://").or_else(|| uri.strip_prefix("https://")).and_then(|rest| {
        Some(match rest {
            "json-schema.org/draft-04/schema" => Draft::Draft4,
            "json-schema.org/draft-06/schema" => Draft::Draft6,
            "json-schema.org/draft-07/schema" => Draft::Draft7,
            "json-schema.org/draft/2019-09/schema" => Draft::Draft201909,
            "json-schema.org/draft/2020-12/schema" => Draft::Draft202012,
            rest if rest.starts_with("spec.openapis.org/oas/3.0/schema") => Draft::OpenApi30,
            rest if rest.starts_with("spec.openapis.org/oas/3.1/") => Draft::Draft202012,
            _ => return None,
        })
    });
    Some(known)
}

pub(super) fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

/// The step below a keyword. Nearly all subschemas are one step below a keyword, so their pointers are
/// written on demand only.
#[derive(Clone, Copy)]
pub(super) enum Substep<'a> {
    Nothing,
    Key(&'a str),
    Index(usize),
}

/// The steps from a schema to one of its subschemas.
#[derive(Clone)]
pub(super) enum Steps<'a> {
    /// A keyword, and one step below it.
    Keyword(&'a str, Substep<'a>),
    /// Any steps, as a JSON pointer.
    Pointer(Box<str>),
}

impl Steps<'_> {
    /// Appends the steps to a JSON pointer.
    pub(crate) fn write(&self, pointer: &mut String) {
        match self {
            Self::Keyword(keyword, below) => {
                push_step(pointer, keyword);
                match below {
                    Substep::Nothing => {}
                    Substep::Key(key) => push_step(pointer, key),
                    Substep::Index(index) => push_step(pointer, &index.to_string()),
                }
            }
            Self::Pointer(steps) => pointer.push_str(steps),
        }
    }

    /// Returns the last step that is not an array index, escaped as in a JSON pointer.
    pub(crate) fn name(&self) -> Option<Cow<'_, str>> {
        let is_name = |part: &&str| !part.is_empty() && !part.bytes().all(|byte| byte.is_ascii_digit());
        match self {
            Self::Keyword(_, Substep::Key(key)) if is_name(key) => Some(if key.contains(['~', '/']) {
                let mut step = String::new();
                push_step(&mut step, key);
                step.remove(0);
                Cow::Owned(step)
            } else {
                Cow::Borrowed(key)
            }),
            Self::Keyword(keyword, _) => Some(Cow::Borrowed(keyword)),
            Self::Pointer(steps) => steps.rsplit('/').find(is_name).map(Cow::Borrowed),
        }
    }
}

impl<'a> Documents<'a> {
    /// Registers a schema and all its subschemas. `on_demand` is true if the draft does not expect a schema
    /// at this location. Its identifiers and anchors are then valid only within it, so that no reference
    /// depends on the order of resolution.
    pub(super) fn walk(
        &mut self,
        value: &'a Value,
        parent: Parent,
        steps: Steps<'a>,
        on_demand: bool,
    ) -> Result<(), Error> {
        let mut stack = vec![(value, parent, steps)];
        while let Some((value, parent, steps)) = stack.pop() {
            if self.by_address.contains_key(&address(value)) {
                continue;
            }
            if self.schemas.len().is_multiple_of(SCHEMAS_PER_CANCEL_CHECK) && self.is_cancelled() {
                return Err(Error::cancelled());
            }
            let id = SchemaId(u32::try_from(self.schemas.len()).expect("fewer than 2^32 schemas"));
            let resource = match parent {
                Parent::Schema(parent) => self.resource(parent),
                // Replaced below.
                Parent::Document(_) => ResourceId(0),
            };
            self.by_address.insert(address(value), id);
            self.schemas.push(Schema { value, parent, steps, resource });
            self.enter(id, on_demand)?;
            let Value::Object(schema) = value else { continue };
            let draft = self.draft(id);
            let first = stack.len();
            for (keyword, below) in schema {
                let mut push = |value: &'a Value, below: Substep<'a>| {
                    if is_schema(value) {
                        stack.push((value, Parent::Schema(id), Steps::Keyword(keyword, below)));
                    }
                };
                match (subschemas(keyword, below, draft), below) {
                    (Some(Subschemas::One), _) => push(below, Substep::Nothing),
                    (Some(Subschemas::List), Value::Array(items)) => {
                        for (index, item) in items.iter().enumerate() {
                            push(item, Substep::Index(index));
                        }
                    }
                    (Some(Subschemas::Map), Value::Object(values)) => {
                        for (key, value) in values {
                            push(value, Substep::Key(key));
                        }
                    }
                    _ => {}
                }
            }
            stack[first..].reverse();
            // Reserve once, so that the tables are not reallocated while they grow.
            self.by_address.reserve(stack.len());
            self.schemas.reserve(stack.len());
        }
        Ok(())
    }

    /// Starts a resource if the schema has an identifier, and registers its anchors.
    fn enter(&mut self, id: SchemaId, on_demand: bool) -> Result<(), Error> {
        let Schema { value, parent, resource: outer, .. } = self.schemas[id.index()];
        let schema = value.as_object();
        // Fast path: most schemas have neither identifiers nor anchors.
        let may_say = |schema: &Map| schema.keys().any(|key| key.starts_with('$') || key == "id");
        if matches!(parent, Parent::Schema(_)) && !schema.is_some_and(may_say) {
            return Ok(());
        }
        let said = schema.and_then(draft_of);
        let (base, draft) = match parent {
            Parent::Document(document) => {
                (self.uris[document].unwrap_or_default(), said.flatten().unwrap_or(self.config.draft))
            }
            Parent::Schema(_) => {
                let outer = &self.resources[outer.index()];
                let draft = match said {
                    Some(said) => said.unwrap_or(self.config.draft),
                    None => outer.draft,
                };
                (outer.base.as_str(), draft)
            }
        };
        let name = if draft == Draft::Draft4 { "id" } else { "$id" };
        let text = |keyword: &str| schema.and_then(|schema| schema.get(keyword)).and_then(Value::as_str);
        let lonely = draft <= Draft::Draft7 && text("$ref").is_some();
        let (named, fragment) = match text(name).filter(|_| !lonely).map(uri::split) {
            Some((rest, fragment)) => (Some(rest), fragment.filter(|fragment| !fragment.is_empty())),
            None => (None, None),
        };
        let base = match named {
            // A fragment alone names a location in the resource.
            Some(rest) if !rest.is_empty() => {
                let new = uri::resolve(base, rest);
                let again = new == base && fragment.is_some() && matches!(parent, Parent::Schema(_));
                (!again).then_some(new)
            }
            _ => None,
        }
        .or_else(|| matches!(parent, Parent::Document(_)).then(|| base.to_owned()));
        if let Some(base) = base {
            self.start(id, base, draft, name, on_demand)?;
        }
        let resource = self.resource(id);
        let of = &mut self.resources[resource.index()];
        if on_demand && !of.on_demand {
            return Ok(());
        }
        // Not `draft`: a `$schema` that does not start a resource has no meaning.
        let draft = of.draft;
        let mut anchor = |name: &'a str| {
            of.anchors.entry(name).or_insert(id);
        };
        if draft <= Draft::Draft7 {
            fragment.into_iter().for_each(&mut anchor);
        } else {
            text("$anchor").into_iter().for_each(&mut anchor);
        }
        if draft >= Draft::Draft202012
            && let Some(name) = text("$dynamicAnchor")
        {
            anchor(name);
            of.dynamic_anchors.entry(name).or_insert(id);
            self.dynamic = true;
        }
        if draft == Draft::Draft201909
            && of.root == id
            && schema.and_then(|schema| schema.get("$recursiveAnchor")) == Some(&Value::Bool(true))
        {
            of.recursive = true;
            self.dynamic = true;
        }
        Ok(())
    }

    /// Starts a resource at a schema, with `base` as its URI. `name` is the keyword for errors about the URI.
    fn start(
        &mut self,
        id: SchemaId,
        base: String,
        draft: Draft,
        name: &str,
        on_demand: bool,
    ) -> Result<(), Error> {
        self.uri_bytes += base.len() as u64;
        let limits = &self.config.limits;
        for (limit, value, found) in [
            (Limit::UriBytes, limits.uri_bytes, base.len() as u64),
            (Limit::TotalUriBytes, limits.total_uri_bytes, self.uri_bytes),
        ] {
            if found > value {
                return Err(Error::new(self.pointer(id), name, Reason::limit_found(limit, value, found)));
            }
        }
        let resource =
            ResourceId(u32::try_from(self.resources.len()).expect("no more resources than schemas"));
        if !on_demand {
            self.by_uri.entry(base.clone()).or_insert(resource);
        }
        self.schemas[id.index()].resource = resource;
        self.resources.push(Resource {
            root: id,
            base,
            draft,
            on_demand,
            anchors: Default::default(),
            dynamic_anchors: Default::default(),
            recursive: false,
        });
        Ok(())
    }
}

/// Returns the address of a value. It identifies the value's location while the documents are borrowed.
pub(super) fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}
