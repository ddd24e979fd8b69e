//! Errors with their places and hints, notes, and hostile input.

mod matching;

use grammask_lark::{Annotations, Config, Grammar, GrammarKind, Limits, translate};

/// Returns `line:column: message (hint)` of each error.
fn errors_with(text: &str, config: &Config) -> Vec<String> {
    let errors = match translate(text, "g.lark", config) {
        Ok(outcome) => panic!("no error in {text}\n{}", outcome.ast),
        Err(errors) => errors,
    };
    let show = |error: &grammask_syntax::Diagnostic| {
        let (_, place) = errors.sources().locate(error.span.start);
        let hint = error.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("{place}: {}{hint}", error.message)
    };
    errors.diagnostics().iter().map(show).collect()
}

fn errors(text: &str) -> Vec<String> {
    errors_with(text, &Config::default())
}

fn notes(text: &str) -> Vec<String> {
    let outcome = translate(text, "g.lark", &Config::default()).unwrap_or_else(|errors| panic!("{errors}"));
    outcome.notes.into_iter().map(|note| note.message).collect()
}

#[test]
fn all_errors_of_a_text_are_reported_at_once() {
    let text = r#"start: greting NUMBR "a" )
greeting: 'hello' | "x
NUMBER: /[0-9/ greeting
other: "\d" ("b"
last: "a"~3..2
last: missing
%import common.FLAOT
%ignor " "
%declare
"#;
    assert_eq!(
        errors(text),
        [
            "1:8: undefined rule `greting` (did you mean `greeting`?)",
            "1:16: undefined terminal `NUMBR` (did you mean `NUMBER`?)",
            "1:26: expected the end of the line, but found `)`",
            "2:11: texts are written with double quotes (replace '…' by \"…\")",
            "4:9: unknown escape `\\d` (escapes are \\n \\r \\t \\b \\f \\\\ \\\" \\/ \\x41 \\u0041)",
            "5:10: the bounds 3 and 2 are the wrong way round",
            "6:1: the rule `last` is defined twice (add alternatives with `|` to the first one, or rename one \
             of them)",
            "7:16: `common` has no terminal `FLAOT` (did you mean `common.FLOAT`?)",
            "8:1: unknown directive `%ignor` (did you mean `%ignore`?)",
            "9:9: expected the name of a terminal, but the line ends",
        ],
    );
}

#[test]
fn errors_have_places_and_hints_in_lark() {
    for (text, expected) in [
        ("start: greting\ngreeting: \"a\"", "1:8: undefined rule `greting` (did you mean `greeting`?)"),
        ("start: A", "1:8: undefined terminal `A` (add a terminal: A: …)"),
        ("begin: \"a\"", "1:1: the grammar has no rule `start` (add a rule: start: begin)"),
        (
            "start ::= \"a\"",
            "1:7: expected `:`, but found `::` (this looks like EBNF: a Lark rule is written `name: …`)",
        ),
        (
            "start: A\nA: B\nB: \"x\" A",
            "3:8: the terminal `A` refers to itself (only rules, in lower case, may be recursive)",
        ),
        ("start: x\nx[lazi]: \"a\"", "2:3: unknown attribute `lazi` (did you mean `lazy`?)"),
        ("start: /a(b/", "1:10: invalid regex: "),
        ("start: \"b\"..\"a\"", "1:8: the ends of the range are the wrong way round"),
        (
            "start: <[5-3]>",
            "1:8: `5-3` is not an id or a range of ids (ids are written <[7]>, <[1,3-8]>, <[^1,2]> or <[*]>)",
        ),
        ("start: @sub", "1:8: there is no grammar `@sub` (grammars are handed over by name)"),
        ("start: x{\"a\"}\nx{a, b}: a b", "1:8: `x` has 2 parameters, but 1 are given (write `x{a, b}`)"),
        ("%llguidance {\"ignore_once\": 1}\nstart: \"a\"", "1:13: `ignore_once` is true or false, not 1"),
        ("start: %json {\"type\": \"txt\"}", "1:15: JSON Schema "),
        ("start: (\"a\"", "1:8: the bracket is not closed"),
        ("start: \"a\" & \"b\" c\nc: \"x\"", "1:18: `c` is a rule, but only terminals"),
    ] {
        let found = errors(text);
        assert!(found[0].starts_with(expected), "{text}:\n{}\nexpected\n{expected}", found[0]);
    }
}

#[test]
fn what_does_not_restrict_texts_has_a_note() {
    assert_eq!(notes("start: a\na: \"x\""), [""; 0]);
    assert!(notes("start.2: \"x\"")[0].contains("priority"));
    assert!(notes("start[capture, temperature=0.5]: /a/")[0].contains("capture"));
    assert!(notes("start: x\nx[max_tokens=5]: /a+/")[0].contains("`max_tokens` is not enforced"));
    assert!(notes("start: /a+?/").iter().any(|note| note.contains("lazy quantifier")));
    assert_eq!(notes("start: \"a\"\nb: c"), ["the rule `b` is not used"]);
    let mut config = Config::default();
    config.notation.annotations = Annotations::Refuse;
    assert_eq!(errors_with("start[capture]: \"a\"", &config), ["1:7: `capture` is not supported"]);
}

#[test]
fn named_grammars_have_their_own_places() {
    let grammar = |text: &str, kind| Grammar { name: "sub".to_owned(), kind, text: text.to_owned() };
    let mut config =
        Config { grammars: vec![grammar("start: A\nA: \"x\"", GrammarKind::Lark)], ..Config::default() };
    let found = matching::verdicts("start: @sub A\n%import sub.A", &config, &["xx", "x"]);
    assert_eq!(found.unwrap(), ["accept", "prefix"]);
    config.grammars = vec![grammar("start: B", GrammarKind::Lark)];
    let errors = translate("start: @sub", "g.lark", &config).unwrap_err();
    assert_eq!(errors.sources().locate(errors.diagnostics()[0].span.start).0, "@sub");
    config.grammars = vec![grammar("{\"type\": \"null\"}", GrammarKind::JsonSchema)];
    assert_eq!(matching::verdicts("start: @sub", &config, &["null", "1"]).unwrap(), ["accept", "reject@0"]);
}

#[test]
fn hostile_texts_end_with_an_error_that_names_the_limit() {
    let nested = format!("start: {}\"a\"{}", "(".repeat(100_000), ")".repeat(100_000));
    let negated = format!("start: X\nX: {}\"a\"", "~".repeat(100_000));
    let mut chain = "start: A0\n".to_owned();
    for i in 0..60 {
        chain += &format!("A{i}: ~(A{} A{}) & A{}\n", i + 1, i + 1, i + 1);
    }
    chain += "A60: /[a-z]*/\n";
    let mut lark = String::new();
    for _ in 0..1_000 {
        lark += "start: %lark {\n";
    }
    for (text, limit) in [
        (nested, "max_nesting"),
        (negated, "`~`"),
        (chain, "max_terminal_size"),
        ("start: l{\"a\"}\nl{x}: x | l{(\"b\" x)}".to_owned(), "max_nesting"),
        ("start: p::0\np::_: \"a\" p::incr(_)".to_owned(), "max_expansions"),
        ("start: \"a\"{2000000000}".to_owned(), "MAX_REPETITIONS"),
        (lark, "max_nesting"),
    ] {
        let found = errors(&text);
        assert!(found.iter().any(|error| error.contains(limit)), "{limit}: {found:?}");
    }
    let config = Config { limits: Limits { max_nesting: 3, ..Limits::default() }, ..Config::default() };
    assert!(errors_with("start: ((((\"a\"))))", &config)[0].contains("more than 3 nested groups"));
}

#[test]
fn every_piece_of_a_grammar_has_errors_or_a_tree() {
    let text = r#"%llguidance {"ignore_once": true}
?start.1: a{B, "c"} (p::0 | [d])~1..2 -> x | <[1,3-4]> %lark { start: "é" }
a{x, y}: x y+ | x{2,3}
p::_: "" %if is_ones([0:2]) | "q" p::set_bit(0) %if and(bit_clear(0), true)
d[lazy, capture="n"]: /[a-z]+/i "\u00e9"
B: ~"a".."b" & /x\/y/s # comment
%ignore /[ ]/ // comment
%import common (INT, WS) 
e: %json {"type": "object"} %regex {"substring_words": "a b"}
"#;
    let mut trees = 0;
    for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
        for piece in [text[..end].to_owned(), text[end..].to_owned(), format!("{}{}", &text[..end], "(")] {
            match translate(&piece, "g.lark", &Config::default()) {
                Ok(outcome) => {
                    trees += 1;
                    outcome.ast.check().unwrap();
                }
                Err(errors) => assert!(!errors.diagnostics().is_empty()),
            }
        }
    }
    assert!(trees > 20, "{trees}");
}
