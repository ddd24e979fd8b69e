//! `--schema`: the grammar is a JSON Schema.

use crate::running::Folder;

#[test]
fn what_is_no_json_is_told_with_its_place() {
    let folder = Folder::new("schema_text").with("schema.json", "{\n  \"type\": }");
    let run = folder.run(&["check", "--schema", "schema.json"]);
    assert_eq!(run.status, 1);
    assert_eq!(run.err, "schema.json: error: no JSON: expected value at line 2 column 11\n");
    assert_eq!(folder.run(&["show", "ast", "--schema", "schema.json"]).status, 4);
}

#[test]
fn a_refusal_names_pointer_keyword_and_reason() {
    let folder = Folder::new("schema_refused").with("schema.json", r#"{"properties":{"a":{"type":7}}}"#);
    let run = folder.run(&["check", "schema.json", "--schema"]);
    assert_eq!(run.status, 1);
    assert!(run.err.starts_with("schema.json: error: at '"), "{run}");
    let answer = folder.run(&["check", "schema.json", "--schema", "--json"]).json();
    assert_eq!(answer["ok"], false);
    let error = &answer["errors"][0];
    assert!(error["pointer"].is_string() && error["keyword"].is_string(), "{answer}");
    assert!(error["message"].as_str().unwrap().ends_with(error["reason"].as_str().unwrap()), "{answer}");
}

#[test]
fn a_schema_has_no_start_symbol() {
    let folder = Folder::new("schema_start").with("schema.json", "{}");
    let run = folder.run(&["check", "schema.json", "--schema", "--start", "value"]);
    assert_eq!(run.status, 4);
    assert!(run.err.contains("cannot be used with"), "{run}");
}

#[test]
fn nesting_is_no_reason_to_crash() {
    let deep = r#"{"not":"#.repeat(100_000) + "true" + &"}".repeat(100_000);
    let folder = Folder::new("schema_deep").with("schema.json", deep);
    let run = folder.run(&["check", "schema.json", "--schema"]);
    assert_eq!(run.status, 1);
    assert!(run.err.contains("recursion limit"), "{run}");
}
