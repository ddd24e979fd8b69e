//! Each rule of references on a small document: where a reference leads from a location.

use serde_json::{Value, json};

use super::{Config, Documents, Inputs};
use super::{Draft, Error, Reason, ResourceId, SchemaId};
use crate::config::{Document, Limits};
use crate::error::Limit;

fn config(draft: Draft, documents: &[(&str, Value)]) -> Config {
    let documents = documents
        .iter()
        .map(|(uri, schema)| Document { uri: (*uri).to_owned(), schema: schema.clone() })
        .collect();
    Config { draft, documents, ..Config::default() }
}

/// Opens a schema. It is leaked, so that tests need not keep it.
fn open<'c>(root: &Value, config: &'c Config) -> Result<Documents<'c>, Error> {
    let inputs = Inputs::of_value(root, config)?;
    Documents::new(Box::leak(Box::new(inputs)), config)
}

/// Returns the schema that a pointer names, in the root document or after a URI.
fn at(documents: &mut Documents<'_>, pointer: &str) -> SchemaId {
    let (uri, pointer) = pointer.split_once('#').unwrap_or(("", pointer));
    let from = documents.resources[documents.by_uri[uri].index()].root;
    let from = if uri.is_empty() { documents.root() } else { from };
    let steps: Vec<String> =
        pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect();
    documents.child(from, &steps.iter().map(String::as_str).collect::<Vec<_>>()).unwrap()
}

/// Resolves references. A case is the location, the reference, and the location it leads to, or `!` and the
/// start of a reason.
fn check(root: &Value, config: &Config, cases: &[(&str, &str, &str)]) {
    let mut documents = open(root, config).unwrap();
    for &(from, reference, expected) in cases {
        let id = at(&mut documents, from);
        let found = match documents.resolve(id, reference) {
            Ok(target) => documents.pointer(target),
            Err(error) => {
                assert_eq!((&*error.pointer, &*error.keyword), (&*documents.pointer(id), "$ref"));
                format!("!{}", error.reason)
            }
        };
        let fits = if expected.starts_with('!') { found.starts_with(expected) } else { found == expected };
        assert!(fits, "from '{from}' {reference}: {found}, not {expected}");
    }
}

#[test]
fn pointers_reach_every_location_of_the_resource() {
    let root = json!({
        "properties": { "a/b": { "items": true }, "m~n": {}, "50%": {}, "é": {}, "": { "": {} } },
        "allOf": [{}, false],
        "unknown": { "deep": [{ "properties": { "x": {} } }] },
        "title": "text",
        "enum": [{ "not": {} }],
    });
    check(
        &root,
        &config(Draft::Draft202012, &[]),
        &[
            ("/allOf/0", "#", ""),
            ("/allOf/0", "", ""),
            ("", "#/properties/a~1b/items", "/properties/a~1b/items"),
            ("", "#/properties/m~0n", "/properties/m~0n"),
            ("", "#/properties/50%25", "/properties/50%"),
            ("", "#/properties/%C3%A9", "/properties/é"),
            ("", "#/properties//", "/properties//"),
            ("", "#/allOf/1", "/allOf/1"),
            ("", "#/allOf/01", "!invalid schema: '#/allOf/01': the location does not exist"),
            ("", "#/allOf/2", "!invalid"),
            ("", "#/allOf", "!invalid schema: '#/allOf': a schema must be"),
            ("", "#/title", "!invalid"),
            ("", "#/title/x", "!invalid"),
            ("", "#/properties/%zz", "!invalid schema: '#/properties/%zz': a percent"),
            ("", "#/unknown/deep/0/properties/x", "/unknown/deep/0/properties/x"),
            ("", "#/unknown/deep/0", "/unknown/deep/0"),
            ("", "#/enum/0/not", "/enum/0/not"),
            ("", "#nowhere", "!invalid schema: '#nowhere': the anchor does not exist"),
            ("", "other.json", "!no exact grammar: a reference to other.json, which is not among"),
        ],
    );
}

