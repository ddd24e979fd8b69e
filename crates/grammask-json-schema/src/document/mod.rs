//! The schemas of one translation and the references between them: the root schema and [`Config::documents`],
//! with their identifiers, anchors and drafts. References are resolved here and nowhere else.

pub(crate) mod dedup;
mod inputs;
mod metaschemas;
mod uri;
mod walk;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::atomic::Ordering;

use crate::json::{Value, push_step};
use grammask_work::is_stopped;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::config::{Config, Draft};
use crate::error::{Error, Reason};
use walk::{Steps, address, is_schema};

pub(crate) use inputs::Inputs;
pub(crate) use walk::{Subschemas, subschemas};

/// A schema: an object or a boolean at a location in a document.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct SchemaId(u32);

/// A schema resource: the root of a document, or a subschema with an `$id` of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct ResourceId(u32);

impl SchemaId {
    const fn index(self) -> usize {
        self.0 as usize
    }
}

impl ResourceId {
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// All schemas that a translation can reach.
///
/// Schemas at locations where the draft expects one are registered at the start. Other locations are
/// registered when a pointer leads to them. Each location has one [`SchemaId`], whichever reference leads to
/// it.
pub(crate) struct Documents<'a> {
    config: &'a Config,
    inputs: &'a Inputs,
    schemas: Vec<Schema<'a>>,
    /// By address of the value: while the documents are borrowed, it identifies the location. Never iterated
    /// over.
    by_address: FxHashMap<usize, SchemaId>,
    resources: Vec<Resource<'a>>,
    by_uri: FxHashMap<String, ResourceId>,
    uri_bytes: u64,
    /// URIs of the documents, the root first.
    uris: Vec<Option<&'a str>>,
    dynamic: bool,
    asks_evaluated: bool,
}

#[derive(Clone)]
struct Schema<'a> {
    value: &'a Value,
    parent: Parent,
    /// Steps from the parent to this schema.
    steps: Steps<'a>,
    resource: ResourceId,
}

#[derive(Clone, Copy)]
enum Parent {
    Schema(SchemaId),
    /// The schema is the whole document with this index in [`Documents::uris`].
    Document(usize),
}

struct Resource<'a> {
    root: SchemaId,
    /// URI without fragment. Relative or empty if the document has none.
    base: String,
    draft: Draft,
    /// True if the resource is at a location where the draft does not expect schemas.
    on_demand: bool,
    anchors: FxHashMap<&'a str, SchemaId>,
    dynamic_anchors: FxHashMap<&'a str, SchemaId>,
    /// True if `$recursiveAnchor` is true at its root.
    recursive: bool,
}

impl<'a> Documents<'a> {
    /// Reads the root schema and [`Config::documents`].
    ///
    /// Values under unknown keywords, in `enum`, `const` and `default` are not schemas, and an `$id` in them
    /// has no meaning. A value that should be a schema but is not one is an error only if it is used. Of
    /// equal identifiers, the first in document order counts, the root before the documents.
    ///
    /// # Errors
    /// When a document is neither an object nor a boolean, when it nests too deep, when URIs are too long, or
    /// on cancellation.
    ///
    /// # Complexity
    /// Linear in the size of the documents.
    pub(crate) fn new(inputs: &'a Inputs, config: &'a Config) -> Result<Self, Error> {
        let mut documents = Self {
            config,
            inputs,
            schemas: Vec::with_capacity(INITIAL_SCHEMAS),
            by_address: FxHashMap::with_capacity_and_hasher(INITIAL_SCHEMAS, FxBuildHasher),
            resources: Vec::new(),
            by_uri: FxHashMap::default(),
            uri_bytes: 0,
            uris: vec![None],
            dynamic: false,
            asks_evaluated: inputs.mention_unevaluated(),
        };
        documents.add(inputs.root(), 0)?;
        for (document, schema) in config.documents.iter().zip(inputs.documents()) {
            documents.uris.push(Some(uri::split(&document.uri).0));
            documents.add(schema, documents.uris.len() - 1)?;
        }
        Ok(documents)
    }

    fn add(&mut self, value: &'a Value, document: usize) -> Result<(), Error> {
        let named = self.uris[document];
        if !is_schema(value) {
            let pointer = named.map(|uri| format!("{uri}#")).unwrap_or_default();
            return Err(Error::new(pointer, "", Reason::Invalid(NOT_A_SCHEMA.to_owned())));
        }
        self.walk(value, Parent::Document(document), Steps::Pointer(Box::default()), false)?;
        // The URI under which the document was given is valid in addition to its own `$id`.
        let root = self.resource(self.by_address[&address(value)]);
        self.by_uri.entry(named.unwrap_or_default().to_owned()).or_insert(root);
        Ok(())
    }

