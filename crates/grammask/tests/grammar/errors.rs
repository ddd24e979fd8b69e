//! Error reports of grammars with several mistakes: all mistakes, and none that only follows from another.

use std::fs;
use std::path::{Path, PathBuf};

use grammask::{Config, ConfigPart, Ending, Error, Grammar, LimitExceeded, TokenId, Vocabulary};

fn fixtures(name: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/invalid").join(name);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("the fixtures are there").map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "kbnf"));
    paths.sort();
    let named = |path: &PathBuf| {
        Some((path.file_name()?.to_str()?.to_owned(), String::from_utf8(fs::read(path).ok()?).ok()?))
    };
    paths.iter().filter_map(named).collect()
}

fn wrong(text: &str, config: &Config) -> Error {
    let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], []).expect("a vocabulary");
    Grammar::compile(text, &vocabulary, config).expect_err(text)
}

#[test]
fn mistakes_in_notation_and_meaning_are_reported_together() {
    let fixtures = fixtures("both");
    assert!(fixtures.len() >= 12, "only {} fixtures", fixtures.len());
    for (name, text) in fixtures {
        let shown = wrong(&text, &Config::default()).render(&text, &name);
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false, snapshot_path => "snapshots/errors" }, {
            insta::assert_snapshot!(name.trim_end_matches(".kbnf"), shown);
        });
    }
}

#[test]
fn mistakes_in_notation_cause_no_false_mistakes_in_meaning() {
    for (name, text) in fixtures("syntax") {
        if let Error::SyntaxAndNormal { normal, .. } = wrong(&text, &Config::default()) {
            panic!("{name}: {normal}");
        }
    }
}

/// Every grammar is right; with a character too many, only the text is wrong.
#[test]
fn one_mistake_in_notation_is_reported_once() {
    const INSERTED: [&str; 26] = [
        "'", "\"", "(", ")", "[", "]", "{", "}", "|", "#", "-", "/", "//", "~", "&", "*", ":", "\\", "%",
        "!", "<", "1", "é", ",", "(*", "*)",
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/grammars");
    let config = Config::default();
    let mut count = 0;
    for name in ["left", "right", "middle", "arithmetic", "json"] {
        let text = fs::read_to_string(folder.join(name).with_extension("kbnf")).expect("a fixture");
        for (at, _) in text.char_indices() {
            for inserted in INSERTED {
                let changed = format!("{}{inserted}{}", &text[..at], &text[at..]);
                let Err(recovered) = grammask_syntax::parse_or_recover(&changed, &config.syntax) else {
                    continue;
                };
                count += 1;
                assert_eq!(recovered.ast.check(), Ok(()), "{changed}");
                let error = Error::of_recovered(*recovered, &config);
                assert!(matches!(error, Error::Syntax(_)), "{}", error.render(&changed, name));
            }
        }
    }
    assert!(count > 10_000, "only {count} texts are wrong");
}

#[test]
fn errors_beyond_the_limit_are_counted() {
    let text = format!("start ::= {} 'a'; x ::= ;", "undefined ".repeat(200));
    let error = wrong(&text, &Config::default());
    assert_eq!((error.diagnostics().len(), error.omitted()), (101, 100));
    assert!(error.render(&text, "g").ends_with("\ng: and 100 more errors\n"), "{error}");
    let text = format!("start ::= undefined; {}", "x ::= ; ".repeat(200));
    let error = wrong(&text, &Config::default());
    // The content of omitted errors is unknown.
    assert_eq!((error.diagnostics().len(), error.omitted()), (100, 100));
}

#[test]
fn unread_text_may_define_any_name() {
    for text in [
        "%start value",
        "%start; value ::= 'x';",
        "%start value %start other; value ::= 'x' | ;",
        "'a' 'b'",
        "start ::= value; (* value ::= 'x';",
        "value ::= 'x'; (* %start value;",
        "start ::= value; @ value -> 'x';",
        "start ::= ~('a' value | 'b'; value ::= 'x';",
        "start ::= except!(words); words ::= 'a' | words2 | ;  words2 ::= 'x';",
        "start ::= unordered!(a, b; ; ; 0 -> 7); a ::= 'x'; b ::= 'y';",
        "start ::= foo; 'foo' ::= 'x';",
        "start ::= foo? bar; (foo | bar) ::= 'x';",
    ] {
        let error = wrong(text, &Config::default());
        assert!(matches!(error, Error::Syntax(_)), "{}", error.render(text, "g"));
    }
}

fn with_specials(names: &[&str]) -> Vocabulary {
    let specials =
        names.iter().enumerate().map(|(index, name)| (TokenId(10 + index as u32), (*name).to_owned()));
    Vocabulary::new([(TokenId(5), b"ab".to_vec())], specials).expect("a vocabulary")
}

#[test]
fn missing_special_tokens_are_reported_at_each_place() {
    let text =
        "start ::= '{' <|ned|> x <[5]> |\n  <[99]> <|End|> <|slash|> <|absent|>;\nx ::= <|end|>? <|ned|>;\n";
    let vocabulary = with_specials(&["<|end|>", "</slash>", "<|pad|>"]);
    let error = Grammar::compile(text, &vocabulary, &Config::default()).expect_err("most are missing");
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false, snapshot_path => "snapshots/errors" }, {
        insta::assert_snapshot!("missing_special_tokens", error.render(text, "g.kbnf"));
    });
    let mut config = Config::default();
    config.normal.limits.max_errors = 2;
    let error = Grammar::compile(text, &vocabulary, &config).expect_err("most are missing");
    assert_eq!((error.diagnostics().len(), error.omitted()), (2, 5));
}

