//! Grammars of random schemas against a validator, and their masks against brute force.

mod cases;
mod choices;
mod documents;
mod generation;
mod masks;
mod practice;
mod schemas;
mod validator;

use grammask::{Config, Error, Grammar, TokenId, Vocabulary};
use grammask_json_schema::{Profile, Reason, Unsupported, Whitespace};
use grammask_testkit::random::Rng;
use serde_json::Value;

use documents::{document, spell};
use validator::is_valid;

/// The options of the profile `Standard`, under which verdicts are those of a validator.
fn standard() -> Config {
    Config::default().with_profile(Profile::Standard)
}

/// Result of compiling a schema.
enum Compiled {
    Grammar(Grammar),
    Unsatisfiable,
    Refused(String),
}

fn compile(schema: &Value, vocabulary: &Vocabulary, config: &Config) -> Compiled {
    match Grammar::from_json_schema(schema, vocabulary, config) {
        Ok(grammar) => {
            assert_eq!(grammar.relaxations(), [], "{schema}");
            Compiled::Grammar(grammar)
        }
        Err(Error::JsonSchema(error)) => match error.reason {
            Reason::Unsatisfiable(_) => Compiled::Unsatisfiable,
            Reason::Unsupported(_) | Reason::Limit { .. } => Compiled::Refused(error.to_string()),
            _ => panic!("{error}\n{schema}"),
        },
        Err(error) => panic!("{error}\n{schema}"),
    }
}

/// A token for each byte.
fn bytes() -> Vocabulary {
    Vocabulary::new((0..=255u8).map(|byte| (TokenId(u32::from(byte)), vec![byte])), []).unwrap()
}

/// Whether a text is one of a grammar's outputs.
fn accepts(grammar: &Grammar, text: &str) -> bool {
    let mut matcher = grammar.matcher();
    let accepted = matcher.accept_bytes(text.as_bytes()).is_accepted() && matcher.is_complete();
    assert_eq!(matcher.error(), None);
    accepted
}

#[test]
fn documents_are_accepted_if_and_only_if_they_are_valid() {
    let vocabulary = bytes();
    let mut config = standard();
    config.json_schema.whitespace = Whitespace::Flexible { longest: 8 };
    config.json_schema.unsupported = Unsupported::Refuse;
    let (mut compiled, mut refused, mut right, mut wrong) = (0, Vec::new(), 0, 0);
    let mut differences: Vec<String> = Vec::new();
    for seed in 0..4000 {
        let mut rng = Rng::new(seed);
        let schema = schemas::schema(&mut rng);
        let grammar = match compile(&schema, &vocabulary, &config) {
            Compiled::Grammar(grammar) => Some(grammar),
            Compiled::Unsatisfiable => None,
            Compiled::Refused(error) => {
                refused.push(format!("seed {seed}: {error}"));
                continue;
            }
        };
        compiled += 1;
        // Multiples, and numbers that must differ, are plain decimals.
        let exponents = !["multipleOf", "uniqueItems"].iter().any(|word| schema.to_string().contains(word));
        for _ in 0..40 {
            let document = document(&mut rng, &schema);
            let valid = is_valid(&schema, &document);
            *if valid { &mut right } else { &mut wrong } += 1;
            let mut text = String::new();
            spell(&mut rng, &document, exponents, &mut text);
            let accepted = grammar.as_ref().is_some_and(|grammar| accepts(grammar, &text));
            if accepted != valid {
                differences
                    .push(format!("seed {seed}: accepted {accepted}, valid {valid}: {text}\n  of {schema}"));
                break;
            }
        }
    }
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    assert!(compiled >= 3_800, "only {compiled} schemas compile; refused:\n{}", refused.join("\n"));
    assert!(right >= 40_000 && wrong >= 40_000, "{right} valid and {wrong} invalid documents say too little");
}