#[test]
fn each_location_has_one_schema_id() {
    let root = json!({ "properties": { "a": { "items": [{}] } }, "unknown": { "x": [{ "not": {} }] } });
    let config = config(Draft::Draft7, &[]);
    let mut documents = open(&root, &config).unwrap();
    let root = documents.root();
    let a = documents.child(root, &["properties", "a"]).unwrap();
    assert_eq!(documents.child(a, &["items", "0"]), documents.resolve(a, "#/properties/a/items/0"));
    let inner = documents.resolve(a, "#/unknown/x/0/not").unwrap();
    let outer = documents.child(root, &["unknown", "x", "0"]).unwrap();
    assert_eq!(documents.child(outer, &["not"]), Ok(inner));
    assert_eq!(documents.child(a, &[]), Ok(a));
    let error = documents.child(a, &["items"]).unwrap_err();
    assert_eq!((&*error.pointer, &*error.keyword), ("/properties/a", "items"));
    assert!(documents.child(a, &["not"]).is_err());
}

#[test]
fn ids_change_the_base_and_anchors_belong_to_resources() {
    let root = json!({
        "$id": "http://x.org/root.json",
        "$defs": {
            "a": { "$id": "folder/a.json", "$anchor": "n", "$defs": { "in": { "$anchor": "m" } } },
            "b": { "$id": "folder/b.json", "items": { "$anchor": "n" } },
            "c": { "$anchor": "n" },
            "u": { "$id": "urn:example:1", "not": { "$anchor": "n" } },
            "same": { "$id": "folder/a.json", "$anchor": "late" },
        },
    });
    check(
        &root,
        &config(Draft::Draft202012, &[]),
        &[
            ("", "#n", "/$defs/c"),
            ("", "folder/a.json", "/$defs/a"),
            ("", "folder/a.json#n", "/$defs/a"),
            ("", "/folder/./x/../a.json#/$defs/in", "/$defs/a/$defs/in"),
            ("", "#/$defs/a/$defs/in", "/$defs/a/$defs/in"),
            ("/$defs/a/$defs/in", "#", "/$defs/a"),
            ("/$defs/a", "#m", "/$defs/a/$defs/in"),
            ("/$defs/a", "b.json#n", "/$defs/b/items"),
            ("/$defs/b/items", "../root.json", ""),
            ("/$defs/b", "//x.org/root.json#/$defs/c", "/$defs/c"),
            ("/$defs/b", "#m", "!invalid"),
            ("/$defs/b", "c.json", "!no exact grammar: a reference to http://x.org/folder/c.json"),
            ("", "urn:example:1#n", "/$defs/u/not"),
            ("/$defs/u/not", "#/not", "/$defs/u/not"),
            ("/$defs/u", "http://x.org/root.json", ""),
            ("", "folder/a.json#late", "!invalid"),
            ("/$defs/same", "#late", "/$defs/same"),
        ],
    );
}

#[test]
fn ids_without_base_resolve_relative_to_each_other() {
    let root = json!({ "$defs": { "a": { "$id": "a.json", "not": {} }, "b": { "$id": "sub/b.json" } } });
    let cases = [
        ("", "a.json", "/$defs/a"),
        ("/$defs/a/not", "sub/b.json", "/$defs/b"),
        ("/$defs/b", "../a.json", "/$defs/a"),
    ];
    check(&root, &config(Draft::Draft202012, &[]), &cases);
}

