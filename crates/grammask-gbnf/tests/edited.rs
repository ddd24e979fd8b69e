//! Texts that are nearly grammars, very deep ones and long ones: each has a tree or located errors.

mod checks;

use checks::check;
use grammask_gbnf::{Config, RegexDialect, translate, translate_choice, translate_regex};
use grammask_testkit::random::Rng;
use grammask_testkit::random::edits::{edited, prefixes};

const GBNF: &[&str] = &[
    "root ::= (\"a\" | [^\\n\\x41-z]{2,} | b-c)* # comment\nb-c ::= . <[7]> !<think>* \"\\u00e9\\\"\"?\n",
    "root ::=\n  item |\n  ( \"{\" item{1,3} \"}\" )+\nitem ::= [a-z\\]-]{4} | \"\" |\n",
];

const EBNF: &[&str] = &[
    "root ::= TagDispatch((\"<f>\", a), (\"<g\", b), excludes=(\"x\", \"y\"), loop_after_dispatch=false)\n\
     a[lazy] ::= \"b\" | \"bc\"\nb[max_chars=3] ::= [a-z]* (= \"c\")\n",
    "root ::= Regex(\"(a|b){2,3}?\\\\d\", flags=\"is\") Substring(\"ab\", \"c\") Token(1, 2) ExcludeToken(3)*\n\
     | TokenTagDispatch((1, x), excludes=(2,))\nx ::= true | \"\\x41\" [^\\]]{2,-1}\n",
];

const REGEXES: &[&str] = &[
    "^(?:a|b*?)+[^\\d\\]a-z]{2,5}(?=x)\\bfoo$",
    "(?i)(?P<n>a{,3})\\p{Lu}[[:alpha:]&&[^b]]\\x{41}\\u0041(?!b)",
    "(?<n>x)\\k<n>\\1|(?>a)++\\cA[\\w-\\s]|a{2}{3}",
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
    "::=",
    "root",
    "<",
    ">",
    "!",
    "#",
    ",",
    "-",
    "^",
    "=",
    ".",
    "é",
    "\u{0}",
    "{99999999999}",
    "\\x",
    "\\u",
    "\\U0011",
    "\r\n",
    "[^",
    "(?",
    "{,",
    "$",
    "\\b",
    "(?:",
    "(?=",
    "(?<!",
    "&&",
    "TagDispatch(",
    "Regex(\"",
    "true",
    "[lazy]",
    "\u{10FFFF}",
    "  ",
    "\u{FEFF}",
];

/// Reads a text in all notations of a list of grammars.
fn read(text: &str, texts: &[&str]) {
    if std::ptr::eq(texts, REGEXES) {
        use RegexDialect::{Auto, Ecma, Python, Rust, XGrammar};
        for dialect in [Auto, Ecma, Python, Rust, XGrammar] {
            check(text, translate_regex(text, dialect, "pattern", &Default::default()));
        }
        return;
    }
    check(text, translate(text, &Config::gbnf()));
    check(text, translate(text, &Config::ebnf()));
    check(text, translate_choice(text, "choice", &Default::default()));
}

#[test]
fn edited_grammars_have_a_tree_or_located_errors() {
    for (texts, count) in [(GBNF, 1_500), (EBNF, 1_500), (REGEXES, 800)] {
        for text in prefixes(texts) {
            read(text, texts);
        }
        for seed in 0..count {
            read(&edited(&mut Rng::new(seed), texts, PIECES), texts);
        }
    }
}

#[test]
fn long_grammars_are_read_in_linear_time() {
    let repeated = |text: &str| text.repeat(200_000 / text.len());
    let units = [
        "(",
        ")",
        "[",
        "\"",
        "{",
        "<",
        "!",
        "\\",
        "a ",
        "a|",
        "a\n",
        "a::=a\n",
        "\"a\"*",
        "[a]",
        "a{2}",
        "\n",
        "#",
        "a[lazy]",
        "a[",
        "(=",
        "\"\\x41\"",
        "Regex(\"a\")",
        "TagDispatch(",
        "((",
        "é",
        "a.b ",
        "<[1]>",
        "!<[1]>* ",
    ];
    for unit in units {
        for text in [
            repeated(unit),
            format!("root ::= {}", repeated(unit)),
            format!("root ::= \"a\"{}", repeated(unit)),
        ] {
            check(unit, translate(&text, &Config::gbnf()));
            check(unit, translate(&text, &Config::ebnf()));
        }
    }
    let units = [
        "(", ")", "[", "a|", "a*", "(?:", "(?=", "a{2}", "\\d", "[a]", "\\", "{", "^", "$", "()", "(a)", "a?",
    ];
    for unit in units {
        let text = unit.repeat(20_000 / unit.len());
        for dialect in [RegexDialect::Auto, RegexDialect::XGrammar] {
            check(unit, translate_regex(&text, dialect, "pattern", &Default::default()));
        }
    }
}
