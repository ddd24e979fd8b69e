//! Schemas that are made to exhaust time, memory or stack. Each ends with a grammar or an error, within the
//! limits of `Config`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use grammask_json_schema::{
    Config, Document, Error, Limit, LimitExceeded, Limits, Reason, Unsupported, translate,
};
use serde_json::{Map, Value, json};

/// Translates a schema and leaks it: dropping a deep one would exhaust the stack. Relaxing it must end as
/// well, and must not refuse what is translated otherwise.
fn outcome(schema: Value) -> Result<usize, Error> {
    let result = translate(&schema, &Config::default()).map(|translation| translation.ast.exprs.len());
    let relaxing = Config { unsupported: Unsupported::Relax, ..Config::default() };
    let relaxed = translate(&schema, &relaxing);
    assert!(relaxed.is_ok() || result.is_err(), "{relaxed:?}");
    std::mem::forget(schema);
    result
}

/// Expects a grammar.
fn grammar(name: &str, schema: Value) {
    outcome(schema).unwrap_or_else(|error| panic!("{name}: {error}"));
}

/// Expects that a limit is exceeded.
fn limit(name: &str, schema: Value, expected: Limit) {
    match outcome(schema) {
        Err(Error { reason: Reason::Limit(exceeded), .. }) => assert_eq!(exceeded.limit, expected, "{name}"),
        other => panic!("{name}: {other:?}"),
    }
}

/// Expects a grammar, or any error that a valid schema may have.
fn any_end(name: &str, schema: Value) {
    if let Err(error) = outcome(schema) {
        assert!(
            matches!(error.reason, Reason::Limit { .. } | Reason::Unsupported(_) | Reason::Unsatisfiable(_)),
            "{name}: {error}"
        );
    }
}

/// Wraps a schema into another one, `times` times.
fn nested(times: usize, inner: Value, wrap: impl Fn(Value) -> Value) -> Value {
    (0..times).fold(inner, |inner, _| wrap(inner))
}

fn object(entries: impl IntoIterator<Item = (String, Value)>) -> Value {
    Value::Object(entries.into_iter().collect())
}

/// Returns an object with one entry, which is moved: a copy would be recursive.
fn one(key: &str, value: Value) -> Value {
    let mut entries = Map::new();
    entries.insert(key.to_owned(), value);
    Value::Object(entries)
}

fn list(value: Value) -> Value {
    Value::Array(vec![value])
}

#[test]
fn deep_schemas_for_one_value() {
    for (keyword, deepest) in [("oneOf", 1_000_000), ("anyOf", 100_000), ("allOf", 100_000)] {
        let wrap = |inner| one(keyword, list(inner));
        limit(keyword, nested(4_000, json!({"type": "null"}), wrap), Limit::Depth);
        limit(keyword, nested(deepest, json!(true), wrap), Limit::Nesting);
        grammar(keyword, nested(100, json!({"type": "null"}), wrap));
    }
    for keyword in ["not", "if", "then"] {
        limit(keyword, nested(9_000, json!({"type": "null"}), |inner| json_if(keyword, inner)), Limit::Depth);
    }
}

fn json_if(keyword: &str, inner: Value) -> Value {
    let mut schema = one(keyword, inner);
    if keyword == "then" {
        schema.as_object_mut().unwrap().insert("if".to_owned(), json!({"type": "string"}));
    }
    if keyword == "if" {
        schema.as_object_mut().unwrap().insert("then".to_owned(), json!({"type": "string"}));
    }
    schema
}

#[test]
fn deep_schemas_for_nested_values() {
    for (keyword, deepest) in [("items", 1_000_000), ("additionalProperties", 100_000), ("contains", 100_000)]
    {
        any_end(keyword, nested(9_000, json!({"type": "null"}), |inner| one(keyword, inner)));
        limit(keyword, nested(deepest, json!({"type": "null"}), |inner| one(keyword, inner)), Limit::Nesting);
    }
    for keyword in ["properties", "patternProperties", "$defs"] {
        let deep = |times| nested(times, json!({"type": "null"}), |inner| one(keyword, one("a", inner)));
        any_end(keyword, deep(4_000));
        limit(keyword, deep(100_000), Limit::Nesting);
    }
}

