//! Which patterns are valid, what they are written as, and which are refused where.

use super::store;
use crate::{Cause, Config, Dialect, Error, Language, Pattern, translate};

fn pattern(source: &str) -> Result<Pattern, Error> {
    let config = Config { dialect: Dialect::Ecma, ..Config::default() };
    translate(source, &config, &mut store())
}

/// Returns the regex of a pattern.
fn regex(source: &str) -> String {
    match pattern(source).map(|found| found.get(found.root).clone()) {
        Ok(Language::Regex(regex)) => regex,
        other => format!("{other:?}"),
    }
}

#[test]
fn anchors_at_the_ends_leave_one_readable_regex() {
    let table = [
        (r"^[a-z][a-z0-9_]*$", r"[a-z][a-z0-9_]*"),
        (r"^\d{4}-\d{2}$", r"[0-9]{4}\-[0-9]{2}"),
        (r"^foo", r"foo(?s:.)*"),
        (r"foo$", r"(?s:.)*foo"),
        (r"foo", r"(?s:.)*foo(?s:.)*"),
        (r"^.*foo.*$", r"[^\n\r\u{2028}\u{2029}]*foo[^\n\r\u{2028}\u{2029}]*"),
        (r"^a+", r"a(?s:.)*"),
        (r".*", r"(?s:.)*"),
        (r"^$|^a$", r"|a"),
        (r"(^a$)|(^b$)", r"a|b"),
        (r"^a|b$", r"a(?s:.)*|(?s:.)*b"),
        (r"^x-", r"x\-(?s:.)*"),
        (r"^[\s\S]*\.$", r"(?s:.)*\."),
        (r"^[\w.-]+$", r"[0-9A-Za-z_\.\-]+"),
        (r"^\p{L}+$", r"\p{L}+"),
        (r"^[\p{L}\d]$", r"[\p{L}0-9]"),
        (r"^(?<year>\d+?)$", r"[0-9]+"),
        (r"^\uD83D\uDE00\u{1F600}\x41\cA\0$", "\u{1F600}\u{1F600}A\\u{1}\\u{0}"),
        (r"^a{1000000000}$", r"a{1000000000}"),
        (r"^(a|b)*(ab)+$", r"(?:a|b)*(?:ab)+"),
        // Additions of Annex B.
        (r"^\-\_\@\ $", r"\-_@ "),
        (r"^{a}]$", r"\{a\}\]"),
        (r"^a{,2}$", r"a\{,2\}"),
        (r"^[\w-a]$", r"[0-9A-Za-z_\-a]"),
        // No text contains a lone surrogate.
        (r"^[\uD800-\uDBFF]$", r"[a&&b]"),
    ];
    for (source, expected) in table {
        assert_eq!(regex(source), expected, "{source}");
    }
}

#[test]
fn invalid_patterns_are_refused_at_their_offset() {
    let table = [
        ("(", 0),
        ("a)", 1),
        ("a(b", 1),
        ("[a", 0),
        ("a**", 2),
        ("a++", 2),
        ("*", 0),
        ("^*", 1),
        ("{2}", 0),
        ("a{2}{3}", 4),
        ("a{3,2}", 1),
        ("\\", 0),
        ("(?i)a", 0),
        ("(?-:a)", 0),
        ("(?ii:a)", 0),
        ("(?i-i:a)", 0),
        ("(?<a>b)(?<a>c)", 7),
        ("(?<a>b(?<a>c)|d)", 5),
        (r"[\q{ab}", 1),
        (r"\A", 0),
        (r"a\Z", 1),
        (r"\z", 0),
        (r"\h", 0),
        (r"\Q", 0),
        (r"\e", 0),
        (r"\c1", 0),
        (r"\x4", 0),
        (r"\u12", 0),
        (r"\u{110000}", 0),
        (r"\u{}", 0),
        (r"\1", 0),
        (r"\01", 0),
        (r"\k<a>", 0),
        (r"\p{Foo}", 0),
        (r"\pL", 0),
        (r"\p{Greek}", 0),
        ("[b-a]", 1),
        (r"[\B]", 1),
        ("(?P<a>b)", 0),
        ("(?>a)", 0),
        ("(?<1>a)", 3),
        ("(?#a)", 0),
        (r"\b*", 2),
        ("(?<=a)*", 6),
    ];
    for (source, place) in table {
        match pattern(source) {
            Err(Error { offset, cause: Cause::Invalid, .. }) => assert_eq!(offset, place, "{source}"),
            other => panic!("{source}: {other:?}"),
        }
    }
}

#[test]
fn unsupported_patterns_are_refused() {
    let deep = format!("{}a{}", "(".repeat(300), ")".repeat(300));
    let wide = format!("^{}$", "(a|^|$)".repeat(100));
    let table = [r"(a)\1", r"(?<a>b)\k<a>", "a{1000000001}", "(?:a|^){10000}", "a(?<=b(?=c))", &deep, &wide];
    for source in table {
        let answer = pattern(source);
        assert!(
            matches!(answer, Err(Error { cause: Cause::Unsupported | Cause::Limit { .. }, .. })),
            "{source}: {answer:?}"
        );
    }
}

#[test]
fn hostile_patterns_terminate_quickly() {
    let many = [
        r"\p{L}".repeat(20_000),
        r"(\ba){100}".repeat(1_000),
        "(?=".repeat(240) + &")".repeat(240),
        "(?:(?=a)|".repeat(240) + &")".repeat(240),
        "((?!a).)*".repeat(1_000),
        "(^|".repeat(200) + "a" + &")*".repeat(200),
        "^(?:(?!x)(?:a|b)y)*".repeat(1_000),
        "(?:(?=a)|".repeat(240) + &"b".repeat(1_000_000) + &")".repeat(240),
        r"\b".to_owned() + &r"\p{L}*".repeat(19_000),
        "(?:".to_owned() + &"ab(?<=bb)".repeat(2_000) + ")*",
        "(?:".to_owned() + &"(?=a)".repeat(2_000) + "bc)*",
        "[".repeat(100_000),
        "a|".repeat(100_000) + "^",
    ];
    for source in many {
        let _ = pattern(&source);
    }
}
