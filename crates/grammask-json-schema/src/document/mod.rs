//! The schemas of one translation and how they refer to each other: the root and the documents given beside it, with their
//! ids, anchors and drafts. References are followed here, and nowhere else.

mod dedup;
mod survey;
mod uri;
mod walk;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::atomic::Ordering;

use rustc_hash::{FxBuildHasher, FxHashMap};
use serde_json::Value;

use crate::config::{Config, Draft};
use crate::error::{Error, Reason};
use crate::keyword;
use survey::survey;
pub(crate) use walk::{Place, place};
use walk::{Steps, address, is_schema, push_step};

/// A schema: an object or a boolean somewhere in a document.
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

/// All schemas that a translation can come to.
///
/// Schemas that stand where the draft expects one are known from the beginning; others become known when a pointer leads to
/// them. A location is one [`SchemaId`], whatever way leads there.
pub(crate) struct Documents<'a> {
    config: &'a Config,
    schemas: Vec<Schema<'a>>,
    /// By the address of the value: while the documents are borrowed, it stands for the location. Never iterated over.
    by_address: FxHashMap<usize, SchemaId>,
    resources: Vec<Resource<'a>>,
    by_uri: FxHashMap<String, ResourceId>,
    uri_bytes: u64,
    /// Of each document, the root first, its URI.
    uris: Vec<Option<&'a str>>,
    dynamic: bool,
    asks_evaluated: bool,
}

#[derive(Clone)]
struct Schema<'a> {
    value: &'a Value,
    parent: Parent,
    /// From the parent to here.
    steps: Steps<'a>,
    resource: ResourceId,
}

#[derive(Clone, Copy)]
enum Parent {
    Schema(SchemaId),
    /// The schema is the whole document of this index in [`Documents::uris`].
    Document(usize),
}

struct Resource<'a> {
    root: SchemaId,
    /// Its URI without fragment; relative or empty where the document has none.
    base: String,
    draft: Draft,
    /// Whether it was found where no schemas are looked for.
    on_demand: bool,
    anchors: FxHashMap<&'a str, SchemaId>,
    dynamic_anchors: FxHashMap<&'a str, SchemaId>,
    /// `$recursiveAnchor: true` stands at its root.
    recursive: bool,
}

impl<'a> Documents<'a> {
    /// Reads the root and [`Config::documents`].
    ///
    /// All places are walked where the draft has schemas; what stands under unknown keywords, in `enum`, `const` and
    /// `default` is none, and an `$id` there means nothing. What stands where a schema must, and is none, is an error only
    /// for who asks for it. Where ids collide, the first in document order wins, the root before the documents.
    ///
    /// # Errors
    /// When the root or a document is neither object nor boolean or nests too deep, when the URIs of ids grow too long, or on cancelling.
    ///
    /// # Complexity
    /// Linear in the size of the documents.
    pub fn new(root: &'a Value, config: &'a Config) -> Result<Self, Error> {
        let mut documents = Self {
            config,
            schemas: Vec::with_capacity(ROOM),
            by_address: FxHashMap::with_capacity_and_hasher(ROOM, FxBuildHasher),
            resources: Vec::new(),
            by_uri: FxHashMap::default(),
            uri_bytes: 0,
            uris: vec![None],
            dynamic: false,
            asks_evaluated: false,
        };
        documents.add(root, 0)?;
        for document in &config.documents {
            documents.uris.push(Some(uri::split(&document.uri).0));
            documents.add(&document.schema, documents.uris.len() - 1)?;
        }
        Ok(documents)
    }

    fn add(&mut self, value: &'a Value, document: usize) -> Result<(), Error> {
        let named = self.uris[document];
        if !is_schema(value) {
            let pointer = named.map(|uri| format!("{uri}#")).unwrap_or_default();
            return Err(Error::new(pointer, "", Reason::Invalid(NO_SCHEMA.to_owned())));
        }
        self.asks_evaluated |= survey(value, named, self.config)?;
        self.walk(value, Parent::Document(document), Steps::Pointer(Box::default()), false)?;
        // The URI under which the document was given holds beside the one that it gives itself.
        let root = self.resource(self.by_address[&address(value)]);
        self.by_uri.entry(named.unwrap_or_default().to_owned()).or_insert(root);
        Ok(())
    }

    /// The schema that is to be translated.
    pub fn root(&self) -> SchemaId {
        SchemaId(0)
    }

    /// Whether some schema may ask what others have evaluated.
    pub fn asks_evaluated(&self) -> bool {
        self.asks_evaluated
    }

