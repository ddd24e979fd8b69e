//! Helpers for the tests of several modules.

use std::sync::Arc;

use grammask_regular::Store;

use crate::{Config, Network, Recognizer};

/// Returns a recognizer of a grammar, with the default configuration.
pub(crate) fn recognizer(text: &str) -> Recognizer {
    let ast = grammask_syntax::parse(text, &Default::default()).unwrap();
    let mut store = Store::new(&Default::default());
    let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
    let network = Network::build(&normal, store, &Config::default()).unwrap();
    Recognizer::new(Arc::new(network), &Config::default())
}
