//! `grammask generate`

use std::collections::BTreeSet;
use std::path::PathBuf;

use grammask_testkit::fixtures::{fixtures_root, grammars};
use grammask_testkit::random::{Rng, Shape, grammar};
use grammask_testkit::{Oracle, Verdict, start_of};

use crate::running::Folder;

/// Returns a vocabulary of all bytes, some words, and an end-of-sequence token.
fn vocabulary() -> String {
    let mut tokens: Vec<String> = (0..256).map(|byte| format!("[{byte}, [{byte}]]")).collect();
    for (id, word) in ["abc", "((", "))", "x)", "[]", "no"].into_iter().enumerate() {
        tokens.push(format!("[{}, {word:?}]", 300 + id));
    }
    format!("[{}]", tokens.join(", "))
}

/// Returns the grammars of the fixtures, ordered by name.
fn grammar_files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(fixtures_root().join("grammars")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut grammars: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "kbnf")).collect();
    grammars.sort();
    assert!(!grammars.is_empty());
    grammars
}

#[test]
fn every_fixture_generates_a_complete_text() {
    let folder = Folder::new("generate_fixtures");
    for path in grammar_files() {
        let grammar = path.to_str().unwrap();
        for seed in ["0", "1", "7"] {
            let run = folder.run(&["generate", grammar, "--seed", seed, "--max-tokens", "2000"]);
            assert_eq!(run.status, 0, "{grammar}, seed {seed}: {run}");
            assert!(run.err.starts_with("finished: "), "{grammar}, seed {seed}: {}", run.err);
            let verdict = folder.run_with_input(&["accept", grammar], &run.out);
            assert_eq!(verdict.text(), "accept\n", "{grammar}, seed {seed}: {run}");
        }
    }
}

#[test]
fn the_oracle_accepts_generated_texts() {
    let folder = Folder::new("generate_oracle");
    for path in grammar_files() {
        let ast =
            grammask_syntax::parse(&std::fs::read_to_string(&path).unwrap(), &Default::default()).unwrap();
        let oracle = Oracle::new(&ast, &start_of(&ast)).unwrap();
        let run = folder.run(&["generate", path.to_str().unwrap(), "--seed", "3", "--max-tokens", "60"]);
        assert_eq!((run.status, oracle.verdict(&run.out)), (0, Verdict::Accept), "{}: {run}", path.display());
    }
}

/// Returns a vocabulary of all bytes, and all substrings of a sample text with up to five bytes.
fn vocabulary_of(sample: &str) -> String {
    let mut tokens: Vec<String> = (0..256).map(|byte| format!("[{byte}, [{byte}]]")).collect();
    let pieces: BTreeSet<&[u8]> = (2..=5).flat_map(|length| sample.as_bytes().windows(length)).collect();
    tokens.extend(pieces.into_iter().enumerate().map(|(id, piece)| format!("[{}, {piece:?}]", 256 + id)));
    format!("[{}]", tokens.join(", "))
}

#[test]
fn the_oracle_accepts_a_hundred_seeds_of_every_fixture() {
    for fixture in grammars(&fixtures_root()) {
        let folder = Folder::new(&format!("generate_hundred_{}", fixture.name))
            .with("grammar.kbnf", &fixture.grammar)
            .with("vocabulary.json", vocabulary_of(&fixture.sample));
        let ast = grammask_syntax::parse(&fixture.grammar, &Default::default()).unwrap();
        let oracle = Oracle::new(&ast, &start_of(&ast)).unwrap();
        for seed in 0..100 {
            let (seed, most) = (seed.to_string(), (10 + seed).to_string());
            let command = ["generate", "grammar.kbnf", "--vocab", "vocabulary.json"];
            let run = folder.run(&[&command[..], &["--seed", &seed, "--max-tokens", &most]].concat());
            assert_eq!(
                (run.status, oracle.verdict(&run.out)),
                (0, Verdict::Accept),
                "{}: {run}",
                fixture.name
            );
        }
    }
}

