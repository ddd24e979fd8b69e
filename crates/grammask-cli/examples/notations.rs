//! Reads lines of JSON, `{"notation": "gbnf", "grammar": "…", "texts": ["…"]}`, and prints a line for each.
//!
//! The line has the verdicts `A` (in the language), `L` (live prefix) or `R` (rejected), or the error. The
//! scripts that compare grammask with other programs use it.

use std::io::{BufRead, Write};
use std::sync::Arc;

use grammask::gbnf::{Config as GbnfConfig, RegexDialect};
use grammask::notation::{Errors, Outcome};
use grammask_earley::{Network, Recognizer};
use grammask_regular::Store;
use serde_json::{Value, json};

fn main() -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let case: Value = serde_json::from_str(&line?)?;
        let notation = case["notation"].as_str().unwrap_or_default();
        let texts = case["texts"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let grammar = case["grammar"].as_str().unwrap_or_default();
        let answer = match translate(notation, grammar) {
            Err(errors) => json!({ "error": errors.to_string() }),
            Ok(outcome) => match verdicts(&outcome, texts) {
                Err(error) => json!({ "error": error, "kbnf": outcome.ast.to_string() }),
                Ok(verdicts) => {
                    let notes: Vec<&str> = outcome.notes.iter().map(|note| &*note.message).collect();
                    json!({ "verdicts": verdicts, "notes": notes, "kbnf": outcome.ast.to_string() })
                }
            },
        };
        writeln!(stdout, "{answer}")?;
    }
    Ok(())
}

fn translate(notation: &str, text: &str) -> Result<Outcome, Errors> {
    let regex = |dialect| grammask::gbnf::translate_regex(text, dialect, "g", &Default::default());
    match notation {
        "gbnf" => grammask::gbnf::translate(text, &GbnfConfig::gbnf()),
        "ebnf" => grammask::gbnf::translate(text, &GbnfConfig::ebnf()),
        "lark" => grammask::lark::translate(text, "g.lark", &Default::default()),
        "tags" => grammask::tags::translate(text, &Default::default()),
        "choice" => grammask::gbnf::translate_choice(text, "g", &Default::default()),
        "regex-rust" => regex(RegexDialect::Rust),
        "regex-ecma" => regex(RegexDialect::Ecma),
        "regex-python" => regex(RegexDialect::Python),
        "regex-xgrammar" => regex(RegexDialect::XGrammar),
        _ => regex(RegexDialect::Auto),
    }
}

/// Returns the verdicts about texts as one string.
fn verdicts<'t>(outcome: &Outcome, texts: impl Iterator<Item = &'t str>) -> Result<String, String> {
    let mut store = Store::new(&Default::default());
    let normal = match grammask_normal::normalize_in(&outcome.ast, &mut store, &Default::default()) {
        Ok(normal) => normal,
        Err(errors) => {
            let error = grammask::Error::from(errors);
            // As `grammask accept`.
            return if error.is_empty_language() {
                Ok(texts.map(|_| 'R').collect())
            } else {
                Err(error.to_string())
            };
        }
    };
    let network = Network::build(&normal, store, &Default::default()).map_err(|error| error.to_string())?;
    let recognizer = Recognizer::new(Arc::new(network), &Default::default());
    let verdict = |text: &str| -> Result<char, String> {
        let mut state = recognizer.initial();
        for byte in text.bytes() {
            state = recognizer.step(state, byte).map_err(|error| error.to_string())?;
            if state.is_dead() {
                return Ok('R');
            }
        }
        Ok(if state.completes() { 'A' } else { 'L' })
    };
    texts.map(verdict).collect()
}
