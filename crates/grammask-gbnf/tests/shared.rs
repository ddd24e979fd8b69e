//! Runs a translated grammar on a text.

use std::sync::Arc;

use grammask_earley::{Network, Recognizer};
use grammask_notation::Outcome;
use grammask_regular::Store;

/// The answer for a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// In the language.
    Accept,
    /// The beginning of a text in the language.
    Live,
    /// The first byte that cannot follow.
    Reject(usize),
}

/// Returns the recognizer of a grammar.
pub fn recognizer(outcome: &Outcome) -> Recognizer {
    let mut store = Store::new(&Default::default());
    let normal = grammask_normal::normalize_in(&outcome.ast, &mut store, &Default::default())
        .unwrap_or_else(|errors| panic!("{}\n{errors}", outcome.ast));
    let network = Network::build(&normal, store, &Default::default()).expect("a small network");
    Recognizer::new(Arc::new(network), &Default::default())
}

/// Returns the answer of a grammar for a text.
pub fn verdict(outcome: &Outcome, text: &str) -> Verdict {
    let recognizer = recognizer(outcome);
    let mut state = recognizer.initial();
    for (at, byte) in text.bytes().enumerate() {
        state = recognizer.step(state, byte).expect("a small grammar");
        if state.is_dead() {
            return Verdict::Reject(at);
        }
    }
    if state.completes() { Verdict::Accept } else { Verdict::Live }
}