#[test]
fn a_text_ends_within_max_tokens() {
    let folder = Folder::new("generate_few")
        .with("nested.kbnf", "start ::= '(' start ')' | '[' start start ']' | 'x';")
        .with("v.json", vocabulary());
    for seed in 0..20 {
        for most in ["2", "3", "8", "40"] {
            let seed = seed.to_string();
            let run = folder.run(&[
                "generate",
                "nested.kbnf",
                "--vocab",
                "v.json",
                "--seed",
                &seed,
                "--max-tokens",
                most,
            ]);
            assert_eq!(run.status, 0, "{run}");
            assert_eq!(folder.run(&["accept", "nested.kbnf", &run.text()]).status, 0, "{run}");
        }
    }
}

#[test]
fn equal_seeds_generate_equal_texts() {
    let folder = Folder::new("generate_seed")
        .with("words.kbnf", "start ::= #'[a-z]+( [a-z]+){3,5}';")
        .with("v.json", vocabulary());
    let write =
        |seed: &str| folder.run(&["generate", "words.kbnf", "--vocab", "v.json", "--seed", seed]).text();
    assert_eq!(write("5"), write("5"));
    assert_ne!(write("5"), write("6"));
    assert_eq!(write("0"), folder.run(&["generate", "words.kbnf", "--vocab", "v.json"]).text());
    // The text is equal on every machine.
    insta::assert_snapshot!("generate_seed", write("0"));
}

#[test]
fn the_report_has_tokens_masks_and_times() {
    let folder = Folder::new("generate_report")
        .with("number.kbnf", "start ::= #'[0-9]{4}';")
        .with("v.json", vocabulary());
    insta::assert_snapshot!(
        "generate_report",
        folder.run(&["generate", "number.kbnf", "--vocab", "v.json", "--eos", "none"])
    );
    let answer = folder.run(&["generate", "number.kbnf", "--vocab", "v.json", "--json"]).json();
    assert_eq!(answer["output"]["text"].as_str().unwrap().len(), 4);
    assert_eq!(answer["tokens"].as_array().unwrap().len(), 4);
    assert_eq!(
        (&answer["end"], &answer["complete"], &answer["masks"]),
        (&"finished".into(), &true.into(), &4.into())
    );
    assert!(answer["mask_ns"]["p50"].as_u64() <= answer["mask_ns"]["max"].as_u64());
}

#[test]
fn a_grammar_without_complete_texts_is_reported() {
    let folder = Folder::new("generate_endless")
        .with("endless.kbnf", "start ::= 'a' start | 'b' start;")
        .with("trap.kbnf", "start ::= 'a' S | 'a' ; S ::= 'x' S;")
        .with("long.kbnf", "start ::= #'[0-9]{50}';")
        .with("v.json", vocabulary());
    let run = |grammar: &str, most: &str| {
        folder.run(&["generate", grammar, "--vocab", "v.json", "--eos", "none", "--max-tokens", most])
    };
    let endless = run("endless.kbnf", "20");
    assert_eq!((endless.status, endless.out.len()), (3, 20), "{endless}");
    assert!(endless.err.starts_with("incomplete at --max-tokens: 20 tokens, 20 bytes"), "{endless}");
    let trap = run("trap.kbnf", "20");
    assert_eq!((trap.status, trap.text().as_str()), (0, "a"), "{trap}");
    let long = run("long.kbnf", "20");
    assert_eq!((long.status, long.out.len()), (3, 20), "{long}");
    let nothing = run("trap.kbnf", "0");
    assert_eq!((nothing.status, nothing.text().as_str()), (3, ""), "{nothing}");
}

