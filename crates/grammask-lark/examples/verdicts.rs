//! Reads lines of JSON, `{"grammar": "…", "texts": ["…"], "grammars": {"name": "…"}}`, and prints a line for
//! each: the verdicts about the texts, or the error. `peers.py` uses it.

use std::io::{BufRead, Write};

use grammask_lark::{Config, Grammar, GrammarKind};
use serde_json::{Value, json};

#[path = "../tests/matching/mod.rs"]
mod matching;

fn main() -> std::io::Result<()> {
    let stdin = std::io::stdin().lock();
    let mut stdout = std::io::stdout().lock();
    for line in stdin.lines() {
        let case: Value = serde_json::from_str(&line?)?;
        let grammar = case["grammar"].as_str().unwrap_or_default();
        let texts: Vec<&str> =
            case["texts"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut config = Config::default();
        for (name, text) in case["grammars"].as_object().into_iter().flatten() {
            let text = text.as_str().unwrap_or_default().to_owned();
            config.grammars.push(Grammar { name: name.clone(), kind: GrammarKind::Lark, text });
        }
        let answer = match matching::verdicts(grammar, &config, &texts) {
            Ok(verdicts) if case["show"].is_null() => json!({"verdicts": verdicts}),
            Ok(verdicts) => {
                let outcome = matching::outcome(grammar, &config).expect("it has verdicts");
                let notes: Vec<&str> = outcome.notes.iter().map(|note| &*note.message).collect();
                json!({"verdicts": verdicts, "kbnf": outcome.ast.to_string(), "notes": notes})
            }
            Err(error) => json!({"error": error}),
        };
        writeln!(stdout, "{answer}")?;
    }
    Ok(())
}
