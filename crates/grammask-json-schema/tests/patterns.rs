//! Patterns of schemas: their dialects, and the notes about them.

use grammask_json_schema::{Config, PatternDialect, Unsupported, translate};
use serde_json::json;

#[test]
fn other_dialects_are_read_with_a_note() {
    let schema = json!({"properties": {"a": {"pattern": r"\A[0-9]+\z"}, "b": {"pattern": "^[0-9]+$"}}});
    let translation = translate(&schema, &Config::default()).expect("a grammar");
    let notes: Vec<String> = translation.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            r"at '/properties/a', pattern: read as a pattern of Rust, because ECMA-262 does not have it: `\A` is not an escape of ECMA-262, at byte 0"
        ]
    );
    assert_eq!(translation.relaxations, []);
}

#[test]
fn the_dialect_can_be_chosen() {
    let schema = json!({"pattern": r"\A[0-9]+\z"});
    let with = |pattern_dialect| translate(&schema, &Config { pattern_dialect, ..Config::default() });
    assert!(with(PatternDialect::Rust).expect("a grammar").notes.is_empty());
    let error = with(PatternDialect::Python).unwrap_err().to_string();
    assert!(
        error.contains(r"not a regular expression of Python: `\z` is not an escape of Python"),
        "{error}"
    );
    let error = with(PatternDialect::Ecma).unwrap_err().to_string();
    assert!(error.contains("not a regular expression of ECMA-262"), "{error}");
}

#[test]
fn notes_have_the_place_in_the_pattern() {
    let schema = json!({"patternProperties": {r"^a[\uD800-\uDBFF]": true, "/^x$/": true}});
    let notes = translate(&schema, &Config::default()).expect("a grammar").notes;
    let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
    let half = "at '', patternProperties: half of a surrogate pair never occurs in a text, at byte";
    for expected in [format!("{half} 3 of the pattern"), format!("{half} 10 of the pattern")] {
        assert!(notes.contains(&expected), "{notes:#?}");
    }
    assert!(notes.iter().any(|note| note.contains("slashes")), "{notes:#?}");
}

#[test]
fn unsupported_patterns_are_relaxed() {
    let schema = json!({"pattern": r"(a)\1"});
    let config = Config { unsupported: Unsupported::Relax, ..Config::default() };
    assert_eq!(translate(&schema, &config).expect("a grammar").relaxations.len(), 1);
}