#[test]
fn deep_constants_and_annotations() {
    let deep = |times| nested(times, json!(null), list);
    for keyword in ["const", "default", "x-something"] {
        limit(keyword, one(keyword, deep(1_000_000)), Limit::Nesting);
    }
    any_end("const", one("const", deep(9_000)));
    any_end("enum", one("enum", list(deep(9_000))));
    grammar("default", one("default", deep(9_000)));
    grammar("unknown keyword", one("x-something", deep(9_000)));
    let object = nested(9_000, json!(null), |inner| one("a", inner));
    any_end("const of objects", one("const", object));
    any_end("two equal ones", json!({"allOf": [{"const": [[[1]]]}, {"const": [[[1]]]}]}));
}

#[test]
fn error_names_the_location_that_nests_too_deep() {
    let place = |schema: Value, nesting, documents: &[Document]| {
        let limits = Limits { max_nesting: nesting, ..Limits::default() };
        let config = Config { limits, documents: documents.to_vec(), ..Config::default() };
        let error = translate(&schema, &config).err()?;
        let exceeded = LimitExceeded { limit: Limit::Nesting, value: u64::from(nesting), found: None };
        assert_eq!(error.reason, Reason::Limit(exceeded));
        Some(error.pointer)
    };
    let schema = json!({"title": "t", "items": {"enum": [1, [2], 3, {"a/b": [4]}]}});
    assert_eq!(place(schema.clone(), 5, &[]), None);
    assert_eq!(place(schema.clone(), 4, &[]).as_deref(), Some("/items/enum/3/a~1b"));
    assert_eq!(place(schema.clone(), 3, &[]).as_deref(), Some("/items/enum/1"));
    let document = Document { uri: "https://a/b".to_owned(), schema };
    assert_eq!(place(json!(true), 3, &[document]).as_deref(), Some("https://a/b#/items/enum/1"));
}

#[test]
fn references_that_form_a_cycle() {
    let is_invalid = |name: &str, schema: Value| match outcome(schema) {
        Err(Error { reason: Reason::Invalid(_), .. }) => {}
        other => panic!("{name}: {other:?}"),
    };
    is_invalid("to itself", json!({"$ref": "#"}));
    is_invalid("to itself, in allOf", json!({"allOf": [{"$ref": "#"}]}));
    let mutual =
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}});
    is_invalid("mutual", mutual);
    let ring = |keyword: &str| {
        let defs = (0..1000).map(|index| {
            let next = json!({"$ref": format!("#/$defs/d{}", (index + 1) % 1000)});
            (format!("d{index}"), json!({"type": "object", keyword: {"a": next}}))
        });
        json!({"$ref": "#/$defs/d0", "$defs": object(defs)})
    };
    any_end("a ring of dependentSchemas", ring("dependentSchemas"));
    grammar("a ring of properties", ring("properties"));
    let chain =
        (0..10_000).map(|index| (format!("d{index}"), json!({"$ref": format!("#/$defs/d{}", index + 1)})));
    let chain = json!({"$ref": "#/$defs/d0", "$defs": object(chain.chain([("d10000".into(), json!(true))]))});
    any_end("a chain of references", chain);
    let small = json!({"dependentSchemas": {"a": {"$ref": "#/$defs/b"}}, "$defs": {
        "b": {"dependentSchemas": {"b": {"$ref": "#/$defs/c"}}},
        "c": {"dependentSchemas": {"c": {"required": ["d"]}}},
    }});
    grammar("nested dependentSchemas", small);
}

#[test]
fn dynamic_scopes_that_grow() {
    let resource = |index: usize| {
        let items: Vec<Value> =
            (0..8).map(|step| json!({"$ref": format!("r{}", (index * 3 + step) % 20)})).collect();
        json!({"$id": format!("r{index}"), "prefixItems": items, "items": {"$dynamicRef": "#n"},
            "$defs": {"n": {"$dynamicAnchor": "n", "type": "integer", "minimum": index}}})
    };
    let defs = (0..20).map(|index| (format!("r{index}"), resource(index)));
    let schema = json!({"$id": "https://example.com/root", "$ref": "r0", "$defs": object(defs)});
    limit("dynamic scopes", schema, Limit::Work);
}

