//! Verdicts about texts.

use std::sync::Arc;

use grammask_earley::{Network, Recognizer};
use grammask_lark::{Config, Outcome, translate};
use grammask_regular::Store;

/// Returns the grammar of a Lark text, and checks that its KBNF reads as the same tree.
pub fn outcome(text: &str, config: &Config) -> Result<Outcome, String> {
    let outcome = translate(text, "g.lark", config).map_err(|errors| errors.to_string())?;
    let printed = outcome.ast.to_string();
    let again = grammask_syntax::parse(&printed, &Default::default())
        .unwrap_or_else(|errors| panic!("{}", errors.render(&printed, "g.kbnf")));
    assert_eq!(again.to_string(), printed);
    Ok(outcome)
}

/// Returns `accept`, `prefix` or `reject@` with the offset, for each text; or the error.
pub fn verdicts(text: &str, config: &Config, inputs: &[&str]) -> Result<Vec<String>, String> {
    let outcome = outcome(text, config)?;
    let mut ast = outcome.ast.clone();
    ast.allows_empty |= outcome.empty_output;
    let mut store = Store::new(&grammask_regular::Limits::default());
    let normal = match grammask_normal::normalize_in(&ast, &mut store, &Default::default()) {
        Ok(normal) => normal,
        Err(errors) => return Err(format!("{errors}\n{}", outcome.ast)),
    };
    let network = Network::build(&normal, store, &Default::default()).map_err(|error| error.to_string())?;
    let recognizer = Recognizer::new(Arc::new(network), &Default::default());
    Ok(inputs.iter().map(|input| verdict(&recognizer, input.as_bytes(), outcome.empty_output)).collect())
}

fn verdict(recognizer: &Recognizer, text: &[u8], empty_output: bool) -> String {
    if text.is_empty() && empty_output {
        return "accept".to_owned();
    }
    let mut state = recognizer.initial();
    for (place, &byte) in text.iter().enumerate() {
        state = recognizer.step(state, byte).expect("no limit is near");
        if state.is_dead() {
            return format!("reject@{place}");
        }
    }
    if state.completes() { "accept" } else { "prefix" }.to_owned()
}