    /// Returns the schema that is translated.
    pub(crate) fn root(&self) -> SchemaId {
        SchemaId(0)
    }

    /// Returns true if some document mentions `unevaluatedProperties` or `unevaluatedItems`.
    pub(crate) fn asks_evaluated(&self) -> bool {
        self.asks_evaluated
    }

    /// Returns the schema as JSON: an object or a boolean.
    pub(crate) fn value(&self, id: SchemaId) -> &'a Value {
        self.schemas[id.index()].value
    }

    /// Returns the draft of a schema: by `$schema` at the root of its resource, else the draft of the
    /// enclosing resource, else [`Config::draft`]. An unknown `$schema` counts as [`Config::draft`].
    pub(crate) fn draft(&self, id: SchemaId) -> Draft {
        self.resources[self.resource(id).index()].draft
    }

    /// Returns true if the schema's own `$schema` names neither a known draft nor a given document.
    pub(crate) fn is_of_unknown_draft(&self, id: SchemaId) -> bool {
        self.value(id).as_object().is_some_and(|schema| {
            let uri = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
            walk::draft_of(schema) == Some(None) && !self.by_uri.contains_key(uri::split(uri).0)
        })
    }

    /// Returns the innermost resource that contains the schema.
    pub(crate) fn resource(&self, id: SchemaId) -> ResourceId {
        self.schemas[id.index()].resource
    }

    /// Returns true if the validation vocabulary applies to the schema. It does unless `$schema` names a
    /// given document whose `$vocabulary` leaves it out.
    pub(crate) fn validates(&self, id: SchemaId) -> bool {
        if !self.inputs.documents().any(|document| document.get("$vocabulary").is_some()) {
            return true;
        }
        let mut at = Some(id);
        while let Some(id) = at {
            let root = &self.schemas[self.resources[self.resource(id).index()].root.index()];
            if let Some(Value::String(uri)) = root.value.get("$schema") {
                let meta = self.by_uri.get(uri::split(uri).0).map(|meta| self.resources[meta.index()].root);
                let listed = meta.and_then(|meta| self.value(meta).get("$vocabulary")?.as_object());
                return listed
                    .is_none_or(|listed| listed.keys().any(|uri| uri.ends_with("/vocab/validation")));
            }
            at = match root.parent {
                Parent::Schema(parent) => Some(parent),
                Parent::Document(_) => None,
            };
        }
        true
    }

    /// Returns the location of the schema for messages: `/properties/a`, or `uri#/properties/a` in another
    /// document.
    pub(crate) fn pointer(&self, id: SchemaId) -> String {
        let mut steps = Vec::new();
        let mut at = id;
        let document = loop {
            let schema = &self.schemas[at.index()];
            steps.push(&schema.steps);
            match schema.parent {
                Parent::Schema(parent) => at = parent,
                Parent::Document(document) => break document,
            }
        };
        let mut pointer = self.uris[document].map(|uri| format!("{uri}#")).unwrap_or_default();
        steps.into_iter().rev().for_each(|steps| steps.write(&mut pointer));
        pointer
    }

    /// Returns the last step to the schema that is not an array index. Returns `None` for the root.
    pub(crate) fn name(&self, mut id: SchemaId) -> Option<Cow<'_, str>> {
        loop {
            let schema = &self.schemas[id.index()];
            if let Some(name) = schema.steps.name() {
                return Some(name);
            }
            match schema.parent {
                Parent::Schema(parent) => id = parent,
                Parent::Document(_) => return None,
            }
        }
    }

    /// Returns the subschema of `id` at these steps: keys without escapes, or array indices, as in
    /// `["properties", "a"]`.
    ///
    /// # Errors
    /// When there is no value, or one that is neither an object nor a boolean.
    ///
    /// # Complexity
    /// Linear in the number of steps. A location that is not registered is walked once.
    pub(crate) fn child(&mut self, id: SchemaId, steps: &[&str]) -> Result<SchemaId, Error> {
        let keyword = steps.first().copied().unwrap_or_default();
        self.follow(id, steps.iter().map(|&step| Cow::Borrowed(step)))?.map_err(|what| {
            let mut location = String::new();
            steps.iter().for_each(|step| push_step(&mut location, step));
            Error::new(self.pointer(id), keyword, Reason::Invalid(format!("at {location}, {what}")))
        })
    }

    /// Returns the target of a `$ref` in `id`.
    ///
    /// # Errors
    /// [`Reason::Unsupported`] if the URI does not name a given document. [`Reason::Invalid`] if the fragment
    /// does not lead to a schema.
    pub(crate) fn resolve(&mut self, id: SchemaId, reference: &str) -> Result<SchemaId, Error> {
        self.resolve_as(id, "$ref", reference)
    }

    /// Returns the target of a `$dynamicRef` in `id`, or of a `$recursiveRef` in 2019-09. `scope` lists the
    /// resources that were entered, outermost first.
    ///
    /// # Errors
    /// Those of [`resolve`](Self::resolve).
    pub(crate) fn resolve_dynamic(
        &mut self,
        id: SchemaId,
        reference: &str,
        scope: &[ResourceId],
    ) -> Result<SchemaId, Error> {
        if self.draft(id) == Draft::Draft201909 {
            let target = self.resolve_as(id, "$recursiveRef", reference)?;
            let resource = &self.resources[self.resource(target).index()];
            if resource.root != target || !resource.recursive {
                return Ok(target);
            }
            let outermost =
                scope.iter().map(|id| &self.resources[id.index()]).find(|resource| resource.recursive);
            return Ok(outermost.unwrap_or(resource).root);
        }
        let target = self.resolve_as(id, "$dynamicRef", reference)?;
        let Some(name) = uri::split(reference).1.and_then(uri::decode) else { return Ok(target) };
        let anchor =
            |resource: ResourceId| self.resources[resource.index()].dynamic_anchors.get(&*name).copied();
        // The scope matters only if the first target is itself a dynamic anchor of that name.
        if anchor(self.resource(target)) != Some(target) {
            return Ok(target);
        }
        Ok(scope.iter().find_map(|&resource| anchor(resource)).unwrap_or(target))
    }

    /// Returns true if some resource has `$dynamicAnchor` or `$recursiveAnchor: true`. Otherwise scopes need
    /// not be tracked. A resource under an unknown keyword counts after a pointer has led to it.
    pub(crate) fn is_dynamic(&self) -> bool {
        self.dynamic
    }

    fn resolve_as(&mut self, id: SchemaId, keyword: &str, reference: &str) -> Result<SchemaId, Error> {
        let (rest, fragment) = uri::split(reference);
        let resource = match self.resource_at(id, rest) {
            Ok(resource) => resource,
            Err(target) => match metaschemas::metaschema(&target) {
                Some((uri, document)) => self.add_metaschema(target, uri, document)?,
                None => return Err(self.missing_document(id, keyword, reference, &target)),
            },
        };
        let error = |documents: &Self, what: &str| {
            let reason = Reason::Invalid(format!("'{reference}': {what}"));
            Err(Error::new(documents.pointer(id), keyword, reason))
        };
        let Some(fragment) = uri::decode(fragment.unwrap_or_default()) else {
            return error(self, "a percent escape is incomplete or not UTF-8");
        };
        let root = self.resources[resource.index()].root;
        if fragment.is_empty() {
            return Ok(root);
        }
        let Some(pointer) = fragment.strip_prefix('/') else {
            return match self.resources[resource.index()].anchors.get(&*fragment) {
                Some(&target) => Ok(target),
                None => error(self, "the anchor does not exist"),
            };
        };
        let unescape = |step| match step {
            step if str::contains(step, '~') => Cow::Owned(step.replace("~1", "/").replace("~0", "~")),
            step => Cow::Borrowed(step),
        };
        match self.follow(root, pointer.split('/').map(unescape))? {
            Ok(target) => Ok(target),
            Err(what) => error(self, what),
        }
    }

    /// Registers a metaschema under its own URI and that of the reference.
    ///
    /// Metaschemas describe unevaluated keywords and do not use them.
    fn add_metaschema(
        &mut self,
        target: String,
        uri: &'static str,
        document: &'static Value,
    ) -> Result<ResourceId, Error> {
        if !self.by_address.contains_key(&address(document)) {
            self.uris.push(Some(uri));
            let parent = Parent::Document(self.uris.len() - 1);
            self.walk(document, parent, Steps::Pointer(Box::default()), false)?;
        }
        let resource = self.resource(self.by_address[&address(document)]);
        self.by_uri.entry(target).or_insert(resource);
        Ok(resource)
    }

    /// Returns the error of a reference to a document that was not given.
    fn missing_document(&self, id: SchemaId, keyword: &str, reference: &str, target: &str) -> Error {
        let mut what = format!("a reference to {target}, which is not among `Config::documents`");
        if let Some(fragment) = self.fragment_meant_by(id, reference) {
            what.push_str(&format!("; a location in this document is written `#{fragment}`"));
        }
        Error::new(self.pointer(id), keyword, Reason::Unsupported(what))
    }

    /// Returns the JSON pointer that the author of a reference such as `/$defs/x` or `definitions/x` means.
    /// Returns `None` if it leads nowhere.
    fn fragment_meant_by(&self, id: SchemaId, reference: &str) -> Option<String> {
        let pointer = format!("/{}", reference.trim_start_matches(['/', '.']));
        let mut value = self.value(self.resources[self.resource(id).index()].root);
        for step in pointer[1..].split('/') {
            value = match value {
                Value::Object(object) => object.get(step)?,
                Value::Array(items) => items.get(index(step)?)?,
                _ => return None,
            };
        }
        Some(pointer)
    }

    /// Returns the resource that a reference without fragment in `id` names. If there is none, returns its
    /// URI.
    fn resource_at(&self, id: SchemaId, reference: &str) -> Result<ResourceId, String> {
        let own = self.resource(id);
        if reference.is_empty() {
            return Ok(own);
        }
        let base = &self.resources[own.index()].base;
        let target = uri::resolve(base, reference);
        if target == *base {
            return Ok(own);
        }
        self.by_uri.get(&target).copied().ok_or(target)
    }

    /// Returns the URIs to which registered schemas refer and which no document has, each once, in document
    /// order. Metaschemas are built in, so none of them is missing.
    pub(crate) fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        let mut seen = FxHashSet::default();
        for id in (0..).map(SchemaId).take(self.schemas.len()) {
            let Value::Object(entries) = self.value(id) else { continue };
            for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
                let Some(Value::String(reference)) = entries.get(keyword) else { continue };
                if let Err(uri) = self.resource_at(id, uri::split(reference).0)
                    && metaschemas::metaschema(&uri).is_none()
                    && seen.insert(uri.clone())
                {
                    missing.push(uri);
                }
            }
        }
        missing
    }

    /// Follows steps from a schema. A location that is not registered is walked now, as part of the innermost
    /// registered schema around it. The inner error describes why the steps do not lead to a schema.
    fn follow<'s>(
        &mut self,
        from: SchemaId,
        steps: impl Iterator<Item = Cow<'s, str>> + Clone,
    ) -> Result<Result<SchemaId, &'static str>, Error> {
        let mut value = self.value(from);
        let mut known = from;
        // Number of steps to `known`.
        let mut inside = 0;
        let mut count = 0;
        for step in steps.clone() {
            let below = match value {
                Value::Object(object) => object.get(&step),
                Value::Array(items) => index(&step).and_then(|index| items.get(index)),
                _ => None,
            };
            let Some(below) = below else { return Ok(Err("the location does not exist")) };
            value = below;
            count += 1;
            if let Some(&id) = self.by_address.get(&address(value)) {
                known = id;
                inside = count;
            }
        }
        if inside == count {
            return Ok(Ok(known));
        }
        if !is_schema(value) {
            return Ok(Err(NOT_A_SCHEMA));
        }
        let mut beyond = String::new();
        steps.skip(inside).for_each(|step| push_step(&mut beyond, &step));
        self.walk(value, Parent::Schema(known), Steps::Pointer(beyond.into()), true)?;
        Ok(Ok(self.by_address[&address(value)]))
    }

    fn is_cancelled(&self) -> bool {
        is_stopped() || self.config.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }
}

/// Initial capacity, enough for most schemas.
const INITIAL_SCHEMAS: usize = 28;

const NOT_A_SCHEMA: &str = "a schema must be an object or a boolean";

/// Parses an array index of a JSON pointer: without sign and leading zeros.
fn index(step: &str) -> Option<usize> {
    let plain = step.bytes().all(|byte| byte.is_ascii_digit()) && (step == "0" || !step.starts_with('0'));
    if plain { step.parse().ok() } else { None }
}
