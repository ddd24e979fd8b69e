//! Reports of all wrong texts in `fixtures/invalid/syntax`. Each of them must be refused.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use grammask_syntax::{Config, Limits, parse, parse_bytes, parse_bytes_or_recover, parse_or_recover};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/invalid").join(name)
}

/// The name and content of each fixture in a folder, by name.
fn fixtures(name: &str) -> Vec<(String, Vec<u8>)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder(name))
        .expect("the fixtures are there")
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let named =
        |path: &PathBuf| (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap());
    paths
        .iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "kbnf"))
        .map(named)
        .collect()
}

#[test]
fn reports_of_wrong_texts() {
    let fixtures = fixtures("syntax");
    assert!(fixtures.len() >= 40, "only {} fixtures", fixtures.len());
    for (name, bytes) in &fixtures {
        let Err(errors) = parse_bytes(bytes, &Config::default()) else { panic!("{name} is taken for right") };
        let shown = errors.render(bytes, &format!("{name}.kbnf")).to_string();
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name.as_str(), shown);
        });
    }
    let names: BTreeSet<String> = fixtures.into_iter().map(|(name, _)| format!("{name}.snap")).collect();
    let snapshots = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let kept =
        fs::read_dir(snapshots).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let stale: Vec<String> = kept.filter(|name| name.ends_with(".snap") && !names.contains(name)).collect();
    assert!(stale.is_empty(), "snapshots without a fixture: {stale:?}");
}

#[test]
fn texts_with_semantic_errors_only_are_parsed() {
    let fixtures = fixtures("semantic");
    assert!(fixtures.len() >= 20, "only {} fixtures", fixtures.len());
    for (name, bytes) in fixtures {
        let text = String::from_utf8(bytes).unwrap();
        if let Err(errors) = parse(&text, &Config::default()) {
            panic!("{}", errors.render(&text, &name));
        }
    }
}

#[test]
fn recovery_is_a_valid_tree() {
    for (name, bytes) in fixtures("syntax") {
        let recovered = parse_bytes_or_recover(&bytes, &Config::default()).expect_err(&name);
        assert_eq!(recovered.ast.check(), Ok(()), "{name}");
        assert_eq!(Err(recovered.errors), parse_bytes(&bytes, &Config::default()), "{name}");
    }
}

#[test]
fn recovery_after_an_exceeded_limit_is_a_valid_tree() {
    let texts = [
        "a ::= 'x' b; c ::= unordered!('x', 'y'; (((d))));",
        "a ::= ~~~~~~(b) & 'c'; d ::= 'e' 'f' 'g';",
        "a ::= {{{[('x' | 'y')]}}} z; b ::= json!(json!(json!(#'x')));",
    ];
    for text in texts {
        for limit in 0..12 {
            let limits = [
                Limits { max_nesting: limit, ..Limits::default() },
                Limits { max_expressions: limit, ..Limits::default() },
                Limits { max_text_bytes: limit, ..Limits::default() },
            ];
            for config in limits.map(Config::from) {
                if let Err(recovered) = parse_or_recover(text, &config) {
                    assert_eq!(recovered.ast.check(), Ok(()), "{text} {config:?}");
                }
            }
        }
    }
}

#[test]
fn recovery_takes_linear_time() {
    let config = Config::from(Limits { max_errors: usize::MAX, ..Limits::default() });
    for piece in
        ["a ::= b | ;", "a @ b;", "a ::= ((((b;", "'x' a;", "(* a ::= *) a ::= b{2,1};", "a-b ::= c-d;"]
    {
        let text = piece.repeat(20_000);
        let recovered = parse_or_recover(&text, &config).expect_err(piece);
        assert_eq!(recovered.ast.check(), Ok(()), "{piece}");
    }
}

#[test]
fn recovery_keeps_the_usable_parts_of_rules() {
    let recovered = |text: &str| parse_or_recover(text, &Config::default()).expect_err(text).ast.to_string();
    for (text, expected) in [
        ("a ::= 'x' b{2,3}; c ::= ;", "a ::= 'x' b{2,3};\nc ::= '';\n"),
        ("a ::= (b #'x' & ~c | except!(d);", "a ::= b | #'x' | c | except!(d);\n"),
        ("a ::= #'\\d' #e'x' 'y' | ;", "a ::= #e'x';\n"),
        ("a ::= b @ c; d ::= e;", "a ::= '';\nd ::= e;\n"),
        ("a b; c ::= d; e", "a ::= '';\nc ::= d;\ne ::= '';\n"),
        ("%start b; a ::= 'x'; %start c;", "%start b;\na ::= 'x';\n"),
        ("a ::= b; c ::= d 'x; e ::= f;", "a ::= '';\nc ::= '';\n"),
        ("a ::= b;\nc ::= d 'x; e ::= f;", "a ::= b;\nc ::= '';\n"),
    ] {
        let found = recovered(text);
        assert_eq!(found, expected, "{text}");
    }
}
