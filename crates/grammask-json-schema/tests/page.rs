//! The example and the messages that `docs/json-schema.md` shows are those of the crate.

use std::fs;
use std::path::Path;

use grammask_json_schema::{Config, Unsupported, Whitespace, translate};
use serde_json::{Value, json};

/// Returns the fenced code blocks of a kind.
fn blocks(kind: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json-schema.md");
    let page = fs::read_to_string(path).expect("the page");
    let opening = format!("```{kind}\n");
    page.split(opening.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn example_schema_yields_the_shown_grammar() {
    let ([schema], [grammar]) = (&blocks("json")[..], &blocks("kbnf")[..]) else { panic!("one example") };
    let schema: Value = serde_json::from_str(schema).unwrap();
    let config = Config { whitespace: Whitespace::Compact, ..Config::default() };
    let translation = translate(&schema, &config).unwrap();
    assert_eq!(translation.ast.to_string(), *grammar);
    assert_eq!(translation.relaxations, []);
}

#[test]
fn page_names_the_version_of_unicode() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json-schema.md");
    let page = fs::read_to_string(path).expect("the page");
    let version = grammask_json_schema::unicode_version();
    assert!(page.contains(&format!("Unicode {version},")), "{version}");
}

#[test]
fn shown_messages_are_actual_messages() {
    let [relaxations, errors] = &blocks("text")[..] else { panic!("two blocks") };
    let objects = json!({"type": "array", "prefixItems": [{"type": "object"}], "uniqueItems": true});
    let schema = json!({"type": "object", "properties": {"list": objects}});
    let relaxing = Config { unsupported: Unsupported::Relax, ..Config::default() };
    let translation = translate(&schema, &relaxing).unwrap();
    let listed: Vec<String> = translation.relaxations.iter().map(ToString::to_string).collect();
    assert_eq!(listed, relaxations.lines().collect::<Vec<_>>());

    // Of each of eleven keys, one of two: 2,048 alternatives.
    let either =
        |key: u32| json!({"anyOf": [{"required": [format!("a{key}")]}, {"required": [format!("b{key}")]}]});
    let wrong = [
        json!({"properties": {"a": {"type": "text"}}}),
        json!({"type": "object", "properties": {"a": {"type": "null"}}, "minProperties": 3}),
        json!({"type": "string", "enum": [1]}),
        json!({"allOf": (0..11).map(either).collect::<Vec<_>>()}),
    ];
    let message = |schema: &Value| translate(schema, &Config::default()).unwrap_err().to_string();
    assert_eq!(wrong.iter().map(message).collect::<Vec<_>>(), errors.lines().collect::<Vec<_>>());
}
