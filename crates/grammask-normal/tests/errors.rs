//! Reports of errors in the meaning of grammars.

use std::fs;
use std::path::Path;

use grammask_normal::{
    Config, ErrorKind, Errors, Limit, LimitExceeded, Limits, UnorderedError, check_recovered, normalize,
};
use grammask_syntax::{Ast, ExprId, ExprKind, Name, Report, Rule, Span, parse, parse_or_recover};

fn wrong(text: &str) -> Errors {
    let ast = parse(text, &grammask_syntax::Config::default()).expect("valid syntax");
    normalize(&ast, &Config::default()).expect_err(text)
}

#[test]
fn wrong_meanings_are_explained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/invalid/semantic");
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("the fixtures are there").map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "kbnf"));
    paths.sort();
    assert!(paths.len() >= 40, "only {} fixtures", paths.len());
    for path in paths {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let errors = wrong(&text);
        let file = format!("{name}.kbnf");
        let shown = Report::new(&text, &file, errors.diagnostics()).with_omitted(errors.omitted());
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false, snapshot_path => "snapshots/errors" }, {
            insta::assert_snapshot!(name, shown.to_string());
        });
    }
}

#[test]
fn all_errors_come_at_once_and_in_order() {
    let errors = wrong("start ::= missing #'(' except!(start) ~start; other ::= also_missing;");
    let starts: Vec<usize> = errors.errors().iter().map(|error| error.span.start).collect();
    assert_eq!(starts.len(), 5);
    assert!(starts.is_sorted());
}

#[test]
fn a_regex_error_points_into_the_regex_if_it_has_no_escapes() {
    let text = "start ::= #'ab(c' | #ex'ab[c';";
    let errors = wrong(text);
    let places: Vec<&str> = errors.errors().iter().map(|error| &text[error.span.range()]).collect();
    assert_eq!(places, ["(", "["]);
    let text = "start ::= #'\\x61b(c';";
    assert_eq!(&text[wrong(text).errors()[0].span.range()], "#'\\x61b(c'");
}

#[test]
fn items_that_require_each_other_are_refused_if_a_total_could_be_skipped() {
    let errors =
        wrong("start ::= unordered!('a'?, 'b'?, 'c'?, 'd'?; ; {3}; 0 -> 1, 1 -> 0, 2 -> 3, 3 -> 2);");
    let UnorderedError::JumpingCount { count, min, max } = unordered_error(&errors) else {
        panic!("{errors}")
    };
    assert_eq!((*count, *min, *max), (2, 3, 3));
}

#[test]
fn distinct_needs_a_large_operand_and_is_an_item_of_unordered() {
    let kind = |text: &str| {
        let errors = wrong(text);
        assert_eq!(errors.errors().len(), 1, "{text}: {errors}");
        (errors.errors()[0].kind.clone(), errors.errors()[0].hint().is_some())
    };
    for few in ["'a'", "#'[0-9]{1,9}'", "json!('a')", "#'a{1,1000}'", "except!('a', 1)", "#'a' & 'b'"] {
        let text = format!("start ::= unordered!(distinct!({few}); ',');");
        let least = u64::from(u32::MAX);
        assert_eq!(kind(&text), (ErrorKind::TooFewDistinctTexts { least }, true), "{few}");
    }
    // With a maximum, as many texts as that are enough.
    let text = "start ::= unordered!(distinct!(#'[ab]'); ','; {1,3});";
    assert_eq!(kind(text), (ErrorKind::TooFewDistinctTexts { least: 3 }, true));
    let fits = "start ::= unordered!(distinct!(#'[ab]'); ','; {1,2});";
    let ast = parse(fits, &grammask_syntax::Config::default()).expect("valid syntax");
    normalize(&ast, &Config::default()).expect("two texts are enough");
    for misplaced in
        ["distinct!(#'a+')", "unordered!(distinct!(#'a+')?)", "unordered!('a'; distinct!(#'a+'))"]
    {
        assert_eq!(
            kind(&format!("start ::= 'x' {misplaced};")),
            (ErrorKind::MisplacedDistinct, true),
            "{misplaced}"
        );
    }
    for irregular in ["~distinct!(#'a+')", "unordered!(distinct!(json!(start)))"] {
        assert!(
            matches!(kind(&format!("start ::= {irregular};")).0, ErrorKind::NotRegular { .. }),
            "{irregular}"
        );
    }
    let several = wrong("start ::= unordered!(distinct!(#'a+'), distinct!(#'b+'));");
    assert!(matches!(unordered_error(&several), UnorderedError::SeveralDistinct));
    let empty = wrong("start ::= unordered!(distinct!(#'a*'));");
    assert_eq!(empty.errors()[0].kind, ErrorKind::EmptyItem { is_separator: false });
}

