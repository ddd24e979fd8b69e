//! `grammask check`

use crate::running::Folder;

const RIGHT: &str =
    "start ::= '[' [value {',' value}] ']';\nvalue ::= #'[a-z]+' | number | start;\nnumber ::= #'[0-9]+';\n";
const WRONG: &str = "start ::= '[' valu | ;\nvalue ::= #'\\d' | 'x' );\n";
const MEANINGLESS: &str = "start ::= '[' valu ']' | #'[a-z';\nvalue ::= 'x' & start;\n";

#[test]
fn a_valid_grammar_is_summarized() {
    let folder = Folder::new("check_right").with("right.kbnf", RIGHT);
    insta::assert_snapshot!("check_right", folder.run(&["check", "right.kbnf"]));
    let answer = folder.run(&["check", "right.kbnf", "--json"]).json();
    assert_eq!(answer["ok"], true);
    assert_eq!(answer["rules"], 3);
    assert_eq!(answer["lexemes"], 2);
    assert!(answer["compile_ns"].as_u64().is_some_and(|time| time > 0));
}

#[test]
fn all_errors_are_reported_with_their_places() {
    let folder = Folder::new("check_wrong").with("wrong.kbnf", WRONG).with("meaningless.kbnf", MEANINGLESS);
    insta::assert_snapshot!("check_syntax", folder.run(&["check", "wrong.kbnf"]));
    insta::assert_snapshot!("check_meaning", folder.run(&["check", "meaningless.kbnf"]));
}

#[test]
fn json_errors_have_the_same_places() {
    let folder = Folder::new("check_json").with("meaningless.kbnf", MEANINGLESS);
    let run = folder.run(&["--json", "check", "meaningless.kbnf"]);
    assert_eq!(run.status, 1);
    let answer = run.json();
    assert_eq!(answer["ok"], false);
    let errors = answer["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 2);
    let first = &errors[0];
    assert_eq!(first["message"], "undefined nonterminal `valu`");
    assert_eq!(first["hint"], "did you mean `value`?");
    assert_eq!(
        (&first["file"], &first["line"], &first["column"]),
        (&"meaningless.kbnf".into(), &1.into(), &15.into())
    );
    assert_eq!((&first["start"], &first["end"]), (&14.into(), &18.into()));
}

#[test]
fn syntactic_and_semantic_errors_are_reported_together() {
    let text = "start ::= 'a' undefind | undefined;\nundefind2 ::= 'x' | ;\n";
    let folder = Folder::new("check_both").with("both.kbnf", text);
    insta::assert_snapshot!("check_both", folder.run(&["check", "both.kbnf"]));
    for stage in ["ast", "normal"] {
        let shown = folder.run(&["show", stage, "both.kbnf"]);
        assert_eq!(shown.err, folder.run(&["check", "both.kbnf"]).err, "{stage}");
    }
    assert_eq!(folder.run(&["check", "both.kbnf", "--json"]).json()["errors"].as_array().unwrap().len(), 3);
}

#[test]
fn json_errors_include_the_number_omitted() {
    let folder = Folder::new("check_many").with("many.kbnf", &*format!("start ::= {};", "x ".repeat(250)));
    let answer = folder.run(&["check", "many.kbnf", "--json"]).json();
    assert_eq!((answer["errors"].as_array().unwrap().len(), &answer["omitted"]), (100, &150.into()));
    let answer = folder.run(&["show", "normal", "many.kbnf", "--json"]).json();
    assert_eq!(answer["error"]["omitted"], 150);
}

#[test]
fn invalid_utf8_is_an_error_with_a_place() {
    let folder = Folder::new("check_bytes").with("bytes.kbnf", b"start ::= 'a\xff';\n");
    insta::assert_snapshot!("check_bytes", folder.run(&["check", "bytes.kbnf"]));
}

#[test]
fn the_grammar_can_come_from_stdin() {
    let run = Folder::new("check_stdin").run_with_input(&["check", "-"], b"start ::= ;");
    assert!(run.err.starts_with("<stdin>:1:11: error: "), "{run}");
    assert_eq!(run.status, 1);
}

#[test]
fn another_rule_can_be_the_start() {
    let folder = Folder::new("check_start").with("right.kbnf", RIGHT);
    assert_eq!(folder.run(&["check", "right.kbnf", "--start", "value"]).status, 0);
    let run = folder.run(&["check", "right.kbnf", "--start", "valeu"]);
    assert_eq!(run.status, 1);
    assert!(run.err.contains("the start symbol `valeu` has no rule"), "{run}");
}

#[test]
fn what_is_hardly_meant_is_noted() {
    let text = "start ::= item*;\nitem ::= 'a' | #'\\b' | loop;\nloop ::= 'x' loop;\nunused ::= 'y';\n";
    let folder = Folder::new("check_notes").with("notes.kbnf", text);
    let run = folder.run(&["check", "notes.kbnf"]);
    assert_eq!(run.status, 0);
    for (place, message) in [
        ("1:1", "`start` derives the empty text, which is no output"),
        ("2:16", "the regex contains the control character U+0008"),
        ("3:1", "the texts of `loop` never end"),
        ("4:1", "the rule `unused` is never used"),
    ] {
        assert!(
            run.err.contains(&format!("notes.kbnf:{place}: note: {message}\n")),
            "{message}\n{}",
            run.err
        );
    }
    let answer = folder.run(&["check", "notes.kbnf", "--json"]).json();
    assert_eq!(answer["notes"].as_array().map(Vec::len), Some(4));
    assert_eq!(answer["notes"][3]["line"], 4);
}