#[test]
fn large_lists() {
    let texts: Vec<Value> = (0..400_000).map(|index| json!(format!("value number {index:012}"))).collect();
    any_end("10 MB enum", json!({ "enum": texts }));
    let numbers: Vec<Value> = (0..100_000).map(|index| json!(index)).collect();
    any_end("enum of numbers", json!({ "enum": numbers }));
    let lists: Vec<Value> = (0..20_000).map(|index| json!([index])).collect();
    limit("enum of lists", json!({ "enum": lists }), Limit::Alternatives);
    let properties = || object((0..100_000).map(|index| (format!("key{index}"), json!({"type": "null"}))));
    any_end("10^5 properties", json!({ "properties": properties() }));
    let keys = || -> Vec<Value> { (0..100_000).map(|index| json!(format!("key{index}"))).collect() };
    any_end("10^5 required", json!({ "required": keys() }));
    any_end("10^5 properties, all required", json!({"properties": properties(), "required": keys()}));
    let both =
        json!({"allOf": [{"properties": properties()}, {"properties": properties(), "required": keys()}]});
    any_end("10^5 properties, twice", both);
    let ring = object(
        (0..100_000).map(|index| (format!("key{index}"), json!([format!("key{}", (index + 1) % 100_000)]))),
    );
    any_end("10^5 dependentRequired in a ring", json!({ "dependentRequired": ring }));
    let chain = object(
        (0..20_000)
            .map(|index| (format!("key{}", 20_000 - index), json!([format!("key{}", 19_999 - index)]))),
    );
    any_end(
        "a chain of dependentRequired to what may not be",
        json!({"dependentRequired": chain, "properties": {"key0": false}}),
    );
    let items: Vec<Value> = (0..100_000).map(|index| json!({"minLength": index})).collect();
    any_end("10^5 first items", json!({ "prefixItems": items }));
    let branches: Vec<Value> = (0..100_000).map(|_| json!({"type": "string"})).collect();
    any_end("10^5 equal branches of oneOf", json!({ "oneOf": branches }));
    let patterns = object((0..1000).map(|index| (format!("^{index}"), json!({"type": "null"}))));
    any_end("1000 patterns of keys", json!({ "patternProperties": patterns }));
}

#[test]
fn products_of_alternatives() {
    let pair = |index: usize| {
        json!([{"properties": {format!("a{index}"): {"type": "null"}}, "required": [format!("a{index}")]},
            {"properties": {format!("b{index}"): {"type": "null"}}, "required": [format!("b{index}")]}])
    };
    for keyword in ["anyOf", "oneOf"] {
        let all: Vec<Value> = (0..30).map(|index| json!({keyword: pair(index)})).collect();
        limit(keyword, json!({ "allOf": all }), Limit::Alternatives);
    }
    let all: Vec<Value> = (0..30).map(|index| json!({"not": {"allOf": pair(index)}})).collect();
    any_end("not of allOf", json!({ "allOf": all }));
    let all: Vec<Value> = (0..30)
        .map(|index| json!({"if": {"required": [format!("a{index}")]}, "then": {"minProperties": index}}))
        .collect();
    any_end("many conditions", json!({ "allOf": all }));
    let dependent =
        object((0..30).map(|index| (format!("a{index}"), json!({"required": [format!("b{index}")]}))));
    any_end("many dependentSchemas", json!({ "dependentSchemas": dependent }));
    let branches: Vec<Value> = (0..200).map(|index| json!({"required": [format!("a{index}")]})).collect();
    any_end("oneOf without discriminator", json!({ "oneOf": branches }));
    let branches: Vec<Value> = (0..200).map(|index| json!({"pattern": format!("a{{{index}}}b")})).collect();
    any_end("oneOf of patterns", json!({ "oneOf": branches }));
    let nested = nested(
        12,
        json!({"required": ["x"]}),
        |inner| json!({"not": {"anyOf": [{"properties": {"a": &inner}}, {"items": &inner}]}}),
    );
    any_end("not of anyOf, nested", nested);
    let contains: Vec<Value> = (0..12).map(|index| json!({"contains": {"minimum": index}})).collect();
    any_end("many contains", json!({ "allOf": contains }));
    let contains: Vec<Value> = (0..5).map(|index| json!({"contains": {"minimum": index}})).collect();
    any_end("five contains", json!({ "allOf": contains }));
    let unevaluated: Vec<Value> =
        (0..8).map(|index| json!({"properties": {format!("a{index}"): true}})).collect();
    any_end("unevaluatedProperties", json!({"anyOf": unevaluated, "unevaluatedProperties": false}));
}

