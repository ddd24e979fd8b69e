//! What a reader sees of grammars that are wrong in several ways at once: all of it, and nothing that is only a consequence.

use std::fs;
use std::path::{Path, PathBuf};

use grammask::{Config, Error, Grammar, TokenId, Vocabulary};

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
fn errors_of_text_and_meaning_come_in_one_go() {
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
fn wrong_texts_are_not_said_to_be_wrong_in_meaning() {
    for (name, text) in fixtures("syntax") {
        if let Error::SyntaxAndNormal { normal, .. } = wrong(&text, &Config::default()) {
            panic!("{name}: {normal}");
        }
    }
}

/// Every grammar is right; with a character too many, only the text is wrong.
#[test]
fn one_mistake_in_the_text_is_none_in_meaning() {
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
    // Nobody knows what the errors that are not kept are about.
    assert_eq!((error.diagnostics().len(), error.omitted()), (100, 100));
}

#[test]
fn what_was_not_read_may_name_and_define_anything() {
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
    ] {
        let error = wrong(text, &Config::default());
        assert!(matches!(error, Error::Syntax(_)), "{}", error.render(text, "g"));
    }
}
