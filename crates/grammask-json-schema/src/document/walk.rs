//! Where schemas stand in a schema, by draft, and what its `$id` and anchors say. The walk is one loop over a stack: how deep
//! a document nests is for its author to decide.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{Documents, Parent, Resource, ResourceId, Schema, SchemaId, uri};
use crate::config::Draft;
use crate::error::{Error, Reason};

/// The longest URI of a resource, in bytes.
const LONGEST_URI: u64 = 8_192;
/// The longest that the URIs of all resources may be together, in bytes.
const LONGEST_URIS: u64 = 1 << 26;
/// So many schemas are walked between two looks at the flag that cancels.
const BETWEEN_LOOKS: usize = 1_024;

/// What makes a part of a schema one or several schemas.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The value is a schema.
    One,
    /// The items of the array are schemas.
    Array,
    /// The values of the object are schemas.
    Object,
}

/// Where schemas stand under a keyword. `dependencies` and `definitions` live on in the drafts that have renamed them.
pub(crate) fn place(keyword: &str, value: &Value, draft: Draft) -> Option<Place> {
    use Draft::{Draft4, Draft6, Draft7, Draft201909, Draft202012};
    let (since, place) = match keyword {
        "additionalProperties" | "not" => (Draft4, Place::One),
        "properties" | "patternProperties" | "definitions" | "dependencies" => (Draft4, Place::Object),
        "allOf" | "anyOf" | "oneOf" => (Draft4, Place::Array),
        "items" if value.is_array() => (Draft4, Place::Array),
        "items" => (Draft4, Place::One),
        "additionalItems" => (Draft4, Place::One),
        "contains" | "propertyNames" => (Draft6, Place::One),
        "if" | "then" | "else" => (Draft7, Place::One),
        "$defs" | "dependentSchemas" => (Draft201909, Place::Object),
        "unevaluatedItems" | "unevaluatedProperties" | "contentSchema" => (Draft201909, Place::One),
        "prefixItems" => (Draft202012, Place::Array),
        _ => return None,
    };
    let gone =
        draft >= Draft202012 && (keyword == "additionalItems" || keyword == "items" && value.is_array());
    (since <= draft && !gone).then_some(place)
}

/// The draft that a `$schema` names, if it is one of those that are known.
pub(super) fn draft_of(schema: &Map<String, Value>) -> Option<Option<Draft>> {
    let uri = schema.get("$schema")?.as_str()?;
    let uri = uri.strip_suffix('#').unwrap_or(uri);
    let known = uri.strip_prefix("http://").or_else(|| uri.strip_prefix("https://")).and_then(|rest| {
        Some(match rest {
            "json-schema.org/draft-04/schema" => Draft::Draft4,
            "json-schema.org/draft-06/schema" => Draft::Draft6,
            "json-schema.org/draft-07/schema" => Draft::Draft7,
            "json-schema.org/draft/2019-09/schema" => Draft::Draft201909,
            "json-schema.org/draft/2020-12/schema" => Draft::Draft202012,
            _ => return None,
        })
    });
    Some(known)
}

pub(super) fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

/// From a schema to one below it. Nearly all stand right below a keyword, so that nothing need be written until somebody asks.
#[derive(Clone, Copy)]
pub(super) enum Below<'a> {
    Nothing,
    Key(&'a str),
    Index(usize),
}

/// The same, or any steps.
#[derive(Clone)]
pub(super) enum Steps<'a> {
    /// A keyword, and what follows it.
    Keyword(&'a str, Below<'a>),
    /// A JSON pointer.
    Pointer(Box<str>),
}

impl Steps<'_> {
    /// Appends them to a JSON pointer.
    pub fn write(&self, pointer: &mut String) {
        match self {
            Self::Keyword(keyword, below) => {
                push_step(pointer, keyword);
                match below {
                    Below::Nothing => {}
                    Below::Key(key) => push_step(pointer, key),
                    Below::Index(index) => push_step(pointer, &index.to_string()),
                }
            }
            Self::Pointer(steps) => pointer.push_str(steps),
        }
    }

    /// The last step that is no array index, as a JSON pointer writes it.
    pub fn name(&self) -> Option<Cow<'_, str>> {
        let is_name = |part: &&str| !part.is_empty() && !part.bytes().all(|byte| byte.is_ascii_digit());
        match self {
            Self::Keyword(_, Below::Key(key)) if is_name(key) => Some(if key.contains(['~', '/']) {
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

/// A step of a JSON pointer, behind a slash.
pub(super) fn push_step(pointer: &mut String, step: &str) {
    pointer.push('/');
    if !step.contains(['~', '/']) {
        return pointer.push_str(step);
    }
    for character in step.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

impl<'a> Documents<'a> {
    /// Notes a schema and all below it. Where `on_demand`, it stands where no schema was looked for: what its ids and
    /// anchors name is then for itself alone, so that no reference depends on which others were followed before.
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
            if self.schemas.len().is_multiple_of(BETWEEN_LOOKS) && self.is_cancelled() {
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
                let mut push = |value: &'a Value, below: Below<'a>| {
                    if is_schema(value) {
                        stack.push((value, Parent::Schema(id), Steps::Keyword(keyword, below)));
                    }
                };
                match (place(keyword, below, draft), below) {
                    (Some(Place::One), _) => push(below, Below::Nothing),
                    (Some(Place::Array), Value::Array(items)) => {
                        for (index, item) in items.iter().enumerate() {
                            push(item, Below::Index(index));
                        }
                    }
                    (Some(Place::Object), Value::Object(values)) => {
                        for (key, value) in values {
                            push(value, Below::Key(key));
                        }
                    }
                    _ => {}
                }
            }
            stack[first..].reverse();
            // They will all be there; nobody waits until those before have been moved to where there is room.
            self.by_address.reserve(stack.len());
            self.schemas.reserve(stack.len());
        }
        Ok(())
    }

    /// Sees to the resource of a schema: starts one where an id says so, and notes its anchors.
    fn enter(&mut self, id: SchemaId, on_demand: bool) -> Result<(), Error> {
        let Schema { value, parent, resource: outer, .. } = self.schemas[id.index()];
        let schema = value.as_object();
        // Most schemas say nothing of this kind.
        let may_say =
            |schema: &Map<String, Value>| schema.keys().any(|key| key.starts_with('$') || key == "id");
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
            // A fragment alone names a place in the resource.
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
        // Not `draft`: a `$schema` that starts no resource says nothing.
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

    fn start(
        &mut self,
        id: SchemaId,
        base: String,
        draft: Draft,
        name: &str,
        on_demand: bool,
    ) -> Result<(), Error> {
        self.uri_bytes += base.len() as u64;
        for (limit, value, reached) in [
            ("bytes of a URI", LONGEST_URI, base.len() as u64),
            ("bytes of all URIs", LONGEST_URIS, self.uri_bytes),
        ] {
            if reached > value {
                return Err(Error::new(self.pointer(id), name, Reason::Limit { limit, value }));
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

/// What tells a value from every other while the documents are borrowed.
pub(super) fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}
