//! Wrong texts: all errors in one go, none twice, and the limits.

use grammask_syntax::{Config, ErrorKind, Errors, LimitExceeded, Limits, Span, parse, parse_bytes};

fn errors(text: &str) -> Errors {
    parse(text, &Config::default()).expect_err(text)
}

/// The pieces of the text that the errors point at.
fn places(text: &str) -> Vec<&str> {
    errors(text).iter().map(|error| &text[error.span().range()]).collect()
}

#[test]
fn one_mistake_is_one_error() {
    let texts = [
        "start ::= 'a' | ;",
        "start ::= ();",
        "start ::= ;",
        "start ::=",
        "start ::= 'a'",
        "start ::= ('a';",
        "start ::= ('a'];",
        "start ::= 'a');",
        "start ::= my-rule;",
        "my-rule ::= 'a';",
        "start := 'a';",
        "start 'a';",
        "start ::= 'a",
        "start ::= ((('a",
        "start ::= (* 'a';",
        "start ::= 'a' b (* 'c';",
        "start (* ",
        "start ::= '\\q';",
        "start ::= 'a'*+;",
        "start ::= * 'a';",
        "start ::= {2} 'a';",
        "start ::= 'a'{2;",
        "start ::= 'a'{2 'x'};",
        "start ::= 'a'{99999999999,1};",
        "start ::= 'a' 3;",
        "start ::= 1st;",
        "start ::= #rx'x';",
        "start ::= # | 'x';",
        "start ::= except!(#'a', 3);",
        "start ::= excepted!(a | 3, 4);",
        "start ::= except!;",
        "start ::= unordered!;",
        "start ::= unordered!();",
        "start ::= unordered!(; a);",
        "start ::= unordered!(a,);",
        "start ::= unordered!(a, , b);",
        "start ::= unordered!(a;",
        "start ::= unordered!(a; ','; {2,1});",
        "start ::= unordered!(a; ; ; 0 -> );",
        "start ::= unordered!(a; ; ; 0 = 0);",
        "start ::= unordered!(a; ; ; 0 -> 1);",
        "start ::= unordered!(a; ; ; 0 -> 0; 1);",
        "start ::= unordered!(a];",
        "start ::= unordered!(a; ,);",
        "start ::= unordered!(distinct! a);",
        "start ::= unordered!(distinct!());",
        "start ::= <|end> | <[3]>;",
        "start ::= <[end]>;",
        "%start;",
        "%begin a;",
        "%start a b; a ::= 'a'; b ::= 'b';",
        "start ::= 'a' (* (* *) *);",
        "start ::= 'a' && 'b';",
    ];
    for text in texts {
        let errors = errors(text);
        assert_eq!(errors.len(), 1, "{text}: {errors}");
    }
}

#[test]
fn all_errors_of_a_text_are_reported_in_order() {
    let text = "a ::= 'x' | ;\nb := ('y';\nc ::= #'\\d' 'z'**;\n%start q;\n%start r;\nd ::= except!();";
    assert_eq!(places(text), [";", ":=", "(", "\\d", "*", "%start r", ")"]);
}

#[test]
fn missing_semicolon_is_reported_before_the_next_rule() {
    let text = "a ::= 'x' | b\nc = 'y'\n%start a; d ::= 'z'";
    let found = errors(text);
    let ends: Vec<usize> = found.iter().map(|error| error.span().start).collect();
    assert!(found.iter().all(|error| matches!(error.kind(), ErrorKind::MissingSemicolon { .. })));
    assert_eq!(ends, [13, 21, text.len()]);
}

#[test]
fn unclosed_quote_does_not_hide_earlier_errors() {
    assert_eq!(places("a ::= 'x'**; b ::= (\"y"), ["*", "\""]);
}

