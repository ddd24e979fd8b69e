//! Each construct of KBNF: how it is read, told by its canonical text.

use grammask_syntax::{Ast, Config, ExprKind, Span, parse, parse_or_recover};

fn read(text: &str) -> Ast {
    let ast =
        parse(text, &Config::default()).unwrap_or_else(|errors| panic!("{}", errors.render(text, "test")));
    ast.check().unwrap();
    ast
}

/// Reads `body` as the body of a rule, and compares its canonical text; that one must read as the same tree.
fn check(body: &str, printed: &str) {
    let ast = read(&format!("start ::= {body};"));
    assert_eq!(ast.display_expr(ast.rules[0].body).to_string(), printed, "{body}");
    assert!(read(&ast.to_string()).same_as(&ast), "{body} prints as something else");
}

/// As [`check`], where the canonical text is the text itself.
fn check_canonical(body: &str) {
    check(body, body);
}

#[test]
fn rules_and_both_definition_signs() {
    let ast = read("a ::= 'x';b='y' ; a\n::=\n'z'\n;_9::='';");
    assert_eq!(ast.to_string(), "a ::= 'x';\nb ::= 'y';\na ::= 'z';\n_9 ::= '';\n");
}

#[test]
fn an_empty_text_has_no_rules() {
    for text in ["", " \n\t", "(* only *)(**)", "\u{FEFF}", "\u{FEFF} (***)"] {
        assert_eq!(read(text), Ast::default(), "{text:?}");
    }
}

#[test]
fn quoted_forms() {
    check_canonical("'text' #'re' #e'early' #ex'without' #substrs'sub'");
    check(
        r##""text" #"re" #e"early" #ex"without" #substrs"sub""##,
        "'text' #'re' #e'early' #ex'without' #substrs'sub'",
    );
}

#[test]
fn tags_without_hash_are_names() {
    check_canonical("e ex substrs except start");
    check("e'x'ex'y'except('z')", "e 'x' ex 'y' except 'z'");
}

#[test]
fn escapes_are_printed_canonically() {
    check(r"'\101\x42\u0043\U00000044\u{45}'", "'ABCDE'");
    check("'a\n\tb'", r"'a\n\tb'");
    check(r"'\0\x7f\b\f\v\r\/'", r"'\x00\x7F\x08\x0C\x0B\r/'");
    check(r"'\uFEFF\u200b\u2028 é 日 \ud83d\ude00'", r"'\u{FEFF}\u{200B}\u{2028} é 日 😀'");
    check(r"#'\\d+\\.\\\\'", r"#r'\d+\.\\'");
}

