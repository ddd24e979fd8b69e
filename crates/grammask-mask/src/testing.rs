//! Lexicons, networks and tables for unit tests.

use std::sync::Arc;

use grammask_earley::{Network, Recognizer};
use grammask_regular::Store;
use grammask_trie::{TokenId, Vocabulary};

use crate::{Config, Ending, Lexicon, Masks};

/// Returns a lexicon of some words without entries.
pub(crate) fn lexicon(words: &[&str]) -> Arc<Lexicon> {
    let tokens = (0..).map(TokenId).zip(words.iter().map(|word| word.as_bytes().to_vec()));
    let vocabulary = Vocabulary::new(tokens, [], &Default::default()).unwrap();
    Arc::new(Lexicon::new(Arc::new(vocabulary), &Default::default()))
}

pub(crate) fn network(grammar: &str) -> Arc<Network> {
    let ast = grammask_syntax::parse(grammar, &Default::default()).unwrap();
    let mut store = Store::new(&Default::default());
    let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
    Arc::new(Network::build(&normal, store, &Default::default()).unwrap())
}

/// Returns empty tables of a grammar.
pub(crate) fn masks(network: &Arc<Network>, lexicon: &Arc<Lexicon>, config: &Config) -> Masks {
    let recognizer = Recognizer::new(Arc::clone(network), &Default::default());
    Masks::new(recognizer, Arc::clone(lexicon), &Ending::default(), config).unwrap()
}
