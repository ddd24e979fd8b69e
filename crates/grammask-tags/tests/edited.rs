//! Texts that are nearly structural tags, and very deep ones: each has a tree or located errors.

#[path = "../../grammask-gbnf/tests/checks/mod.rs"]
mod checks;

use grammask_tags::{Config, translate};
use grammask_testkit::random::Rng;
use grammask_testkit::random::edits::{edited, prefixes};

const TEXTS: &[&str] = &[
    r#"{"type": "structural_tag", "format": {"type": "triggered_tags", "triggers": ["<f="], "tags": [
        {"begin": "<f=a>", "content": {"type": "json_schema", "json_schema": {"type": "object", "properties":
        {"q": {"type": "string"}}}}, "end": ["</f>", ""]}], "excludes": ["x"], "at_least_one": true}}"#,
    r#"{"type": "structural_tag", "format": {"type": "sequence", "elements": [{"type": "any_text", "max_chars": 9},
        {"type": "repeat", "min": 1, "max": -1, "content": {"type": "regex", "pattern": "[a-z]{2}\\d"}},
        {"type": "grammar", "grammar": "root ::= \"a\" | [b]"}, {"type": "token", "token": 5},
        {"type": "json_schema", "style": "qwen_xml", "json_schema": {"type": "object"}}]}}"#,
    r#"{"structures": [{"begin": "<f>", "schema": {"type": "integer"}, "end": "</f>"}], "triggers": ["<f"]}"#,
    r#"{"type": "or", "elements": [{"type": "dispatch", "rules": [["<d>", {"type": "const_string", "value": "a"}]],
        "loop": false}, {"type": "any_tokens", "exclude_tokens": [1, "<x>"]}, {"type": "star", "content":
        {"type": "exclude_token"}}, {"type": "token_dispatch", "rules": [[5, {"type": "any_text"}]]}]}"#,
];

const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    ",",
    ":",
    "null",
    "true",
    "-1",
    "1e999",
    "99999999999999999999",
    "\"type\":",
    "\"end\": \"\"",
    "\"excludes\": [\"\"]",
    "\"any_text\"",
    "\"tag\"",
    "\"plus\"",
    "\"content\":",
    "\\u0000",
    "\\ud800",
    "é",
    "\u{0}",
    "\"triggers\": []",
    "\"pattern\": \"(\"",
    "{}",
    "[]",
    "\"$ref\": \"#\"",
    "\n",
];

fn check(text: &str) {
    checks::check(text, translate(text, &Config::default()));
}

#[test]
fn edited_tags_have_a_tree_or_located_errors() {
    prefixes(TEXTS).for_each(check);
    for seed in 0..1_500 {
        check(&edited(&mut Rng::new(seed), TEXTS, PIECES));
    }
}

#[test]
fn long_tags_are_read_in_linear_time() {
    for unit in ["{", "[", "\"", "\\", "{\"a\":", "[[", "{\"format\":", "1", " ", "\"a\",", "}"] {
        check(&unit.repeat(200_000 / unit.len()));
        check(&format!("{{\"format\": {}", unit.repeat(200_000 / unit.len())));
    }
    let text = |count: usize, unit: &str| unit.repeat(count);
    let value = text(100_000, "a<");
    check(&format!("{{\"type\": \"const_string\", \"value\": \"{value}\"}}"));
    check(&format!("{{\"type\": \"any_text\", \"excludes\": [\"{value}\"]}}"));
    let many = text(20_000, "\"<a>\",");
    check(&format!("{{\"type\": \"any_text\", \"excludes\": [{many} \"b\"]}}"));
    let elements = text(5_000, "{\"type\": \"const_string\", \"value\": \"a\"},");
    check(&format!("{{\"type\": \"sequence\", \"elements\": [{elements} {{\"type\": \"any_text\"}}]}}"));
}
