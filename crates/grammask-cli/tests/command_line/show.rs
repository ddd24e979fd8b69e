//! `grammask show`

use crate::running::Folder;

const GRAMMAR: &str =
    "start ::= '[' [value {',' value}] ']';   (* a list *)\nvalue ::= #'[a-z]+' | \"none\" | start;\n";
/// A vocabulary with gaps between ids, two tokens of equal bytes, one of invalid UTF-8, and special tokens.
pub(crate) const VOCABULARY: &str = r#"{
    "added_tokens": [
        {"id": 20, "content": "</s>", "special": true},
        {"id": 21, "content": "<|tool|>", "special": true}
    ],
    "decoder": {"type": "ByteFallback"},
    "model": {"type": "BPE", "byte_fallback": true, "merges": [], "vocab": {
        "[": 0, "]": 1, ",": 2, "a": 3, "b": 4, "no": 5, "none": 6, "]]": 7, "a]": 8, "ab,": 9, "[[": 10, "<0xFF>": 12, "ne": 13
    }}
}"#;

fn folder(name: &str) -> Folder {
    Folder::new(name).with("list.kbnf", GRAMMAR).with("vocabulary.json", VOCABULARY)
}

#[test]
fn each_stage_is_printed_as_text() {
    let folder = folder("show_stages");
    insta::assert_snapshot!("show_ast", folder.run(&["show", "ast", "list.kbnf"]));
    insta::assert_snapshot!("show_passes", folder.run(&["show", "passes", "list.kbnf"]));
    insta::assert_snapshot!("show_normal", folder.run(&["show", "normal", "list.kbnf"]));
    insta::assert_snapshot!("show_normal_ids", folder.run(&["show", "normal", "list.kbnf", "--ids"]));
    insta::assert_snapshot!("show_network", folder.run(&["show", "network", "list.kbnf"]));
    insta::assert_snapshot!("show_network_ids", folder.run(&["show", "network", "list.kbnf", "--ids"]));
    insta::assert_snapshot!("show_sets", folder.run(&["show", "sets", "list.kbnf", "--after", "[n,[["]));
}

#[test]
fn printed_passes_parse_to_the_same_language() {
    let folder = folder("show_passes");
    let answer = folder.run(&["show", "passes", "list.kbnf", "--json"]).json();
    let passes = answer["passes"].as_array().unwrap();
    assert!(passes.len() > 10);
    for pass in passes {
        let text = pass["text"].as_str().unwrap();
        for (sample, status) in [("[]", 0), ("[none,[a],no]", 0), ("[no,", 2), ("[,", 1)] {
            let run = folder.run_with_input(&["accept", "-", sample], text.as_bytes());
            assert_eq!(run.status, status, "{sample} after {}: {run}", pass["pass"]);
        }
    }
}

#[test]
fn stages_are_printed_as_json() {
    let folder = folder("show_json");
    for stage in ["ast", "passes", "normal", "network", "sets"] {
        assert_eq!(folder.run(&["show", stage, "list.kbnf", "--json"]).json()["stage"], stage);
    }
    let tree = &folder.run(&["show", "ast", "list.kbnf", "--json"]).json()["tree"];
    assert_eq!(tree["rules"].as_array().unwrap().len(), 2);
    let tree = &folder.run(&["show", "normal", "list.kbnf", "--json"]).json()["tree"];
    assert!(!tree["terminals"].as_array().unwrap().is_empty());
    let sets = &folder.run(&["show", "sets", "list.kbnf", "--after", "[]", "--json"]).json()["sets"];
    assert_eq!(sets.as_array().unwrap().len(), 3);
    assert_eq!((&sets[1]["complete"], &sets[2]["complete"]), (&false.into(), &true.into()));
}

#[test]
fn options_without_effect_on_a_stage_are_refused() {
    let folder = folder("show_refused");
    let vocabulary: &[&[&str]] =
        &[&["--vocab", "none.json"], &["--eos", "none"], &["--eager"], &["--strategies"]];
    for stage in ["ast", "passes", "normal", "network", "sets"] {
        let text: &[&[&str]] = if stage == "sets" { &[] } else { &[&["--after", ""]] };
        for option in vocabulary.iter().chain(text) {
            let run = folder.run(&[&["show", stage, "list.kbnf"], *option].concat());
            assert_eq!(run.status, 4, "{stage} {option:?}: {run}");
            assert_eq!(run.err, format!("error: {} has no effect on this stage\n", option[0]));
        }
    }
}

#[test]
fn a_mask_is_grouped_by_terminal() {
    let folder = folder("show_mask");
    let show = |after: &str, more: &[&str]| {
        folder.run(
            &[&["show", "mask", "list.kbnf", "--vocab", "vocabulary.json", "--after", after], more].concat(),
        )
    };
    let runs = [
        show("", &[]),
        show("[", &["--ids"]),
        show("[a", &[]),
        show("[]", &["--ids"]),
        show("[]", &["--eager"]),
        show("[]", &["--eos", "none"]),
        show("[]x", &[]),
    ];
    insta::assert_snapshot!("show_mask", runs.map(|run| run.to_string()).join("\n"));
    let strategies = show("[", &["--strategies"]);
    assert!(strategies.text().contains("strategies of the lexicon"), "{strategies}");
    let answer = show("[a", &["--json"]).json();
    let count = |group: &serde_json::Value| group["count"].as_u64().unwrap();
    assert_eq!(answer["count"], answer["groups"].as_array().unwrap().iter().map(count).sum::<u64>());
}

#[test]
fn sets_before_a_rejected_byte_are_printed() {
    let run = folder("show_wrong").run(&["show", "sets", "list.kbnf", "--after", "[[;"]);
    assert_eq!(run.status, 1);
    assert!(run.text().contains("after byte 1, \"[\""), "{run}");
    assert_eq!(run.err, "error: the text is rejected at byte 2\n");
}

#[test]
fn missing_special_tokens_are_reported_with_their_place() {
    let folder = folder("show_missing").with("special.kbnf", "start ::= '{' <|nope|> |\n  'x' <[5]>;\n");
    for command in [["show", "mask"].as_slice(), &["generate"], &["mask"]] {
        let rest = ["special.kbnf", "--vocab", "vocabulary.json"];
        let run = folder.run(&[command, &rest, ["--json"].as_slice()].concat());
        let answer = run.json();
        let errors = answer["error"]["errors"].as_array().unwrap_or_else(|| panic!("{run}"));
        let places: Vec<_> = errors.iter().map(|error| (&error["line"], &error["column"])).collect();
        assert_eq!(places, [(&1.into(), &15.into()), (&2.into(), &7.into())], "{run}");
        assert!(errors.iter().all(|error| error["hint"].is_string()), "{run}");
    }
}