#[test]
fn until_draft_7_fragments_are_anchors_and_ref_siblings_are_ignored() {
    let root = json!({
        "$id": "http://x.org/root.json",
        "definitions": {
            "anchor": { "$id": "#foo" },
            "absolute": { "$id": "http://x.org/other#bar", "not": {} },
            "nested": { "$id": "nested.json", "definitions": { "inner": { "$id": "#foo" } } },
            "neighbour": { "$id": "http://x.org/sub/", "$ref": "nested.json" },
            "new": { "$anchor": "new" },
        },
        "$defs": { "unknown": { "$id": "http://x.org/unknown" } },
    });
    check(
        &root,
        &config(Draft::Draft7, &[]),
        &[
            ("", "#foo", "/definitions/anchor"),
            ("", "http://x.org/other#bar", "/definitions/absolute"),
            ("/definitions/absolute/not", "#", "/definitions/absolute"),
            ("", "nested.json#foo", "/definitions/nested/definitions/inner"),
            ("/definitions/neighbour", "nested.json", "/definitions/nested"),
            ("", "http://x.org/sub/", "!no exact"),
            ("", "#new", "!invalid"),
            ("", "http://x.org/unknown", "!no exact"),
        ],
    );
    let root = json!({
        "id": "http://x.org/root.json",
        "definitions": { "a": { "id": "a.json" }, "b": { "$id": "b.json" } },
        "properties": { "id": { "id": "#anchor" } },
        "enum": [{ "id": "enum.json" }],
        "default": { "id": "default.json" },
    });
    check(
        &root,
        &config(Draft::Draft4, &[]),
        &[
            ("", "a.json", "/definitions/a"),
            ("", "b.json", "!no exact"),
            ("", "#anchor", "/properties/id"),
            ("", "enum.json", "!no exact"),
            ("", "default.json", "!no exact"),
        ],
    );
}

#[test]
fn documents_are_found_by_given_uri_and_by_own_id() {
    let documents = [
        ("http://x.org/a.json", json!({ "$defs": { "s": { "$ref": "b.json" }, "t": true } })),
        ("http://x.org/b.json", json!({ "$id": "http://y.org/c.json", "items": { "$ref": "d.json" } })),
        ("http://x.org/d.json#", json!({ "$anchor": "here" })),
    ];
    check(
        &json!({ "$id": "http://x.org/root.json", "$ref": "a.json" }),
        &config(Draft::Draft202012, &documents),
        &[
            ("", "a.json", "http://x.org/a.json#"),
            ("", "a.json#/$defs/t", "http://x.org/a.json#/$defs/t"),
            ("http://x.org/a.json#/$defs/s", "b.json", "http://x.org/b.json#"),
            ("http://x.org/a.json#/$defs/s", "root.json", ""),
            ("http://x.org/a.json#/$defs/s", "#/$defs/t", "http://x.org/a.json#/$defs/t"),
            ("", "http://y.org/c.json", "http://x.org/b.json#"),
            ("http://x.org/b.json#/items", "d.json", "!no exact grammar: a reference to http://y.org/d.json"),
            ("", "d.json#here", "http://x.org/d.json#"),
        ],
    );
}

#[test]
fn draft_is_that_of_the_innermost_resource_that_names_one() {
    let root = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {
            "plain": { "not": {} },
            "resource": { "$id": "a", "not": {} },
            "other": { "$id": "b", "$schema": "https://json-schema.org/draft/2020-12/schema", "not": {} },
            "unknown": { "$id": "c", "$schema": "http://x.org/own" },
            "nothing": { "$schema": "http://json-schema.org/draft-06/schema" },
            "old": { "id": "d", "$schema": "http://json-schema.org/draft-04/schema#" },
        },
    });
    let config = config(Draft::Draft201909, &[("http://x.org/a", json!({}))]);
    let mut documents = open(&root, &config).unwrap();
    for (pointer, draft) in [
        ("", Draft::Draft7),
        ("/definitions/plain/not", Draft::Draft7),
        ("/definitions/resource/not", Draft::Draft7),
        ("/definitions/other/not", Draft::Draft202012),
        ("/definitions/unknown", Draft::Draft201909),
        ("/definitions/nothing", Draft::Draft7),
        ("/definitions/old", Draft::Draft4),
        ("http://x.org/a#", Draft::Draft201909),
    ] {
        let id = at(&mut documents, pointer);
        assert_eq!(documents.draft(id), draft, "{pointer}");
    }
}