#[test]
fn patterns_that_blow_up() {
    for pattern in [
        "^(a|a)*$",
        "^(x+x+)+y$",
        "^.{1000}.{1000}$",
        "^(.{0,1000}){0,1000}$",
        "(a*)*b(a*)*c(a*)*d",
        "^(a?){1000}a{1000}$",
        "^((a{0,99}){0,99}){0,99}$",
        "^[ab]*a[ab]{40}$",
        "^(?!.*a.{40}b).*c.{40}d",
        "\\p{L}{1000}",
        "^(?=.*a)(?=.*b)(?=.*c)(?=.*d)(?=.*e).*$",
    ] {
        any_end(pattern, json!({ "pattern": pattern }));
        any_end(pattern, json!({"type": "string", "not": {"pattern": pattern}}));
    }
    any_end("10^5 characters", json!({"pattern": "ab?".repeat(33_000)}));
    any_end("10^5 groups", json!({"pattern": format!("{}{}", "(".repeat(100_000), ")".repeat(100_000))}));
    let all: Vec<Value> = (0..40).map(|index| json!({"pattern": format!("a.{{{index}}}b")})).collect();
    any_end("40 patterns at once", json!({"type": "string", "allOf": all}));
    let all: Vec<Value> =
        (0..40).map(|index| json!({"not": {"pattern": format!("a.{{{index}}}b")}})).collect();
    any_end("none of 40 patterns", json!({"type": "string", "allOf": all}));
    let keys = object((0..12).map(|index| (format!("a.{{{index}}}b"), json!({"minimum": index}))));
    any_end("12 patterns of keys that overlap", json!({ "patternProperties": keys }));
}

