//! Batches: bit for bit what each matcher gives alone, whatever the threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use grammask::{Config, Grammar, Matcher, RowsError, TokenId, Vocabulary, fill_masks};
use grammask_testkit::random::Rng;

use crate::{BUDGETS, random_grammar, row, walk};

fn nested() -> Grammar {
    let words = ["(", ")", "x", "(("];
    let tokens = (0..4).map(|id| (TokenId(id), words[id as usize].as_bytes().to_vec()));
    let vocabulary = Vocabulary::new(tokens.chain([(TokenId(40), b"))".to_vec())]), []).unwrap();
    Grammar::compile("start ::= '(' start ')' | 'x';", &vocabulary, &Config::default()).unwrap()
}

#[test]
fn batch_rows_equal_the_masks_of_each_matcher() {
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let budget = BUDGETS[seed as usize % 3];
        let grammars: Vec<Grammar> = (0..3).map(|i| random_grammar(100 + 3 * seed + i, budget).1).collect();
        let words = grammars.iter().map(|grammar| grammar.vocabulary().mask_words()).max().unwrap();
        // Few and many, and a row longer than any vocabulary needs.
        for (many, stride) in [(2, words), (9, words + 2), (60, words)] {
            let mut matchers: Vec<Matcher> = (0..many).map(|_| rng.pick(&grammars).matcher()).collect();
            for matcher in &mut matchers {
                let steps = rng.below(8);
                walk(&mut rng, matcher, steps);
            }
            let expected: Vec<u32> = matchers.iter().flat_map(|m| row(&mut m.clone(), stride)).collect();
            for threads in [0, 1, 2, 8] {
                // Grammars that have seen nothing yet, too.
                let mut batch = matchers.clone();
                let mut rows = vec![u32::MAX; many * stride];
                assert_eq!(fill_masks(&mut batch, &mut rows, threads), Ok(0));
                assert_eq!(rows, expected, "seed {seed}, {many} matchers, {threads} threads");
            }
        }
    }
}

#[test]
fn many_threads_fill_new_states_equally() {
    for seed in 500..520 {
        let mut masks = Vec::new();
        for threads in [1, 2, 8] {
            let (_, grammar) = random_grammar(seed, BUDGETS[seed as usize % 3]);
            let stride = grammar.vocabulary().mask_words();
            // Equal walks with new tables, without requesting a mask before.
            let mut matchers = vec![grammar.matcher(); 40];
            for (number, matcher) in matchers.iter_mut().enumerate() {
                let mut rng = Rng::new(seed + number as u64);
                for _ in 0..20 {
                    let _ = matcher.accept(TokenId(rng.below(60) as u32));
                }
            }
            let mut rows = vec![u32::MAX; 40 * stride];
            assert_eq!(fill_masks(&mut matchers, &mut rows, threads), Ok(0));
            masks.push(rows);
        }
        assert!(masks.windows(2).all(|pair| pair[0] == pair[1]), "seed {seed}");
    }
}

/// A mask that is asked for often gets a row of its own, at a moment when other threads are writing it.
#[test]
fn masks_are_right_while_another_thread_caches_them() {
    const THREADS: usize = 3;
    let tokens = (b'a'..=b'z').map(|byte| (TokenId(u32::from(byte - b'a')), vec![byte]));
    let vocabulary = Vocabulary::new(tokens, []).unwrap();
    // Every state has a mask of its own: the letters of its number.
    let states = 3_000;
    let digits =
        |state: u32| (0..12).filter(move |bit| state >> bit & 1 == 1).map(|bit| (b'a' + bit) as char);
    let mut text = String::from("start ::= ");
    for state in 0..states {
        let letters: String = digits(state).collect();
        text += &format!("#'[z{letters}]' ");
    }
    let grammar = Grammar::compile(&(text + ";"), &vocabulary, &Config::default()).unwrap();
    let arrived = AtomicUsize::new(0);
    let meet = |times: usize| {
        arrived.fetch_add(1, Ordering::SeqCst);
        while arrived.load(Ordering::SeqCst) < THREADS * times {
            std::thread::yield_now();
        }
    };
    // Said at the end: a thread that panics would never meet the others again.
    let wrong = std::thread::scope(|scope| {
        let threads: Vec<_> = std::iter::repeat_with(|| {
            scope.spawn(|| {
                let (mut matcher, mut wrong) = (grammar.matcher(), Vec::new());
                for state in 0..states {
                    let expected =
                        digits(state).fold(1 << 25, |row, letter| row | 1u32 << (letter as u8 - b'a'));
                    meet(state as usize + 1);
                    wrong.extend((0..12).map(|_| row(&mut matcher, 1)[0]).filter(|&row| row != expected));
                    let _ = matcher.accept(TokenId(25));
                }
                wrong
            })
        })
        .take(THREADS)
        .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<u32>>()
    });
    assert_eq!(wrong, [0u32; 0], "rows that are another mask");
}

