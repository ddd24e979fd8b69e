//! Random grammars and small random vocabularies with special tokens, as several tests need them.

use grammask::{Config, Ending, Grammar, TokenId, Vocabulary};
use grammask_testkit::random::{RandomGrammar, Rng, Shape, vocabulary as random_vocabulary};

/// An ordinary token never has one of these ids.
const END: TokenId = TokenId(3);
const SEVEN: TokenId = TokenId(7);
const SEPARATOR: TokenId = TokenId(90);
/// Ends texts; no grammar names it.
pub const STOP: TokenId = TokenId(91);
pub const SPECIALS: [(TokenId, &str); 4] =
    [(END, "<|end|>"), (SEVEN, "<|seven|>"), (SEPARATOR, "<|sep|>"), (STOP, "<|stop|>")];
pub const SHAPES: [Shape; 3] = [
    Shape {
        nonterminals: 5,
        depth: 2,
        patterns: true,
        extensions: true,
        specials: false,
        empty_output: false,
    },
    Shape {
        nonterminals: 4,
        depth: 1,
        patterns: false,
        extensions: false,
        specials: true,
        empty_output: false,
    },
    Shape {
        nonterminals: 3,
        depth: 2,
        patterns: true,
        extensions: false,
        specials: true,
        empty_output: false,
    },
];

pub fn tokens(rng: &mut Rng) -> Vec<(TokenId, Vec<u8>)> {
    let ids = (0..).map(TokenId).filter(|&id| id != END && id != SEVEN && id != TokenId(20));
    ids.zip(random_vocabulary(rng, 40)).collect()
}

pub fn vocabulary(tokens: &[(TokenId, Vec<u8>)]) -> Vocabulary {
    Vocabulary::new(tokens.to_vec(), SPECIALS.map(|(id, name)| (id, name.to_owned()))).unwrap()
}

/// Returns the shape for a seed whose ending is number `seed / 3 % 3` of [`endings`]. The empty output is an
/// output of some grammars, unless the ending is eager.
pub fn shape(seed: u64) -> Shape {
    let (shape, ending) = (seed as usize % SHAPES.len(), seed as usize / SHAPES.len() % 3);
    Shape { empty_output: endings()[ending] != Ending::Eager, ..SHAPES[shape] }
}

pub fn endings() -> [Ending; 3] {
    [Ending::EndOfSequence(vec![]), Ending::EndOfSequence(vec![STOP]), Ending::Eager]
}

pub fn compile(random: &RandomGrammar, vocabulary: &Vocabulary, config: &Config) -> Grammar {
    Grammar::compile(&random.text, vocabulary, config)
        .unwrap_or_else(|error| panic!("{}\n{error}", random.text))
}