#[test]
fn huge_numbers() {
    grammar("minimum", serde_json::from_str(r#"{"minimum": 1e308}"#).unwrap());
    grammar("many digits", serde_json::from_str(&format!(r#"{{"maximum": {}}}"#, "9".repeat(300))).unwrap());
    any_end("multipleOf", serde_json::from_str(r#"{"multipleOf": 1e-300}"#).unwrap());
    any_end("multipleOf", serde_json::from_str(r#"{"multipleOf": 1e300}"#).unwrap());
    any_end("multipleOf", json!({"multipleOf": 0.123_456_789, "minimum": 0.1, "maximum": 123_456_789.123}));
    any_end(
        "many bounds",
        json!({"allOf": (0..100).map(|index| json!({"minimum": index, "maximum": 1e9 - f64::from(index)})).collect::<Vec<_>>()}),
    );
    grammar("maxLength", json!({"maxLength": 1_000_000_000}));
    grammar("lengths", json!({"type": "string", "minLength": 999_999_999, "maxLength": 1_000_000_000}));
    any_end(
        "lengths with a pattern",
        json!({"type": "string", "maxLength": 1_000_000_000, "pattern": "^(ab)*$"}),
    );
    any_end("lengths apart", json!({"type": "string", "minLength": 1_000_000, "pattern": "^a{0,1000}$"}));
    grammar("minItems", json!({"minItems": 1_000_000_000}));
    grammar(
        "minItems, first items",
        json!({"prefixItems": [true, {"type": "null"}], "minItems": 1_000_000_000}),
    );
    grammar("maxItems", json!({"maxItems": 18_446_744_073_709_551_615_u64}));
    any_end(
        "minContains",
        json!({"contains": {"type": "null"}, "minContains": 18_446_744_073_709_551_615_u64}),
    );
    any_end(
        "maxContains",
        json!({"contains": {"type": "null"}, "maxContains": 18_446_744_073_709_551_615_u64, "not": {"minItems": 3}}),
    );
    any_end(
        "not maxContains",
        json!({"not": {"contains": {"type": "null"}, "maxContains": 18_446_744_073_709_551_615_u64}}),
    );
    any_end("minProperties", json!({"minProperties": 18_446_744_073_709_551_615_u64}));
    any_end("not maxItems", json!({"not": {"maxItems": 18_446_744_073_709_551_615_u64}}));
    any_end("not maxProperties", json!({"not": {"maxProperties": 18_446_744_073_709_551_615_u64}}));
    any_end(
        "contains behind many",
        json!({"contains": {"type": "null"}, "minContains": 1_000_000_000, "minItems": 5}),
    );
}

#[test]
fn the_complement_of_the_greatest_maximum_has_a_minimum_that_fits() {
    let limits = Limits { max_count: u32::MAX, ..Limits::default() };
    let config = Config { limits, ..Config::default() };
    let negated = |max: u64| {
        let one = json!({"contains": {"const": 1}, "minContains": 0, "maxContains": max});
        let schema = json!({"type": "array", "items": {"enum": [1, 2]}, "not": one});
        translate(&schema, &config).map(|translation| translation.ast.to_string())
    };
    let at_most = u64::from(u32::MAX) - 1;
    let text = negated(at_most).unwrap();
    assert!(text.contains("{4294967295}"), "{text}");
    // A greater maximum does not restrict anything, so its complement is empty.
    for max in [at_most + 1, at_most + 2] {
        let error = negated(max).unwrap_err();
        assert!(matches!(error.reason, Reason::Unsatisfiable(_)), "{max}: {error}");
    }
}

#[test]
fn counts_are_those_that_a_grammar_can_express() {
    let most = u64::from(Limits::default().max_count);
    for keyword in ["minItems", "minContains", "minProperties"] {
        let schema = |min: u64| json!({"contains": {"type": "null"}, keyword: min});
        let error = translate(&schema(most + 1), &Config::default()).unwrap_err();
        assert!(
            matches!(&error.reason, Reason::Limit(exceeded) if exceeded.limit == Limit::Count),
            "{error}"
        );
        assert!(
            error.to_string().contains(&format!("{keyword}: {} items or properties", most + 1)),
            "{error}"
        );
        let translation = translate(&schema(most), &Config::default()).unwrap();
        assert!(translation.ast.check().is_ok(), "{keyword}");
    }
    for keyword in ["maxItems", "maxContains", "maxProperties"] {
        for max in [most - 1, most] {
            let schema = json!({"not": {"contains": {"type": "null"}, keyword: max}});
            let translation = translate(&schema, &Config::default()).unwrap();
            assert!(translation.ast.check().is_ok(), "{keyword} {max}");
        }
    }
}

#[test]
fn strange_keys() {
    let schema = r##"{"properties": {"\u0000": {"type": "null"}, "\ud83d\ude00": {"type": "null"}, "\u001f\"\\/": {"const": "\u0000"},
        "": {"type": "null"}, "~1/~0": {"$ref": "#/properties/"}, "%25": {"$ref": "#/properties/~01~1~00"}}, "required": ["\u0000", ""],
        "additionalProperties": false}"##;
    grammar("control characters", serde_json::from_str(schema).unwrap());
    any_end("a long key", json!({"properties": {"x".repeat(1_000_000): {"type": "null"}}}));
    // Schemas that nothing refers to are not expanded.
    grammar("a long reference", json!({"$defs": {"a": {"$ref": format!("#{}", "/a".repeat(100_000))}}}));
}

#[test]
fn cancellation_ends_the_translation() {
    let config = Config { cancel: Some(Arc::new(AtomicBool::new(true))), ..Config::default() };
    let error = translate(&json!({"type": "null"}), &config).unwrap_err();
    assert_eq!(error.reason, Reason::Cancelled);
}

#[test]
fn work_is_deterministic() {
    let least = |schema: &Value| {
        let works = |max_work: u64| {
            let limits = Limits { max_work, ..Limits::default() };
            translate(schema, &Config { limits, ..Config::default() }).is_ok()
        };
        (1..100_000).find(|&work| works(work)).expect("some work is enough")
    };
    let schema = |count: usize| {
        let all: Vec<Value> = (0..count).map(|index| json!({"required": [format!("a{index}")]})).collect();
        json!({ "oneOf": all })
    };
    assert_eq!(least(&schema(4)), least(&schema(4)));
    assert!(least(&schema(2)) < least(&schema(4)));
}