#[test]
fn rows_of_finished_matchers_hold_zeros() {
    let grammar = nested();
    let mut batch = vec![grammar.matcher(); 3];
    assert!(batch[1].accept(TokenId(2)).is_accepted());
    assert!(batch[1].is_finished());
    let mut rows = [u32::MAX; 9];
    assert_eq!(fill_masks(&mut batch, &mut rows, 2), Ok(0));
    assert_eq!(rows, [0b1101, 0, 0, 0, 0, 0, 0b1101, 0, 0]);
}

#[test]
fn uneven_or_short_rows_are_refused_and_unchanged() {
    let mut batch = vec![nested().matcher(); 3];
    let mut rows = [7; 7];
    assert_eq!(fill_masks(&mut batch, &mut rows, 2), Err(RowsError::Uneven { words: 7, rows: 3 }));
    for length in [0, 3] {
        let error = fill_masks(&mut batch, &mut rows[..length], 2).unwrap_err();
        let RowsError::TooShort { row: 0, error } = error else { panic!("{error}") };
        assert_eq!((error.needed, error.given), (2, length / 3));
    }
    // The row would do for the first matcher.
    let small = Vocabulary::new([(TokenId(0), b"a".to_vec())], []).unwrap();
    batch[0] = Grammar::compile("start ::= 'a';", &small, &Config::default()).unwrap().matcher();
    let error = fill_masks(&mut batch, &mut rows[..3], 1).unwrap_err();
    assert!(matches!(error, RowsError::TooShort { row: 1, .. }), "{error}");
    assert_eq!(rows, [7; 7]);
}

#[test]
fn an_empty_batch_writes_nothing() {
    let mut rows = [7; 3];
    assert_eq!(fill_masks(&mut [], &mut rows, 2), Ok(0));
    assert_eq!(rows, [7; 3]);
    // A vocabulary without tokens has rows without words.
    let nothing = Vocabulary::new([], []).unwrap();
    let grammar = Grammar::compile("start ::= 'a';", &nothing, &Config::default()).unwrap();
    assert_eq!(fill_masks(&mut [grammar.matcher(), grammar.matcher()], &mut [], 2), Ok(0));
}

#[test]
fn a_limit_empties_its_own_row_only() {
    let mut config = Config::default();
    config.recognizer.limits.max_items_per_set = 60;
    let tokens = [(TokenId(0), b"x".to_vec()), (TokenId(1), vec![b'x'; 80])];
    let vocabulary = Vocabulary::new(tokens, []).unwrap();
    let ambiguous =
        Grammar::compile("start ::= E ')'; E ::= E E ['~'] | 'x';", &vocabulary, &config).unwrap();
    for many in [2, 70] {
        let mut batch: Vec<Matcher> =
            (0..many).map(|i| if i % 2 == 0 { ambiguous.matcher() } else { nested().matcher() }).collect();
        let mut rows = vec![u32::MAX; 2 * many];
        assert_eq!(fill_masks(&mut batch, &mut rows, 2), Ok(many / 2));
        for (number, (matcher, row)) in batch.iter().zip(rows.chunks(2)).enumerate() {
            assert_eq!(matcher.error().is_some(), number % 2 == 0);
            assert_eq!(row, [if number % 2 == 0 { 0 } else { 0b1101 }, 0]);
        }
    }
}

#[test]
#[cfg(feature = "parallel")]
fn a_caller_in_a_rayon_pool_uses_that_pool() {
    let pool = rayon_core::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut batch = vec![nested().matcher(); 100];
    let mut rows = vec![u32::MAX; 200];
    assert_eq!(pool.install(|| fill_masks(&mut batch, &mut rows, 4)), Ok(0));
    assert_eq!(rows, [0b1101, 0].repeat(100));
}

#[test]
fn concurrent_callers_get_their_own_masks() {
    let grammar = nested();
    std::thread::scope(|scope| {
        for threads in [2, 3, 5] {
            let grammar = &grammar;
            scope.spawn(move || {
                let mut batch = vec![grammar.matcher(); 100];
                for _ in 0..50 {
                    let mut rows = vec![u32::MAX; 200];
                    assert_eq!(fill_masks(&mut batch, &mut rows, threads), Ok(0));
                    assert_eq!(rows, [0b1101, 0].repeat(100));
                }
            });
        }
    });
}
