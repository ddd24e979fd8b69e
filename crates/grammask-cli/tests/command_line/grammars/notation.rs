//! `--notation`, and `grammask convert`.

use crate::running::Folder;

const GBNF: &str = "root ::= \"a\" x{2}\nx ::= [b-d] | \"\"\n";

#[test]
fn each_notation_has_the_verdicts_of_its_language() {
    let tag = r#"{"type": "structural_tag", "format": {"type": "tag", "begin": "<a>",
        "content": {"type": "any_text"}, "end": "</a>"}}"#;
    let folder = Folder::new("notation_verdicts")
        .with("g.gbnf", GBNF)
        .with("g.ebnf", "root ::= x \"c\"\nx ::= \"a\"+ (=\"b\")\n")
        .with("pattern", "a[0-9]?\n")
        .with("choice.json", r#"["yes", "no", ""]"#)
        .with("tag.json", tag)
        .with("schema.json", r#"{"type": "integer"}"#);
    for (notation, file, text, status) in [
        ("gbnf", "g.gbnf", "abd", 0),
        ("gbnf", "g.gbnf", "", 2),
        ("gbnf", "g.gbnf", "abdd", 1),
        ("ebnf", "g.ebnf", "aac", 0),
        ("regex", "pattern", "a7", 0),
        ("regex", "pattern", "a\n", 1),
        ("choice", "choice.json", "", 0),
        ("choice", "choice.json", "ye", 2),
        ("tags", "tag.json", "<a>x</a>", 0),
        ("tags", "tag.json", "<a>x</a>x", 1),
        ("json-schema", "schema.json", "12", 0),
        ("kbnf", "g.gbnf", "12", 4),
    ] {
        let run = folder.run(&["accept", "--notation", notation, file, text]);
        assert_eq!(run.status, status, "{notation} {text:?}: {}", run.err);
    }
    assert_eq!(folder.run(&["accept", "--notation=json-schema", "schema.json", "x"]).status, 1);
    let run = folder.run(&["accept", "--notation", "regex", "--dialect", "xgrammar", "pattern", "a7"]);
    assert_eq!(run.status, 0, "{}", run.err);
}

#[test]
fn errors_and_notes_have_places_in_the_notation() {
    let folder = Folder::new("notation_errors")
        .with("g.gbnf", "root ::= a-b\n")
        .with("noted.gbnf", "root ::= \"a\"{0,3000}\n")
        .with("empty.gbnf", "root ::= a-b\na-b ::= a-b \"x\"\n");
    let run = folder.run(&["check", "--notation", "gbnf", "g.gbnf"]);
    assert_eq!(run.status, 1);
    assert!(run.err.starts_with("g.gbnf:1:10: error: `a-b` has no rule\n"), "{}", run.err);
    assert!(run.err.contains("= hint: add a rule: a-b ::= …\n"), "{}", run.err);
    let run = folder.run(&["accept", "--notation", "gbnf", "noted.gbnf", "aa"]);
    assert_eq!((run.status, run.text().as_str()), (0, "accept\n"));
    assert!(run.err.starts_with("noted.gbnf:1:13: note: the bound is kept"), "{}", run.err);
    let run = folder.run(&["accept", "--notation", "gbnf", "g.gbnf", "a", "--json"]);
    assert_eq!(run.status, 4);
    assert!(run.text().contains("\"column\":10"), "{}", run.text());
}

#[test]
fn convert_prints_kbnf() {
    let folder = Folder::new("notation_convert").with("g.gbnf", GBNF);
    let run = folder.run(&["convert", "--notation", "gbnf", "g.gbnf"]);
    assert_eq!(run.text(), "%start root;\nroot ::= 'a' x{2};\nx ::= #'[b-d]' | '';\n");
    let folder = folder.with("g.kbnf", run.text());
    assert_eq!(folder.run(&["accept", "g.kbnf", "ab"]).text(), "accept\n");
}

#[test]
fn options_of_json_schema_hold_for_schemas_inside_of_grammars() {
    let tag = r#"{"type": "structural_tag", "format": {"type": "tag", "begin": "<a>", "content":
        {"type": "json_schema", "json_schema": {"type": "integer"}}, "end": ""}}"#;
    let folder = Folder::new("notation_schema_options")
        .with("tag.json", tag)
        .with("g.lark", "start: \"<a>\" %json {\"type\": \"integer\"}\n")
        .with("g.kbnf", "start ::= '<a>' schema!({\"type\": \"integer\"});")
        .with("plain.kbnf", "start ::= 'a';")
        .with("plain.lark", "start: \"a\"\n")
        .with("g.gbnf", GBNF);
    let files = [("kbnf", "g.kbnf"), ("lark", "g.lark"), ("tags", "tag.json")];
    for (notation, file) in files {
        for (options, status) in [
            (&[][..], 1),
            (&["--profile", "standard"], 0),
            (&["--profile", "generation"], 1),
            (&["--integers", "any"], 0),
        ] {
            let run =
                folder.run(&[&["accept", "--notation", notation, file, "<a>7.0E+001"], options].concat());
            assert_eq!(run.status, status, "{notation} {options:?}: {}", run.err);
        }
    }
    for arguments in [
        ["--relax", "--notation", "kbnf", "plain.kbnf"],
        ["--relax", "--notation", "lark", "plain.lark"],
        ["--closed", "--notation", "gbnf", "g.gbnf"],
        ["--draft=7", "--notation", "kbnf", "plain.kbnf"],
    ] {
        let run = folder.run(&[&["check"], &arguments[..]].concat());
        let option = arguments[0].split('=').next().unwrap();
        assert_eq!(run.status, 4, "{arguments:?}: {}", run.err);
        assert!(run.err.contains(&format!("{option} has no effect")), "{}", run.err);
    }
}
