//! Big and deep texts: linear time, and no stack that the input could exhaust.

use std::fmt::Write;
use std::time::{Duration, Instant};

use grammask_syntax::{Ast, Config, ErrorKind, parse, parse_or_recover, suggest};
use grammask_work::{Allowance, within};

/// Far above what a linear pass takes, even unoptimized on a slow machine; far below what a quadratic one
/// takes.
const LINEAR: Duration = Duration::from_secs(20);

fn timed<T>(work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    let elapsed = start.elapsed();
    assert!(elapsed < LINEAR, "took {elapsed:?}");
    result
}

/// Reads a big text, prints it and reads it back.
fn check(text: &str) -> Ast {
    timed(|| {
        let ast = parse(text, &Config::default()).unwrap_or_else(|errors| panic!("{errors}"));
        ast.check().unwrap();
        let again = parse(&ast.to_string(), &Config::default()).unwrap();
        assert!(ast.same_as(&again));
        assert_eq!(format!("{ast:#}").matches("expr").count(), ast.exprs.len());
        ast
    })
}

fn errors(text: &str) -> Vec<ErrorKind> {
    timed(|| {
        let errors = parse(text, &Config::default()).unwrap_err();
        assert!(errors.render(text, "big").to_string().len() < 100_000);
        errors.iter().map(|error| error.kind().clone()).collect()
    })
}

const NESTED_GROUPS: usize = 100_000;

#[test]
fn deep_groups() {
    for (open, close) in
        [("(", ")"), ("[", "]"), ("{", "}"), ("([{", "}])"), ("~", ""), ("~(", ")*"), ("'x' (", "|'y')")]
    {
        check(&format!("start ::= {}'a'{};", open.repeat(NESTED_GROUPS), close.repeat(NESTED_GROUPS)));
    }
}

#[test]
fn deep_unclosed_groups() {
    for open in ["(", "[", "{", "~[", "'x' | (", "a, {"] {
        errors(&format!("start ::= {}", open.repeat(NESTED_GROUPS)));
        let found = errors(&format!("start ::= {}'a';", open.repeat(NESTED_GROUPS)));
        assert!(matches!(found[..], [ErrorKind::UnclosedGroup { .. }]), "{open}");
    }
}

#[test]
fn repeated_errors() {
    for piece in [
        ")",
        "(]",
        "<|",
        "<[",
        "<|a",
        "(*",
        "'",
        "\\",
        "a = ",
        "a ::= b ",
        "%start ",
        "%start a;",
        "except!(",
        "{2",
        "{,",
        "#e",
        "& ",
        "**",
        "@ ",
        ": ",
        "a!(",
        "; ",
        "'\\u",
        "\"\\",
        "%",
        "except!(a,",
        "-> ",
        "1",
        "((*",
        "<",
        "é",
    ] {
        errors(&format!("{}{piece}", piece.repeat(NESTED_GROUPS / 4)));
        errors(&format!("start ::= {piece}{}", piece.repeat(NESTED_GROUPS / 4)));
    }
}

#[test]
fn many_alternatives() {
    let mut text = "start ::= 'word'".to_owned();
    for index in 0..50_000 {
        write!(text, " | 'word{index}' name{index}").unwrap();
    }
    let ast = check(&(text + ";"));
    assert_eq!(ast.expr(ast.rules[0].body).kind.children().len(), 50_001);
}

#[test]
fn many_rules() {
    let mut text = String::new();
    for index in 0..50_000 {
        writeln!(text, "rule{index} ::= 'word{index}' rule{};", index + 1).unwrap();
    }
    assert_eq!(check(&text).rules.len(), 50_000);
}

#[test]
fn long_texts_names_and_comments() {
    check(&format!("start ::= '{}';", "x".repeat(10 << 20)));
    check(&format!("start ::= '{}';", "\n".repeat(1 << 20)));
    check(&format!("{0} ::= {0};", "x".repeat(1 << 20)));
    check(&format!("start ::= 'a' (*{}*) 'b';", "*".repeat(10 << 20)));
    check(&format!("{}start ::= 'a';", "(**)".repeat(1 << 20)));
}

#[test]
fn long_lines_and_names_with_errors() {
    errors(&format!("start ::= {}'a'**;", "'x' ".repeat(1 << 20)));
    errors(&format!("{} ;", "x".repeat(1 << 20)));
    errors(&format!("start ::= 'a'{{{}}};", "9".repeat(1 << 20)));
    errors(&format!("start ::= '\\u{{{}}}';", "9".repeat(1 << 20)));
    errors(&format!("start ::= #{}'a';", "x".repeat(1 << 20)));
}

#[test]
fn suggestion_among_many_names() {
    let names: Vec<String> = (0..50_000).map(|index| format!("rule_number_{index}")).collect();
    let found = timed(|| {
        (0..100).map(|_| suggest("rule_nmuber_49999", names.iter().map(String::as_str))).next_back().unwrap()
    });
    assert_eq!(found, Some("rule_number_49999"));
    let long = "x".repeat(1 << 20);
    let longer = format!("{long}y");
    assert_eq!(timed(|| suggest(&long, [longer.as_str()])), Some(longer.as_str()));
}

/// Recovery would read the rest of the text, which may be long.
#[test]
fn a_stopped_parser_does_not_recover() {
    let text = "a ::= 'x';\n".repeat(10_000);
    let allowance = Allowance::new("max_work", 100);
    let recovery = within(&allowance, || parse_or_recover(&text, &Config::default())).unwrap_err();
    assert!(recovery.errors.iter().any(|error| matches!(error.kind(), ErrorKind::Stopped(_))));
    assert_eq!(recovery.ast.to_string(), "");
}