#[test]
fn thousands_of_missing_special_tokens_take_linear_time() {
    // Looking through the text for each would take some thousand million looks.
    let specials = (0..20_000).map(|id| format!("<[{}]>", 1_000_000 + id)).collect::<Vec<_>>().join(" | ");
    let text = format!("start ::= {specials} | {}; x ::= 'a';", "x ".repeat(100_000));
    let error = Grammar::compile(&text, &with_specials(&["<|end|>"]), &Config::default()).unwrap_err();
    assert_eq!((error.diagnostics().len(), error.omitted()), (100, 19_900));
    assert!(error.to_string().len() < 100_000, "{}", error.to_string().len());
}

#[test]
fn hints_name_special_tokens_of_the_vocabulary() {
    let hint = |names: &[&str]| {
        let text = "start ::= <|end|>;";
        let error =
            Grammar::compile(text, &with_specials(names), &Config::default()).expect_err("it is missing");
        error.diagnostics()[0].hint.clone().unwrap_or_default()
    };
    assert_eq!(hint(&[]), "the vocabulary has no special tokens");
    assert_eq!(hint(&["<|a|>", "<s>"]), "the special tokens of the vocabulary are `<|a|>`, `<[11]>`");
    assert_eq!(hint(&["a", "b", "c", "d", "e", "f"]).matches("<[").count(), 5);
    assert_eq!(hint(&["<|begin|>", "<|edn|>"]), "did you mean `<|edn|>`?");
    assert_eq!(hint(&["[END]"]), "did you mean \"[END]\"? it is written `special!('[END]')` or `<[10]>`");
    assert_eq!(
        hint(&["<|a b|>", "<|<|>", "<|end |>"]),
        "did you mean \"<|end |>\"? it is written `special!('<|end |>')` or `<[12]>`"
    );
}

#[test]
fn missing_ending_tokens_have_no_place() {
    let config = Config { ending: Ending::EndOfSequence(vec![TokenId(7)]), ..Config::default() };
    let text = "start ::= 'a' <|nope|>;";
    let both = wrong(text, &config);
    assert_eq!(both.diagnostics().len(), 1);
    let shown = both.render(text, "g");
    assert!(shown.starts_with("g:1:15: error: the vocabulary has no special token <|nope|>\n"), "{shown}");
    assert!(shown.ends_with("\nerror: the vocabulary has no token7, which is to end texts\n"), "{shown}");
    assert!(wrong("start ::= 'a';", &config).diagnostics().is_empty());
}

#[test]
fn limit_errors_have_name_value_and_place() {
    let shown = |text: &str, config: &Config| wrong(text, config).render(text, "g");
    let mut config = Config::default();
    config.recognizer.limits.max_nodes = 30;
    let text = "start ::= 'a' long long;\nlong ::= ('abcdefghijklmn' start 'abcdefghijklmnop' 'abcdefgh')?;";
    let found = shown(text, &config);
    assert!(found.starts_with("g:2:1: error: more than 30 network nodes (limit `max_nodes`)\n"), "{found}");
    config.recognizer.limits.max_nodes = 1;
    let found = shown("x ::= 'abc';\nstart ::= x y; y ::= x;", &config);
    assert!(found.starts_with("g:2:1: error: more than 1 network nodes (limit `max_nodes`)\n"), "{found}");

    let exceeded = wrong("x ::= 'abc';\nstart ::= x y; y ::= x;", &config).limit().expect("a limit");
    assert_eq!((exceeded.part, &*exceeded.limit, exceeded.value), (ConfigPart::Recognizer, "max_nodes", 1));

    let mut config = Config::default();
    config.normal.limits.max_productions = 2;
    let exceeded = wrong("start ::= 'a' start | 'b' start | 'c';", &config).limit().expect("a limit");
    assert_eq!((&*exceeded.limit, exceeded.value, exceeded.found), ("max_productions", 2, Some(3)));
    assert_eq!(wrong("start ::= 'a' nothing;", &config).limit(), None);
    let found = shown("start ::= 'a' start | 'b' start | 'c';", &config);
    assert!(
        found.starts_with("g:1:1: error: more than 2 productions, 3 in all (limit `max_productions`)\n"),
        "{found}"
    );

    let deep = format!("start ::= #'{}a{}';", "(".repeat(1500), ")".repeat(1500));
    let found = shown(&deep, &Config::default());
    let nested =
        "g:1:11: error: more than 1000 levels of groups in a regex, here 1001 (limit `regex_nesting`)\n";
    assert!(found.starts_with(nested), "{found}");
    config.normal.regular.regex_length = 2;
    let exceeded = wrong("start ::= #'abc';", &config).limit().expect("a limit");
    assert_eq!(
        (exceeded.part, &*exceeded.limit, exceeded.found),
        (ConfigPart::Regular, "regex_length", Some(3))
    );
    let found = shown("start ::= #'abc';", &config);
    assert!(
        found.starts_with("g:1:11: error: more than 2 bytes in a regex, here 3 (limit `regex_length`)\n"),
        "{found}"
    );

    let mut config = Config::default().ending_with([TokenId(0), TokenId(1)]);
    config.masks.limits.max_end_tokens = 1;
    let exceeded = wrong("start ::= 'a';", &config).limit().expect("a limit");
    let LimitExceeded { part, limit, value, found, .. } = exceeded;
    assert_eq!((part, &*limit, value, found), (ConfigPart::Masks, "max_end_tokens", 1, Some(2)));
}
