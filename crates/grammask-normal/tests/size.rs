//! Large and hostile grammars: linear growth, no recursion, limits.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use grammask_normal::{Config, ErrorKind, Limits, NormalForm, normalize};
use grammask_syntax::{Ast, parse};

fn read(text: &str) -> Ast {
    parse(text, &grammask_syntax::Config::default()).unwrap_or_else(|errors| panic!("{errors}"))
}

fn check(text: &str) -> NormalForm {
    let begin = Instant::now();
    let normal = normalize(&read(text), &Config::default()).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    assert_eq!(normal.check(), Ok(()));
    normal
}

fn size(normal: &NormalForm) -> usize {
    normal
        .nonterminals
        .iter()
        .flat_map(|entry| &entry.productions)
        .map(|production| 1 + production.len())
        .sum()
}

#[test]
fn optionals_in_a_row_grow_linearly() {
    let row = |count: usize| size(&check(&format!("start ::= {}; B ::= 'b' B | 'c';", "B? ".repeat(count))));
    let (few, many) = (row(20), row(2_000));
    assert!(few < 20 * 12, "{few}");
    assert!(many < few * 110, "{few} for 20, {many} for 2,000");
}

#[test]
fn nullable_regexes_in_a_row_grow_linearly() {
    let row = |count: usize| {
        let optionals: String = (0..count).map(|number| format!("#'x{number}'? ")).collect();
        size(&check(&format!("start ::= {optionals};")))
    };
    assert!(row(2_000) < row(20) * 110);
}

#[test]
fn deep_groups() {
    let depth = 100_000;
    for (open, close) in
        [("(", ")"), ("[", "]"), ("{", "}"), ("('a' | ", ")"), ("'a' (", " 'b')"), ("('a' | 'c' ", ")?")]
    {
        let text = format!("start ::= {}'x'{};", open.repeat(depth), close.repeat(depth));
        check(&text);
    }
}

#[test]
fn deep_operands() {
    let depth = 50_000;
    // Each of these is a tree of regular parts; languages are left to grammask-regular.
    let not = format!("start ::= 'y' {}'x';", "~".repeat(depth));
    let texts =
        format!("start ::= except!(a) ';'; a ::= {}'x'{};", "('a' | ".repeat(depth), ")".repeat(depth));
    for text in [not, texts] {
        normalize(&read(&text), &Config::default()).unwrap_or_else(|errors| panic!("{errors}"));
    }
}

#[test]
fn many_alternatives() {
    let mut text = String::from("start ::= 'w'");
    for number in 0..50_000 {
        write!(text, " | 'word{number}' | x 'y{number}' | x x{}", number % 7).expect("strings take all");
    }
    text.push(';');
    for number in ["", "0", "1", "2", "3", "4", "5", "6"] {
        write!(text, "x{number} ::= 'x' x{number} | 'z{number}';").expect("strings take all");
    }
    let normal = check(&text);
    assert!(size(&normal) > 100_000);
}

#[test]
fn many_rules() {
    let mut text = String::from("start ::= r0;");
    for number in 0..50_000 {
        write!(
            text,
            "r{number} ::= 'a' r{} 'b' | r{}? 'c{number}';",
            (number + 1) % 50_000,
            number * 7 % 50_000
        )
        .expect("strings take all");
    }
    assert!(check(&text).nonterminals.len() > 49_000);
}

#[test]
fn long_chains() {
    let count = 50_000;
    for body in ["NEXT", "'a' NEXT", "NEXT 'a'", "NEXT?", "NEXT+ 'b'?", "'a' NEXT | NEXT"] {
        let mut text = String::from("start ::= 'x' r0;");
        for number in 0..count {
            writeln!(text, "r{number} ::= {};", body.replace("NEXT", &format!("r{}", number + 1)))
                .expect("strings take all");
        }
        write!(text, "r{count} ::= 'end' | 'e' r{count};").expect("strings take all");
        check(&text);
    }
}

#[test]
fn equal_chains_become_one() {
    let mut text = String::from("start ::= a0 'x' | b0 'y';");
    for number in 0..20_000 {
        for chain in ["a", "b"] {
            write!(text, "{chain}{number} ::= 'k' {chain}{} | 'l';", number + 1).expect("strings take all");
        }
    }
    text.push_str("a20000 ::= 'm' a20000 | 'n'; b20000 ::= 'm' b20000 | 'n';");
    assert_eq!(check(&text).nonterminals.len(), 20_002);
}

#[test]
fn doubling_texts_do_not_explode() {
    let mut text = String::from("start ::= r0 '.';");
    for number in 0..60 {
        write!(text, "r{number} ::= r{0} r{0};", number + 1).expect("strings take all");
    }
    text.push_str("r60 ::= 'ab';");
    assert!(check(&text).to_string().len() < 10_000);
}

#[test]
fn a_long_text_that_is_used_often_is_stored_once() {
    let text = format!("start ::= {} '.'; long ::= '{}';", "long ',' ".repeat(1_000), "x".repeat(1_000_000));
    assert!(check(&text).to_string().len() < 1_100_000);
}