#[test]
fn subschemas_are_found_by_the_keywords_of_the_draft() {
    use Draft::{Draft4, Draft6, Draft7, Draft201909, Draft202012};
    let one = |keyword: &str| json!({ keyword: { "id": "x", "$id": "x" } });
    let array = |keyword: &str| json!({ keyword: [true, { "id": "x", "$id": "x" }] });
    let object = |keyword: &str| json!({ keyword: { "a": ["b"], "c": { "id": "x", "$id": "x" } } });
    let all = [Draft4, Draft6, Draft7, Draft201909, Draft202012];
    for (root, first, last) in [
        (one("not"), Draft4, Draft202012),
        (one("additionalProperties"), Draft4, Draft202012),
        (one("items"), Draft4, Draft202012),
        (array("items"), Draft4, Draft201909),
        (one("additionalItems"), Draft4, Draft201909),
        (array("prefixItems"), Draft202012, Draft202012),
        (array("allOf"), Draft4, Draft202012),
        (array("anyOf"), Draft4, Draft202012),
        (array("oneOf"), Draft4, Draft202012),
        (object("properties"), Draft4, Draft202012),
        (object("patternProperties"), Draft4, Draft202012),
        (object("definitions"), Draft4, Draft202012),
        (object("dependencies"), Draft4, Draft202012),
        (one("contains"), Draft6, Draft202012),
        (one("propertyNames"), Draft6, Draft202012),
        (one("if"), Draft7, Draft202012),
        (one("then"), Draft7, Draft202012),
        (one("else"), Draft7, Draft202012),
        (object("$defs"), Draft201909, Draft202012),
        (object("dependentSchemas"), Draft201909, Draft202012),
        (one("unevaluatedItems"), Draft201909, Draft202012),
        (one("unevaluatedProperties"), Draft201909, Draft202012),
        (one("contentSchema"), Draft201909, Draft202012),
    ] {
        for draft in all {
            let config = config(draft, &[]);
            let mut documents = open(&root, &config).unwrap();
            let known = documents.resolve(documents.root(), "x").is_ok();
            assert_eq!(known, (first..=last).contains(&draft), "{root} {draft:?}");
        }
    }
}

#[test]
fn ids_under_unknown_keywords_count_for_their_subschemas_only() {
    let root = json!({
        "unknown": {
            "a": { "$id": "http://x.org/a", "$anchor": "n", "not": { "$ref": "#n" } },
            "b": { "$anchor": "late" },
        },
        "items": {},
    });
    check(
        &root,
        &config(Draft::Draft202012, &[]),
        &[
            ("/items", "http://x.org/a", "!no exact"),
            ("/items", "#/unknown/a", "/unknown/a"),
            ("/items", "http://x.org/a", "!no exact"),
            ("/items", "#n", "!invalid"),
            ("/items", "#/unknown/b", "/unknown/b"),
            ("/items", "#late", "!invalid"),
            ("/unknown/a/not", "#n", "/unknown/a"),
            ("/unknown/a/not", "/a", "/unknown/a"),
        ],
    );
}

#[test]
fn dynamic_anchors_are_searched_outermost_first() {
    let root = json!({
        "$id": "http://x.org/list",
        "$defs": {
            "string": { "$id": "string", "$defs": { "item": { "$dynamicAnchor": "item" } } },
            "none": { "$id": "none" },
            "plain": { "$id": "plain", "$anchor": "item" },
            "item": { "$dynamicAnchor": "item", "$ref": "#/$defs/item" },
        },
    });
    let config = config(Draft::Draft202012, &[]);
    let mut documents = open(&root, &config).unwrap();
    assert!(documents.is_dynamic());
    let mut check = |from: &str, reference: &str, scope: &[&str], expected: &str| {
        let from = at(&mut documents, from);
        let scope: Vec<_> = scope
            .iter()
            .map(|pointer| {
                let id = at(&mut documents, pointer);
                documents.resource(id)
            })
            .collect();
        let found = documents.resolve_dynamic(from, reference, &scope).unwrap();
        assert_eq!(documents.pointer(found), expected);
    };
    check("", "#item", &[""], "/$defs/item");
    check("", "#item", &[], "/$defs/item");
    check("", "#item", &["/$defs/string", ""], "/$defs/string/$defs/item");
    check("", "#item", &["/$defs/none", "/$defs/plain", "/$defs/string", ""], "/$defs/string/$defs/item");
    check("", "#item", &["", "/$defs/string"], "/$defs/item");
    // The first target is not a dynamic anchor, or has another name.
    check("/$defs/plain", "#item", &["", "/$defs/plain"], "/$defs/plain");
    check("", "#/$defs/item", &["/$defs/string", ""], "/$defs/item");
    check("/$defs/none", "list#item", &["/$defs/string", "/$defs/none"], "/$defs/string/$defs/item");
    let from = at(&mut documents, "");
    assert_eq!(documents.resolve_dynamic(from, "#no", &[]).unwrap_err().keyword, "$dynamicRef");
}

