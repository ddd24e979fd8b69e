//! States: masks computed ahead of time, elsewhere, are those of the matcher.

use grammask::{Config, Grammar, Scratch, State, StateError, TokenId, Vocabulary};
use grammask_testkit::random::Rng;

use crate::{BUDGETS, random_grammar, row, walk};

#[test]
fn the_mask_of_a_state_equals_that_of_the_matcher() {
    for seed in 0..90 {
        let mut rng = Rng::new(seed);
        let (random, grammar) = random_grammar(seed, BUDGETS[seed as usize % 3]);
        let words = grammar.vocabulary().mask_words() + 1;
        let mut states = Vec::new();
        let mut scratch = Scratch::default();
        for _ in 0..4 {
            let mut matcher = grammar.matcher();
            for _ in 0..6 {
                let state = matcher.state();
                let mut ahead = vec![u32::MAX; words];
                grammar.fill_mask_of(&state, &mut ahead).unwrap();
                assert_eq!(ahead, row(&mut matcher, words), "seed {seed} of\n{}", random.text);
                assert_eq!(grammar.mask_of(&state, &mut scratch).unwrap(), matcher.mask());
                let flags = (matcher.is_complete(), matcher.is_finished());
                assert_eq!((state.is_complete(), state.is_finished()), flags);
                states.push((state, ahead));
                walk(&mut rng, &mut matcher, 1);
            }
        }
        // Even if the tables were replaced since then.
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for (state, before) in &states {
                    let mut again = vec![u32::MAX; words];
                    grammar.fill_mask_of(state, &mut again).unwrap();
                    assert_eq!(&again, before, "seed {seed}");
                }
            });
        });
    }
}

#[test]
fn the_state_after_a_token_equals_the_state_after_accepting_it() {
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let (_, grammar) = random_grammar(seed, usize::MAX);
        let mut matcher = grammar.matcher();
        for _ in 0..5 {
            for token in (0..100).map(TokenId) {
                let (before, mut clone) = (matcher.state(), matcher.clone());
                let after = matcher.state_after(token);
                assert_eq!(matcher.state(), before);
                let accepted = clone.accept(token).is_accepted();
                assert_eq!(after, accepted.then(|| clone.state()), "seed {seed}, {token}");
            }
            walk(&mut rng, &mut matcher, 1);
        }
    }
}

#[test]
fn a_mask_computed_in_advance_is_cached() {
    let (_, grammar) = random_grammar(0, usize::MAX);
    let mut matcher = grammar.matcher();
    grammar.mask_of(&matcher.state(), &mut Scratch::default()).unwrap();
    let known = grammar.stats();
    matcher.mask();
    assert_eq!(grammar.stats(), known);
}

#[test]
fn a_state_of_another_grammar_is_refused() {
    // Of the same text as well: a mask of one grammar is not a mask of the other.
    let (_, grammar) = random_grammar(0, usize::MAX);
    let (_, other) = random_grammar(0, usize::MAX);
    let state = grammar.matcher().state();
    let mut row = [7; 100];
    assert_eq!(other.fill_mask_of(&state, &mut row), Err(StateError::Foreign));
    assert_eq!(other.mask_of(&state, &mut Scratch::default()), Err(StateError::Foreign));
    assert_eq!(row, [7; 100]);
    let clone = grammar.clone();
    drop(grammar);
    assert_eq!(clone.fill_mask_of(&state, &mut row), Ok(()), "a clone is the same grammar");
    assert_ne!(other.matcher().state(), state);
}

#[test]
fn a_row_that_is_too_short_for_a_state_is_unchanged() {
    let (_, grammar) = random_grammar(0, usize::MAX);
    let words = grammar.vocabulary().mask_words();
    let mut row = vec![7; words - 1];
    let error = grammar.fill_mask_of(&grammar.matcher().state(), &mut row).unwrap_err();
    let StateError::Row(error) = error else { panic!("{error}") };
    assert_eq!((error.needed, error.given), (words, words - 1));
    assert!(row.iter().all(|&word| word == 7));
}

#[test]
fn a_limit_of_a_state_is_an_error_and_leaves_zeros() {
    let mut config = Config::default();
    config.recognizer.limits.max_items_per_set = 60;
    let tokens = [(TokenId(0), b"x".to_vec()), (TokenId(1), vec![b'x'; 80])];
    let vocabulary = Vocabulary::new(tokens, []).unwrap();
    let grammar = Grammar::compile("start ::= E ')'; E ::= E E ['~'] | 'x';", &vocabulary, &config).unwrap();
    let mut matcher = grammar.matcher();
    let mut row = [7; 2];
    let error = grammar.fill_mask_of(&matcher.state(), &mut row).unwrap_err();
    assert!(matches!(error, StateError::Limit(_)), "{error}");
    assert_eq!(row, [0, 0]);
    assert!(matcher.state_after(TokenId(1)).is_none() && matcher.error().is_some());
    assert!(matcher.state_after(TokenId(0)).is_some() && matcher.error().is_none());
}

#[test]
fn states_can_be_sent_and_shared() {
    fn check<T: Send + Sync + Clone + 'static>() {}
    check::<State>();
}
