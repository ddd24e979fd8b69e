//! `grammask bench`

use serde_json::{Value, json};

use crate::running::Folder;
use crate::show::VOCABULARY;

const GRAMMAR: &str = "start ::= '[' [value {',' value}] ']';\nvalue ::= #'[a-z]+' | \"none\" | start;\n";

fn folder(name: &str) -> Folder {
    Folder::new(name).with("list.kbnf", GRAMMAR).with("vocabulary.json", VOCABULARY)
}

/// The command with a small vocabulary and two passes.
fn bench<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["bench", "list.kbnf", "--vocab", "vocabulary.json", "--passes", "2"], more].concat()
}

#[test]
fn all_series_have_counts_and_times() {
    let folder = folder("bench_json");
    let answer = folder.run(&bench(&["[ab,[none]]", "--json"])).json();
    // [ ab, [ none ]] and a mask before each of them and at the end.
    assert_eq!(
        [&answer["bytes"], &answer["tokens"], &answer["complete"], &answer["passes"], &answer["cut"]],
        [&json!(11), &json!(5), &json!(true), &json!(2), &json!("longest match")]
    );
    let count = |kind: &str| answer["ns"][kind]["count"].as_u64().unwrap();
    assert_eq!([count("compile"), count("known"), count("known_row")], [4, 12, 12]);
    assert_eq!([count("accept_fresh"), count("accept_known")], [10, 10]);
    let masks = answer["grammar"]["masks"].as_u64().unwrap();
    assert!(masks >= 3);
    assert_eq!([count("first_visit"), count("first_visit_new_vocabulary")], [2 * masks, 2 * masks]);
    for (kind, times) in answer["ns"].as_object().unwrap() {
        let [p50, p90, p99, max] = ["p50", "p90", "p99", "max"].map(|name| times[name].as_u64().unwrap());
        assert!(p50 <= p90 && p90 <= p99 && p99 <= max && max > 0, "{kind}: {times}");
    }
    assert!(answer["grammar"]["walks"].as_u64().unwrap() > 0, "{answer}");
    assert_eq!(answer["vocabulary"]["walks"], answer["vocabulary"]["parts"], "{answer}");
    let slowest = answer["slowest"].as_array().unwrap();
    assert_eq!(slowest.len(), 5.min(masks as usize));
    assert!(slowest.is_sorted_by_key(|visit| std::cmp::Reverse(visit["ns"].as_u64())), "{answer}");
    for visit in slowest {
        let text = [&visit["before"]["text"], &visit["after"]["text"]].map(|text| text.as_str().unwrap());
        assert_eq!(
            (visit["at"].as_u64().unwrap(), text.concat().as_str()),
            (text[0].len() as u64, "[ab,[none]]")
        );
    }
}

#[test]
fn the_table_has_a_line_for_each_series() {
    let folder = folder("bench_table").with("text", "[ab,");
    let run = folder.run(&bench(&["--file", "text"]));
    assert_eq!((run.status, run.err.as_str()), (0, ""), "{run}");
    let text = run.text();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("4 bytes, 2 tokens by longest match, live prefix; 2 passes; "), "{text}");
    let kinds = ["compile", "new masks, new", "new masks, used", "cached masks", "cached masks, copied"];
    for (line, kind) in lines[3..].iter().zip(kinds) {
        let columns = line.split_whitespace().rev().take(6).filter_map(|word| word.parse::<f64>().ok());
        assert!(line.starts_with(kind) && columns.count() == 6, "{text}");
    }
    for part in [
        "\ngrammar: ",
        "\nvocabulary: ",
        " walks over ",
        "slowest new masks",
        " byte 1       \"[\" then \"ab,\"",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(folder.run_with_input(&bench(&["--json"]), b"[ab,").json()["tokens"], 2, "from stdin");
    assert_eq!(folder.run(&bench(&["", "--json"])).json()["tokens"], 0, "an empty text has one mask");
}

#[test]
fn a_rejected_text_is_reported_with_byte_and_allowed_tokens() {
    let folder = folder("bench_refused");
    // A token that starts in the language and leaves it is reported by the byte that leaves it.
    for (text, at, message, allowed) in [
        ("[a]]", 3, r#""[a]" then "]"; 1 tokens are allowed there: </s>"#, json!(["</s>"])),
        ("[,", 1, r#""[" then ","; "#, Value::Null),
    ] {
        let run = folder.run(&bench(&[text]));
        assert_eq!((run.status, run.text().as_str()), (1, ""), "{run}");
        assert!(
            run.err.starts_with(&format!("error: the text is rejected at byte {at}: {message}")),
            "{run}"
        );
        let error = &folder.run(&bench(&[text, "--json"])).json()["error"];
        assert_eq!((&error["kind"], &error["at"]), (&json!("text"), &json!(at)));
        if !allowed.is_null() {
            let named: Value =
                error["allowed"].as_array().unwrap().iter().map(|token| token["special"].clone()).collect();
            assert_eq!((named, &error["count"]), (allowed, &json!(1)));
        }
    }
    let run = folder.run(&bench(&["[a]b", "--eager"]));
    assert!(run.err.contains("rejected at byte 3") && run.err.contains("the text has ended"), "{run}");
}

#[test]
fn a_histogram_is_drawn() {
    let folder = folder("bench_svg").with("a & <b>.kbnf", GRAMMAR);
    let run =
        folder.run(&["bench", "a & <b>.kbnf", "[ab]", "--vocab", "vocabulary.json", "--svg", "out.svg"]);
    assert_eq!(run.status, 0, "{run}");
    let svg = String::from_utf8(folder.read("out.svg")).unwrap();
    assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"), "{svg}");
    assert!(svg.contains("<title>a &amp; &lt;b&gt;.kbnf: times of masks</title>"), "{svg}");
    for part in
        ["new masks: ", "cached masks: 50, p50 ", "class=\"a\"", "class=\"b\"", "prefers-color-scheme"]
    {
        assert!(svg.contains(part), "{part}: {svg}");
    }
}

#[test]
fn errors_are_reported_before_measuring() {
    let folder =
        folder("bench_trouble").with("wrong.kbnf", "start ::= a;").with("long", " ".repeat((1 << 24) + 1));
    let arguments: [&[&str]; 8] = [
        &["bench", "wrong.kbnf", "a"],
        &["bench", "list.kbnf", "--file", "nowhere"],
        &["bench", "list.kbnf", "--file", "long"],
        &["bench", "-"],
        &["bench", "list.kbnf", "[]", "--passes", "0"],
        &["bench", "list.kbnf", "[]", "--svg", "no/such/folder.svg"],
        &["bench", "list.kbnf", "[é]", "--vocab", "vocabulary.json"],
        &[
            "bench",
            "list.kbnf",
            "[a,a,a,a,a,a,a,a,a,a,a]",
            "--passes",
            "100000",
            "--vocab",
            "vocabulary.json",
        ],
    ];
    for arguments in arguments {
        let run = folder.run(arguments);
        assert_eq!((run.status, run.text().as_str()), (4, ""), "{run}");
        assert!(run.err.contains("error: "), "{run}");
    }
}
