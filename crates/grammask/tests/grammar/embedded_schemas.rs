//! JSON Schemas inside of grammars: outputs, errors with places, and parts that are not enforced.

use grammask::{Config, Grammar, TokenId, Vocabulary};

fn compile(text: &str) -> Grammar {
    let bytes = (0..=255u8).map(|byte| (TokenId(u32::from(byte)), vec![byte]));
    let vocabulary = Vocabulary::new(bytes, []).unwrap();
    Grammar::compile(text, &vocabulary, &Config::default())
        .unwrap_or_else(|error| panic!("{}", error.render(text, "grammar")))
}

fn accepts(grammar: &Grammar, text: &str) -> bool {
    let mut matcher = grammar.matcher();
    matcher.accept_bytes(text.as_bytes()).is_accepted() && matcher.is_complete()
}

#[test]
fn a_schema_stands_for_its_documents() {
    let grammar = compile(
        r##"
        start ::= 'call ' name ' with ' schema!({
            "type": "object",
            "properties": { "n": { "type": "integer" }, "next": { "$ref": "#" } },
            "required": ["n"],
            "additionalProperties": false
        }) ('; ' schema!({"enum": ["(", "*)"]}))?;
        name ::= #'[a-z]+';
        schema1_start ::= name;
        "##,
    );
    assert!(accepts(&grammar, r#"call f with {"n": 1}"#));
    assert!(accepts(&grammar, r#"call f with {"n": 1, "next": {"n": 2}}; "*)""#));
    assert!(!accepts(&grammar, r#"call f with {"n": "1"}"#));
    assert!(!accepts(&grammar, r#"call f with {"n": 1}; "*""#));
}

#[test]
fn a_schema_without_documents_is_an_error_at_its_place() {
    let text = "start ::= 'a' | schema!(false);";
    let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], []).unwrap();
    let report = Grammar::compile(text, &vocabulary, &Config::default()).unwrap_err().render(text, "g");
    assert!(report.starts_with("g:1:25: error: at '': no document is valid"), "{report}");
}

#[test]
fn all_errors_of_schemas_have_their_places() {
    let text =
        "start ::= schema!({\"type\": \"strin\"})\n    | schema!({\"minimum\": \"1\"})\n    | schema!({]);";
    let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], []).unwrap();
    let error = Grammar::compile(text, &vocabulary, &Config::default()).unwrap_err();
    let report = error.render(text, "g");
    for place in ["g:1:20: error: ", "g:2:16: error: ", "g:3:16: error: "] {
        assert!(report.contains(place), "{place}\n{report}");
    }
}

#[test]
fn what_is_relaxed_is_listed() {
    let text =
        r#"start ::= schema!({"type": "array", "uniqueItems": true, "prefixItems": [{"type": "object"}]});"#;
    let bytes = (0..=255u8).map(|byte| (TokenId(u32::from(byte)), vec![byte]));
    let vocabulary = Vocabulary::new(bytes, []).unwrap();
    let mut config = Config::default();
    config.json_schema.unsupported = grammask::json_schema::Unsupported::Relax;
    let grammar = Grammar::compile(text, &vocabulary, &config).unwrap();
    let direct = Grammar::from_json_schema_text(&text[18..text.len() - 2], &vocabulary, &config).unwrap();
    assert_eq!(grammar.relaxations(), direct.relaxations());
    assert!(!grammar.relaxations().is_empty());
}