    /// The schema itself: an object or a boolean.
    pub fn value(&self, id: SchemaId) -> &'a Value {
        self.schemas[id.index()].value
    }

    /// The draft of the schema: what `$schema` says at the root of its resource, else the draft of the resource around it,
    /// else [`Config::draft`], which also stands in for a `$schema` that is not known.
    pub fn draft(&self, id: SchemaId) -> Draft {
        self.resources[self.resource(id).index()].draft
    }

    /// Whether a schema's own `$schema` names neither a draft that is known nor a document that is given.
    pub fn is_of_unknown_draft(&self, id: SchemaId) -> bool {
        self.value(id).as_object().is_some_and(|schema| {
            let uri = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
            walk::draft_of(schema) == Some(None) && !self.by_uri.contains_key(uri::split(uri).0)
        })
    }

    /// The innermost resource that the schema belongs to.
    pub fn resource(&self, id: SchemaId) -> ResourceId {
        self.schemas[id.index()].resource
    }

    /// Whether the keywords of the validation vocabulary mean anything to the schema: they do, unless its `$schema` is among the documents
    /// and lists vocabularies without this one.
    pub fn validates(&self, id: SchemaId) -> bool {
        if !self.config.documents.iter().any(|document| document.schema.get("$vocabulary").is_some()) {
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

    /// Where the schema stands, for errors: `/properties/a`, or `uri#/properties/a` outside the root document.
    pub fn pointer(&self, id: SchemaId) -> String {
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

    /// The last step to a schema that is no array index; nothing where there is none.
    pub fn name(&self, mut id: SchemaId) -> Option<Cow<'_, str>> {
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

    /// The schema below `id` at these steps, which are keys without escapes or array indices, as `["properties", "a"]`.
    ///
    /// # Errors
    /// When there is nothing, or what is there is neither object nor boolean.
    ///
    /// # Complexity
    /// Linear in the number of steps; a schema where none was looked for is walked once.
    pub fn child(&mut self, id: SchemaId, steps: &[&str]) -> Result<SchemaId, Error> {
        let keyword = steps.first().copied().unwrap_or_default();
        self.follow(id, steps.iter().map(|&step| Cow::Borrowed(step)))?.map_err(|what| {
            let mut place = String::new();
            steps.iter().for_each(|step| push_step(&mut place, step));
            Error::new(self.pointer(id), keyword, Reason::Invalid(format!("at {place}, {what}")))
        })
    }

    /// What `$ref` says, seen from `id`.
    ///
    /// # Errors
    /// [`Reason::Unsupported`] when the URI names nothing that was given, [`Reason::Invalid`] when it does, but what the
    /// fragment says is not there or no schema.
    pub fn resolve(&mut self, id: SchemaId, reference: &str) -> Result<SchemaId, Error> {
        self.resolve_as(id, "$ref", reference)
    }

    /// What `$dynamicRef` says, or the `$recursiveRef` of 2019-09, seen from `id`, when these resources were entered on the
    /// way, from the outside to the inside.
    ///
    /// # Errors
    /// As those of [`resolve`](Self::resolve).
    pub fn resolve_dynamic(
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
        // Only where the first target is itself a dynamic anchor of that name does the scope count.
        if anchor(self.resource(target)) != Some(target) {
            return Ok(target);
        }
        Ok(scope.iter().find_map(|&resource| anchor(resource)).unwrap_or(target))
    }

    /// Whether any resource has a dynamic anchor, `$dynamicAnchor` or `$recursiveAnchor: true`. If none has, scopes need not
    /// be followed. A resource under an unknown keyword counts from when a pointer has led there.
    pub fn is_dynamic(&self) -> bool {
        self.dynamic
    }

    fn resolve_as(&mut self, id: SchemaId, keyword: &str, reference: &str) -> Result<SchemaId, Error> {
        let (rest, fragment) = uri::split(reference);
        let own = self.resource(id);
        let resource = if rest.is_empty() {
            own
        } else {
            let base = &self.resources[own.index()].base;
            let target = uri::resolve(base, rest);
            if target == *base {
                own
            } else if let Some(&resource) = self.by_uri.get(&target) {
                resource
            } else {
                let reason = Reason::Unsupported(format!("{target} is not among the documents"));
                return Err(Error::new(self.pointer(id), keyword, reason));
            }
        };
        let error = |documents: &Self, what: &str| {
            let reason = Reason::Invalid(format!("'{reference}': {what}"));
            Err(Error::new(documents.pointer(id), keyword, reason))
        };
        let Some(fragment) = uri::decode(fragment.unwrap_or_default()) else {
            return error(self, "a percent sign does not begin an escape of UTF-8");
        };
        let root = self.resources[resource.index()].root;
        if fragment.is_empty() {
            return Ok(root);
        }
        let Some(pointer) = fragment.strip_prefix('/') else {
            return match self.resources[resource.index()].anchors.get(&*fragment) {
                Some(&target) => Ok(target),
                None => error(self, "there is no such anchor"),
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

    /// Goes down from a schema. A location where no schema was known is walked now, as part of the innermost known schema
    /// around it. The inner error says what is wrong with the steps.
    fn follow<'s>(
        &mut self,
        from: SchemaId,
        steps: impl Iterator<Item = Cow<'s, str>> + Clone,
    ) -> Result<Result<SchemaId, &'static str>, Error> {
        let mut value = self.value(from);
        let mut known = from;
        // Where the last known schema is.
        let mut inside = 0;
        let mut count = 0;
        for step in steps.clone() {
            let below = match value {
                Value::Object(object) => keyword::entry(object, &step),
                Value::Array(items) => index(&step).and_then(|index| items.get(index)),
                _ => None,
            };
            let Some(below) = below else { return Ok(Err("there is nothing")) };
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
            return Ok(Err(NO_SCHEMA));
        }
        let mut beyond = String::new();
        steps.skip(inside).for_each(|step| push_step(&mut beyond, &step));
        self.walk(value, Parent::Schema(known), Steps::Pointer(beyond.into()), true)?;
        Ok(Ok(self.by_address[&address(value)]))
    }

    fn is_cancelled(&self) -> bool {
        self.config.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }
}

/// Room for so many schemas from the beginning.
const ROOM: usize = 28;

const NO_SCHEMA: &str = "a schema must be an object or a boolean";

/// An index as JSON pointers write it: without sign and leading zeros.
fn index(step: &str) -> Option<usize> {
    let plain = step.bytes().all(|byte| byte.is_ascii_digit()) && (step == "0" || !step.starts_with('0'));
    if plain { step.parse().ok() } else { None }
}