#[test]
fn requirements_are_limited() {
    let count = 400;
    let items: Vec<String> = (0..count).map(|item| format!("'{item}'?")).collect();
    let needs: Vec<String> = (1..count).map(|item| format!("{} -> {item}", item - 1)).collect();
    let text = format!("start ::= unordered!({}; ; {{1,}}; {});", items.join(", "), needs.join(", "));
    let errors = wrong(&text);
    let expected = LimitExceeded { limit: Limit::MaxRequirements, value: 32_768, found: None };
    assert_eq!(errors.errors()[0].kind, ErrorKind::LimitExceeded(expected), "{errors}");
    assert_eq!(errors.errors()[0].span.start, 10);
}

fn unordered_error(errors: &Errors) -> &UnorderedError {
    match &errors.errors()[0].kind {
        ErrorKind::Unordered(error) => error,
        other => panic!("{other}"),
    }
}

#[test]
fn an_undefined_name_suggests_the_most_similar_one() {
    let errors = wrong("start ::= valeu; value ::= 'x';");
    let expected = ErrorKind::UndefinedNonterminal {
        name: "valeu".to_owned(),
        suggestion: Some("value".to_owned()),
        is_in_brackets: false,
    };
    assert_eq!(errors.errors()[0].kind, expected);
}

#[test]
fn the_part_without_syntax_errors_is_checked() {
    let check = |text: &str, config: &Config| {
        let recovered = parse_or_recover(text, &grammask_syntax::Config::default()).expect_err(text);
        check_recovered(&recovered, config).map_err(|errors| errors.to_string())
    };
    let text = "start ::= a | 'x' & start; b ::= 'x' | ; c ::= ~b (;";
    let found = "undefined nonterminal `a` (at byte 10); the operands of `&` must be regular, but this is the nonterminal `start`, which is recursive (at byte 20)";
    assert_eq!(check(text, &Config::default()), Err(found.to_owned()));
    let config = Config { start: Some("d".to_owned()), ..Config::default() };
    assert!(check(text, &config).is_err_and(|found| found.starts_with("the start symbol `d` has no rule")));
    // The rule of `b` and the operand of `~` are unknown.
    assert_eq!(check("start ::= except!(b); b ::= 'x' | ; c ::= ~b (;", &Config::default()), Ok(()));
}

#[test]
fn an_error_in_a_deep_operand_is_reported_once() {
    for depth in [9, 100, 20_000] {
        let errors = wrong(&format!("start ::= {}'a'{};", "json!(".repeat(depth), ")".repeat(depth)));
        let all: Vec<String> = errors.errors().iter().map(ToString::to_string).collect();
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(all[0].contains("`json_nesting`"), "{all:?}");
    }
}

#[test]
fn errors_beyond_the_limit_are_counted() {
    let ast = parse("start ::= a b c d e;", &grammask_syntax::Config::default()).expect("valid syntax");
    let errors = normalize(
        &ast,
        &Config { limits: Limits { max_errors: 2, ..Limits::default() }, ..Config::default() },
    )
    .expect_err("undefined");
    assert_eq!((errors.errors().len(), errors.omitted()), (2, 3));
}

/// A tree with one rule, `start`, of these expressions; the last is its body.
fn tree(kinds: &[ExprKind]) -> Ast {
    let mut ast = Ast::default();
    let span = Span::default();
    let ids: Vec<ExprId> = kinds.iter().map(|kind| ast.push(kind.clone(), span)).collect();
    let name = Name { text: "start".to_owned(), span };
    ast.rules.push(Rule { name, body: ids.last().copied().unwrap_or(ExprId(0)), span });
    ast
}

#[test]
fn trees_that_are_none_are_refused() {
    let text = ExprKind::Text("a".into());
    let trees = [
        tree(&[]),
        tree(&[ExprKind::Sequence(vec![].into())]),
        tree(&[ExprKind::Not(ExprId(0))]),
        tree(&[ExprKind::Not(ExprId(7))]),
        tree(&[text.clone(), ExprKind::Sequence(vec![ExprId(0), ExprId(0)].into())]),
        tree(&[text.clone(), ExprKind::And(vec![].into())]),
    ];
    for ast in trees {
        let errors = normalize(&ast, &Config::default()).expect_err("no tree");
        assert!(matches!(errors.errors()[0].kind, ErrorKind::MalformedTree { .. }), "{errors}");
    }
    assert!(normalize(&tree(&[text]), &Config::default()).is_ok());
}
