//! `grammask accept`

use crate::running::Folder;

const GRAMMAR: &str = "start ::= '(' start ')' | #'[a-z]+' | 'ä' | #ex'ab' '!';\n";

fn folder(name: &str) -> Folder {
    Folder::new(name).with("g.kbnf", GRAMMAR)
}

#[test]
fn each_verdict_has_its_exit_status() {
    let folder = folder("accept_verdicts").with("tokens.kbnf", "start ::= 'a' <|x|>;");
    for (text, verdict, status) in [
        ("abc", "accept\n", 0),
        ("((x))", "accept\n", 0),
        ("", "live prefix\n", 2),
        ("((x)", "live prefix\n", 2),
        ("(ä)", "accept\n", 0),
        ("ab(", "reject at byte 2\n", 1),
        ("((x))a", "live prefix\n", 2),
        ("((x))ab", "reject at byte 6\n", 1),
        ("-1", "live prefix\n", 2),
    ] {
        let run = folder.run(&["accept", "g.kbnf", text]);
        assert_eq!((run.text().as_str(), run.status), (verdict, status), "{text}");
        assert_eq!(run.err.is_empty(), status != 1, "{text}: {}", run.err);
    }
    assert_eq!(folder.run(&["accept", "tokens.kbnf", "a"]).text(), "live prefix\n");
    assert_eq!(folder.run(&["accept", "tokens.kbnf", "a<|x|>"]).text(), "reject at byte 1\n");
}

#[test]
fn a_grammar_of_another_notation_without_outputs_rejects_all_texts() {
    let folder =
        Folder::new("accept_empty").with("g.ebnf", "root ::= []\n").with("g.kbnf", "start ::= #'[a&&b]';");
    let run = folder.run(&["accept", "--notation", "ebnf", "g.ebnf", ""]);
    assert_eq!((run.text().as_str(), run.status), ("reject at byte 0\n", 1));
    assert!(run.err.contains("warning: the language of `root` is empty"), "{}", run.err);
    assert_eq!(folder.run(&["check", "--notation", "ebnf", "g.ebnf"]).status, 1);
    assert_eq!(folder.run(&["accept", "g.kbnf", "a"]).status, 4);
}

#[test]
fn the_text_can_come_from_a_file_or_stdin() {
    let folder = folder("accept_file")
        .with("right.txt", "(cba)")
        .with("line.txt", "(cba)\n")
        .with("bytes", b"x\xff\x00ab")
        .with("empty", "");
    let verdict = |file: &str| folder.run(&["accept", "g.kbnf", "--file", file]).text();
    assert_eq!(verdict("right.txt"), "accept\n");
    assert_eq!(verdict("line.txt"), "live prefix\n");
    assert_eq!(verdict("bytes"), "reject at byte 4\n");
    assert_eq!(verdict("empty"), "live prefix\n");
    let run = folder.run_with_input(&["accept", "g.kbnf"], b"(abc)");
    assert_eq!((run.text().as_str(), run.status), ("accept\n", 0));
}

#[test]
fn long_texts_are_read_in_pieces() {
    let folder = Folder::new("accept_long").with("g.kbnf", "start ::= '(' start ')' | #'[a-z]+';");
    let depth = 100_000;
    let text = format!("{}x{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(folder.run_with_input(&["accept", "g.kbnf"], text.as_bytes()).text(), "accept\n");
    let wrong = format!("{text})");
    assert_eq!(
        folder.run_with_input(&["accept", "g.kbnf"], wrong.as_bytes()).text(),
        format!("reject at byte {}\n", 2 * depth + 1)
    );
}

#[test]
fn verdicts_are_printed_as_json() {
    let folder = folder("accept_json");
    let answer = |text: &str| folder.run(&["accept", "g.kbnf", text, "--json"]).json();
    assert_eq!(answer("abc"), serde_json::json!({ "verdict": "accept", "length": 3 }));
    assert_eq!(answer("(a"), serde_json::json!({ "verdict": "live prefix", "length": 2 }));
    let rejected = answer("ab(");
    assert_eq!((&rejected["verdict"], &rejected["at"]), (&"reject".into(), &2.into()));
    assert_eq!((&rejected["line"], &rejected["column"]), (&1.into(), &3.into()));
    assert_eq!(rejected["expected"], serde_json::json!(["`a` to `z`", "the end"]));
}

#[test]
fn after_two_dashes_an_option_is_a_text() {
    let folder = folder("accept_dashes");
    let run = folder.run(&["accept", "g.kbnf", "--", "--json"]);
    assert_eq!((run.text().as_str(), run.status), ("live prefix\n", 2));
}

#[test]
fn errors_have_another_status_than_the_verdicts() {
    let folder = folder("accept_trouble").with("wrong.kbnf", "start ::= a;");
    let arguments: [&[&str]; 6] = [
        &["accept", "wrong.kbnf", "a"],
        &["accept", "nowhere.kbnf", "a"],
        &["accept", "g.kbnf", "--file", "nowhere.txt"],
        &["accept", "g.kbnf", "--file", "."],
        &["accept", "g.kbnf", "a", "--file", "b"],
        &["accept", "-"],
    ];
    for arguments in arguments {
        let run = folder.run(arguments);
        assert_eq!((run.status, run.text().as_str()), (4, ""), "{run}");
        assert!(run.err.contains("error: "), "{run}");
    }
}

#[test]
fn a_rejected_text_is_shown_with_what_was_expected() {
    let folder = Folder::new("accept_report")
        .with("g.kbnf", "start ::= line+ <|end|>?; line ::= 'é' ('a' | 'b' | #'[0-9]') '\\n';")
        .with("text", "éa\né7x and more\nlast\n");
    let run = folder.run(&["accept", "g.kbnf", "--file", "text"]);
    assert_eq!((run.text().as_str(), run.status), ("reject at byte 7\n", 1));
    assert_eq!(
        run.err,
        " --> line 2, column 3\n  |\n2 | é7x and more\n  |   ^\n  = expected: a line break\n"
    );
    let run = folder.run(&["accept", "g.kbnf", "éa\nx"]);
    assert!(run.err.ends_with("2 | x\n  | ^\n  = expected: byte 0xc3, <|end|>, the end\n"), "{}", run.err);
    let run = folder.run(&["accept", "g.kbnf", "éx"]);
    assert!(run.err.ends_with("  = expected: `0` to `9`, `a`, `b`\n"), "{}", run.err);
}
