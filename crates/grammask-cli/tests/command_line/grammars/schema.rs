//! `--schema`: the grammar is a JSON Schema.

use crate::running::Folder;

#[test]
fn invalid_json_is_reported_with_its_place() {
    let folder = Folder::new("schema_text").with("schema.json", "{\n  \"type\": }");
    let run = folder.run(&["check", "--schema", "schema.json"]);
    assert_eq!(run.status, 1);
    assert!(
        run.err.starts_with("schema.json:2:11: error: at '': invalid schema: not JSON: a value"),
        "{run}"
    );
    assert_eq!(folder.run(&["show", "ast", "--schema", "schema.json"]).status, 4);
}

#[test]
fn an_unsupported_keyword_is_reported_with_pointer_and_reason() {
    let folder = Folder::new("schema_refused").with("schema.json", r#"{"properties":{"a":{"type":7}}}"#);
    let run = folder.run(&["check", "schema.json", "--schema"]);
    assert_eq!(run.status, 1);
    assert!(run.err.starts_with("schema.json:1:21: error: at '/properties/a', type: "), "{run}");
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
fn deep_nesting_does_not_crash() {
    let deep = r#"{"not":"#.repeat(100_000) + "true" + &"}".repeat(100_000);
    let folder = Folder::new("schema_deep").with("schema.json", deep);
    let run = folder.run(&["check", "schema.json", "--schema"]);
    assert_eq!(run.status, 1);
    assert!(run.err.contains("limit `max_nesting`"), "{run}");
}

/// Numbers of any length are exact, in schemas and in documents.
#[test]
fn accept_agrees_with_the_schema() {
    let cases = [
        (r#"{"const": 9.58e-31}"#, "9.58e-31", 0),
        (r#"{"const": 9.540613589525481}"#, "9.540613589525481", 0),
        (r#"{"const": 18446744073709551616}"#, "18446744073709551616", 0),
        (r#"{"const": 18446744073709551616}"#, "18446744073709552000", 1),
        (r#"{"enum": [1e-400]}"#, "1e-400", 0),
        (r#"{"enum": [1e-400]}"#, "0", 2),
        (r#"{"const": 1e400}"#, "1e400", 0),
        (r#"{"exclusiveMaximum": 0.1000000000000000000000000000001}"#, "0.1", 0),
        (r#"{"minLength": 2.0, "maxLength": 1e1}"#, r#""ab""#, 0),
        (r#"{"multipleOf": 604800}"#, "1209600", 0),
        (r#"{"multipleOf": 604800}"#, "1209601", 2),
        (r#"{"multipleOf": 1000003, "minimum": 5}"#, "-1000003", 1),
        // A key that requires itself is optional.
        (r#"{"if": {"dependentRequired": {"a": ["a"]}}, "else": false}"#, r#"{"a": 0}"#, 0),
        (r#"{"not": {"required": ["b"], "dependentRequired": {"a": ["a"]}}}"#, r#"{"b": 0, "a": 0}"#, 1),
    ];
    for (schema, document, status) in cases {
        let folder = Folder::new("schema_written").with("schema.json", schema);
        let run = folder.run(&["accept", "--schema", "--profile", "standard", "schema.json", document]);
        assert_eq!(run.status, status, "{schema} {document}: {run}");
    }
}

/// Every option for schemas has its effect.
#[test]
fn schema_options_change_the_documents() {
    let schema = r#"{"properties":{"b":{"type":"integer"},"a":{"format":"date"}}}"#;
    let folder = Folder::new("schema_choices").with("schema.json", schema);
    let cases: &[(&[&str], &str, i32)] = &[
        (&[], r#"{"a" : 1, "b":2, "c":3}"#, 0),
        (&[], r#" {"a":1}"#, 1),
        (&["--surrounding-whitespace"], "{\n  \"a\": 1\n}\n", 0),
        (&["--profile", "standard"], " {\"a\"\t\n :1}\n", 0),
        (&["--profile", "standard", "--surrounding-whitespace=false"], r#" {"a":1}"#, 1),
        (&["--whitespace", "flexible=3"], "{   \"a\":1}", 0),
        (&["--whitespace", "flexible=3"], "{    \"a\":1}", 1),
        (&["--whitespace", "bounded=2,0"], "{  \"a\":1\n}", 0),
        (&["--whitespace", "bounded=2,0"], "{\n \"a\":1}", 1),
        (&[], r#"{"\u0061":1}"#, 1),
        (&["--literal-escapes", "any"], r#"{"\u0061":1}"#, 0),
        (&["--string-escapes", "any", "--closed"], r#"{"a":"\u0032024-01-01"}"#, 0),
        (&[], r#"{"a":"\u0032024-01-01"}"#, 1),
        (&["--integers", "any"], r#"{"b":2.0}"#, 0),
        (&["--formats", "annotations"], r#"{"a":"today"}"#, 0),
        (&["--formats", "asserted"], r#"{"a":"today"}"#, 1),
        (&["--formats", "extended"], r#"{"a":"2024-02-29"}"#, 0),
        (&["--integers", "digits"], r#"{"b":9223372036854775808}"#, 0),
        (&["--integers", "32"], r#"{"b":2147483648}"#, 1),
        (&["--integers", "53"], r#"{"b":9007199254740992}"#, 1),
        (&["--integers", "64"], r#"{"b":9223372036854775808}"#, 1),
        (&["--numbers", "any"], r#"{"a":1e400}"#, 0),
        (&[], r#"{"a":1e400}"#, 1),
        (&["--whitespace", "compact"], r#"{"a":1,"b":2}"#, 0),
        (&["--whitespace", "compact"], r#"{"a":1, "b":2}"#, 1),
        (&["--whitespace", "spaced"], r#"{"a": 1, "b": 2}"#, 0),
        (&["--whitespace", "spaced"], r#"{"a":1,"b":2}"#, 1),
        (&["--as-written"], r#"{"b":2,"a":1,"c":3}"#, 0),
        (&["--as-written"], r#"{"a":1,"b":2}"#, 1),
        (&["--closed"], r#"{"a":1,"b":2}"#, 0),
        (&["--closed"], r#"{"c":3}"#, 1),
        (&[], r#"{"a":"today"}"#, 1),
        (&["--no-formats"], r#"{"a":"today"}"#, 0),
        (&["--profile", "standard"], r#"{"b":2.0}"#, 0),
        (&[], r#"{"b":2.0}"#, 1),
        (&["--profile", "standard", "--draft", "4"], r#"{"b":2.0}"#, 1),
    ];
    for (choices, document, status) in cases {
        let run = folder.run(&[&["accept", "--schema", "schema.json", *document], *choices].concat());
        assert_eq!(run.status, *status, "{choices:?} {document}: {run}");
    }
    let schema = r#"{"prefixItems":[{"type":"object"}],"uniqueItems":true}"#;
    let folder = Folder::new("schema_relaxed").with("schema.json", schema);
    assert_eq!(folder.run(&["check", "--schema", "schema.json"]).status, 1);
    let run = folder.run(&["check", "--schema", "schema.json", "--relax"]);
    assert_eq!(run.status, 0, "{run}");
    assert!(run.err.contains("warning: at '', uniqueItems: not asserted"), "{run}");
    let folder = Folder::new("no_schema").with("g.kbnf", "start ::= 'a';");
    assert_eq!(folder.run(&["check", "g.kbnf", "--closed"]).status, 4);
}

#[test]
fn a_schema_without_valid_documents_is_an_error() {
    let schema = r#"{"type":"string","minLength":2,"maxLength":1}"#;
    let folder = Folder::new("schema_none").with("schema.json", schema);
    let run = folder.run(&["check", "--schema", "schema.json"]);
    assert_eq!(run.status, 1, "{run}");
    assert!(run.err.contains("no document is valid"), "{run}");
}

#[test]
fn patterns_of_other_dialects_are_read_with_a_note() {
    let folder = Folder::new("schema_dialect").with("schema.json", r#"{"pattern":"\\A[0-9]+\\z"}"#);
    let run = folder.run(&["accept", "schema.json", "--schema", r#""12""#]);
    assert_eq!(run.status, 0, "{run}");
    assert!(run.err.contains("note: at '', pattern: read as a pattern of Rust"), "{run}");
    assert_eq!(folder.run(&["accept", "schema.json", "--schema", r#""x""#]).status, 1);
    let answer = folder.run(&["check", "schema.json", "--schema", "--json"]).json();
    assert_eq!(answer["notes"][0]["keyword"], "pattern", "{answer}");
    let run = folder.run(&["check", "schema.json", "--schema", "--pattern-dialect", "rust"]);
    assert_eq!((run.status, run.err.as_str()), (0, ""), "{run}");
    let run = folder.run(&["check", "schema.json", "--schema", "--pattern-dialect", "ecma"]);
    assert_eq!(run.status, 1, "{run}");
}

#[test]
fn the_version_names_that_of_unicode() {
    let run = Folder::new("version").run(&["--version"]);
    let version = grammask::json_schema::unicode_version();
    let out = String::from_utf8_lossy(&run.out);
    assert!(out.ends_with(&format!(" (Unicode {version})\n")), "{run}");
}

#[test]
fn documents_are_given_by_uri_and_file() {
    let folder = Folder::new("schema_documents")
        .with("schema.json", r#"{"items":{"$ref":"https://a.example/b?c=d#/$defs/e"}}"#)
        .with("b.json", r#"{"$defs":{"e":{"type":"integer"}}}"#)
        .with("wrong.json", "{");
    let refused = folder.run(&["check", "schema.json", "--schema"]);
    assert_eq!(refused.status, 1);
    assert!(refused.err.contains("https://a.example/b?c=d"), "{refused}");
    let given = ["--schema", "--document", "https://a.example/b?c=d=b.json"];
    for (text, status) in [("[1]", 0), ("[null]", 1)] {
        let run = folder.run(&[&["accept", "schema.json", text], &given[..]].concat());
        assert_eq!(run.status, status, "{run}");
    }
    for (argument, message) in [
        ("https://a.example/b", "needs URI=FILE"),
        ("=b.json", "needs URI=FILE"),
        ("u=none.json", "cannot read none.json"),
        ("u=wrong.json", "wrong.json: not JSON"),
    ] {
        let run = folder.run(&["check", "schema.json", "--schema", "--document", argument]);
        assert_eq!(run.status, 4, "{run}");
        assert!(run.err.contains(message), "{run}");
    }
}

#[test]
fn all_errors_of_a_schema_are_reported_with_their_places() {
    let text =
        "{\n  \"properties\": {\n    \"a\": {\"type\": \"int\"},\n    \"b\": {\"required\": null}\n  }\n}";
    let folder = Folder::new("schema_all_errors").with("schema.json", text);
    let run = folder.run(&["check", "schema.json", "--schema"]);
    assert_eq!(run.status, 1);
    let expected = "\
schema.json:3:11: error: at '/properties/a', type: invalid schema: \"int\" is not a type; did you mean \"integer\"?
  |
3 |     \"a\": {\"type\": \"int\"},
  |           ^^^^^^

schema.json:4:11: error: at '/properties/b', required: invalid schema: not a list of keys
  |
4 |     \"b\": {\"required\": null}
  |           ^^^^^^^^^^
";
    assert_eq!(run.err, expected);
    let answer = folder.run(&["check", "schema.json", "--schema", "--json"]).json();
    let errors = answer["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 2);
    assert_eq!((&errors[1]["line"], &errors[1]["pointer"]), (&4.into(), &"/properties/b".into()));
}

#[test]
fn notes_are_grouped_and_extensions_are_silent() {
    let property =
        |index: u32| format!(r#""p{index}":{{"format":"int-or-string","x-kubernetes":1,"requird":[]}}"#);
    let properties: Vec<String> = (0..50).map(property).collect();
    let text = format!("{{\"properties\":{{{}}},\"title\":\"a\",\"title\":\"b\"}}", properties.join(","));
    let folder = Folder::new("schema_notes").with("schema.json", text);
    let run = folder.run(&["check", "schema.json", "--schema"]);
    assert_eq!(run.status, 0);
    let lines: Vec<&str> = run.err.lines().collect();
    assert_eq!(lines.len(), 3, "{run}");
    assert!(
        lines.iter().any(|line| line.contains("format") && line.ends_with("(and at 49 other places)")),
        "{run}"
    );
    assert!(lines.iter().any(|line| line.contains("did you mean `required`?")), "{run}");
    assert!(lines.iter().any(|line| line.contains("title") && line.contains("more than once")), "{run}");
    let answer = folder.run(&["check", "schema.json", "--schema", "--json"]).json();
    assert_eq!(answer["relaxations"].as_array().unwrap().len(), 0);
    assert_eq!(answer["notes"].as_array().unwrap().len(), 101);
}