#[test]
fn recursive_references_go_to_the_outermost_recursive_anchor() {
    let root = json!({
        "$id": "http://x.org/tree",
        "$recursiveAnchor": true,
        "$defs": {
            "inner": { "$id": "inner", "$recursiveAnchor": true, "not": { "$recursiveRef": "#" } },
            "still": { "$id": "still", "$recursiveAnchor": false, "not": { "$recursiveRef": "#" } },
        },
    });
    let config = config(Draft::Draft201909, &[]);
    let mut documents = open(&root, &config).unwrap();
    assert!(documents.is_dynamic());
    let [top, inner, still] = ["", "/$defs/inner/not", "/$defs/still/not"].map(|at_| at(&mut documents, at_));
    let [outside, within, stays] = [top, inner, still].map(|id| documents.resource(id));
    let mut check = |from, scope: &[ResourceId], expected: &str| {
        let found = documents.resolve_dynamic(from, "#", scope).unwrap();
        assert_eq!(documents.pointer(found), expected);
    };
    check(inner, &[outside, within], "");
    check(inner, &[stays, within], "/$defs/inner");
    check(inner, &[], "/$defs/inner");
    check(still, &[outside, stays], "/$defs/still");
}

#[test]
fn scopes_are_tracked_only_with_dynamic_anchors() {
    let root = json!({ "$anchor": "a", "enum": [{ "$dynamicAnchor": "b" }], "$recursiveAnchor": true });
    let config = config(Draft::Draft202012, &[]);
    assert!(!open(&root, &config).unwrap().is_dynamic());
}

#[test]
fn values_other_than_schemas_are_refused_when_used() {
    let config = config(Draft::Draft202012, &[]);
    let root = json!({ "$defs": { "comment": "text" }, "not": 5 });
    let mut documents = open(&root, &config).unwrap();
    let root = documents.root();
    let error = documents.child(root, &["not"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "at '', not: invalid schema: at /not, a schema must be an object or a boolean"
    );
    assert!(matches!(open(&json!(5), &config), Err(Error { reason: Reason::Invalid(_), .. })));
}

#[test]
fn deep_schemas_and_growing_ids_are_handled() {
    // Values of `serde_json` are dropped by recursion, so this one is leaked.
    let mut deep = json!({});
    for _ in 0..200_000 {
        deep = Value::Object([("not".to_owned(), deep)].into_iter().collect());
    }
    let deep: &'static Value = Box::leak(Box::new(deep));
    let limits = Limits { max_nesting: u32::MAX, ..Limits::default() };
    let config = Config { limits, ..config(Draft::Draft202012, &[]) };
    let documents = open(deep, &config).unwrap();
    assert_eq!(documents.schemas.len(), 200_001);
    assert_eq!(documents.pointer(SchemaId(200_000)).len(), 800_000);

    let mut growing = json!({});
    for _ in 0..3_000 {
        growing = json!({ "$id": "folder/", "not": growing });
    }
    let error = open(Box::leak(Box::new(growing)), &config).err().unwrap();
    let Reason::Limit(exceeded) = error.reason else { panic!("{error}") };
    assert_eq!((exceeded.limit, exceeded.value), (Limit::UriBytes, 8_192));
}

#[test]
fn cancellation_ends_the_walk() {
    let root = json!({});
    let mut config = config(Draft::Draft202012, &[]);
    config.cancel = Some(std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true)));
    assert!(matches!(open(&root, &config), Err(Error { reason: Reason::Cancelled, .. })));
}