#[test]
fn quotes_that_save_escapes_are_printed() {
    check(r"'it\'s'", r#""it's""#);
    check(r#""say \"a\"""#, r#"'say "a"'"#);
    check(r#"'\'"'"#, r#"'\'"'"#);
    check(r#"'' "" '\''"#, r#"'' '' "'""#);
}

#[test]
fn comments_are_allowed_between_any_two_tokens() {
    check("(*1*)'a'(*2*)|(*;*)b(*'*)?(**)(*3)*),(***)[(*4*)c(*5*)]", "'a' | b? c?");
    check("('a' (* c *) 'b')", "'a' 'b'");
    check("('a'*)", "'a'*");
    check("('(')", "'('");
    check("'(*' 'a' '*)'", "'(*' 'a' '*)'");
    check("except!(* c *)((* c *)'a'(* c *),(* c *)3(* c *))", "except!('a', 3)");
    check("'a'{(* c *)1(* c *),(* c *)2(* c *)}", "'a'{1,2}");
}

#[test]
fn white_space_is_ignored() {
    check("'a'\u{A0}|\u{3000}'b'\r\n\t\u{B}\u{C}'c'", "'a' | 'b' 'c'");
}

#[test]
fn commas_are_juxtaposition() {
    check("'a','b' , c d,(e,f)", "'a' 'b' c d (e f)");
}

#[test]
fn brackets_equal_postfixes() {
    check("[a]", "a?");
    check("{a}", "a*");
    check("[a | b] {c d}", "(a | b)? (c d)*");
    check("[a]* {b}? [c]{2}", "(a?)* (b*)? (c?){2}");
    check("[[a]] {{b}}", "(a?)? (b*)*");
    check(r#"{"A"|"C"}"#, "('A' | 'C')*");
}

#[test]
fn parentheses_are_not_stored() {
    check("((('a')))", "'a'");
    check("('a' 'b') 'c'", "('a' 'b') 'c'");
    check("'a' ('b' 'c')", "'a' ('b' 'c')");
    check("('a' | 'b') | 'c'", "('a' | 'b') | 'c'");
    check("(('a' 'b')) | ('c')", "'a' 'b' | 'c'");
}

#[test]
fn postfixes() {
    check_canonical("a? b* c+ (d e)? (f | g)* (h*)+");
    check("a ? b\n*", "a? b*");
}

#[test]
fn bounds() {
    check_canonical(
        "a{0} b{3} c{2,} d{2,5} e{0,0} (f g){1000000000} h{0,1000000000}".replace("{0,0}", "{0}").as_str(),
    );
    check("a{ 2 , 5 } b{ 007 } c{3,3}", "a{2,5} b{7} c{3}");
    check(
        "'a'  {3} (a){2} [b]{1,} #'r'{2} <[3]>{4} except!(x){5}",
        "'a'{3} a{2} (b?){1,} #'r'{2} <[3]>{4} except!(x){5}",
    );
}

#[test]
fn braces_without_digits_are_groups() {
    check("'A'{'A'}", "'A' 'A'*");
    check("a{b}{c}", "a b* c*");
    check("a{b}{2}", "a (b*){2}");
}

#[test]
fn precedence_from_postfix_to_alternatives() {
    check("~'a'*", "~'a'*");
    check("(~'a')*", "(~'a')*");
    check("~'a' & 'b' 'c' | 'd'", "~'a' & 'b' 'c' | 'd'");
    let ast = read("start ::= ~'a'? & b c | d;");
    let body = format!("{:#}", ast.display_expr(ast.rules[0].body));
    assert_eq!(body, "expr8:(expr6:(expr4:(expr2:(~expr1:(expr0:'a'?)) & expr3:b) expr5:c) | expr7:d)");
    check("~(a | b) & (c d) & ~~e", "~(a | b) & (c d) & ~~e");
    check("a & (b & c)", "a & (b & c)");
    check("(a & b) & c, d & e", "(a & b) & c d & e");
    check("~(~(~a))", "~~~a");
    check("~[a] & {b}", "~a? & b*");
}

#[test]
fn except_with_and_without_length() {
    check_canonical(r"except!('\n\n') except!(stop) except!('x', 5) except!(stop, 18446744073709551615)");
    check("except!(\"x\",0) except! ( stop , 00 )", "except!('x') except!(stop)");
}

#[test]
fn unordered_with_and_without_its_sections() {
    check_canonical("unordered!(a)");
    check_canonical("unordered!(a, b?, c*, (d e)+, f | g, (h | i){2,5})?");
    check_canonical("unordered!(a, b?; ',' ' '*)");
    check_canonical("unordered!(a?, b; ; {1,}) unordered!(a; ','; {2}) unordered!(a; x | y; {2,3})");
    check_canonical("unordered!(a?, b?, c?; ; ; 0 -> 2, 1 -> 0)");
    check_canonical("unordered!(a?, b?; ','; {1,2}; 0 -> 1)");
    check_canonical("unordered!(unordered!(a; b), ~a? & b; unordered!(c))");
    check("unordered! ( a , ( 'b' 'c' ) ? ;; ;)", "unordered!(a, ('b' 'c')?)");
    check("unordered!([a], {b}; ; {0,})", "unordered!(a?, b*)");
    check("~unordered!(a){2}", "~unordered!(a){2}");
    check("unordered!(a b (c, d), e)", "unordered!(a b (c d), e)");
    check_canonical("unordered!(distinct!('\"' json!(a) '\"'), b?, distinct!(c | d); ','; {1,})");
    check("distinct! ( ( a ) ) distinct!(b)?", "distinct!(a) distinct!(b)?");
    check_canonical("unordered(x)".replace("(x)", " x").as_str());
}

#[test]
fn special_tokens() {
    check_canonical("<|end|> <[0]> <[4294967295]> <|a|b|> <|>|> <|▁|>?");
    check("<|a|>|<|b|>", "<|a|> | <|b|>");
    check("<[007]>", "<[7]>");
}

#[test]
fn start_directive_may_occur_anywhere() {
    let ast = read("a ::= 'x'; %start\n b ; b ::= a;");
    assert_eq!(ast.to_string(), "%start b;\na ::= 'x';\nb ::= a;\n");
}

#[test]
fn spans_of_all_kinds_of_expressions() {
    let text = "start ::= ('a') [b]* | ~(c, 'd'){2} ;";
    let ast = read(text);
    let spans: Vec<&str> = ast.exprs.iter().map(|expr| &text[expr.span.range()]).collect();
    let expected = [
        "'a'",
        "b",
        "[b]",
        "[b]*",
        "('a') [b]*",
        "c",
        "'d'",
        "c, 'd'",
        "(c, 'd'){2}",
        "~(c, 'd'){2}",
        "('a') [b]* | ~(c, 'd'){2}",
    ];
    assert_eq!(spans, expected);
    assert_eq!(ast.rules[0].span, Span::new(0, text.len()));
    assert_eq!(ast.rules[0].name.span, Span::new(0, 5));
}

#[test]
fn rule_ends_before_the_next_rule() {
    // Only the token after `b` shows that `b` begins a rule.
    let ast = read("a = b\n;b = c;");
    assert_eq!(ast.rules.len(), 2);
    assert!(matches!(&ast.expr(ast.rules[0].body).kind, ExprKind::Nonterminal(name) if name == "b"));
}

#[test]
fn alternate_form_shows_ids_of_rules_too() {
    assert_eq!(format!("{:#}", read("a ::= 'x'+;")), "a ::= expr1:(expr0:'x'+);\n");
}

#[test]
fn start_with_the_empty_output() {
    let ast = read("%start a ?; a ::= 'x';");
    assert!(ast.allows_empty);
    assert_eq!(ast.to_string(), "%start a?;\na ::= 'x';\n");
    assert!(read(&ast.to_string()).same_as(&ast));
    assert!(!read("%start a; a ::= 'x';").same_as(&ast));
    assert!(parse("%start a*; a ::= 'x';", &Config::default()).is_err());
}

#[test]
fn sets_of_special_tokens_and_markers() {
    check("special!( '<a>',<[7]> , <[10-19]>, <|b|>)", "special!('<a>', <[7]>, <[10-19]>, '<|b|>')");
    check_canonical("special!(~ '</think>')+ special!(~)? special!() special!(<[3]>){2}");
    check("special!(~<[7-7]>)", "special!(~ <[7]>)");
    check_canonical("marker!('<tool_call>') 'x' | marker!(\"it's\")");
    check_canonical("special marker substrs capture schema");
    for wrong in
        ["special!", "special!('a'", "special!(#'a')", "special!('a' 'b')", "special!('a',)", "<[1-2]>"]
    {
        assert!(parse(&format!("start ::= {wrong};"), &Config::default()).is_err(), "{wrong}");
    }
    for wrong in ["special!(<[2-1]>)", "special!(<[1-99999999999]>)", "marker!()", "marker!('a', 'b')"] {
        assert!(parse(&format!("start ::= {wrong};"), &Config::default()).is_err(), "{wrong}");
    }
}

#[test]
fn runs_of_texts_and_captures() {
    check("substrs!('ab',\"c\")*", "substrs!('ab', 'c')*");
    check("capture!(name, 'a' | b c)?", "capture!(name, 'a' | b c)?");
    check("capture!(x, 'a', 'b')", "capture!(x, 'a' 'b')");
    for wrong in ["substrs!()", "substrs!(a)", "capture!(x)", "capture!('x', 'a')", "capture!(x, )"] {
        assert!(parse(&format!("start ::= {wrong};"), &Config::default()).is_err(), "{wrong}");
    }
}

#[test]
fn schemas_are_kept_as_text() {
    check("'a' schema! ( {\"a\": [1, \"}])\\\"\"]} ) 'b'", "'a' schema!({\"a\": [1, \"}])\\\"\"]}) 'b'");
    check_canonical("schema!(true) | schema!(\"x\")");
    let text = "start ::= schema!( {} );";
    let ast = read(text);
    let ExprKind::Schema(schema) = &ast.exprs[0].kind else { panic!("{:?}", ast.exprs) };
    assert_eq!((schema.text.as_str(), &text[schema.span.range()]), ("{}", "{}"));
    for wrong in
        ["schema!", "schema!()", "schema!({)", "schema!({}", "schema!({} 1)", "schema!(\"a)", "schema!(])"]
    {
        assert!(parse(&format!("start ::= {wrong};"), &Config::default()).is_err(), "{wrong}");
    }
}

#[test]
fn a_schema_that_is_not_there_has_a_place_in_the_text() {
    for text in ["start ::= schema!(", "start ::= schema!(  ", "start ::= schema!(é", "a ::= 'b';\nschema!("]
    {
        let Err(errors) = parse(text, &Config::default()) else { panic!("{text} is read") };
        for error in errors.iter() {
            assert!(text.get(error.span().range()).is_some(), "{text}: {error:?}");
        }
        assert!(parse_or_recover(text, &Config::default()).is_err(), "{text}");
    }
}

#[test]
fn raw_regexes_are_not_unescaped() {
    check_canonical(r"#r'\d+\.'");
    check_canonical(r#"#re"[^'\\]" #rex'\''"#);
    check(r"#r''", "#''");
    check_canonical(r"#r'\\'");
    // Without a backslash, raw is no shorter. Other regexes cannot be written so.
    check("#r'a+'", "#'a+'");
    check(r#"#'\\d"\''"#, r#"#'\\d"\''"#);
    check(r"#'\\d\n'", r"#'\\d\n'");
    check(r#"#'\\d"'"#, r#"#r'\d"'"#);
    for wrong in [r"#r'\'", "#r'", "#rx'a'", "#r 'a'"] {
        assert!(parse(&format!("start ::= {wrong};"), &Config::default()).is_err(), "{wrong}");
    }
}
