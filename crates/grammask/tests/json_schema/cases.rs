//! Documents of single schemas that were once translated wrongly, or refused although they are expressible.

use grammask::json_schema::Reason;
use grammask::{Config, Error, Grammar, TokenId, Vocabulary};
use serde_json::{Value, json};

use crate::{accepts, bytes, standard};

/// A schema, texts that are its documents, and texts that are none.
pub type Case = (Value, &'static [&'static str], &'static [&'static str]);

/// Judges the texts of some schemas.
pub fn check(config: &Config, cases: &[Case]) {
    let vocabulary: Vocabulary = bytes();
    for (schema, right, wrong) in cases {
        let grammar = Grammar::from_json_schema(schema, &vocabulary, config)
            .unwrap_or_else(|error: Error| panic!("{error}\n  of {schema}"));
        for text in *right {
            assert!(accepts(&grammar, text), "refused: {text}\n  of {schema}");
        }
        for text in *wrong {
            assert!(!accepts(&grammar, text), "accepted: {text}\n  of {schema}");
        }
    }
}

#[test]
fn schemas_that_differ_in_names_only_are_not_merged() {
    let two = |keyword: &str| {
        let one = |key: &str| match keyword {
            "dependentRequired" => json!({ key: ["n"] }),
            "required" | "enum" => json!([key]),
            _ => json!({ key: false }),
        };
        json!({"properties": {"x": {keyword: one("a")}, "y": {keyword: one("b")}}})
    };
    for keyword in ["dependentRequired", "properties", "dependentSchemas", "patternProperties"] {
        let right = &[r#"{"x":{"b":1},"y":{"a":1}}"#];
        let wrong = &[r#"{"x":{"a":1}}"#, r#"{"y":{"b":1}}"#];
        check(&standard(), &[(two(keyword), right, wrong)]);
    }
    check(
        &standard(),
        &[
            (two("dependentRequired"), &[r#"{"x":{"a":1,"n":1}}"#], &[]),
            (two("required"), &[r#"{"x":{"a":1},"y":{"b":1}}"#], &[r#"{"x":{"b":1}}"#, r#"{"y":{"a":1}}"#]),
            (two("enum"), &[r#"{"x":"a","y":"b"}"#], &[r#"{"x":"b"}"#, r#"{"y":"a"}"#]),
        ],
    );
}

#[test]
fn unique_items_are_exact_for_small_or_mixed_domains() {
    let unique = |mut schema: Value| {
        schema["uniqueItems"] = json!(true);
        schema["type"] = json!("array");
        schema
    };
    check(
        &standard(),
        &[
            (
                unique(json!({"items": {"type": "integer", "minimum": -1, "maximum": 6}})),
                &["[]", "[0,1,6]", "[6,5,4,3,2,1,0,-1]", "[1.0, 2]"],
                &["[1,1]", "[1, 1.0]", "[-0, 0]", "[7]", "[0.5]"],
            ),
            (
                unique(
                    json!({"items": {"type": "number", "multipleOf": 0.25, "exclusiveMinimum": -1, "maximum": 1}}),
                ),
                &["[0.5,-0.75,1]", "[0.250]"],
                &["[0.25,0.250]", "[-1]", "[0.1]"],
            ),
            (
                unique(json!({"items": {"type": "integer", "minimum": 2020, "maximum": 2030}})),
                &["[2020,2030,2025.0]", "[2021]"],
                &["[2020,2020.0]", "[2031]", "[2020.5]"],
            ),
            (
                unique(
                    json!({"$schema": "http://json-schema.org/draft-04/schema#", "items": {"type": "integer", "minimum": 0, "maximum": 2}}),
                ),
                &["[0,2,1]", "[]"],
                &["[0,0]", "[3]"],
            ),
            (
                unique(
                    json!({"items": {"type": ["integer", "null"], "minimum": 1, "maximum": 4, "multipleOf": 5}}),
                ),
                &["[null]", "[]"],
                &["[null,null]", "[0]", "[5]"],
            ),
            (
                unique(
                    json!({"prefixItems": [{"const": 1}, {"enum": [2, 3]}, {"minimum": 5}], "items": false}),
                ),
                &["[1,2,7]", "[1,3]", "[1,2,null]"],
                &["[2]", "[1,2,4]"],
            ),
            (
                unique(
                    json!({"prefixItems": [{"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "^b"}], "maxItems": 2}),
                ),
                &[r#"["a","b"]"#],
                &[r#"["a","a"]"#],
            ),
            (
                unique(json!({"items": {"type": "string"}})),
                &["[]", r#"["a"]"#, r#"["","a","b","ab"]"#, r#"["a\u006e","b"]"#],
                &[
                    r#"["a","b","a"]"#,
                    r#"["",""]"#,
                    r#"["an","a\u006E"]"#,
                    r#"["/", "\/"]"#,
                    r#"["😀","\ud83d\uDE00"]"#,
                    "[1]",
                ],
            ),
            (
                unique(
                    json!({"items": {"type": ["string", "boolean"], "maxLength": 40}, "minItems": 2, "maxItems": 3}),
                ),
                &[r#"["a",true]"#, r#"[false,true,"true"]"#],
                &[r#"["a"]"#, "[true,true]", r#"["a","b","c","d"]"#],
            ),
            (
                unique(json!({"items": {"type": "string", "pattern": "^(mon|tue|wed)$"}})),
                &[r#"["mon","tue"]"#, r#"["wed"]"#],
                &[r#"["mon","mon"]"#, r#"["mon","\u006don"]"#, r#"["sun"]"#],
            ),
            (
                unique(json!({"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false})),
                &[r#"["a",1]"#, r#"["b"]"#],
                &["[1]", r#"["a",1,2]"#],
            ),
            // First items that may be equal to later ones.
            (
                unique(json!({"prefixItems": [{"type": "boolean"}, {"type": "boolean"}]})),
                &["[]", "[true]", "[true,false]", r#"[false,true,"x",["x"],1,2,null]"#],
                &["[1]", "[true,true]", "[true,false,true]", "[true,false,1,1]", "[true,false,[0],[0.0]]"],
            ),
            (
                unique(json!({"prefixItems": [{"type": "boolean"}, {"type": "boolean"}], "items": false})),
                &["[]", "[false]", "[false,true]"],
                &["[false,false]", "[false,true,null]"],
            ),
            (
                unique(json!({
                    "prefixItems": [{"enum": ["a", 1, null]}, {"enum": [1.0, "b", "a"]}],
                    "items": {"type": ["string", "null"], "maxLength": 1},
                    "minItems": 2,
                })),
                &[r#"["a",1]"#, r#"["a","b",null,"c"]"#, r#"[1,"b","a"]"#, r#"[null,1,"b"]"#],
                &[r#"["a"]"#, r#"["a","\u0061"]"#, "[1,1.0]", r#"["a","b","a"]"#, r#"[null,1,null]"#],
            ),
        ],
    );
}

#[test]
fn multiples_of_several_numbers_are_multiples_of_one() {
    check(
        &standard(),
        &[
            (
                json!({"type": "integer", "multipleOf": 0.123_456_789}),
                &["123456789", "-246913578", "0"],
                &["1", "0.123456789"],
            ),
            (
                json!({"type": "number", "allOf": [{"multipleOf": 4}, {"multipleOf": 6}]}),
                &["12", "-24.0"],
                &["4", "6", "8"],
            ),
        ],
    );
}

#[test]
fn objects_other_than_a_constant_are_expressible() {
    check(
        &standard(),
        &[(
            json!({"type": "object", "not": {"const": {"a": false}}}),
            &["{}", r#"{"a":true}"#, r#"{"a":false,"b":1}"#],
            &[r#"{"a":false}"#],
        )],
    );
}

/// Many dependent schemas that only require keys are as cheap as a list of pairs.
#[test]
fn dependent_schemas_that_require_keys_only_are_lists_of_keys() {
    let keys: Vec<String> = (0..40).map(|number| format!("k{number}")).collect();
    let dependent: serde_json::Map<String, Value> = keys
        .iter()
        .map(|key| (key.clone(), json!({"title": "needs", "required": [format!("{key}x"), key]})))
        .collect();
    check(
        &standard(),
        &[
            (
                json!({"dependentSchemas": dependent}),
                &[r#"{"k1":1,"k1x":2}"#, r#"{"k7x":1,"k7":2,"a":3}"#, "7"],
                &[r#"{"k1":1}"#, r#"{"k1":1,"k2x":2}"#],
            ),
            (
                json!({"type": "object", "not": {"dependentSchemas": {"a": {"required": ["b"]}}}}),
                &[r#"{"a":1}"#],
                &["{}", r#"{"a":1,"b":1}"#],
            ),
        ],
    );
}

/// Ignored keywords are listed everywhere: alone, beside a reference, in a duplicate schema, in a draft
/// without them.
#[test]
fn ignored_keywords_are_listed() {
    let listed = |schema: Value| {
        let grammar = Grammar::from_json_schema(&schema, &bytes(), &standard()).unwrap();
        assert_eq!(grammar.relaxations(), [], "{schema}");
        let list = grammar.schema_notes().iter();
        let mut list: Vec<String> = list.map(|item| format!("{} {}", item.pointer, item.keyword)).collect();
        list.sort();
        list.join(", ")
    };
    let draft = |name: &str, schema: Value| {
        let mut schema = schema;
        schema["$schema"] = json!(format!("http://json-schema.org/{name}/schema#"));
        schema
    };
    assert_eq!(listed(json!({"properties": {"a": {"nosuch": 1}}, "title": "x"})), "/properties/a nosuch");
    let alike = json!({"properties": {"a": {"type": "string", "foo": 1}, "b": {"type": "string", "bar": 1}}});
    assert_eq!(listed(alike), "/properties/a foo, /properties/b bar");
    let beside = json!({"properties": {"a": {"$ref": "#/definitions/d", "type": "null", "foo": 1, "title": "x"}}, "definitions": {"d": {}}});
    assert_eq!(listed(beside.clone()), "/properties/a foo");
    assert_eq!(listed(draft("draft-07", beside)), "/properties/a foo, /properties/a type");
    assert_eq!(listed(draft("draft-04", json!({"const": 1, "if": {}}))), " const,  if");
    assert_eq!(listed(draft("draft-03", json!({"type": "object"}))), " $schema");
    assert_eq!(listed(json!({"additionalItems": false})), " additionalItems");
    assert_eq!(listed(draft("draft-07", json!({"additionalItems": false, "items": [{}]}))), "");
}

/// A limit exceeded while the domain of the items is counted means that its size is unknown.
#[test]
fn unique_items_of_unknown_domain_size_are_relaxed() {
    let mut config = standard();
    config.json_schema.unsupported = grammask::json_schema::Unsupported::Relax;
    let items = json!({"type": "integer", "multipleOf": 999_983, "minimum": 0, "maximum": 99_998_300_000u64});
    let schema = json!({"properties": {"u": {
        "type": "array", "uniqueItems": true, "items": items, "minItems": 50_000,
    }}});
    let grammar = Grammar::from_json_schema(&schema, &bytes(), &config).unwrap();
    let keywords: Vec<&str> =
        grammar.relaxations().iter().map(|relaxation| &relaxation.keyword[..]).collect();
    assert!(keywords.contains(&"uniqueItems"), "{keywords:?}");
    assert_eq!(grammar.relaxations()[0].pointer, "/properties/u");
}

/// Refused schemas, with the place and the keyword.
/// Whether the compile or the first mask reports it depends on which limit is met first.
#[test]
fn limits_of_searches_are_reported_not_hidden() {
    let email = json!({"type": "string", "format": "email", "not": {"pattern": "^\\S+@\\S+$"}});
    for schema in [email.clone(), json!({"type": "array", "items": email, "minItems": 1})] {
        match Grammar::from_json_schema(&schema, &bytes(), &standard()) {
            Err(Error::JsonSchema(error)) => {
                assert!(matches!(error.reason, Reason::Unsupported(_)), "{error}");
                assert!(error.to_string().contains("emptiness_steps"), "{error}");
            }
            Ok(grammar) => {
                let mut matcher = grammar.matcher();
                let start = if schema["type"] == "array" { "[\"" } else { "\"" };
                let _ = matcher.accept_bytes(start.as_bytes());
                let _ = matcher.mask();
                let error = matcher.error().unwrap_or_else(|| panic!("{schema} has a mask")).to_string();
                assert!(error.contains("max_mask_work") || error.contains("emptiness_steps"), "{error}");
            }
            Err(other) => panic!("{schema}: {other:?}"),
        }
    }
}

#[test]
fn multiples_between_bounds_need_no_search() {
    let mut config = standard();
    (config.normal.regular.emptiness_steps, config.json_schema.regular.emptiness_steps) = (2_000, 2_000);
    let day = |more: Value| {
        let mut schema = json!({"type": "integer", "multipleOf": 86_400});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    let old = "http://json-schema.org/draft-04/schema#";
    check(
        &config,
        &[
            (
                day(json!({"minimum": 86_400, "maximum": 31_536_000})),
                &["86400", "31536000", "172800.0"],
                &["0", "86401", "31622400", "317", "-86400"],
            ),
            (day(json!({"minimum": 100_000})), &["172800", "8640000000000"], &["86400", "100000"]),
            (day(json!({"not": {"multipleOf": 7}})), &["86400"], &["604800"]),
            (day(json!({"not": {"maximum": 200_000}})), &["259200"], &["172800", "200001"]),
            (
                json!({"$schema": old, "type": "integer", "multipleOf": 0.123456789}),
                &["123456789", "0"],
                &["1"],
            ),
            (
                json!({"type": "number", "oneOf": [{"multipleOf": 0.1234567}, {"multipleOf": 0.001}], "maximum": 1}),
                &["0.1234567", "0.5", "-123.456", "1"],
                &["0", "0.1234568", "1.001"],
            ),
            (
                json!({"type": "integer", "minimum": 1000, "oneOf": [{"multipleOf": 65_537}, {"minimum": 1}]}),
                &["1000", "65536"],
                &["65537", "131074", "999"],
            ),
        ],
    );
}

#[test]
fn negated_formats_exclude_all_valid_texts() {
    let host = json!({"format": "hostname"});
    const ENCODED: &str = r#""xn--4gbwdl.xn--wgbh1c""#;
    let text = |more: Value| {
        let mut schema = json!({"type": "string"});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    check(
        &standard(),
        &[
            (text(json!({"not": host})), &[r#""a b""#, r#""-""#], &[ENCODED, r#""a.b""#]),
            (
                text(json!({"oneOf": [host, {"pattern": "^x"}]})),
                &[r#""a.b""#, r#""x y""#],
                &[ENCODED, r#""x.b""#],
            ),
            (text(json!({"if": host, "then": {"maxLength": 3}})), &[r#""a.b""#, r#""a b c""#], &[ENCODED]),
            (text(json!({"not": {"not": host}})), &[r#""a.b""#], &[ENCODED, r#""a b""#]),
            (
                json!({"not": {"required": ["h"], "properties": {"h": host}}}),
                &["{}", r#"{"h": "a b"}"#],
                &[r#"{"h": "a.b"}"#, r#"{"h": "xn--4gbwdl.xn--wgbh1c"}"#],
            ),
        ],
    );
}

/// Checks that a mask has exactly the bytes that `accept` takes, at each position of a text.
fn masks_agree_with_accept(grammar: &Grammar, text: &str) {
    let mut matcher = grammar.matcher();
    for (position, byte) in text.bytes().enumerate() {
        for other in 0..=255u8 {
            let is_allowed = matcher.mask().allows(TokenId(other.into()));
            let is_accepted = matcher.clone().accept_bytes(&[other]).is_accepted();
            assert_eq!(is_allowed, is_accepted, "{other} at {position} of {text}");
        }
        assert!(matcher.accept_bytes(&[byte]).is_accepted(), "{position} of {text}");
    }
    assert!(matcher.is_complete(), "{text}");
}

#[test]
fn unique_numbers_are_compared_by_value() {
    let list = |items: Value| json!({"type": "array", "items": items, "uniqueItems": true});
    let cases = [
        (
            list(json!({"type": "integer"})),
            &["[]", "[1,2,3]", "[10,1,100]", "[-1,1,0]"][..],
            &["[1,1]", "[2,1,2]", "[0,0]", "[-7,7,-7]"][..],
        ),
        (
            list(json!({"type": "number"})),
            &["[1,1.5,-1]", "[0.1,0.01]", "[0.10,0.11]"],
            &["[1,1.0]", "[0.5,0.50]", "[-2,3,-2.00]"],
        ),
        (
            list(json!({"type": "integer", "minimum": 1, "maximum": 65535})),
            &["[80,443]", "[65535,1]"],
            &["[80,80]", "[0]", "[65536]", "[443,80,443]"],
        ),
        (
            list(json!({"type": ["integer", "string", "null", "boolean"]})),
            &[r#"[1,"1",null,true,false]"#, r#"["a","b",2]"#],
            &[r#"["a","a"]"#, "[null,null]", "[true,false,true]", r#"[1,"x",1]"#],
        ),
        (
            list(
                json!({"anyOf": [{"type": "integer", "minimum": 0, "maximum": 999}, {"enum": ["auto", null]}]}),
            ),
            &[r#"["auto",1,null,2]"#],
            &[r#"["auto",1,"auto"]"#, "[null,null]", "[7,7]", "[1000]"],
        ),
    ];
    for config in [standard(), Config::default()] {
        for (schema, right, wrong) in &cases {
            check(&config, &[(schema.clone(), right, wrong)]);
            let grammar = Grammar::from_json_schema(schema, &bytes(), &config).unwrap();
            masks_agree_with_accept(&grammar, right[0]);
            masks_agree_with_accept(&grammar, right[1.min(right.len() - 1)]);
        }
    }
    // By the standard, one number has several spellings.
    check(
        &standard(),
        &[(
            list(json!({"type": "integer"})),
            &["[1.0,2]", "[1.00,-1]"],
            &["[80,80.0]", "[0,-0]", "[-3.0,-3]"],
        )],
    );
}

#[test]
fn unique_arrays_and_objects_are_compared_by_value() {
    let list = |items: Value| json!({"type": "array", "items": items, "uniqueItems": true});
    let person = json!({
        "type": "object", "properties": {"who": {"type": "string"}, "role": {"enum": ["a", "b"]}},
        "required": ["who", "role"], "additionalProperties": false,
    });
    let pair = json!({"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 2});
    let cases = [
        (
            list(person.clone()),
            &[
                "[]",
                r#"[{"who":"x","role":"a"},{"role":"b","who":"x"},{"who":"xy","role":"a"}]"#,
                r#"[{"who":"","role":"a"},{"who":"y","role":"a"}]"#,
            ][..],
            &[
                r#"[{"who":"x","role":"a"},{"role":"a","who":"x"}]"#,
                r#"[{"who":"x","role":"a"},{"who":"y","role":"a"},{"who":"x","role":"a"}]"#,
            ][..],
        ),
        (
            list(json!({"type": "object"})),
            &[r#"[{},{"a":[]},{"a":{}},{"a":[{}]}]"#, r#"[{"a":1,"b":[1,2]},{"b":[2,1],"a":1}]"#],
            &["[{},{}]", r#"[{"a":1,"b":[1,2]},{"b":[1,2],"a":1}]"#, r#"[{"a":{"b":1}},{"a":{"b":1}}]"#],
        ),
        (
            list(pair.clone()),
            &["[[true,true],[true,false],[false,true],[false,false]]", "[[true,true]]"],
            &[
                "[[true,true],[true,true]]",
                "[[true,true],[true,false],[false,true],[false,false],[true,true]]",
            ],
        ),
        (
            json!({"uniqueItems": true}),
            &[r#"[1,"1",[1],{"a":1},null]"#, "[]"],
            &["[[1],[1]]", "[null,null]", "[1,2,1]"],
        ),
        (
            list(json!({"anyOf": [{"type": "string", "pattern": "^[ab]{2}$"}, person]})),
            &[r#"["aa","ab",{"who":"x","role":"a"},"bb"]"#],
            &[r#"["aa","ab","aa"]"#],
        ),
        // The inner lists are sets as well.
        (
            list(list(pair)),
            &["[[[true,true]],[]]", "[[[true,true],[false,true]],[[true,true]]]"],
            &["[[],[]]", "[[[true,true],[true,true]]]"],
        ),
    ];
    for config in [standard(), Config::default()] {
        for (schema, right, wrong) in &cases {
            check(&config, &[(schema.clone(), right, wrong)]);
            let grammar = Grammar::from_json_schema(schema, &bytes(), &config).unwrap();
            masks_agree_with_accept(&grammar, right[0]);
            masks_agree_with_accept(&grammar, right[right.len() - 1]);
        }
    }
    let open = list(json!({"type": "object"}));
    check(
        &standard(),
        &[(
            open,
            &[r#"[{"a":1},{"a":1.5}]"#],
            &[r#"[{"a":1},{"\u0061":10e-1}]"#, r#"[{"a":0},{ "a" : -0.0 }]"#],
        )],
    );
}

/// Once all four pairs are used, the array ends, and nothing leads to a repeated one.
#[test]
fn an_array_with_all_arrays_of_a_set_ends() {
    let pair = json!({"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 2});
    let schema = json!({"type": "array", "uniqueItems": true, "items": pair});
    let grammar = Grammar::from_json_schema(&schema, &bytes(), &Config::default()).unwrap();
    let mut matcher = grammar.matcher();
    assert!(matcher.accept_bytes(b"[[true,true],[false,true],[true,false").is_accepted());
    assert!(matcher.accept_bytes(b"],[").is_accepted());
    // Of `[true,` both continuations are used.
    assert!(!matcher.mask().allows(TokenId(b't'.into())) && matcher.mask().allows(TokenId(b'f'.into())));
    assert!(matcher.accept_bytes(b"false,false]").is_accepted());
    assert!(!matcher.mask().allows(TokenId(b','.into())) && matcher.mask().allows(TokenId(b']'.into())));
    let five = json!({"type": "array", "uniqueItems": true, "items": schema["items"], "minItems": 5});
    assert!(Grammar::from_json_schema(&five, &bytes(), &Config::default()).is_err());
}

#[test]
fn an_array_with_all_values_of_a_set_ends() {
    let schema = json!({
        "type": "array", "uniqueItems": true,
        "items": {"anyOf": [{"type": "integer", "minimum": 11, "maximum": 150}, {"const": "all"}]},
    });
    for config in [standard(), Config::default()] {
        let grammar = Grammar::from_json_schema(&schema, &bytes(), &config).unwrap();
        let mut items: Vec<String> = (11..=150).map(|number| number.to_string()).collect();
        items.insert(70, "\"all\"".to_owned());
        let mut matcher = grammar.matcher();
        let text = format!("[{}", items.join(","));
        assert!(matcher.accept_bytes(text.as_bytes()).is_accepted());
        assert!(!matcher.mask().allows(TokenId(b','.into())) && matcher.mask().allows(TokenId(b']'.into())));
        assert!(accepts(&grammar, &format!("{text}]")));
        let too_many =
            json!({"type": "array", "items": schema["items"], "uniqueItems": true, "minItems": 142});
        assert!(Grammar::from_json_schema(&too_many, &bytes(), &config).is_err());
    }
}

#[test]
fn nullable_schemas_of_openapi_allow_null() {
    let mut config = Config::default();
    config.json_schema.draft = grammask::json_schema::Draft::OpenApi30;
    check(
        &config,
        &[
            (
                json!({"properties": {"note": {"type": "string", "nullable": true}}, "required": ["note"]}),
                &[r#"{"note":null}"#, r#"{"note":"x"}"#],
                &[r#"{"note":1}"#],
            ),
            (json!({"type": "string", "nullable": true, "enum": [null]}), &["null"], &[r#""a""#]),
            (json!({"type": "string", "enum": ["a"], "nullable": true}), &["null", r#""a""#], &[r#""b""#]),
            (json!({"type": "string", "nullable": false}), &[r#""a""#], &["null"]),
            (
                json!({
                    "type": "object", "required": ["p"],
                    "properties": {"p": {"allOf": [{"$ref": "#/definitions/n"}], "nullable": true}},
                    "definitions": {"n": {"type": "integer", "minimum": 1, "exclusiveMinimum": true}},
                }),
                &[r#"{"p":null}"#, r#"{"p":2}"#],
                &[r#"{"p":1}"#],
            ),
            (
                json!({
                    "items": {"$ref": "#/definitions/n", "nullable": true}, "type": "array",
                    "definitions": {"n": {"type": "integer"}},
                }),
                &["[null,1]"],
                &[r#"["a"]"#],
            ),
        ],
    );
    // Elsewhere, the keyword is an annotation, unless `$schema` names OpenAPI.
    let nullable = json!({"type": "string", "nullable": true});
    check(&Config::default(), &[(nullable, &[r#""a""#], &["null"])]);
    let named = json!({
        "$schema": "https://spec.openapis.org/oas/3.0/schema/2024-10-18#/definitions/Schema",
        "type": "string", "nullable": true,
    });
    check(&Config::default(), &[(named, &["null"], &["1"])]);
}

#[test]
fn formats_of_generators_are_asserted_on_request() {
    let int32 = json!({"type": "integer", "format": "int32"});
    let cases = [
        (int32.clone(), &["2147483647", "-1"][..], &["3000000000"][..]),
        (
            json!({"type": "integer", "format": "uint64"}),
            &["18446744073709551615"],
            &["-1", "18446744073709551616"],
        ),
        (json!({"type": "integer", "format": "uint8", "maximum": 9}), &["9"], &["10", "-1"]),
        (json!({"type": "number", "format": "float"}), &["1.5", "3e38"], &["1e39"]),
        (json!({"format": "int8"}), &["127", r#""x""#], &["128", "1.5"]),
        (json!({"type": "string", "format": "uuid4", "pattern": "^x$"}), &[r#""x""#], &[r#""y""#]),
        (json!({"type": "string", "format": "base64"}), &[r#""YWI=""#, r#""a+\/=""#], &[r#""a""#]),
        (json!({"type": "string", "format": "password"}), &[r#""a""#], &["1"]),
    ];
    for (schema, right, wrong) in cases {
        check(&Config::default(), &[(schema, right, wrong)]);
    }
    check(&standard(), &[(int32, &["3000000000"], &["1.5"])]);
    let listed = |schema: Value| {
        let grammar = Grammar::from_json_schema(&schema, &bytes(), &Config::default()).unwrap();
        grammar.schema_notes().len()
    };
    assert_eq!(listed(json!({"type": "string", "format": "uuid4"})), 0);
    assert_eq!(listed(json!({"type": "string", "format": "password"})), 0);
    assert_eq!(listed(json!({"type": "string", "format": "uuid4", "pattern": "x"})), 1);
    assert_eq!(listed(json!({"type": "string", "format": "no-such"})), 1);
}