#[test]
fn a_vocabulary_without_a_possible_token_is_reported() {
    let folder = Folder::new("generate_stuck")
        .with("g.kbnf", "start ::= 'ab' 'c';")
        .with("v.json", r#"{"a": 0, "ab": 1, "x": 2}"#);
    let run = folder.run(&["generate", "g.kbnf", "--vocab", "v.json"]);
    assert_eq!(run.status, 3, "{run}");
    assert!(run.err.contains("\nincomplete, because no token of the vocabulary can follow: "), "{run}");
    assert!(run.err.starts_with("warning: no token of the vocabulary is known to end a text"), "{run}");
}

#[test]
fn a_completion_that_the_vocabulary_cannot_spell_is_avoided() {
    // The shortest completion is `]`, which is not a token. `,a]` is the next one.
    let folder = Folder::new("generate_around")
        .with("g.kbnf", "start ::= '[' 'a' {',a'} ']';")
        .with("v.json", r#"{"[a": 0, ",a": 1, ",a]": 2}"#);
    for seed in ["0", "1", "2", "3"] {
        let run =
            folder.run(&["generate", "g.kbnf", "--vocab", "v.json", "--seed", seed, "--max-tokens", "50"]);
        assert_eq!(run.status, 0, "{run}");
        assert!(run.text().ends_with(",a]"), "{run}");
    }
}

#[test]
fn eager_texts_stop_once_they_are_complete() {
    let folder =
        Folder::new("generate_eager").with("g.kbnf", "start ::= 'abc' {'abc'};").with("v.json", vocabulary());
    for seed in ["0", "1", "2"] {
        let run = folder.run(&["generate", "g.kbnf", "--vocab", "v.json", "--eager", "--seed", seed]);
        assert_eq!((run.text().as_str(), run.status), ("abc", 0), "{run}");
    }
}

#[test]
fn special_tokens_are_written_by_name() {
    let folder = Folder::new("generate_special")
        .with("g.kbnf", "start ::= <|tool|> '[' <[20]> ']';")
        .with("v.json", crate::show::VOCABULARY);
    let run = folder.run(&["generate", "g.kbnf", "--vocab", "v.json", "--eos", "none"]);
    assert_eq!((run.text().as_str(), run.status), ("<|tool|>[</s>]", 0), "{run}");
    assert!(run.err.starts_with("finished: 4 tokens, 14 bytes"), "{run}");
}

#[test]
fn invalid_utf8_is_written_unchanged() {
    let folder = Folder::new("generate_bytes")
        .with("g.kbnf", "start ::= except!('a', 30) 'a';")
        .with("v.json", vocabulary());
    let run = folder.run(&["generate", "g.kbnf", "--vocab", "v.json", "--seed", "1"]);
    assert_eq!(run.status, 0, "{run}");
    assert!(str::from_utf8(&run.out).is_err(), "{run}");
    assert_eq!(folder.run_with_input(&["accept", "g.kbnf"], &run.out).status, 0);
    let answer = folder.run(&["generate", "g.kbnf", "--vocab", "v.json", "--seed", "1", "--json"]).json();
    assert_eq!(answer["output"]["bytes"], serde_json::json!(run.out));
}

#[test]
fn random_grammars_generate_complete_texts() {
    let mut rng = Rng::new(11);
    let mut complete = 0;
    let folder = Folder::new("generate_random").with("v.json", vocabulary());
    for round in 0..100 {
        let sample = grammar(&mut rng, &Shape::default());
        let name = format!("g{round}.kbnf");
        folder.write(&name, &sample.text);
        let run = folder.run(&["generate", &name, "--vocab", "v.json", "--max-tokens", "24"]);
        let verdict = sample.oracle.verdict(&run.out);
        match run.status {
            0 => {
                assert_eq!(verdict, Verdict::Accept, "{run}\n{}", sample.text);
                complete += 1;
            }
            // Some grammars have only endless outputs.
            3 => assert_eq!(verdict, Verdict::LivePrefix, "{run}\n{}", sample.text),
            _ => panic!("{run}\n{}", sample.text),
        }
    }
    assert!(complete > 80, "{complete}");
}
