//! Grammars with texts and their verdicts.

mod matching;

use grammask_lark::Config;

/// A grammar, and texts with their verdicts. `error` as the only verdict is a grammar error.
type Case<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

fn check(cases: &[Case<'_>]) {
    let mut wrong = String::new();
    for (name, grammar, inputs) in cases {
        let texts: Vec<&str> = inputs.iter().map(|(text, _)| *text).collect();
        match matching::verdicts(grammar, &Config::default(), &texts) {
            Ok(verdicts) => {
                assert!(!inputs.is_empty(), "{name}");
                let all = inputs.iter().zip(verdicts);
                for ((text, expected), found) in all.filter(|((_, expected), found)| expected != found) {
                    let kbnf = matching::outcome(grammar, &Config::default()).unwrap().ast.to_string();
                    wrong += &format!("{name}: {text:?}: expected {expected}, found {found}\n{kbnf}\n");
                }
            }
            Err(_) if inputs == &[("", "error")] => {}
            Err(error) => wrong += &format!("{name}: {error}\n"),
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

const TOOL: &str = r#"
start: ( f_foo | f_bar )* f_end
f_end: TEXT
f_foo_hd[lazy]: TEXT "<function"
f_foo: f_foo_hd "=foo>" "1" "</function>"
f_bar_hd[lazy]: TEXT "<function"
f_bar: f_bar_hd "=bar>" "2" "</function>"
TEXT: /(.|\n)*/
"#;

#[test]
fn tricky_cases_have_scannerless_verdicts() {
    check(&[
        ("L1", r#"start: ("list"|"listen") "ed""#, &[("listed", "accept"), ("listened", "accept")]),
        ("L2a", "start: A+\nA: /[0-9]/\n%ignore \" \"", &[("1 2", "accept"), ("12", "accept")]),
        ("L2b", "start: B\nB: /[0-9]/+\n%ignore \" \"", &[("1 2", "reject@2"), ("1 ", "accept")]),
        (
            "L3",
            "start: \"a\" \"b\"\n%ignore \" \"",
            &[(" a b", "reject@0"), ("ab ", "accept"), ("a  b  ", "accept")],
        ),
        ("L4", "start: X\nX: ~\"a\"+", &[("aa", "accept"), ("", "accept"), ("a", "prefix")]),
        ("L5", "start: X\nX: /[a-zA-Z \\n]*/ & ~/\\n\\n/", &[("x\n\ny", "accept"), ("\n\n", "prefix")]),
        (
            "L6",
            "start: x \"!\"\nx[suffix=\"b\"]: /[a-z]*/",
            &[("abb!", "reject@2"), ("aab!", "accept"), ("b!", "accept"), ("aa!", "reject@2")],
        ),
        ("L7", "start: /a$/ \"b\"", &[("ab", "accept")]),
        (
            "L8",
            "start: %regex {\"substring_words\":\"foo bar. baz\"}",
            &[("oo", "reject@0"), ("bar. baz", "accept"), ("", "accept"), ("foo ba", "prefix")],
        ),
        (
            "L9",
            TOOL,
            &[
                ("t<function x", "reject@10"),
                ("t<function=foo>1</function>u", "accept"),
                ("<function=bar>2</function><function=foo>1</function>", "accept"),
                ("<function=bar>2</function>x<function", "prefix"),
                ("<function=baz", "reject@12"),
                ("t<functio", "accept"),
                ("", "accept"),
            ],
        ),
        ("L10a", r#"start: "a"~2..3"#, &[("aa", "accept"), ("a", "prefix"), ("aaaa", "reject@3")]),
        ("L10b", r#"start: "a" {2,3}"#, &[("aaa", "accept"), ("aaaa", "reject@3")]),
        ("L10c", "start: /[/]/", &[("", "error")]),
    ]);
}

#[test]
fn a_lazy_head_commits_in_every_spelling_of_the_idiom() {
    let inputs: &[(&str, &str)] = &[
        ("ab", "accept"),
        ("a<c>1b", "accept"),
        ("a<c>1<c>1", "accept"),
        ("<c>x", "reject@3"),
        ("ab<c>1c<c>x", "reject@10"),
        ("a<c", "accept"),
    ];
    let spellings = [
        "start: tool* tail\ntail: TEXT",
        "start: (tool | TEXT)*",
        "start: (text | tool)*\ntext: TEXT",
        "start: tool* TEXT?",
        "start: part*\npart: tool | text\ntext: TEXT",
        "start: tool start | TEXT",
        "start: TEXT | tool start",
        "start: tool* /(.|\\n)*/",
        "start: (tool | /(.|\\n)/)*",
        "start: calls TEXT\ncalls: | calls tool",
    ];
    for spelling in spellings {
        let grammar = format!("{spelling}\nhead[lazy]: TEXT \"<c>\"\ntool: head \"1\"\nTEXT: /(.|\\n)*/\n");
        check(&[(spelling, &grammar, inputs)]);
    }
    // Where no tool may begin, a text may have its head.
    let grammar = "start: tool* \"!\" TEXT\nhead[lazy]: TEXT \"<c>\"\ntool: head \"1\"\nTEXT: /(.|\\n)*/\n";
    check(&[("elsewhere", grammar, &[("!<c>x", "accept"), ("a<c>1!<c>", "accept"), ("a", "prefix")])]);
}

#[test]
fn lazy_lexemes_end_as_soon_as_they_can() {
    check(&[
        ("star", "start: x \"z\"\nx[lazy]: /a*/", &[("z", "accept"), ("az", "accept"), ("aaz", "reject@1")]),
        ("end", "start: x\nx[lazy]: /.*/", &[("", "accept"), ("a", "accept"), ("aa", "reject@1")]),
        ("optional", "start: x \"b\"\nx[lazy]: /ab?/", &[("ab", "accept"), ("abb", "reject@2")]),
        ("rival", "start: a | b\na[lazy]: /.*x/\nb: \"axx\" \"q\"", &[("ax", "accept"), ("axx", "reject@2")]),
        ("tie", "start: a | b\na[lazy]: /.*x/ \"w\"\nb[lazy]: /.*xw/", &[("axw", "accept")]),
        ("stop", "start: x \"!\"\nx[stop=/b/]: /[a-z]*/", &[("aab!", "accept"), ("abb!", "reject@2")]),
        ("stop empty", "start: x\nx[stop=\"\"]: /[a-z]*/", &[("", "error")]),
        (
            "head alone",
            "start: h\nh[lazy]: T \"<end>\"\nT: /(.|\\n)*/",
            &[("x", "prefix"), ("x<end>", "accept")],
        ),
        (
            "conjunction",
            "start: x \"!\"\nx[lazy]: A & ~\"b\"\nA: /[ab]+/",
            &[("a!", "accept"), ("ba!", "accept"), ("b!", "reject@1")],
        ),
    ]);
}

#[test]
fn the_notation_of_llguidance_is_read() {
    check(&[
        ("empty", "start: \"\"", &[("", "accept"), ("a", "reject@0")]),
        ("alternative", "start: \"a\" |", &[("", "accept"), ("a", "accept")]),
        ("lines", "start: \"a\" # c\n  // d\n\n  | \"b\"", &[("b", "accept")]),
        ("group", "start: (\n  \"a\"\n  | \"b\"\n) \"c\"", &[("bc", "accept")]),
        ("optional", "start: [\"a\"] \"b\"", &[("b", "accept"), ("ab", "accept")]),
        ("ignore case", "start: \"straße\"i", &[("STRAßE", "accept"), ("strasse", "reject@4")]),
        ("range", "start: \"a\"..\"c\" \"]\"..\"]\"", &[("b]", "accept"), ("d", "reject@0")]),
        ("flags", "start: /a.b/is", &[("A\nB", "accept")]),
        ("slash", "start: /a\\/b/", &[("a/b", "accept")]),
        ("zero", "start: \"a\" \"b\"{0} \"c\"~0", &[("a", "accept"), ("ab", "reject@1")]),
        ("bounds", "start: \"a\"{,2} \"b\"{2,} \"c\"{3}", &[("bbccc", "accept"), ("aabbbcc", "prefix")]),
        ("alias", "start: foo->bar | \"x\" -> y\nfoo: \"a\"", &[("a", "accept"), ("x", "accept")]),
        ("prefixes", "?start: _x !y\n_x: \"a\"\n!?y: \"b\"", &[("", "error")]),
        ("prefixed", "?start: _x y\n_x: \"a\"\n!y: \"b\"", &[("ab", "accept")]),
        ("glued", "start: \"a\"?b\nb: \"c\"", &[("ac", "accept"), ("c", "accept")]),
        ("hyphen", "start: a-b A-B\na-b: \"x\"\nA-B: \"y\"", &[("xy", "accept")]),
        ("collision", "start: a-b a_b\na-b: \"x\"\na_b: \"y\"", &[("xy", "accept")]),
        (
            "not",
            "start: ~\"a\" \"b\"",
            &[("ab", "prefix"), ("bb", "accept"), ("abb", "accept"), ("b", "accept")],
        ),
        ("unused", "start: \"a\"\nunused: nothere", &[("a", "accept")]),
        ("recursion", "start: \"(\" start \")\" | \"x\"", &[("((x))", "accept")]),
        (
            "import",
            "%import common.NUMBER -> N\n%import common (WS, INT)\nstart: N WS INT",
            &[("1. 2", "accept")],
        ),
        ("nested", "start: %lark { start: A \"b\"\nA: \"x\" } A\nA: \"y\"", &[("xby", "accept")]),
        (
            "nested ignore",
            "start: \"[\" %lark { start: \"a\" \"b\" } \"]\"\n%ignore \" \"",
            &[("[ ab ] ", "accept"), ("[a b]", "reject@2")],
        ),
        ("json", "start: %json {\"type\": \"boolean\"} \"!\"", &[("true!", "accept"), ("1", "reject@0")]),
        (
            "compact",
            "start: %json {\"x-guidance\": {\"whitespace_flexible\": false}, \"enum\": [[1, 2]]}",
            &[("[1,2]", "accept"), ("[1, 2]", "reject@3")],
        ),
        (
            "skip",
            "%llguidance {\"allow_initial_skip\": true}\nstart: \"a\"\n%ignore /[ ]/\n%ignore \"#\"",
            &[("  a# ", "accept"), ("", "prefix")],
        ),
        (
            "skip once",
            "%llguidance {\"ignore_once\": true}\nstart: \"a\" \"b\"\n%ignore \" \"",
            &[("a b ", "accept"), ("a  b", "reject@2")],
        ),
        ("skip nullable", "start: A \"b\"\nA: /a*/\n%ignore \" \"", &[(" b", "reject@0"), ("a b", "accept")]),
        ("chars", "start: %regex {\"substring_chars\": \"abc\"}", &[("bc", "accept"), ("ac", "reject@1")]),
        (
            "chunks",
            "start: \"<\" %regex {\"substring_chunks\": [\"ab\", \"c\"]} \">\"",
            &[("<abc>", "accept"), ("<c>", "accept"), ("<b", "reject@1"), ("<>", "accept")],
        ),
        ("declare", "start: X\n%declare X", &[("", "error")]),
        ("single quotes", "start: 'a'", &[("", "error")]),
        ("case", "start: Foo\nFoo: \"a\"", &[("a", "accept")]),
        ("max tokens", "start: x \"!\"\nx[max_tokens=0]: /a*/", &[("!", "accept"), ("a", "reject@0")]),
    ]);
}

#[test]
fn parametric_rules_are_expanded() {
    let count = "start: p::0\np::_: \"a\" p::incr(_) %if lt(_, 3) | \"b\" %if eq(_, 3)";
    check(&[
        ("count", count, &[("aaab", "accept"), ("aab", "reject@2")]),
        (
            "permutation",
            "start: p::0x0\np::_: \"\" %if is_ones([0:3])\n | \"a\" p::set_bit(0) %if bit_clear(0)\n | \"b\" p::set_bit(1) %if bit_clear(1)\n | \"c\" p::set_bit(2) %if bit_clear(2)",
            &[("cab", "accept"), ("ca", "prefix"), ("caa", "reject@2")],
        ),
        ("needs", "start: p\np::_: \"a\" %if true", &[("", "error")]),
        ("endless", "start: p::0\np::_: \"a\" p::incr(_) | \"b\"", &[("", "error")]),
        ("condition", "start: \"a\" %if true", &[("a", "accept")]),
    ]);
    let mut grammar = "start: p::0\np::_: \"\" %if and(bit_count_ge(_, 2), bit_count_le(_, 3))\n".to_owned();
    for bit in 0..26 {
        let letter = char::from(b'a' + bit);
        grammar += &format!(" | \"{letter}\" p::set_bit({bit}) %if bit_clear({bit})\n");
    }
    let inputs: &[(&str, &str)] =
        &[("zx", "accept"), ("z", "prefix"), ("zz", "reject@1"), ("abc", "accept"), ("abcd", "reject@3")];
    check(&[("large permutation", &grammar, inputs)]);
}

#[test]
fn the_notation_of_lark_is_read() {
    check(&[
        (
            "template",
            "start: _sep{item, \",\"}\n_sep{x, s}: x (s x)*\nitem: /[0-9]/",
            &[("1,2,3", "accept"), ("1,", "prefix"), ("1;", "reject@1")],
        ),
        (
            "template in template",
            "start: pair{pair{\"a\"}}\npair{x}: \"(\" x x \")\"",
            &[("((aa)(aa))", "accept"), ("((aa)a", "reject@5")],
        ),
        ("recursive template", "start: l{\"a\"}\nl{x}: x | x \",\" l{x}", &[("a,a,a", "accept")]),
        ("growing template", "start: l{\"a\"}\nl{x}: x | l{(\"b\" x)}", &[("", "error")]),
        ("terminal template", "start: Q{\"a\"}\nQ{x}: \"'\" x \"'\"", &[("'a'", "accept")]),
        ("priorities", "start.2: A | b\nA.-1: \"a\"\nb.3: \"b\"", &[("a", "accept"), ("b", "accept")]),
        (
            "override",
            "%import common.INT\n%override INT: \"x\"\nstart: INT",
            &[("x", "accept"), ("1", "reject@0")],
        ),
        ("extend", "%import common.INT\n%extend INT: \"x\"\nstart: INT", &[("x", "accept"), ("1", "accept")]),
        ("extend own", "start: a\na: \"x\"\n%extend a: \"y\"", &[("x", "accept"), ("y", "accept")]),
        ("override own", "start: a\n%override a: \"y\"\na: \"x\"", &[("x", "reject@0"), ("y", "accept")]),
        ("declared", "start: \"a\" | X \"b\"\n%declare X Y", &[("a", "accept"), ("b", "reject@0")]),
        (
            "python",
            "start: NAME \"=\" (STRING | HEX_NUMBER)\n%import python (NAME, STRING, HEX_NUMBER)",
            &[("é1='a\\'b'", "accept"), ("a=0xF_f", "accept"), ("1", "reject@0"), ("a=rb\"\"", "accept")],
        ),
        ("look outside", "start: /a(?=b)/ \"b\" | /(?<=b)c/", &[("ab", "accept"), ("c", "accept")]),
        ("condition", "start: \"a\" %if true\n | \"b\" %if not(true)", &[("a", "accept"), ("b", "reject@0")]),
        ("option", "%llguidance {\"foo\": 1}\nstart: \"a\"", &[("a", "accept")]),
        ("extend nothing", "%extend INT: \"x\"\nstart: \"a\"", &[("", "error")]),
        ("unicode", "%import unicode.WS\nstart: WS", &[("\u{a0}", "accept")]),
        ("python regex", "start: /(?P<x>a)(?!b)[a-z]/", &[("ac", "accept"), ("ab", "reject@1")]),
    ]);
}

#[test]
fn special_tokens_do_not_appear_in_texts() {
    check(&[
        ("special", "start: <|think|> \"a\" | \"b\"", &[("b", "accept"), ("<", "reject@0")]),
        ("spelling", "start: <think> \"a\" | \"b\"", &[("b", "accept"), ("<", "reject@0")]),
        ("ids", "start: <[7,9-12]> \"a\" | \"b\"", &[("b", "accept")]),
        ("others", "start: \"b\" <[^7]>*", &[("b", "accept"), ("bxy", "accept")]),
        ("any", "start: <[*]>+ \"b\"", &[("b", "prefix"), ("ab", "accept")]),
        ("one other", "start: <[^7]>", &[("", "error")]),
    ]);
    let outcome = matching::outcome("start: <[7,9-12]> <think>", &Config::default()).unwrap();
    assert!(outcome.ast.to_string().contains("special!(<[7]>, <[9-12]>) special!('<think>')"));
}
