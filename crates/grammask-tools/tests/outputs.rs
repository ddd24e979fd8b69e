//! Tags of all formats.

mod golden;

use std::collections::HashMap;

use grammask_tools::formats;
use serde_json::Value;

/// Types of formats in structural tags that the crate writes.
const TYPES: [&str; 13] = [
    "any_text",
    "const_string",
    "json_schema",
    "optional",
    "or",
    "plus",
    "regex",
    "sequence",
    "star",
    "structural_tag",
    "tag",
    "tags_with_separator",
    "triggered_tags",
];

#[test]
fn every_format_has_five_outputs() {
    let mut counts: HashMap<String, [usize; 2]> = HashMap::new();
    for output in golden::outputs() {
        assert!(!output.accept || !output.text.is_empty(), "{}", output.format);
        counts.entry(output.format).or_default()[usize::from(output.accept)] += 1;
    }
    for format in formats() {
        let [rejected, accepted] = counts.get(&format.name).copied().unwrap_or_default();
        assert!(rejected >= 1 && rejected + accepted >= 5, "{}: {accepted}, {rejected}", format.name);
    }
}

#[test]
fn tags_consist_of_known_formats() {
    for output in golden::outputs() {
        let tag = golden::tag(&output);
        let mut rest = vec![&tag];
        while let Some(value) = rest.pop() {
            let name = value["type"].as_str().expect("a type");
            assert!(TYPES.contains(&name), "{name}");
            for key in ["format", "content"] {
                rest.extend(value.get(key));
            }
            for key in ["elements", "tags"] {
                let parts = value.get(key).and_then(Value::as_array);
                assert!(parts.is_none_or(|parts| !parts.is_empty()), "{value}");
                rest.extend(parts.into_iter().flatten());
            }
            if name == "triggered_tags" {
                for tag in value["tags"].as_array().expect("tags") {
                    let begin = tag["begin"].as_str().expect("a text");
                    let triggers = value["triggers"].as_array().expect("triggers").iter();
                    let found =
                        triggers.filter(|trigger| begin.starts_with(trigger.as_str().expect("a text")));
                    assert_eq!(found.count(), 1, "{}: {begin}", output.format);
                }
            }
        }
    }
}
