//! Masks against the oracle, token by token, on random grammars and vocabularies. Covers both endings, and
//! every setting that must not change a mask, with cold and warm caches.

use std::sync::Arc;

use grammask_earley::{Network, Recognizer, SetId};
use grammask_mask::{
    Config, Ending, Lexicon, LexiconConfig, LexiconTuning, Masks, Prefetch, Scratch, Tuning,
};
use grammask_regular::Store;
use grammask_syntax::Ast;
use grammask_testkit::random::{self, Rng, Shape};
use grammask_testkit::{Run, start_of};
use grammask_trie::{Mask, TokenId, Vocabulary};

/// Returns every combination of the grammar's settings that must not change a mask.
fn configs() -> Vec<(grammask_earley::Config, Config)> {
    let mut configs = Vec::new();
    for keep_summaries in [true, false] {
        for leo in [true, false] {
            for keep in [true, false] {
                let tuning = grammask_earley::Tuning { leo, keep_steps: keep, ..Default::default() };
                let recognizer = grammask_earley::Config { tuning, ..Default::default() };
                configs.push((
                    recognizer,
                    Tuning { keep_summaries, keep_masks: keep, ..Tuning::default() }.into(),
                ));
            }
        }
    }
    configs
}

/// Returns lexicons with different settings, which must not change a mask: slices, encodings of node sets,
/// and a limit of 9 regular states, too low for most lexemes.
fn lexicons(vocabulary: &Arc<Vocabulary>) -> Vec<Arc<Lexicon>> {
    let eager = LexiconTuning::eager();
    let mut starved = LexiconConfig::from(eager.clone());
    starved.limits.regular.states = 9;
    let configs = [
        eager.clone().into(),
        LexiconTuning { slices: false, ..eager.clone() }.into(),
        LexiconTuning { max_loop_exit_edges: usize::MAX, ..eager.clone() }.into(),
        LexiconTuning { max_listed_nodes: 0, ..eager.clone() }.into(),
        LexiconTuning { max_listed_nodes: 2, slices: false, ..eager }.into(),
        starved,
    ];
    configs.iter().map(|config| Arc::new(Lexicon::new(Arc::clone(vocabulary), config))).collect()
}

fn network(ast: &Ast) -> Network {
    let mut store = Store::new(&grammask_regular::Limits::default());
    let config = grammask_normal::Config { start: Some(start_of(ast)), ..Default::default() };
    let normal =
        grammask_normal::normalize_in(ast, &mut store, &config).expect("a random grammar has a language");
    Network::build(&normal, store, &grammask_earley::Config::default()).expect("a random grammar is small")
}

fn mask(masks: &Masks, state: SetId) -> Mask {
    let mut scratch = Scratch::new(masks.vocabulary().id_count());
    masks.mask(state, &mut scratch).expect("no limit is near").clone()
}

/// Returns the mask according to the oracle. `end` is the token that ends a text.
fn expected(run: &Run<'_>, tokens: &[Vec<u8>], end: TokenId, eager: bool) -> Mask {
    let mut mask = Mask::new(tokens.len() + 1);
    for (id, token) in tokens.iter().enumerate() {
        if if eager { run.allows_eagerly(token) } else { run.allows(token) } {
            mask.allow(TokenId(id as u32));
        }
    }
    if !eager && run.is_complete() {
        mask.allow(end);
    }
    mask
}

fn check(seed: u64, eager: bool) {
    let mut rng = Rng::new(seed);
    let shape = Shape { empty_output: !eager, ..Shape::default() };
    let grammar = random::grammar(&mut rng, &shape);
    let tokens = random::vocabulary(&mut rng, 40);
    let end = TokenId(tokens.len() as u32);
    let with_ids = tokens.iter().enumerate().map(|(id, token)| (TokenId(id as u32), token.clone()));
    let vocabulary = Vocabulary::new(with_ids, [(end, "<|end|>".into())], &Default::default()).unwrap();
    let vocabulary = Arc::new(vocabulary);
    let ending = if eager { Ending::Eager } else { Ending::EndOfSequence(vec![end]) };
    let network = Arc::new(network(&grammar.ast));
    // All masks of a kind share one lexicon, so that the later ones use its cached results.
    let mut all: Vec<Masks> = Vec::new();
    let lexicons = lexicons(&vocabulary);
    for (place, (config, masks)) in configs().iter().enumerate() {
        for (number, lexicon) in lexicons.iter().enumerate() {
            if masks.tuning.keep_summaries && (place % 3 == number % 3 || place == 0) {
                let recognizer = Recognizer::new(Arc::clone(&network), config);
                all.push(Masks::new(recognizer, Arc::clone(lexicon), &ending, masks).unwrap());
            }
        }
        if !masks.tuning.keep_summaries {
            let recognizer = Recognizer::new(Arc::clone(&network), config);
            all.push(Masks::new(recognizer, Arc::clone(&lexicons[0]), &ending, masks).unwrap());
        }
    }
    // Prefetching does not change the masks.
    let ahead = Prefetch { texts: &[b"a", b"ab"], nodes: 4096, cancel: None };
    all.iter().step_by(2).for_each(|masks| masks.prefetch(&ahead).unwrap());
    for _ in 0..4 {
        let text = random::text(&mut rng, &grammar.oracle, 8);
        let mut run = grammar.oracle.run();
        let mut states: Vec<SetId> = all.iter().map(|masks| masks.recognizer().initial()).collect();
        for byte in text.iter().map(Some).chain([None]) {
            if eager && run.is_complete() {
                break;
            }
            let expected = expected(&run, &tokens, end, eager);
            for (masks, &state) in all.iter().zip(&states) {
                let place = || {
                    let read = String::from_utf8_lossy(&text);
                    format!(
                        "seed {seed}, in {read:?} at {}, {:?}\n{}",
                        run.position(),
                        (masks.config(), masks.lexicon().config()),
                        grammar.text
                    )
                };
                assert_eq!(mask(masks, state), expected, "cold, {}", place());
                assert_eq!(mask(masks, state), expected, "warm, {}", place());
                for (id, token) in tokens.iter().enumerate() {
                    let id = TokenId(id as u32);
                    let next = masks.step(state, id).unwrap();
                    assert_eq!(!next.is_dead(), expected.allows(id), "token {token:?}, {}", place());
                }
            }
            let Some(&byte) = byte else { break };
            if !run.push(byte) {
                break;
            }
            for (masks, state) in all.iter().zip(&mut states) {
                *state = masks.recognizer().step(*state, byte).unwrap();
            }
        }
    }
}

#[test]
fn masks_are_what_the_oracle_allows() {
    (0..60).for_each(|seed| check(seed, false));
}

#[test]
fn eager_masks_are_what_the_oracle_allows() {
    (10_000..10_060).for_each(|seed| check(seed, true));
}
