//! Grammars with texts and verdicts, in both dialects; lists of choices; errors and notes.

mod shared;

use Verdict::{Accept, Live, Reject};
use grammask_gbnf::{Config, RegexDialect, translate, translate_choice, translate_regex};
use shared::{Verdict, verdict};

/// A grammar, and texts with verdicts.
type Case = (&'static str, &'static [(&'static str, Verdict)]);

const GBNF: &[Case] = &[
    ("root ::= \"ab\"*", &[("abab", Accept), ("abb", Reject(2)), ("", Accept)]),
    ("root ::= a.b\na ::= \"x\"\nb ::= \"y\"", &[("xzy", Accept), ("x\ny", Accept)]),
    ("root ::= \"a\" [^]", &[("a", Accept), ("ab", Reject(1))]),
    ("root ::= my_rule\nmy_rule ::= \"a\"", &[("a", Accept)]),
    ("root ::= \"a\"{2}{3}", &[("aaaaaa", Accept), ("aaaa", Live)]),
    ("root ::= \"a\"**", &[("aaa", Accept)]),
    ("root ::= \"a\" |\n \"b\"", &[("b", Accept)]),
    ("root ::= (\n\"a\"\n| \"b\" # comment\n)\n", &[("b", Accept)]),
    ("root ::= \"a\" | ", &[("a", Accept), ("", Accept)]),
    ("root ::= | \"a\"", &[("a", Accept)]),
    ("root ::= [a-]+ [-z] [\\]\\[] [^\"\\\\] [\\x41-\\u0043]", &[("a-z]xB", Accept), ("a-z]\"", Reject(4))]),
    ("root ::= \"a\" [z-a]?", &[("a", Accept), ("aa", Reject(1))]),
    ("root ::= \"\\u00e9\\U0001F600\\x41\\t\"", &[("é😀A\t", Accept)]),
    ("root ::= \"a\nb\"", &[("a\nb", Accept)]),
    ("root ::= root \"b\" | \"a\"", &[("abb", Accept)]),
    ("root ::= x? (x)*\nx ::= \"y\"?", &[("yyy", Accept)]),
    ("root ::= a-b a_b\na-b ::= \"1\"\na_b ::= \"2\"", &[("12", Accept)]),
    ("1st ::= \"x\"\nroot ::= 1st", &[("x", Accept)]),
    ("root   ::= \"a\" { 1 , 2 } \"b\" ?\n\n\n# end", &[("aab", Accept), ("a", Accept)]),
    ("root ::= (\"a\" | )+ \"c\"", &[("aac", Accept), ("c", Accept)]),
    ("root ::= () \"c\"", &[("c", Accept)]),
    ("root ::= \"\\U00110000\" | [a\\U00110000-\\U00120000]", &[("a", Accept), ("b", Reject(0))]),
];

const EBNF: &[Case] = &[
    ("root ::= x \"c\"\nx ::= \"a\"+ (=\"b\")", &[("aac", Accept)]),
    ("root ::= \"\\x41B\"", &[("AB", Reject(0)), ("Л", Accept)]),
    ("root ::= Regex(\"a.c\")", &[("a\nc", Accept)]),
    ("root ::= Regex(\"a.c\", flags=\"\")", &[("a\nc", Reject(1)), ("abc", Accept)]),
    (
        "root ::= TagDispatch((\"bc\", b), (\"abc\", c))\nb ::= \"1\"\nc ::= \"2\"",
        &[("abc1", Reject(3)), ("abc2", Accept), ("xbc1", Accept)],
    ),
    (
        "root ::= TagDispatch((\"<tu\", b), excludes=(\"tu\",))\nb ::= \"1\"",
        &[("<tu1", Reject(2)), ("<t", Accept)],
    ),
    (
        "root ::= \"x\" TagDispatch((\"<t\", b)) \"y\"\nb ::= \"1\"",
        &[("x<t1", Live), ("xy", Accept), ("xyy", Accept)],
    ),
    ("root ::= a.b\na.b ::= \"x\"", &[("x", Accept)]),
    ("root ::= r [a-z]\nr[lazy] ::= \"ab\" | \"abc\"", &[("abcd", Reject(3)), ("abc", Accept)]),
    ("root ::= x \"!\"\nx[max_chars=2] ::= [a-z]{4}", &[("abcd!", Accept), ("abc!", Reject(3))]),
    (
        "root ::= x \"!\"\nx[max_chars=3] ::= y \",\" y\ny ::= [a-z]*",
        &[("a,a!", Accept), ("aa,!", Accept), ("aa,a!", Reject(3)), ("aaaa,aaa!", Reject(5))],
    ),
    ("root ::= x \"!\"\nx[max_chars=0] ::= [a-z]*", &[("!", Accept), ("a!", Reject(0))]),
    ("root ::= x \"!\"\nx[lazy] ::= \"a\"*", &[("!", Accept), ("a!", Reject(0))]),
    ("root ::= \"a\" []?", &[("a", Accept), ("ab", Reject(1))]),
    ("root ::= []* | \"a\"", &[("", Accept), ("a", Accept)]),
    ("root ::= [^] [a-c-e]", &[("\n-", Accept), ("xd", Reject(1))]),
    ("root\n::=\n\"a\"\n| \"b\"\r\n*", &[("bb", Accept)]),
    ("root ::= \"a\"{2,-1}", &[("aaa", Accept), ("a", Live)]),
    (
        "root ::= \"<\" Substring(\"ab\", \"c\") \">\"",
        &[("<>", Accept), ("<abc>", Accept), ("<c>", Accept), ("<b", Reject(1)), ("<a>", Reject(2))],
    ),
    (
        "root ::= TagDispatch((\"abcd\", x), (\"bc\", y))\nx ::= \"1\"\ny ::= \"2\"",
        &[
            ("abc", Accept),
            ("abc2", Accept),
            ("abcd1", Accept),
            ("abcd", Live),
            ("zbc2", Accept),
            ("abcd2", Reject(4)),
            ("zbcx", Reject(3)),
        ],
    ),
    (
        "root ::= TagDispatch((\"<t\", x), (\"<tuv\", y))\nx ::= \"1\"\ny ::= \"2\"",
        &[
            ("<t", Live),
            ("<t1", Accept),
            ("<tu", Accept),
            ("<tux", Accept),
            ("<tuv2", Accept),
            ("<tuv1", Reject(4)),
            ("<tux<t1", Accept),
        ],
    ),
    (
        "root ::= TagDispatch((\"bc\", x), loop_after_dispatch=false)\nx ::= \"1\"",
        &[("x", Accept), ("bc1", Accept), ("bc1z", Reject(3)), ("", Accept)],
    ),
    (
        "root ::= TagDispatch((\"bcd\", x), excludes=(\"ab\", \"cd\"))\nx ::= \"1\"",
        &[("bcd", Reject(2)), ("abcd1", Reject(1)), ("bc", Accept), ("cd", Reject(1))],
    ),
    (
        "root ::= TagDispatch((\"bc\", x), excludes=(\"abcd\", \"bce\"))\nx ::= \"1\"",
        &[("bc1", Accept), ("abc1", Accept), ("abc", Accept), ("bc1d", Accept), ("abcd", Reject(3))],
    ),
    (
        "root ::= TagDispatch((\"bc\", x), (\"bc\", y))\nx ::= \"1\"\ny ::= \"2\"",
        &[("bc1bc2", Accept), ("bc3", Reject(2))],
    ),
    ("root ::= TagDispatch()", &[("any", Accept)]),
    ("root ::= Regex(\"^a$b|[[a]+\")", &[("ab", Accept), ("[a", Accept)]),
    ("root ::= Regex(\"a(?=x)b\\\\s++\")", &[("ab  ", Accept), ("ab\u{a0}", Reject(2))]),
    ("root ::= Regex(\".+\", json_string=true)", &[("a", Accept), ("\\", Reject(0))]),
];

fn check(config: &Config, cases: &[Case]) {
    for (grammar, texts) in cases {
        let outcome =
            translate(grammar, config).unwrap_or_else(|errors| panic!("{grammar}\n{}", errors.render()));
        for (text, expected) in *texts {
            assert_eq!(verdict(&outcome, text), *expected, "{grammar}\n{}\n{text:?}", outcome.ast);
        }
    }
}

#[test]
fn gbnf_means_what_it_means_in_llama_cpp() {
    check(&Config::gbnf(), GBNF);
}

#[test]
fn ebnf_means_what_it_means_in_xgrammar() {
    check(&Config::ebnf(), EBNF);
}

#[test]
fn each_tree_is_read_again_from_its_text() {
    let all =
        GBNF.iter().map(|case| (case, Config::gbnf())).chain(EBNF.iter().map(|case| (case, Config::ebnf())));
    for ((grammar, _), config) in all {
        let ast = translate(grammar, &config).expect("the grammar is valid").ast;
        let printed = ast.to_string();
        let again = grammask_syntax::parse(&printed, &Default::default());
        let again = again.unwrap_or_else(|errors| panic!("{}", errors.render(&printed, "kbnf")));
        assert_eq!(again.to_string(), printed);
        assert!(again.same_as(&ast), "{grammar}\n{printed}");
    }
}

#[test]
fn wrong_grammars_have_an_error_with_a_place() {
    let gbnf = [
        ("root ::= \"a\"\nroot ::= \"b\"", "2:1: `root` has two rules"),
        ("root ::= \"a\"\n  | \"b\"", "2:3: a rule begins with its name, but this is `|`"),
        ("root ::= [a-z", "1:10: the class is not closed"),
        ("root ::= \"a\\/b\"", "1:12: unknown escape"),
        ("root ::= 'a'", "1:10: a text is written in double quotes"),
        ("root ::= \"a", "1:10: the text is not closed"),
        ("root ::= (\"a\"", "1:10: the group is not closed"),
        ("root ::= \"a\")", "1:13: `)` closes nothing"),
        ("root ::= * \"a\"", "1:10: nothing precedes this quantifier"),
        ("root ::= \"a\"{3,1}", "1:13: the bounds 3 and 1 are the wrong way round"),
        ("root ::= \"a\"{,1}", "1:14: a number is missing"),
        ("root ::= \"a\"{1", "1:15: `}` is missing after the bounds of a repetition"),
        ("root ::= \"a\"{99999999999}", "1:10: more than 1000000000 repetitions (limit `MAX_REPETITIONS`)"),
        ("root ::= valeu\nvalue ::= \"a\"", "1:10: `valeu` has no rule"),
        ("start ::= \"a\"", "1:1: the start symbol `root` has no rule"),
        ("root = \"a\"", "1:6: `::=` is missing after `root`"),
        (
            "root ::= !<[5]>",
            "1:10: one token outside of a set is not a language: a grammar cannot demand where tokens of text end",
        ),
    ];
    let ebnf = [
        ("root ::= \"a\" |", "1:15: empty alternative"),
        ("root ::= \"a\"*+", "1:14: nothing precedes this quantifier"),
        ("root ::= \"a\" x ::= \"b\"", "1:14: a rule must begin on a new line"),
        ("root ::= [z-a]", "1:11: the range of the class is the wrong way round"),
        ("root ::= [\\d]", "1:11: unknown escape"),
        ("root ::= true", "1:10: `true` is a literal, not a rule"),
        (
            "root ::= Token(1) ExcludeToken(2)",
            "1:19: one token outside of a set is not a language: a grammar cannot demand where tokens of text end",
        ),
        ("root ::= Regex(\"(a\")", "1:17: invalid regular expression: the group is not closed"),
        ("root[foo] ::= \"a\"", "1:5: unknown option of a rule"),
        ("root ::= x\nx[lazy] ::= \"(\" x \")\" | \"a\"", "2:1: the options of `x` need a regular rule"),
        (
            "root ::= TagDispatch((\"bcd\", x), excludes=(\"bc\",))\nx ::= \"1\"",
            "1:44: the excluded text \"bc\" begins the trigger \"bcd\"",
        ),
    ];
    for (config, cases) in [(Config::gbnf(), &gbnf[..]), (Config::ebnf(), &ebnf[..])] {
        for (grammar, expected) in cases {
            let errors = match translate(grammar, &config) {
                Ok(outcome) => panic!("{grammar}\n{}", outcome.ast),
                Err(errors) => errors.to_string(),
            };
            let prefix = format!("{}:", config.file_name);
            assert_eq!(errors, prefix + expected, "{grammar}");
        }
    }
}

#[test]
fn all_errors_of_a_grammar_are_reported_at_once() {
    let text = "root ::= a | 'x'\na ::= \"b\" {2,1}\nb ::= [\nc ::= d\n";
    let errors = translate(text, &Config::gbnf()).unwrap_err();
    let lines: Vec<usize> =
        errors.diagnostics().iter().map(|error| errors.sources().locate(error.span.start).1.line).collect();
    assert_eq!(lines, [1, 2, 3, 4]);
    assert!(errors.render().contains("= hint: add a rule: d ::= …"), "{}", errors.render());
}

#[test]
fn readings_that_differ_from_the_peers_are_noted() {
    let cases = [
        ("root ::= \"a\"{0,2001}", "1:13: note: the bound is kept; llama.cpp drops it as it exceeds 2000"),
        ("root ::= \"a\" [^]", "1:14: note: `[^]` is the empty text here; any character is `.`"),
        ("root ::= [^\\U00110000]", "1:12: note: the code point is above U+10FFFF, so no text contains it"),
        (
            "root ::= a_b\na_b ::= \"a\"",
            "2:1: note: `a_b` has an underscore, which llama.cpp refuses in names",
        ),
    ];
    for (grammar, note) in cases {
        let outcome = translate(grammar, &Config::gbnf()).expect("the grammar is valid");
        assert_eq!(outcome.render_notes(), format!("grammar.gbnf:{note}\n"));
    }
    let text = "root ::= \"a\" (=\"b\")";
    let outcome = translate(text, &Config::ebnf()).expect("the grammar is valid");
    assert!(outcome.render_notes().contains("it is a hint for computing masks"));
}

#[test]
fn regular_expressions_match_from_end_to_end() {
    use RegexDialect::{Auto, Ecma, Python, Rust, XGrammar};
    type Texts = &'static [(&'static str, Verdict)];
    let cases: [(RegexDialect, &str, Texts); 25] = [
        (Auto, "a|b$", &[("a", Accept), ("ab", Reject(1))]),
        (XGrammar, "a.b", &[("a\nb", Accept)]),
        (Rust, "a.b", &[("a\nb", Reject(1))]),
        (XGrammar, r"\d", &[("١", Reject(0))]),
        (Rust, r"\d", &[("١", Accept)]),
        (XGrammar, "[[:alpha:]]", &[(":]", Accept)]),
        (Rust, "[[:alpha:]]", &[(":]", Reject(0)), ("x", Accept)]),
        (XGrammar, "a$b", &[("ab", Accept)]),
        (Python, "a{,3}", &[("aa", Accept), ("aaaa", Reject(3))]),
        (Python, "[]a]", &[("]", Accept)]),
        (XGrammar, r"\z", &[("z", Accept)]),
        (Ecma, "a{2,}", &[("a", Live)]),
        (Rust, "a++", &[("aaa", Accept)]),
        (Auto, "^(?!admin$)[a-z]+$", &[("admin", Live), ("admins", Accept)]),
        (XGrammar, r"\s[\w-]+\cA?", &[("\u{a0}a-b\u{1}", Accept)]),
        (XGrammar, "(?<n>a|)b{2,}?", &[("bb", Accept), ("ab", Live)]),
        (XGrammar, r"[^]\u{1F600}\/[\b]", &[("\n😀/\u{8}", Accept)]),
        (XGrammar, "<[^>]+>|\\<[<>]", &[("<a>", Accept), ("<>", Accept), ("<a<", Live)]),
        (XGrammar, r"[\p{L}\1]", &[("L", Accept), ("1", Accept), ("a", Reject(0))]),
        (XGrammar, r"\x{2}", &[("xx", Accept), ("x", Live)]),
        (Auto, "[]a]", &[("]", Accept), ("a", Accept), ("]a", Reject(1))]),
        (Auto, "[^]a]", &[("b", Accept), ("a", Reject(0))]),
        (Auto, "[^]", &[("\n", Accept)]),
        (Auto, r"\y\R", &[("yR", Accept)]),
        (XGrammar, r"a|\u{110000}", &[("a", Accept)]),
    ];
    for (dialect, pattern, texts) in cases {
        let outcome = translate_regex(pattern, dialect, "pattern", &Default::default())
            .unwrap_or_else(|errors| panic!("{pattern}\n{}", errors.render()));
        for (text, expected) in texts {
            assert_eq!(verdict(&outcome, text), *expected, "{pattern} {text:?}\n{}", outcome.ast);
        }
    }
    for (dialect, pattern) in [
        (Rust, "a{,3}"),
        (XGrammar, "a{,3}"),
        (XGrammar, "a++"),
        (XGrammar, "(?i)a"),
        (XGrammar, "(?=a)"),
        (XGrammar, r"(a)\1"),
        (XGrammar, "[]a]"),
        (XGrammar, "(a"),
        (XGrammar, "a)"),
        (XGrammar, r"\p{L}"),
    ] {
        let result = translate_regex(pattern, dialect, "pattern", &Default::default());
        assert!(result.is_err(), "{pattern}: {}", result.unwrap().ast);
    }
}

#[test]
fn a_list_of_choices_is_a_json_array_or_one_text_per_line() {
    for text in ["[\"a\\n\", \"b\\u00e9\", \"\"]", "[ ]", "[\"a\",]", "[\"a\"] x", "[1]"] {
        let result = translate_choice(text, "choice", &Default::default());
        assert_eq!(result.is_ok(), text.ends_with("\"]"), "{text}");
    }
    let outcome = translate_choice("yes\nno\r\n", "choice", &Default::default()).expect("two choices");
    assert_eq!(outcome.ast.to_string(), "%start start;\nstart ::= 'yes' | 'no';\n");
    assert_eq!(verdict(&outcome, "n"), Live);
}

#[test]
fn tokens_are_named_by_id_or_spelling() {
    let text = "root ::= <think> <|end|> <[7]>";
    let printed = translate(text, &Config::gbnf()).expect("the grammar is valid").ast.to_string();
    assert_eq!(printed, "%start root;\nroot ::= special!('<think>') <|end|> <[7]>;\n");
}

#[test]
fn repeated_tokens_outside_of_a_set_are_text_and_special_tokens() {
    let printed = |text: &str, config: &Config| {
        let outcome = translate(text, config).unwrap_or_else(|errors| panic!("{text}\n{}", errors.render()));
        outcome.ast.to_string().replace("%start root;\n", "").replace("%start root?;\n", "")
    };
    let gbnf = [
        ("root ::= !<[5]>* <[5]>", "root ::= (#'(?s-u:.)' | special!(~ <[5]>))* <[5]>;\n"),
        ("root ::= (!<a>)+ \"x\"", "root ::= (#'(?s-u:.)' | special!(~ '<a>'))+ 'x';\n"),
        ("root ::= (\"b\" | !<a>)*", "root ::= ('b' | #'(?s-u:.)' | special!(~ '<a>'))*;\n"),
    ];
    for (text, expected) in gbnf {
        assert_eq!(printed(text, &Config::gbnf()), expected);
    }
    let ebnf = [
        ("root ::= ExcludeToken(1, 2)* \"x\"", "root ::= (#'(?s-u:.)' | special!(~ <[1]>, <[2]>))* 'x';\n"),
        (
            "root ::= TokenTagDispatch((1, a), excludes=(2,))\na ::= \"b\"",
            "root ::= ((#'(?s-u:.)' | special!(~ <[1]>, <[2]>))* special!(<[1]>) a)* \
             (#'(?s-u:.)' | special!(~ <[1]>, <[2]>))*;\na ::= 'b';\n",
        ),
    ];
    for (text, expected) in ebnf {
        assert_eq!(printed(text, &Config::ebnf()), expected);
    }
    for text in ["root ::= !<a>?", "root ::= !<a>{2}", "root ::= (!<a> \"b\")*", "root ::= x*\nx ::= !<a>"] {
        assert!(translate(text, &Config::gbnf()).is_err(), "{text}");
    }
}

#[test]
fn deep_and_long_grammars_end_in_time() {
    let deep = format!("root ::= {}\"a\"{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(translate(&deep, &Config::gbnf()).is_ok());
    let open = format!("root ::= {}", "(".repeat(100_000));
    assert_eq!(translate(&open, &Config::ebnf()).unwrap_err().diagnostics().len(), 1);
    let mut small = Config::gbnf();
    small.common.limits.max_nesting = 10;
    let error = translate(&deep, &small).unwrap_err().to_string();
    assert!(error.contains("more than 10 nested groups (limit `max_nesting`)"), "{error}");
    small.common.limits.max_expressions = 3;
    let error = translate("root ::= \"a\" | \"b\" | \"c\" | \"d\"", &small).unwrap_err().to_string();
    assert!(error.contains("more than 3 expressions (limit `max_expressions`)"), "{error}");
    let stacked = format!("root ::= \"a\"{}", "{9}".repeat(2_000));
    assert!(translate(&stacked, &Config::gbnf()).is_ok());
    let pattern = format!("a{}", "+".repeat(100_000));
    let text = format!("root ::= Regex(\"{pattern}\")");
    assert!(translate(&text, &Config::ebnf()).is_err());
}
