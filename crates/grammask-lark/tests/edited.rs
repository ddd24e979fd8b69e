//! Texts that are nearly Lark grammars, very deep ones and long ones: each has a tree or located errors.

#[path = "../../grammask-gbnf/tests/checks/mod.rs"]
mod checks;

use grammask_lark::{Config, translate};
use grammask_testkit::random::Rng;
use grammask_testkit::random::edits::{edited, prefixes};

const TEXTS: &[&str] = &[
    "%import common.INT -> N\n%ignore /[ \\t]+/\n?start: (\"a\"i | b~2..3)* [N] -> x // comment\n  | \"a\"..\"z\"\n\
     b[lazy]: T & ~\"ab\" | /a\\/b/i\nT: /(.|\\n)*/\n",
    "start: call* tail\ntail: TEXT\nhead[lazy]: TEXT \"<f>\"\ncall: head %json {\"type\": \"integer\"} \"</f>\"\n\
     TEXT: /(.|\\n)*/\n",
    "start: p::0x0\np::_: \"\" %if is_ones([0:2])\n | \"a\" p::set_bit(0) %if bit_clear(0)\n | \"b\" p::incr([0:2])\n",
    "start: sep{INT, \",\"} %lark { start: \"x\" @y } <[1,3-8]> <|end|> <[^5]>*\nsep{a, s}: a (s a)*\n\
     INT.2: %regex {\"substring_words\": \"a b\"}\n%override b: \"c\"\n%llguidance {\"allow_initial_skip\": true}\n",
];

const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "|",
    "*",
    "+",
    "?",
    "\"",
    "\\",
    "\n",
    ":",
    "start",
    "<",
    ">",
    "~",
    "&",
    ",",
    "-",
    "/",
    "//",
    "#",
    ".",
    "..",
    "->",
    "%",
    "%if ",
    "%json {",
    "%lark {",
    "%ignore ",
    "%import common.",
    "::_",
    "::1",
    "é",
    "\u{0}",
    "{99999999999}",
    "~0",
    "'",
    "i",
    "@",
    "<[",
    "[lazy]",
    "[suffix=\"",
    "T",
    "_",
    "1",
    "\r\n",
    "(?=",
];

fn check(text: &str) {
    checks::check(text, translate(text, "g.lark", &Config::default()));
}

#[test]
fn edited_grammars_have_a_tree_or_located_errors() {
    prefixes(TEXTS).for_each(check);
    for seed in 0..1_500 {
        check(&edited(&mut Rng::new(seed), TEXTS, PIECES));
    }
}

#[test]
fn long_grammars_are_read_in_linear_time() {
    let units = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "\"",
        "/",
        "\\",
        "<",
        "~",
        "&",
        "|",
        "a ",
        "A ",
        "a|",
        "\n",
        "a:\"a\"\n",
        "A:\"a\"\n",
        "\"a\"*",
        "%",
        "%json {",
        "%lark {",
        "%ignore \"a\"\n",
        "::",
        "@a ",
        "a{",
        "a[lazy]",
        "//",
        "é",
        "~\"a\" ",
        "A&",
        "/a/ ",
        "[\"a\"]",
        "<[1]>",
        "<[^1]>* ",
    ];
    for unit in units {
        let long = unit.repeat(100_000 / unit.len());
        check(&long);
        check(&format!("start: {long}"));
        check(&format!("start: A\nA: {long}"));
        check(&format!("start: \"a\" {long}"));
    }
}