#[test]
fn characters_that_expand_to_large_terminals_stay_rules() {
    let mut text = "start ::= '.' | start c7; c0 ::= #'[a-z]';".to_owned();
    for number in 1..8 {
        let longer: Vec<String> = ('a'..='z').map(|last| format!("c{} '{last}'", number - 1)).collect();
        write!(text, " c{number} ::= {} | #'[a-z]';", longer.join(" | ")).expect("strings take all");
    }
    let normal = check(&text);
    assert!(normal.to_string().len() < 4 * text.len(), "{} of {}", normal.to_string().len(), text.len());
}

#[test]
fn characters_deep_in_other_rules() {
    // Each loop looks regular until its last alternative, so its characters are expanded before the loop is
    // given up.
    let mut text = "bad ::= '(' bad ')' | '!'; c0 ::= #'[a-z]';".to_owned();
    let mut uses = String::new();
    for number in 1..20_000 {
        write!(
            text,
            " c{number} ::= c{} | '{number}'; l{number} ::= '.' | l{number} c{number} | l{number} bad;",
            number - 1
        )
        .expect("strings take all");
        write!(uses, " | '{number}' l{number}").expect("strings take all");
    }
    check(&format!("start ::= good{uses}; {text} good ::= '.' | good c19999;"));
    // Many counters of one character.
    let counted = "c0{2,9} c0{3,8} ".repeat(20_000);
    check(&format!("start ::= {counted}; c0 ::= #'[a-z]' | '\\\\' #'[nrt]' | 'u' #'[0-9a-f]';"));
}

#[test]
fn a_text_of_ten_megabytes() {
    check(&format!("start ::= '{}' x; x ::= 'x' x | 'y';", "z".repeat(10_000_000)));
}

#[test]
fn products_in_exceptions_are_limited() {
    let ast = read(&format!("start ::= except!(x) ';'; x ::= {};", "('a' | 'b') ".repeat(60)));
    let errors = normalize(&ast, &Config::default()).expect_err("2^60 texts");
    assert!(
        matches!(&errors.errors()[0].kind, ErrorKind::LimitExceeded(error) if error.found > Some(error.value)),
        "{errors}"
    );
}

#[test]
fn exceeded_limits_are_reported_with_value_and_count() {
    let ast = read("start ::= 'a' x | 'b' x? 'c'; x ::= 'x' x | 'y';");
    let cases = [
        (
            Limits { max_productions: 3, ..Limits::default() },
            "more than 3 productions, 6 in all (limit `max_productions`) (at byte 0)",
        ),
        (
            Limits { max_symbols: 5, ..Limits::default() },
            "more than 5 symbols, 9 in all (limit `max_symbols`) (at byte 0)",
        ),
        (
            Limits { max_terminals: 2, ..Limits::default() },
            "more than 2 terminals, 5 in all (limit `max_terminals`) (at byte 25)",
        ),
    ];
    for (limits, expected) in cases {
        let errors = normalize(&ast, &Config { limits, ..Config::default() }).expect_err("too large");
        assert_eq!(errors.to_string(), expected);
    }
}

#[test]
fn fifty_thousand_undefined_names_are_reported_quickly() {
    let mut text = String::from("start ::= 'a'");
    for number in 0..50_000 {
        write!(text, " | missing{number}").expect("strings take all");
    }
    text.push(';');
    let begin = Instant::now();
    let errors = normalize(&read(&text), &Config::default()).expect_err("undefined");
    assert_eq!((errors.errors().len(), errors.omitted()), (100, 49_900));
    assert!(begin.elapsed() < Duration::from_secs(10));
}

/// Returns rules of which each names the one before it twice.
fn doublings(count: usize, first: &str, body: impl Fn(&str) -> String) -> String {
    let mut text = format!("start ::= r{count} & ~'x';\nr0 ::= {first};\n");
    for number in 1..=count {
        writeln!(text, "r{number} ::= {};", body(&format!("r{}", number - 1))).unwrap();
    }
    text
}

#[test]
fn regular_rules_that_double_each_other_are_shared() {
    for text in [
        doublings(40, "'ab'", |before| format!("{before} {before}")),
        doublings(40, "#'[ab]'", |before| format!("{before} | 'x' {before}")),
        doublings(40, "#'[ab]'", |before| format!("'y' {before} | 'x' {before}")),
    ] {
        let begin = Instant::now();
        let normal = normalize(&read(&text), &Config::default()).unwrap_or_else(|errors| panic!("{errors}"));
        assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
        let printed = normal.to_string();
        assert!(printed.len() < 1_000_000, "{} bytes", printed.len());
        read(&printed);
    }
}

#[test]
fn too_long_regular_rules_are_refused() {
    let text = doublings(40, "'ab'", |before| format!("{before} 'x' {before}"));
    let errors = normalize(&read(&text), &Config::default()).unwrap_err();
    let ErrorKind::LimitExceeded(exceeded) = &errors.errors()[0].kind else { panic!("{errors}") };
    assert_eq!((exceeded.limit.name(), exceeded.value), ("max_regular_parts", 1 << 20));
    assert!(errors.errors()[0].span.start > 0);
}
