//! `grammask mask`

use crate::running::Folder;
use crate::show::VOCABULARY;

const GRAMMAR: &str = "start ::= '[' [value {',' value}] ']';\nvalue ::= #'[a-z]+' | \"none\" | start;\n";

fn folder(name: &str) -> Folder {
    Folder::new(name).with("list.kbnf", GRAMMAR).with("vocabulary.json", VOCABULARY)
}

fn mask(folder: &Folder, more: &[&str]) -> String {
    let run = folder.run(&[&["mask", "list.kbnf", "--vocab", "vocabulary.json"], more].concat());
    assert_eq!(run.status, 0, "{run}");
    run.text()
}

#[test]
fn tokens_are_listed_by_text_or_id_or_counted() {
    let folder = folder("mask_formats");
    assert_eq!(
        mask(&folder, &["--after", "[a"]),
        "\"]\"\n\",\"\n\"a\"\n\"b\"\n\"no\"\n\"none\"\n\"a]\"\n\"ab,\"\n\"ne\"\n"
    );
    assert_eq!(mask(&folder, &["--after", "[a", "--format", "ids"]), "1\n2\n3\n4\n5\n6\n8\n9\n13\n");
    assert_eq!(mask(&folder, &["--after", "[a", "--format", "count"]), "9\n");
    assert_eq!(mask(&folder, &["--format", "ids"]), "0\n10\n");
}

#[test]
fn the_eos_token_is_allowed_after_a_complete_text() {
    let folder = folder("mask_end");
    assert_eq!(mask(&folder, &["--after", "[]"]), "</s>\n");
    assert_eq!(mask(&folder, &["--after", "[]", "--eos", "21"]), "<|tool|>\n");
    assert_eq!(
        mask(&folder, &["--after", "[]", "--eos", "21", "--eos", "</s>", "--format", "ids"]),
        "20\n21\n"
    );
    assert_eq!(mask(&folder, &["--after", "[]", "--eos", "none"]), "");
    assert_eq!(mask(&folder, &["--after", "[]", "--eager"]), "");
}

#[test]
fn no_token_extends_past_an_eager_end() {
    let folder = folder("mask_eager");
    assert_eq!(mask(&folder, &["--after", "[[]", "--format", "ids"]), "1\n2\n");
    assert_eq!(mask(&folder, &["--after", "[[]", "--format", "ids", "--eager"]), "1\n2\n");
    assert_eq!(
        mask(&folder, &["--after", "[[", "--format", "ids", "--start", "value"]),
        mask(&folder, &["--after", "[[", "--format", "ids"])
    );
}

#[test]
fn masks_are_printed_as_json() {
    let folder = folder("mask_json");
    let answer = |more: &[&str]| -> serde_json::Value {
        serde_json::from_str(&mask(&folder, &[&["--json"], more].concat())).unwrap()
    };
    let ids = answer(&["--after", "[]", "--format", "ids"]);
    assert_eq!(ids["ids"], serde_json::json!([20]));
    assert_eq!((&ids["complete"], &ids["finished"], &ids["count"]), (&true.into(), &false.into(), &1.into()));
    let tokens = answer(&["--after", "["]);
    assert_eq!(tokens["tokens"][0], serde_json::json!({ "id": 0, "text": "[" }));
    assert_eq!(answer(&["--after", "[]"])["tokens"][0], serde_json::json!({ "id": 20, "special": "</s>" }));
    assert_eq!(answer(&["--format", "count"])["count"], 2);
}

#[test]
fn a_rejected_text_has_no_mask() {
    let folder = folder("mask_not_live");
    for (after, more, at) in [("[a;", &[][..], 2), ("[]]", &[], 2), ("[]]", &["--eager"], 2), ("x", &[], 0)] {
        let run = folder
            .run(&[&["mask", "list.kbnf", "--vocab", "vocabulary.json", "--after", after], more].concat());
        assert_eq!((run.status, run.text().as_str()), (1, ""), "{run}");
        assert_eq!(run.err, format!("error: the text is rejected at byte {at}\n"));
    }
    let run = folder.run(&["mask", "list.kbnf", "--vocab", "vocabulary.json", "--after", "[a;", "--json"]);
    assert_eq!(run.json()["error"]["at"], 2);
}

#[test]
fn the_embedded_vocabulary_is_the_default() {
    let run = folder("mask_o200k").run(&["mask", "list.kbnf", "--after", "[[]"]);
    // All tokens of o200k that consist of closing brackets, commas, and opening brackets after a comma.
    let lines: Vec<String> = run.text().lines().map(str::to_owned).collect();
    assert!(lines.contains(&"\"]\"".to_owned()) && lines.contains(&"\",[\"".to_owned()), "{run}");
    assert!(lines.iter().all(|line| line.starts_with("\"]") || line.starts_with("\",")), "{run}");
}

#[test]
fn unsuitable_vocabularies_are_an_error() {
    let folder = folder("mask_vocabulary")
        .with("special.kbnf", "start ::= 'a' <|call|>;")
        .with("cut.json", &VOCABULARY[..200])
        .with("picture.png", b"\x89PNG\r\n\x1a\n");
    for (arguments, message) in [
        (
            &["mask", "special.kbnf", "--vocab", "vocabulary.json"][..],
            "special.kbnf:1:15: error: the vocabulary has no special token <|call|>",
        ),
        (&["mask", "list.kbnf", "--vocab", "cut.json"], "error: cut.json: line "),
        (&["mask", "list.kbnf", "--vocab", "picture.png"], "error: picture.png: "),
        (&["mask", "list.kbnf", "--vocab", "nowhere.json"], "error: cannot read nowhere.json: "),
        (&["mask", "list.kbnf", "--vocab", "."], "error: .: no vocabulary: none of "),
        (
            &["mask", "list.kbnf", "--vocab", "vocabulary.json", "--eos", "99"],
            "error: the vocabulary has no special token and no id \"99\"",
        ),
        (
            &["mask", "list.kbnf", "--vocab", "vocabulary.json", "--eos", "1", "--eager"],
            "error: the argument '--eos",
        ),
    ] {
        let run = folder.run(arguments);
        assert_eq!((run.status, run.text().as_str()), (4, ""), "{run}");
        assert!(run.err.starts_with(message), "{run}");
    }
}