#[test]
fn errors_beyond_the_limit_are_counted() {
    let text = "a ::= 'x'** 'x'** 'x'** 'x'**;";
    let config = Config::from(Limits { max_errors: 2, ..Limits::default() });
    let errors = parse(text, &config).unwrap_err();
    assert_eq!((errors.as_slice().len(), errors.omitted(), errors.len()), (2, 2, 4));
    assert!(errors.render(text, "g").to_string().ends_with("\ng: and 2 more errors\n"));
    assert!(errors.to_string().ends_with("\nand 2 more"));
    let config = Config::from(Limits { max_errors: 0, ..Limits::default() });
    assert_eq!(parse(text, &config).unwrap_err().as_slice().len(), 1);
}

fn check_limit(text: &str, config: &Config, expected: (&str, u64, u64), span: Span) {
    let errors = parse(text, config).unwrap_err();
    assert_eq!(errors.len(), 1, "{errors}");
    let error = &errors.as_slice()[0];
    let ErrorKind::LimitExceeded(exceeded) = error.kind() else { panic!("{error}") };
    let LimitExceeded { limit, value, found } = exceeded;
    let actual = (&*limit.to_string(), *value, found.unwrap());
    assert_eq!((actual, error.span()), (expected, span));
}

#[test]
fn exceeded_limits_have_name_value_and_span() {
    let nesting = Config::from(Limits { max_nesting: 3, ..Limits::default() });
    assert!(parse("a ::= ([{'x'}]) ~~~'y' ~(~'z');", &nesting).is_ok());
    check_limit("a ::= ([{('x')}]); b ::= ;", &nesting, ("max_nesting", 3, 4), Span::new(9, 10));
    check_limit("a ::= ~[~~'x'];", &nesting, ("max_nesting", 3, 4), Span::new(9, 10));
    let expressions = Config::from(Limits { max_expressions: 3, ..Limits::default() });
    assert!(parse("a ::= 'x' 'y';", &expressions).is_ok());
    check_limit("a ::= 'x' 'y' 'z' w;", &expressions, ("max_expressions", 3, 4), Span::new(18, 19));
    let no_expressions = Config::from(Limits { max_expressions: 0, ..Limits::default() });
    check_limit("a ::= 'x'?;", &no_expressions, ("max_expressions", 0, 1), Span::new(6, 9));
    check_limit(
        "a ::= 'x'?*;".trim_end_matches("*;"),
        &Config::from(Limits { max_expressions: 0, ..Limits::default() }),
        ("max_expressions", 0, 1),
        Span::new(6, 9),
    );
    let bytes = Config::from(Limits { max_text_bytes: 8, ..Limits::default() });
    assert!(parse("a ='xy';", &bytes).is_ok());
    check_limit("a ='xyé';", &bytes, ("max_text_bytes", 8, 10), Span::new(8, 10));
}

#[test]
fn all_invalid_utf8_is_reported() {
    let bytes = b"a ::= '\xFF';\nb ::= '\xE2\x82' \xC3;";
    let errors = parse_bytes(bytes, &Config::default()).unwrap_err();
    let spans: Vec<(usize, usize)> =
        errors.iter().map(|error| (error.span().start, error.span().end)).collect();
    assert_eq!(spans, [(7, 8), (18, 20), (22, 23)]);
    assert!(parse_bytes("a ::= 'é';".as_bytes(), &Config::default()).is_ok());
}

#[test]
fn errors_around_invalid_utf8_are_reported() {
    let bytes = b"a ::= '\xFF\\q\\\xFF' \xFF;\nb ::= 'x' | ; c\xC3 ::= 'y'{2,1};";
    let errors = parse_bytes(bytes, &Config::default()).unwrap_err();
    let all: Vec<_> = errors.iter().map(|error| (error.span().start, error.kind().to_string())).collect();
    let all: Vec<_> = all.iter().map(|(start, message)| (*start, &**message)).collect();
    let utf8 = "invalid UTF-8";
    let bounds = "the bounds are reversed: 2 is greater than 1";
    let (escape, empty) = ("unknown escape `\\q`", "empty alternative");
    // The backslash before an invalid byte is not reported as a wrong escape.
    assert_eq!(all, [(7, utf8), (8, escape), (11, utf8), (14, utf8), (29, empty), (32, utf8), (41, bounds)]);
}
