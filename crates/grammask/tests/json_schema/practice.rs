//! Schemas as people send them: one row for each class of input that fell short, with texts that are accepted
//! and texts that are not.

use grammask::json_schema::Unsupported;
use grammask::{Config, Grammar};
use serde_json::{Value, json};

use crate::cases::check;
use crate::validator::is_valid;
use crate::{accepts, bytes, standard};

/// Returns the configuration that weakens and lists constraints without a grammar.
fn relaxed() -> Config {
    let mut config = standard();
    config.json_schema.unsupported = Unsupported::Relax;
    config
}

/// Returns pointer and keyword of each relaxation, sorted.
fn listed(schema: &Value, config: &Config) -> Vec<String> {
    let grammar = Grammar::from_json_schema(schema, &bytes(), config).unwrap();
    let list = grammar.relaxations().iter();
    let mut list: Vec<String> = list.map(|item| format!("{} {}", item.pointer, item.keyword)).collect();
    list.sort();
    list.dedup();
    list
}

/// `n` beside a property that cannot be translated.
fn beside(schema: &Value) -> Value {
    json!({"properties": {"a": schema, "n": {"type": "integer", "minimum": 1}}})
}

#[test]
fn what_cannot_be_translated_is_dropped_at_its_place() {
    let nested =
        |depth: usize| (0..depth).fold(json!({"type": "null"}), |inner, _| json!({"allOf": [inner]}));
    for (schema, keyword) in [
        (json!({"pattern": "^(a)\\1$"}), "/properties/a pattern"),
        (json!({"pattern": "(?<"}), "/properties/a pattern"),
        (json!({"pattern": 1}), "/properties/a pattern"),
        (json!({"required": null}), "/properties/a required"),
        (json!({"enum": null}), "/properties/a enum"),
        (json!({"properties": null}), "/properties/a properties"),
        (json!({"type": "String"}), "/properties/a type"),
        (json!({"type": "any"}), "/properties/a type"),
        (json!({"minimum": "1"}), "/properties/a minimum"),
        (json!({"$ref": "https://example.org/other.json"}), "/properties/a $ref"),
        (json!({"$ref": "#/nowhere"}), "/properties/a $ref"),
        (json!({"$ref": "#/properties/a"}), "/properties/a $ref"),
        (json!({"anyOf": []}), "/properties/a anyOf"),
        (json!({"minItems": 10_000_000_000_u64}), "/properties/a minItems"),
        (json!(null), " properties"),
    ] {
        let schema = beside(&schema);
        check(
            &relaxed(),
            &[(schema.clone(), &[r#"{"a":"x","n":1}"#], &[r#"{"a":"x","n":0}"#, r#"{"n":"1"}"#])],
        );
        assert_eq!(listed(&schema, &relaxed()), [keyword], "{schema}");
        assert!(Grammar::from_json_schema(&schema, &bytes(), &standard()).is_err(), "{schema}");
    }
    check(&relaxed(), &[(beside(&nested(300)), &[r#"{"a":null,"n":1}"#], &[r#"{"a":"x","n":0}"#])]);
}

#[test]
fn keywords_beside_a_dropped_one_stay() {
    check(
        &relaxed(),
        &[
            (json!({"type": "text", "maxLength": 2}), &[r#""ab""#, "1"], &[r#""abc""#]),
            (json!({"type": "string", "pattern": 1, "enum": ["a", "b"]}), &[r#""a""#], &[r#""c""#, "1"]),
            // Other keys than those of `properties` are not known any more.
            (
                json!({"type": "object", "properties": null, "additionalProperties": false, "required": ["a"]}),
                &[r#"{"a":1}"#, r#"{"a":1,"b":2}"#],
                &["{}", "1"],
            ),
            (
                json!({"$ref": "https://example.org/x", "unevaluatedProperties": false, "required": ["a"]}),
                &[r#"{"a":1}"#, r#"{"a":1,"b":2}"#],
                &["{}"],
            ),
            (
                json!({"allOf": [{"$ref": "https://example.org/x"}], "unevaluatedItems": false, "minItems": 2}),
                &["[1,2]"],
                &["[]", "[1]"],
            ),
            // Up to draft 7, keywords next to a reference are ignored, also if it leads nowhere.
            (
                json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "x", "type": "null"}}}),
                &[r#"{"a":1}"#],
                &[],
            ),
            (
                json!({"items": [{"type": "text"}, {"type": "integer"}], "additionalItems": false}),
                &["[1,2]", r#"["x"]"#],
                &["[1,2,3]", r#"[1,"x"]"#],
            ),
        ],
    );
}

#[test]
fn an_excluded_schema_is_not_weakened_but_its_exclusion_dropped() {
    let vague = json!({"pattern": "^(a)\\1$"});
    let cases = [
        (json!({"type": "string", "not": vague}), " not"),
        (json!({"type": "string", "not": {"not": {"not": vague}}}), " not"),
        (json!({"type": "string", "oneOf": [vague, {"maxLength": 3}]}), " oneOf"),
        (json!({"type": "string", "if": vague, "then": {"maxLength": 2}, "else": {"minLength": 1}}), " if"),
    ];
    for (schema, keyword) in cases {
        let list = listed(&schema, &relaxed());
        assert!(list.contains(&keyword.to_owned()), "{list:?}");
        check(&relaxed(), &[(schema, &[r#""aaa""#, r#""b""#, r#""aa""#], &["1"])]);
    }
    // The properties of a branch are excluded from another one while rules are written.
    let branch = |schema: Value| json!({"properties": {"p": schema}, "required": ["p"]});
    let schema = json!({"type": "object", "oneOf": [branch(vague), branch(json!({"maxLength": 3}))]});
    check(&relaxed(), &[(schema, &[r#"{"p":"b"}"#, r#"{"p":"aa"}"#], &["{}", "1"])]);
}

#[test]
fn limits_weaken_the_place_that_exceeds_them() {
    let either =
        |key: u32| json!({"anyOf": [{"required": [format!("a{key}")]}, {"required": [format!("b{key}")]}]});
    let many = json!({"type": "object", "allOf": (0..11).map(either).collect::<Vec<_>>()});
    check(
        &relaxed(),
        &[(
            beside(&many),
            &[r#"{"a":{"a0":1},"n":1}"#, r#"{"a":{},"n":1}"#],
            &[r#"{"a":{},"n":0}"#, r#"{"a":1}"#],
        )],
    );
    let mut config = relaxed();
    config.json_schema.limits.max_work = 800;
    let list: Vec<Value> = (0..2000).map(|index| json!({ "const": index })).collect();
    check(
        &config,
        &[(
            beside(&json!({"anyOf": list})),
            &[r#"{"a":5,"n":1}"#, r#"{"a":5000,"n":1}"#],
            &[r#"{"n":0}"#, "{"],
        )],
    );
    config.json_schema.limits.max_work = 2;
    assert!(Grammar::from_json_schema(&beside(&json!({})), &bytes(), &config).is_err());
}

#[test]
fn a_root_of_which_nothing_is_left_is_refused() {
    for schema in [json!({"type": "text"}), json!({"$ref": "#"}), json!({"allOf": 1, "title": "x"}), json!(7)]
    {
        assert!(Grammar::from_json_schema(&schema, &bytes(), &relaxed()).is_err(), "{schema}");
    }
}

#[test]
fn lists_of_items_are_tuples_in_every_draft() {
    let tuple = json!({"type": "array", "items": [{"type": "string"}, {"type": "integer"}], "additionalItems": false});
    assert_eq!(listed(&tuple, &standard()), [""; 0]);
    check(&standard(), &[(tuple, &[r#"["a",1]"#, r#"["a"]"#], &[r#"["a",1,true]"#, "[1]"])]);
}

#[test]
fn formats_that_are_asserted_in_part_are_listed() {
    let mail = json!({"type": "string", "format": "idn-email"});
    assert_eq!(listed(&mail, &standard()), [" format"]);
}

#[test]
fn metaschemas_are_built_in() {
    let case = json!({"type": "object", "properties": {"input": {"$ref": "http://json-schema.org/draft-07/schema#"}}, "required": ["input"]});
    check(
        &standard(),
        &[(
            case,
            &[r#"{"input":{"type":"string"}}"#, r#"{"input":true}"#, r#"{"input":{"items":{"minimum":1}}}"#],
            &[
                r#"{"input":{"type":"text"}}"#,
                r#"{"input":{"items":{"minimum":"1"}}}"#,
                r#"{"input":1}"#,
                "{}",
            ],
        )],
    );
    let newest = json!({"$ref": "https://json-schema.org/draft/2020-12/schema"});
    check(
        &standard(),
        &[(
            newest,
            &["true", r#"{"prefixItems":[{"$defs":{"a":{"type":["null"]}}}]}"#],
            &[r#"{"prefixItems":[{"$defs":{"a":{"type":["none"]}}}]}"#, r#"{"minLength":-1}"#, "1"],
        )],
    );
}

#[test]
fn references_by_path_get_a_hint() {
    for reference in ["/$defs/x", "$defs/x", "./$defs/x"] {
        let schema = json!({"properties": {"a": {"$ref": reference}}, "$defs": {"x": {"type": "null"}}});
        let error = Grammar::from_json_schema(&schema, &bytes(), &standard()).unwrap_err().to_string();
        assert!(error.contains("written `#/$defs/x`"), "{error}");
        assert!(error.contains("'/properties/a', $ref"), "{error}");
    }
}

#[test]
fn texts_keep_the_order_of_keys_and_all_digits() {
    let text = r#"{"properties": {"z": {"const": 0.1000000000000000000000000000001}, "a": {}}, "required": ["z", "a"]}"#;
    let mut config = standard();
    config.json_schema.property_order = grammask::json_schema::PropertyOrder::AsWritten;
    let grammar = Grammar::from_json_schema_text(text, &bytes(), &config).unwrap();
    assert!(accepts(&grammar, r#"{"z":0.1000000000000000000000000000001,"a":1}"#));
    assert!(!accepts(&grammar, r#"{"z":0.1,"a":1}"#));
    assert!(!accepts(&grammar, r#"{"a":1,"z":0.1000000000000000000000000000001}"#));
}

#[test]
fn names_that_no_key_can_have_are_noted() {
    let schema = json!({"type": "object", "propertyNames": {"type": "integer"}});
    assert_eq!(listed(&schema, &standard()), [""; 0]);
    let grammar = Grammar::from_json_schema(&schema, &bytes(), &standard()).unwrap();
    assert_eq!(grammar.schema_notes()[0].keyword, "propertyNames");
    check(&standard(), &[(schema, &["{}"], &[r#"{"1":1}"#])]);
}

/// Checks that documents are accepted if and only if a validator calls them valid.
fn agrees_with_the_validator(schema: &Value, documents: &[Value]) {
    let grammar = Grammar::from_json_schema(schema, &bytes(), &standard()).unwrap();
    let mut valid = 0;
    for document in documents {
        let expected = is_valid(schema, document);
        valid += usize::from(expected);
        assert_eq!(accepts(&grammar, &document.to_string()), expected, "{document} of {schema}");
    }
    assert!(valid > 0 && valid < documents.len(), "{valid} valid documents of {schema}");
}

#[test]
fn chains_of_conditions_about_a_key_are_split_by_the_key() {
    let documents: Vec<Value> = [
        json!({}),
        json!(1),
        json!("a"),
        json!([]),
        json!({"kind": 1}),
        json!({"kind": "other"}),
        json!({"kind": "other", "p0": "x"}),
        json!({"p0": 1}),
        json!({"p0": 1, "p1": 1, "p2": 1, "p3": 1, "p4": 1}),
        json!({"p0": 1, "p1": 1, "p2": 1, "p3": 1, "p4": 1, "p5": 1}),
    ]
    .into_iter()
    .chain((0..6).flat_map(|index| {
        let (kind, own, next) = (format!("k{index}"), format!("p{index}"), format!("p{}", (index + 1) % 6));
        [
            json!({"kind": kind}),
            json!({"kind": kind, own.clone(): 1}),
            json!({"kind": kind, own.clone(): "x"}),
            json!({own.clone(): 1, "kind": kind}),
            json!({"kind": kind, next: 1}),
            json!({"kind": [kind], own: 1}),
        ]
    }))
    .collect();
    for (requires_key, requires_object, is_list) in [
        (false, false, false),
        (true, false, false),
        (false, true, true),
        (true, true, true),
        (true, true, false),
    ] {
        let conditions: Vec<Value> = (0..6)
            .map(|index| {
                let kind = format!("k{index}");
                let constant = if is_list {
                    json!({"enum": [kind, format!("other{index}")]})
                } else {
                    json!({"const": kind})
                };
                let mut test = json!({"properties": {"kind": constant}});
                if requires_key {
                    test["required"] = json!(["kind"]);
                }
                if requires_object {
                    test["type"] = json!("object");
                }
                let own = format!("p{index}");
                json!({"if": test, "then": {"required": [&own], "properties": {&own: {"type": "integer"}}}})
            })
            .collect();
        agrees_with_the_validator(&json!({"allOf": conditions}), &documents);
        let mut more = conditions.clone();
        more.push(json!({"properties": {"kind": {"enum": ["k1", "k2", "other", 1]}}}));
        agrees_with_the_validator(&json!({"allOf": more, "type": ["object", "integer"]}), &documents);
        // A constant that occurs twice.
        more.push(json!({"if": {"properties": {"kind": {"const": "k1"}}}, "then": {"required": ["p2"]}}));
        agrees_with_the_validator(&json!({"allOf": more}), &documents);
    }
}

#[test]
fn a_chain_of_many_conditions_compiles() {
    let conditions: Vec<Value> = (0..300)
        .map(|index| {
            let field = format!("p{index}");
            json!({
                "if": {"properties": {"kind": {"const": format!("r{index}")}}, "required": ["kind"]},
                "then": {"properties": {"spec": {"required": [&field], "properties": {&field: {"type": "string"}}}}},
            })
        })
        .collect();
    let schema = json!({"type": "object", "properties": {"kind": {"type": "string"}}, "allOf": conditions});
    check(
        &standard(),
        &[(
            schema,
            &[
                r#"{"kind":"r77","spec":{"p77":"x"}}"#,
                r#"{"kind":"r149"}"#,
                r#"{"spec":{},"kind":"none"}"#,
                "{}",
            ],
            &[
                r#"{"spec":{"p76":"x"},"kind":"r77"}"#,
                r#"{"kind":"r299","spec":{"p299":1}}"#,
                r#"{"kind":1}"#,
            ],
        )],
    );
}

#[test]
fn a_union_whose_tag_may_be_absent_is_split_by_the_tag() {
    let branches: Vec<Value> = (0..5)
        .map(|index| {
            let (own, other) = (format!("a{index}"), format!("b{index}"));
            json!({
                "type": "object",
                "properties": {
                    "op": {"const": format!("op{index}"), "default": "x", "type": "string"},
                    own: {"type": "integer"}, other: {"type": "string"},
                },
            })
        })
        .collect();
    let schema = json!({"oneOf": branches, "discriminator": {"propertyName": "op"}});
    let mut documents = vec![
        json!({}),
        json!({"op": "op9"}),
        json!({"op": 1}),
        json!(1),
        json!({"a0": "x", "a1": "x", "a2": "x", "a3": "x"}),
        json!({"a0": "x", "b1": 1, "a2": "x", "b3": 1, "a4": 1}),
        json!({"a0": "x", "a1": "x", "a2": "x"}),
        json!({"a0": "x", "a1": "x", "a2": "x", "a3": "x", "a4": "x"}),
    ];
    for index in 0..5 {
        let op = format!("op{index}");
        let (own, next) = (format!("a{index}"), format!("a{}", (index + 1) % 5));
        documents.extend([
            json!({"op": op}),
            json!({"op": op, own.clone(): 1}),
            json!({"op": op, own.clone(): "x"}),
            json!({"op": op, next.clone(): "x"}),
            json!({own: 1, next: "x"}),
        ]);
    }
    agrees_with_the_validator(&schema, &documents);
}

#[test]
fn documents_without_the_tag_of_a_large_union_are_not_offered_for_generation() {
    let branches: Vec<Value> = ["buy", "sell", "move", "count", "label", "audit"]
        .into_iter()
        .map(|op| {
            let [a, b, c] = ["a", "b", "c"].map(|name| format!("{op}_{name}"));
            json!({
                "type": "object",
                "properties": {
                    "op": {"const": op, "default": op, "type": "string"},
                    a: {"type": "string"}, b: {"type": "integer"}, c: {"type": "boolean"},
                },
            })
        })
        .collect();
    let union = json!({"oneOf": branches});
    let schema = json!({"type": "object", "properties": {"job": union}, "required": ["job"]});
    check(
        &Config::default(),
        &[
            (
                schema.clone(),
                &[
                    r#"{"job":{"op":"buy","buy_b":2}}"#,
                    r#"{"job":{"op":"move"}}"#,
                    r#"{"job":{"op":"sell","buy_b":"x"}}"#,
                ],
                &[r#"{"job":{"op":"buy","buy_b":"two"}}"#, r#"{"job":{"op":"fly"}}"#, r#"{"job":{}}"#],
            ),
            // An exclusion excludes more documents than the union has, so that nothing invalid is offered.
            (
                json!({"type": "object", "properties": {"op": {"const": "buy"}}, "required": ["op"], "not": union}),
                &[r#"{"op":"buy","buy_b":"two"}"#],
                &[r#"{"op":"buy"}"#, r#"{"op":"buy","sell_b":"x"}"#],
            ),
            (
                json!({"type": "object", "properties": {"op": false}, "not": union}),
                &[r#"{"buy_a":1,"sell_a":1,"move_a":1,"count_a":1,"label_a":1,"audit_a":1}"#],
                &[r#"{"buy_a":1,"sell_a":1,"move_a":1,"count_a":1,"label_a":1}"#],
            ),
        ],
    );
    assert!(Grammar::from_json_schema(&schema, &bytes(), &standard()).is_err());
}

#[test]
fn keys_without_a_name_are_counted_if_all_values_have_one_constraint() {
    let numbers = json!({"type": "object", "minProperties": 2, "additionalProperties": {"type": "integer"}});
    let open = json!({"type": "object", "minProperties": 2, "maxProperties": 3});
    let with_names =
        json!({"type": "object", "required": ["a"], "properties": {"b": {}}, "minProperties": 4});
    let patterns = json!({"minProperties": 3, "patternProperties": {"^x": {}, "y$": true}, "additionalProperties": false});
    for config in [standard(), Config::default()] {
        check(
            &config,
            &[
                (
                    numbers.clone(),
                    &[r#"{"q":1,"r":2}"#, r#"{"a":1,"aa":2,"b":3}"#],
                    &["{}", r#"{"q":1}"#, r#"{"q":1,"q":2}"#, r#"{"q":1,"r":"x"}"#, r#"{"q":1,"r":2,"q":3}"#],
                ),
                (
                    open.clone(),
                    &[r#"{"q":{"q":1,"q":1},"r":[]}"#, r#"{"a":1,"b":2,"c":null}"#],
                    &[r#"{"q":1}"#, r#"{"q":1,"q":2}"#, r#"{"a":1,"b":2,"c":3,"d":4}"#],
                ),
                (
                    with_names.clone(),
                    &[r#"{"a":1,"b":2,"c":3,"d":4}"#, r#"{"x":1,"y":1,"a":1,"z":1}"#],
                    &[
                        r#"{"b":1,"c":1,"d":1,"e":1}"#,
                        r#"{"a":1,"b":1,"c":1}"#,
                        r#"{"a":1,"b":1,"c":1,"c":1}"#,
                    ],
                ),
                (
                    patterns.clone(),
                    &[r#"{"x":1,"y":2,"xy":3}"#],
                    &[r#"{"x":1,"y":2}"#, r#"{"x":1,"y":2,"a":3}"#, r#"{"x":1,"y":2,"x":3}"#],
                ),
            ],
        );
    }
    let two = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "null"}}, "minProperties": 2});
    let by_pattern = json!({"patternProperties": {"^s": {"type": "string"}, "^i": {"type": "integer"}},
        "additionalProperties": false, "minProperties": 2, "maxProperties": 3});
    check(
        &standard(),
        &[
            (
                two,
                &[
                    r#"{"q":1,"r":2}"#,
                    r#"{"q":1,"a":"x"}"#,
                    r#"{"b":null,"a":"x","c":1}"#,
                    r#"{"c":1,"b":null,"d":2}"#,
                ],
                &["{}", r#"{"a":"x"}"#, r#"{"q":1}"#, r#"{"q":1,"q":2}"#, r#"{"q":1,"a":2}"#],
            ),
            (
                by_pattern,
                &[r#"{"s1":"x","s2":"y"}"#, r#"{"i":1,"s":"","i2":2}"#, r#"{"i1":1,"i2":2}"#, "1"],
                &[r#"{"s":"x"}"#, r#"{"i":1,"i":2}"#, r#"{"i":1,"s":1}"#, r#"{"i":1,"s":"","i2":2,"i3":3}"#],
            ),
        ],
    );
    // `\u0071` is the letter q.
    let open = json!({"minProperties": 2});
    check(&standard(), &[(open, &[r#"{"\u0071":1,"r":2}"#, "1"], &[r#"{"\u0071":1,"q":2}"#])]);
}

#[test]
fn distinct_items_beside_contains_and_after_first_items() {
    let has = |contains: Value, more: Value| {
        let mut schema = json!({"type": "array", "uniqueItems": true, "contains": contains});
        more.as_object().unwrap().iter().for_each(|(key, value)| schema[key] = value.clone());
        schema
    };
    check(
        &standard(),
        &[
            (
                has(json!({"const": "x"}), json!({"items": {"type": "string"}})),
                &[r#"["x"]"#, r#"["a","x","b"]"#],
                &["[]", r#"["a"]"#, r#"["x","x"]"#, r#"["a","x","a"]"#, r#"["x",1]"#],
            ),
            (
                has(json!({"enum": [1, 2, 3]}), json!({"minContains": 2})),
                &["[1,2]", "[2,{},3.0]", "[1,2,3]"],
                &["[1]", "[1,1]", "[1,1.0]", "[1,2,[],[]]", "[4,5]"],
            ),
            (
                has(json!({"enum": [1, 2, 3]}), json!({"minContains": 0, "maxContains": 1})),
                &["[]", "[1]", "[4,1,5]", "[{}]"],
                &["[1,2]", "[4,4]", "[2,4,3]"],
            ),
            (
                has(json!({"type": "integer"}), json!({"items": {"type": "integer"}, "minContains": 2})),
                &["[1,2]", "[3,2,1]"],
                &["[1]", "[1,1]", "[]"],
            ),
            (
                has(json!({"type": "string"}), json!({"items": {"type": "null"}, "minContains": 0})),
                &["[]", "[null]"],
                &["[null,null]"],
            ),
            (
                json!({"type": "array", "uniqueItems": true, "prefixItems": [{"type": "string"}, {"type": "null"}],
                    "items": {"type": "integer"}}),
                &["[]", r#"["a"]"#, r#"["a",null]"#, r#"["a",null,1,2]"#],
                &[r#"["a",null,1,1]"#, r#"["a",1]"#, "[1]"],
            ),
            (
                json!({"type": "array", "uniqueItems": true, "prefixItems": [{"type": "string"}], "minItems": 3,
                    "items": {"type": "object"}}),
                &[r#"["a",{},{"a":1}]"#],
                &[r#"["a",{}]"#, r#"["a",{},{}]"#, r#"["a",{"a":1},{"a":1.0}]"#],
            ),
        ],
    );
}

#[test]
fn tagged_branches_of_any_of_are_combined_with_unevaluated_properties() {
    let branches: Vec<Value> = (0..40)
        .map(|index| {
            let own = format!("p{index}");
            json!({"properties": {"kind": {"const": format!("k{index}")}, own: {"type": "integer"}}, "required": ["kind"]})
        })
        .collect();
    let schema = json!({"anyOf": branches, "properties": {"id": {}}, "unevaluatedProperties": false});
    let right = &[r#"{"kind":"k7","p7":1,"id":2}"#, r#"{"kind":"k39"}"#];
    check(&standard(), &[(schema, right, &[r#"{"kind":"k7","p8":1}"#, r#"{"kind":"k7","q":1}"#, "{}"])]);
    // Branches that evaluate nothing, and branches that hold together.
    let required: Vec<Value> = (0..12).map(|index| json!({"required": [format!("p{index}")]})).collect();
    let schema =
        json!({"anyOf": required, "properties": {"p0": {}, "p11": {}}, "unevaluatedProperties": false});
    check(&standard(), &[(schema, &[r#"{"p0":1}"#, r#"{"p11":1,"p0":1}"#], &["{}", r#"{"p1":1}"#])]);
    let both = json!({"anyOf": [{"properties": {"a": {"type": "integer"}}}, {"properties": {"b": {"type": "string"}}}],
        "unevaluatedProperties": false});
    let right = &[r#"{"a":1,"b":"x"}"#, r#"{"a":1}"#, r#"{"b":"x"}"#, "{}"];
    check(
        &standard(),
        &[(both, right, &[r#"{"a":"x","b":1}"#, r#"{"a":1,"b":1}"#, r#"{"a":"x"}"#, r#"{"c":1}"#])],
    );
}

#[test]
fn regular_expressions_with_a_pattern_are_exact_without_groups() {
    let time = json!({"format": "regex", "pattern": "^-?[0-9]+(\\.[0-9]+)?:[0-9*]*$", "minLength": 1});
    let right = &[r#""-12.5:0*1""#, r#""1:""#, r#""-1:*""#];
    check(&standard(), &[(time.clone(), right, &[r#""12""#, r#""1:2**""#])]);
    assert_eq!(listed(&time, &standard()), [""; 0]);
    let short = json!({"format": "regex", "pattern": "^[a(]b?$"});
    assert!(Grammar::from_json_schema(&short, &bytes(), &standard()).is_err());
}

#[test]
fn times_without_an_offset_are_an_option() {
    let mut config = Config::default();
    let time = json!({"type": "string", "format": "date-time"});
    let naive: &[&str] = &[r#""2024-02-29T01:02:03""#, r#""2024-02-29T01:02:03.5""#];
    let right: &[&str] = &[r#""2024-02-29T01:02:03Z""#];
    check(&config, &[(time.clone(), &[r#""2024-02-29T01:02:03Z""#], &[r#""2024-02-29T01:02:03""#])]);
    config.json_schema.naive_times = true;
    let grammar = Grammar::from_json_schema(&time, &bytes(), &config).unwrap();
    assert!(naive.iter().chain(right).all(|text| accepts(&grammar, text)));
    let cases = [
        (json!({"format": "time"}), &[r#""01:02:03""#, r#""01:02:03+01:00""#][..], &[r#""25:00:00""#][..]),
        (
            json!({"format": "duration"}),
            &[r#""-P2DT23H59M55.5S""#, r#""P1D""#],
            &[r#""P1.5D""#, r#""--P1D""#],
        ),
    ];
    check(&config, &cases);
}
